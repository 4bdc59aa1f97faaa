"""Restoring notes, todos and folders from the trash."""

import itertools
from typing import Any

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Id, Record
from app.errors import Unprocessable
from app.workspace.folders import folder_rows, trash_rows
from app.workspace.notes import note_rows
from app.workspace.todos import todo_rows
from app.workspace.trash import trash_lists
from app.workspace.trash.trash_lists import WRITE, Kind


class RestoredItem(Record):
    """Where a restored thing lies now: `folderId` is the folder that holds it, null the root."""

    kind: Kind
    id: int
    folder_id: int | None


@operation(
    "POST /os/trash/{kind}/{id}/restore", scope=WRITE, tool=Tool(risk="W", namespace="notes")
)
def restore_from_trash(tx: Tx, me: Caller, *, kind: Kind, id: Id) -> RestoredItem:
    """Bring a thing back from the trash; where its folder is gone, to the root.

    One note of a folder in the trash can come back alone. What an admin of a shared folder
    deleted there, they can bring back.
    """
    entry = trash_lists.require_entry(tx, me, kind, id)
    alone = (entry["kind"], entry["item_id"]) == (kind, id)
    folder_id = None
    if kind == "note":
        folder_id = _restore_note(tx, id)
    elif kind == "todo":
        todo_rows.set_trash(tx, [id], None)
    elif alone:
        folder_id = _restore_folder(tx, entry, id)
    else:
        raise Unprocessable(
            f"This folder went to the trash with “{entry['title']}”: restore that one, or "
            "its notes one by one.",
            field="id",
        )
    if alone:  # else the entry is a folder's, for what else went with it
        trash_rows.delete_entry(tx, entry["id"])
    return RestoredItem(kind, id, folder_id)


def _restore_note(tx: Tx, note_id: int) -> int | None:
    note = tx.require_row("SELECT * FROM notes WHERE id = :id", id=note_id)
    folder_id = _live_folder(tx, note["folder_id"])
    note_rows.restore_one(tx, note, folder_id)
    return folder_id


def _restore_folder(tx: Tx, entry: Any, folder_id: int) -> int | None:
    owner, trash_id = entry["owner_id"], entry["id"]
    row = tx.require_row("SELECT parent_id, name FROM folders WHERE id = :id", id=folder_id)
    parent = _live_folder(tx, row["parent_id"])
    folder_rows.restore(
        tx, trash_id, folder_id, parent_id=parent, name=_free_name(tx, owner, parent, row["name"])
    )
    note_rows.restore_all(tx, owner, trash_id)
    return parent


def _free_name(tx: Tx, owner: int, parent: int | None, name: str) -> str:
    """Return a folder's name, with " (restored)" added when another has taken it meanwhile."""
    suffixes = itertools.chain(
        ("", " (restored)"), (f" (restored {number})" for number in itertools.count(2))
    )
    candidates = (name[: 255 - len(suffix)] + suffix for suffix in suffixes)
    return next(
        candidate
        for candidate in candidates
        if folder_rows.find_child(tx, owner, parent, candidate) is None
    )


def _live_folder(tx: Tx, folder_id: int | None) -> int | None:
    if folder_id is None or folder_rows.find_live(tx, folder_id) is None:
        return None
    return folder_id
