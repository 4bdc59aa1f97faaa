"""Talking with one's own agent.

A turn is a task that goes on when whoever asked has left, and a stream only looks on.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from app.account import users
from app.account.metering.token_reservations import Reservation
from app.account.metering.token_rows import Feature
from app.account.users import TimeZone
from app.agent.models import model_choice
from app.agent.turn import conversation_rows, message_attachments, turn_rows
from app.agent.turn.token_meter import reserve_first_call
from app.agent.turn.turn_result import Answer
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.line_stream import Lines
from app.core.operation import operation
from app.core.process.lazy_import import lazy_import
from app.core.schema import LARGEST_ID, Id, NonBlankText
from app.core.schema_errors import DIGITS
from app.errors import AppError
from app.tools.approvals.call_origin import Origin
from app.workspace.attachments import attachment_rows

Events = asyncio.Queue[dict[str, Any] | None]
MessageText = Annotated[str, Meta(min_length=1, max_length=32_000), NonBlankText()]


class Begun(msgspec.Struct, frozen=True):
    """A turn that stands in the tables.

    Its conversation, the user's message and what came before.
    """

    conversation: int
    turn: int
    history: tuple[bytes, ...]
    zone: ZoneInfo
    agent_label: str
    model: str
    held: Reservation | None
    inherited: frozenset[Any] = frozenset()
    """Whose words, besides the owner's, stand in `history`."""
    attached: tuple[sqlite3.Row, ...] = ()
    origin: Origin = Origin("chat")
    feature: Feature = "chat"
    words: frozenset[Any] = frozenset()
    """Whose words the message itself is, where it is not the owner's."""
    seconds: int | None = None
    """The longest that the turn may take, where it is not as the settings say."""
    told: str | None = None
    """What the brain is told in the owner's words, where it is not what it is told for the
    owner.
    """
    agent: int | None = None
    """The managed agent that answers, where one does."""
    reply_tokens: int | None = None
    """The tokens that the turn may take, where its agent's owner has limited them."""
    payer: Caller | None = None
    """Under whose credential its tokens count, where not under that of who does it."""


class Wish(msgspec.Struct, frozen=True):
    """What a turn was asked for, and when."""

    message: str
    model: str | None
    temperature: float | None
    now: datetime


@operation("POST /chat", scope="agent.chat:run")
async def chat(
    app: App,
    me: Caller,
    *,
    message: MessageText,
    conversation_id: Id | Annotated[str, Meta(pattern=DIGITS)] | None = None,
    user_timezone: TimeZone | None = None,
    model: Annotated[str, Meta(max_length=200)] | None = None,
    stream: bool = True,
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None,
    attachment_ids: Annotated[list[Id], Meta(max_length=10)] | None = None,
) -> Answer | Lines:
    """Talk with one's own agent, in a new conversation or an earlier one.

    The answer streams as lines of JSON unless `stream` is false.

    The turn goes on and is stored when whoever asked has left. An unknown `model` is answered by
    the default one, and the metadata say which.
    """
    if attachment_ids:
        me.require(("os.notes:read",))
    # An id beyond SQLite's integers is one that there is not, no error of its own.
    number = None if conversation_id is None else min(int(conversation_id), LARGEST_ID)
    begun = await app.write(
        _begin_turn, me, message, number, user_timezone, attachment_ids or (), model
    )
    events = Events()
    wish = Wish(message, model, temperature, app.clock().astimezone(begun.zone))
    task = app.tasks.start(run_to_end(app, me, begun, wish, events))
    return await answer_of(task, begun, events, stream=stream)


async def answer_of(
    task: "asyncio.Task[Answer | AppError]", begun: Begun, events: Events, *, stream: bool
) -> Answer | Lines:
    """Return what a turn that runs tells as it goes on, or its whole answer at its end."""
    if stream:
        return Lines(_stream_lines(begun, events))
    # A client that hangs up must not stop the turn, whose message is stored already.
    done = await asyncio.shield(task)
    if isinstance(done, AppError):
        raise done
    return done


def _begin_turn(
    tx: Tx,
    me: Caller,
    message: str,
    conversation: int | None,
    zone: str | None,
    attachment_ids: Sequence[int],
    wanted: str | None,
) -> Begun:
    """Store the user's message and the turn that answers it, in a conversation with the caller's
    own agent; reserve its first tokens.
    """
    chosen = users.settings_of(tx, me.user)
    files = tuple(attachment_rows.require_own(tx, me, one) for one in dict.fromkeys(attachment_ids))
    if conversation is None:
        title = conversation_rows.title_from_message(message)
        conversation = conversation_rows.begin(
            tx, type="direct", owner=me.user, title=title, members=(me.user,)
        )
    else:
        conversation_rows.require_own(tx, me, conversation)
    history = turn_rows.recent_histories(tx, conversation)
    model = model_choice.name_of(tx, me, wanted)
    # In the same transaction as the message: with no budget left neither is there.
    held = reserve_first_call(tx, me, feature="chat", model=model, texts=(message, *history))
    kind: conversation_rows.SenderType = "human" if me.kind == "session" else "agent"
    stored = conversation_rows.add_message(
        tx,
        conversation,
        role="user",
        sender_type=kind,
        sender=me.user,
        label=chosen.name,
        content=message,
    )
    message_attachments.add(tx, stored, files)
    conversation_rows.mark_read(tx, me.user, conversation, stored)
    turn = turn_rows.begin(tx, me, conversation, message=stored, model=model)
    inherited = turn_rows.recent_taint(tx, conversation)
    place, label, origin = (
        ZoneInfo(zone or chosen.timezone),
        chosen.agent_name or "Agent",
        Origin("chat", conversation_id=conversation),
    )
    return Begun(
        conversation, turn, tuple(history), place, label, model, held, inherited, files, origin
    )


async def run_to_end(
    app: App, me: Caller, begun: Begun, wish: Wish, events: Events
) -> Answer | AppError:
    """Run the turn to its end and store it; the last event is always its completion."""
    # At the first turn only: a server that nobody chats with needs none of it.
    answering = await lazy_import("app.agent.chat.run_turn")
    done: Answer | AppError = await answering.run_to_end(app, me, begun, wish, events)
    return done


async def _stream_lines(begun: Begun, events: Events) -> AsyncIterator[dict[str, Any]]:
    yield {"type": "conversation-start", "conversationId": begun.conversation}
    while (event := await events.get()) is not None:
        yield event
