"""The table of share links, and the caller that a guest's turn is by one that is open."""

import functools
import sqlite3
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.schema import LARGEST_ID, encode
from app.network.grants import permission_object
from app.network.grants.permission_object import Permissions
from app.network.grants.share_terms import Terms, permissions_of
from app.workspace.folders import folder_rows

Status = Literal["active", "revoked", "expired"]
Target = Literal["agent", "note"]
AnsweredBy = Literal["agent", "local"]
GUEST = "Guest"
LONGEST_REF = 64
_EXPIRED_UNTOLD = "revoked_at IS NULL AND expires_at IS NOT told_expiry AND expires_at <= :now"
NO_NOTE = 0
"""The id of no note: what is narrowed to it reaches none. None would mean every note."""


class Link(NamedTuple):
    """A share link. Its token is shown wherever the link is, so it is kept as it is.

    Whoever has it may do what the link says, and no more.
    """

    id: int
    owner: int
    token: str
    label: str
    target: Target
    answered_by: AnsweredBy
    require_sign_in: bool
    note_id: int | None
    terms: Terms
    policy_note_id: int | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None

    def status(self, now: str) -> Status:
        """Return how the link stands at a moment."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


class OpenLink(msgspec.Struct, frozen=True):
    """A link that is neither revoked nor expired.

    Its owner's row number and what it grants; `note_id` of one that is for a note alone.
    """

    owner: int
    permissions: Permissions
    note_id: int | None = None
    expires_at: str | None = None
    id: int | None = None
    """Its row number, where what was granted by it follows it from then on."""


def add(
    tx: Tx,
    owner: int,
    *,
    label: str,
    target: Target,
    answered_by: AnsweredBy,
    require_sign_in: bool,
    note_id: int | None,
    terms: Terms,
    expires_at: str | None,
) -> Link:
    """Make a link with a new token."""
    made = tx.insert(
        "share_links",
        owner_id=owner,
        token=random_tokens.new_link_token(),
        label=label,
        target=target,
        answered_by=answered_by,
        require_sign_in=int(require_sign_in),
        note_id=note_id,
        terms=encode(terms).decode(),
        created_at=tx.now,
        expires_at=expires_at,
    )
    return _require_by_id(tx, made)


def set_policy_note(tx: Tx, link: Link, note_id: int) -> Link:
    """Note which note holds the policy of a link."""
    tx.update("share_links", {"id": link.id}, policy_note_id=note_id)
    return link._replace(policy_note_id=note_id)


def update(tx: Tx, link: Link) -> None:
    """Store a link as it is now."""
    tx.update(
        "share_links",
        {"id": link.id, "owner_id": link.owner},
        label=link.label,
        target=link.target,
        answered_by=link.answered_by,
        require_sign_in=int(link.require_sign_in),
        note_id=link.note_id,
        terms=encode(link.terms).decode(),
        expires_at=link.expires_at,
    )


def revoke(tx: Tx, link: Link) -> None:
    """Close a link for good."""
    tx.update("share_links", {"id": link.id, "owner_id": link.owner}, revoked_at=tx.now)


def any_expired_untold(tx: Tx) -> bool:
    """Return whether the time of a link is over of which nobody was told that."""
    return (
        tx.one(f"SELECT 1 FROM share_links WHERE {_EXPIRED_UNTOLD} LIMIT 1", now=tx.now) is not None
    )


def take_expired(tx: Tx) -> list[Link]:
    """Return the links whose time is over, each once; one that is prolonged can come again."""
    rows = tx.all(
        f"UPDATE share_links SET told_expiry = expires_at WHERE {_EXPIRED_UNTOLD} RETURNING *",
        now=tx.now,
    )
    return [_link_of_row(row) for row in rows]


def find_own(tx: Tx, owner: int, ref: str) -> Link | None:
    """Return a user's link by its id or its token, however it stands; None for any other."""
    # A token may consist of digits only, so what is no id of one's own is looked for as a token
    # too.
    by_id = len(ref) <= len(str(LARGEST_ID)) and ref.isascii() and ref.isdecimal()
    for column, value in (("id", int(ref) if by_id else None), ("token", ref[:LONGEST_REF])):
        row = tx.one(
            f"SELECT * FROM share_links WHERE {column} = :value AND owner_id = :owner",
            value=value,
            owner=owner,
        )
        if row is not None:
            return _link_of_row(row)
    return None


