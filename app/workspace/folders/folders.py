"""Folders: the tree that notes lie in."""

import sqlite3
from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import LARGEST_ID, DocumentedPattern, Id, Record
from app.core.text import fold_name
from app.errors import Invalid, NotFound
from app.workspace.folders import access, folder_rows

Parent = (
    Id
    | Annotated[
        str,
        Meta(description="a folder's id, or root"),
        DocumentedPattern("^(root|[1-9][0-9]{0,14})$"),
    ]
)


class Owner(Record):
    """Whose folder it is."""

    user_id: str
    username: str


class Folder(Record):
    """A folder; `fileCount` counts the live notes directly in it.

    Role and owner stand only on folders of others.
    """

    id: int
    name: str
    parent_id: int | None
    icon: str | None
    file_count: int
    created_at: str
    shared: bool
    role: str | UnsetType = UNSET
    owner: Owner | UnsetType = UNSET


class FolderList(Record):
    folders: list[Folder]


@operation(
    "GET /os/folders",
    scope="os.notes:read",
    also=("GET /context/folders",),
    http=Http(steady=()),
    tool=Tool(),
)
def list_folders(tx: Tx, me: Caller, *, parent_id: Parent | None = None) -> FolderList:
    """List the folders the caller may read, by name: all, or those in one parent or the root."""
    if parent_id is None or parent_id == "root":
        return FolderList(readable_folders(tx, me, root=parent_id is not None))
    # In a query every value is text, so a number may come as either.
    if isinstance(parent_id, str) and not (parent_id.isascii() and parent_id.isdecimal()):
        raise Invalid("parentId must be a folder's id or root.", field="parentId")
    found = access.require_folder(
        tx, me, min(int(str(parent_id)[:20]), LARGEST_ID), field="parentId"
    )
    return FolderList(readable_folders(tx, me, parent=found["id"]))


def find_by_name(tx: Tx, me: Caller, name: str) -> sqlite3.Row:
    """Return the readable folder of that name or full path, compared without case.

    Raise Invalid when it is ambiguous.
    """
    matches = folders_called(tx, me, fold_name(name.strip("/")))
    if not matches:
        raise NotFound(f"There is no folder called {name[:255]}.", field="folderName")
    if len(matches) > 1:
        candidates = [
            {"id": folder.id, "path": access.readable_path(tx, me, folder.id)} for folder in matches
        ]
        raise Invalid(
            f"folderName is ambiguous: {len(matches)} folders are called {name[:255]}; use "
            "folderId.",
            field="folderName",
            matches=candidates,
        )
    return folder_rows.require_live(tx, matches[0].id)


def folders_called(tx: Tx, me: Caller, key: str) -> list[Folder]:
    """Return the readable folders whose folded name, or path where it holds a slash, is `key`."""
    named = [
        folder
        for folder in readable_folders(tx, me)
        if fold_name(folder.name) == key.rpartition("/")[2]
    ]
    if "/" not in key:
        return named
    return [folder for folder in named if fold_name(access.readable_path(tx, me, folder.id)) == key]


def find_by_name_or_id(
    tx: Tx, me: Caller, folder_id: int | None, folder_name: str | None
) -> sqlite3.Row | None:
    """Return the readable folder that either names; None for neither; both are refused."""
    if folder_id is not None and folder_name is not None:
        raise Invalid("Give either folderId or folderName.", field="folderName")
    if folder_name is not None:
        return find_by_name(tx, me, folder_name)
    return None if folder_id is None else access.require_folder(tx, me, folder_id)


def readable_folders(
    tx: Tx, me: Caller, *, parent: int | None = None, root: bool = False
) -> list[Folder]:
    """Return the live folders the caller may read, by name.

    All, those in one parent, or those in the root.
    """
    where = "AND f.parent_id IS :parent" if parent is not None or root else ""
    own = tx.all(
        f"SELECT {_COLUMNS} FROM folders f WHERE f.owner_id = :me AND f.trash_id IS NULL {where}",
        me=me.owns,
        parent=parent,
    )
    rows = [(row["name_key"], _folder_record(row)) for row in own]
    ranks = access.shared_folders(tx, me)
    if ranks:
        rows += _shared_records(tx, ranks, parent, root=root)
    # Names and places in the tree are the giver's own matter.
    if me.reach is not None:
        _hide_outside_grant(rows, ranks, access.hidden_by_folder(tx, me), own=me.owns == me.user)
    return [folder for _, folder in sorted(rows, key=lambda row: (row[0], row[1].id))]


def readable_folder(tx: Tx, me: Caller, folder_id: int) -> Folder:
    """Return one folder the caller may read."""
    row = tx.require_row(
        f"SELECT {_COLUMNS}, f.owner_id FROM folders f WHERE f.id = :id", id=folder_id
    )
    if row["owner_id"] == me.owns:
        return _folder_record(row)
    return _shared_records(
        tx, {folder_id: access.shared_rank(tx, me, folder_id)}, None, root=False
    )[0][1]


_COLUMNS = """f.id, f.name, f.name_key, f.parent_id, f.icon, f.note_count, f.created_at,
    EXISTS (SELECT 1 FROM folder_shares s WHERE s.folder_id = f.id) AS shared"""


def _folder_record(row: sqlite3.Row) -> Folder:
    return Folder(
        row["id"],
        row["name"],
        row["parent_id"],
        row["icon"],
        row["note_count"],
        row["created_at"],
        bool(row["shared"]),
    )


def _shared_records(
    tx: Tx, ranks: dict[int, int], parent: int | None, *, root: bool
) -> list[tuple[str, Folder]]:
    rows = tx.all(
        f"""SELECT {_COLUMNS}, u.uuid, u.username FROM folders f JOIN users u ON u.id = f.owner_id
            WHERE f.id IN ({folder_rows.IN_LIST}) AND f.trash_id IS NULL""",
        ids=folder_rows.id_list(list(ranks)),
    )
    found = []
    for row in rows:
        # Of what is shared the root holds the highest folders: those whose parent is not shared.
        if (root and row["parent_id"] in ranks) or (
            parent is not None and row["parent_id"] != parent
        ):
            continue
        folder = _folder_record(row)
        folder.shared, folder.role, folder.owner = (
            True,
            access.ROLES[ranks[row["id"]] - 1],
            Owner(row["uuid"], row["username"]),
        )
        found.append((row["name_key"], folder))
    return found


def _hide_outside_grant(
    rows: list[tuple[str, Folder]],
    granted: Mapping[int, int],
    hidden: Mapping[int | None, int],
    *,
    own: bool,
) -> None:
    """Leave out what is nothing of a grant's.

    With whom its folders are shared otherwise, what lies above them, and what it hides in them.
    """
    for _, folder in rows:
        # The stored counter counts what the grant hides too, and would tell how much that is.
        folder.file_count -= hidden[folder.id]
        folder.shared = not own
        if not own and folder.parent_id not in granted:
            folder.parent_id = None


def is_general(found: sqlite3.Row) -> bool:
    """Return whether this is the folder that every workspace has."""
    return found["parent_id"] is None and found["name_key"] == fold_name(folder_rows.GENERAL)
