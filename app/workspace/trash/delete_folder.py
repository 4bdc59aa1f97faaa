"""Deleting a folder: it moves to its owner's trash with all below it."""

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Id, Record
from app.errors import Forbidden
from app.workspace.folders import access, folder_rows, folders, trash_rows
from app.workspace.notes import note_rows


class TrashedFolder(Record):
    notes: int
    folders: int
    trashed: bool = True


@operation(
    "DELETE /os/folders/{id}",
    category="folders",
    scope="os.notes:write",
    tool=Tool(risk="W", namespace="notes"),
)
def delete_folder(tx: Tx, me: Caller, *, id: Id) -> TrashedFolder:
    """Move a folder and all below it to the trash."""
    found = access.require_folder(tx, me, id, "admin", field="id")
    if folders.is_general(found):
        raise Forbidden("The folder General cannot be deleted.")
    if (
        found["owner_id"] != me.owns
        and access.shared_rank(tx, me, found["parent_id"]) < access.RANKS["admin"]
    ):
        raise Forbidden("Only its owner may delete the shared folder itself.", role="admin")
    notes, below = move_folder_to_trash(tx, me, id)
    return TrashedFolder(notes, below)


def move_folder_to_trash(tx: Tx, me: Caller, folder_id: int) -> tuple[int, int]:
    """Put a live folder with all live things below it into its owner's trash.

    Return the numbers of notes and folders.
    """
    found = folder_rows.require_live(tx, folder_id)
    below = folder_rows.subtree_ids(tx, folder_id)
    path = folder_rows.folder_path(tx, found["parent_id"])
    entry = trash_rows.add_entry(
        tx,
        me,
        owner=found["owner_id"],
        kind="folder",
        item_id=folder_id,
        title=found["name"],
        path=path,
    )
    # One entry for all: what went together comes back together.
    notes = note_rows.trash_in(tx, found["owner_id"], below, entry)
    folder_rows.set_trash(tx, below, entry)
    return notes, len(below)
