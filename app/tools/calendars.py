"""Calendars that are read: fetching their files, working out their events, and telling which take place between two moments."""

import asyncio
import sqlite3
import zlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from app.account import users
from app.core import child, outbound
from app.core.app import App
from app.core.caller import Caller
from app.core.outbound import Fetched, FetchFailed, Reach
from app.core.tx import Tx, stamp
from app.tools import calendar_rows as rows

LARGEST = 5 << 20
FETCH_SECONDS = 20.0
READ_SECONDS = 25.0
BEFORE, AHEAD = timedelta(days=366), timedelta(days=2 * 366)
"""How far back and ahead events are worked out."""
FRESH = timedelta(hours=1)
STILL = timedelta(days=7)
"""When a calendar is read again: one with an address, and one that was sent and only needs its recurrences worked out further."""
AGAIN = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)
AT_ONCE = 5
ACCEPT = "text/calendar, text/plain;q=0.5, */*;q=0.1"
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


def reach(app: App) -> Reach:
    """Give what calendars may be fetched from: https, this machine, and private networks where that is allowed."""
    return Reach(loopback=True, private=app.settings.allow_private_hosts, plain=False)


async def refresh(app: App, integration: int) -> None:
    """Read a calendar again and note how that went; the events that were there stay until then, and on failure."""
    row = await app.read(rows.get, integration)
    if row is None:
        return
    try:
        content, etag = await _file(app, row)
        await keep(app, row, await worked_out(app, row["user_id"], content), content, etag=etag)
    except (CalendarFailed, FetchFailed) as error:
        await note_failure(app, row, error)


async def keep(app: App, row: sqlite3.Row, events: Sequence[Sequence[Any]], content: bytes, *, etag: str | None) -> None:
    """Let these events be those of a calendar, and keep the file that they come from."""
    generation, integration = row["generation"] + 1, row["id"]
    await _purge(app, integration, row["generation"])  # what a run that was killed has left
    for start in range(0, len(events), rows.PURGED):
        await app.write(rows.put_events, integration, generation, events[start : start + rows.PURGED])
    packed = await asyncio.to_thread(zlib.compress, content, 6)
    due_at = stamp(app.clock() + (FRESH if row["url"] is not None else STILL))
    await app.write(rows.succeeded, integration, generation=generation, packed=packed, etag=etag, due_at=due_at)
    await _purge(app, integration, generation)


async def note_failure(app: App, row: sqlite3.Row, error: Exception) -> None:
    """Note why a calendar could not be read, and try again the later the more often that happened."""
    wait = min(AGAIN * 2 ** min(row["failures"], 10), LONGEST_WAIT)
    await app.write(rows.failed, row["id"], error=str(error), due_at=stamp(app.clock() + wait))


async def worked_out(app: App, user: int, content: bytes) -> list[list[Any]]:
    """Give the events of a calendar file around now, their recurrences worked out; raise CalendarFailed."""
    zone = app.quick(users.settings_of_user, user).timezone
    now = app.clock()
    async with app.children:
        found, _ = await child.lines(
            "app.tools.ics_child", zone, stamp(now - BEFORE), stamp(now + AHEAD), given=content, seconds=READ_SECONDS
        )  # fmt: skip
    if not any("calendars" in line for line in found):
        raise CalendarFailed(UNREADABLE)
    if not any("whole" in line for line in found):
        raise CalendarFailed("The calendar is too large or its recurrences are too many to be worked out.")
    return [event for line in found for event in line.get("events", ())]


def between(tx: Tx, me: Caller, start: datetime, end: datetime, *, most: int) -> list[Occurrence]:
    """Give what takes place in the caller's calendars between two moments of one zone, in order."""
    low = min(start.date().isoformat(), stamp(start.astimezone(UTC)))
    high = max((end.date() + timedelta(days=1)).isoformat(), stamp(end.astimezone(UTC)))
    found = [_occurrence(row, start.tzinfo) for row in rows.between(tx, me, low=low, high=high, most=most)]
    return sorted(one for one in found if one.start < end and (one.end > start or one.start >= start))


async def remove(app: App, me: Caller, integration: int) -> None:
    """Delete a calendar: its events count no more at once, and go in small pieces; raise NotFound for another's."""
    await app.write(rows.hide, me, integration)
    while await app.write(rows.purge_events, integration, besides=None):
        pass
    await app.write(rows.remove, me, integration)


async def _file(app: App, row: sqlite3.Row) -> tuple[bytes, str | None]:
    """Give the calendar's file: from its address, or as it was when nothing has changed there or there is none."""
    if row["url"] is not None:
        found = await fetched(app, row["url"], row["etag"])
        if found.status != 304:
            return found.body, found.headers.get("etag", "")[:200] or None
    kept = await app.read(rows.source, row["id"])
    if kept is None:
        raise CalendarFailed("The calendar was never read.")
    return kept, row["etag"]


async def fetched(app: App, url: str, etag: str | None = None) -> Fetched:
    """Give what the address of a calendar answers; raise CalendarFailed or FetchFailed."""
    known = {"If-None-Match": etag} if etag else {}
    found = await outbound.fetch(url, reach(app), most=LARGEST, seconds=FETCH_SECONDS, accept=ACCEPT, headers=known)
    if found.is_cut:
        raise CalendarFailed(f"The calendar is larger than {LARGEST >> 20} MiB.")
    if found.status not in (200, 304) or (found.status == 304 and not etag):
        raise CalendarFailed(f"The address answered with status {found.status}.")
    return found


async def _purge(app: App, integration: int, besides: int) -> None:
    while await app.write(rows.purge_events, integration, besides=besides):
        pass


def _occurrence(row: sqlite3.Row, zone: Any) -> Occurrence:
    whole = len(row["starts"]) == 10
    start, end = (moment(row[name], zone) for name in ("starts", "ends"))
    return Occurrence(start, end, whole, row["title"], row["place"], row["words"], row["calendar"])


def moment(text: str, zone: Any) -> datetime:
    """Give a stored moment, or the beginning of a stored day, in a zone."""
    return datetime.combine(date.fromisoformat(text), time(), zone) if len(text) == 10 else datetime.fromisoformat(text).astimezone(zone)
