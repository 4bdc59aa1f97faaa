"""Deleting a note: it moves to its owner's trash."""

import sqlite3

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record
from app.errors import Forbidden
from app.workspace.folders import access, folder_rows, trash_rows
from app.workspace.notes import note_rows


class Trashed(Record):
    trashed: bool = True


@operation("DELETE /os/notes/{id}", scope="os.notes:write")
def delete_note(
    tx: Tx, me: Caller, *, id: Id, if_revision: Id | None = None, permanent: bool = False
) -> Trashed:
    """Move a note to the trash.

    With `permanent` its owner deletes it for good, for which even a full disk has room.
    """
    note = access.require_note(tx, me, id, "admin")
    note_rows.require_revision(note, if_revision)
    # The trash costs a row and keeps the text, so on a full disk only `permanent` gives room back.
    if not permanent:
        move_to_trash(tx, me, note)
        return Trashed()
    if note["owner_id"] != me.owns:
        raise Forbidden("Only its owner may delete this for good.", role="admin")
    note_rows.purge(tx, [id])
    return Trashed(trashed=False)


def move_to_trash(tx: Tx, me: Caller, note: sqlite3.Row) -> None:
    """Put a note into its owner's trash."""
    path = folder_rows.folder_path(tx, note["folder_id"])
    entry = trash_rows.add_entry(
        tx,
        me,
        owner=note["owner_id"],
        kind="note",
        item_id=note["id"],
        title=note["title"],
        path=path,
    )
    note_rows.trash_one(tx, note, entry)
