"""The calendar of the day as a strip: events and todos with a time, each where it lies."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.interfaces.home.home_page import Person

FROM, TO = 8, 20
LEAST = timedelta(minutes=20)


class Piece(NamedTuple):
    """Something on the strip; `x` and `width` are shares of it, in percent.

    `room` is how far its title may reach: up to the next one beside it."""

    title: str
    times: str
    place: str
    address: str
    is_todo: bool
    x: float
    width: float
    lane: int
    room: float = 0


class Strip(NamedTuple):
    """The day from one hour to another; `now` is where the moment lies, None outside of it.

    `whole_day` are events alone: todos of the day stand in their own list."""

    pieces: list[Piece]
    whole_day: list[Piece]
    lanes: int
    hours: list[tuple[int, float]]
    now: float | None
    calendars: int | None

    @property
    def told(self) -> str:
        """All of it in one line, for whoever does not see it."""
        return ", ".join(f"{piece.title} {piece.times}" for piece in self.pieces)


async def day_strip(person: Person) -> Strip:
    """Return the strip of today."""
    today = person.dates.today
    found = await person.call("search_calendar_events", timeRange=today.isoformat())
    timed = [_times(person, entry) for entry in found.events if not entry.all_day]
    begins = (start.hour if start.date() == today else 0 for start, _, _ in timed)
    first = min([FROM, *begins])
    ends = [end for _, end, _ in timed]
    last = max([TO, *(24 if end.date() > today else end.hour + 1 for end in ends)])
    midnight = person.dates.now.replace(hour=0, minute=0, second=0, microsecond=0)

    def place(moment: datetime) -> float:
        hours = (moment - midnight) / timedelta(hours=1)
        return round(100 * min(1.0, max(0.0, (hours - first) / (last - first))), 2)

    pieces = _in_lanes(timed, place)
    now = person.dates.now
    return Strip(
        pieces,
        [
            _piece(entry, "", 0, 0, 0)
            for entry in found.events
            if entry.all_day and not entry.todo_id
        ],
        max((piece.lane + 1 for piece in pieces), default=1),
        [(hour, round(100 * (hour - first) / (last - first), 2)) for hour in range(first, last, 2)],
        place(now) if first <= now.hour < last else None,
        found.calendars,
    )


def _times(person: Person, entry: Any) -> tuple[datetime, datetime, Any]:
    return person.dates.local(entry.start), person.dates.local(entry.end), entry


def _in_lanes(timed: list[tuple[datetime, datetime, Any]], place: Any) -> list[Piece]:
    """Return the pieces, those that overlap one below the other."""
    ends: list[datetime] = []
    pieces = []
    for start, end, entry in sorted(timed, key=lambda one: (one[0], one[1])):
        until = max(end, start + LEAST)
        lane = next((n for n, free in enumerate(ends) if free <= start), len(ends))
        ends[lane : lane + 1] = [until]
        clock = f"{start:%H:%M}" if end <= start else f"{start:%H:%M}–{end:%H:%M}"
        x = place(start)
        pieces.append(_piece(entry, clock, x, round(max(1.5, place(until) - x), 2), lane))
    return [piece._replace(room=_room(piece, pieces)) for piece in pieces]


def _room(piece: Piece, pieces: list[Piece]) -> float:
    after = [one.x for one in pieces if one.lane == piece.lane and one.x > piece.x]
    return round(min([100.0, *after]) - piece.x, 2)


def _piece(entry: Any, times: str, x: float, width: float, lane: int) -> Piece:
    address = f"/todos/{entry.todo_id}" if entry.todo_id else ""
    place = entry.location or ""
    return Piece(entry.title, times, place, address, bool(entry.todo_id), x, width, lane)
