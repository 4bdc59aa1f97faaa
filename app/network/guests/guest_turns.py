"""A guest's message and its answer.

The owner's agent answers, narrowed to what the link opens, or the owner's own machine does.
"""

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import AsyncIterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from app.agent.chat import chat
from app.agent.chat.chat import Begun, Wish
from app.agent.turn import conversation_rows, live_turn
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.line_stream import Lines
from app.core.schema import Record
from app.errors import (
    AppError,
    BudgetExceeded,
    MessageLimitReached,
    NotFound,
    RateLimited,
    Unavailable,
)
from app.network.grants import share_rows
from app.network.grants.share_rows import Link
from app.network.guests import guest_rows, policy_notes
from app.network.messages import agent_rpc, deliver_message, senders
from app.network.messages.senders import Person
from app.tools.approvals.call_origin import Origin

MESSAGE_LIMIT = 50
"""How many messages a guest may write in one session."""
NO_LINK = "There is no such link, or it is not open any more."
NO_SESSION = "There is no such session of this link."
STOPPED = "This agent does not answer just now; try again later."
FAILED = "The agent could not answer this; try again later."
LOOK_SECONDS = 0.4
"""How often it is checked that a link is still open while its guest is answered."""
GONE = "The link was closed while this was answered."
DAY_SECONDS = 86_400
HOUR_SECONDS = 3_600
Events = asyncio.Queue[dict[str, Any] | None]


class Visit(msgspec.Struct, frozen=True):
    """What a guest sends, and who they are as far as that is known.

    `guest` is the user who is signed in, `seen` what else tells visitors apart.
    """

    token: str
    message: str
    session_key: str | None
    name: str | None
    guest: int | None
    seen: tuple[str, str]


class GuestQuestion(msgspec.Struct, frozen=True):
    """A stored message of a guest and the turn that answers it, None where a local machine does."""

    link: Link
    owner: Person
    agent_name: str
    session: int
    session_key: str
    conversation: int
    message: int
    text: str
    begun: Begun | None
    acting: Caller | None


class GuestAnswer(Record):
    """What the agent answered; `pending` where the owner's own machine has not answered yet."""

    session_key: str
    agent_name: str
    owner_name: str
    response: str
    mode: Literal["agent"]
    elapsed_ms: int
    pending: bool | UnsetType = UNSET


def require_open_link(tx: Tx, token: str, target: share_rows.Target = "agent") -> Link:
    """Return an open link of that token and target.

    Raise NotFound, the same for one that is unknown, revoked, expired, or of nobody any more.
    """
    link = share_rows.open_by_token(tx, token)
    if link is None or link.target != target:
        raise NotFound(NO_LINK, field="token")
    return link


def require_session(tx: Tx, link: Link, key: str, guest: int | None) -> sqlite3.Row:
    """Return the session of a link that has this key; raise NotFound for any other.

    One that a user began goes on for that user alone.
    """
    session = guest_rows.find_by_key(tx, link.id, key)
    if session is None or session["guest_id"] not in (None, guest):
        raise NotFound(NO_SESSION, field="sessionKey")
    return session


def require_room(session: sqlite3.Row) -> None:
    """Raise MessageLimitReached when a session has had as many messages as it takes."""
    if session["asked"] >= MESSAGE_LIMIT:
        raise MessageLimitReached(
            f"One session takes at most {MESSAGE_LIMIT} messages.",
            limit=MESSAGE_LIMIT,
            retryAfter=DAY_SECONDS,
        )


