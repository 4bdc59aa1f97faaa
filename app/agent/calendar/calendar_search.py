"""What takes place when: the events of connected calendars, and todos that have a date."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.account.users import TimeZone
from app.agent.quickadd import time_ranges
from app.agent.quickadd.time_ranges import Range
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.grant_scope import GrantScope
from app.core.operation import Taint, Tool, operation
from app.core.schema import Record, Text
from app.errors import Invalid
from app.tools.calendars import calendar_rows, calendars
from app.tools.calendars.calendars import Occurrence
from app.workspace.todos import due, todo_search
from app.workspace.todos.todo_records import Todo
from app.workspace.todos.todo_rows import fold_text
from app.workspace.todos.todo_search import TodoFilters

MOST = 100
BUSY = "Busy"
MOST_READ = 2_000
USUAL = timedelta(days=7)
FOR_WORDS = timedelta(days=365)


class Entry(Record):
    """An event or a todo. `start` and `end` are moments, or dates of whole days, the end not
    part of it; `when` is its time in the user's zone.
    """

    source: Literal["calendar", "todo"]
    title: str
    start: str
    end: str
    all_day: bool
    when: str
    location: str | None
    description: str | None
    calendar: str | None
    todo_id: int | None


class Stretch(Record):
    """What was looked through, from a moment up to another."""

    from_: str
    to: str


class Entries(Record):
    """What was found, and how many calendars are connected; null to others than the owner."""

    events: list[Entry]
    total: int
    time_range: Stretch
    calendars: int | None = None


def _calendar_taint(found: Entries) -> Taint | None:
    """Return whose words a result holds: events are written by whoever invites."""
    return "calendar" if any(entry.source == "calendar" for entry in found.events) else None


@operation("TOOL", scope="os.todos:read", effect="read", tool=Tool(risk="R", taint=_calendar_taint))
async def search_calendar_events(
    app: App,
    me: Caller,
    *,
    query: Annotated[str, Meta(max_length=1000), Text()] | None = None,
    time_range: Annotated[
        str,
        Meta(max_length=200, description=f"such as {time_ranges.NAMED}; default: the next 7 days"),
    ]
    | None = None,
    user_timezone: TimeZone | None = None,
) -> Entries:
    """List the events of the connected calendars and the todos that are due, in a time range and
    with all the words of a query, in order of time.
    """
    zone = app.quick(due.request_zone, me, user_timezone)
    now = app.clock().astimezone(zone)
    wanted = _asked_range(time_range, query, now)
    return await app.read(_find_entries, me, wanted, fold_text(query or "").split())


def busy_events(tx: Tx, me: Caller, wanted: Range) -> list[Occurrence]:
    """Return the events of the caller's calendars in a stretch of time, in order."""
    return calendars.occurrences_between(tx, me, wanted.start, wanted.end, most=MOST_READ)


def _asked_range(named: str | None, query: str | None, now: datetime) -> Range:
    if named is None or not named.strip():
        # Who asks for words means the event wherever it lies.
        return Range(now, now + (FOR_WORDS if query and query.strip() else USUAL))
    # 31 April would otherwise be read as something else, or as no date.
    if missing := time_ranges.missing_day(named, now):
        raise Invalid(
            f"timeRange names a day that does not exist: {missing}. Ask which day is meant.",
            field="timeRange",
        )
    found = time_ranges.read(named, now)
    if found is None:
        raise Invalid(f"timeRange names no time; it may be {time_ranges.NAMED}.", field="timeRange")
    return found


def _find_entries(tx: Tx, me: Caller, wanted: Range, words: list[str]) -> Entries:
    if me.reach is not None:
        return _find_granted(tx, me, me.reach, wanted, words)
    events = [
        (one.start, _event_entry(one))
        for one in busy_events(tx, me, wanted)
        if _has_words(words, one.title, one.place, one.words, one.calendar)
    ]
    todos = [
        (moment, _todo_entry(todo, moment))
        for todo, moment in _due_todos(tx, me, wanted)
        if _has_words(words, todo.title, todo.description or "")
    ]
    every = [
        entry
        for _, entry in sorted(
            # At one moment what takes the whole day comes first.
            (*events, *todos),
            key=lambda pair: (pair[0], not pair[1].all_day, pair[1].title),
        )
    ]
    return Entries(
        every[:MOST],
        len(every),
        Stretch(stamp_of(wanted.start), stamp_of(wanted.end)),
        len(calendar_rows.list_integrations(tx, me)),
    )


