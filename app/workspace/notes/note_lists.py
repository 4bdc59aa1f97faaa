"""Lists of notes: pages of a folder, of the root or of all below, pinned ones first."""

import sqlite3
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Line, Most, NameOrPath, Offset, Record, Tags
from app.core.text import fold_name
from app.workspace.folders import access, folder_rows, folders, workspace_counters
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import note_tags
from app.workspace.notes.notes import FolderName

Sort = Literal["updatedAt", "createdAt", "title"]
Order = Literal["asc", "desc"]
COLUMNS: dict[str, str] = {
    "updatedAt": "n.updated_at",
    "createdAt": "n.created_at",
    "title": "n.title COLLATE NOCASE",
}
WHOLE = {"createdAt": "notes_by_creation", "title": "notes_by_title"}
"""What lists the whole workspace: to sort in the index alone is four times as fast as in the rows,
among whose texts it would look. The last changed have an index that needs no sorting.
"""
ITEM = (
    "n.id, n.title, n.word_count, n.pinned, n.tags, n.created_at, n.updated_at, "
    "n.folder_id, n.revision"
)


class NoteItem(Record):
    """A note without its text."""

    id: int
    title: str
    word_count: int
    pinned: bool
    tags: Tags
    created_at: str
    updated_at: str
    folder_id: int | None
    revision: int


class NoteList(Record):
    """`totalNotes` counts all matches, `limited` says that there are more beyond this page."""

    folder: FolderName
    notes: list[NoteItem]
    total_notes: int
    limited: bool


class Page(msgspec.Struct, frozen=True):
    """Which part of a list is wanted, and in which order."""

    limit: int
    offset: int
    sort: str
    order: str

    @property
    def order_by(self) -> str:
        """Return the ORDER BY terms; ties go by id."""
        return f"{COLUMNS[self.sort]} {self.order}, n.id {self.order}"


@operation(
    "GET /os/notes",
    scope="os.notes:read",
    http=Http(
        refuses={"folderName": "both it and folderId are given, or it names several folders"},
        steady=(),
    ),
    tool=Tool(risk="R"),
)
async def list_notes(
    app: App,
    me: Caller,
    *,
    folder_id: Id | None = None,
    folder_name: NameOrPath | None = None,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
    sort: Sort = "updatedAt",
    order: Order = "desc",
    tag: Annotated[str, Line(1, 65)] | None = None,
    recursive: bool = False,
) -> NoteList:
    """List the notes of one folder, or of the root, without their text.

    With recursive those of the folders below too.
    """
    page = Page(limit, offset, sort, order)
    if tag is None and not recursive and folder_name is None:
        # By the index of its folder this takes the same time however many notes there are.
        return app.quick(_list_page, me, folder_id, None, page, None, recursive=False)
    return await app.read(_list_page, me, folder_id, folder_name, page, tag, recursive=recursive)


@operation("PAGE", scope="os.notes:read", effect="read")
async def list_all_notes(
    app: App,
    me: Caller,
    *,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
    sort: Sort = "updatedAt",
    order: Order = "desc",
    tag: Annotated[str, Line(1, 65)] | None = None,
) -> NoteList:
    """List what somebody has written, in whatever folder: all but the policies of share links,
    which are made by themselves and found in their folder.
    """
    me = app.quick(access.hide_policy_notes, me)
    page = Page(limit, offset, sort, order)
    return await app.read(_list_page, me, None, None, page, tag, recursive=True)


def _list_page(
    tx: Tx,
    me: Caller,
    folder_id: int | None,
    folder_name: str | None,
    page: Page,
    tag: str | None,
    *,
    recursive: bool,
) -> NoteList:
    """Return a page of any list."""
    folder = folders.find_by_name_or_id(tx, me, folder_id, folder_name)
    if folder is None and me.owns != me.user:
        return _list_grant_page(tx, me, page, tag, recursive=recursive)
    if tag is None and not recursive:
        return _list_folder(tx, me, folder, page)
    # Counting would read every note; these two lists have counters.
    if tag is None and folder is None:
        rows = _pinned_first(
            tx,
            "n.owner_id = :owner" + access.unhidden_condition(me),
            page,
            index=WHOLE.get(page.sort),
            owner=me.owns,
        )
        return _note_list(
            folder,
            rows,
            workspace_counters.workspace_counts(tx, me.owns).notes
            - access.hidden_by_folder(tx, me).total(),
            page,
        )
    where, params = _filter(tx, me, folder, tag, recursive=recursive)
    return _list_and_count(tx, folder, where + access.unhidden_condition(me), params, page)


def _list_grant_page(
    tx: Tx, me: Caller, page: Page, tag: str | None, *, recursive: bool
) -> NoteList:
    """Return a page for a caller whose grant reaches but a part.

    Its only note, or with `recursive` those in its folders, whose root holds none.
    """
    where = "n.owner_id = :owner" + access.unhidden_condition(me)
    params: dict[str, Any] = {"owner": me.user}
    if access.sees_one_note(me) and me.reach is not None:
        where, params["only"] = f"{where} AND n.id = :only", me.reach.note
    else:
        where, params["ids"] = (
            f"{where} AND n.folder_id IN ({IN_LIST})",
            id_list(list(access.shared_folders(tx, me)) if recursive else []),
        )
    found = _list_and_count(tx, None, *_with_tag(where, params, tag), page)
    if access.sees_one_note(me):
        for note in found.notes:
            note.folder_id = None
    return found