def begin_turn(tx: Tx, visit: Visit) -> GuestQuestion:
    """Store a guest's message, in a new session where it is the first, and begin the turn that
    answers it.

    Raises NotFound, MessageLimitReached, RateLimited and BudgetExceeded, with nothing stored.
    """
    link = require_open_link(tx, visit.token)
    owner = senders.require_person_of_row(tx, link.owner)
    session, key = _find_or_begin_session(tx, link, visit)
    require_room(session)
    label, conversation = session["guest_name"] or share_rows.GUEST, session["conversation_id"]
    message = conversation_rows.add_message(
        tx,
        conversation,
        role="user",
        sender_type="human",
        sender=None,
        label=label,
        content=visit.message,
    )
    guest_rows.count_message(tx, session["id"])
    _tell_owner(tx, owner, visit, message=message, conversation=conversation)
    acting, begun = share_rows.guest_caller(tx, link.id, label), None
    if link.answered_by == "agent" and acting is not None:
        begun = _insert_turn(
            tx, link, owner, acting, conversation=conversation, message=message, text=visit.message
        )
    return GuestQuestion(
        link,
        owner,
        senders.agent_name(tx, owner),
        session["id"],
        key,
        conversation,
        message,
        visit.message,
        begun,
        acting,
    )


async def run_turn(app: App, asked: GuestQuestion, *, stream: bool) -> GuestAnswer | Lines:
    """Answer a guest; the turn goes on and is stored when they have left, and ends when the link
    is closed.
    """
    began, events = time.perf_counter(), Events()
    task = app.tasks.start(_answer_while_link_open(app, asked, events))
    if stream:
        return Lines(_stream_lines(asked, events))
    # A guest who leaves cancels this wait, but not the turn: its answer is stored all the same.
    done = await asyncio.shield(task)
    if isinstance(done, AppError):
        raise done
    elapsed = round((time.perf_counter() - began) * 1000)
    answer = GuestAnswer(
        asked.session_key, asked.agent_name, asked.owner.name, done or "", "agent", elapsed
    )
    if done is None:
        answer.pending = True
    return answer


def _find_or_begin_session(tx: Tx, link: Link, visit: Visit) -> tuple[sqlite3.Row, str]:
    """Return the session that goes on, or a new one, with its key."""
    if visit.session_key is not None:
        return require_session(tx, link, visit.session_key, visit.guest), visit.session_key
    # A link that got into many hands must not fill the owner's disk or use up the budget.
    if guest_rows.count_begun_today(tx, link.id) >= tx.settings.guest_sessions:
        raise RateLimited(
            "This link has begun as many conversations as it may in a day; come back later.",
            retryAfter=HOUR_SECONDS,
        )
    name = visit.name
    if name is None and visit.guest is not None:
        name = senders.require_person_of_row(tx, visit.guest).name
    return guest_rows.insert_session(
        tx, link, guest=visit.guest, name=name, fingerprint=_fingerprint(link, visit)
    )


def _fingerprint(link: Link, visit: Visit) -> str:
    """Return what tells visitors of one link apart, without keeping where they came from."""
    # The token salts the hash, so the same visitor is a stranger at every other link.
    seen = f"user {visit.guest}" if visit.guest is not None else "\n".join(visit.seen)
    return hashlib.sha256(f"{link.token}\n{seen}".encode("utf-8", "surrogateescape")).hexdigest()[
        :16
    ]


def _insert_turn(
    tx: Tx, link: Link, owner: Person, acting: Caller, *, conversation: int, message: int, text: str
) -> Begun:
    try:
        return agent_rpc.insert_turn(
            tx,
            acting,
            owner=owner,
            origin=Origin("guest", conversation_id=conversation, share_token=link.token),
            feature="guest",
            words=frozenset({"guest"}),
            conversation=conversation,
            message=message,
            text=text,
            history=agent_rpc.recent_exchange(tx, conversation, None, before=message),
            told=policy_notes.agent_instructions(tx, link),
        )
    except BudgetExceeded as error:
        # The sentence that is meant for the owner speaks of caps and settings.
        raise BudgetExceeded(agent_rpc.NO_BUDGET, **error.details) from None


