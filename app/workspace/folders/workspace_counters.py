"""Counters of a workspace: kept in each write's transaction, so that no count ever scans."""

import msgspec

from app.core.database.tx import Tx

CHANGED = "workspace.changed"
"""Published with the `owner` when notes or folders have changed."""


class WorkspaceCounts(msgspec.Struct, frozen=True):
    notes: int
    root_notes: int
    bytes: int
    changed_at: str


def ensure(tx: Tx, owner: int) -> bool:
    """Make the row of a workspace if it is missing; return whether it was."""
    made = tx.run(
        "INSERT INTO workspaces (owner_id, changed_at) VALUES (:owner, :now) "
        "ON CONFLICT DO NOTHING",
        owner=owner,
        now=tx.now,
    )
    return made.rowcount > 0


def workspace_counts(tx: Tx, owner: int) -> WorkspaceCounts:
    """Return the counts of a workspace.

    Live notes, those of them in the root, their bytes, and the time of the last change.
    """
    row = tx.one(
        "SELECT note_count, root_count, total_bytes, changed_at FROM workspaces "
        "WHERE owner_id = :owner",
        owner=owner,
    )
    if row is None:
        return WorkspaceCounts(
            0, 0, 0, tx.value("SELECT created_at FROM users WHERE id = :owner", owner=owner)
        )
    return WorkspaceCounts(*row)


def add(tx: Tx, owner: int, *, notes: int = 0, root_notes: int = 0, size: int = 0) -> None:
    """Add to the counts and note the change."""
    tx.run(
        """INSERT INTO workspaces (owner_id, note_count, root_count,
           total_bytes, changed_at) VALUES (:owner, :notes, :root, :size, :now)
           ON CONFLICT (owner_id) DO UPDATE SET
               note_count = note_count + :notes, root_count = root_count + :root,
               total_bytes = total_bytes + :size, changed_at = :now""",
        owner=owner,
        notes=notes,
        root=root_notes,
        size=size,
        now=tx.now,
    )
    tx.emit(CHANGED, owner=owner)


def recount(tx: Tx) -> None:
    """Count anew what every workspace holds."""
    tx.run(
        """UPDATE workspaces AS w SET (note_count, root_count, total_bytes) = (
               SELECT count(*), count(*) FILTER (WHERE n.folder_id IS NULL), ifnull(sum(n.size), 0)
               FROM notes n WHERE n.owner_id = w.owner_id AND n.trash_id IS NULL)"""
    )
