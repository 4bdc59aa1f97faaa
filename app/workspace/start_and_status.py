"""The workspace as a whole: its beginning, its index and its status."""

from typing import Literal

from app.account import key_rows, users
from app.core.app import App
from app.core.caller import EVERYTHING, Caller
from app.core.database.backup_status import Held, KnownOfBackups, Measured, Safekeeping
from app.core.database.health import DatabaseHealth
from app.core.database.tx import Tx
from app.core.operation import Http, Listed, operation
from app.core.schema import Record
from app.workspace.attachments import attachment_rows
from app.workspace.folders import folder_rows, workspace_counters
from app.workspace.folders.folders import Folder, listed
from app.workspace.index import name_index, word_index
from app.workspace.notes import note_rows
from app.workspace.todos import todo_rows

PURGE_BATCH = 500


class Workspace(Record):
    """What a workspace holds; bytes are UTF-8 bytes of Markdown."""

    folders: list[Folder]
    total_files: int
    total_size_bytes: int


class Initialized(Record):
    workspace: Workspace
    created: bool
    initialized: bool = True


class Route(Record):
    """One row of the index."""

    method: str
    path: str
    scope: str | None
    summary: str
    maturity: str = "ga"


class Index(Record):
    description: str
    total_endpoints: int
    by_category: dict[str, list[Route]]


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
    held: Held
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


class Deleted(Record):
    username: str
    notes: int


class FirstUser(Record):
    """The first user with the secret of the first key.

    Both null when the server had users already.
    """

    username: str | None = None
    secret: str | None = None


@operation("POST /init", scope="os.notes:write")
def init(tx: Tx, me: Caller) -> Initialized:
    """Set the workspace up: make the folder General if it is not there.

    Doing it again changes nothing.
    """
    created = ensure(tx, me.user)
    counted = workspace_counters.of(tx, me.user)
    return Initialized(Workspace(listed(tx, me), counted.notes, counted.bytes), created)


@operation("GET /os")
async def os_index(app: App, me: Caller) -> Index:
    """List every endpoint, by category."""
    by_category: dict[str, list[Route]] = {}
    served = [one for one in app.catalog.listed() if not one.operation.http.bare]
    for one in served:
        by_category.setdefault(one.category, []).append(_route(one))
    return Index(
        "Workspace and Agent Service API, served by Hearth. Paths are relative to /api/v1.",
        len(served),
        by_category,
    )


@operation(
    "GET /os/status",
    scope="os.status:read",
    effect="read",
    also=("GET /context/status",),
    http=Http(steady=()),
)
async def status(app: App, me: Caller) -> Status:
    """Read what the workspace holds, when it last changed, what takes room, whether the database
    takes writes, and when it was last backed up.
    """
    health = app.store.health.told(full=app.store.room.tight)
    return await app.read(_status, me, health, app.part(Safekeeping).known, app.settings.backups)


@operation("COMMAND")
async def begin_server(app: App, me: Caller, *, username: users.Name) -> FirstUser:
    """Set up the first user with a workspace and a key.

    On a server that has users, change nothing.
    """
    if app.quick(users.are_there):
        return FirstUser()
    return await app.write(_begin, me, username, app.settings.key_prefix)


@operation("COMMAND", frees=True)
async def delete_user(app: App, me: Caller, *, username: str) -> Deleted:
    """Delete a user for good, with notes, snapshots, todos and keys."""
    user = await app.read(lambda tx: int(users.by_name(tx, username)["id"]))
    notes = 0
    while gone := await app.write(_purge_some, user):
        notes += gone
    while await app.write(attachment_rows.purge_owner, user):
        pass
    await app.write(_remove, user)
    return Deleted(username, notes)


@operation("COMMAND")
def init_user(tx: Tx, me: Caller, *, username: str) -> Record:
    """Set up a user's workspace."""
    ensure(tx, users.by_name(tx, username)["id"])
    return Record()


def ensure(tx: Tx, owner: int) -> bool:
    """Make the workspace and its folder General where they are missing.

    Say whether this call made it.
    """
    made = workspace_counters.begin(tx, owner)
    return folder_rows.ensure_general(tx, owner) or made


def _status(
    tx: Tx, me: Caller, health: DatabaseHealth, known: KnownOfBackups, backups: bool
) -> Status:
    counted = workspace_counters.of(tx, me.user)
    backup = BackupStatus(
        backups,
        known.backup_at,
        known.proven_at,
        known.trouble or ("not_proven" if known.proof_trouble else None),
    )
    files, storage = attachment_rows.counted(tx, me.user), _storage(tx, me, known.measured)
    return Status(
        counted.notes,
        counted.bytes,
        listed(tx, me),
        counted.changed_at,
        *files,
        health,
        backup,
        storage,
    )


def _storage(tx: Tx, me: Caller, measured: Measured | None) -> StorageStatus | None:
    held = None if measured is None else measured.owners.get(str(me.user))
    if measured is None or held is None:
        return None
    if users.others_are_there(tx, me.user):
        return StorageStatus(measured.at, held, None, None, None)
    return StorageStatus(
        measured.at, held, measured.database_bytes, measured.free_bytes, measured.parts
    )


def _route(listed: Listed) -> Route:
    found = listed.operation
    return Route(listed.method, listed.path, " or ".join(found.scopes) or None, found.summary)


def _begin(tx: Tx, me: Caller, username: str, prefix: str) -> FirstUser:
    if users.are_there(tx):
        return FirstUser()
    user = users.by_name(tx, users.add_user(tx, me, username=username).user.username)["id"]
    ensure(tx, user)
    return FirstUser(
        username, key_rows.issue(tx, user, "first key", EVERYTHING, "never", prefix).secret
    )


def _purge_some(tx: Tx, user: int) -> int:
    some = [
        row["id"]
        for row in tx.all(
            "SELECT id FROM notes WHERE owner_id = :user LIMIT :some", user=user, some=PURGE_BATCH
        )
    ]
    note_rows.purge(tx, some)
    return len(some)


def _remove(tx: Tx, user: int) -> None:
    todo_rows.purge_owner(tx, user)
    folder_rows.purge_owner(tx, user)
    word_index.drop(tx, user)
    name_index.purge_owner(tx, user)
    users.remove(tx, user)