def _list_and_count(
    tx: Tx, folder: sqlite3.Row | None, where: str, params: dict[str, Any], page: Page
) -> NoteList:
    """Return a page of what a condition holds for, counting all of it."""
    total = tx.value(f"SELECT count(*) FROM notes n WHERE {where} AND n.trash_id IS NULL", **params)
    rows = tx.all(
        f"SELECT {ITEM} FROM notes n WHERE {where} AND n.trash_id IS NULL "
        f"ORDER BY n.pinned DESC, {page.order_by} LIMIT :limit OFFSET :offset",
        limit=page.limit,
        offset=page.offset,
        **params,
    )
    return _note_list(folder, rows, total, page)


def _list_folder(tx: Tx, me: Caller, folder: sqlite3.Row | None, page: Page) -> NoteList:
    owner, place = (me.owns, None) if folder is None else (folder["owner_id"], folder["id"])
    total = (
        workspace_counters.workspace_counts(tx, me.owns).root_notes
        if folder is None
        else folder["note_count"]
    )
    rows = _pinned_first(
        tx,
        "n.owner_id = :owner AND n.folder_id IS :folder" + access.unhidden_condition(me),
        page,
        owner=owner,
        folder=place,
    )
    return _note_list(folder, rows, total - access.hidden_by_folder(tx, me)[place], page)


def _filter(
    tx: Tx, me: Caller, folder: sqlite3.Row | None, tag: str | None, *, recursive: bool
) -> tuple[str, dict[str, Any]]:
    """Return the SQL condition, with its parameters, for a tag or the folders below one."""
    where, params = (
        "n.owner_id = :owner",
        {"owner": me.owns if folder is None else folder["owner_id"]},
    )
    if folder is not None:
        where += f" AND n.folder_id IN ({IN_LIST})"
        params["ids"] = id_list(
            folder_rows.subtree_ids(tx, folder["id"]) if recursive else [folder["id"]]
        )
    elif not recursive:
        where += " AND n.folder_id IS NULL"
    return _with_tag(where, params, tag)


def _with_tag(where: str, params: dict[str, Any], tag: str | None) -> tuple[str, dict[str, Any]]:
    """Return the condition with a tag beside it, if one is asked for."""
    if tag is None:
        return where, params
    sql = (
        f"{where} AND n.id IN (SELECT note_id FROM note_tags "
        "WHERE owner_id = :owner AND tag_key = :tag)"
    )
    return sql, params | {"tag": fold_name(note_tags.without_hash(tag))}


def _pinned_first(
    tx: Tx, where: str, page: Page, *, index: str | None = None, **params: Any
) -> list[sqlite3.Row]:
    """Return a page straight from an index, which holds the pinned after the others.

    Downwards that is the order wanted; upwards the two parts are read one after the other.
    """
    if page.order == "desc":
        order = f"n.pinned DESC, {page.order_by}"
        return tx.all(
            _page_sql(where, order, index), limit=page.limit, offset=page.offset, **params
        )
    rows = tx.all(
        _page_sql(f"{where} AND n.pinned = 1", page.order_by, index),
        limit=page.limit,
        offset=page.offset,
        **params,
    )
    if len(rows) == page.limit:
        return rows
    # An offset beyond the pinned ones goes on among the others.
    skip = 0
    if page.offset and not rows:
        skip = page.offset - tx.value(
            f"SELECT count(*) FROM notes n WHERE {where} AND n.pinned = 1 AND n.trash_id IS NULL",
            **params,
        )
    return rows + tx.all(
        _page_sql(f"{where} AND n.pinned = 0", page.order_by, index),
        limit=page.limit - len(rows),
        offset=skip,
        **params,
    )


def _page_sql(where: str, order: str, index: str | None) -> str:
    """Return the SQL of a page of notes; with an index their order is found in that alone."""
    found = f"{where} AND n.trash_id IS NULL"
    page = f"ORDER BY {order} LIMIT :limit OFFSET :offset"
    if index is None:
        return f"SELECT {ITEM} FROM notes n WHERE {found} {page}"
    ids = f"SELECT n.id FROM notes n INDEXED BY {index} WHERE {found} {page}"
    return f"SELECT {ITEM} FROM notes n WHERE n.id IN ({ids}) ORDER BY {order}"


def _note_list(
    folder: sqlite3.Row | None, rows: list[sqlite3.Row], total: int, page: Page
) -> NoteList:
    name = FolderName(None, "/") if folder is None else FolderName(folder["id"], folder["name"])
    notes = [
        NoteItem(
            id_, title, words, pinned == 1, msgspec.Raw(tags), created, updated, folder_id, revision
        )
        for id_, title, words, pinned, tags, created, updated, folder_id, revision in rows
    ]
    return NoteList(name, notes, total, page.offset + len(rows) < total)
