"""The trash: what was deleted, until it is restored, purged by hand, or its days are over."""

import itertools
from datetime import timedelta
from typing import Annotated, Any

from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Id, Record
from app.errors import Forbidden, NotFound, Unprocessable
from app.workspace.folders import access, folder_rows, folders, trash_rows
from app.workspace.notes import note_rows
from app.workspace.todos import todo_rows
from app.workspace.trash import trash_lists
from app.workspace.trash.trash_lists import Kind

WRITE = ("os.notes:write", "os.todos:write")
BATCH = 200


class RestoredItem(Record):
    """Where a restored thing lies now: `folderId` is the folder that holds it, null the root."""

    kind: Kind
    id: int
    folder_id: int | None


class Purged(Record):
    notes: int = 0
    todos: int = 0
    folders: int = 0


class PurgeAnswer(Record):
    purged: Purged


class TrashedFolder(Record):
    notes: int
    folders: int
    trashed: bool = True


@operation("DELETE /os/folders/{id}", category="folders", scope="os.notes:write", since="beyond")
def delete_folder(tx: Tx, me: Caller, *, id: Id) -> TrashedFolder:
    """Move a folder and all below it to the trash."""
    found = access.folder(tx, me, id, "admin", field="id")
    if folders.is_general(found):
        raise Forbidden("The folder General cannot be deleted.")
    if (
        found["owner_id"] != me.owns
        and access.shared_rank(tx, me, found["parent_id"]) < access.RANKS["admin"]
    ):
        raise Forbidden("Only its owner may delete the shared folder itself.", role="admin")
    notes, below = put_folder(tx, me, id)
    return TrashedFolder(notes, below)


@operation("POST /os/trash/{kind}/{id}/restore", scope=WRITE, since="beyond")
def restore_from_trash(tx: Tx, me: Caller, *, kind: Kind, id: Id) -> RestoredItem:
    """Bring a thing back from the trash; where its folder is gone, to the root.

    One note of a folder in the trash can come back alone. What an admin of a shared folder
    deleted there, they can bring back.
    """
    entry = _entry(tx, me, kind, id)
    if (entry["kind"], entry["item_id"]) == ("folder", id) or entry["kind"] != "folder":
        folder_id = {"note": _restore_note, "todo": _restore_todo, "folder": _restore_folder}[kind](
            tx, entry, id
        )
        trash_rows.drop(tx, entry["id"])
    elif kind == "note":
        folder_id = _restore_note(tx, entry, id)
    else:
        raise Unprocessable(
            f"This folder went to the trash with “{entry['title']}”: restore that one, or "
            "its notes one by one.",
            field="id",
        )
    return RestoredItem(kind, id, folder_id)


@operation("DELETE /os/trash/{kind}/{id}", scope=WRITE, since="beyond")
async def purge_from_trash(app: App, me: Caller, *, kind: Kind, id: Id) -> PurgeAnswer:
    """Delete one thing in the trash for good, snapshots included."""
    entry = await app.read(_own_entry, me, kind, id)
    return PurgeAnswer(await _purge(app, [entry["id"]]))


@operation("DELETE /os/trash", scope=WRITE, since="beyond")
async def empty_trash(
    app: App,
    me: Caller,
    *,
    kind: Kind | None = None,
    older_than_days: Annotated[int, Meta(ge=0, le=36500)] | None = None,
) -> PurgeAnswer:
    """Delete for good what lies in the trash, or only one kind of it or what is older."""
    kinds = trash_lists.kinds_of(me, kind, "write")
    return PurgeAnswer(await _purge(app, await app.read(_entries, me.owns, kinds, older_than_days)))


@operation("COMMAND", frees=True, every=HOUR)
async def purge_expired_trash(app: App, me: Caller) -> PurgeAnswer:
    """Delete for good what has been in each user's trash for its time."""
    return PurgeAnswer(await _purge(app, await app.read(_expired)))


def put_folder(tx: Tx, me: Caller, folder_id: int) -> tuple[int, int]:
    """Put a live folder with all live things below it into its owner's trash.

    Give the numbers of notes and folders.
    """
    found = folder_rows.sure(tx, folder_id)
    below = folder_rows.subtree(tx, folder_id)
    path = folder_rows.path(tx, found["parent_id"])
    entry = trash_rows.put(
        tx,
        me,
        owner=found["owner_id"],
        kind="folder",
        item_id=folder_id,
        title=found["name"],
        path=path,
    )
    notes = note_rows.trash_in(tx, found["owner_id"], below, entry)
    folder_rows.set_trash(tx, below, entry)
    return notes, len(below)


