"""The days that matches of quick add name, reckoned from now."""

import calendar
from datetime import UTC, date, datetime, time, timedelta

import msgspec

from app.agent.quickadd import holidays
from app.agent.quickadd.language_words import Language
from app.agent.quickadd.meaning import Groups, Meaning, NoSuchDay

END_OF_DAY = time(17)
OLDEST = timedelta(days=366)
"""A day longer past than this is no due date.

One without a preposition is none as soon as it is past.
"""
SOON = timedelta(days=62)
"""“Friday the 15th” is no further away than this."""
FRACTIONS = (2, 3, 4, 5, 8, 10)
"""What may stand below a fraction or a mark such as 4/5, which is no date by itself."""

DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
"""How many days ahead one of each unit is."""
MONTHS = {"month": 1, "quarter": 3, "year": 12}
"""How many months ahead one of each unit is."""


def read_date(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return a day of a month, with or without its year."""
    month = groups.get("month_number") or groups.get("month")
    year = _year_said(groups, now)
    number = language.number(groups["day"] or "")
    if month is None:
        said = groups.get("weekday")
        day = _coming_day(now.date(), number, language.weekdays[said] if said else None)
    else:
        day = _day_in(
            now.date(), year, int(month) if month.isdecimal() else language.months[month], number
        )
    if year and day < now.date() - (OLDEST if groups.get("pre") else timedelta()):
        return None
    return _day_meaning(groups, day)


def read_this_month(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return a day of the next month, of the one after, or of this one."""
    coming = 2 if groups.get("after_next") else 1 if groups.get("next") else 0
    month = units_later(now.date().replace(day=1), "month", coming)
    number = language.number(groups["day"] or "")
    if calendar.monthrange(month.year, month.month)[1] < number <= 31:
        raise NoSuchDay(f"{month:%Y-%m}-{number:02}")
    return _day_meaning(groups, month.replace(day=number))


def read_numeric(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return a day written in digits, such as 24/12."""
    first, second = int(groups["first"] or ""), int(groups["second"] or "")
    day, month = (second, first) if language.month_first else (first, second)
    # 24/12 can only be read one way, whatever the locale.
    if month > 12 >= day:
        day, month = month, day
    if not (groups.get("pre") or groups.get("year")) and first <= second and second in FRACTIONS:
        return None
    try:
        return read_date({**groups, "day": str(day), "month_number": str(month)}, language, now)
    except NoSuchDay:
        # two numbers alone, such as 30/2, are rather no date than a wrong one
        if not (groups.get("pre") or groups.get("year")):
            return None
        raise


def _year_said(groups: Groups, now: datetime) -> str | None:
    return str(now.year + 1) if groups.get("next") else groups.get("year")


def _day_in(today: date, year: str | None, month: int, day: int) -> date:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError("no date at all")
    if year:
        number = int(year) + (2000 if len(year) == 2 else 0)
        if day > calendar.monthrange(number, month)[1]:
            raise NoSuchDay(f"{number:04}-{month:02}-{day:02}")
        return date(number, month, day)
    # 29 February is at most eight years away (1896 to 1904).
    for ahead in range(9):
        try:
            found = date(today.year + ahead, month, day)
        except ValueError:  # 29 February of a common year
            continue
        if found >= today:
            return found
    raise NoSuchDay(f"{today.year + (month < today.month):04}-{month:02}-{day:02}")


def _coming_day(today: date, number: int, weekday: int | None) -> date:
    """Return the next day with that number in its month; with a weekday, that soon is one."""
    first = today.replace(day=1)
    for ahead in range(13):
        month = units_later(first, "month", ahead)
        if number > calendar.monthrange(month.year, month.month)[1]:
            continue
        day = month.replace(day=number)
        if day >= today and weekday in (None, day.weekday()):
            if weekday is not None and day - today > SOON:
                break  # “on Thursday 10 eggs”
            return day
    raise ValueError("no such day")


def _day_meaning(groups: Groups, day: date | None, part: str | None = None) -> Meaning:
    clock = END_OF_DAY if groups.get("close") else None
    return Meaning("date", day=day, clock=clock, part=part, until=bool(groups.get("until")))


def read_dated_clock(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return a day and a clock time written as one, as machines do."""
    found = read_date(groups, language, now)
    clock = time(int(groups["hour"] or ""), int(groups["minute"] or ""))
    return msgspec.structs.replace(found, clock=clock) if found else None


def read_named(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return a day that has a name, such as tomorrow."""
    day = now.date() + timedelta(language.days[groups["day_name"] or ""])
    return _day_meaning(groups, day + _later(groups, language), language.part_named(groups))


def _later(groups: Groups, language: Language) -> timedelta:
    """Return how many weeks after a day is meant: “a week on Friday”."""
    for name, weeks in (("week_later", 1), ("fortnight_later", 2)):
        if groups.get(name):
            return timedelta(weeks=weeks)
    return timedelta(weeks=language.number(groups.get("weeks") or "0"))


def read_holiday(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the coming day of a holiday, which may be today, or with `next` that of next year."""
    which, today = language.holidays[" ".join((groups["holiday"] or "").split())], now.date()
    day = holidays.in_year(which, today.year + 1) if groups.get("next") else None
    return _day_meaning(groups, day or holidays.coming(which, today))


def read_month_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the first or another such weekday of a named month, or with `next` of the next one,
    else of this one unless it is over.
    """
    number = language.ordinals[groups["nth"] or ""]
    weekday, today = language.weekdays[groups["weekday"] or ""], now.date()
    if name := groups.get("month"):
        months = [date(today.year + ahead, language.months[name], 1) for ahead in (0, 1)]
    else:
        ahead = (1,) if groups.get("next") else (0, 1)
        months = [units_later(today.replace(day=1), "month", one) for one in ahead]
    days = (holidays.weekday_of_month(one.year, one.month, number, weekday) for one in months)
    return _day_meaning(groups, next(day for day in days if day >= today))


def read_today(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return this day, with the part of it that is named."""
    part = language.parts[groups["part"] or ""]
    return Meaning("date", day=now.date(), part=part)


def read_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the coming day of a weekday.

    With `next` it is that of the week from the next Monday, with `after_next` a week later; with
    `week_later`, `fortnight_later` or so many `weeks` that long after it.
    """
    number, today = language.weekdays[groups["weekday"] or ""], now.date()
    monday = today - timedelta(today.weekday())
    part, later = language.part_named(groups), _later(groups, language)
    for name, days in (("after_next", 14), ("next", 7), ("this_week", 0)):
        if groups.get(name):
            return _day_meaning(groups, monday + timedelta(days + number) + later, part)
    # Said on a Friday, “Friday” is the next one.
    coming = today + timedelta((number - today.weekday()) % 7 or 7)
    return _day_meaning(groups, coming + later, part)


def read_period(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return the first day of the next week, month or year, or with `after_next` of the one after.

    Of this one, and of the end of any, the last; a week ends on its Friday.
    """
    unit = language.units[groups["unit"] or ""]
    coming = 2 if groups.get("after_next") else 1 if groups.get("next") else 0
    first = units_later(_next_period_start(unit, now.date()), unit, coming)
    if unit == "weekend":
        saturday = units_later(_next_period_start("week", now.date()), "day", 5 + 7 * coming)
        return _day_meaning(groups, saturday if coming else first)
    if coming and not (groups.get("end") or groups.get("middle")):
        return _day_meaning(groups, first)
    if unit == "day":  # of this day, unless another one is named beside it
        return Meaning("time", clock=END_OF_DAY)
    if groups.get("middle"):  # the Wednesday of a week, the 15th of a month
        middle = first + timedelta(2 if unit == "week" else 14)
        return _day_meaning(groups, middle) if middle >= now.date() else None
    if unit == "week":
        friday = first + timedelta(4)
        return _day_meaning(groups, friday if friday >= now.date() else first + timedelta(6))
    return _day_meaning(groups, units_later(first, unit, 1) - timedelta(1))


def _next_period_start(unit: str, today: date) -> date:
    match unit:
        case "week":
            return today - timedelta(today.weekday())
        case "weekend":
            return today if today.weekday() == 6 else today + timedelta(5 - today.weekday())
        case "month":
            return today.replace(day=1)
        case "year":
            return today.replace(month=1, day=1)
        case _:
            return today


def read_calendar_week(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the Monday of the coming week of that number by ISO 8601, or today within it."""
    number, today = int(groups["week"] or ""), now.date()
    for year in (today.year, today.year + 1):
        monday = date.fromisocalendar(year, number, 1)
        if today < monday + timedelta(7):
            break
    return _day_meaning(groups, max(monday, today))


def read_month_end(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return the last day of a named month, its middle or its first day."""
    month = language.months[groups["month"] or ""]
    first = _day_in(now.date().replace(day=1), _year_said(groups, now), month, 1)
    if groups.get("begin"):  # of this month, too, though its first day is over
        return _day_meaning(groups, first if first >= now.date() else now.date())
    middle, last = first.replace(day=15), units_later(first, "month", 1) - timedelta(1)
    day = middle if groups.get("middle") else last
    return _day_meaning(groups, day) if day >= now.date() or groups.get("year") else None


def read_ahead(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return what is so many units from now; minutes and hours give a moment."""
    number = language.number(groups["number"] or "")
    unit = language.units[groups["unit"] or ""]
    if unit not in ("minute", "hour"):
        # half of a week or month is no certain day
        return (
            None
            if groups.get("half")
            else Meaning("date", day=units_later(now.date(), unit, number))
        )
    minutes = number * (60 if unit == "hour" else 1) + (30 if groups.get("half") else 0)
    minutes += language.number(groups.get("minute") or "0")  # “in 1h20”
    return Meaning("date", moment=minutes_later(now, minutes))


def read_half_hour(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the moment half an hour from now."""
    return Meaning("date", moment=minutes_later(now, 30))


def minutes_later(now: datetime, minutes: int) -> datetime:
    """Return the moment so many true minutes after now, on the whole minute, in now's zone."""
    return (
        # In UTC, since a wall clock may jump in between.
        now.replace(second=0, microsecond=0).astimezone(UTC) + timedelta(minutes=minutes)
    ).astimezone(now.tzinfo)


def units_later(day: date, unit: str, number: int) -> date:
    """Return the day so many units later; a month that is too short gives its last day."""
    if unit in DAYS:
        return day + timedelta(number * DAYS[unit])
    months = day.year * 12 + day.month - 1 + number * MONTHS[unit]
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
