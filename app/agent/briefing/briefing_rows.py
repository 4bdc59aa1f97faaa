"""The table of briefings: every statement that changes or reads it."""

import sqlite3
from typing import NamedTuple

from app.core.database.tx import Tx


class Draft(NamedTuple):
    """A briefing as it is stored; `suggestions` is JSON."""

    time_duration: str
    status_summary: str
    todo_summary: str
    calendar_summary: str
    notes_summary: str
    email_summary: str
    suggestions: str
    tokens: int
    generated_at: str


def insert(tx: Tx, owner: int, draft: Draft) -> sqlite3.Row:
    """Add a briefing and return its row."""
    return tx.require_row(
        """INSERT INTO briefings (owner_id, time_duration, status_summary,
          todo_summary, calendar_summary, notes_summary, email_summary,
               suggestions, tokens, generated_at)
           VALUES (:owner, :time_duration, :status_summary, :todo_summary, :calendar_summary,
             :notes_summary, :email_summary,
               :suggestions, :tokens, :generated_at) RETURNING *""",
        owner=owner,
        **draft._asdict(),
    )


def find(tx: Tx, owner: int, briefing_id: int) -> sqlite3.Row | None:
    """Return an owner's briefing, or None."""
    return tx.one(
        "SELECT * FROM briefings WHERE id = :id AND owner_id = :owner", id=briefing_id, owner=owner
    )


def list_newest(tx: Tx, owner: int, limit: int) -> list[sqlite3.Row]:
    """Return an owner's last briefings, newest first, without their lists."""
    return tx.all(
        """SELECT id, status_summary, time_duration, generated_at FROM briefings
           WHERE owner_id = :owner ORDER BY generated_at DESC, id DESC LIMIT :limit""",
        owner=owner,
        limit=limit,
    )
