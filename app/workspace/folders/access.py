"""Who may do what in which folder.

The owner everything, others what a folder share's role allows, and a grant's caller what the grant
says.

To a caller with a reach the folders of its grant are like folders that are shared with it, and
nothing else that is shared counts.
"""

import dataclasses
import sqlite3
from collections import Counter
from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import Forbidden, NotFound
from app.workspace.folders import folder_rows
from app.workspace.folders.folder_rows import IN_LIST, id_list

Role = Literal["viewer", "writer", "editor", "admin"]
Least = Literal["viewer", "writer", "editor", "admin", "owner"]
RANKS: dict[str, int] = {"viewer": 1, "writer": 2, "editor": 3, "admin": 4, "owner": 5}
ROLES = tuple(RANKS)
ROLE_RANK = (
    "CASE role WHEN 'viewer' THEN 1 WHEN 'writer' THEN 2 WHEN 'editor' THEN 3 WHEN "
    "'admin' THEN 4 END"
)


def require_folder(
    tx: Tx, me: Caller, folder_id: int, least: Least = "viewer", *, field: str = "folderId"
) -> sqlite3.Row:
    """Return a live folder in which the caller has at least that role.

    Raise NotFound if it is unreadable, else Forbidden.
    """
    found = folder_rows.find_live(tx, folder_id)
    held = 0 if found is None else folder_rank(tx, me, found)
    if found is None or held == 0:
        raise NotFound("There is no such folder.", field=field)
    require_rank(held, least)
    return found


def require_note(
    tx: Tx, me: Caller, note_id: int, least: Least = "viewer", *, columns: str = "*"
) -> sqlite3.Row:
    """Return a live note on which the caller has at least that role.

    `columns` must hold owner_id and folder_id.
    """
    found = tx.one(f"SELECT {columns} FROM notes WHERE id = :id AND trash_id IS NULL", id=note_id)
    # Unreadable reads like missing: an id must not tell a stranger what exists.
    if found is None or note_id in me.withheld:
        raise NotFound("There is no such note.")
    if found["owner_id"] != me.owns or me.reach is not None:  # an owner's own needs no look
        held = note_rank(tx, me, note_id, owner=found["owner_id"], folder_id=found["folder_id"])
        if held == 0:
            raise NotFound("There is no such note.")
        require_rank(held, least)
    return found


def note_rank(tx: Tx, me: Caller, note_id: int, *, owner: int, folder_id: int | None) -> int:
    """Return the rank of the caller's role on a note: 5 for the owner, 0 for none.

    A grant lets its caller change notes only with `edit`.
    """
    if me.reach is None:
        return RANKS["owner"] if owner == me.owns else shared_rank(tx, me, folder_id)
    # A grant passes on what its giver owns, never what others have shared with the giver.
    if owner != me.user or note_id in me.reach.hidden:
        return 0
    if not (
        note_id == me.reach.note
        if sees_one_note(me)
        else owner == me.owns or shared_rank(tx, me, folder_id)
    ):
        return 0
    return RANKS["writer"] if may_edit(me) else RANKS["viewer"]


def may_edit(me: Caller) -> bool:
    """Return whether nothing in the grant behind the caller, if it is one's, speaks against
    changing notes that are there.
    """
    return me.reach is None or me.reach.access == "edit"


def sees_one_note(me: Caller) -> bool:
    """Return whether the caller may read a single note, so that where it lies is nothing they may
    know.
    """
    return me.reach is not None and me.reach.notes == "note_only"


def unhidden_condition(me: Caller) -> str:
    """Return the SQL that leaves out of notes called n what the caller is not shown wherever it
    lies.
    """
    return f" AND n.id NOT IN ({', '.join(map(str, sorted(me.hidden)))})" if me.hidden else ""


def policy_notes(tx: Tx, owner: int) -> frozenset[int]:
    """Return the notes that hold the policies of an owner's links.

    Their titles end in the links' tokens, and are secrets therefore.
    """
    rows = tx.all(
        "SELECT policy_note_id FROM share_links "
        "WHERE owner_id = :owner AND policy_note_id IS NOT NULL",
        owner=owner,
    )
    return frozenset(row[0] for row in rows)


