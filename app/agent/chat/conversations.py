"""Conversations: with the caller's own agent, with people and their agents, in groups.

List, read and search them, and mark them as read.
"""

import sqlite3
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from app.account import users
from app.agent.memory import episode_vectors
from app.agent.turn import conversation_rows as rows
from app.agent.turn import message_attachments
from app.agent.turn.message_attachments import MessageAttachment
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Id, Most, Offset, Record
from app.workspace.index.spellings import find_words, fts_phrase

View = Literal["me", "coo", "group", "all"]
TYPES = {"me": "direct", "coo": "shared_agent", "group": "group"}
VIEWS = {type_: view for view, type_ in TYPES.items()}


class Person(Record):
    user_id: str
    username: str
    name: str


class Group(Record):
    name: str
    admin_id: str
    member_count: int


class Message(Record):
    """One message; `role` is assistant for an agent's answer."""

    id: int
    role: str
    sender_type: str
    sender_id: str | None
    sender_label: str
    content: str
    created_at: str
    client_message_id: str | None


class WholeMessage(Message):
    """One message with its files, where it has any."""

    attachments: list[MessageAttachment] | UnsetType = UNSET


class Head(Record):
    """A conversation without its messages."""

    conversation_id: int
    type: str
    view: str
    title: str
    contact: Person | None
    group: Group | None
    owner_id: str | None
    message_count: int
    unread_count: int
    updated_at: str


class Conversation(Head):
    """A conversation with its newest messages, oldest first."""

    messages: list[WholeMessage]


class FoundMessage(Message):
    """A message that a search found."""

    conversation_id: int
    conversation_type: str
    group_name: str | None
    sender_name: str


class Summary(Record):
    total: int
    view: str
    query: str


class Listed(Record):
    """Conversations; with a query instead the messages that hold its words."""

    conversations: list[Conversation] | UnsetType = UNSET
    messages: list[FoundMessage] | UnsetType = UNSET
    summary: Summary | UnsetType = UNSET


class OneConversation(Record):
    conversation: Head
    messages: list[WholeMessage]
    has_more: bool


class Unread(Record):
    unread_count: int


@operation(
    "GET /conversations",
    scope="agent.chat:read",
    also=("GET /net/conversations",),
    tool=Tool(risk="R", taint="agent", namespace="messaging"),
)
def list_conversations(
    tx: Tx,
    me: Caller,
    *,
    view: View = "all",
    contact: Annotated[str, Meta(max_length=200)] | None = None,
    q: Annotated[str, Meta(max_length=1000)] | None = None,
    limit: Annotated[int, Meta(ge=1), Most(100)] = 20,
    message_limit: Annotated[int, Meta(ge=0), Most(200)] = 50,
    after_message_id: Offset | None = None,
) -> Listed:
    """List the caller's conversations, or with `q` the messages that hold all its words.

    The newest come first: conversations by their newest message.

    `contact` is a username or a user's id; `afterMessageId` leaves out messages up to that one, and
    conversations that have none after it.
    """
    condition, params = _list_condition(me, view, contact, after_message_id)
    if q is not None:
        return find_messages(tx, condition, params, view=view, query=q, limit=limit)
    found = tx.all(
        f"""SELECT c.*, m.read_id, m.since_id FROM conversation_members m
            JOIN conversations c ON c.id = m.conversation_id
            WHERE {condition} ORDER BY m.active_at DESC, c.id DESC LIMIT :limit""",
        **params,
        limit=limit,
    )
    return Listed(
        conversations=[
            conversation_record(tx, me, row, message_limit, after_message_id) for row in found
        ]
    )


@operation(
    "GET /conversations/{id}", scope="agent.chat:read", also=("GET /net/conversations/{id}",)
)
def read_conversation(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    before: Id | None = None,
) -> OneConversation:
    """Read a conversation: its newest messages, or those before a message, oldest first."""
    row = rows.require_member_of(tx, me, id)
    # One more than asked for tells whether there are more.
    messages = _newest_messages(tx, id, limit + 1, before=before, after=row["since_id"])
    return OneConversation(
        Head(*_conversation_head(tx, me, row)), messages[-limit:], len(messages) > limit
    )


