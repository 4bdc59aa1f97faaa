"""Finds moments that cannot be, and sets them back.

They are no moments at all, or to come: a clock that jumped ahead left them.
"""

from collections.abc import Iterator
from datetime import timedelta

from app.core.database import clock_steps
from app.core.database.tx import Tx, stamp

CLOCK_SLACK = timedelta(minutes=5)
PAST = {
    "notes": ("created_at", "updated_at"),
    "folders": ("created_at",),
    "snapshots": ("created_at",),
    "trash": ("trashed_at",),
    "todos": ("created_at", "updated_at", "completed_at"),
    "attachments": ("created_at",),
    "raw_devices": ("created_at", "last_seen_at", "revoked_at"),
    "raw_records": ("received_at",),
    "conversations": ("created_at", "updated_at"),
    "messages": ("created_at",),
    "episodes": ("at",),
    "briefings": ("generated_at",),
    "users": ("created_at",),
    "keys": ("created_at", "last_used_at"),
    "share_links": ("created_at",),
    "guest_sessions": ("created_at", "active_at"),
    "heartbeat_runs": ("started_at", "ended_at"),
}
"""The tables with the columns that tell when something was; the first of each never changes."""
_OF_OTHERS = {
    ("workspaces", "changed_at"): ("owner_id", ""),
    ("conversation_members", "active_at"): (
        "conversation_id",
        "SELECT updated_at FROM conversations WHERE id = :row",
    ),
}
"""Moments of what has no number of its own: whose number finds it, and what tells when it was.

They come after the moments of `PAST`, which are right by then.
"""
_NONE = "date(julianday({0})) IS NOT substr({0}, 1, 10) OR {0} NOT LIKE '____-__-__T__:__:__.___Z'"


def find_impossible(tx: Tx) -> Iterator[str]:
    """Look for moments that are none."""
    for table, column in _time_columns():
        rows = tx.all(
            f"SELECT id FROM {table} WHERE {column} IS NOT NULL AND ({_NONE.format(column)})"
        )
        yield from (f"{table}.{column} of row {row[0]} is not a valid time" for row in rows)


def find_future(tx: Tx) -> list[tuple[str, str, int, str]]:
    """Return table, column, row and moment of all that tells of the past and is to come.

    A workspace's change is one too.
    """
    after = stamp(tx.moment + CLOCK_SLACK)
    found = [
        (table, column, row[0], row[1])
        for table, column in _time_columns()
        for row in tx.all(
            f"SELECT id, {column} FROM {table} "
            f"WHERE {column} > :after AND NOT ({_NONE.format(column)})",
            after=after,
        )
    ]
    for (table, column), (key, _) in _OF_OTHERS.items():
        rows = tx.all(
            f"SELECT {key}, max({column}) FROM {table} WHERE {column} > :after GROUP BY 1",
            after=after,
        )
        found += [(table, column, row[0], row[1]) for row in rows]
    return found


def set_back_all(tx: Tx) -> None:
    """Give every moment that cannot be the one at which it was stored, as far as that is known."""
    steps = clock_steps.clock_steps(tx)
    for table, column, row, moment in find_future(tx):
        known = clock_steps.true_moment(steps, moment, tx.moment)
        _set_moment(tx, table, column, row, known or _likely_moment(tx, table, column, row))
    for table, column in _time_columns():
        for (row,) in tx.all(
            f"SELECT id FROM {table} WHERE {column} IS NOT NULL AND ({_NONE.format(column)})"
        ):
            _set_moment(tx, table, column, row, _likely_moment(tx, table, column, row))


def _likely_moment(tx: Tx, table: str, column: str, row: int) -> str:
    """Return the first moment of the row itself, and for that the one of the row before.

    Numbers only grow, so it was not stored earlier.
    """
    if (table, column) in _OF_OTHERS:
        _, known = _OF_OTHERS[table, column]
        return str((known and tx.value(known, row=row)) or tx.now)
    first, after = PAST[table][0], stamp(tx.moment + CLOCK_SLACK)
    sane = f"{first} <= :after AND NOT ({_NONE.format(first)})"
    own = (
        None
        if column == first
        else tx.value(
            f"SELECT {first} FROM {table} WHERE id = :row AND {sane}", row=row, after=after
        )
    )
    before = f"SELECT {first} FROM {table} WHERE id < :row AND {sane} ORDER BY id DESC LIMIT 1"
    return str(own or tx.value(before, row=row, after=after) or tx.now)


def _set_moment(tx: Tx, table: str, column: str, row: int, moment: str) -> None:
    key, _ = _OF_OTHERS.get((table, column), ("id", ""))
    which = f"{key} = :row"
    if key != "id":  # a conversation has a member's moment in several rows, each of its own
        which += f" AND {column} > :after"
    another = (
        ", revision = revision + 1" if table == "notes" else ""
    )  # who has read it must not take it for the same
    tx.run(
        f"UPDATE {table} SET {column} = :moment{another} WHERE {which}",
        moment=moment,
        row=row,
        **({} if key == "id" else {"after": stamp(tx.moment + CLOCK_SLACK)}),
    )


def _time_columns() -> Iterator[tuple[str, str]]:
    for table, columns in PAST.items():
        yield from ((table, column) for column in columns)


def is_explained(tx: Tx) -> bool:
    """Return whether steps ahead tell of every moment to come when it truly was.

    A step back alone may be the one that was wrong.
    """
    steps = [step for step in clock_steps.clock_steps(tx) if step.became > step.was]
    return all(
        clock_steps.true_moment(steps, moment, tx.moment) is not None
        for _, _, _, moment in find_future(tx)
    )
