"""Folders: the tree that notes lie in."""

import sqlite3
from collections.abc import Mapping
from typing import Annotated, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import LARGEST_ID, Form, Id, Line, Record, Title
from app.core.text import fold
from app.errors import AlreadyExists, Forbidden, Invalid, NotFound
from app.workspace.folders import access, folder_rows, paths

Parent = (
    Id
    | Annotated[str, Meta(description="a folder's id, or root"), Form("^(root|[1-9][0-9]{0,14})$")]
)

Icon = Annotated[str, Line(1, 32)]
ALWAYS_OWN = frozenset(map(fold, (folder_rows.GENERAL, "Memory", "Workspace")))


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


class FolderPlace(Record):
    """Where a folder lies."""

    id: int
    name: str
    parent_id: int | None


class MadeFolder(Record):
    """`createdSegments` holds the names that this call made; it is empty when all were there."""

    mode: str
    path: str
    folder: FolderPlace
    created_segments: list[str]
    message: str


class FolderAnswer(Record):
    folder: Folder


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
        return FolderList(listed(tx, me, root=parent_id is not None))
    if isinstance(parent_id, str) and not (parent_id.isascii() and parent_id.isdecimal()):
        raise Invalid("parentId must be a folder's id or root.", field="parentId")
    found = access.folder(tx, me, min(int(str(parent_id)[:20]), LARGEST_ID), field="parentId")
    return FolderList(listed(tx, me, parent=found["id"]))


@operation(
    "POST /os/folders",
    scope="os.notes:write",
    also=("POST /context/folders",),
    http=Http(
        refuses={
            "name": "neither it nor path is given, it holds a slash, or lies too deep",
            "path": "name is given too, or it is no path of folders",
        }
    ),
    tool=Tool(risk="W"),
)
def create_folder(
    tx: Tx,
    me: Caller,
    *,
    name: Title | None = None,
    path: Annotated[str, Meta(max_length=10_000)] | None = None,
    parent_id: Id | None = None,
) -> MadeFolder:
    """Create a folder by name, or a nested one by path.

    What exists already is given back as it is.
    """
    if (name is None) == (path is None):
        raise Invalid("Give either name or path.", field="name" if path is None else "path")
    if name is not None and ("/" in name or "\\" in name or name in (".", "..")):
        raise Invalid("name must be a single segment; use path for a nested folder.", field="name")
    segments = [name] if name is not None else paths.split(path or "", field="path")
    field, start = "name" if name is not None else "path", Place(me.owns, parent_id, segments)
    if parent_id is not None:
        start = start._replace(owner=access.folder(tx, me, parent_id, field="parentId")["owner_id"])
    elif path is not None:
        start = beginning(tx, me, segments)
    require_depth(tx, start, field=field)
    leaf, made = make(tx, me, *start)
    row = folder_rows.sure(tx, leaf)
    place = FolderPlace(row["id"], row["name"], row["parent_id"])
    message = f"Created {'/'.join(made)}." if made else "The folder exists already."
    return MadeFolder(
        "name" if name is not None else "path", access.path(tx, me, row["id"]), place, made, message
    )


