"""What is in the calendar, and when there is time: answers without a model."""

import functools
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from app.agent.calendar import free_time
from app.agent.calendar.calendar_search import BUSY
from app.agent.calendar.free_time import Event
from app.agent.quickadd import time_ranges
from app.agent.quickadd.time_ranges import Range
from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import dialogue_words, resolve_reference, view_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language, Times
from app.agent.rules.phrases import dates
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace, call_tool

TOOL = "search_calendar_events"
SHOWN = 30
NEXT_SHOWN = 3
USUAL_DAYS, NEXT_DAYS = 7, 60
AN_HOUR = timedelta(hours=1)


def list_events(asked: Asked, route: Route) -> Step:
    """List what takes place in the time that was named; of what comes next only the first."""
    comes_next = _next_event().search(asked.message) is not None
    part = time_ranges.find_part(asked.message)
    named = _days_of(asked, route) or (time_ranges.next_with(part[0], asked.now) if part else None)
    if not asked.results:
        if missing := time_ranges.missing_day(asked.message, asked.now):
            return Step(route.phrase("no_such_day", day=missing))
        usual = Range(
            asked.now,
            asked.now
            + timedelta(days=NEXT_DAYS if comes_next or route.get("words") else USUAL_DAYS),
        )
        words = (
            {
                "query": " ".join(resolve_reference.word_stems(route.get("words")))
                or route.get("words")
            }
            if route.get("words")
            else {}
        )
        return call_tool(TOOL, **words, **_asked_for(asked, named or usual))
    found = [result.content for result in asked.of(TOOL)]
    if not found:
        return list_answers.tell_refusal(asked, route)
    rows, total = found[0]["events"], found[0]["total"]
    if named and part:
        stretch = _stretch(asked, named)
        rows = [row for row in rows if row["allDay"] or _overlaps(row, stretch)]
        total = len(rows)
    if comes_next:
        # “My next appointment” means an event, and a todo only when there is none.
        rows = [row for row in rows if row["source"] == "calendar"][:NEXT_SHOWN] or rows[
            :NEXT_SHOWN
        ]
        total = len(rows)
    told = _told(asked, route, "events", rows, total)
    return Step("\n".join([told, *_unconnected(route, found[0])]), trace=_shown(rows[:SHOWN]))


def tell_free_time(asked: Asked, route: Route) -> Step:
    """Return whether the time that was named is free, or which of the day is."""
    said = route.get("day") or asked.message
    if not asked.results and (missing := time_ranges.missing_day(said, asked.now)):
        return Step(route.phrase("no_such_day", day=missing))
    named = _day_in(said, asked) or time_ranges.day(asked.now.date(), asked.now)
    if not asked.results:
        return call_tool(TOOL, **_asked_for(asked, named))
    found = [result.content for result in asked.of(TOOL)]
    if not found:
        return list_answers.tell_refusal(asked, route)
    owner = asked.persona.owner
    # A todo of a whole day can be done at any hour of it; one with a time takes that time.
    rows = [row for row in found[0]["events"] if row["source"] == "calendar" or not row["allDay"]]
    # How long a todo takes nobody knows, so the free stretches are those between events.
    events = [row for row in rows if row["source"] == "calendar"]
    stretch = _stretch(asked, named)
    taken = [row for row in rows if (_is_hidden(row) if row["allDay"] else _overlaps(row, stretch))]
    when = (
        f"{dates.day(route.language, stretch[0].date(), asked.now)}"
        f" {stretch[0]:%H:%M}–{stretch[1]:%H:%M}"
        if stretch[1] - stretch[0] < timedelta(hours=23)
        else _days(asked, route, named)
    )
    if taken:
        slots = (
            []
            if any(row["allDay"] for row in taken)
            else _slots(route.language, asked, named, events)
        )
        told = _told(asked, route, "busy", taken, len(taken), owner=owner, when=when)
        return Step("\n".join([told, *slots]), trace=_shown(taken[:SHOWN]))
    # What is due on the day is named, though it takes no hour of it.
    due = [] if owner else [row for row in found[0]["events"] if row["allDay"]]
    whole = [row for row in due or rows if row["allDay"]]
    lines = [line_of(asked, route, row) for row in whole]
    told = route.phrase("free", owner=owner, when=when)
    return Step("\n".join([told, *lines, *_unconnected(route, found[0])]), trace=_shown(whole))


def _shown(rows: Sequence[Mapping[str, Any]]) -> Trace:
    """Return the todos among what was told, for what is said of them next: “move it to Sunday”."""
    todos = ((row["todoId"], row["title"]) for row in rows if row.get("todoId"))
    return Trace(shown=tuple(Thing("todo", *one) for one in todos))


