"""The events of a briefing: which overlap, and when there is free time."""

import itertools
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct, structs

from app.agent.priorities.items import Item
from app.core.markdown.html_fragments import fit_line
from app.core.schema import Body
from app.errors import Invalid
from app.workspace.todos import due
from app.workspace.todos.due import DueText

DAY_BEGINS, DAY_ENDS = time(9), time(18)
SHORTEST_FREE = timedelta(minutes=30)


When = Annotated[
    str,
    Meta(description="a date, or a moment; without an offset it is a wall time of the user"),
    DueText(),
]


class CalendarEvent(Body):
    """One event of the caller's calendars; `end` is exclusive."""

    start: When
    end: When
    summary: str | None = None
    location: str | None = None
    description: str | None = None


class Event(Struct, frozen=True, order=True):
    """An event in the user's zone; `whole_day` ones block no time."""

    start: datetime
    end: datetime
    title: str
    words: str = ""
    whole_day: bool = False
    conflict: bool = False

    def on(self, day: date) -> bool:
        """Return whether it takes place on a day."""
        last = self.end - timedelta(microseconds=1) if self.end > self.start else self.end
        return self.start.date() <= day <= last.date()


class Slot(msgspec.Struct, frozen=True):
    """A stretch of free time."""

    start: datetime
    end: datetime


def read_moment(text: str, zone: ZoneInfo) -> tuple[datetime, bool]:
    """Return a checked date or moment in the zone, and whether it is a whole day."""
    stored = due.parse_due(text, zone)
    if due.is_whole_day(stored):
        return datetime.combine(date.fromisoformat(stored), time(), zone), True
    return due.local_moment(stored, zone), False


def events_of(given: Sequence[CalendarEvent], zone: ZoneInfo) -> list[Event]:
    """Return the events in order of time, those that overlap marked.

    Raise Invalid for one that ends before it begins.
    """
    return mark_conflicts([_read_event(one, number, zone) for number, one in enumerate(given)])


def mark_conflicts(found: Sequence[Event]) -> list[Event]:
    """Return events in order of time, each once, those that overlap marked."""
    busy = conflicting_events(found)
    return [structs.replace(event, conflict=event in busy) for event in sorted(set(found))]


def conflicting_events(events: Iterable[Event]) -> set[Event]:
    """Return the timed events that overlap another one."""
    found: set[Event] = set()
    latest: Event | None = None
    for event in sorted(
        event for event in events if not event.whole_day and event.end > event.start
    ):
        if latest is not None and event.start < latest.end:
            found |= {event, latest}
        # The one that ends last so far can overlap any later one, so it is the one to compare with.
        if latest is None or event.end > latest.end:
            latest = event
    return found


def conflicting_pairs(events: Iterable[Event]) -> list[tuple[Event, Event]]:
    """Return each timed event that another one begins in, with the first that does."""
    timed = sorted(event for event in events if not event.whole_day and event.end > event.start)
    return [(event, after) for event, after in itertools.pairwise(timed) if after.start < event.end]


def free_slots(events: Iterable[Event], now: datetime) -> list[Slot]:
    """Return what is left of today's working hours from now on, in stretches of half an hour or
    more.
    """
    # In the working hours alone: nights are free too, and nobody means them.
    end = datetime.combine(now.date(), DAY_ENDS, now.tzinfo)
    free_from = max(now, datetime.combine(now.date(), DAY_BEGINS, now.tzinfo))
    slots: list[Slot] = []
    for event in sorted(event for event in events if not event.whole_day):
        if min(event.start, end) - free_from >= SHORTEST_FREE:
            slots.append(Slot(free_from, min(event.start, end)))
        # An event may lie inside of an earlier one.
        free_from = max(free_from, event.end)
    return [*slots, Slot(free_from, end)] if end - free_from >= SHORTEST_FREE else slots


def event_item(event: Event) -> Item:
    """Return an event as a thing to be weighed."""
    return Item(
        source="calendar",
        title=event.title,
        words=event.words,
        day=event.start.date(),
        moment=None if event.whole_day else event.start,
        end=event.end,
        conflict=event.conflict,
    )


def _read_event(given: CalendarEvent, number: int, zone: ZoneInfo) -> Event:
    (start, whole_day), (end, _) = read_moment(given.start, zone), read_moment(given.end, zone)
    if end < start:
        raise Invalid(
            f"calendarEvents[{number}].end must not be before its start.",
            field=f"calendarEvents[{number}].end",
        )
    # Some programs write the last day itself as the end.
    if whole_day and end == start:
        end = datetime.combine(start.date(), time.max, zone)
    words = ". ".join(
        fit_line(text, 200) for text in (given.description, given.location) if text and text.strip()
    )
    return Event(start, end, fit_line(given.summary or "", 200) or "(no title)", words, whole_day)
