"""When a heartbeat may run: how often, on which days of the week, inside which hours of a zone."""

import zlib
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

DAY_MINUTES = 24 * 60
DAYS_SEARCHED = 16
JITTER_SECONDS = 60
MINUTE = timedelta(minutes=1)


class Hours(msgspec.Struct, frozen=True):
    """The part of the week in which runs may begin.

    From `start` to before `end`, minutes after midnight; an end that is not later is tomorrow's.
    """

    zone: ZoneInfo
    start: int = 0
    end: int = DAY_MINUTES
    weekdays: frozenset[int] = frozenset(range(1, 8))

    @property
    def length(self) -> int:
        """The minutes of a window on a day whose clock is not changed."""
        return (
            self.end - self.start if self.end > self.start else self.end - self.start + DAY_MINUTES
        )

    def window(self, day: date) -> tuple[datetime, datetime]:
        """Return the moments in UTC between which the window lies that begins on `day`."""
        return self._moment(day, self.start), self._moment(day, self.start + self.length)

    def holds(self, moment: datetime) -> bool:
        """Return whether a moment lies inside."""
        return self.first(moment) == moment

    def first(self, moment: datetime) -> datetime:
        """Return the first moment inside that is not before `moment`."""
        moment = moment.astimezone(UTC)
        today = moment.astimezone(self.zone).date()
        # From yesterday on, whose window may run over midnight.
        for offset in range(-1, DAYS_SEARCHED):
            day = today + timedelta(days=offset)
            if (
                day.isoweekday() in self.weekdays
                and (found := self._first_in(day, moment)) is not None
            ):
                return found
        raise ValueError("these hours never come")

    def _first_in(self, day: date, moment: datetime) -> datetime | None:
        opens, closes = self.window(day)
        at = max(opens, moment)
        # Where the clock was put back it shows an hour from before the window once more.
        while at < closes and not self._shown(day, at):
            at += MINUTE
        return at if at < closes else None

    def _shown(self, day: date, moment: datetime) -> bool:
        wall = moment.astimezone(self.zone).replace(tzinfo=None)
        minutes = (wall - datetime.combine(day, time())) / MINUTE
        return self.start <= minutes < self.start + self.length

    def _moment(self, day: date, minutes: int) -> datetime:
        """Return the first moment at which the wall clock has reached that time.

        Where it never shows it, the one at which it has passed it.
        """
        return first_moment_at(
            datetime.combine(day, time()) + timedelta(minutes=minutes), self.zone
        )


def first_moment_at(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first moment, in UTC, at which the clock of `zone` shows the time `wall` or,
    having been put forward over it, a later one.
    """
    # A time that the clock skips has its two folds the other way around.
    at, other = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if at <= other:
        return at
    while other.astimezone(zone).replace(tzinfo=None) < wall:
        other += MINUTE
    return other


def first_run(hours: Hours, now: datetime, every: timedelta, *, name: str) -> datetime:
    """Return the first run of a schedule that is switched on at `now`."""
    return _first_inside(hours, now + every, name)


def next_run(
    hours: Hours, due: datetime, now: datetime, every: timedelta, *, name: str
) -> tuple[datetime, int]:
    """Return the next run after the one that was due, later than `now`, and how many in between
    were missed: they are made up for by one.
    """
    # Counted on from the time it was due, so that the rhythm stays.
    missed = max(0, (now - due) // every)
    return _first_inside(hours, due + (missed + 1) * every, name), missed


def parse_minutes(text: str) -> int:
    """Return a time of day such as 08:30, or 24:00, as minutes after midnight."""
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)


def _first_inside(hours: Hours, moment: datetime, name: str) -> datetime:
    """Return the first moment inside.

    Where the hours have yet to begin, a little after, so that not everyone's agents begin at the
    same second.
    """
    found = hours.first(moment)
    if found == moment.astimezone(UTC):
        return found
    # From the name, so that it is the same each day.
    shifted = found + timedelta(seconds=zlib.crc32(name.encode()) % JITTER_SECONDS)
    return shifted if hours.holds(shifted) else found
