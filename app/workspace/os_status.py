"""The status of a workspace: GET /os/status."""

from typing import Literal

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.backup_status import BackupRecord, OwnerStorage, StorageMeasurement
from app.core.database.health import DatabaseHealth
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record
from app.workspace.attachments import attachment_rows
from app.workspace.folders import workspace_counters
from app.workspace.folders.folders import Folder, readable_folders


class BackupStatus(Record):
    """When the last backup was made and when one was last proven, by restoring it and reading in
    it; why a later try failed, null when none did.
    """

    enabled: bool
    last_at: str | None
    proven_at: str | None
    trouble: Literal["no_room", "failed", "not_proven"] | None


class StorageStatus(Record):
    """What takes room, as it was measured in the background.

    Those of the whole file only where nobody else uses this server.
    """

    measured_at: str
    held: OwnerStorage
    database_bytes: int | None
    free_bytes: int | None
    parts: dict[str, int] | None


class Status(Record):
    context_count: int
    total_size_bytes: int
    folders: list[Folder]
    last_synced_at: str
    attachment_count: int
    attachment_bytes: int
    database: DatabaseHealth
    backup: BackupStatus
    storage: StorageStatus | None


@operation(
    "GET /os/status", scope="os.status:read", also=("GET /context/status",), http=Http(steady=())
)
async def status(app: App, me: Caller) -> Status:
    """Show what the workspace holds, how much room it takes, and the state of the database.

    It tells when the workspace last changed, whether the database takes writes, and when it was
    last backed up.
    """
    health = app.store.health.report(full=app.store.room.tight)
    return await app.read(_workspace_status, me, health, app.safekeeping.known)


def _workspace_status(tx: Tx, me: Caller, health: DatabaseHealth, known: BackupRecord) -> Status:
    counted = workspace_counters.workspace_counts(tx, me.user)
    backup = BackupStatus(
        tx.settings.backups,
        known.backup_at,
        known.proven_at,
        known.trouble or ("not_proven" if known.proof_trouble else None),
    )
    return Status(
        counted.notes,
        counted.bytes,
        readable_folders(tx, me),
        counted.changed_at,
        *attachment_rows.count_all(tx, me.user),
        health,
        backup,
        _storage_status(tx, me, known.measured),
    )


def _storage_status(
    tx: Tx, me: Caller, measured: StorageMeasurement | None
) -> StorageStatus | None:
    held = None if measured is None else measured.owners.get(str(me.user))
    if measured is None or held is None:
        return None
    if users.any_other_user(tx, me.user):  # the size of the file would tell what others keep
        return StorageStatus(measured.at, held, None, None, None)
    return StorageStatus(
        measured.at, held, measured.database_bytes, measured.free_bytes, measured.parts
    )