def list_page(
    tx: Tx, owner: int, status: str, *, limit: int, offset: int = 0
) -> tuple[list[Link], int]:
    """Return a user's links of a status, newest first, and how many there are.

    `kept` is every link that is not revoked.
    """
    condition = {
        "active": "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)",
        "revoked": "revoked_at IS NOT NULL",
        "all": "1",
        "kept": "revoked_at IS NULL",
    }[status]
    where = f"FROM share_links WHERE owner_id = :owner AND {condition}"
    total: int = tx.value(f"SELECT count(*) {where}", owner=owner, now=tx.now)
    rows = tx.all(
        f"SELECT * {where} ORDER BY id DESC LIMIT :limit OFFSET :offset",
        owner=owner,
        now=tx.now,
        limit=limit,
        offset=offset,
    )
    return [_link_of_row(row) for row in rows], total


def open_by_token(tx: Tx, token: str) -> Link | None:
    """Return the link of a token while it is open; None if unknown, revoked or expired."""
    return _if_active(
        tx, tx.one("SELECT * FROM share_links WHERE token = :token", token=token[:LONGEST_REF])
    )


def is_open(tx: Tx, link: int) -> bool:
    """Return whether a link is neither revoked nor expired."""
    return _open_by_id(tx, link) is not None


def open_link_to_connect(tx: Tx, token: str) -> OpenLink | None:
    """Return what a link grants those who connect by it; None if it is not open or only shows a
    note.
    """
    return _as_grant(tx, open_by_token(tx, token))


def open_link_as_grant(tx: Tx, link_id: int) -> OpenLink | None:
    """Return what a link grants now to those who have connected by it; None once it is closed."""
    return _as_grant(tx, _open_by_id(tx, link_id))


def _open_by_id(tx: Tx, link_id: int) -> Link | None:
    return _if_active(tx, tx.one("SELECT * FROM share_links WHERE id = :id", id=link_id))


def _if_active(tx: Tx, row: sqlite3.Row | None) -> Link | None:
    link = None if row is None else _link_of_row(row)
    return link if link is not None and link.status(tx.now) == "active" else None


def _as_grant(tx: Tx, link: Link | None) -> OpenLink | None:
    if link is None or link.target == "note":
        return None
    return OpenLink(
        link.owner, permissions_of(link.terms), _single_note(tx, link), link.expires_at, link.id
    )


def _single_note(tx: Tx, link: Link) -> int | None:
    """Return the one note that a link is for; NO_NOTE if it was moved out of the link's folders."""
    if (
        link.note_id is None
        or link.terms.scope != "folders"
        or lies_in(tx, link.owner, link.note_id, link.terms.folder_ids)
    ):
        return link.note_id
    return NO_NOTE


def lies_in(tx: Tx, owner: int, note_id: int, folder_ids: Sequence[int]) -> bool:
    """Return whether a live note of the owner's lies in one of the folders, or below one."""
    note = tx.one(
        "SELECT folder_id FROM notes WHERE id = :id AND owner_id = :owner AND trash_id IS NULL",
        id=note_id,
        owner=owner,
    )
    return note is not None and not {
        row["id"] for row in folder_rows.ancestors(tx, note["folder_id"])
    }.isdisjoint(folder_ids)


def guest_caller(tx: Tx, link: int, name: str = GUEST) -> Caller | None:
    """Return the caller as which guests of a link are answered, who reaches what the link opens
    and nothing else; None when it is not open.
    """
    if (found := _open_by_id(tx, link)) is None:
        return None
    owner = tx.require_row("SELECT id, uuid, username FROM users WHERE id = :id", id=found.owner)
    return permission_object.caller_for(
        tx,
        owner,
        permissions_of(found.terms),
        kind="guest",
        name=name,
        credential=found.id,
        note_id=_single_note(tx, found),
        renew=functools.partial(guest_caller, link=link, name=name),
    )


def caller_behind(tx: Tx, escalation: sqlite3.Row) -> Caller | None:
    """Return the guest that asked for what an escalation holds, as the link is now.

    None when it is not open any more.
    """
    found = guest_caller(tx, escalation["credential"], escalation["credential_name"] or GUEST)
    return found if found is not None and found.user == escalation["user_id"] else None


def _require_by_id(tx: Tx, id_: int) -> Link:
    return _link_of_row(tx.require_row("SELECT * FROM share_links WHERE id = :id", id=id_))


def _link_of_row(row: sqlite3.Row) -> Link:
    terms = msgspec.json.decode(row["terms"], type=Terms)
    return copy_fields(
        Link, row, owner=row["owner_id"], require_sign_in=row["require_sign_in"] == 1, terms=terms
    )
