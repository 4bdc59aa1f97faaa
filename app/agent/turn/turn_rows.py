"""The table of turns: what an agent did with a message, what it cost, and what it remembers."""

import sqlite3
from typing import Any, Literal, NamedTuple

from app.agent.memory import episode_sources
from app.core.caller import Caller
from app.core.database.tx import Tx

Status = Literal["running", "completed", "failed", "interrupted"]
REMEMBERED_TURNS = 12
REMEMBERED_BYTES = 48 << 10
_REMEMBERED = """FROM turns WHERE conversation_id = :id AND history IS NOT NULL
    ORDER BY id DESC LIMIT :most"""
"""The turns whose history the next one is told, and so whose taint it inherits."""


class LastTurn(NamedTuple):
    """What the newest turn of a conversation answers, and the tools that it used."""

    message: int
    tools: frozenset[str]


def begin(tx: Tx, me: Caller, conversation: int, *, message: int, model: str) -> int:
    """Add a turn that has begun and return its id."""
    return tx.insert(
        "turns",
        conversation_id=conversation,
        user_id=me.user,
        credential=me.credential,
        message_id=message,
        model=model,
        status="running",
        started_at=tx.now,
    )


def end(
    tx: Tx,
    turn: int,
    *,
    status: Status,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
    history: bytes | None,
    error: str | None,
    taint: str = "",
) -> None:
    """Note how a turn ended; `history` is what the next turns of the conversation are told of
    it.
    """
    tx.update(
        "turns",
        {"id": turn},
        status=status,
        model=model,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        history=history,
        error=error,
        taint=taint,
        ended_at=tx.now,
    )


def add_call(tx: Tx, turn: int, *, tool: str, call: str, arguments: str, outcome: str) -> None:
    """Add a call of a tool in a turn, and what came of it."""
    tx.insert(
        "turn_calls",
        turn_id=turn,
        tool=tool,
        call_id=call,
        arguments=arguments,
        outcome=outcome,
        called_at=tx.now,
    )


def is_there(tx: Tx, turn: int) -> bool:
    """Return whether a turn is still in the table, and has not gone with its conversation or its
    user.
    """
    return tx.one("SELECT 1 FROM turns WHERE id = :id", id=turn) is not None


def any_running(tx: Tx) -> bool:
    """Return whether a turn has not ended; at the start of a server none can still run."""
    return tx.one("SELECT 1 FROM turns WHERE status = 'running' LIMIT 1") is not None


def interrupt_all(tx: Tx) -> None:
    """Close the turns that were running when the server was stopped.

    What was asked in them is remembered.
    """
    cut_off = tx.all("SELECT id FROM turns WHERE status = 'running'")
    tx.run(
        "UPDATE turns SET status = 'interrupted', ended_at = :now, error = 'The server "
        "was stopped.' WHERE status = 'running'",
        now=tx.now,
    )
    for row in cut_off:
        episode_sources.add_turn(tx, row["id"])


def last_turn(tx: Tx, conversation: int) -> LastTurn | None:
    """Return the newest turn of a conversation; None where there is none that has ended."""
    row = tx.one(
        """SELECT id, message_id, status FROM turns
           WHERE conversation_id = :id ORDER BY id DESC LIMIT 1""",
        id=conversation,
    )
    if row is None or row["status"] == "running":
        return None
    calls = tx.all("SELECT tool FROM turn_calls WHERE turn_id = :turn", turn=row["id"])
    return LastTurn(row["message_id"], frozenset(call[0] for call in calls))


def recent_taint(tx: Tx, conversation: int) -> frozenset[Any]:
    """Return whose words, besides the user's own, stand in what the newest turns left for the next
    one.
    """
    rows = tx.all(f"SELECT taint {_REMEMBERED}", id=conversation, most=REMEMBERED_TURNS)
    return frozenset(mark for row in rows for mark in row[0].split())


def recent_histories(tx: Tx, conversation: int) -> list[bytes]:
    """Return what the newest turns left for the next one, oldest first, as much of it as a small
    model's window holds.
    """
    found: list[sqlite3.Row] = tx.all(
        f"SELECT history {_REMEMBERED}", id=conversation, most=REMEMBERED_TURNS
    )
    kept: list[bytes] = []
    size = 0
    for row in found:
        size += len(row[0])
        # The newest turn is kept whatever its size: a follow-up question is about it.
        if size > REMEMBERED_BYTES and kept:
            break
        kept.append(row[0])
    return kept[::-1]