def _tell_owner(tx: Tx, owner: Person, visit: Visit, *, message: int, conversation: int) -> None:
    """Publish, once it is committed, that a guest has written."""
    guest = None if visit.guest is None else senders.require_person_of_row(tx, visit.guest)
    who = {
        "userId": guest and guest.user_id,
        "username": guest and guest.username,
        "senderType": "human",
    }
    tx.emit(
        deliver_message.RECEIVED,
        user=owner.id,
        messageId=message,
        conversationId=conversation,
        mode="guest",
        sender=who,
        preview=visit.message[: deliver_message.PREVIEW],
        createdAt=tx.now,
    )


async def _answer_while_link_open(
    app: App, asked: GuestQuestion, events: Events
) -> str | AppError | None:
    """Return what is answered, None where nothing is yet; end it when the link is closed."""
    try:
        answering = app.tasks.start(
            _answer_by_agent(app, asked, events)
            if asked.begun is not None
            else _wait_for_local_answer(app, asked, events)
        )
        # Each call of a tool checks the grant too, but a model that only writes text would go on.
        while not (await asyncio.wait({answering}, timeout=LOOK_SECONDS))[0]:
            if not app.quick(share_rows.is_open, asked.link.id):
                answering.cancel(GONE)
                await asyncio.wait({answering})
                return NotFound(NO_LINK, field="token")
        return answering.result()
    finally:
        # Ends the stream of lines whatever happened, so no guest waits for ever.
        events.put_nowait(None)


async def _answer_by_agent(app: App, asked: GuestQuestion, events: Events) -> str | AppError:
    """Let the owner's agent answer."""
    begun = asked.begun
    if begun is None or asked.acting is None:
        return NotFound(NO_LINK, field="token")
    wish = Wish(asked.text, None, None, app.clock().astimezone(begun.zone))
    done = await chat.run_to_end(app, asked.acting, begun, wish, events)
    await app.write(guest_rows.note_answer, asked.session)
    if isinstance(done, AppError):
        return (
            BudgetExceeded(agent_rpc.NO_BUDGET, **done.details)
            if isinstance(done, BudgetExceeded)
            else Unavailable(FAILED)
        )
    return done.response


async def _wait_for_local_answer(app: App, asked: GuestQuestion, events: Events) -> str | None:
    """Wait for the answer of the owner's own machine, as long as a call waits.

    None where there is none yet.
    """
    found = app.quick(_find_reply, asked)
    for _ in range(round(app.settings.guest_wait_seconds / LOOK_SECONDS)):
        if found is not None:
            break
        await asyncio.sleep(LOOK_SECONDS)
        found = app.quick(_find_reply, asked)
    if found is not None:
        events.put_nowait({"type": "text-delta", "textDelta": found})
    events.put_nowait({"type": "completion", "pending": found is None})
    return found


def _find_reply(tx: Tx, asked: GuestQuestion) -> str | None:
    found: str | None = tx.value(
        "SELECT content FROM messages "
        "WHERE conversation_id = :id AND id > :message AND role = 'assistant' "
        "ORDER BY id LIMIT 1",
        id=asked.conversation,
        message=asked.message,
    )
    return found


async def _stream_lines(asked: GuestQuestion, events: Events) -> AsyncIterator[dict[str, Any]]:
    """Yield what a guest is told of a turn: the session, the text and how it ended, no tools."""
    yield {
        "type": "session",
        "sessionKey": asked.session_key,
        "agentName": asked.agent_name,
        "ownerName": asked.owner.name,
    }
    reason, more = "error", {}
    ended = False
    while (event := await events.get()) is not None:
        match event["type"]:
            case "text-delta":
                yield event
            case "error":
                reason, ended = _finish_reason(event), True
            case "completion":
                reason = reason if ended else "stop"
                more = {"pending": True} if event.get("pending") else {}
                break
    yield {"type": "finish", "finishReason": reason, **more}


def _finish_reason(event: dict[str, Any]) -> str:
    return (
        "length"
        if event["error"] == BudgetExceeded.code
        or event["message"] in (live_turn.TOO_MUCH, live_turn.TOO_LONG)
        else "error"
    )
