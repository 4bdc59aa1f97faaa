"""Talking with one's own agent: a turn is a task that goes on when whoever asked has left, and a stream only looks on."""

import asyncio
import dataclasses
import logging
import sqlite3
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from msgspec import UNSET, Meta, UnsetType

from app.account import users
from app.account.metering import Reservation
from app.account.token_rows import Feature
from app.account.users import TimeZone
from app.agent import attached, brains, conversation_rows, episode_sources, message_attachments, seeing, turns
from app.agent.brains import Fallback
from app.agent.citations import Citation
from app.agent.driver import drive
from app.agent.meter import Meter, first_call
from app.agent.running import Ended, Turn, exchanged
from app.core.app import App
from app.core.caller import Caller
from app.core.lines import Lines
from app.core.operation import operation
from app.core.shapes import Id, Record, Text
from app.core.tx import Tx
from app.errors import AppError, BudgetExceeded, Unavailable
from app.tools.origin import Origin
from app.workspace import attachment_rows

log = logging.getLogger("hearth")
INTERRUPTED = "The server is ending; the turn was interrupted."
MISTAKE = "Something went wrong in the server, whose log says what; the turn was stopped."
MessageText = Annotated[str, Meta(min_length=1, max_length=32_000), Text()]


class Usage(Record):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Answer(Record):
    """The agent's whole answer."""

    conversation_id: int
    message_id: int
    response: str
    tools_used: list[str]
    citations: list[Citation]
    usage: Usage
    fallback: Fallback | UnsetType = UNSET


@dataclasses.dataclass(frozen=True)
class Begun:
    """A turn that stands in the tables: its conversation, the user's message and what came before."""

    conversation: int
    turn: int
    history: tuple[bytes, ...]
    zone: ZoneInfo
    agent_label: str
    model: str
    held: Reservation | None
    taint: frozenset[Any] = frozenset()
    attached: tuple[sqlite3.Row, ...] = ()
    origin: Origin = Origin("chat")
    feature: Feature = "chat"
    words: frozenset[Any] = frozenset()
    """Whose words the message itself is, where it is not the owner's."""
    seconds: int | None = None
    """The longest that the turn may take, where it is not as the settings say."""
    told: str | None = None
    """What the brain is told in the owner's words, where it is not what it is told for the owner."""


@dataclasses.dataclass(frozen=True)
class Wish:
    """What a turn was asked for, and when."""

    message: str
    model: str | None
    temperature: float | None
    now: datetime


@operation("POST /chat", scope="agent.chat:run", category="agent")
async def chat(
    app: App, me: Caller, *, message: MessageText, conversation_id: Id | Annotated[str, Meta(pattern="^[0-9]{1,15}$")] | None = None,
    user_timezone: TimeZone | None = None, model: Annotated[str, Meta(max_length=200)] | None = None, stream: bool = True,
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None, attachment_ids: Annotated[list[Id], Meta(max_length=10)] | None = None,
) -> Answer | Lines:  # fmt: skip
    """Talk with one's own agent, in a new conversation or an earlier one. The answer streams as lines of JSON unless `stream` is false.

    The turn goes on and is stored when whoever asked has left. An unknown `model` is answered by the default one, and the metadata say which.
    """
    if attachment_ids:
        me.require(("os.notes:read",))
    number, named = None if conversation_id is None else int(conversation_id), brains.named(app, me, model)
    begun = await app.write(_begin, me, message, number, user_timezone, attachment_ids or (), named, app.settings.max_completion)
    events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    wish = Wish(message, model, temperature, app.clock().astimezone(begun.zone))
    task = app.tasks.start(answer(app, me, begun, wish, events))
    if stream:
        return Lines(_lines(events))
    done = await asyncio.shield(task)
    if isinstance(done, AppError):
        raise done
    return done


def _begin(
    tx: Tx, me: Caller, message: str, conversation: int | None, zone: str | None, attachment_ids: Sequence[int], model: str, most: int
) -> Begun:
    """Store the user's message and the turn that answers it, in a conversation with the caller's own agent; reserve its first `most` tokens."""
    chosen = users.settings_of(tx, me)
    files = tuple(attachment_rows.of(tx, me, one) for one in dict.fromkeys(attachment_ids))
    if conversation is None:
        title = conversation_rows.title_of(message)
        conversation = conversation_rows.begin(tx, type="direct", owner=me.user, title=title, members=(me.user,))
    else:
        conversation_rows.own(tx, me, conversation)
    history = turns.remembered(tx, conversation)
    held = first_call(tx, me, feature="chat", model=model, texts=(message, *history), most=most)
    kind: conversation_rows.SenderType = "human" if me.kind == "session" else "agent"
    stored = conversation_rows.add_message(tx, conversation, role="user", sender_type=kind, sender=me.user, label=chosen.name, content=message)
    message_attachments.add(tx, stored, files)
    conversation_rows.mark_read(tx, me.user, conversation, stored)
    turn = turns.begin(tx, me, conversation, message=stored, model=model)
    words = turns.taint(tx, conversation)
    place, label, origin = ZoneInfo(zone or chosen.timezone), chosen.agent_name or "Agent", Origin("chat", conversation_id=conversation)
    return Begun(conversation, turn, tuple(history), place, label, model, held, words, files, origin)


