"""Moving, copying and pinning notes."""

import sqlite3
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, NameOrPath, Record, Title
from app.errors import Invalid
from app.workspace.folders import access, folders
from app.workspace.notes import note_rows

Destination = Annotated[int, Meta(ge=1, le=(1 << 53) - 1, description="a folder; null is the root")]


class CopiedNote(Record):
    id: int
    title: str
    folder_id: int | None


class Copied(Record):
    note: CopiedNote


class MovedNote(Record):
    id: int
    folder_id: int | None
    revision: int


class Moved(Record):
    note: MovedNote


class PinnedNote(Record):
    id: int
    pinned: bool
    revision: int


class Pinned(Record):
    note: PinnedNote


@operation(
    "POST /os/notes/{id}/copy",
    scope="os.notes:write",
    http=Http(
        refuses={"folderName": "both it and folderId are given, or it names several folders"}
    ),
    tool=Tool(names={"id": "noteId"}, risk="W"),
)
def copy_note(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    folder_id: Destination | UnsetType | None = UNSET,
    folder_name: NameOrPath | None = None,
    title: Title | None = None,
) -> Copied:
    """Copy a note, by default beside its source; the copy has neither snapshots nor share links."""
    note = access.require_note(tx, me, id)
    owner, place = _find_destination(tx, me, note, folder_id, folder_name)
    text = note_rows.Text(note["content"], note["size"], note["word_count"])
    name = title or note["title"]
    made = note_rows.insert(
        tx, owner=owner, folder_id=place, title=name, text=text, tags=note["tags"]
    )
    return Copied(CopiedNote(made, name, place))


@operation(
    "POST /os/notes/{id}/move",
    scope="os.notes:write",
    http=Http(
        refuses={
            "folderId": "neither it nor folderName is given",
            "folderName": "both it and folderId are given, or it names several folders",
        }
    ),
    tool=Tool(names={"id": "noteId"}, risk="W"),
)
def move_note(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    folder_id: Destination | UnsetType | None = UNSET,
    folder_name: NameOrPath | None = None,
) -> Moved:
    """Move a note into another folder; null moves it to the root."""
    if folder_id is UNSET and folder_name is None:
        raise Invalid("Give folderId (null for the root) or folderName.", field="folderId")
    note = access.require_note(tx, me, id)
    owner, place = _find_destination(tx, me, note, folder_id, folder_name)
    # To move away is to delete there, hence admin; staying where it is needs no right at all.
    if (owner, place) != (note["owner_id"], note["folder_id"]):
        access.require_note(tx, me, id, "admin")
        note_rows.move(tx, note, owner=owner, folder_id=place)
    return Moved(MovedNote(id, place, _revision_of(tx, id)))


@operation(
    "POST /os/notes/{id}/pin", scope="os.notes:write", tool=Tool(names={"id": "noteId"}, risk="W")
)
def pin_note(tx: Tx, me: Caller, *, id: Id, pinned: bool) -> Pinned:
    """Pin or unpin a note."""
    note = access.require_note(tx, me, id, "writer")
    if bool(note["pinned"]) != pinned:
        note_rows.set_pinned(tx, note, pinned=pinned)
    return Pinned(PinnedNote(id, pinned, _revision_of(tx, id)))


def _find_destination(
    tx: Tx,
    me: Caller,
    note: sqlite3.Row,
    folder_id: int | UnsetType | None,
    folder_name: str | None,
) -> tuple[int, int | None]:
    """Return owner and folder of a note's destination; raise unless the caller may create there."""
    if folder_name is None and folder_id is UNSET:  # beside its source
        folder_id = note["folder_id"]
    number = None if isinstance(folder_id, UnsetType) else folder_id
    folder = folders.find_by_name_or_id(tx, me, number, folder_name)
    if folder is None:
        return access.root_owner(me), None
    access.require_rank(access.folder_rank(tx, me, folder), "editor")
    return folder["owner_id"], folder["id"]


def _revision_of(tx: Tx, note_id: int) -> int:
    return int(tx.value("SELECT revision FROM notes WHERE id = :id", id=note_id))
