"""The tables of conversations, of who takes part in them, and of their messages.

Every statement that changes them.
"""

import sqlite3
from typing import Literal

from app.agent.memory import episodes
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown.shortened import one_line
from app.errors import NotFound
from app.workspace.index.spellings import text_for_index

Type = Literal["direct", "shared_agent", "group"]
Role = Literal["user", "assistant"]
SenderType = Literal["human", "agent"]
LONGEST_TITLE = 80


def begin(
    tx: Tx,
    *,
    type: Type,
    owner: int | None,
    title: str,
    members: tuple[int, ...],
    agent: int | None = None,
) -> int:
    """Make a conversation between `members` and return its id.

    `owner` is the user whose agent takes part in it, if one does, `agent` which of their managed
    ones where it is one.
    """
    conversation = tx.insert(
        "conversations",
        type=type,
        owner_id=owner,
        agent_id=agent,
        title=title,
        created_at=tx.now,
        updated_at=tx.now,
    )
    for user in members:
        join(tx, conversation, user)
    return conversation


def join(tx: Tx, conversation: int, user: int) -> None:
    """Let a user take part from now on: they see the messages that come after this.

    For who takes part already nothing changes.
    """
    tx.run(
        # WHERE true is needed: SQLite would take ON CONFLICT for the ON of a join.
        """INSERT INTO conversation_members (conversation_id, user_id,
          active_at, joined_at, since_id, read_id, place)
           SELECT :conversation, :user, :now, :now, last, last, 1 + (
               SELECT ifnull(max(place), 0) FROM conversation_members
                 WHERE conversation_id = :conversation)
           FROM (SELECT ifnull(max(id), 0) AS last FROM messages
             WHERE conversation_id = :conversation) WHERE true
           ON CONFLICT (conversation_id, user_id) DO NOTHING""",
        conversation=conversation,
        user=user,
        now=tx.now,
    )


def remove_member(tx: Tx, conversation: int, user: int) -> None:
    """Let a user take part no more: they can neither read it nor find it in their memory.

    When nobody is left the conversation is deleted.
    """
    tx.run(
        "DELETE FROM conversation_members WHERE conversation_id = :id AND user_id = :user",
        id=conversation,
        user=user,
    )
    episodes.forget_conversation(tx, conversation, user=user)
    if (
        tx.one("SELECT 1 FROM conversation_members WHERE conversation_id = :id", id=conversation)
        is None
    ):
        delete(tx, conversation)


def rename(tx: Tx, conversation: int, title: str) -> None:
    """Give a conversation another title."""
    tx.update("conversations", {"id": conversation}, title=title)


def add_message(
    tx: Tx,
    conversation: int,
    *,
    role: Role,
    sender_type: SenderType,
    sender: int | None,
    label: str,
    content: str,
    client_message_id: str | None = None,
    agent: int | None = None,
) -> int:
    """Add a message and return its id, which is larger than that of every message before.

    `agent` is the managed agent that wrote it, if one did. A conversation that was hidden is seen
    again.
    """
    message = tx.insert(
        "messages",
        conversation_id=conversation,
        role=role,
        sender_type=sender_type,
        sender_id=sender,
        sender_label=label,
        content=content,
        client_message_id=client_message_id,
        agent_id=agent,
        created_at=tx.now,
    )
    tx.insert("message_words", rowid=message, content=text_for_index(content))
    tx.update("conversations", {"id": conversation}, updated_at=tx.now)
    tx.run(
        # With each member, so that a list of conversations is one range of an index.
        "UPDATE conversation_members SET active_at = :now, hidden = 0 WHERE conversation_id = :id",
        now=tx.now,
        id=conversation,
    )
    return message


def mark_read(tx: Tx, me: int, conversation: int, message: int | None = None) -> int:
    """Take all messages up to `message`, or all there are, as read by a user.

    Give how many are unread then. Marks never go back.
    """
    tx.run(
        """UPDATE conversation_members
           SET read_id = max(read_id, min(ifnull(:message, 9223372036854775807),
               (SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = :id)))
                 WHERE conversation_id = :id AND user_id = :me""",
        message=message,
        id=conversation,
        me=me,
    )
    # Counted after the mark, in the same transaction, so that two devices agree.
    return count_unread(tx, me, conversation)


def count_unread(tx: Tx, me: int, conversation: int) -> int:
    """Count the messages that a user has not read and did not write."""
    return int(
        tx.value(
            """SELECT count(*) FROM messages JOIN conversation_members AS m USING (conversation_id)
               WHERE conversation_id = :id AND m.user_id = :me AND messages.id > m.read_id
                 AND NOT (messages.role = 'user' AND messages.sender_id IS :me)""",
            id=conversation,
            me=me,
        )
    )


def hide(tx: Tx, me: Caller, conversation: int) -> None:
    """Hide a conversation from the caller until its next message."""
    tx.update(
        "conversation_members", {"conversation_id": conversation, "user_id": me.user}, hidden=1
    )


def delete(tx: Tx, conversation: int) -> None:
    """Delete a conversation for good, with its messages, its episodes and all that is kept of
    its turns.
    """
    episodes.forget_conversation(tx, conversation)
    for row in tx.all(
        "SELECT id, content FROM messages WHERE conversation_id = :id", id=conversation
    ):
        tx.run(
            # The index keeps no text of its own and must be told what leaves it.
            "INSERT INTO message_words (message_words, rowid, content) "
            "VALUES ('delete', :id, :content)",
            id=row[0],
            content=text_for_index(row[1]),
        )
    tx.run("DELETE FROM conversations WHERE id = :id", id=conversation)


def delete_one_of(tx: Tx, user: int) -> bool:
    """Delete a conversation that is a user's own, or in which nobody else is; say whether there
    was one.
    """
    found = tx.one(
        """SELECT id FROM conversations WHERE owner_id = :user UNION ALL
           SELECT conversation_id FROM conversation_members m WHERE user_id = :user
             AND NOT EXISTS (SELECT 1 FROM conversation_members o
               WHERE o.conversation_id = m.conversation_id AND o.user_id <> :user) LIMIT 1""",
        user=user,
    )
    if found is not None:
        delete(tx, found["id"])
    return found is not None


def reindex(tx: Tx) -> None:
    """Make the index of the words of all messages anew."""
    tx.run("INSERT INTO message_words (message_words) VALUES ('delete-all')")
    for row in tx.all("SELECT id, content FROM messages ORDER BY id"):
        tx.insert("message_words", rowid=row[0], content=text_for_index(row[1]))


def require_member_of(tx: Tx, me: Caller, conversation: int) -> sqlite3.Row:
    """Return a conversation that the caller takes part in; raise NotFound for any other."""
    row = tx.one(
        """SELECT c.*, m.read_id, m.hidden, m.since_id FROM conversations c
           JOIN conversation_members m ON m.conversation_id = c.id AND m.user_id = :me
             WHERE c.id = :id""",
        me=me.user,
        id=conversation,
    )
    if row is None:
        raise NotFound("There is no such conversation.", conversationId=conversation)
    return row


def require_own(tx: Tx, me: Caller, conversation: int, *, agent: int | None = None) -> sqlite3.Row:
    """Return a conversation of the caller with their own agent, or with that managed one; raise
    NotFound for any other.
    """
    row = require_member_of(tx, me, conversation)
    if (row["type"], row["owner_id"], row["agent_id"]) != ("direct", me.user, agent):
        raise NotFound(
            "There is no such conversation with your agent.", conversationId=conversation
        )
    return row


def title_from_message(message: str) -> str:
    """Return the title of a conversation that begins with `message`."""
    return one_line(message, LONGEST_TITLE)
