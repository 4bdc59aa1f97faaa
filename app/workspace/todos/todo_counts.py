"""The table of todo lists.

It holds how many live todos an owner has open and completed, and the zone in which their days
have their deadlines. The numbers are kept with each change, since counting would read every todo
for each page of a list.
"""

from zoneinfo import ZoneInfo

import msgspec

from app.core.database.tx import Tx


class TodoCounts(msgspec.Struct, frozen=True):
    """How many live todos are open and completed.

    `revision` grows with every change of one, so what was read at a revision holds for it.
    """

    revision: int = 0
    still_open: int = 0
    completed: int = 0

    def total(self, *, completed: bool | None) -> int:
        """Return the number of all, or of those in one state."""
        if completed is None:
            return self.still_open + self.completed
        return self.completed if completed else self.still_open


def todo_counts(tx: Tx, owner: int) -> TodoCounts:
    """Return the counts of an owner's list."""
    row = tx.one(
        "SELECT revision, open_count, completed_count FROM todo_lists WHERE owner_id = :owner",
        owner=owner,
    )
    return TodoCounts() if row is None else TodoCounts(*row)


def add(tx: Tx, owner: int, *, still_open: int = 0, completed: int = 0) -> None:
    """Add to the counts, and note the change."""
    tx.run(
        """INSERT INTO todo_lists (owner_id, open_count, completed_count,
           revision) VALUES (:owner, :open, :completed, 1)
           ON CONFLICT (owner_id) DO UPDATE SET
               open_count = open_count + :open, completed_count = completed_count + :completed,
               revision = revision + 1""",
        owner=owner,
        open=still_open,
        completed=completed,
    )


def set_zone(tx: Tx, owner: int, zone: ZoneInfo) -> bool:
    """Note the zone of the owner's deadlines; return whether it was another one."""
    moved = tx.run(
        """INSERT INTO todo_lists (owner_id, zone) VALUES (:owner, :zone)
           ON CONFLICT (owner_id) DO UPDATE SET zone = :zone WHERE zone IS NOT :zone""",
        owner=owner,
        zone=zone.key,
    )
    return moved.rowcount > 0


def purge_owner(tx: Tx, owner: int) -> None:
    """Delete an owner's row."""
    tx.run("DELETE FROM todo_lists WHERE owner_id = :owner", owner=owner)


def recount(tx: Tx) -> None:
    """Count anew the todos of every list."""
    tx.run(
        """UPDATE todo_lists AS l SET (open_count, completed_count) = (
               SELECT count(*) FILTER (WHERE t.completed = 0), count(*) FILTER (WHERE t.completed
                 = 1)
               FROM todos t WHERE t.owner_id = l.owner_id AND t.trash_id IS NULL)"""
    )
