"""The table of snapshots: every statement that adds, finds or deletes one.

They are numbered from 1 for each note, and never renumbered.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import encode
from app.errors import NotFound
from app.workspace.notes import note_rows

BEFORE_EDIT = "auto: before edit"
BEFORE_RESTORE = "auto: before restore"
COLUMNS = "id, seq, label, title, message, author, word_count, created_at"


class ImportedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot as it was taken elsewhere; `author` is JSON."""

    seq: int
    label: str | None
    title: str
    message: str | None
    author: str
    word_count: int
    automatic: bool
    created_at: str
    content: str


def take(
    tx: Tx,
    me: Caller,
    note: sqlite3.Row,
    *,
    label: str | None,
    message: str | None = None,
    automatic: bool,
) -> int:
    """Keep the note as it is now and return the snapshot's sequence number.

    Of automatic ones only the newest are kept.
    """
    seq = note_rows.next_snapshot_number(tx, note["id"])
    tx.insert(
        "snapshots",
        note_id=note["id"],
        seq=seq,
        label=label,
        title=note["title"],
        message=message,
        author=encode(me.actor).decode(),
        word_count=note["word_count"],
        automatic=automatic,
        created_at=tx.now,
        content=note["content"],
    )
    keep = users.settings_of(tx, note["owner_id"]).snapshot_keep if automatic else 0
    # The count is at least that of the automatic ones: most takes need not look at the others.
    if automatic and note["snapshot_count"] + 1 > keep:
        keep_newest(tx, note["id"], keep)
    return seq


def add_imported(tx: Tx, note_id: int, kept: Sequence[ImportedSnapshot]) -> None:
    """Add snapshots that were taken elsewhere, under their own numbers.

    Of those that are there already nothing changes.
    """
    added = 0
    for one in kept:
        added += tx.run(
            """INSERT INTO snapshots (note_id, seq, label, title, message, author,
               word_count, automatic, created_at, content)
               VALUES (:note, :seq, :label, :title, :message, :author, :word_count, :automatic,
                 :created_at, :content)
               ON CONFLICT (note_id, seq) DO NOTHING""",
            note=note_id,
            **msgspec.structs.asdict(one),
        ).rowcount
    # The next snapshot's number must be above the highest that came along.
    note_rows.count_snapshots(tx, note_id, added, max((one.seq for one in kept), default=0))


def require_snapshot(
    tx: Tx,
    note_id: int,
    *,
    seq: int | None = None,
    version_id: int | None = None,
    field: str | None = None,
) -> sqlite3.Row:
    """Return a snapshot by its number or its version id; raise NotFound, naming `field`."""
    row = tx.one(
        f"SELECT {COLUMNS}, content FROM snapshots "
        "WHERE note_id = :note AND "
        f"{'seq = :seq' if seq is not None else 'id = :version'}",
        note=note_id,
        seq=seq,
        version=version_id,
    )
    if row is None:
        raise NotFound(
            "This note has no such snapshot.",
            field=field or ("versionId" if seq is None else "seq"),
        )
    return row


def keep_newest(tx: Tx, note_id: int, keep: int) -> int:
    """Delete all automatic snapshots of a note but the newest `keep`; return how many."""
    dropped = tx.run(
        """DELETE FROM snapshots WHERE note_id = :note AND automatic AND seq <= (
               SELECT seq FROM snapshots WHERE note_id = :note AND automatic ORDER BY seq DESC
                 LIMIT 1 OFFSET :keep)""",
        note=note_id,
        keep=keep,
    )
    if dropped.rowcount:
        note_rows.forget_snapshots(tx, note_id, dropped.rowcount)
    return dropped.rowcount
