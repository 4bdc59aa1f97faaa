"""Conversations page by page, as the home shows them: with one's own agent, or with others."""

from typing import Annotated

from msgspec import UNSET, Meta

from app.agent.chat.conversations import (
    Conversation,
    FoundMessage,
    OneConversation,
    conversation_record,
    find_messages,
    read_conversation,
)
from app.agent.turn import turn_rows
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Most, Offset, Record
from app.workspace.index.spellings import Pattern, find_words, word_parts, word_pattern
from app.workspace.search.ranking.snippets import make_snippet

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


class TalkPage(OneConversation):
    """Some messages of a conversation; `again` is the message that may be sent once more, since
    its turn, the last one, did nothing but read.
    """

    has_later: bool
    again: int | None


class FoundPassage(Record):
    """A message that a search found: the title of its conversation, and the passage that shows
    why, with the places of the words in it as [start, end) in characters.
    """

    message: FoundMessage
    title: str
    snippet: str
    marks: list[tuple[int, int]]


class FoundPassages(Record):
    passages: list[FoundPassage]
    total: int


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


@operation("PAGE", scope="agent.chat:read", effect="read")
def search_own_conversations(
    tx: Tx,
    me: Caller,
    *,
    q: Annotated[str, Meta(max_length=1000)],
    limit: Annotated[int, Meta(ge=1), Most(100)] = 30,
    offset: Offset = 0,
) -> FoundPassages:
    """Find the messages with one's own agent that hold all words of a query, newest first."""
    found = find_messages(
        tx,
        f"m.user_id = :me AND m.hidden = 0 AND {OWN}",
        {"me": me.user},
        view="me",
        query=q,
        limit=limit,
        offset=offset,
    )
    patterns = _patterns_of(q)
    return FoundPassages(
        [
            FoundPassage(
                each,
                tx.value("SELECT title FROM conversations WHERE id = :id", id=each.conversation_id),
                *make_snippet(each.content, patterns),
            )
            for each in found.messages or ()
        ],
        found.summary.total if found.summary else 0,
    )


@operation("PAGE", scope="agent.chat:read", effect="read")
async def read_talk(
    app: App,
    me: Caller,
    *,
    id: Id,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 60,
    before: Id | None = None,
    at: Id | None = None,
) -> TalkPage:
    """Read a page of a conversation: the newest messages, those before one, or those around `at`,
    and whether its last message may be sent once more.
    """
    page, last = await app.read(_read_page, me, id, limit, before, at)
    if last is not None:
        used = (app.catalog.operations.get(name) for name in last.tools)
        # What another server's tool does nobody here knows.
        if all(each is not None and each.effect == "read" for each in used):
            page.again = last.message
    return page


def _read_page(
    tx: Tx, me: Caller, id: int, limit: int, before: int | None, at: int | None
) -> tuple[TalkPage, turn_rows.LastTurn | None]:
    if at is not None:
        before = tx.value(
            """SELECT id FROM messages WHERE conversation_id = :id AND id > :at
               ORDER BY id LIMIT 1 OFFSET :after""",
            id=id,
            at=at,
            after=limit // 2,
        )
    found = read_conversation(tx, me, id=id, limit=limit, before=before)
    has_later = before is not None and bool(
        tx.value(
            "SELECT 1 FROM messages WHERE conversation_id = :id AND id >= :before LIMIT 1",
            id=id,
            before=before,
        )
    )
    page = TalkPage(found.conversation, found.messages, found.has_more, has_later, None)
    return page, None if has_later else _last_turn(tx, me, page)


def _last_turn(tx: Tx, me: Caller, page: TalkPage) -> turn_rows.LastTurn | None:
    """Return the turn whose answer ends a page, where its question can be asked once more."""
    number = page.conversation.conversation_id
    asked = next((each for each in reversed(page.messages) if each.role == "user"), None)
    if asked is None or page.messages[-1].role == "user" or asked.attachments is not UNSET:
        return None
    if not tx.value(f"SELECT {OWN} FROM conversations c WHERE c.id = :id", id=number, me=me.user):
        return None
    last = turn_rows.last_turn(tx, number)
    return last if last is not None and last.message == asked.id else None


def _patterns_of(query: str) -> tuple[Pattern, ...]:
    """Return how the words of a query are found again in a text, runs without spaces also by their
    parts.
    """
    words = find_words(query)
    parts = [part for word in words for part in word_parts(word)]
    return tuple(dict.fromkeys(word_pattern(each) for each in (*words, *parts)))
