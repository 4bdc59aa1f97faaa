"""Messages to people, to their agents and to groups: one endpoint, whose `to` says which.

A message conveys intent, never authority.
"""

import re
import time
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from app.account import contact_pairs, users
from app.agent.heartbeat import tell_owner
from app.core.app import App
from app.core.caller import AgentIdentity, Caller
from app.core.database.tx import Tx
from app.core.idempotency import Runner
from app.core.operation import Http, Tool, operation
from app.core.schema import LARGEST_ID, Line, Record, Text
from app.errors import ClientMessageIdConflict, Forbidden, Invalid, NotFound
from app.network.contacts import threads
from app.network.messages import agent_rpc, deliver_message, groups, senders
from app.network.messages.agent_rpc import MessageText, milliseconds_since

IDEMPOTENT_SECONDS = 300
GROUP = "group:"
_INTEGER = re.compile("-?[0-9]+")

To = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="<username>, <username>_coo for that user's agent, <handle> of a managed "
        "agent, or group:<conversationId>",
    ),
]
Human = Annotated[str, Meta(min_length=1, max_length=200)]
Intent = Annotated[str, Line(0, 64)]
ClientMessageId = Annotated[str, Meta(min_length=1, max_length=128), Text()]


class Delivered(Record, tag_field="mode", tag="human"):
    """A message that lies in a person's inbox."""

    recipient_name: str
    delivered: bool
    response: None
    intent: str
    conversation_id: int
    message_id: int | None
    elapsed_ms: int


class Posted(Record, tag_field="mode", tag="group"):
    """A message in a group; of one that came before under its `clientMessageId` the first."""

    group_name: str
    conversation_id: int
    message_id: int
    delivered: bool
    response: None
    intent: str
    duplicate: bool
    elapsed_ms: int


Write = Callable[[Tx, Caller], Delivered | Posted]


def _single_transaction(
    app: Runner, *, to: str, message: str, intent: str | None, client_message_id: str | None
) -> Write | None:
    """Return the one transaction that such a message is; None for one that an agent answers."""
    # As one transaction it shares that of its Idempotency-Key: stored together or not at all.
    began = time.perf_counter()
    label = "inform" if intent is None else intent
    if to.startswith(GROUP):
        return lambda tx, me: _post_to_group(
            tx, me, to.removeprefix(GROUP), message, label, client_message_id, began
        )
    if agent_rpc.is_agent(to) or app.glance(senders.is_managed_agent, to):
        return None
    return lambda tx, me: _send_to_person(tx, me, to, message, label, began)


@operation(
    "POST /agent/message",
    scope="agent.message:send",
    also=("POST /net/messages",),
    http=Http(
        refuses={"to": "it is the caller, or group: without a number"},
        idempotent=IDEMPOTENT_SECONDS,
        once=_single_transaction,
    ),
)
async def send_message(
    app: App,
    me: Caller,
    *,
    to: To,
    message: MessageText,
    intent: Intent | None = None,
    client_message_id: ClientMessageId | None = None,
) -> agent_rpc.Answered | Delivered | Posted:
    """Send a message to a person's inbox, to an agent, which answers, or into a group.

    `to` is a username or a user's id, `<username>_coo`, the handle of a managed agent, or
    `group:<conversationId>`. With a
    `clientMessageId` a message comes into a group only once.
    """
    step = _single_transaction(
        app, to=to, message=message, intent=intent, client_message_id=client_message_id
    )
    if step is None:
        return await agent_rpc.ask_agent(
            app, me, to=to, message=message, intent="query" if intent is None else intent
        )
    return await app.write(step, me)


@operation(
    "TOOL", scope="agent.message:send", tool=Tool(names={"recipientId": "recipient_id"}, risk="O")
)
def send_message_to_human(
    tx: Tx,
    me: Caller,
    *,
    message: MessageText,
    to: Human | None = None,
    recipient_id: Human | None = None,
) -> Delivered:
    """Send a message to a person's inbox, in the name of the user's agent.

    `to` is a username, `recipient_id` a user's id. Nobody answers at once.

    Without both it is for the user: it lies unread in the conversation with their own agent.
    """
    if to is not None and recipient_id is not None:
        raise Invalid("Give either to or recipient_id.", field="to")
    named = to or recipient_id
    if named is None:
        return _send_to_owner(tx, me, message, time.perf_counter())
    return _send_to_person(tx, me, named, message, "inform", time.perf_counter(), by_agent=True)


