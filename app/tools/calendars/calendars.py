"""Calendars: fetching their files, and finding the events between two moments."""

import asyncio
import sqlite3
import zlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Any, NamedTuple

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.process import subprocess_reader
from app.core.web import http_fetch
from app.core.web.addresses import Fetched, FetchFailed, FetchPolicy
from app.tools.calendars import calendar_rows as rows

LARGEST = 5 << 20
FETCH_SECONDS = 20.0
READ_SECONDS = 25.0
BEFORE, AHEAD = timedelta(days=366), timedelta(days=2 * 366)
"""How far back and ahead events are worked out."""
FRESH = timedelta(hours=1)
STILL = timedelta(days=7)
"""When a calendar is read again.

One with an address, and one that was sent and only needs its recurrences worked out further.
"""
AGAIN = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)
AT_ONCE = 5
ACCEPT = "text/calendar, text/plain;q=0.5, */*;q=0.1"
UNREAD = (
    "The address could not be read: it must begin with https://, lie in the public "
    "network and answer with a calendar."
    " HEARTH_ALLOW_PRIVATE_HOSTS allows addresses of this machine and of private networks."
)
"""One sentence for all that is refused and all that fails inside.

What answers there, and on which port, is nothing to be found out so.
"""
UNREADABLE = "The file is no calendar that can be read (iCalendar, .ics)."


class CalendarFailed(Exception):
    """A calendar could not be read; the message is a sentence for its owner."""


class Occurrence(NamedTuple):
    """An event as it takes place once, in the user's zone; the end is not part of it."""

    start: datetime
    end: datetime
    whole_day: bool
    title: str
    place: str
    words: str
    calendar: str


def allowed_addresses(app: App) -> FetchPolicy:
    """Return what calendars may be fetched from.

    Https and, where that is allowed, this machine and private networks; never this server
    itself.
    """
    inside = app.settings.allow_private_hosts
    return FetchPolicy(loopback=inside, private=inside, plain=False, own_port=app.settings.port)


async def refresh(app: App, integration: int) -> None:
    """Read a calendar again and note how that went.

    The events that were there stay until then, and on failure.
    """
    row = await app.read(rows.get, integration)
    if row is None:
        return
    try:
        content, etag, events = await _read_calendar(app, row)
        await store_events(app, row, events, content, etag=etag)
    except CalendarFailed as error:
        await note_failure(app, row, error)


async def store_events(
    app: App, row: sqlite3.Row, events: Sequence[Sequence[Any]], content: bytes, *, etag: str | None
) -> None:
    """Let these events be those of a calendar, and keep the file that they come from."""
    # The new events are written beside the old ones and count only from note_success on, so a
    # reader sees either all old or all new ones.
    generation, integration = row["generation"] + 1, row["id"]
    await _purge_events(app, integration, row["generation"])  # what a run that was killed has left
    for start in range(0, len(events), rows.PURGED):
        await app.write(
            rows.put_events, integration, generation, events[start : start + rows.PURGED]
        )
    # Kept whole so that recurrences can be worked out further, and compressed off the loop.
    packed = await asyncio.to_thread(zlib.compress, content, 6)
    due_at = stamp(app.clock() + (FRESH if row["url"] is not None else STILL))
    await app.write(
        rows.note_success,
        integration,
        generation=generation,
        packed=packed,
        etag=etag,
        due_at=due_at,
    )
    await _purge_events(app, integration, generation)


async def note_failure(app: App, row: sqlite3.Row, error: Exception) -> None:
    """Note why a calendar could not be read, and try again the later the more often that
    happened.
    """
    # The 10 keeps a calendar that has failed for weeks from overflowing a timedelta.
    wait = min(AGAIN * 2 ** min(row["failures"], 10), LONGEST_WAIT)
    await app.write(
        rows.note_failure, row["id"], error=str(error), due_at=stamp(app.clock() + wait)
    )


