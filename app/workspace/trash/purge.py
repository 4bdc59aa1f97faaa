"""Purging: what is in the trash is deleted for good, by hand or when its days are over."""

from datetime import timedelta
from typing import Annotated, Any

from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Id, Record
from app.errors import Forbidden, NotFound
from app.workspace.folders import folder_rows, trash_rows
from app.workspace.notes import note_rows
from app.workspace.todos import todo_rows
from app.workspace.trash import trash_lists
from app.workspace.trash.trash_lists import WRITE, Kind

BATCH = 200


class Purged(Record):
    notes: int = 0
    todos: int = 0
    folders: int = 0


class PurgeAnswer(Record):
    purged: Purged


@operation("DELETE /os/trash/{kind}/{id}", scope=WRITE)
async def purge_from_trash(app: App, me: Caller, *, kind: Kind, id: Id) -> PurgeAnswer:
    """Delete one thing in the trash for good, snapshots included."""
    entry = await app.read(_require_own_entry, me, kind, id)
    return PurgeAnswer(await _purge_entries(app, [entry["id"]]))


@operation("DELETE /os/trash", scope=WRITE)
async def empty_trash(
    app: App,
    me: Caller,
    *,
    kind: Kind | None = None,
    older_than_days: Annotated[int, Meta(ge=0, le=36500)] | None = None,
) -> PurgeAnswer:
    """Delete for good what lies in the trash, or only one kind of it or what is older."""
    kinds = trash_lists.allowed_kinds(me, kind, "write")
    return PurgeAnswer(
        await _purge_entries(app, await app.read(_find_entries, me.owns, kinds, older_than_days))
    )


@operation("COMMAND", frees=True, every=HOUR)
async def purge_expired_trash(app: App, me: Caller) -> PurgeAnswer:
    """Delete for good what has been in each user's trash for its time."""
    return PurgeAnswer(await _purge_entries(app, await app.read(_expired_entries)))


def _require_own_entry(tx: Tx, me: Caller, kind: str, item_id: int) -> Any:
    """Return the entry of one thing that is the caller's to delete for good."""
    entry = trash_lists.require_entry(tx, me, kind, item_id)
    if entry["owner_id"] != me.owns:
        raise Forbidden("Only its owner may delete this for good.", role="admin")
    # What went with a folder can be restored alone, but goes for good only with the folder.
    if (entry["kind"], entry["item_id"]) != (kind, item_id):
        raise NotFound(f"There is no such {kind} in the trash.", field="id")
    return entry


def _find_entries(tx: Tx, user: int, kinds: str, older_than_days: int | None) -> list[int]:
    before = stamp(tx.moment - timedelta(days=older_than_days or 0))
    rows = tx.all(
        "SELECT id FROM trash WHERE owner_id = :me AND kind IN (SELECT value "
        "FROM json_each(:kinds)) AND trashed_at <= :before ORDER BY id",
        me=user,
        kinds=kinds,
        before=before,
    )
    return [row["id"] for row in rows]


def _expired_entries(tx: Tx) -> list[int]:
    found = []
    for row in tx.all("SELECT DISTINCT owner_id FROM trash"):
        days = users.settings_of(tx, row["owner_id"]).trash_days
        found += _find_entries(tx, row["owner_id"], '["note","todo","folder"]', days)
    return found


async def _purge_entries(app: App, entries: list[int]) -> Purged:
    """Delete entries for good, some hundred rows a transaction, so that no purge holds up other
    writes.
    """
    notes = todos = below = 0
    # Notes first and the entry last: cut off, the rest is still an entry and goes the next time.
    for entry in entries:
        while gone := await app.write(_purge_notes, entry):
            notes += gone
        more_todos, more_folders = await app.write(_purge_rest, entry)
        todos, below = todos + more_todos, below + more_folders
    return Purged(notes, todos, below)


def _purge_notes(tx: Tx, entry: int) -> int:
    """Delete some of the notes of an entry; return their number."""
    rows = tx.all(
        "SELECT id FROM notes WHERE trash_id = :entry LIMIT :some", entry=entry, some=BATCH
    )
    return note_rows.purge(tx, [row["id"] for row in rows])


def _purge_rest(tx: Tx, entry: int) -> tuple[int, int]:
    """Delete an entry with its todos and folders, once its notes are gone; return their numbers."""
    todos, below = (
        [row[0] for row in tx.all(f"SELECT id FROM {table} WHERE trash_id = :entry", entry=entry)]
        for table in ("todos", "folders")
    )
    # A note that was trashed by itself outlives its folder and would come back to the root.
    note_rows.forget_folders(tx, below)
    numbers = todo_rows.purge(tx, todos), folder_rows.purge(tx, below)
    trash_rows.delete_entry(tx, entry)
    return numbers
