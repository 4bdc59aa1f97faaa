"""The table of messages that wait for an agent which cannot answer now.

Each is answered once, when that agent can.
"""

import sqlite3
from typing import Literal

from app.core.database.tx import Tx

Reason = Literal["budget_spent", "paused"]
MOST = 20
"""How many messages of one person may wait for one agent."""


def insert_waiting(
    tx: Tx, message: int, *, owner: int, asker: int, reason: Reason, next_at: str | None
) -> bool:
    """Let a message wait; return whether there was room for it."""
    # of this one person, so that nobody fills the agent's list for all others
    number = tx.value(
        "SELECT count(*) FROM waiting_messages WHERE owner_id = :owner AND asker_id = :asker",
        owner=owner,
        asker=asker,
    )
    if number >= MOST:
        return False
    tx.insert(
        "waiting_messages",
        message_id=message,
        owner_id=owner,
        asker_id=asker,
        reason=reason,
        next_at=next_at or tx.now,
    )
    return True


def list_due(tx: Tx, limit: int) -> list[int]:
    """Return the messages whose time has come and that nobody is answering, oldest first."""
    rows = tx.all(
        "SELECT message_id FROM waiting_messages "
        "WHERE turn_id IS NULL AND next_at <= :now "
        "ORDER BY next_at, message_id LIMIT :limit",
        now=tx.now,
        limit=limit,
    )
    return [row[0] for row in rows]


def find_waiting(tx: Tx, message: int) -> sqlite3.Row | None:
    """Return a message that waits with what it says.

    None when it waits no more or is being answered.
    """
    return tx.one(
        """SELECT w.owner_id, w.asker_id, m.id, m.conversation_id, m.content
          FROM waiting_messages w JOIN messages m ON m.id = w.message_id
           WHERE w.message_id = :message AND w.turn_id IS NULL""",
        message=message,
    )


def claim(tx: Tx, message: int, turn: int) -> None:
    """Note which turn answers a message."""
    tx.update("waiting_messages", {"message_id": message}, turn_id=turn)


def put_off(tx: Tx, message: int, *, reason: Reason, next_at: str) -> None:
    """Let a message wait longer."""
    tx.update("waiting_messages", {"message_id": message}, reason=reason, next_at=next_at)


def end(tx: Tx, message: int) -> None:
    """Let a message wait no more."""
    tx.run("DELETE FROM waiting_messages WHERE message_id = :message", message=message)


def recover_after_stop(tx: Tx) -> None:
    """Close what was answered just before the server stopped; put back what was cut off."""
    tx.run(
        "DELETE FROM waiting_messages WHERE turn_id IN (SELECT id FROM turns "
        "WHERE id = turn_id AND status IN ('completed', 'failed'))"
    )
    tx.run(
        "UPDATE waiting_messages SET turn_id = NULL WHERE turn_id IN (SELECT id "
        "FROM turns WHERE id = turn_id AND status = 'interrupted')"
    )


def any_claimed(tx: Tx) -> bool:
    """Return whether a message is being answered; at the start of a server none can be."""
    return tx.one("SELECT 1 FROM waiting_messages WHERE turn_id IS NOT NULL LIMIT 1") is not None