def hide_policy_notes(tx: Tx, me: Caller) -> Caller:
    """Return the caller as searches and agents are to see for it.

    Without the policies of its links, whose titles they would quote to others.
    """
    if me.reach is not None or me.withheld or not (found := policy_notes(tx, me.user)):
        return me
    return dataclasses.replace(me, withheld=found)


def without_link_tokens(tx: Tx, owner: int, text: str) -> str:
    """Return a text without the tokens of an owner's links."""
    tokens = tx.all(
        "SELECT token FROM share_links WHERE owner_id = :owner AND instr(:text, token) > 0",
        owner=owner,
        text=text,
    )
    for row in tokens:
        text = text.replace(row[0], "…")
    return text


def hidden_by_folder(tx: Tx, me: Caller) -> Counter[int | None]:
    """Return how many live notes the caller is not shown in each folder, None being the root."""
    hidden = me.hidden
    if not hidden:
        return Counter()
    rows = tx.all(
        f"SELECT folder_id FROM notes WHERE id IN ({IN_LIST}) AND trash_id IS NULL",
        ids=id_list(sorted(hidden)),
    )
    return Counter(row[0] for row in rows)


def root_owner(me: Caller) -> int:
    """Return whose root a note lies in that is in no folder.

    Raise Forbidden where the caller has none.
    """
    if me.owns != me.user:
        raise Forbidden(
            "The grant that this was asked by reaches only some folders; name one of them.",
            reason="not_granted",
        )
    return me.owns


def folder_rank(tx: Tx, me: Caller, found: sqlite3.Row) -> int:
    """Return the rank of the caller's role in a folder: 5 for the owner, 0 for none."""
    if found["owner_id"] != me.owns:
        return shared_rank(tx, me, found["id"])
    return RANKS["owner"] if me.reach is None else _granted_rank(me)


def shared_rank(tx: Tx, me: Caller, folder_id: int | None) -> int:
    """Return the highest rank that shares of a folder or those above it give the caller; 0 for
    none.
    """
    if folder_id is None:
        return 0
    if me.reach is not None:
        return _granted_rank(me) if _is_granted(tx, me, folder_id) else 0
    held: int | None = tx.value(
        f"""WITH RECURSIVE up (id, parent_id) AS (
                SELECT id, parent_id FROM folders WHERE id = :id UNION ALL
                SELECT f.id, f.parent_id FROM folders f JOIN up ON f.id = up.parent_id)
            SELECT max({ROLE_RANK}) FROM up JOIN folder_shares s ON s.folder_id = up.id
              AND s.user_id = :me""",
        id=folder_id,
        me=me.user,
    )
    return held or 0


def others_write(tx: Tx, folder_id: int | None) -> bool:
    """Return whether a folder is shared with somebody who may change notes in it."""
    return bool(
        tx.value(
            f"""WITH RECURSIVE up (id, parent_id) AS (
                    SELECT id, parent_id FROM folders WHERE id = :id UNION ALL
                    SELECT f.id, f.parent_id FROM folders f JOIN up ON f.id = up.parent_id)
                SELECT max({ROLE_RANK}) >= :writer FROM up
                  JOIN folder_shares s ON s.folder_id = up.id""",
            id=folder_id,
            writer=RANKS["writer"],
        )
    )


def require_rank(held: int, least: Least) -> None:
    """Raise Forbidden, naming the role that is held, unless it reaches `least`."""
    if held < RANKS[least]:
        role = ROLES[held - 1]
        raise Forbidden(
            f"In this shared folder you are {role}; this needs the role {least}.", role=role
        )


def readable_path(tx: Tx, me: Caller, folder_id: int) -> str:
    """Return a readable folder's path without a leading slash.

    Of what is shared it begins at the highest folder the caller may read.
    """
    if folder_rows.require_live(tx, folder_id)["owner_id"] == me.owns:
        return folder_rows.folder_path(tx, folder_id)
    return shared_path(tx, me, folder_id)


