"""What replacements have changed, so that they can be undone.

Every statement that changes those tables.
"""

import sqlite3
from collections.abc import Iterable

from app.core.database.tx import Tx

KEPT = 50


def add(tx: Tx, user: int, notes: Iterable[tuple[int, int, int]]) -> int:
    """Keep a replacement and return its id; only the newest are kept.

    Of each note its id, its version afterwards and the number of the snapshot before are kept.
    """
    made = tx.insert("replacements", user_id=user, created_at=tx.now)
    for note_id, version, seq in notes:
        tx.insert("replaced_notes", replacement_id=made, note_id=note_id, version=version, seq=seq)
    tx.run(
        """DELETE FROM replacements WHERE user_id = :user AND id <= (
               SELECT id FROM replacements WHERE user_id = :user ORDER BY id DESC
                 LIMIT 1 OFFSET :kept)""",
        user=user,
        kept=KEPT,
    )
    return made


def list_notes(tx: Tx, user: int, replacement_id: int) -> list[sqlite3.Row] | None:
    """Return the notes of a user's replacement that are not undone (note_id, version, seq).

    None when there is no such replacement.
    """
    own = tx.one(
        "SELECT 1 FROM replacements WHERE id = :id AND user_id = :user",
        id=replacement_id,
        user=user,
    )
    if own is None:
        return None
    return tx.all(
        "SELECT note_id, version, seq FROM replaced_notes WHERE replacement_id = :id "
        "ORDER BY note_id",
        id=replacement_id,
    )


def forget_note(tx: Tx, replacement_id: int, note_id: int) -> None:
    """Forget a note of a replacement, which is as it was."""
    tx.run(
        "DELETE FROM replaced_notes WHERE replacement_id = :id AND note_id = :note",
        id=replacement_id,
        note=note_id,
    )
