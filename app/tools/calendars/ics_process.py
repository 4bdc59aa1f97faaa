"""The process that reads a calendar file.

Bytes in; every occurrence of its events in a stretch of time out, recurrences worked out.
"""

import dataclasses
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from app.core.database.tx import stamp
from app.core.process import subprocess_reader

SECONDS = 20
MOST = 20_000
MOST_OF_ONE = 3_000
MOST_STEPS = 200_000
BATCH = 500
LONGEST_TITLE, LONGEST_WORDS = 300, 1_000
COARSE = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")
"""How often an event may come; what comes each minute is taken once."""
BROKEN = (ValueError, TypeError, KeyError, AttributeError, OverflowError)
"""What reading a value that is no value raises."""
Moment = date | datetime


@dataclasses.dataclass(frozen=True)
class Event:
    """One VEVENT as far as it matters.

    `zone` is None for whole days; start and end are wall times of it.
    """

    uid: str
    start: datetime
    length: timedelta
    zone: Any
    instead_of: datetime | None
    component: Any

    @property
    def whole_day(self) -> bool:
        """Whether it has days and no times."""
        return self.zone is None


def main(zone: str, since: str, until: str) -> None:
    """Read standard input and write a head, then events in batches.

    Nothing at all for what is no calendar.
    """
    import icalendar

    subprocess_reader.limit_self(SECONDS)
    found = icalendar.Calendar.from_ical(sys.stdin.buffer.read(), multiple=True)
    calendars = [one for one in found if one.name == "VCALENDAR"]
    if not calendars:
        sys.exit(1)
    subprocess_reader.write_line({"calendars": len(calendars)})
    # Times without a zone are wall times of the calendar, else of its owner.
    own = _zone_named(calendars[0].get("X-WR-TIMEZONE"), ZoneInfo(zone))
    first, last = datetime.fromisoformat(since), datetime.fromisoformat(until)
    # A file of a few bytes can mean events without end.
    rows = itertools.islice(
        _occurrence_rows(
            [event for one in calendars for event in _read_events(one, own)], first, last
        ),
        MOST,
    )
    while batch := list(itertools.islice(rows, BATCH)):
        subprocess_reader.write_line({"events": batch})
    subprocess_reader.write_line({"whole": True})


def _read_events(calendar: Any, own: Any) -> Iterator[Event]:
    for component in calendar.walk("VEVENT"):
        try:
            if (
                str(component.get("STATUS", "")).upper() == "CANCELLED"
                # A cancelled single occurrence must stay: it takes that day out of the series.
                and "RECURRENCE-ID" not in component
            ):
                continue
            # One broken event must not cost the others.
            yield _read_event(component, own)
        except BROKEN:
            continue


def _read_event(component: Any, own: Any) -> Event:
    start = component["DTSTART"].dt
    whole = not isinstance(start, datetime)
    end = component["DTEND"].dt if "DTEND" in component else None
    length = (
        component["DURATION"].dt
        if "DURATION" in component
        else timedelta(days=1)
        if whole
        else timedelta()
    )
    if end is not None:
        length = _to_instant(end, own) - _to_instant(start, own)
    instead = component["RECURRENCE-ID"].dt if "RECURRENCE-ID" in component else None
    zone = None if whole else (start.tzinfo or own)
    return Event(
        # Events without a UID are each their own, not occurrences of one.
        str(component.get("UID", "")) or f"none-{id(component)}",
        _to_wall_time(start, zone),
        max(length, timedelta(days=1) if whole else timedelta()),
        zone,
        None if instead is None else _to_wall_time(instead, zone),
        component,
    )


def _to_instant(moment: Moment, own: Any) -> datetime:
    found = moment if isinstance(moment, datetime) else datetime.combine(moment, time())
    return (
        (found if found.tzinfo else found.replace(tzinfo=own)).astimezone(UTC).replace(tzinfo=None)
    )


def _to_wall_time(moment: Moment, zone: Any) -> datetime:
    """Return a moment without its zone, as the wall shows it in `zone`."""
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time())
    return (
        moment.replace(tzinfo=None)
        if moment.tzinfo is None or zone is None
        else moment.astimezone(zone).replace(tzinfo=None)
    )


