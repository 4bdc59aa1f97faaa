"""Asking another's agent: it answers at once, as its owner narrowed to what they granted.

One's own agent needs no grant.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account import users
from app.account.metering.token_rows import Feature
from app.agent.chat import chat
from app.agent.chat.chat import Begun, Wish
from app.agent.memory import episodes
from app.agent.models import model_choice
from app.agent.turn import conversation_rows, transcript, turn_history, turn_rows
from app.agent.turn.token_meter import reserve_first_call
from app.agent.turn.transcript import Part
from app.agent.turn.turn_result import Answer
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint, Tool, operation
from app.core.schema import NonBlankText, Record
from app.errors import AppError, BudgetExceeded, Forbidden, NotFound, Unavailable
from app.network.contacts import threads
from app.network.grants import grant_rows
from app.network.messages import deliver_message, senders, waiting_rows
from app.network.messages.senders import Person
from app.tools.approvals import stop_switch
from app.tools.approvals.call_origin import Origin

To = Annotated[str, Meta(min_length=1, max_length=200, description="<username>_coo")]
MessageText = Annotated[str, Meta(min_length=1, max_length=4000), NonBlankText()]


REMEMBERED = 12
"""How many messages of a thread its next turn is told."""
NO_BUDGET = "This agent's budget does not suffice for an answer now."


class Answered(Record, tag_field="mode", tag="agent"):
    """What an agent answered."""

    agent_name: str
    owner_name: str
    response: str
    intent: str
    tools_used: list[str]
    conversation_id: int
    elapsed_ms: int
    availability: waiting_rows.Reason | UnsetType = UNSET
    """Why the agent cannot answer now; the message is kept and answered later."""
    next_active_at: str | UnsetType | None = UNSET


class Question(msgspec.Struct, frozen=True):
    """A stored question: who asks whose agent, the caller it runs as, and the turn for it."""

    owner: Person
    asker: Person
    acting: Caller
    message: int
    text: str
    begun: Begun


def is_agent(to: str) -> bool:
    """Return whether a recipient is somebody's agent; no username ends so."""
    return to.strip().lower().endswith(users.AGENT_SUFFIX)


@operation("TOOL", scope="agent.message:send", tool=Tool(risk="O", taint="agent"))
async def contact_agent(app: App, me: Caller, *, to: To, message: MessageText) -> Answered:
    """Ask another person's agent, or a managed agent, and wait for its answer.

    `to` is that person's username or that agent's handle, with or without _coo.
    """
    named = to if is_agent(to) else to.strip() + users.AGENT_SUFFIX
    return await ask_agent(app, me, to=named, message=message, intent="query", by_agent=True)


async def ask_agent(
    app: App, me: Caller, *, to: str, message: str, intent: str, by_agent: bool = False
) -> Answered:
    """Return what the agent of `to` answers, the managed one of that handle where there is one.

    Where it cannot answer now the message waits, and `availability` says why.

    Raises NotFound, Forbidden where its owner has not granted this, Unavailable when it takes
    too long.
    """
    began = time.perf_counter()
    name = to.strip().lower().removesuffix(users.AGENT_SUFFIX)
    if app.glance(senders.is_managed_agent, name):
        if app.hooks.ask_managed_agent is None:
            raise NotFound(f"There is no user called {to[:64]}.", field="to")
        answer: Answered = await app.hooks.ask_managed_agent(
            app, me, handle=name, message=message, intent=intent, by_agent=by_agent
        )
        return msgspec.structs.replace(answer, elapsed_ms=milliseconds_since(began))
    try:
        stop_switch.require_running(app)
        asked = await app.write(_begin_question, me, name, message, by_agent=by_agent)
    except (stop_switch.AgentsStopped, BudgetExceeded) as error:
        kept = await app.write(_keep_waiting, me, name, message, by_agent=by_agent, error=error)
        return msgspec.structs.replace(kept, intent=intent, elapsed_ms=milliseconds_since(began))
    # The turn goes on and is stored when whoever asked hangs up.
    done = await asyncio.shield(app.tasks.start(_answer_question(app, asked)))
    if isinstance(done, AppError):
        # How much the owner has left is nobody else's business.
        if isinstance(done, BudgetExceeded) and asked.owner != asked.asker:
            raise Unavailable(NO_BUDGET)
        raise done
    return Answered(
        asked.begun.agent_label,
        asked.owner.name,
        done.response,
        intent,
        done.tools_used,
        done.conversation_id,
        milliseconds_since(began),
    )


