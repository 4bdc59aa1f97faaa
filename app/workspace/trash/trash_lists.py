"""Listing what lies in the trash.

That is the caller's own things, what they deleted in shared folders as admin, and what is in a
trashed folder.
"""

import sqlite3
from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import operation
from app.core.schema import Id, Most, Offset, Record
from app.errors import NotFound
from app.workspace.folders import access, folder_rows, trash_rows

Kind = Literal["note", "todo", "folder"]
READ = ("os.notes:read", "os.todos:read")
WRITE = ("os.notes:write", "os.todos:write")


class TrashItem(Record):
    """A deleted thing; `path` is the folder it lay in, `purgeAt` when it goes for good."""

    kind: Kind
    id: int
    title: str
    path: str
    trashed_at: str
    trashed_by: Annotated[
        msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Actor"})
    ]
    purge_at: str


class TrashList(Record):
    items: list[TrashItem]
    total: int


@operation("GET /os/trash", scope=READ)
def list_trash(
    tx: Tx,
    me: Caller,
    *,
    kind: Kind | None = None,
    folder_id: Id | None = None,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> TrashList:
    """List what lies in the trash, newest first; with `folderId` what is in that trashed folder.

    Each note of it can come back alone.
    """
    kinds = allowed_kinds(me, kind, "read")
    if folder_id is not None:
        return _list_inside(tx, me, folder_id, kinds, limit, offset)
    theirs = trash_rows.restorable_entries(tx, me)
    others = folder_rows.id_list(theirs)
    # With the OR the index no longer gives the order, so those without such things go without it.
    whose = f"(owner_id = :me OR id IN ({folder_rows.IN_LIST}))" if theirs else "owner_id = :me"
    where = f"{whose} AND kind IN (SELECT value FROM json_each(:kinds))"
    total = tx.value(
        f"SELECT count(*) FROM trash WHERE {where}", me=me.owns, ids=others, kinds=kinds
    )
    rows = tx.all(
        f"SELECT * FROM trash WHERE {where} ORDER BY id DESC LIMIT :limit OFFSET :offset",
        me=me.owns,
        ids=others,
        kinds=kinds,
        limit=limit,
        offset=offset,
    )
    return TrashList([_trash_item_of_row(tx, me, row) for row in rows], total)


def allowed_kinds(me: Caller, kind: str | None, right: str) -> str:
    """Return the kinds that the credential may see in the trash, or change, as the JSON list that
    the SQL reads.
    """
    scopes = {"note": "os.notes", "todo": "os.todos", "folder": "os.notes"}
    if kind is not None:
        me.require((f"{scopes[kind]}:{right}",))
    allowed = [
        one
        for one, scope in scopes.items()
        if kind in (None, one) and me.may((f"{scope}:{right}",))
    ]
    return msgspec.json.encode(allowed).decode()


def require_entry(tx: Tx, me: Caller, kind: str, item_id: int) -> sqlite3.Row:
    """Return the entry under which a thing lies in the trash, for one who may change it."""
    allowed_kinds(me, kind, "write")
    entry = trash_rows.find_entry(tx, me, kind, item_id)
    if entry is None:
        raise NotFound(f"There is no such {kind} in the trash.", field="id")
    return entry


def _trash_item_of_row(tx: Tx, me: Caller, row: sqlite3.Row) -> TrashItem:
    path = row["path"]
    if row["owner_id"] != me.owns:
        path = access.shared_path(tx, me, trash_rows.folder_of(tx, row["kind"], row["item_id"]))
    return _trash_item(tx, row, row["kind"], row["item_id"], row["title"], path)


def _trash_item(
    tx: Tx, entry: sqlite3.Row, kind: Kind, id_: int, title: str, path: str
) -> TrashItem:
    days = timedelta(days=users.settings_of(tx, entry["owner_id"]).trash_days)
    purge_at = stamp(datetime.fromisoformat(entry["trashed_at"]) + days)
    return TrashItem(
        kind,
        id_,
        title,
        path,
        entry["trashed_at"],
        trash_rows.raw_actor(entry["trashed_by"]),
        purge_at,
    )


def _list_inside(
    tx: Tx, me: Caller, folder_id: int, kinds: str, limit: int, offset: int
) -> TrashList:
    """Return the folders and notes that went into the trash with a folder and lie below it."""
    entry = trash_rows.find_entry(tx, me, "folder", folder_id)
    if entry is None:
        raise NotFound("There is no such folder in the trash.", field="folderId")
    listed = f"""{_BELOW}, things (kind, id, title, place) AS (
        SELECT 'folder', f.id, f.name, f.parent_id FROM folders f JOIN down USING (id)
          WHERE f.id <> :folder
        UNION ALL SELECT 'note', n.id, n.title, n.folder_id FROM notes n
          JOIN down ON down.id = n.folder_id WHERE n.trash_id = :entry)"""
    where = "FROM things WHERE kind IN (SELECT value FROM json_each(:kinds))"
    params = {"folder": folder_id, "entry": entry["id"], "kinds": kinds}
    total = tx.value(f"{listed} SELECT count(*) {where}", **params)
    rows = tx.all(
        f"{listed} SELECT * {where} ORDER BY kind, title, id LIMIT :limit OFFSET :offset",
        limit=limit,
        offset=offset,
        **params,
    )
    # To another admin the path begins where the share does.
    path = (
        folder_rows.folder_path
        if entry["owner_id"] == me.owns
        else lambda tx, place: access.shared_path(tx, me, place)
    )
    return TrashList(
        [
            _trash_item(tx, entry, row["kind"], row["id"], row["title"], path(tx, row["place"]))
            for row in rows
        ],
        total,
    )


_BELOW = """WITH RECURSIVE down (id) AS (
    SELECT :folder UNION SELECT f.id FROM folders f JOIN down d ON f.parent_id = d.id
      WHERE f.trash_id = :entry)"""