def _occurrence_rows(events: list[Event], first: datetime, last: datetime) -> Iterator[list[Any]]:
    """Return a row for each occurrence.

    One that was moved or cancelled alone stands where it was moved to, if anywhere.
    """
    moved = {(event.uid, event.instead_of) for event in events if event.instead_of is not None}
    # Wall times of unknown zones are compared, so a day more on either side.
    since = first.replace(tzinfo=None) - timedelta(days=1)
    for event in events:
        try:
            starts = (
                start
                for start in _occurrence_starts(event, last)
                if start + event.length > since
                and (event.instead_of or (event.uid, start) not in moved)
            )
            yield from [
                _occurrence_row(event, start) for start in itertools.islice(starts, MOST_OF_ONE)
            ]
        except BROKEN:
            continue


def _occurrence_starts(event: Event, last: datetime) -> Iterator[datetime]:
    """Return when an event begins, in order, up to `last`."""
    if event.instead_of is not None:
        cancelled = str(event.component.get("STATUS", "")).upper() == "CANCELLED"
        return iter(() if cancelled else (event.start,))
    until = last.replace(tzinfo=None) + timedelta(days=1)
    gone = {_to_wall_time(one.dt, event.zone) for one in _dates(event.component, "EXDATE")}
    more = {
        _to_wall_time(one.dt[0] if isinstance(one.dt, tuple) else one.dt, event.zone)
        for one in _dates(event.component, "RDATE")
    }
    found: Iterable[datetime] = [event.start]
    if (rule := _recurrence_rule(event)) is not None:
        # A rule that began long ago is stepped through from its beginning.
        found = itertools.takewhile(lambda start: start < until, itertools.islice(rule, MOST_STEPS))
    every = itertools.chain(found, sorted(more - {event.start}))
    return (start for start in every if start < until and start not in gone)


def _dates(component: Any, name: str) -> Iterator[Any]:
    given = component.get(name, [])
    for one in given if isinstance(given, list) else [given]:
        yield from one.dts


def _recurrence_rule(event: Event) -> Any:
    """Return the recurrence as dateutil counts it, in wall times.

    None for an event that comes once.
    """
    from dateutil.rrule import rrulestr

    given = event.component.get("RRULE")
    given = given[0] if isinstance(given, list) else given
    if given is None or str(given.get("FREQ", [""])[0]).upper() not in COARSE:
        return None
    # dateutil wants UNTIL and the start alike, both with a zone or both without, which many files
    # are not; so the end is counted here.
    text = re.sub(r";?UNTIL=[^;]*", "", given.to_ical().decode()).lstrip(";")
    rule = rrulestr(text, dtstart=event.start)
    if ends := given.get("UNTIL"):
        limit = ends[0] if isinstance(ends[0], datetime) else datetime.combine(ends[0], time.max)
        return itertools.takewhile(lambda start: start <= _to_wall_time(limit, event.zone), rule)
    return rule


def _occurrence_row(event: Event, start: datetime) -> list[Any]:
    if event.whole_day:
        # Rounded up: a whole-day event of 25 hours takes two days.
        days = max(1, -(-event.length // timedelta(days=1)))
        begin, end = start.date().isoformat(), (start.date() + timedelta(days=days)).isoformat()
    else:
        moment = start.replace(tzinfo=event.zone).astimezone(UTC)
        begin, end = stamp(moment), stamp(moment + event.length)
    title, place, words = (
        _one_line(event.component.get(name)) for name in ("SUMMARY", "LOCATION", "DESCRIPTION")
    )
    return [begin, end, title[:LONGEST_TITLE], place[:LONGEST_TITLE], words[:LONGEST_WORDS]]


def _one_line(value: Any) -> str:
    # SQLite ends a text at NUL, and lone surrogates cannot be stored.
    return " ".join(str(value or "").replace("\0", "").encode("utf-8", "ignore").decode().split())


def _zone_named(name: Any, otherwise: ZoneInfo) -> ZoneInfo:
    try:
        return ZoneInfo(str(name)) if name else otherwise
    except (KeyError, OSError, ValueError):  # an unknown name is a KeyError
        return otherwise


if __name__ == "__main__":
    main(*sys.argv[1:])
