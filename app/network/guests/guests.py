"""The guest endpoint: what a share link opens, a session's messages, and asking the agent."""

import sqlite3
from typing import Annotated, Literal

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.grant_scope import Access
from app.core.limits import RateLimit
from app.core.line_stream import Lines
from app.core.operation import operation
from app.core.schema import Id, Line, NonBlankText, Offset, Record
from app.errors import RateLimited, Unauthorized, Unavailable
from app.network.grants.share_rows import Link
from app.network.grants.share_terms import capabilities_of
from app.network.guests import guest_rows, guest_turns
from app.network.guests.guest_turns import GuestAnswer, Visit
from app.network.messages import senders
from app.tools.approvals import stop_switch

MOST_READ = 200
NOTES_SCOPES = {"all": "all_notes", "folders": "folders", "note_only": "note"}

Token = Annotated[str, Meta(min_length=1, max_length=64)]
SessionKey = Annotated[str, Meta(min_length=1, max_length=64)]
Message = Annotated[str, Meta(min_length=1, max_length=4000), NonBlankText()]


class GuestCapabilities(Record):
    notes_scope: str
    notes_access: Access
    calendar_read: bool
    calendar_write: bool


class Behind(Record):
    """What is behind a share link."""

    agent_name: str
    owner_name: str
    capabilities: GuestCapabilities
    message_limit: int
    require_sign_in: bool


class GuestMessage(Record):
    id: int
    role: Literal["user", "assistant"]
    content: str
    created_at: str


class GuestMessages(Record):
    messages: list[GuestMessage]


@operation("COMMAND", category="guests", effect="read")
def look_behind_link(tx: Tx, me: Caller, *, token: Token) -> Behind:
    """Say what is behind a share link; no session is made."""
    link = guest_turns.require_open_link(tx, token)
    owner, can = (
        senders.require_person_of_row(tx, link.owner),
        capabilities_of(link.terms, link.note_id),
    )
    found = GuestCapabilities(
        "note" if link.note_id is not None else NOTES_SCOPES[link.terms.scope],
        link.terms.notes_access,
        can.calendar != "none",
        can.calendar == "write",
    )
    return Behind(
        senders.agent_name(tx, owner),
        owner.name,
        found,
        guest_turns.MESSAGE_LIMIT,
        link.require_sign_in,
    )


@operation("COMMAND", category="guests", effect="read")
async def read_guest_messages(
    app: App,
    me: Caller,
    *,
    token: Token,
    session_key: SessionKey,
    after: Offset = 0,
    guest: Id | None = None,
    address: str = "",
) -> GuestMessages:
    """Return the messages of a session after one, to whoever has the session's key."""
    app.quick(guest_turns.require_open_link, token)
    _spend_rate(app.rates.guests, ("address", address))
    return await app.read(_read_messages, token, session_key, after, guest, app.rates.guests)


@operation("COMMAND", category="guests")
async def ask_as_guest(
    app: App,
    me: Caller,
    *,
    token: Token,
    message: Message,
    mode: Literal["agent"] = "agent",
    stream: bool = False,
    session_key: SessionKey | None = None,
    visitor_name: Annotated[str, Line(0, 80)] | None = None,
    guest: Id | None = None,
    address: str = "",
    agent: str = "",
) -> GuestAnswer | Lines:
    """Ask the agent behind a share link, in a session that goes on or in a new one.

    The answer comes whole, or as lines while it is made.

    `guest` is the row of the user who is signed in; `address` and `agent` tell visitors apart
    who are not.
    """
    # before the count: what leads nowhere takes nothing from those who have a link
    app.quick(guest_turns.require_open_link, token)
    _spend_rate(app.rates.guests, ("address", address))
    if stop_switch.is_stopped(app):
        raise Unavailable(guest_turns.STOPPED)
    # Checked by a read first: the write of a refused message would wait its turn for nothing.
    app.quick(_check_message, token, session_key, guest, app.rates.guests)
    visit = Visit(token, message, session_key, visitor_name or None, guest, (address, agent))
    asked = await app.write(guest_turns.begin_turn, visit)
    return await guest_turns.run_turn(app, asked, stream=stream)


def require_signed_in(link: Link, guest: int | None) -> None:
    """Raise Unauthorized where a link is for users of this server alone and nobody is signed in."""
    if link.require_sign_in and guest is None:
        raise Unauthorized("This link is for people with an account on this server; sign in first.")


def _read_messages(
    tx: Tx, token: str, key: str, after: int, guest: int | None, rate: RateLimit
) -> GuestMessages:
    session = _admit_guest(tx, token, key, guest, rate)
    rows = (
        []
        if session is None
        else guest_rows.list_after(tx, session["conversation_id"], after, limit=MOST_READ)
    )
    return GuestMessages([GuestMessage(*row) for row in rows])


def _check_message(tx: Tx, token: str, key: str | None, guest: int | None, rate: RateLimit) -> None:
    """Raise what speaks against a message before anything is written for it."""
    session = _admit_guest(tx, token, key, guest, rate)
    if session is not None:
        guest_turns.require_room(session)


def _admit_guest(
    tx: Tx, token: str, key: str | None, guest: int | None, rate: RateLimit
) -> sqlite3.Row | None:
    """Return a session, None for one that is to begin; raise what speaks against it."""
    link = guest_turns.require_open_link(tx, token)
    require_signed_in(link, guest)
    if key is None:
        return None
    session = guest_turns.require_session(tx, link, key, guest)
    _spend_rate(rate, ("session", session["id"]))
    return session


def _spend_rate(rate: RateLimit, key: object) -> None:
    if wait := rate.take_token(key).wait:
        raise RateLimited("Too many calls; wait a moment.", retryAfter=wait)