@operation("POST /conversations/{id}/read", scope="agent.chat:read")
def mark_read(tx: Tx, me: Caller, *, id: Id, message_id: Offset | None = None) -> Unread:
    """Mark a conversation as read, up to a message or to its end."""
    rows.require_member_of(tx, me, id)
    return Unread(rows.mark_read(tx, me.user, id, message_id))


@operation("DELETE /conversations/{id}", scope="agent.chat:run")
def delete_conversation(tx: Tx, me: Caller, *, id: Id) -> Record:
    """Delete a conversation with one's own agent for good; hide any other from the caller.

    A hidden conversation comes back with its next message.
    """
    row = rows.require_member_of(tx, me, id)
    if row["type"] == "direct" and row["owner_id"] == me.user:
        rows.delete(tx, id)
    else:
        rows.hide(tx, me, id)
    return Record()


def _list_condition(
    me: Caller, view: View, contact: str | None, after: int | None
) -> tuple[str, dict[str, object]]:
    """Return the SQL condition on `m`, the caller's part, and `c`, the conversation; and its
    parameters.
    """
    conditions = ["m.user_id = :me", "m.hidden = 0"]
    if view != "all":
        conditions.append("c.type = :type")
    if contact is not None:
        conditions.append(
            """c.type <> 'group' AND EXISTS (
                 SELECT 1 FROM conversation_members other JOIN users ON users.id = other.user_id
                 WHERE other.conversation_id = c.id AND other.user_id <> :me
                   AND (users.username = :contact OR users.uuid = :contact))"""
        )
    if after is not None:
        conditions.append(
            "EXISTS (SELECT 1 FROM messages WHERE messages.conversation_id = c.id "
            "AND messages.id > max(:after, m.since_id))"
        )
    params: dict[str, object] = {
        "me": me.user,
        "type": TYPES.get(view),
        "contact": contact and contact.strip().lower(),
        "after": after,
    }
    return " AND ".join(conditions), params


def find_messages(
    tx: Tx,
    condition: str,
    params: dict[str, object],
    *,
    view: View,
    query: str,
    limit: int,
    offset: int = 0,
) -> Listed:
    """Return the messages that hold all words of a query, newest first, in conversations that
    fulfil an SQL condition on `m`, the caller's part, and `c`.
    """
    # Each word as a phrase of its own: nothing that a user types is FTS syntax.
    match = " AND ".join(fts_phrase(word) for word in find_words(query))
    if not match:
        return Listed(messages=[], summary=Summary(0, view, query))
    after = "" if params.get("after") is None else " AND messages.id > :after"
    where = f"""FROM message_words JOIN messages ON messages.id = message_words.rowid
            JOIN conversations c ON c.id = messages.conversation_id
            JOIN conversation_members m ON m.conversation_id = c.id AND messages.id > m.since_id
            LEFT JOIN users ON users.id = messages.sender_id
            WHERE message_words MATCH :match AND {condition}{after}"""
    total = tx.value(f"SELECT count(*) {where}", **params, match=match)
    found = tx.all(
        f"""SELECT {_MESSAGE}, c.id AS conversation, c.type, c.title,
              ifnull(users.name, messages.sender_label) AS sender_name
            {where} ORDER BY messages.id DESC LIMIT :limit OFFSET :offset""",
        **params,
        match=match,
        limit=limit,
        offset=offset,
    )
    return Listed(
        messages=[_found_record(row) for row in found], summary=Summary(total, view, query)
    )


def _found_record(row: sqlite3.Row) -> FoundMessage:
    group = row["title"] if row["type"] == "group" else None
    fields: list[Any] = [*row[:8], row["conversation"], row["type"], group, row["sender_name"]]
    return FoundMessage(*fields)


