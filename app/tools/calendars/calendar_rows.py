"""The tables of integrations and of the events of calendars.

Every statement that changes or reads them.
"""

import sqlite3
import zlib
from collections.abc import Sequence
from typing import Any

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import AlreadyExists, NotFound, QuotaExceeded

MOST = 50
PURGED = 1_000
"""How many events are deleted in one transaction."""
_SHOWN = (
    "id, user_id, kind, name, url, status, last_error, etag, generation, failures, "
    "due_at, connected_at, created_at"
)


def list_integrations(tx: Tx, me: Caller) -> list[sqlite3.Row]:
    """Return the caller's integrations, the oldest first."""
    # There is no index of a user's by number, and SQLite would sort in a table of its own.
    return sorted(
        tx.all(f"SELECT {_SHOWN} FROM integrations WHERE user_id = :me", me=me.user),
        key=lambda row: int(row["id"]),
    )


def require_room(tx: Tx, me: Caller, name_key: str) -> None:
    """Raise AlreadyExists where the name is taken, QuotaExceeded where there are as many
    integrations as there can be.
    """
    if tx.one(
        "SELECT 1 FROM integrations WHERE user_id = :me AND name_key = :key",
        me=me.user,
        key=name_key,
    ):
        raise AlreadyExists("You have an integration of that name already.", field="name")
    if tx.value("SELECT count(*) FROM integrations WHERE user_id = :me", me=me.user) >= MOST:
        raise QuotaExceeded(
            f"You have {MOST} integrations, the most allowed; remove one first.", limit=MOST
        )


def insert(tx: Tx, me: Caller, *, name: str, name_key: str, url: str | None, due_at: str) -> int:
    """Add a calendar that has no events yet and return its id.

    It is read again at `due_at` should it not come to that before.
    """
    require_room(tx, me, name_key)
    return tx.insert(
        "integrations",
        user_id=me.user,
        kind="ics",
        name=name,
        name_key=name_key,
        url=url,
        status="disconnected",
        due_at=due_at,
        created_at=tx.now,
    )


def get(tx: Tx, integration: int) -> sqlite3.Row | None:
    """Return an integration for the background work, whoever owns it; None when it is gone."""
    return tx.one(f"SELECT {_SHOWN} FROM integrations WHERE id = :id", id=integration)


def read_file(tx: Tx, integration: int) -> bytes | None:
    """Return the calendar file as it was read last."""
    held: bytes | None = tx.value("SELECT source FROM integrations WHERE id = :id", id=integration)
    return None if held is None else zlib.decompress(held)


def put_events(tx: Tx, integration: int, generation: int, events: Sequence[Sequence[Any]]) -> None:
    """Add events of a generation that does not count yet.

    Unless the calendar was removed meanwhile.
    """
    # Between two batches the owner may have removed the calendar.
    if get(tx, integration) is not None:
        tx.connection.executemany(
            "INSERT INTO calendar_events (integration_id, generation, starts, ends, title, "
            "place, words) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(integration, generation, *event) for event in events],
        )


def note_success(
    tx: Tx, integration: int, *, generation: int, packed: bytes, etag: str | None, due_at: str
) -> None:
    """Note that a calendar was read: now this generation of its events counts.

    `packed` is its file.
    """
    tx.update(
        "integrations",
        {"id": integration},
        generation=generation,
        source=packed,
        etag=etag,
        status="connected",
        last_error=None,
        failures=0,
        due_at=due_at,
        connected_at=tx.now,
    )


def note_failure(tx: Tx, integration: int, *, error: str, due_at: str) -> None:
    """Note why a calendar could not be read; the events that were read before stay."""
    tx.run(
        "UPDATE integrations SET status = 'error', last_error = :error, failures = "
        "failures + 1, due_at = :due WHERE id = :id",
        error=error,
        due=due_at,
        id=integration,
    )


def claim_due(tx: Tx, *, again_at: str, most: int) -> list[int]:
    """Return the calendars that are due, the longest waiting first.

    They come again at `again_at` should whoever reads them be killed.
    """
    # Two statements and not UPDATE … RETURNING, whose rows come in no order.
    due = [
        row[0]
        for row in tx.all(
            "SELECT id FROM integrations WHERE due_at IS NOT NULL AND due_at <= :now "
            "ORDER BY due_at LIMIT :most",
            now=tx.now,
            most=most,
        )
    ]
    for integration in due:
        tx.update("integrations", {"id": integration}, due_at=again_at)
    return due


def purge_events(tx: Tx, integration: int, *, besides: int | None) -> int:
    """Delete some events of every generation but one; return how many."""
    return tx.run(
        """DELETE FROM calendar_events WHERE id IN (
               SELECT id FROM calendar_events WHERE integration_id = :id
                 AND generation <> ifnull(:besides, -1) LIMIT :some)""",
        id=integration,
        besides=besides,
        some=PURGED,
    ).rowcount


def require_own(tx: Tx, me: Caller, integration: int) -> sqlite3.Row:
    """Return an integration of the caller; raise NotFound for any other."""
    row = tx.one(
        f"SELECT {_SHOWN} FROM integrations WHERE id = :id AND user_id = :me",
        id=integration,
        me=me.user,
    )
    if row is None:
        raise NotFound("There is no such integration.")
    return row


def hide(tx: Tx, me: Caller, integration: int) -> None:
    """Let no event of a calendar count any more; raise NotFound for another's."""
    require_own(tx, me, integration)
    tx.run(
        # No event has the generation -1, so all vanish at once, however many there are.
        "UPDATE integrations SET generation = -1, status = 'disconnected', due_at = "
        "NULL WHERE id = :id",
        id=integration,
    )


def remove(tx: Tx, me: Caller, integration: int) -> None:
    """Delete an integration of the caller with all that is left of it."""
    tx.run("DELETE FROM integrations WHERE id = :id AND user_id = :me", id=integration, me=me.user)


def events_between(tx: Tx, me: Caller, *, low: str, high: str, most: int) -> list[sqlite3.Row]:
    """Return the events of the caller's calendars that end after `low` and begin before `high`, in
    order of time.
    """
    return tx.all(
        """SELECT e.starts, e.ends, e.title, e.place, e.words, i.name AS calendar
           FROM integrations i JOIN calendar_events e ON e.integration_id = i.id
             AND e.generation = i.generation
           WHERE i.user_id = :me AND e.ends >= :low AND e.starts < :high
             ORDER BY e.starts, e.ends, e.id LIMIT :most""",
        me=me.user,
        low=low,
        high=high,
        most=most,
    )


def any_of(tx: Tx, me: Caller) -> bool:
    """Return whether the caller has a calendar."""
    return tx.one("SELECT 1 FROM integrations WHERE user_id = :me LIMIT 1", me=me.user) is not None


def any_due(tx: Tx) -> bool:
    """Return whether a calendar is to be read again now."""
    return (
        tx.one(
            "SELECT 1 FROM integrations WHERE due_at IS NOT NULL AND due_at <= :now LIMIT 1",
            now=tx.now,
        )
        is not None
    )