def has_shares(tx: Tx, me: Caller) -> bool:
    """Return whether others share folders with the caller."""
    if me.reach is not None:
        return bool(_grant_folder_ids(me))
    return tx.one("SELECT 1 FROM folder_shares WHERE user_id = :me LIMIT 1", me=me.user) is not None


def shared_folders(tx: Tx, me: Caller) -> dict[int, int]:
    """Return the live folders of others that the caller may read, with the rank of the role in
    each.
    """
    if me.reach is not None:
        return dict.fromkeys(_live_grant_folders(tx, me), _granted_rank(me))
    rows = tx.all(
        f"""WITH RECURSIVE down (id, rank) AS (
                SELECT s.folder_id, {ROLE_RANK} FROM folder_shares s
                  JOIN folders f ON f.id = s.folder_id
                WHERE s.user_id = :me AND f.trash_id IS NULL
                UNION SELECT f.id, d.rank FROM folders f JOIN down d ON f.parent_id = d.id
                  WHERE f.trash_id IS NULL)
            SELECT id, max(rank) AS rank FROM down GROUP BY id""",
        me=me.user,
    )
    return {row["id"]: row["rank"] for row in rows}


def shared_top_folders(tx: Tx, me: Caller, name_key: str) -> list[sqlite3.Row]:
    """Return the live folders of that name that others share with the caller, but for those that
    lie in another one that is shared.
    """
    rows = tx.all(
        """SELECT f.id, f.owner_id, f.parent_id FROM folder_shares s
           JOIN folders f ON f.id = s.folder_id
           WHERE s.user_id = :me AND f.name_key = :key AND f.trash_id IS NULL ORDER BY f.id""",
        me=me.user,
        key=name_key,
    )
    # A path begins at the highest shared folder; one below it has a path already.
    return [row for row in rows if not shared_rank(tx, me, row["parent_id"])]


def shared_path(tx: Tx, me: Caller, folder_id: int | None) -> str:
    """Return the path of a folder of another's, live or in the trash, from the highest folder on
    that the caller may read.
    """
    return "/".join(
        row["name"]
        for row in folder_rows.ancestors(tx, folder_id)
        if shared_rank(tx, me, row["id"])
    )


def _grant_folder_ids(me: Caller) -> frozenset[int]:
    """Return the folders that the grant behind the caller names."""
    return me.reach.folders if me.reach is not None and me.reach.notes == "folders" else frozenset()


def _granted_rank(me: Caller) -> int:
    """Return the rank in the folders of a grant: `write` and `edit` let notes be created there."""
    return RANKS["viewer"] if me.reach is None or me.reach.access == "read" else RANKS["editor"]


def _is_granted(tx: Tx, me: Caller, folder_id: int) -> bool:
    """Return whether a folder is one of the grant's, or lies below one."""
    named = _grant_folder_ids(me)
    if not named:
        return False
    found = folder_rows.find_live(tx, folder_id)
    if found is None or found["owner_id"] != me.user:
        return False
    return any(row["id"] in named for row in folder_rows.ancestors(tx, folder_id))


def _live_grant_folders(tx: Tx, me: Caller) -> list[int]:
    """Return the live folders of the grant, and those below them."""
    named = _grant_folder_ids(me)
    if not named:
        return []
    rows = tx.all(
        f"""WITH RECURSIVE down (id) AS (
                SELECT id FROM folders WHERE id IN ({folder_rows.IN_LIST}) AND owner_id = :owner
                  AND trash_id IS NULL
                UNION SELECT f.id FROM folders f JOIN down d ON f.parent_id = d.id
                  WHERE f.trash_id IS NULL)
            SELECT id FROM down ORDER BY id""",
        ids=folder_rows.id_list(list(named)),
        owner=me.user,
    )
    return [row["id"] for row in rows]
