"""What stands beside a note: the tree of folders, and the list that it was opened from."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person
from app.interfaces.home.notes.folder_tree import FolderTree
from app.interfaces.pages.forms import value_of
from app.interfaces.pages.visit import Visit, as_number

PAGE = 30
ALL = "all"
ROOT = "root"
SORTS = {"": ("updatedAt", "desc"), "created": ("createdAt", "desc"), "title": ("title", "asc")}


class Listing(NamedTuple):
    """Which notes are listed: `place` is `all`, `root` or a folder's id."""

    place: str = ALL
    tag: str = ""
    sort: str = ""
    page: int = 1

    @property
    def folder(self) -> int | None:
        """The folder that is listed; None for none."""
        return as_number(self.place)

    def address(self, **other: Any) -> str:
        """Return the address of this list, or of it with something changed."""
        now = self._replace(**{"page": 1, **other})
        here = f"/notes/folder/{now.place}" if now.folder is not None else "/notes"
        return _with(here, place=ROOT if now.place == ROOT else "", now=now)

    def note(self, note_id: int) -> str:
        """Return the address of a note that is opened from this list."""
        return _with(f"/notes/{note_id}", place=self.place, now=self)


class Row(NamedTuple):
    """A note in the list; `changes`: the reader may do more with it than read."""

    id: int
    title: str
    text: str
    changed: str
    pinned: bool
    tags: list[str]
    place: str
    changes: bool


def listing_of(visit: Visit, place: str) -> Listing:
    """Return the list that an address asks for; `place` where it names none."""
    query = visit.query_params
    asked = query.get("in", "")
    if asked not in (ALL, ROOT) and as_number(asked) is None:
        asked = place
    sort = query.get("sort", "")
    return Listing(
        asked,
        query.get("tag", "")[:65].strip(),  # one more than a tag has: a longer one fits none
        sort if sort in SORTS else "",
        visit.number_asked("page", 1),
    )


async def desk(person: Person, listing: Listing, tree: FolderTree | None = None) -> dict[str, Any]:
    """Return what the templates need for the tree and the list."""
    tree = await tree_of(person) if tree is None else tree
    if listing.folder is not None and listing.folder not in tree.by_id:
        listing = listing._replace(place=ALL)
    sort, order = SORTS[listing.sort]
    fields: dict[str, Any] = {"sort": sort, "order": order, "limit": PAGE}
    fields["offset"] = (max(listing.page, 1) - 1) * PAGE
    if listing.tag:
        fields["tag"] = listing.tag
    if listing.folder is not None:
        fields["folderId"] = listing.folder
    if listing.place == ALL:
        found = await person.call("list_all_notes", **fields)
    else:
        is_above = listing.folder is not None and listing.folder in tree.below
        found = await person.call("list_notes", recursive=is_above, **fields)
    return {
        "tree": tree,
        "branches": tree.branches(listing.folder),
        "listing": listing,
        "rows": await _rows(person, found.notes, listing, tree),
        "total": found.total_notes,
        "pages": -(-found.total_notes // PAGE),
        "folder": tree.by_id.get(listing.folder) if listing.folder is not None else None,
        "folder_role": tree.role(listing.folder),
        "loose": (await person.call("list_notes", limit=1)).total_notes,
        "tags": await used_tags(person),
    }


async def tree_of(person: Person) -> FolderTree:
    """Return the tree of the folders that somebody may read."""
    return FolderTree((await person.call("list_folders")).folders)


async def used_tags(person: Person) -> list[str]:
    """Return the tags that somebody used last."""
    found = await person.call("find_by_name", kinds="tag", limit=50)
    return [one.title for one in found.results]


def tags_of(raw: Any) -> list[str]:
    """Return the tags of a record."""
    return msgspec.json.decode(raw, type=list[str])


async def _rows(person: Person, notes: Any, listing: Listing, tree: FolderTree) -> list[Row]:
    begun = await person.call("list_beginnings", ids=[note.id for note in notes])
    texts = {one.id: one.text for one in begun.beginnings}
    return [
        Row(
            note.id,
            note.title,
            excerpt(texts.get(note.id, ""), title=note.title),
            note.created_at if listing.sort == "created" else note.updated_at,
            note.pinned,
            tags_of(note.tags),
            tree.path(note.folder_id) if note.folder_id != listing.folder else "",
            tree.role(note.folder_id) != "viewer",
        )
        for note in notes
    ]


def _with(address: str, *, place: str, now: Listing) -> str:
    asked = {
        "in": place,
        "tag": now.tag,
        "sort": now.sort,
        "page": str(now.page) if now.page > 1 else "",
    }
    given = {name: value for name, value in asked.items() if value}
    return f"{address}?{urlencode(given)}" if given else address


async def chosen_folder(person: Person, form: list[tuple[str, str]]) -> str:
    """Return the folder that a form puts notes into, made where it names a new one; empty for
    none.
    """
    if path := value_of(form, "path").strip("/ "):
        return str((await person.call("create_folder", path=path)).folder.id)
    return value_of(form, "folder")
