"""The table of the trash: one entry for each thing that was deleted by itself.

What went with a folder carries the folder's entry.
"""

import sqlite3

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import encode
from app.workspace.folders import access


def add_entry(
    tx: Tx, me: Caller, *, owner: int, kind: str, item_id: int, title: str, path: str
) -> int:
    """Add an entry and return its id, which the rows of the thing get as their `trash_id`."""
    return tx.insert(
        "trash",
        owner_id=owner,
        kind=kind,
        item_id=item_id,
        title=title,
        path=path,
        trashed_at=tx.now,
        trashed_by=encode(me.actor).decode(),
        by_user=None if me.user == owner else me.user,
    )


def find_entry(tx: Tx, me: Caller, kind: str, item_id: int) -> sqlite3.Row | None:
    """Return the entry for a thing of the caller's own, or for one of another's that they put there
    and may bring back; None for any other.

    The entry of a note is also that of the folder with which it went.
    """
    row = tx.one(
        "SELECT * FROM trash WHERE kind = :kind AND item_id = :item", kind=kind, item=item_id
    )
    if row is None and kind != "todo":  # it may have gone with a folder
        table = "notes" if kind == "note" else "folders"
        row = tx.one(
            f"SELECT t.* FROM {table} x JOIN trash t ON t.id = x.trash_id WHERE x.id = :item",
            item=item_id,
        )
    allowed = row is not None and (row["owner_id"] == me.owns or may_restore(tx, me, row))
    return row if allowed else None


def restorable_entries(tx: Tx, me: Caller) -> list[int]:
    """Return the entries of others' things that the caller trashed and may bring back."""
    if me.reach is not None:
        return []
    return [
        row["id"]
        for row in tx.all("SELECT * FROM trash WHERE by_user = :me", me=me.user)
        if may_restore(tx, me, row)
    ]


def may_restore(tx: Tx, me: Caller, entry: sqlite3.Row) -> bool:
    """Return whether the caller put this thing of another's into the trash, and is still admin
    where it lay.
    """
    if entry["by_user"] != me.user or me.reach is not None or entry["kind"] == "todo":
        return False
    place = folder_of(tx, entry["kind"], entry["item_id"])
    return access.shared_rank(tx, me, place) >= access.RANKS["admin"]


def folder_of(tx: Tx, kind: str, item_id: int) -> int | None:
    """Return the folder in which a note or folder lies, or lay."""
    sql = (
        "SELECT folder_id FROM notes WHERE id = :id"
        if kind == "note"
        else "SELECT parent_id FROM folders WHERE id = :id"
    )
    found: int | None = tx.value(sql, id=item_id)
    return found


def delete_entry(tx: Tx, trash_id: int) -> None:
    """Delete an entry, once nothing carries its id any more."""
    tx.run("DELETE FROM trash WHERE id = :id", id=trash_id)


def raw_actor(text: str) -> msgspec.Raw:
    """Return a stored actor as it goes out."""
    return msgspec.Raw(text.encode())
