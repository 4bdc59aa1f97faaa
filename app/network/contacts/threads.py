"""Threads: the one conversation of two people, or of a person with an agent."""

from typing import Literal

from app.agent.turn import conversation_rows
from app.core.database.tx import Tx

Kind = Literal["direct", "shared_agent", "own_agent"]
TYPES: dict[Kind, conversation_rows.Type] = {
    "direct": "direct",
    "shared_agent": "shared_agent",
    "own_agent": "direct",
}


def direct_thread(tx: Tx, user: int, other: int) -> int:
    """Return the conversation in which two people write to each other themselves.

    It is made when it is first needed.
    """
    # Sorted, so that the unique index holds the pair to one thread whoever writes first.
    first, second = sorted((user, other))
    return _ensure_thread(tx, "direct", first, second, owner=None)


def shared_agent_thread(tx: Tx, owner: int, other: int) -> int:
    """Return the conversation of a user's agent with another person, questions both ways."""
    return _ensure_thread(tx, "shared_agent", owner, other, owner=owner)


def own_agent_thread(tx: Tx, user: int) -> int:
    """Return the conversation of a user's agent with what is sent to it in its owner's name."""
    return _ensure_thread(tx, "own_agent", user, user, owner=user)


def managed_agent_thread(
    tx: Tx, agent: int, *, owner: int, other: int, name: str, from_agent: int = 0
) -> int:
    """Return the conversation of a managed agent with a person, or with the agent `from_agent` of
    that person.
    """
    found: int | None = tx.value(
        "SELECT conversation_id FROM agent_threads "
        "WHERE agent_id = :agent AND user_id = :other AND from_agent = :from_agent",
        agent=agent,
        other=other,
        from_agent=from_agent,
    )
    if found is not None:
        return found
    conversation = conversation_rows.begin(
        tx,
        type="direct" if owner == other else "shared_agent",
        owner=owner,
        agent=agent,
        title=name,
        members=tuple(dict.fromkeys((owner, other))),
    )
    tx.insert(
        "agent_threads",
        agent_id=agent,
        user_id=other,
        from_agent=from_agent,
        conversation_id=conversation,
    )
    return conversation


def _ensure_thread(tx: Tx, kind: Kind, user: int, other: int, *, owner: int | None) -> int:
    found: int | None = tx.value(
        "SELECT conversation_id FROM threads "
        "WHERE kind = :kind AND user_id = :user AND other_id = :other",
        kind=kind,
        user=user,
        other=other,
    )
    if found is not None:
        return found
    # Readers see the other side's name instead, for as long as that account exists.
    title = "Messages to my agent" if kind == "own_agent" else "Someone who is gone"
    members = tuple(dict.fromkeys((user, other)))
    conversation = conversation_rows.begin(
        tx, type=TYPES[kind], owner=owner, title=title, members=members
    )
    tx.insert("threads", kind=kind, user_id=user, other_id=other, conversation_id=conversation)
    return conversation
