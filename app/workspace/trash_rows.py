"""The table of the trash: one entry for each thing that was deleted by itself; what went with a folder carries the folder's entry."""

import sqlite3

import msgspec

from app.core.caller import Caller
from app.core.shapes import encode
from app.core.tx import Tx


def put(tx: Tx, me: Caller, *, owner: int, kind: str, item_id: int, title: str, path: str) -> int:
    """Add an entry and give its id, which the rows of the thing get as their `trash_id`."""
    made = tx.run(
        """INSERT INTO trash (owner_id, kind, item_id, title, path, trashed_at, trashed_by)
           VALUES (:owner, :kind, :item, :title, :path, :now, :by)""",
        owner=owner, kind=kind, item=item_id, title=title, path=path, now=tx.now, by=encode(me.actor).decode(),
    )  # fmt: skip
    return made.lastrowid or 0


def find(tx: Tx, me: Caller, kind: str, item_id: int) -> sqlite3.Row | None:
    """Give the caller's entry for a thing, or None."""
    return tx.one("SELECT * FROM trash WHERE owner_id = :me AND kind = :kind AND item_id = :item", me=me.owns, kind=kind, item=item_id)


def drop(tx: Tx, trash_id: int) -> None:
    """Delete an entry, once nothing carries its id any more."""
    tx.run("DELETE FROM trash WHERE id = :id", id=trash_id)


def decoded_actor(text: str) -> msgspec.Raw:
    """Give a stored actor as it goes out."""
    return msgspec.Raw(text.encode())
