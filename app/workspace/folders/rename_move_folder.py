"""Renaming and moving a folder, or giving it another icon."""

import sqlite3
from typing import Annotated

from msgspec import UNSET, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Line, Record, Title
from app.errors import AlreadyExists, Forbidden, Invalid
from app.workspace.folders import access, folder_rows, folders, paths
from app.workspace.folders.folders import Folder

Icon = Annotated[str, Line(1, 32)]


class FolderAnswer(Record):
    folder: Folder


@operation(
    "PATCH /os/folders/{id}",
    scope="os.notes:write",
    http=Http(
        refuses={
            "name": "it holds a slash, or is . or ..",
            "parentId": "the folder would lie in itself, too deep, or with another owner",
        }
    ),
    tool=Tool(risk="W"),
)
def change_folder(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    name: Title | None = None,
    parent_id: Id | UnsetType | None = UNSET,
    icon: Icon | UnsetType | None = UNSET,
) -> FolderAnswer:
    """Rename or move a folder or give it another icon.

    A parentId of null moves it to the root, an icon of null takes it away.
    """
    found = access.require_folder(tx, me, id, "admin", field="id")
    new_name = found["name"] if name is None else name
    parent = found["parent_id"] if isinstance(parent_id, UnsetType) else parent_id
    elsewhere = (new_name, parent) != (found["name"], found["parent_id"])
    if elsewhere and folders.is_general(found):
        raise Forbidden("The folder General cannot be renamed or moved.")
    if name is not None and ("/" in name or "\\" in name or name in (".", "..")):
        raise Invalid("name must be a single segment.", field="name")
    if parent != found["parent_id"]:
        _require_destination(tx, me, found, parent)
    # A folder that changes only the case of its name is its own twin.
    twin = folder_rows.find_child(tx, found["owner_id"], parent, new_name)
    if twin is not None and twin["id"] != id:
        raise AlreadyExists(
            "A folder of that name already exists there.", field="name", folderId=twin["id"]
        )
    folder_rows.update(
        tx,
        found,
        name=new_name,
        parent_id=parent,
        icon=found["icon"] if isinstance(icon, UnsetType) else icon,
    )
    return FolderAnswer(folders.readable_folder(tx, me, id))


def _require_destination(tx: Tx, me: Caller, found: sqlite3.Row, parent: int | None) -> None:
    """Raise unless the folder may go there.

    Not below itself, not to another owner, and not out of what is shared.
    """
    if (
        found["owner_id"] != me.owns
        and access.shared_rank(tx, me, found["parent_id"]) < access.RANKS["admin"]
    ):
        raise Forbidden("Only its owner may move the shared folder itself.", role="admin")
    if parent is None:
        if found["owner_id"] != me.owns:
            raise Forbidden("Only its owner may move a folder out of what is shared.", role="admin")
        return
    target = access.require_folder(tx, me, parent, "editor", field="parentId")
    if target["owner_id"] != found["owner_id"]:
        raise Invalid("parentId must be a folder of the same owner.", field="parentId")
    below = folder_rows.subtree_ids(tx, found["id"])
    if parent in below:
        raise Invalid("A folder cannot be moved into itself or below itself.", field="parentId")
    # All below comes along: the deepest of it must still fit.
    depth = len(folder_rows.ancestors(tx, found["id"]))
    height = max(len(folder_rows.ancestors(tx, id_)) for id_ in below) - depth + 1
    if len(folder_rows.ancestors(tx, parent)) + height > paths.DEEPEST:
        raise Invalid(
            f"A folder must not lie deeper than {paths.DEEPEST} levels.", field="parentId"
        )