@operation(
    "PATCH /os/folders/{id}",
    scope="os.notes:write",
    since="beyond",
    http=Http(
        refuses={
            "name": "it holds a slash, or is . or ..",
            "parentId": "the folder would lie in itself, too deep, or with another owner",
        }
    ),
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
    found = access.folder(tx, me, id, "admin", field="id")
    new_name = found["name"] if name is None else name
    parent = found["parent_id"] if isinstance(parent_id, UnsetType) else parent_id
    if (name is not None and new_name != found["name"]) or parent != found["parent_id"]:
        _require_movable(found)
    if name is not None and ("/" in name or "\\" in name or name in (".", "..")):
        raise Invalid("name must be a single segment.", field="name")
    if parent != found["parent_id"]:
        _require_place(tx, me, found, parent)
    twin = folder_rows.child(tx, found["owner_id"], parent, new_name)
    if twin is not None and twin["id"] != id:
        raise AlreadyExists(
            "There is a folder of that name there already.", field="name", folderId=twin["id"]
        )
    folder_rows.change(
        tx,
        found,
        name=new_name,
        parent_id=parent,
        icon=found["icon"] if isinstance(icon, UnsetType) else icon,
    )
    return FolderAnswer(one(tx, me, id))


class Place(NamedTuple):
    """Where a path begins: whose folder, below which one, and the names that are still to be
    walked down.
    """

    owner: int
    folder_id: int | None
    names: list[str]


def beginning(tx: Tx, me: Caller, names: list[str]) -> Place:
    """Give where a path begins: at the caller's own root or, where that has no such folder, at a
    folder of that name that is shared with them.

    Raises Invalid where several of that name are. What the caller's agent and links live by is
    always the caller's own.
    """
    own = Place(me.owns, None, names)
    if (
        not names
        or me.reach is not None
        or fold(names[0]) in ALWAYS_OWN
        or folder_rows.child(tx, me.owns, None, names[0]) is not None
    ):
        return own
    found = access.shared_tops(tx, me, fold(names[0]))
    if len(found) > 1:
        raise Invalid(
            f"{len(found)} folders called {names[0][:100]} are shared with you; use "
            "parentId or folderId to say which.",
            field="path",
        )
    return Place(found[0]["owner_id"], found[0]["id"], names[1:]) if found else own


def require_depth(tx: Tx, place: Place, *, field: str) -> None:
    """Raise Invalid where the path would lie too deep in its owner's tree."""
    if (
        place.folder_id is not None
        and len(folder_rows.ancestry(tx, place.folder_id)) + len(place.names) > paths.DEEPEST
    ):
        raise Invalid(f"A folder must not lie deeper than {paths.DEEPEST} levels.", field=field)


def make(
    tx: Tx, me: Caller, owner: int, parent_id: int | None, names: list[str]
) -> tuple[int | None, list[str]]:
    """Walk down `names`, making what is missing where the caller may.

    Give the leaf's id and the names that were made.
    """
    at = parent_id
    for position, name in enumerate(names):
        found = folder_rows.child(tx, owner, at, name)
        if found is None:
            if at is not None:
                access.folder(tx, me, at, "editor")
            return folder_rows.ensure(tx, owner, at, names[position:])
        at = found["id"]
    return at, []


def by_name(tx: Tx, me: Caller, name: str) -> sqlite3.Row:
    """Give the readable folder of that name or full path, compared without case.

    Raise Invalid when it is ambiguous.
    """
    key = fold(name.strip("/"))
    every = listed(tx, me)
    if "/" in key:
        matches = [folder for folder in every if fold(access.path(tx, me, folder.id)) == key]
    else:
        matches = [folder for folder in every if fold(folder.name) == key]
    if not matches:
        raise NotFound(f"There is no folder called {name[:255]}.", field="folderName")
    if len(matches) > 1:
        candidates = [
            {"id": folder.id, "path": access.path(tx, me, folder.id)} for folder in matches
        ]
        raise Invalid(
            f"folderName is ambiguous: {len(matches)} folders are called {name[:255]}; use "
            "folderId.",
            field="folderName",
            matches=candidates,
        )
    return folder_rows.sure(tx, matches[0].id)


def named_or_numbered(
    tx: Tx, me: Caller, folder_id: int | None, folder_name: str | None
) -> sqlite3.Row | None:
    """Give the readable folder that either names; None for neither; both are refused."""
    if folder_id is not None and folder_name is not None:
        raise Invalid("Give either folderId or folderName.", field="folderName")
    if folder_name is not None:
        return by_name(tx, me, folder_name)
    return None if folder_id is None else access.folder(tx, me, folder_id)


def listed(tx: Tx, me: Caller, *, parent: int | None = None, root: bool = False) -> list[Folder]:
    """Give the live folders the caller may read, by name.

    All, those in one parent, or those in the root.
    """
    where = (
        "AND f.parent_id = :parent"
        if parent is not None
        else "AND f.parent_id IS NULL"
        if root
        else ""
    )
    own = tx.all(
        f"SELECT {_COLUMNS} FROM folders f WHERE f.owner_id = :me AND f.trash_id IS NULL {where}",
        me=me.owns,
        parent=parent,
    )
    rows = [(row["name_key"], _folder(row)) for row in own]
    ranks = access.shared_folders(tx, me)
    if ranks:
        rows += _shared(tx, ranks, parent, root=root)
    if me.reach is not None:
        _hide(rows, ranks, access.hidden_by_folder(tx, me), own=me.owns == me.user)
    return [folder for _, folder in sorted(rows, key=lambda row: (row[0], row[1].id))]


def one(tx: Tx, me: Caller, folder_id: int) -> Folder:
    """Give one folder the caller may read."""
    row = tx.sure(f"SELECT {_COLUMNS}, f.owner_id FROM folders f WHERE f.id = :id", id=folder_id)
    if row["owner_id"] == me.owns:
        return _folder(row)
    return _shared(tx, {folder_id: access.shared_rank(tx, me, folder_id)}, None, root=False)[0][1]


_COLUMNS = """f.id, f.name, f.name_key, f.parent_id, f.icon, f.note_count, f.created_at,
    EXISTS (SELECT 1 FROM folder_shares s WHERE s.folder_id = f.id) AS shared"""


def _folder(row: sqlite3.Row) -> Folder:
    return Folder(
        row["id"],
        row["name"],
        row["parent_id"],
        row["icon"],
        row["note_count"],
        row["created_at"],
        bool(row["shared"]),
    )


def _shared(
    tx: Tx, ranks: dict[int, int], parent: int | None, *, root: bool
) -> list[tuple[str, Folder]]:
    rows = tx.all(
        f"""SELECT {_COLUMNS}, u.uuid, u.username FROM folders f JOIN users u ON u.id = f.owner_id
            WHERE f.id IN ({folder_rows.IN_LIST}) AND f.trash_id IS NULL""",
        ids=folder_rows.in_list(list(ranks)),
    )
    found = []
    for row in rows:
        if (root and row["parent_id"] in ranks) or (
            parent is not None and row["parent_id"] != parent
        ):
            continue
        folder = _folder(row)
        folder.shared, folder.role, folder.owner = (
            True,
            access.ROLES[ranks[row["id"]] - 1],
            Owner(row["uuid"], row["username"]),
        )
        found.append((row["name_key"], folder))
    return found


def _hide(
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
        folder.file_count -= hidden[folder.id]
        folder.shared = not own
        if not own and folder.parent_id not in granted:
            folder.parent_id = None


def is_general(found: sqlite3.Row) -> bool:
    """Say whether this is the folder that every workspace has."""
    return found["parent_id"] is None and found["name_key"] == fold(folder_rows.GENERAL)


def _require_movable(found: sqlite3.Row) -> None:
    if is_general(found):
        raise Forbidden("The folder General cannot be renamed or moved.")


def _require_place(tx: Tx, me: Caller, found: sqlite3.Row, parent: int | None) -> None:
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
    target = access.folder(tx, me, parent, "editor", field="parentId")
    if target["owner_id"] != found["owner_id"]:
        raise Invalid("parentId must be a folder of the same owner.", field="parentId")
    below = folder_rows.subtree(tx, found["id"])
    if parent in below:
        raise Invalid("A folder cannot be moved into itself or below itself.", field="parentId")
    height = (
        max(len(folder_rows.ancestry(tx, id_)) for id_ in below)
        - len(folder_rows.ancestry(tx, found["id"]))
        + 1
    )
    if len(folder_rows.ancestry(tx, parent)) + height > paths.DEEPEST:
        raise Invalid(
            f"A folder must not lie deeper than {paths.DEEPEST} levels.", field="parentId"
        )
