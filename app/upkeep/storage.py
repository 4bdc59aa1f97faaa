"""What takes room, told to whoever owns the data directory."""

import contextlib
import shutil

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.database.backup_status import OwnerStorage, StorageMeasurement
from app.core.database.small_files import file_size
from app.core.database.tx import Tx, stamp
from app.core.operation import operation
from app.core.schema import Record
from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.worker_tasks import WORKER, remember_findings, run_in_process
from app.workspace.folders import folder_rows

MOST_FOLDERS = 10
QUICKLY_MEASURED = 64 << 20
"""A database of so many bytes is read as a whole while somebody waits for a page."""


class MeasuredFolder(Record):
    """A folder with the notes that lie directly in it; the root's path is empty."""

    path: str
    notes: int
    bytes: int


class MeasuredUser(Record):
    """What one user holds; `folders` are those with most bytes."""

    username: str
    held: OwnerStorage
    folders: list[MeasuredFolder]


class Storage(Record):
    """What takes room: bytes of the file, free ones in it, of the log beside it, of the backups,
    free on the disk; by purpose and by user.

    `parts` is empty where SQLite was built without the table that tells.
    """

    database_bytes: int
    free_bytes: int
    wal_bytes: int
    backups: int
    backup_bytes: int
    disk_free_bytes: int
    parts: dict[str, int]
    users: list[MeasuredUser]


@operation("COMMAND")
async def measure_storage(app: App, me: Caller) -> Storage:
    """Tell what takes room, measured anew."""
    found, data = await measure_and_remember(app), app.store.path.parent
    users = await app.read(_measured_users, found)
    kept = backup_files.list_backups(data)
    return Storage(
        found.database_bytes,
        found.free_bytes,
        file_size(app.store.path.with_name(app.store.path.name + "-wal")),
        len(kept),
        sum(file_size(backup.path) for backup in kept),
        shutil.disk_usage(data).free,
        found.parts,
        users,
    )


@operation("COMMAND")
async def refresh_storage(app: App, me: Caller, *, changed_at: str) -> Record:
    """Measure anew what takes room where that is quick and was last done before a change."""
    known = app.safekeeping.known.measured
    is_new = known is not None and known.at >= changed_at
    is_large = file_size(app.store.path) > QUICKLY_MEASURED
    if not (is_new or is_large) and app.store.health.state == "writable":
        with contextlib.suppress(BackupFailed):  # what was known before is told, with its moment
            await measure_and_remember(app)
    return Record()


async def measure_and_remember(app: App) -> StorageMeasurement:
    """Measure what takes room in a process of its own and remember it."""
    app.store.require_file()
    task = {"task": "measure", "source": str(app.store.path), "now": stamp(app.clock())}
    found = msgspec.convert(await run_in_process(WORKER, task), StorageMeasurement)
    remember_findings(app, measured=found)
    return found


def _measured_users(tx: Tx, measured: StorageMeasurement) -> list[MeasuredUser]:
    rows = tx.all("SELECT id, username FROM users ORDER BY id")
    return [
        MeasuredUser(
            row["username"],
            measured.owners.get(str(row["id"]), OwnerStorage()),
            _measured_folders(tx, row["id"]),
        )
        for row in rows
    ]


def _measured_folders(tx: Tx, owner: int) -> list[MeasuredFolder]:
    rows = tx.all(
        """SELECT folder_id, count(*), sum(size) FROM notes
           WHERE owner_id = :owner AND trash_id IS NULL
           GROUP BY folder_id ORDER BY sum(size) DESC LIMIT :most""",
        owner=owner,
        most=MOST_FOLDERS,
    )
    return [MeasuredFolder(folder_rows.folder_path(tx, row[0]), row[1], row[2]) for row in rows]