def _send_to_person(
    tx: Tx, me: Caller, to: str, message: str, intent: str, began: float, *, by_agent: bool = False
) -> Delivered:
    """Put a message into a person's inbox."""
    person = senders.require_person(tx, to)
    if me.agent is not None:
        return _send_from_agent(tx, me, me.agent, person, message, intent, began)
    if person.id == me.user:
        raise Invalid("to must not be yourself; your own agent is <username>_coo.", field="to")
    require_open(tx, me.user, person)
    sender = senders.sender_of(tx, me, agent=by_agent)
    human = sender.type == "human"
    conversation = (
        threads.direct_thread(tx, me.user, person.id)
        if human
        else threads.shared_agent_thread(tx, me.user, person.id)
    )
    id_ = deliver_message.deliver_message(
        tx, conversation, sender, message, to=(person,), mode="human"
    )
    return Delivered(person.name, True, None, intent, conversation, id_, milliseconds_since(began))


def _send_from_agent(
    tx: Tx,
    me: Caller,
    agent: AgentIdentity,
    person: senders.Person,
    message: str,
    intent: str,
    began: float,
) -> Delivered:
    """Put a message of a managed agent's into its conversation with a person."""
    if person.id != me.user:
        require_open(tx, me.user, person)
    conversation = threads.managed_agent_thread(
        tx, agent.id, owner=me.user, other=person.id, name=agent.name
    )
    id_ = deliver_message.deliver_message(
        tx, conversation, senders.sender_of(tx, me), message, to=(person,), mode="human"
    )
    return Delivered(person.name, True, None, intent, conversation, id_, milliseconds_since(began))


def _send_to_owner(tx: Tx, me: Caller, message: str, began: float) -> Delivered:
    """Put a message where the user's own agent speaks unasked."""
    if me.agent is not None:
        owner = senders.require_person_of_row(tx, me.user)
        return _send_from_agent(tx, me, me.agent, owner, message, "inform", began)
    id_ = tell_owner.send_message(tx, me.user, message)
    conversation = tx.value("SELECT conversation_id FROM messages WHERE id = :id", id=id_)
    return Delivered(
        users.settings_of(tx, me.user).name,
        True,
        None,
        "inform",
        conversation,
        id_,
        milliseconds_since(began),
    )


def require_open(tx: Tx, user: int, person: senders.Person) -> None:
    """Raise Forbidden when a person takes messages from their contacts alone and the user is
    none.
    """
    inbox_from = users.settings_of(tx, person.id).inbox_from
    if inbox_from == "contacts" and not contact_pairs.are_contacts(tx, person.id, user):
        raise Forbidden(
            f"{person.username} takes messages from their contacts only.", reason="contacts_only"
        )


def _post_to_group(
    tx: Tx,
    me: Caller,
    group: str,
    message: str,
    intent: str,
    client_message_id: str | None,
    began: float,
) -> Posted:
    """Put a message into a group, or find it there when it came before."""
    conversation = _group_id(group)
    # a group is its members', and a managed agent is none
    name = groups.group_name_for(tx, me, conversation) if me.agent is None else None
    if name is None:
        raise NotFound(groups.NO_GROUP, field="to")
    if (
        client_message_id is not None
        and (earlier := _find_earlier(tx, me, conversation, message, client_message_id)) is not None
    ):
        return Posted(
            name, conversation, earlier, True, None, intent, True, milliseconds_since(began)
        )
    others = [person for person in groups.people_in(tx, conversation) if person.id != me.user]
    id_ = deliver_message.deliver_message(
        tx,
        conversation,
        senders.sender_of(tx, me),
        message,
        to=others,
        mode="group",
        client_message_id=client_message_id,
    )
    return Posted(name, conversation, id_, True, None, intent, False, milliseconds_since(began))


def _group_id(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise Invalid("to must be group: and the number of a conversation.", field="to")
    return min(int(text), LARGEST_ID)  # a longer number would not fit into SQLite's integers


def _find_earlier(
    tx: Tx, me: Caller, conversation: int, message: str, client_message_id: str
) -> int | None:
    """Return the message that the caller sent into the group under this id.

    Raise ClientMessageIdConflict when it said something else.
    """
    row = tx.one(
        "SELECT id, content FROM messages "
        "WHERE conversation_id = :id AND sender_id = :me "
        "AND client_message_id = :client",
        id=conversation,
        me=me.user,
        client=client_message_id,
    )
    if row is not None and row["content"] != message:
        raise ClientMessageIdConflict(
            "This clientMessageId came with another message before; use a new one.",
            messageId=row["id"],
        )
    return None if row is None else int(row["id"])
