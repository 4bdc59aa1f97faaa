"""The table of todo lists: how many live todos an owner has open and completed, and the zone in which their days have their deadlines."""

from zoneinfo import ZoneInfo

from app.core.store import Tx


def total(tx: Tx, owner: int, *, completed: bool | None) -> int:
    """Give the number of an owner's live todos: all, or those in one state."""
    column = "open_count + completed_count" if completed is None else "completed_count" if completed else "open_count"
    return int(tx.value(f"SELECT {column} FROM todo_lists WHERE owner_id = :owner", owner=owner) or 0)


def revision(tx: Tx, owner: int) -> int:
    """Give a number that grows with every change of an owner's live todos, so that what was read at one revision holds for it."""
    return int(tx.value("SELECT revision FROM todo_lists WHERE owner_id = :owner", owner=owner) or 0)


def add(tx: Tx, owner: int, *, still_open: int = 0, completed: int = 0) -> None:
    """Add to the counts, and note the change."""
    tx.run(
        """INSERT INTO todo_lists (owner_id, open_count, completed_count, revision) VALUES (:owner, :open, :completed, 1)
           ON CONFLICT (owner_id) DO UPDATE SET open_count = open_count + :open, completed_count = completed_count + :completed,
               revision = revision + 1""",
        owner=owner, open=still_open, completed=completed,
    )  # fmt: skip


def move_to(tx: Tx, owner: int, zone: ZoneInfo) -> bool:
    """Note the zone of the owner's deadlines; say whether it was another one."""
    moved = tx.run(
        """INSERT INTO todo_lists (owner_id, zone) VALUES (:owner, :zone)
           ON CONFLICT (owner_id) DO UPDATE SET zone = :zone WHERE zone IS NOT :zone""",
        owner=owner, zone=zone.key,
    )  # fmt: skip
    return moved.rowcount > 0


def purge_owner(tx: Tx, owner: int) -> None:
    """Delete an owner's row."""
    tx.run("DELETE FROM todo_lists WHERE owner_id = :owner", owner=owner)