async def expand_calendar(app: App, user: int, content: bytes) -> list[list[Any]]:
    """Return the events of a calendar file around now, their recurrences worked out.

    Raise CalendarFailed.
    """
    zone = app.quick(users.settings_of, user).timezone
    now = app.clock()
    # Few such processes at a time, however many calendars are due.
    async with app.children:
        found, _ = await subprocess_reader.read_lines(
            "app.tools.calendars.ics_process",
            zone,
            stamp(now - BEFORE),
            stamp(now + AHEAD),
            given=content,
            seconds=READ_SECONDS,
        )
    if not any("calendars" in line for line in found):
        raise CalendarFailed(UNREADABLE)
    # The last line is missing when the process was killed at one of its limits.
    if not any("whole" in line for line in found):
        raise CalendarFailed(
            "The calendar is too large or its recurrences are too many to be worked out."
        )
    return [event for line in found for event in line.get("events", ())]


def occurrences_between(
    tx: Tx, me: Caller, start: datetime, end: datetime, *, most: int
) -> list[Occurrence]:
    """Return what takes place in the caller's calendars between two moments of one zone, in
    order."""
    # What is stored are dates or UTC moments, compared as text: the wider stretch of both is read
    # and sifted below.
    low = min(start.date().isoformat(), stamp(start.astimezone(UTC)))
    high = max((end.date() + timedelta(days=1)).isoformat(), stamp(end.astimezone(UTC)))
    found = [
        _occurrence(row, start.tzinfo)
        for row in rows.events_between(tx, me, low=low, high=high, most=most)
    ]
    return sorted(
        # One without length counts at the very start as well.
        one
        for one in found
        if one.start < end and (one.end > start or one.start >= start)
    )


async def remove(app: App, me: Caller, integration: int) -> None:
    """Delete a calendar: its events count no more at once, and go in small pieces.

    Raise NotFound for another's.
    """
    await app.write(rows.hide, me, integration)
    await _purge_events(app, integration, None)
    await app.write(rows.remove, me, integration)


async def _read_calendar(app: App, row: sqlite3.Row) -> tuple[bytes, str | None, list[list[Any]]]:
    """Return the calendar's file with its tag and events.

    From its address, or as it was when nothing has changed there or there is none.
    """
    etag: str | None = row["etag"]
    if row["url"] is not None:
        found = await fetch_calendar(app, row["user_id"], row["url"], etag)
        if found is not None:
            return found
    kept = await app.read(rows.read_file, row["id"])
    if kept is None:
        raise CalendarFailed("The calendar was never read.")
    return kept, etag, await expand_calendar(app, row["user_id"], kept)


async def fetch_calendar(
    app: App, user: int, url: str, etag: str | None = None
) -> tuple[bytes, str | None, list[list[Any]]] | None:
    """Return the file at the address of a calendar, its tag and its events.

    None for one that has not changed. Raises CalendarFailed.

    What a public address answers is told; of all others it is only told that they could not be
    read.
    """
    try:
        found = await http_fetch.fetch(
            url,
            allowed_addresses(app),
            most=LARGEST,
            seconds=FETCH_SECONDS,
            accept=ACCEPT,
            headers={"If-None-Match": etag} if etag else {},
        )
    except FetchFailed:
        raise CalendarFailed(UNREAD) from None
    try:
        return None if found.status == 304 and etag else await _expand_fetched(app, user, found)
    except CalendarFailed as error:
        raise (error if found.is_public else CalendarFailed(UNREAD)) from None


async def _expand_fetched(
    app: App, user: int, found: Fetched
) -> tuple[bytes, str | None, list[list[Any]]]:
    if found.is_cut:
        raise CalendarFailed(f"The calendar is larger than {LARGEST >> 20} MiB.")
    if found.status != HTTPStatus.OK:
        raise CalendarFailed(f"The address answered with status {found.status}.")
    return (
        found.body,
        found.headers.get("etag", "")[:200] or None,
        await expand_calendar(app, user, found.body),
    )


async def _purge_events(app: App, integration: int, besides: int | None) -> None:
    while await app.write(rows.purge_events, integration, besides=besides):
        pass


def _occurrence(row: sqlite3.Row, zone: Any) -> Occurrence:
    whole = len(row["starts"]) == 10
    start, end = (local_moment(row[name], zone) for name in ("starts", "ends"))
    return Occurrence(start, end, whole, row["title"], row["place"], row["words"], row["calendar"])


def local_moment(text: str, zone: Any) -> datetime:
    """Return a stored moment, or the beginning of a stored day, in a zone."""
    return (
        datetime.combine(date.fromisoformat(text), time(), zone)
        if len(text) == 10
        else datetime.fromisoformat(text).astimezone(zone)
    )