def _restore_note(tx: Tx, entry: Any, note_id: int) -> int | None:
    note = tx.sure("SELECT * FROM notes WHERE id = :id", id=note_id)
    folder_id = _live(tx, note["folder_id"])
    note_rows.restore_one(tx, note, folder_id)
    return folder_id


def _restore_todo(tx: Tx, entry: Any, todo_id: int) -> int | None:
    todo_rows.set_trash(tx, [todo_id], None)
    return None


def _restore_folder(tx: Tx, entry: Any, folder_id: int) -> int | None:
    owner, trash_id = entry["owner_id"], entry["id"]
    row = tx.sure("SELECT parent_id, name FROM folders WHERE id = :id", id=folder_id)
    parent = _live(tx, row["parent_id"])
    folder_rows.restore(
        tx, trash_id, folder_id, parent_id=parent, name=_free_name(tx, owner, parent, row["name"])
    )
    note_rows.restore_all(tx, owner, trash_id)
    return parent


def _free_name(tx: Tx, owner: int, parent: int | None, name: str) -> str:
    """Give a folder's name, with " (restored)" added when another has taken it meanwhile."""
    suffixes = itertools.chain(
        ("", " (restored)"), (f" (restored {number})" for number in itertools.count(2))
    )
    candidates = (name[: 255 - len(suffix)] + suffix for suffix in suffixes)
    return next(
        candidate
        for candidate in candidates
        if folder_rows.child(tx, owner, parent, candidate) is None
    )


def _live(tx: Tx, folder_id: int | None) -> int | None:
    return (
        folder_id if folder_id is not None and folder_rows.get(tx, folder_id) is not None else None
    )


def _entry(tx: Tx, me: Caller, kind: str, item_id: int) -> Any:
    trash_lists.kinds_of(me, kind, "write")
    entry = trash_rows.find(tx, me, kind, item_id)
    if entry is None:
        raise NotFound(f"There is no such {kind} in the trash.", field="id")
    return entry


def _own_entry(tx: Tx, me: Caller, kind: str, item_id: int) -> Any:
    """Give the entry of one thing that is the caller's to delete for good."""
    entry = _entry(tx, me, kind, item_id)
    if entry["owner_id"] != me.owns:
        raise Forbidden("Only its owner may delete this for good.", role="admin")
    if (entry["kind"], entry["item_id"]) != (kind, item_id):
        raise NotFound(f"There is no such {kind} in the trash.", field="id")
    return entry


def _entries(tx: Tx, user: int, kinds: str, older_than_days: int | None) -> list[int]:
    before = stamp(tx.moment - timedelta(days=older_than_days or 0))
    rows = tx.all(
        "SELECT id FROM trash WHERE owner_id = :me AND kind IN (SELECT value "
        "FROM json_each(:kinds)) AND trashed_at <= :before ORDER BY id",
        me=user,
        kinds=kinds,
        before=before,
    )
    return [row["id"] for row in rows]


def _expired(tx: Tx) -> list[int]:
    found = []
    for row in tx.all("SELECT DISTINCT owner_id FROM trash"):
        days = users.settings_of_user(tx, row["owner_id"]).trash_days
        found += _entries(tx, row["owner_id"], '["note","todo","folder"]', days)
    return found


async def _purge(app: App, entries: list[int]) -> Purged:
    """Delete entries for good, some hundred rows a transaction, so that no purge holds up other
    writes.
    """
    notes = todos = below = 0
    for entry in entries:
        while gone := await app.write(_purge_notes, entry):
            notes += gone
        more_todos, more_folders = await app.write(_purge_rest, entry)
        todos, below = todos + more_todos, below + more_folders
    return Purged(notes, todos, below)


def _purge_notes(tx: Tx, entry: int) -> int:
    """Delete some of the notes of an entry; give their number."""
    return note_rows.purge(
        tx,
        [
            row["id"]
            for row in tx.all(
                "SELECT id FROM notes WHERE trash_id = :entry LIMIT :some", entry=entry, some=BATCH
            )
        ],
    )


def _purge_rest(tx: Tx, entry: int) -> tuple[int, int]:
    """Delete an entry with its todos and folders, once its notes are gone; give their numbers."""
    todos = todo_rows.purge(
        tx,
        [row["id"] for row in tx.all("SELECT id FROM todos WHERE trash_id = :entry", entry=entry)],
    )
    below = [
        row["id"] for row in tx.all("SELECT id FROM folders WHERE trash_id = :entry", entry=entry)
    ]
    note_rows.leave_folders(tx, below)
    below_count = folder_rows.purge(tx, below)
    trash_rows.drop(tx, entry)
    return todos, below_count