async def answer(app: App, me: Caller, begun: Begun, wish: Wish, events: "asyncio.Queue[dict[str, Any] | None]") -> Answer | AppError:
    """Run the turn to its end and store it; the last event is always its completion."""
    turn = Turn(app, me, wish.now.isoformat(timespec="minutes"), begun.zone.key, events.put_nowait)
    turn.origin, turn.taint, turn.seconds, turn.told = begun.origin, begun.taint | begun.words, begun.seconds, begun.told
    meter = Meter(app, me, feature=begun.feature, model=begun.model, held=begun.held)
    try:
        try:
            done = await _run(turn, meter, begun, wish)
        except Exception as mistake:
            done = await _failed(turn, meter, begun, wish, mistake)
    except asyncio.CancelledError as why:  # the server is ending, and waits for this; or what let the turn run is gone, as its sentence says
        await _cut_off(turn, meter, begun, wish, Unavailable(str(why) or INTERRUPTED), is_interrupted=True)
        raise
    finally:
        events.put_nowait(None)
    return done


async def _run(turn: Turn, meter: Meter, begun: Begun, wish: Wish) -> Answer | AppError:
    app, me = turn.app, turn.me
    brain = await brains.pick(app, me, wish.model, now=wish.now)
    meter.model = brain.name
    sees = brain.model is not None and seeing.sees(brain.model.model_name)
    prompt = await attached.prompt(app, me, wish.message, begun.attached, sees=sees)
    ended = await drive(turn, brain.model, prompt, begun.history, meter=meter, now=wish.now, temperature=wish.temperature)
    answer_id = await app.write(_end, begun, turn, ended, meter)
    answer = _told(turn, begun, ended, answer_id, brain.answered, brain.fallback)
    return answer if isinstance(ended.error, BudgetExceeded) and turn.text else ended.error or answer


async def _failed(turn: Turn, meter: Meter, begun: Begun, wish: Wish, mistake: Exception) -> AppError:
    """Store a turn that a mistake of the program has ended, and tell of it as of any other failure."""
    error = mistake if isinstance(mistake, AppError) else AppError(MISTAKE)
    if error is not mistake:
        log.error("turn %d failed", begun.turn, exc_info=mistake)
    await _cut_off(turn, meter, begun, wish, error)
    return error


async def _cut_off(turn: Turn, meter: Meter, begun: Begun, wish: Wish, error: AppError, *, is_interrupted: bool = False) -> None:
    """Store and tell what a turn came to that did not end by itself."""
    turn.end_calls()
    history = exchanged(wish.message, turn.text, wish.now.astimezone(UTC).isoformat())
    ended = Ended(meter.model, 0, 0, history, error, is_interrupted)
    _told(turn, begun, ended, await turn.app.write(_end, begun, turn, ended, meter), meter.model, None)


def _told(turn: Turn, begun: Begun, ended: Ended, answer_id: int, model: str, fallback: Fallback | None) -> Answer:
    """Emit how the turn has ended, and give it as a whole answer."""
    if ended.error is not None:
        turn.emit({"type": "error", "error": ended.error.code, "message": ended.error.message})
    usage = Usage(ended.prompt_tokens, ended.completion_tokens, ended.prompt_tokens + ended.completion_tokens)
    answer = Answer(begun.conversation, answer_id, turn.text, turn.tools_used, turn.quotes.citations, usage, fallback or UNSET)
    turn.emit({"type": "completion", "metadata": _metadata(answer, model)})
    return answer


def _end(tx: Tx, begun: Begun, turn: Turn, ended: Ended, meter: Meter) -> int:
    """Store the answer, the calls and what the turn cost; give the id of the answer's message, 0 where turn and owner were deleted meanwhile."""
    if not turns.is_there(tx, begun.turn):
        return 0
    meter.end(tx)
    for call in turn.calls:
        turns.add_call(tx, begun.turn, tool=call.tool, call=call.id, arguments=call.arguments, outcome=call.outcome)
    text = turn.text or (ended.error.message if ended.error else "")
    stored = conversation_rows.add_message(
        tx, begun.conversation, role="assistant", sender_type="agent", sender=None, label=begun.agent_label, content=text
    )
    turns.end(
        tx, begun.turn, status=ended.status, model=ended.model, prompt_tokens=ended.prompt_tokens,
        completion_tokens=ended.completion_tokens, history=ended.history, error=ended.error.message if ended.error else None,
        taint=" ".join(sorted(turn.taint - begun.taint | begun.words)),
    )  # fmt: skip
    episode_sources.add_turn(tx, begun.turn, answer=stored)
    return stored


def _metadata(answer: Answer, model: str) -> dict[str, Any]:
    return {
        "promptTokens": answer.usage.prompt_tokens,
        "completionTokens": answer.usage.completion_tokens,
        "totalTokens": answer.usage.total_tokens,
        "conversationId": answer.conversation_id,
        "messageId": answer.message_id,
        "model": model,
        "toolsUsed": answer.tools_used,
        "citations": answer.citations,
        **({} if answer.fallback is UNSET else {"fallback": answer.fallback}),
    }


async def _lines(events: "asyncio.Queue[dict[str, Any] | None]") -> AsyncIterator[dict[str, Any]]:
    while (event := await events.get()) is not None:
        yield event
