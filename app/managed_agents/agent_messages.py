"""Messages to managed agents, which answer them at once to whom their visibility lets in."""

import asyncio
from datetime import timedelta

from app.account import contact_pairs
from app.agent.chat.chat import Events
from app.agent.turn import conversation_rows
from app.agent.turn.turn_result import Answer
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import AppError, BudgetExceeded, Forbidden, Invalid, NotFound, RateLimited
from app.managed_agents import agent_rows, agent_turns
from app.managed_agents.agent_rows import Agent
from app.managed_agents.agent_turns import NO_WORDS, AgentTurn
from app.network.contacts import threads
from app.network.messages import agent_rpc, deliver_message, senders
from app.network.messages.agent_rpc import Answered
from app.network.messages.senders import Person
from app.tools.approvals import stop_switch

MOST_AGENTS_IN_A_ROW = 3
MOST_AN_HOUR = 20
"""How many messages one agent may send another in an hour, so that two programs which answer each
other come to an end.
"""
HOUR = timedelta(hours=1)


async def ask(
    app: App, me: Caller, *, handle: str, message: str, intent: str, by_agent: bool
) -> Answered:
    """Return what the managed agent of that handle or id answers.

    Raises NotFound, Forbidden for whom it is not visible to, AgentPaused, BudgetExceeded,
    Unavailable when it takes too long.
    """
    stop_switch.require_running(app)
    turn = await app.write(_begin, me, handle, message, by_agent=by_agent)
    # the turn goes on and is stored when whoever asked hangs up
    done = await asyncio.shield(app.tasks.start(_answer(app, me, turn)))
    owner = app.quick(senders.require_person_of_row, turn.agent.user_id)
    if isinstance(done, AppError):
        raise _as_told(done, me, owner)
    return Answered(
        turn.agent.name, owner.name, done.response, intent, done.tools_used, done.conversation_id, 0
    )


async def _answer(app: App, me: Caller, turn: AgentTurn) -> Answer | AppError:
    done = await agent_turns.run(app, turn, Events())
    await app.write(_note_answer, me, turn, "" if isinstance(done, AppError) else done.response)
    return done


def require_access(tx: Tx, agent: Agent, me: Caller) -> None:
    """Raise Forbidden unless an agent answers the caller.

    A private one answers its owner and none of their other agents, which may be narrower.
    """
    own = me.user == agent.user_id
    if agent.visibility == "anyone" or (own and me.agent is None):
        return
    if agent.visibility == "contacts" and (
        own or contact_pairs.are_contacts(tx, agent.user_id, me.user)
    ):
        return
    raise Forbidden(
        f"{agent.handle} does not answer you: its owner has not opened it to you.",
        reason="agent_access_not_granted",
    )


def _begin(tx: Tx, me: Caller, handle: str, text: str, *, by_agent: bool) -> AgentTurn:
    """Store a message to an agent and the turn that answers it."""
    agent = agent_rows.find_named(tx, handle)
    if agent is None:
        raise NotFound(f"There is no user called {handle[:64]}.", field="to")
    before = _agents_before(agent, me)
    require_access(tx, agent, me)
    agent_turns.require_active(tx, agent.id)
    owner = senders.require_person_of_row(tx, agent.user_id)
    own = owner.id == me.user
    conversation = threads.managed_agent_thread(
        tx,
        agent.id,
        owner=owner.id,
        other=me.user,
        name=agent.name,
        from_agent=me.agent.id if me.agent else 0,
    )
    if me.agent is not None:
        _require_no_flood(tx, conversation, me.agent.id)
    message = deliver_message.store_question(tx, me, owner, conversation, text, by_agent=by_agent)
    asker = None if me.agent is not None else me.user
    try:
        return agent_turns.begin(
            tx,
            agent,
            agent_turns.acting_for(tx, agent, me, before=before, asked_by_other=not own),
            # what the owner's credential asks counts under it, what others ask under the agent
            payer=me if own else agent_turns.acting_for(tx, agent, None),
            conversation=conversation,
            message=message,
            text=text,
            history=agent_turns.recent_exchange(tx, agent, conversation, asker, before=message),
            words=NO_WORDS if own and not by_agent and me.agent is None else frozenset({"agent"}),
            seconds=tx.settings.rpc_seconds,
        )
    except BudgetExceeded as error:
        raise _as_told(error, me, owner) from None


def _agents_before(agent: Agent, me: Caller) -> tuple[int, ...]:
    """Return the agents whose turns have led to this message; raise where they run in a circle."""
    if me.agent is None:
        return ()
    line = (*me.agent.before, me.agent.id)
    if me.agent.id == agent.id:
        raise Invalid("to must not be the agent that sends.", field="to")
    if agent.id in line or len(line) >= MOST_AGENTS_IN_A_ROW:
        raise Forbidden(
            "Agents must not ask each other in a circle, nor more than "
            f"{MOST_AGENTS_IN_A_ROW} in a row.",
            reason="agents_in_a_circle",
        )
    return line


def _require_no_flood(tx: Tx, conversation: int, sender: int) -> None:
    rows = tx.all(
        "SELECT created_at FROM messages WHERE agent_id = :sender AND conversation_id = :id "
        "AND created_at > :since ORDER BY created_at DESC LIMIT :most",
        sender=sender,
        id=conversation,
        since=stamp(tx.moment - HOUR),
        most=MOST_AN_HOUR,
    )
    if len(rows) >= MOST_AN_HOUR:
        raise RateLimited(
            f"An agent sends another at most {MOST_AN_HOUR} messages an hour.",
            retryAfter=int(HOUR.total_seconds()),
        )


def _note_answer(tx: Tx, me: Caller, turn: AgentTurn, answer: str) -> None:
    """Take the answer as read by the one who waited for it, and keep it in their memory."""
    conversation_rows.mark_read(tx, me.user, turn.begun.conversation)
    # the owner's memory has the turn already, and an agent's question is no memory of its owner's
    if me.user != turn.agent.user_id and me.agent is None:
        agent_rpc.remember_question(
            tx,
            me.user,
            label=turn.agent.name,
            conversation=turn.begun.conversation,
            message=turn.message,
            text=f"{turn.text}\n\n{answer}".strip(),
        )


def _as_told(error: AppError, me: Caller, owner: Person) -> AppError:
    """Return an error as the one who asked may hear it: how much an owner has left is nobody
    else's business.
    """
    if isinstance(error, BudgetExceeded) and owner.id != me.user:
        return BudgetExceeded(agent_rpc.NO_BUDGET, **{**error.details, "cap": None})
    return error