def _find_granted(
    tx: Tx, me: Caller, reach: GrantScope, wanted: Range, words: list[str]
) -> Entries:
    """Return what a grant shows of the calendars, and of todos nothing.

    With free_busy when its owner is busy, whatever words are asked for.
    """
    hides = reach.calendar in ("free_busy", "write")
    # Sifting by words would tell which of them a hidden event holds, by what is left.
    events = [
        _event_entry(one)
        for one in busy_events(tx, me, wanted)
        if hides or _has_words(words, one.title, one.place, one.words, one.calendar)
    ]
    if hides:
        hidden = [
            msgspec.structs.replace(one, title=BUSY, location=None, description=None, calendar=None)
            for one in events
        ]
        # The order of equal times came from the titles.
        events = sorted(hidden, key=lambda one: (one.start, one.end))
    stretch = Stretch(stamp_of(wanted.start), stamp_of(wanted.end))
    return Entries(events[:MOST], len(events), stretch)


def _due_todos(tx: Tx, me: Caller, wanted: Range) -> list[tuple[Todo, datetime]]:
    """Return the open todos that are due in a stretch of time, each with its moment or the
    beginning of its day.
    """
    zone = due.request_zone(tx, me, getattr(wanted.start.tzinfo, "key", None))
    # The end is not part of the range: up to midnight is the day before.
    last = (wanted.end - timedelta(microseconds=1)).date()
    asked = TodoFilters(
        due_from=wanted.start.date().isoformat(),
        due_to=last.isoformat(),
        completed=False,
        limit=MOST_READ,
        user_timezone=zone.key,
    )
    todos, _ = todo_search.any_page(tx, me, asked)
    placed = [
        (todo, calendars.local_moment(todo.due_date, zone)) for todo in todos if todo.due_date
    ]
    return [
        (todo, at)
        for todo, at in placed
        if due.is_whole_day(todo.due_date or "") or wanted.start <= at < wanted.end
    ]


def _has_words(words: list[str], *texts: str) -> bool:
    if not words:
        return True
    text = fold_text(" ".join(texts))
    return all(word in text for word in words)


def _event_entry(one: Occurrence) -> Entry:
    start, end = (
        (one.start.date().isoformat(), one.end.date().isoformat())
        if one.whole_day
        else (stamp_of(one.start), stamp_of(one.end))
    )
    when = _days_text(one.start, one.end) if one.whole_day else _times_text(one.start, one.end)
    return Entry(
        "calendar",
        one.title or "(no title)",
        start,
        end,
        one.whole_day,
        when,
        one.place or None,
        one.words or None,
        one.calendar,
        None,
    )


def _todo_entry(todo: Todo, at: datetime) -> Entry:
    whole = due.is_whole_day(todo.due_date or "")
    when = _days_text(at, at + timedelta(days=1)) if whole else _times_text(at, at)
    end = (at + timedelta(days=1)).date().isoformat() if whole else todo.due_date or ""
    return Entry(
        "todo",
        todo.title,
        todo.due_date or "",
        end,
        whole,
        when,
        None,
        todo.description,
        None,
        todo.id,
    )


def stamp_of(moment: datetime) -> str:
    """Return a moment of any zone as the contract writes it."""
    return stamp(moment.astimezone(UTC))


def _days_text(start: datetime, end: datetime) -> str:
    last = (end - timedelta(microseconds=1)).date()
    return f"{start:%Y-%m-%d}" if last <= start.date() else f"{start:%Y-%m-%d} – {last:%Y-%m-%d}"


def _times_text(start: datetime, end: datetime) -> str:
    if end <= start:
        return f"{start:%Y-%m-%d %H:%M}"
    return (
        f"{start:%Y-%m-%d %H:%M}–{end:%H:%M}"
        if end.date() == start.date()
        else f"{start:%Y-%m-%d %H:%M} – {end:%Y-%m-%d %H:%M}"
    )