def conversation_record(
    tx: Tx, me: Caller, row: sqlite3.Row, limit: int, after: int | None
) -> Conversation:
    """Return a conversation as lists show it, with its newest messages."""
    return Conversation(
        *_conversation_head(tx, me, row),
        _newest_messages(tx, row["id"], limit, after=max(after or 0, row["since_id"])),
    )


def _conversation_head(
    tx: Tx, me: Caller, row: sqlite3.Row
) -> tuple[int, str, str, str, Person | None, Group | None, str | None, int, int, str]:
    number = tx.value(
        "SELECT count(*) FROM messages WHERE conversation_id = :id AND id > :since",
        id=row["id"],
        since=row["since_id"],
    )
    owner = (
        None
        if row["owner_id"] is None
        else tx.value("SELECT uuid FROM users WHERE id = :id", id=row["owner_id"])
    )
    group = _group_record(tx, row) if row["type"] == "group" else None
    contact = _other_person(tx, me, row["id"]) if group is None else None
    # With a person it is called by them, whatever it began with.
    title = contact.name if contact is not None else row["title"]
    unread = rows.count_unread(tx, me.user, row["id"])
    return (
        row["id"],
        row["type"],
        VIEWS[row["type"]],
        title,
        contact,
        group,
        owner,
        number,
        unread,
        row["updated_at"],
    )


def _group_record(tx: Tx, row: sqlite3.Row) -> Group:
    """Return a group; its admin is the one who has been a member for longest."""
    admin = tx.value(
        """SELECT uuid FROM conversation_members JOIN users ON users.id = user_id
           WHERE conversation_id = :id ORDER BY place LIMIT 1""",
        id=row["id"],
    )
    number = tx.value(
        "SELECT count(*) FROM conversation_members WHERE conversation_id = :id", id=row["id"]
    )
    return Group(row["title"], admin, number)


def _other_person(tx: Tx, me: Caller, conversation: int) -> Person | None:
    """Return the one on the other side, or None where the caller speaks with their own agent."""
    row = tx.one(
        """SELECT uuid, username, name FROM users
           JOIN conversation_members m ON m.user_id = users.id
           WHERE m.conversation_id = :id AND m.user_id <> :me""",
        id=conversation,
        me=me.user,
    )
    return None if row is None else Person(*row)


_MESSAGE = """messages.id, role, sender_type,
    CASE WHEN messages.agent_id IS NULL
      THEN (SELECT uuid FROM users AS s WHERE s.id = messages.sender_id)
      ELSE (SELECT uuid FROM managed_agents AS a WHERE a.id = messages.agent_id) END AS sender,
    sender_label,
    messages.content, messages.created_at, client_message_id"""


def _newest_messages(
    tx: Tx, conversation: int, limit: int, *, before: int | None = None, after: int | None = None
) -> list[WholeMessage]:
    """Return the newest messages between two, oldest first."""
    found = tx.all(
        f"""SELECT {_MESSAGE} FROM messages WHERE conversation_id = :id
            AND messages.id < ifnull(:before, 9223372036854775807)
            AND messages.id > ifnull(:after, 0) ORDER BY messages.id DESC LIMIT :limit""",
        id=conversation,
        before=before,
        after=after,
        limit=limit,
    )
    files = message_attachments.attachments_of(
        # Only people attach files.
        tx,
        [row["id"] for row in found if row["role"] == "user"],
    )
    shown: list[list[Any]] = [[*row, files.get(row["id"], UNSET)] for row in reversed(found)]
    return [WholeMessage(*fields) for fields in shown]


@operation("COMMAND", frees=True)
async def purge_user_conversations(app: App, me: Caller, *, username: str) -> Record:
    """Delete the conversations that end with a user who is to be deleted, each by itself."""
    user = await app.read(lambda tx: int(users.require_user(tx, username)["id"]))
    while await app.write(rows.delete_one_of, user):
        pass
    return Record()


@operation("COMMAND")
def mend_messages(tx: Tx, me: Caller) -> Record:
    """Rebuild the word index of messages, and delete vectors that cannot be of their model."""
    rows.reindex(tx)
    episode_vectors.TABLE.drop_unsound(tx)
    return Record()