async def run_turn(app: App, asked: Question) -> Answer | AppError:
    """Run the turn to its end and keep it in the memory of both sides."""
    wish = Wish(asked.text, None, None, app.clock().astimezone(asked.begun.zone))
    done = await chat.run_to_end(app, asked.acting, asked.begun, wish, asyncio.Queue())
    await app.write(_remember_exchange, asked, "" if isinstance(done, AppError) else done.response)
    return done


def granted_caller(tx: Tx, asker: Person, owner: Person) -> Caller:
    """Return the caller that acts for an agent's owner within what they granted to the one who
    asks; raise Forbidden where that is nothing.
    """
    acting = grant_rows.peer_caller(tx, owner.id, asker.id)
    if acting is None:
        raise _no_access(owner.username)
    return acting


def _no_access(username: str) -> Forbidden:
    return Forbidden(
        f"{username} has not granted you access to their agent.", reason="agent_access_not_granted"
    )


def begin_turn(
    tx: Tx,
    acting: Caller,
    *,
    owner: Person,
    asker: Person,
    conversation: int,
    message: int,
    text: str,
) -> Question:
    """Begin the turn that answers a question.

    Its first tokens are reserved, and count for the agent's owner. Raises BudgetExceeded.
    """
    own = owner == asker
    history = (
        turn_rows.recent_histories(tx, conversation)
        if own
        else recent_exchange(tx, conversation, asker.id, before=message)
    )
    origin = Origin("rpc", conversation_id=conversation, peer=asker.user_id)
    begun = insert_turn(
        tx,
        acting,
        owner=owner,
        origin=origin,
        feature="rpc",
        words=frozenset({"agent"}),
        conversation=conversation,
        message=message,
        text=text,
        history=history,
    )
    return Question(owner, asker, acting, message, text, begun)


def insert_turn(
    tx: Tx,
    acting: Caller,
    *,
    owner: Person,
    origin: Origin,
    feature: Feature,
    words: frozenset[Taint],
    conversation: int,
    message: int,
    text: str,
    history: Sequence[bytes],
    told: str | None = None,
) -> Begun:
    """Begin the turn in which an owner's agent answers somebody else.

    Its tokens count for the owner. Raises BudgetExceeded.
    """
    before = turn_rows.recent_taint(tx, conversation)
    model = model_choice.name_of(tx, acting)
    # Reserved in the transaction that stores the question, so two at once cannot share a budget.
    held = reserve_first_call(
        tx, acting, feature=feature, model=model, texts=(text, told or "", *history)
    )
    turn = turn_rows.begin(tx, acting, conversation, message=message, model=model)
    zone = ZoneInfo(users.settings_of(tx, owner.id).timezone)
    return Begun(
        conversation,
        turn,
        tuple(history),
        zone,
        senders.agent_name(tx, owner),
        model,
        held,
        before,
        origin=origin,
        feature=feature,
        words=words,
        seconds=tx.settings.rpc_seconds,
        told=told,
    )


def recent_exchange(tx: Tx, conversation: int, asker: int | None, *, before: int) -> list[bytes]:
    """Return what asker and agent said to each other lately, in the form of a turn's history."""
    # Texts only, no results of tools: the grant may have become narrower since.
    rows = tx.all(
        """SELECT role, content FROM messages WHERE conversation_id = :id
          AND id < :before AND (role = 'assistant' OR sender_id IS :asker)
           ORDER BY id DESC LIMIT :most""",
        id=conversation,
        asker=asker,
        before=before,
        most=REMEMBERED,
    )
    kinds: dict[str, transcript.Kind] = {"user": "asked", "assistant": "said"}
    messages = [[Part(kinds[role], content)] for role, content in reversed(rows)]
    return [turn_history.encode(messages)] if messages else []


