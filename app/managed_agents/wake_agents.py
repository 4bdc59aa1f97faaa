"""Agents that wake by the clock, where their owner says so, and do the task they were given.

Inside the hours of their owner's heartbeat. What they say lies unread in the owner's conversation
with them.
"""

import sqlite3
from datetime import timedelta
from functools import partial
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.agent.chat.chat import Events
from app.agent.heartbeat.records import schedule_rows
from app.agent.turn import conversation_rows
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import MINUTE, operation
from app.core.process.background_tasks import FewAtOnce
from app.core.schema import Id, NonBlankText, Record
from app.errors import AppError, Invalid, NotFound
from app.managed_agents import agent_rows, agent_turns
from app.managed_agents.agent_rows import Agent
from app.managed_agents.agent_turns import AgentTurn
from app.network.contacts import threads
from app.network.messages import deliver_message, senders
from app.network.messages.senders import Sender
from app.tools.approvals import stop_switch

AT_ONCE = 4
CLOCK = "Clock"
Minutes = Annotated[int, Meta(ge=5, le=1440)]
Task = Annotated[str, Meta(min_length=1, max_length=4_000), NonBlankText()]


class WakeSetting(Record):
    """Every how many minutes an agent wakes, for what, and when next; nulls where it does not."""

    handle: str
    every_minutes: int | None
    task: str | None
    next_at: str | None


class DueWakes(FewAtOnce):
    """The agents whose time has come and whose tasks are not done."""

    def __init__(self, app: App) -> None:
        super().__init__(app.tasks, AT_ONCE)


@operation("COMMAND", category="managedAgents")
def set_agent_wake(
    tx: Tx,
    me: Caller,
    *,
    username: str,
    handle: str,
    every_minutes: Minutes | None = None,
    task: Task | None = None,
) -> WakeSetting:
    """Let a user's agent wake by the clock and do a task, or without `everyMinutes` no more."""
    return _set_wake(tx, _require_named(tx, username, handle), every_minutes, task)


@operation("COMMAND", category="managedAgents", effect="read")
def agent_wake(tx: Tx, me: Caller, *, username: str, handle: str) -> WakeSetting:
    """Say when a user's agent wakes by the clock, and for what."""
    return _setting(_require_named(tx, username, handle))


@operation("PAGE", scope="agents:read", category="managedAgents", effect="read")
def read_agent_wake(tx: Tx, me: Caller, *, id: Id) -> WakeSetting:
    """Say when an agent of the user wakes by the clock, and for what."""
    return _setting(agent_rows.require_own(tx, me.user, id, deleted=True))


@operation("PAGE", scope="agents:manage", category="managedAgents")
def change_agent_wake(
    tx: Tx, me: Caller, *, id: Id, every_minutes: Minutes | None = None, task: Task | None = None
) -> WakeSetting:
    """Let an agent of the user wake by the clock and do a task, or without `everyMinutes` no
    more.
    """
    return _set_wake(tx, agent_rows.require_own(tx, me.user, id), every_minutes, task)


@operation("COMMAND", category="managedAgents", every=MINUTE)
async def wake_due_agents(app: App, me: Caller) -> Record:
    """Let the agents whose time has come begin their tasks, each once."""
    if not stop_switch.is_stopped(app):
        due = app.part(DueWakes)
        for agent in app.quick(agent_rows.list_due):
            due.start(agent.id, partial(_wake, app, agent))
    return Record()


async def _wake(app: App, agent: Agent) -> None:
    if not app.quick(_is_due, agent) or not await app.write(_claim, agent.id):
        return
    try:
        turn = await app.write(_begin, agent.id)
    # an agent without tokens, or one that was stopped just now, sleeps until its next time
    except AppError:
        return
    done = await agent_turns.run(app, turn, Events())
    if not isinstance(done, AppError):
        await app.write(_tell_owner, turn, done.message_id)


def _is_due(tx: Tx, agent: Agent) -> bool:
    """Return whether a wake is due, or is planned for later than any can be."""
    if agent.next_wake_at is None or agent.wake_minutes is None:
        return False
    hours = schedule_rows.heartbeat_of(tx, agent.user_id).hours
    latest = hours.first(tx.moment + timedelta(minutes=agent.wake_minutes))
    return agent.next_wake_at <= tx.now or agent.next_wake_at > stamp(latest)


def _claim(tx: Tx, id_: int) -> bool:
    """Take a wake that is due and plan the next one; outside of the hours it is only put off."""
    agent = agent_rows.find(tx, id_)
    if agent is None or agent.next_wake_at is None or agent.wake_minutes is None:
        return False
    if agent.next_wake_at > tx.now:
        agent_rows.replan(tx, id_)
    hours = schedule_rows.heartbeat_of(tx, agent.user_id).hours
    if not hours.holds(tx.moment):
        agent_rows.claim_wake(tx, id_, hours.first(tx.moment))
        return False
    later = tx.moment + timedelta(minutes=agent.wake_minutes)
    return agent_rows.claim_wake(tx, id_, hours.first(later))


def _begin(tx: Tx, id_: int) -> AgentTurn:
    agent = agent_turns.require_active(tx, id_)
    owner, text = agent.user_id, agent.wake_task or ""
    acting = agent_turns.acting_for(tx, agent, None)
    conversation = threads.managed_agent_thread(
        tx, agent.id, owner=owner, other=owner, name=agent.name
    )
    message = conversation_rows.add_message(
        tx, conversation, role="user", sender_type="agent", sender=owner, label=CLOCK, content=text
    )
    return agent_turns.begin(
        tx,
        agent,
        acting,
        payer=acting,
        conversation=conversation,
        message=message,
        text=text,
        history=(),
    )


def _tell_owner(tx: Tx, turn: AgentTurn, answer: int) -> None:
    """Tell the owner what the agent said, unless it is what it said the last time."""
    conversation = turn.begun.conversation
    rows: list[sqlite3.Row] = tx.all(
        "SELECT id, content FROM messages WHERE conversation_id = :id AND agent_id = :agent "
        "AND id <= :answer ORDER BY id DESC LIMIT 2",
        id=conversation,
        agent=turn.agent.id,
        answer=answer,
    )
    if not rows:
        return
    if len(rows) == 2 and rows[0]["content"] == rows[1]["content"]:
        conversation_rows.mark_read(tx, turn.agent.user_id, conversation, answer)
        return
    owner = senders.require_person_of_row(tx, turn.agent.user_id)
    sender = Sender(owner, "agent", turn.agent.name, turn.acting.agent)
    deliver_message.publish_message(
        tx,
        owner,
        sender,
        message=answer,
        conversation=conversation,
        mode="agent",
        content=rows[0]["content"],
    )


def _require_named(tx: Tx, username: str, handle: str) -> Agent:
    user = users.require_user(tx, username)["id"]
    found = agent_rows.find_named(tx, handle.strip().lower())
    if found is None or found.user_id != user:
        raise NotFound(f"There is no agent called {handle[:64]}.", field="handle")
    return found


def _set_wake(tx: Tx, agent: Agent, every_minutes: int | None, task: str | None) -> WakeSetting:
    if every_minutes is not None and (task or agent.wake_task) is None:
        raise Invalid("task must say what the agent is to do when it wakes.", field="task")
    agent_rows.set_wake(tx, agent.id, every_minutes, task or agent.wake_task)
    return _setting(agent_rows.require_own(tx, agent.user_id, agent.id))


def _setting(agent: Agent) -> WakeSetting:
    return WakeSetting(agent.handle, agent.wake_minutes, agent.wake_task, agent.next_wake_at)
