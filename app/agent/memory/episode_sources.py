"""What becomes an episode: turns of conversations and briefings, as they end.

Those of before are added in the background.
"""

import re
import sqlite3

from app.agent.memory import episodes
from app.core.database.tx import Tx
from app.core.text import plain_lines

PAST_AT_ONCE = 50
RECALLING = frozenset({"memory_search", "get_note_content"})
"""Of a turn that only looked into the memory the question is kept.

Its answer repeats what other episodes say.
"""
RULES = "offline"
"""The brain whose answers of one line are fixed sentences, which say nothing that the question
does not.
"""

_ENDS = re.compile("</(?:p|li|ul)>")


def add_turn(tx: Tx, turn: int, *, answer: int | None = None) -> None:
    """Keep a turn that has ended.

    What was asked, and, unless it failed, what was answered, which is the message `answer` or the
    next one.

    Of a conversation in which the agent's owner takes no part, as with a guest, nothing is kept:
    those are not the owner's memories.
    """
    row = tx.one(
        """SELECT t.user_id, t.conversation_id, t.message_id, t.status,
          t.model, m.content, m.created_at, c.title FROM turns t
           JOIN messages m ON m.id = t.message_id JOIN conversations c ON c.id = t.conversation_id
           WHERE t.id = :turn AND EXISTS (SELECT 1 FROM conversation_members b
               WHERE b.conversation_id = t.conversation_id AND b.user_id = t.user_id)""",
        turn=turn,
    )
    if row is None:
        return
    # What a failed turn said is an excuse and no memory.
    said = _answer_text(tx, turn, row, answer) if row["status"] == "completed" else ""
    conversation = row["conversation_id"]
    episodes.add(
        tx,
        row["user_id"],
        kind="conversation",
        key=f"message {row['message_id']}",
        title=row["title"],
        text=f"{row['content']}\n\n{said}".strip(),
        at=row["created_at"],
        path=f"conversations/{conversation}",
        conversation_id=conversation,
    )


def add_briefing(tx: Tx, row: sqlite3.Row) -> None:
    """Keep a briefing, which is a row of their table."""
    html = "".join(
        row[f"{name}_summary"] for name in ("status", "todo", "calendar", "notes", "email")
    )
    lines = (line.strip() for line in plain_lines(_ENDS.sub("\n", html)))
    text, at = "\n".join(filter(None, lines)), row["generated_at"]
    path = f"briefings/{row['id']}"
    episodes.add(
        tx,
        row["owner_id"],
        kind="briefing",
        key=str(row["id"]),
        title=f"Briefing of {at[:10]}",
        text=text,
        at=at,
        path=path,
    )


def do_idle_work(tx: Tx) -> bool:
    """Bring in some of what there was before there were episodes, newest first.

    Return whether there is more.
    """
    row = tx.one("SELECT kind, below FROM past_episodes ORDER BY kind LIMIT 1")
    if row is None:
        return False
    kind, below = row["kind"], row["below"]
    # Newest first: what is asked about is mostly recent.
    left = _add_some_turns(tx, below) if kind == "conversation" else _add_some_briefings(tx, below)
    if left is None:
        tx.run("DELETE FROM past_episodes WHERE kind = :kind", kind=kind)
    else:
        tx.update("past_episodes", {"kind": kind}, below=left)
    return True


def _answer_text(tx: Tx, turn: int, row: sqlite3.Row, answer: int | None) -> str:
    used = {
        call[0] for call in tx.all("SELECT tool FROM turn_calls WHERE turn_id = :turn", turn=turn)
    }
    # Else the memory would find its own answers, and with each question more of them.
    if "memory_search" in used and used <= RECALLING:
        return ""
    said = tx.value(
        """SELECT content FROM messages
           WHERE conversation_id = :conversation AND role = 'assistant' AND id >= :first
           ORDER BY id LIMIT 1""",
        conversation=row["conversation_id"],
        first=answer or row["message_id"],
    )
    return "" if said is None or (row["model"] == RULES and "\n" not in said.strip()) else str(said)


def _add_some_turns(tx: Tx, below: int) -> int | None:
    rows = tx.all(
        "SELECT id, status FROM turns WHERE id < :below ORDER BY id DESC LIMIT :most",
        below=below,
        most=PAST_AT_ONCE,
    )
    for row in rows:
        # A running one is added when it ends.
        if row["status"] != "running":
            add_turn(tx, row["id"])
    return rows[-1]["id"] if rows else None


def _add_some_briefings(tx: Tx, below: int) -> int | None:
    rows = tx.all(
        "SELECT * FROM briefings WHERE id < :below ORDER BY id DESC LIMIT :most",
        below=below,
        most=PAST_AT_ONCE,
    )
    for row in rows:
        add_briefing(tx, row)
    return rows[-1]["id"] if rows else None