async def _answer_question(app: App, asked: Question) -> Answer | AppError:
    """Run the turn, whether or not whoever asked still waits; they have read what they are told."""
    done = await run_turn(app, asked)
    await app.write(conversation_rows.mark_read, asked.asker.id, asked.begun.conversation)
    return done


def _begin_question(tx: Tx, me: Caller, username: str, text: str, *, by_agent: bool) -> Question:
    """Store the question and the turn that answers it."""
    owner, asker = senders.require_person(tx, username), senders.require_person_of_row(tx, me.user)
    # what others grant a user, and the user's own agent, are not for the user's managed agents
    if me.agent is not None:
        raise _no_access(owner.username)
    acting = me if owner == asker else granted_caller(tx, asker, owner)
    conversation, message = _store_question(tx, me, owner, text, by_agent=by_agent)
    return begin_turn(
        tx, acting, owner=owner, asker=asker, conversation=conversation, message=message, text=text
    )


def _keep_waiting(
    tx: Tx, me: Caller, username: str, text: str, *, by_agent: bool, error: AppError
) -> Answered:
    """Let a question wait until its agent can answer.

    Raise the error where it is one's own, Unavailable where too many wait.
    """
    owner, asker = senders.require_person(tx, username), senders.require_person_of_row(tx, me.user)
    if owner == asker or me.agent is not None:
        raise error
    granted_caller(tx, asker, owner)
    conversation, message = _store_question(tx, me, owner, text, by_agent=by_agent)
    reason: waiting_rows.Reason = "budget_spent" if isinstance(error, BudgetExceeded) else "paused"
    next_at = error.details.get("resetsAt")
    if not waiting_rows.insert_waiting(
        tx, message, owner=owner.id, asker=asker.id, reason=reason, next_at=next_at
    ):
        raise Unavailable(
            "This agent cannot answer now, and as many of your messages wait for it as it "
            "keeps; try again later."
        )
    return Answered(
        senders.agent_name(tx, owner), owner.name, "", "", [], conversation, 0, reason, next_at
    )


def _store_question(
    tx: Tx, me: Caller, owner: Person, text: str, *, by_agent: bool
) -> tuple[int, int]:
    """Store a question and tell the agent's owner; return its conversation and its id."""
    conversation = (
        threads.own_agent_thread(tx, me.user)
        if owner.id == me.user
        else threads.shared_agent_thread(tx, owner.id, me.user)
    )
    message = deliver_message.store_question(tx, me, owner, conversation, text, by_agent=by_agent)
    return conversation, message


def _remember_exchange(tx: Tx, asked: Question, answer: str) -> None:
    """Keep what was asked and answered in the memory of the one who asked."""
    if asked.owner != asked.asker:  # one's own agent remembers the turn itself
        remember_question(
            tx,
            asked.asker.id,
            label=asked.begun.agent_label,
            conversation=asked.begun.conversation,
            message=asked.message,
            text=f"{asked.text}\n\n{answer}".strip(),
        )


def remember_question(
    tx: Tx, asker: int, *, label: str, conversation: int, message: int, text: str
) -> None:
    """Keep what was asked of an agent, and its answer, in the memory of the one who asked."""
    episodes.add(
        tx,
        asker,
        kind="conversation",
        key=f"message {message}",
        title=f"Asked {label}",
        at=tx.now,
        text=text,
        path=f"conversations/{conversation}",
        conversation_id=conversation,
    )


def milliseconds_since(began: float) -> int:
    """Return the milliseconds since a moment of the monotonic clock."""
    return round((time.perf_counter() - began) * 1000)
