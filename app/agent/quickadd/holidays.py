"""The days of holidays, as the tables of the languages write them."""

import calendar
import re
from datetime import date, timedelta

from app.agent.quickadd import chinese_calendar
from app.workspace.todos.recurrence import WEEKDAYS

_WRITTEN = re.compile(r"(?P<base>easter|advent|sun\d+|lunar-\d+-\d+)(?P<days>[+-]\d+)?")


def coming(which: str, today: date) -> date:
    """Return the next day of a holiday, which may be today; ValueError where no table has it."""
    # the twelfth month of the Chinese year before is in January
    days = (in_year(which, today.year + ahead) for ahead in (-1, 0, 1))
    return next(day for day in days if day >= today)


def in_year(which: str, year: int) -> date:
    """Return the day of a holiday in a year: `12-25`, a weekday of a month (`11-4TH`, `05--1MO` for
    the last), or so many days after Easter, the first Sunday of Advent, a day of the Chinese
    calendar or a place of the sun (`easter-2`, `advent+7`, `lunar-08-15`, `sun315-1`).
    """
    if written := _WRITTEN.fullmatch(which):
        return _base(written["base"], year) + timedelta(int(written["days"] or "0"))
    month, _, day = which.partition("-")
    if day.isdecimal():
        return date(year, int(month), int(day))
    return weekday_of_month(year, int(month), int(day[:-2]), WEEKDAYS.index(day[-2:]))


def weekday_of_month(year: int, month: int, number: int, weekday: int) -> date:
    """Return the first, second or, with -1, last of a weekday in a month, Monday = 0."""
    first, length = date(year, month, 1), calendar.monthrange(year, month)[1]
    days = [first + timedelta(at) for at in range(length)]
    return [one for one in days if one.weekday() == weekday][number - (number > 0)]


def _base(name: str, year: int) -> date:
    if name == "easter":
        from dateutil import easter  # only when somebody names such a day

        found: date = easter.easter(year)
        return found
    if name == "advent":
        earliest = date(year, 11, 27)
        return earliest + timedelta(6 - earliest.weekday())
    if name.startswith("sun"):
        return chinese_calendar.solar_term(year, int(name.removeprefix("sun")))
    return chinese_calendar.lunar_day(year, *map(int, name.split("-")[1:]))
