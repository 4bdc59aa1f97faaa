"""Conversations page by page, as the home shows them: with one's own agent, or with others."""

from typing import Annotated

from msgspec import Meta

from app.agent.chat.conversations import Conversation, conversation_record
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Most, Offset, Record

OWN = """(c.type = 'direct' AND c.owner_id IS :me AND c.agent_id IS NULL AND NOT EXISTS (
  SELECT 1 FROM conversation_members other
  WHERE other.conversation_id = c.id AND other.user_id <> :me))"""
"""With one's own agent and nobody else; a managed agent is somebody else."""
UNREAD = f"""SELECT {OWN}, sum(unread) FROM (
  SELECT m.conversation_id AS id, count(*) AS unread FROM conversation_members m
  JOIN messages ON messages.conversation_id = m.conversation_id AND messages.id > m.read_id
  WHERE m.user_id = :me AND m.hidden = 0
    AND NOT (messages.role = 'user' AND messages.sender_id IS :me)
  GROUP BY m.conversation_id) JOIN conversations c USING (id) GROUP BY 1"""
"""What is unread of a conversation is one range of an index, empty for most."""


class ConversationPage(Record):
    conversations: list[Conversation]
    more: bool


class UnreadHere(Record):
    """How many messages are unread: of one's own agent, and of all others."""

    own: int
    others: int


@operation("PAGE", scope="agent.chat:read", effect="read")
def page_conversations(
    tx: Tx,
    me: Caller,
    *,
    own: bool,
    limit: Annotated[int, Meta(ge=1), Most(100)] = 50,
    offset: Offset = 0,
    message_limit: Annotated[int, Meta(ge=0), Most(200)] = 1,
) -> ConversationPage:
    """List a page of the conversations with one's own agent, or of all others, newest first."""
    rows = tx.all(
        f"""SELECT c.*, m.read_id, m.since_id FROM conversation_members m
            JOIN conversations c ON c.id = m.conversation_id
            WHERE m.user_id = :me AND m.hidden = 0 AND {OWN} = :own
            ORDER BY m.active_at DESC, c.id DESC LIMIT :limit + 1 OFFSET :offset""",
        me=me.user,
        own=own,
        limit=limit,
        offset=offset,
    )
    found = [conversation_record(tx, me, row, message_limit, None) for row in rows[:limit]]
    return ConversationPage(found, len(rows) > limit)


@operation("PAGE", scope="agent.chat:read", effect="read")
def count_unread(tx: Tx, me: Caller) -> UnreadHere:
    """Count the messages that the caller has not read and did not write."""
    counts = {bool(own): number for own, number in tx.all(UNREAD, me=me.user)}
    return UnreadHere(counts.get(True, 0), counts.get(False, 0))