def _days_of(asked: Asked, route: Route) -> Range | None:
    """Return the time that a message names, from one day to another or as one."""
    text = route.get("day") or asked.message
    said = dialogue_words.bare(text)
    span = view_words.find_span(said, asked, route.get("written") or route.language)
    return span[0] if span else _day_in(text, asked)


def _day_in(text: str, asked: Asked) -> Range | None:
    """Return the time that a text names, be it a weekday without “on”; None where it names none."""
    if named := time_ranges.read(text, asked.now):
        return named
    bare = dialogue_words.bare(text)
    day = dialogue_words.bare_weekday(bare, asked.now) or dialogue_words.find_days(bare, asked.now)
    return day[0] if day else None


def _unconnected(route: Route, found: Mapping[str, Any]) -> list[str]:
    """Return the line that says that there is no calendar to look at, where there is none."""
    return [route.phrase("no_calendar")] if found.get("calendars") == 0 else []


def _asked_for(asked: Asked, named: Range) -> dict[str, Any]:
    start, end = (
        moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in (named.start, named.end)
    )
    return {"timeRange": f"{start}/{end}", **list_answers.zone_argument(asked)}


def _stretch(asked: Asked, named: Range) -> tuple[datetime, datetime]:
    """Return the hours that were meant.

    A part of the day, an hour from the time that was named, or all of it.
    """
    day = named.start.date()
    # digits of a date are no time of day
    undated = re.sub(r"\d{4}-\d{2}-\d{2}", "", asked.message)
    part = time_ranges.find_part(asked.message) if not _clock().search(undated) else None
    if part and named.end - named.start <= timedelta(days=1):
        return time_ranges.part_of(day, part[0], asked.now)[:2]
    return (named.at, named.at + AN_HOUR) if named.at is not None else (named.start, named.end)


@functools.cache
def _next_event() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Answers, lambda one: one.next_event), re.IGNORECASE)


@functools.cache
def _clock() -> re.Pattern[str]:
    words = language_data.any_of(Times, lambda one: one.clock)
    return re.compile(rf"\d|{words}", re.IGNORECASE)


def _overlaps(row: Mapping[str, Any], stretch: tuple[datetime, datetime]) -> bool:
    start, end = (datetime.fromisoformat(row[name]) for name in ("start", "end"))
    return start < stretch[1] and (end > stretch[0] or start >= stretch[0])


def _slots(
    language: Language, asked: Asked, named: Range, rows: list[Mapping[str, Any]]
) -> list[str]:
    """Return the free stretches of the working hours of the one day that was named."""
    # 25 hours: the day on which the clock is put back.
    if named.end - named.start > timedelta(days=1, hours=1):
        return []
    zone = asked.now.tzinfo
    timed = [
        Event(_at(row, "start", zone), _at(row, "end", zone), row["title"])
        for row in rows
        if not row["allDay"]
    ]
    day: date = named.start.date()
    slots = free_time.free_slots(
        timed,
        max(asked.now, datetime.combine(day, time(), zone))
        if day >= asked.now.date()
        else named.start,
    )
    return (
        [
            phrase(
                language,
                "free_slots",
                slots=", ".join(f"{one.start:%H:%M}–{one.end:%H:%M}" for one in slots),
            )
        ]
        if slots
        else []
    )


def _at(row: Mapping[str, Any], name: str, zone: tzinfo | None) -> datetime:
    return datetime.fromisoformat(row[name]).astimezone(zone)


def _told(
    asked: Asked,
    route: Route,
    head: str,
    rows: list[Mapping[str, Any]],
    total: int,
    *,
    owner: str = "",
    **values: object,
) -> str:
    if not rows:
        return route.phrase("no_events")
    lines = [route.phrase(head, owner=owner, count=total, **values)]
    lines += [line_of(asked, route, row) for row in rows[:SHOWN]]
    more = [route.phrase("more", count=total - SHOWN)] if total > SHOWN else []
    return "\n".join([*lines, *more])


def _is_hidden(row: Mapping[str, Any]) -> bool:
    """Return whether it is only shown that somebody is busy, and not with what.

    Then a whole day may not be taken for free.
    """
    # An event that is really called so has a calendar.
    return row["title"] == BUSY and row.get("calendar") is None


def line_of(asked: Asked, route: Route, row: Mapping[str, Any]) -> str:
    """Return the line of an event in a list."""
    when = dates.within(route.language, row["when"], asked.now)
    if _is_hidden(row):
        return f"- {when}"
    mark = "" if when == row["when"] else ":"
    place = f" ({row['location']})" if row.get("location") else ""
    return f"- {when}{mark} {row['title']}{place}"


def _days(asked: Asked, route: Route, named: Range) -> str:
    first, last = named.start.date(), (named.end - timedelta(microseconds=1)).date()
    return dates.days(route.language, first, max(first, last), asked.now)
