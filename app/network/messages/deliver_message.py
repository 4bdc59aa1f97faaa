"""What happens with every message between people.

It is stored, remembered by those who may read it, and they are told.
"""

from collections.abc import Iterable
from typing import Literal

from app.agent.heartbeat import clock
from app.agent.memory import message_memory
from app.agent.turn import conversation_rows
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.network.messages.senders import Person, Sender, sender_of

RECEIVED = "message.received"
"""Published for each user whom a message is for."""
PREVIEW = 200
Mode = Literal["human", "agent", "group"]


def deliver_message(
    tx: Tx,
    conversation: int,
    sender: Sender,
    content: str,
    *,
    to: Iterable[Person],
    mode: Mode,
    client_message_id: str | None = None,
) -> int:
    """Store a message, add it to its readers' memory, tell its recipients and return its id."""
    message = store_message(tx, conversation, sender, content, client_message_id)
    message_memory.add(tx, message)
    for person in to:
        publish_message(
            tx,
            person,
            sender,
            message=message,
            conversation=conversation,
            mode=mode,
            content=content,
        )
        # The heartbeat looks at new messages at once instead of at its next hour.
        # What an agent writes to its own owner is no reason to.
        if person.id != sender.person.id:
            clock.wake(tx, person.id)
    return message


def store_message(
    tx: Tx, conversation: int, sender: Sender, content: str, client_message_id: str | None = None
) -> int:
    """Store what somebody wrote in a conversation and return its id."""
    return conversation_rows.add_message(
        tx,
        conversation,
        role="user",
        sender_type=sender.type,
        sender=sender.row,
        agent=sender.agent_row,
        label=sender.label,
        content=content,
        client_message_id=client_message_id,
    )


def store_question(
    tx: Tx, me: Caller, owner: Person, conversation: int, text: str, *, by_agent: bool
) -> int:
    """Store a message to an agent, tell its owner where somebody else sent it, return its id."""
    sender = sender_of(tx, me, agent=by_agent)
    message = store_message(tx, conversation, sender, text)
    if owner.id != me.user:
        publish_message(
            tx,
            owner,
            sender,
            message=message,
            conversation=conversation,
            mode="agent",
            content=text,
        )
    return message


def publish_message(
    tx: Tx,
    person: Person,
    sender: Sender,
    *,
    message: int,
    conversation: int,
    mode: Mode,
    content: str,
) -> None:
    """Publish, once it is committed, that there is a message for someone."""
    tx.emit(
        RECEIVED,
        user=person.id,
        messageId=message,
        conversationId=conversation,
        mode=mode,
        sender=sender.shown,
        preview=content[:PREVIEW],
        createdAt=tx.now,
    )
