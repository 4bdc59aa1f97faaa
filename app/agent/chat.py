"""Talking with one's own agent: a turn is a task that goes on when whoever asked has left, and a stream only looks on."""

import asyncio
import dataclasses
import sqlite3
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from msgspec import Meta

from app.account import users
from app.account.metering import Reservation
from app.account.token_rows import Feature
from app.account.users import TimeZone
from app.agent import conversation_rows, episode_sources, message_attachments, seeing, turns
from app.agent.citations import Citation
from app.agent.meter import Meter, first_call
from app.core.app import App
from app.core.caller import Caller
from app.core.lines import Lines
from app.core.operation import operation
from app.core.shapes import Id, Record, Text
from app.core.tx import Tx
from app.errors import AppError, BudgetExceeded, Unavailable
from app.tools.origin import Origin
from app.workspace import attachment_rows

MessageText = Annotated[str, Meta(min_length=1, max_length=32_000), Text()]
OFFLINE = "offline"


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


class ChatModel(Record):
    """A brain that can be asked for."""

    name: str
    provider: str
    local: bool
    default: bool


class ChatModels(Record):
    models: list[ChatModel]


@dataclasses.dataclass(frozen=True)
class Begun:
    """A turn that stands in the tables: its conversation, the user's message and what came before."""

    conversation: int
    turn: int
    history: tuple[bytes, ...]
    zone: ZoneInfo
    agent_label: str
    held: Reservation | None
    taint: frozenset[Any] = frozenset()
    attached: tuple[sqlite3.Row, ...] = ()
    origin: Origin = Origin("chat")
    feature: Feature = "chat"
    words: frozenset[Any] = frozenset()
    """Whose words the message itself is, where it is not the owner's."""
    seconds: int | None = None
    """The longest that the turn may take, where it is not as the settings say."""


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
    conversation = None if conversation_id is None else int(conversation_id)
    begun = await app.write(_begin, me, message, conversation, user_timezone, attachment_ids or (), app.settings.max_completion)
    events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    task = app.tasks.start(answer(app, me, begun, message, temperature, events))
    if stream:
        return Lines(_lines(events))
    done = await asyncio.shield(task)
    if isinstance(done, AppError):
        raise done
    return done


@operation("GET /chat/models", scope="agent.chat:run", category="agent", since="beyond", effect="read")
async def list_models(app: App, me: Caller) -> ChatModels:
    """List the models that a chat may name; `offline`, which needs none, is always there."""
    return ChatModels([ChatModel(OFFLINE, OFFLINE, local=True, default=True)])


def _begin(tx: Tx, me: Caller, message: str, conversation: int | None, zone: str | None, attachment_ids: Sequence[int], most: int) -> Begun:
    """Store the user's message and the turn that answers it, in a conversation with the caller's own agent; reserve its first `most` tokens."""
    chosen = users.settings_of(tx, me)
    files = tuple(attachment_rows.of(tx, me, one) for one in dict.fromkeys(attachment_ids))
    if conversation is None:
        title = conversation_rows.title_of(message)
        conversation = conversation_rows.begin(tx, type="direct", owner=me.user, title=title, members=(me.user,))
    else:
        conversation_rows.own(tx, me, conversation)
    history = turns.remembered(tx, conversation)
    held = first_call(tx, me, feature="chat", model=OFFLINE, texts=(message, *history), most=most)
    kind: conversation_rows.SenderType = "human" if me.kind == "session" else "agent"
    stored = conversation_rows.add_message(tx, conversation, role="user", sender_type=kind, sender=me.user, label=chosen.name, content=message)
    message_attachments.add(tx, stored, files)
    conversation_rows.mark_read(tx, me.user, conversation, stored)
    turn = turns.begin(tx, me, conversation, message=stored, model=OFFLINE)
    words = turns.taint(tx, conversation)
    zone_info, label = ZoneInfo(zone or chosen.timezone), chosen.agent_name or "Agent"
    return Begun(conversation, turn, tuple(history), zone_info, label, held, words, files, Origin("chat", conversation_id=conversation))


async def answer(
    app: App, me: Caller, begun: Begun, message: str, temperature: float | None, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    """Run the turn to its end and store it; the last event is always its completion."""
    try:
        done = await _run(app, me, begun, message, temperature, events)
    except asyncio.CancelledError:
        events.put_nowait({"type": "error", "error": Unavailable.code, "message": "The server is ending; the turn was interrupted."})
        raise
    finally:
        events.put_nowait(None)
    return done


async def _run(
    app: App, me: Caller, begun: Begun, message: str, temperature: float | None, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    from app.agent import attached, loop  # a second's import, so only once somebody talks
    from app.agent.metered import MeteredModel
    from app.agent.offline import OfflineModel

    now = app.clock().astimezone(begun.zone)
    turn = loop.Turn(app, me, now.isoformat(timespec="minutes"), begun.zone.key, events.put_nowait)
    turn.origin, turn.taint, turn.seconds = begun.origin, begun.taint | begun.words, begun.seconds
    meter = Meter(app, me, feature=begun.feature, model=OFFLINE, held=begun.held)
    brain = MeteredModel(OfflineModel(now), meter)
    prompt = await attached.prompt(app, me, message, begun.attached, sees=seeing.sees(brain.model_name))
    ended = await loop.run(turn, brain, prompt, begun.history, temperature=temperature)
    if ended.error is not None:
        events.put_nowait({"type": "error", "error": ended.error.code, "message": ended.error.message})
    answer_id = await app.write(_end, begun, turn, ended, meter)
    usage = Usage(ended.prompt_tokens, ended.completion_tokens, ended.prompt_tokens + ended.completion_tokens)
    whole = Answer(begun.conversation, answer_id, turn.text, turn.tools_used, turn.quotes.citations, usage)
    events.put_nowait({"type": "completion", "metadata": _metadata(whole, ended.model)})
    return whole if isinstance(ended.error, BudgetExceeded) and turn.text else ended.error or whole


def _end(tx: Tx, begun: Begun, turn: Any, ended: Any, meter: Meter) -> int:
    """Store the answer, the calls and what the turn cost; give the id of the answer's message."""
    meter.end(tx)
    for call in turn.calls:
        turns.add_call(tx, begun.turn, tool=call.tool, call=call.id, arguments=call.arguments, outcome=call.outcome)
    text = turn.text or (ended.error.message if ended.error else "")
    stored = conversation_rows.add_message(
        tx, begun.conversation, role="assistant", sender_type="agent", sender=None, label=begun.agent_label, content=text
    )
    turns.end(
        tx, begun.turn, status="failed" if ended.error else "completed", model=ended.model, prompt_tokens=ended.prompt_tokens,
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
    }


async def _lines(events: "asyncio.Queue[dict[str, Any] | None]") -> AsyncIterator[dict[str, Any]]:
    while (event := await events.get()) is not None:
        yield event
