"""Dates and times as people read them, in their zone and language."""

import zoneinfo
from datetime import UTC, date, datetime

from app.interfaces.languages.words import Words

WEEK = 7


class Dates:
    """The dates of one person: their zone, their language, and the moment it is now."""

    def __init__(self, words: Words, zone: str, now: datetime) -> None:
        self._words = words
        self._zone = _zone(zone)
        self.now = now.astimezone(self._zone)

    @property
    def today(self) -> date:
        """The day it is for this person."""
        return self.now.date()

    def local(self, moment: str) -> datetime:
        """Return a moment of the wire (ISO 8601, UTC) in this person's zone."""
        return datetime.fromisoformat(moment).replace(tzinfo=UTC).astimezone(self._zone)

    def long(self, day: date) -> str:
        """Return a day in full: Sunday, 22 November."""
        return self._words(
            "dates.long", weekday=self._weekday(day), day=day.day, month=self._month(day)
        )

    def day(self, day: date | str, *, within: bool = False) -> str:
        """Return a day in short, as one says it beside today: Today, Friday, 12 Nov, 3 Jan 2025;
        `within` a sentence: today.
        """
        if isinstance(day, str):
            day = date.fromisoformat(day[:10])
        away = (day - self.today).days
        if -1 <= away <= 1:
            name = ("yesterday", "today", "tomorrow")[away + 1]
            return self._words(f"dates.within.{name}" if within else f"dates.{name}")
        if 1 < away < WEEK:
            return self._weekday(day)
        return self.short(day)

    def short(self, day: date) -> str:
        """Return a day by its number and month: 12 Nov, or 3 Jan 2025."""
        form = "dates.short" if day.year == self.today.year else "dates.short_year"
        return self._words(form, day=day.day, month=self._month(day)[:3], year=day.year)

    def month(self, month: str) -> str:
        """Return a month of the wire (2026-11) by its name: November 2026."""
        day = date.fromisoformat(f"{month}-01")
        return f"{self._month(day)} {day.year}"

    def when(self, moment: str) -> str:
        """Return a moment in short: the time today, else the day."""
        local = self.local(moment)
        return self.time(moment) if local.date() == self.today else self.day(local.date())

    def at(self, moment: str) -> str:
        """Return a moment with its day and time within a sentence: today, 09:41."""
        return f"{self.day(self.local(moment).date(), within=True)}, {self.time(moment)}"

    def on(self, moment: str) -> str:
        """Return a moment in short within a sentence: the time today, else the day."""
        local = self.local(moment)
        if local.date() == self.today:
            return self.time(moment)
        return self.day(local.date(), within=True)

    def time(self, moment: str) -> str:
        """Return the time of a moment: 09:41."""
        return f"{self.local(moment):%H:%M}"

    def full(self, moment: str) -> str:
        """Return a moment with its day and time: 12 Nov, 09:41."""
        return f"{self.day(self.local(moment).date())}, {self.time(moment)}"

    def printed(self, moment: str) -> str:
        """Return a moment as it stays true on paper: 12 November 2026, 09:41."""
        day = self.local(moment).date()
        form = self._words("dates.short_year", day=day.day, month=self._month(day), year=day.year)
        return f"{form}, {self.time(moment)}"

    def _weekday(self, day: date) -> str:
        return self._words(f"dates.weekdays.{day.isoweekday()}")

    def _month(self, day: date) -> str:
        return self._words(f"dates.months.{day.month}")


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")
