"""Who may do what in which folder: the owner everything, others what a folder share's role allows."""

import sqlite3
from typing import Literal

from app.core.caller import Caller
from app.core.tx import Tx
from app.errors import Forbidden, NotFound
from app.workspace import folder_rows

Role = Literal["viewer", "writer", "editor", "admin"]
Least = Literal["viewer", "writer", "editor", "admin", "owner"]
RANKS: dict[str, int] = {"viewer": 1, "writer": 2, "editor": 3, "admin": 4, "owner": 5}
ROLES = tuple(RANKS)
ROLE_RANK = "CASE role WHEN 'viewer' THEN 1 WHEN 'writer' THEN 2 WHEN 'editor' THEN 3 WHEN 'admin' THEN 4 END"


def folder(tx: Tx, me: Caller, folder_id: int, least: Least = "viewer", *, field: str = "folderId") -> sqlite3.Row:
    """Give a live folder in which the caller has at least that role; raise NotFound if it is unreadable, else Forbidden."""
    found = folder_rows.get(tx, folder_id)
    held = 0 if found is None else rank(tx, me, found)
    if found is None or held == 0:
        raise NotFound("There is no such folder.", field=field)
    demand(held, least)
    return found


def note(tx: Tx, me: Caller, note_id: int, least: Least = "viewer", *, columns: str = "*") -> sqlite3.Row:
    """Give a live note on which the caller has at least that role; `columns` must hold owner_id and folder_id."""
    found = tx.one(f"SELECT {columns} FROM notes WHERE id = :id AND trash_id IS NULL", id=note_id)
    if found is None:
        raise NotFound("There is no such note.")
    if found["owner_id"] != me.user:
        held = shared_rank(tx, me, found["folder_id"])
        if held == 0:
            raise NotFound("There is no such note.")
        demand(held, least)
    return found


def rank(tx: Tx, me: Caller, found: sqlite3.Row) -> int:
    """Give the rank of the caller's role in a folder: 5 for the owner, 0 for none."""
    return RANKS["owner"] if found["owner_id"] == me.user else shared_rank(tx, me, found["id"])


def shared_rank(tx: Tx, me: Caller, folder_id: int | None) -> int:
    """Give the highest rank that shares of a folder or those above it give the caller; 0 for none."""
    if folder_id is None:
        return 0
    held: int | None = tx.value(
        f"""WITH RECURSIVE up (id, parent_id) AS (SELECT id, parent_id FROM folders WHERE id = :id UNION ALL
                SELECT f.id, f.parent_id FROM folders f JOIN up ON f.id = up.parent_id)
            SELECT max({ROLE_RANK}) FROM up JOIN folder_shares s ON s.folder_id = up.id AND s.user_id = :me""",
        id=folder_id, me=me.user,
    )  # fmt: skip
    return held or 0


def demand(held: int, least: Least) -> None:
    """Raise Forbidden, naming the role that is held, unless it reaches `least`."""
    if held < RANKS[least]:
        role = ROLES[held - 1]
        raise Forbidden(f"In this shared folder you are {role}; this needs the role {least}.", role=role)


def path(tx: Tx, me: Caller, folder_id: int) -> str:
    """Give a readable folder's path without a leading slash; of what is shared it begins at the highest folder the caller may read."""
    above = folder_rows.ancestry(tx, folder_id)
    if folder_rows.sure(tx, folder_id)["owner_id"] == me.user:
        return "/".join(row["name"] for row in above)
    return "/".join(row["name"] for row in above if shared_rank(tx, me, row["id"]))


def has_shares(tx: Tx, me: Caller) -> bool:
    """Say whether others share folders with the caller."""
    return tx.one("SELECT 1 FROM folder_shares WHERE user_id = :me LIMIT 1", me=me.user) is not None


def shared_folders(tx: Tx, me: Caller) -> dict[int, int]:
    """Give the live folders of others that the caller may read, with the rank of the role in each."""
    rows = tx.all(
        f"""WITH RECURSIVE down (id, rank) AS (
                SELECT s.folder_id, {ROLE_RANK} FROM folder_shares s JOIN folders f ON f.id = s.folder_id
                WHERE s.user_id = :me AND f.trash_id IS NULL
                UNION SELECT f.id, d.rank FROM folders f JOIN down d ON f.parent_id = d.id WHERE f.trash_id IS NULL)
            SELECT id, max(rank) AS rank FROM down GROUP BY id""",
        me=me.user,
    )  # fmt: skip
    return {row["id"]: row["rank"] for row in rows}
