"""Creating folders, one by name or several by path."""

from typing import Annotated, NamedTuple

from msgspec import Meta

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Record, Title
from app.core.text import fold_name
from app.errors import Invalid
from app.workspace.folders import access, folder_rows, paths

# The agent's memory and the policies of links lie in these; a folder of that name which someone
# shares must not take their place.
ALWAYS_OWN = frozenset(map(fold_name, (folder_rows.GENERAL, "Memory", "Workspace")))


class PathStart(NamedTuple):
    """Where a path begins: whose folder, below which one, and the names that are still to be
    walked down.
    """

    owner: int
    folder_id: int | None
    names: list[str]


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
    segments = [name] if name is not None else paths.split_path(path or "", field="path")
    field, start = "name" if name is not None else "path", PathStart(me.owns, parent_id, segments)
    if parent_id is not None:
        start = start._replace(
            owner=access.require_folder(tx, me, parent_id, field="parentId")["owner_id"]
        )
    elif path is not None:
        start = start_of_path(tx, me, segments)
    require_depth(tx, start, field=field)
    leaf, made = ensure_path(tx, me, *start)
    row = folder_rows.require_live(tx, leaf)
    place = FolderPlace(row["id"], row["name"], row["parent_id"])
    message = f"Created {'/'.join(made)}." if made else "The folder exists already."
    return MadeFolder(
        "name" if name is not None else "path",
        access.readable_path(tx, me, row["id"]),
        place,
        made,
        message,
    )


def start_of_path(tx: Tx, me: Caller, names: list[str]) -> PathStart:
    """Return where a path begins: at the caller's own root or, where that has no such folder, at a
    folder of that name that is shared with them.

    Raise Invalid where several of that name are. What the caller's agent and links live by is
    always the caller's own.
    """
    own = PathStart(me.owns, None, names)
    if (
        not names
        or me.reach is not None
        or fold_name(names[0]) in ALWAYS_OWN
        or folder_rows.find_child(tx, me.owns, None, names[0]) is not None
    ):
        return own
    found = access.shared_top_folders(tx, me, fold_name(names[0]))
    if len(found) > 1:
        raise Invalid(
            f"{len(found)} folders called {names[0][:100]} are shared with you; use "
            "parentId or folderId to say which.",
            field="path",
        )
    return PathStart(found[0]["owner_id"], found[0]["id"], names[1:]) if found else own


def require_depth(tx: Tx, place: PathStart, *, field: str) -> None:
    """Raise Invalid where the path would lie too deep in its owner's tree."""
    if (
        place.folder_id is not None
        and len(folder_rows.ancestors(tx, place.folder_id)) + len(place.names) > paths.DEEPEST
    ):
        raise Invalid(f"A folder must not lie deeper than {paths.DEEPEST} levels.", field=field)


def ensure_path(
    tx: Tx, me: Caller, owner: int, parent_id: int | None, names: list[str]
) -> tuple[int | None, list[str]]:
    """Walk down `names`, making what is missing where the caller may.

    Return the leaf's id and the names that were made.
    """
    at = parent_id
    for position, name in enumerate(names):
        found = folder_rows.find_child(tx, owner, at, name)
        if found is None:
            if at is not None:  # in the root only the owner's own paths begin
                access.require_folder(tx, me, at, "editor")
            return folder_rows.ensure(tx, owner, at, names[position:])
        at = found["id"]
    return at, []
