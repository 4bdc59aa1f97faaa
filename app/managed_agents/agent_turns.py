"""The turns of managed agents: in the loop of their owner's agent, by a narrower caller."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from app.account import users
from app.agent.chat import chat
from app.agent.chat.chat import Begun, Events, Wish
from app.agent.memory.persona import HEAD
from app.agent.models import model_choice
from app.agent.turn import transcript, turn_history, turn_rows
from app.agent.turn.token_meter import count_tokens, reply_exceeded, reserve_first_call
from app.agent.turn.transcript import Part
from app.agent.turn.turn_result import Answer
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint
from app.errors import AgentPaused, AppError, NotFound
from app.managed_agents import agent_callers, agent_rows
from app.managed_agents.agent_rows import Agent
from app.network.messages.agent_rpc import REMEMBERED
from app.tools.approvals.call_origin import Origin

NO_WORDS = frozenset[Taint]()
WHO = "Who you are"
STOPPED = "The agent was paused or deleted; the turn was stopped."


class AgentTurn(msgspec.Struct, frozen=True):
    """A turn of an agent's that stands in the tables, and what was asked in it."""

    agent: Agent
    acting: Caller
    text: str
    begun: Begun
    message: int


class RunningTurns:
    """The turns of agents that run, so that they end with a pause or the end of their agent."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._tasks: dict[int, set[asyncio.Task[Any]]] = defaultdict(set)
        app.events.on(agent_rows.CHANGED, self._end_stopped)

    def start(
        self, agent: int, turn: Coroutine[Any, Any, Answer | AppError]
    ) -> "asyncio.Task[Answer | AppError]":
        """Run a turn as a task that goes on when whoever asked has left."""
        task = self._app.tasks.start(turn)
        running = self._tasks[agent]
        running.add(task)
        task.add_done_callback(running.discard)
        return task

    def _end_stopped(self, event: dict[str, Any]) -> None:
        agent = event["agent"]
        tasks = self._tasks.get(agent)
        if not tasks:
            self._tasks.pop(agent, None)
        elif (found := self._app.quick(agent_rows.find, agent)) is None or found.status != "active":
            for task in tasks:
                task.cancel(STOPPED)


async def run(
    app: App, turn: AgentTurn, events: Events, wish: Wish | None = None
) -> Answer | AppError:
    """Run a turn to its end; one that its agent's pause or end cuts off is refused like those that
    come after it.
    """
    local = app.clock().astimezone(turn.begun.zone)
    wanted = wish or Wish(turn.text, turn.agent.model, None, local)
    ask = chat.run_to_end(app, turn.acting, turn.begun, wanted, events)
    task = app.part(RunningTurns).start(turn.agent.id, ask)
    await asyncio.wait({task})
    if not task.cancelled():
        return task.result()
    try:
        app.quick(require_active, turn.agent.id)
    except AppError as stopped:
        return stopped
    raise asyncio.CancelledError


def require_active(tx: Tx, agent: int) -> Agent:
    """Return an agent; raise NotFound for a deleted one, AgentPaused for a paused one."""
    found = agent_rows.find(tx, agent)
    if found is None or found.status == "deleted":
        raise NotFound(agent_rows.NO_AGENT)
    if found.status == "paused":
        raise AgentPaused(agent_callers.PAUSED)
    return found


def acting_for(
    tx: Tx,
    agent: Agent,
    me: Caller | None,
    *,
    before: tuple[int, ...] = (),
    asked_by_other: bool = False,
) -> Caller:
    """Return the caller that does a turn for `me`, or for the clock; raise AgentPaused.

    An owner's credential lends no right that it lacks itself.
    """
    own = me is not None and me.user == agent.user_id and me.agent is None
    acting = agent_callers.turn_caller(
        tx,
        agent.id,
        within=me.rights if me is not None and own else None,
        before=before,
        asked_by_other=asked_by_other,
    )
    if acting is None:
        raise AgentPaused(agent_callers.PAUSED)
    return acting


def begin(
    tx: Tx,
    agent: Agent,
    acting: Caller,
    *,
    payer: Caller,
    conversation: int,
    message: int,
    text: str,
    history: Sequence[bytes],
    words: frozenset[Taint] = NO_WORDS,
    wanted: str | None = None,
    zone: str | None = None,
    seconds: int | None = None,
    files: Sequence[Any] = (),
) -> AgentTurn:
    """Begin the turn that answers a message; its first tokens are reserved for the `payer`.

    Raises BudgetExceeded.
    """
    told = f"{HEAD}\n\n## {WHO}\n{agent.persona}" if agent.persona.strip() else ""
    texts: tuple[str | bytes, ...] = (text, told, *history)
    if agent.reply_tokens is not None and count_tokens(texts) >= agent.reply_tokens:
        raise reply_exceeded(agent.reply_tokens)
    model = model_choice.name_of(tx, acting, wanted or agent.model)
    held = reserve_first_call(
        tx, payer, feature="managed_agent", model=model, texts=texts, agent=str(agent.id)
    )
    before = turn_rows.recent_taint(tx, conversation)
    turn = turn_rows.begin(tx, acting, conversation, message=message, model=model)
    agent_rows.note_activity(tx, agent.id)
    begun = Begun(
        conversation,
        turn,
        tuple(history),
        ZoneInfo(zone or users.settings_of(tx, agent.user_id).timezone),
        agent.name,
        model,
        held,
        before,
        tuple(files),
        Origin("managed_agent", conversation_id=conversation, agent_id=agent.id),
        "managed_agent",
        words,
        seconds,
        told,
        agent.id,
        agent.reply_tokens,
        payer,
    )
    return AgentTurn(agent, acting, text, begun, message)


def recent_exchange(
    tx: Tx, agent: Agent, conversation: int, asker: int | None, *, before: int
) -> list[bytes]:
    """Return what asker and agent said to each other lately, in the form of a turn's history."""
    # texts only, no results of tools: the permissions may have become narrower since
    rows = tx.all(
        """SELECT ifnull(agent_id = :agent, 0) AS own, content FROM messages
           WHERE conversation_id = :id AND id < :before
             AND (agent_id = :agent OR (role = 'user' AND sender_id IS :asker))
           ORDER BY id DESC LIMIT :most""",
        id=conversation,
        agent=agent.id,
        before=before,
        asker=asker,
        most=REMEMBERED,
    )
    kinds: tuple[transcript.Kind, transcript.Kind] = ("asked", "said")
    messages = [[Part(kinds[row["own"]], row["content"])] for row in reversed(rows)]
    return [turn_history.encode(messages)] if messages else []
