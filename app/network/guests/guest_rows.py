"""The sessions of guests: the table of them, their transcripts, and how many there are.

A session's key is kept as a hash alone.
"""

import sqlite3
from datetime import timedelta
from typing import Any

from app.account import key_rows
from app.agent.turn import conversation_rows
from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.core.schema import LARGEST_ID
from app.network.grants.share_rows import Link

DAY = timedelta(days=1)
PREFIX = "gsk_"
TITLE = "A guest"


def insert_session(
    tx: Tx, link: Link, *, guest: int | None, name: str | None, fingerprint: str
) -> tuple[sqlite3.Row, str]:
    """Begin a session of a link and return its row and its key, which is shown once."""
    key = random_tokens.new_secret(PREFIX)
    conversation = conversation_rows.begin(
        tx, type="direct", owner=link.owner, title=name or TITLE, members=()
    )
    made = tx.insert(
        "guest_sessions",
        link_id=link.id,
        owner_id=link.owner,
        uuid=random_tokens.new_uuid(),
        key_digest=key_rows.key_digest(key),
        conversation_id=conversation,
        guest_id=guest,
        guest_name=name,
        fingerprint=fingerprint,
        created_at=tx.now,
        active_at=tx.now,
    )
    return tx.require_row("SELECT * FROM guest_sessions WHERE id = :id", id=made), key


def find_by_key(tx: Tx, link: int, key: str) -> sqlite3.Row | None:
    """Return the session of a link that has this key; None for any other."""
    return tx.one(
        "SELECT * FROM guest_sessions WHERE key_digest = :digest AND link_id = :link",
        digest=key_rows.key_digest(key),
        link=link,
    )


def count_message(tx: Tx, session: int) -> None:
    """Count one more message that a guest wrote."""
    tx.run(
        "UPDATE guest_sessions SET asked = asked + 1, active_at = :now WHERE id = :id",
        now=tx.now,
        id=session,
    )


def note_answer(tx: Tx, session: int) -> None:
    """Note that something was answered just now."""
    tx.update("guest_sessions", {"id": session}, active_at=tx.now)


def count_begun_today(tx: Tx, link: int) -> int:
    """Count the sessions that were begun by a link within a day."""
    since = stamp(tx.moment - DAY)
    return int(
        tx.value(
            # A sliding day: a fixed one would let twice as many begin around midnight.
            "SELECT count(*) FROM guest_sessions WHERE link_id = :link AND created_at > :since",
            link=link,
            since=since,
        )
    )


def count_visits(tx: Tx, link: int) -> tuple[int, int, int]:
    """Return how many visitors, sessions, and messages of guests a link has had."""
    row = tx.require_row(
        "SELECT count(DISTINCT fingerprint), count(*), ifnull(sum(asked), 0) "
        "FROM guest_sessions WHERE link_id = :link",
        link=link,
    )
    return row[0], row[1], row[2]


def list_page(
    tx: Tx, owner: int, *, link: int | None = None, limit: int, offset: int = 0
) -> list[sqlite3.Row]:
    """Return the sessions on a user's links, or on one of them, those with the newest messages
    first.
    """
    which = "s.owner_id = :owner" if link is None else "s.link_id = :link AND s.owner_id = :owner"
    return tx.all(
        f"{_SELECT} WHERE {which} ORDER BY s.active_at DESC, s.id DESC LIMIT :limit OFFSET :offset",
        owner=owner,
        link=link,
        limit=limit,
        offset=offset,
    )


def find_session(tx: Tx, owner: int, uuid: str) -> sqlite3.Row | None:
    """Return one session on a user's links; None for any other."""
    return tx.one(f"{_SELECT} WHERE s.uuid = :uuid AND s.owner_id = :owner", uuid=uuid, owner=owner)


def count_visitors(tx: Tx, owner: int) -> int:
    """Count who has come by a user's links that are not revoked.

    One who came by two counts for each.
    """
    return int(
        tx.value(
            """SELECT ifnull(sum((SELECT count(DISTINCT fingerprint)
          FROM guest_sessions WHERE link_id = l.id)), 0) FROM share_links l
           WHERE l.owner_id = :owner AND l.revoked_at IS NULL""",
            owner=owner,
        )
    )


def list_after(tx: Tx, conversation: int, after: int, *, limit: int) -> list[sqlite3.Row]:
    """Return the messages of a transcript that come after one, oldest first."""
    return tx.all(
        f"{_MESSAGES} AND id > :after ORDER BY id LIMIT :limit",
        id=conversation,
        after=after,
        limit=limit,
    )


def list_newest(
    tx: Tx, conversation: int, *, limit: int, before: int | None = None
) -> list[sqlite3.Row]:
    """Return the newest messages of a transcript, or the newest before one, oldest first."""
    return tx.all(
        f"{_MESSAGES} AND id < :before ORDER BY id DESC LIMIT :limit",
        id=conversation,
        before=LARGEST_ID + 1 if before is None else before,
        limit=limit,
    )[::-1]


def count_messages(tx: Tx, conversation: int) -> int:
    """Count the messages of a transcript."""
    return int(
        tx.value("SELECT count(*) FROM messages WHERE conversation_id = :id", id=conversation)
    )


def any_running(tx: Tx, link: int) -> bool:
    """Return whether a turn with a guest of a link has not ended."""
    return (
        tx.one(
            """SELECT 1 FROM turns t JOIN guest_sessions s ON s.conversation_id = t.conversation_id
           WHERE t.status = 'running' AND s.link_id = :link LIMIT 1""",
            link=link,
        )
        is not None
    )


def purge(tx: Tx, link: int) -> None:
    """Delete every session of a link with its transcript, for good."""
    # The row of a session goes with its conversation (ON DELETE CASCADE).
    for row in tx.all(
        "SELECT conversation_id FROM guest_sessions WHERE link_id = :link", link=link
    ):
        conversation_rows.delete(tx, row["conversation_id"])


def store_decision(tx: Tx, owner: int, event: str, decision: Any) -> None:
    """Keep what a local machine decided, once."""
    # a machine that has heard no answer sends the same event again
    tx.run(
        """INSERT INTO guest_decisions (owner_id, client_event_id, decision,
          created_at) VALUES (:owner, :event, :decision, :now)
           ON CONFLICT (owner_id, client_event_id) DO NOTHING""",
        owner=owner,
        event=event,
        decision=decision,
        now=tx.now,
    )


_MESSAGES = "SELECT id, role, content, created_at FROM messages WHERE conversation_id = :id"
_SELECT = """SELECT s.*, l.token, l.label, u.uuid AS guest_uuid, u.username AS
          guest_username, u.name AS user_name,
    json_extract(u.settings, '$.email') AS guest_email
    FROM guest_sessions s JOIN share_links l ON l.id = s.link_id LEFT
      JOIN users u ON u.id = s.guest_id"""
