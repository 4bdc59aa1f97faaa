"""Talking with one's own agent: a turn is a task that goes on when whoever asked has left, and a stream only looks on."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from msgspec import UNSET, Meta, UnsetType

from app.account import users
from app.account.users import TimeZone
from app.agent import brains, conversation_rows, turns
from app.agent.brains import Fallback
from app.agent.citations import Citation
from app.core.app import App
from app.core.caller import Caller
from app.core.lines import Lines
from app.core.operation import operation
from app.core.shapes import Id, Record, Text
from app.core.tx import Tx
from app.errors import AppError

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


@operation("POST /chat", scope="agent.chat:run", category="agent")
async def chat(
    app: App, me: Caller, *, message: MessageText, conversation_id: Id | Annotated[str, Meta(pattern="^[0-9]{1,15}$")] | None = None,
    user_timezone: TimeZone | None = None, model: Annotated[str, Meta(max_length=200)] | None = None, stream: bool = True,
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None,
) -> Answer | Lines:  # fmt: skip
    """Talk with one's own agent, in a new conversation or an earlier one. The answer streams as lines of JSON unless `stream` is false.

    The turn goes on and is stored when whoever asked has left. An unknown `model` is answered by the default one, and the metadata say which.
    """
    named = brains.named(app, me, model)
    begun = await app.write(_begin, me, message, None if conversation_id is None else int(conversation_id), user_timezone, named)
    events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    task = app.tasks.start(_answer(app, me, begun, message, model, temperature, events))
    if stream:
        return Lines(_lines(events))
    done = await asyncio.shield(task)
    if isinstance(done, AppError):
        raise done
    return done


def _begin(tx: Tx, me: Caller, message: str, conversation: int | None, zone: str | None, model: str) -> Begun:
    """Store the user's message and the turn that answers it, in a conversation with the caller's own agent."""
    chosen = users.settings_of(tx, me)
    if conversation is None:
        title = conversation_rows.title_of(message)
        conversation = conversation_rows.begin(tx, type="direct", owner=me.user, title=title, members=(me.user,))
    else:
        conversation_rows.own(tx, me, conversation)
    history = turns.remembered(tx, conversation)
    kind: conversation_rows.SenderType = "human" if me.kind == "session" else "agent"
    stored = conversation_rows.add_message(tx, conversation, role="user", sender_type=kind, sender=me.user, label=chosen.name, content=message)
    conversation_rows.mark_read(tx, me, conversation, stored)
    turn = turns.begin(tx, me, conversation, message=stored, model=model)
    return Begun(conversation, turn, tuple(history), ZoneInfo(zone or chosen.timezone), chosen.agent_name or "Agent")


async def _answer(
    app: App, me: Caller, begun: Begun, message: str, model: str | None, temperature: float | None, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    """Run the turn to its end and store it; the last event is always its completion."""
    try:
        done = await _run(app, me, begun, message, model, temperature, events)
    except AppError as error:  # it could not begin, or not be stored
        events.put_nowait(_error(error))
        return error
    finally:
        events.put_nowait(None)
    return done


async def _run(
    app: App, me: Caller, begun: Begun, message: str, model: str | None, temperature: float | None, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    from app.agent import loop  # a second's import, so only once somebody talks

    now = app.clock().astimezone(begun.zone)
    turn = loop.Turn(app, me, now.isoformat(timespec="minutes"), begun.zone.key, events.put_nowait)
    brain = await brains.pick(app, me, model, now=now)
    try:
        ended = await loop.run(turn, brain.model, message, begun.history, temperature=temperature)
    except asyncio.CancelledError:  # the server is ending, and waits for this
        await _close(app, begun, turn, brain, loop.interrupted(turn, brain.model, message), events)
        raise
    return await _close(app, begun, turn, brain, ended, events)


async def _close(
    app: App, begun: Begun, turn: Any, brain: brains.Brain, ended: Any, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    """Store how a turn ended and tell it: an error where there was one, and one completion."""
    if ended.error is not None:
        events.put_nowait(_error(ended.error))
    answer_id = await app.write(_end, begun, turn, ended)
    usage = Usage(ended.prompt_tokens, ended.completion_tokens, ended.prompt_tokens + ended.completion_tokens)
    answer = Answer(begun.conversation, answer_id, turn.text, turn.tools_used, turn.quotes.citations, usage, brain.fallback or UNSET)
    events.put_nowait({"type": "completion", "metadata": _metadata(answer, brain.answered)})
    return ended.error or answer


def _error(error: AppError) -> dict[str, Any]:
    return {"type": "error", "error": error.code, "message": error.message}


def _end(tx: Tx, begun: Begun, turn: Any, ended: Any) -> int:
    """Store the answer, the calls and what the turn cost; give the id of the answer's message."""
    for call in turn.calls:
        turns.add_call(tx, begun.turn, tool=call.tool, call=call.id, arguments=call.arguments, outcome=call.outcome)
    text = turn.text or (ended.error.message if ended.error else "")
    stored = conversation_rows.add_message(
        tx, begun.conversation, role="assistant", sender_type="agent", sender=None, label=begun.agent_label, content=text
    )
    turns.end(
        tx, begun.turn, status=ended.status, model=ended.model, prompt_tokens=ended.prompt_tokens,
        completion_tokens=ended.completion_tokens, history=ended.history, error=ended.error.message if ended.error else None,
    )  # fmt: skip
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
