"""Asking another's agent: it answers at once, as its owner narrowed to what they granted; one's own agent needs no grant."""

import asyncio
import dataclasses
import time
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from app.account import users
from app.agent import chat, conversation_rows, episodes, turns
from app.agent.chat import Begun
from app.agent.meter import first_call
from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Record, Text
from app.core.tx import Tx
from app.errors import AppError, Forbidden
from app.network import delivery, grant_rows, senders, threads
from app.network.senders import Person
from app.tools import stop
from app.tools.origin import Origin

To = Annotated[str, Meta(min_length=1, max_length=200, description="<username>_coo")]
MessageText = Annotated[str, Meta(min_length=1, max_length=4000), Text()]


REMEMBERED = 12
"""So many messages of a thread its next turn is told."""


class Answered(Record, tag_field="mode", tag="agent"):
    """What an agent answered."""

    agent_name: str
    owner_name: str
    response: str
    intent: str
    tools_used: list[str]
    conversation_id: int
    elapsed_ms: int


@dataclasses.dataclass(frozen=True)
class Asked:
    """A question that stands in the tables: whose agent is asked, the caller that it runs as, the question's message, and the turn that answers."""

    owner: Person
    acting: Caller
    message: int
    begun: Begun


def is_agent(to: str) -> bool:
    """Say whether a recipient is somebody's agent; no username ends so."""
    return to.strip().lower().endswith(users.AGENT_SUFFIX)


@operation("TOOL", scope="agent.message:send", category="messaging", tool=True, risk="O", taint="agent")
async def contact_agent(app: App, me: Caller, *, to: To, message: MessageText) -> Answered:
    """Ask another person's agent and wait for its answer; `to` is that person's username, with or without _coo."""
    named = to if is_agent(to) else to.strip() + users.AGENT_SUFFIX
    return await ask(app, me, to=named, message=message, intent="query", by_agent=True)


async def ask(app: App, me: Caller, *, to: str, message: str, intent: str, by_agent: bool = False) -> Answered:
    """Give what the agent of `to` answers. Raises NotFound, Forbidden where its owner has not granted this, Unavailable when it takes too long."""
    began = time.perf_counter()
    stop.demand(app)
    settings = app.settings
    asked = await app.write(
        _begin, me, to.strip()[: -len(users.AGENT_SUFFIX)], message, by_agent=by_agent, most=settings.max_completion, seconds=settings.rpc_seconds
    )
    done = await asyncio.shield(app.tasks.start(_answer(app, me, asked, message)))
    if isinstance(done, AppError):
        raise done
    return Answered(
        asked.begun.agent_label, asked.owner.name, done.response, intent, done.tools_used, done.conversation_id,
        round((time.perf_counter() - began) * 1000),
    )  # fmt: skip


async def _answer(app: App, me: Caller, asked: Asked, message: str) -> chat.Answer | AppError:
    """Run the turn to its end, whether or not whoever asked still waits, and keep it in the memory of both."""
    done = await chat.answer(app, asked.acting, asked.begun, message, None, asyncio.Queue())
    await app.write(_remember, me, asked, message, "" if isinstance(done, AppError) else done.response)
    return done


def _begin(tx: Tx, me: Caller, username: str, message: str, *, by_agent: bool, most: int, seconds: int) -> Asked:
    """Store the question and the turn that answers it; reserve its first tokens, which count for the agent's owner."""
    owner = senders.find(tx, username)
    own = owner.id == me.user
    acting = me if own else _granted(tx, me, owner)
    sender, label = senders.sender(tx, me, agent=by_agent), senders.agent_name(tx, owner)
    conversation = threads.own_agent(tx, me.user) if own else threads.shared_agent(tx, owner.id, me.user)
    history = turns.remembered(tx, conversation) if own else said_before(tx, conversation, me.user)
    before = turns.taint(tx, conversation)
    held = first_call(tx, acting, feature="rpc", model=chat.OFFLINE, texts=(message, *history), most=most)
    stored = conversation_rows.add_message(
        tx, conversation, role="user", sender_type=sender.type, sender=me.user, label=sender.label, content=message
    )
    turn = turns.begin(tx, acting, conversation, message=stored, model=chat.OFFLINE)
    if not own:
        delivery.tell(tx, owner, sender, message=stored, conversation=conversation, mode="agent", content=message)
    begun = Begun(
        conversation, turn, tuple(history), ZoneInfo(users.settings_of_user(tx, owner.id).timezone), label, held, before,
        origin=Origin("rpc", conversation_id=conversation, peer=me.user_id), feature="rpc", words=frozenset({"agent"}), seconds=seconds,
    )  # fmt: skip
    return Asked(owner, acting, stored, begun)


def _granted(tx: Tx, me: Caller, owner: Person) -> Caller:
    """Give the caller that acts for an agent's owner within what they granted to the one who asks; raise Forbidden where that is nothing."""
    acting = grant_rows.peer(tx, owner.id, me.user)
    if acting is None:
        raise Forbidden(f"{owner.username} has not granted you access to their agent.", reason="agent_access_not_granted")
    return acting


def said_before(tx: Tx, conversation: int, asker: int) -> list[bytes]:
    """Give what asker and agent said to each other lately, as a brain remembers it.

    Of what the tools of those turns gave nothing: the grant may have become narrower since.
    """
    rows = tx.all(
        """SELECT role, content FROM messages WHERE conversation_id = :id AND (role = 'assistant' OR sender_id = :asker)
           ORDER BY id DESC LIMIT :most""",
        id=conversation, asker=asker, most=REMEMBERED,
    )  # fmt: skip
    kinds = {"user": ("request", "user-prompt"), "assistant": ("response", "text")}
    entries = [{"kind": kinds[role][0], "parts": [{"part_kind": kinds[role][1], "content": content}]} for role, content in reversed(rows)]
    return [msgspec.json.encode(entries)] if entries else []


def _remember(tx: Tx, me: Caller, asked: Asked, message: str, answer: str) -> None:
    """Mark what was answered as read by the one who asked, and keep it in their memory; the turn itself lies in that of the agent's owner."""
    conversation_rows.mark_read(tx, me, asked.begun.conversation)
    if asked.owner.id != me.user:
        conversation = asked.begun.conversation
        episodes.add(
            tx, me.user, kind="conversation", key=f"message {asked.message}", title=f"Asked {asked.begun.agent_label}", at=tx.now,
            text=f"{message}\n\n{answer}".strip(), path=f"conversations/{conversation}", conversation_id=conversation,
        )  # fmt: skip
