"""What a match of quick add means.

Days, clock times, rules and priorities reckoned from now, the same way in every language.
"""

import calendar
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

import msgspec

from app.agent.quickadd.languages.language_spec import Language
from app.workspace.todos.recurrence import WEEKDAYS

Kind = Literal["date", "time", "priority", "recurrence"]
PARTS = {
    "dawn": time(5),
    "morning": time(9),
    "noon": time(12),
    "afternoon": time(14),
    "dusk": time(17),
    "evening": time(19),
    "night": time(20),
    "midnight": time(23, 59),
}
END_OF_DAY = time(17)
FREQUENCIES = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
OLDEST = timedelta(days=366)
"""A day longer past than this is no due date.

One without a preposition is none as soon as it is past.
"""
LAST_AFTERNOON = 6
"""A bare hour up to this one is an afternoon's.

Written with minutes, one before this, and none where days have 24 hours.
"""
FRACTIONS = (2, 3, 4, 5, 8, 10)
"""What may stand below a fraction or a mark such as 4/5, which is no date by itself."""
Groups = Mapping[str, str | None]


class Meaning(msgspec.Struct, frozen=True):
    """What one match says; the fields it does not speak of are None.

    A clock time is `sure` when nothing moves it to the second half of the day; else a part of
    the day does, and an hour up to `afternoon` is there by itself.
    """

    kind: Kind
    day: date | None = None
    moment: datetime | None = None
    clock: time | None = None
    sure: bool = True
    afternoon: int = LAST_AFTERNOON
    part: str | None = None
    rule: str | None = None
    priority: int | None = None
    until: bool = False

    @property
    def slots(self) -> set[str]:
        """What this fills, each of which a text has once."""
        if self.until:
            return {"until"}
        filled = {
            "date": self.day,
            "clock": self.clock,
            "part": self.part,
            "rule": self.rule,
            "priority": self.priority,
        }
        return {name for name, value in filled.items() if value is not None} | (
            {"date", "clock", "part"} if self.moment else set()
        )


def meaning_of(name: str, groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Give what the groups of a match say, or None when there is no such day or time."""
    try:
        return READERS[name](groups, language, now)
    except (ValueError, OverflowError, KeyError):
        return None


def clock_of(said: Meaning | None, part: str | None) -> time | None:
    """Give the time of day that a clock time and a part of the day say together."""
    clock = said.clock if said else None
    if said is None or clock is None:
        return PARTS[part] if part else None
    if said.sure or clock.hour > 12:
        return clock
    if part is None:
        return clock.replace(hour=clock.hour + 12) if 1 <= clock.hour <= said.afternoon else clock
    return _in_part(clock, part)


def _in_part(clock: time, part: str) -> time:
    if part in ("night", "evening", "midnight") and clock.hour in (0, 12):
        return PARTS["midnight"] if clock.minute == 0 else clock.replace(hour=0)
    earliest = {"noon": 1, "afternoon": 1, "dusk": 1, "evening": 1, "night": 5}.get(part, 12)
    latest = {"noon": 3}.get(part, 11)
    return clock.replace(hour=clock.hour + 12) if earliest <= clock.hour <= latest else clock


def _date(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    month = groups.get("month_number") or groups.get("month")
    year = groups.get("year")
    number = language.number(groups["day"] or "")
    if month is None:
        day = _coming_day(now.date(), number)
    else:
        day = _day_in(
            now.date(), year, int(month) if month.isdecimal() else language.months[month], number
        )
    if year and day < now.date() - (OLDEST if groups.get("pre") else timedelta()):
        return None
    return _day(groups, day)


def _this_month(groups: Groups, language: Language, now: datetime) -> Meaning:
    """A day of the next month, or of this one."""
    month = moved(now.date().replace(day=1), "month", 1 if groups.get("next") else 0)
    return _day(groups, month.replace(day=language.number(groups["day"] or "")))


def _numeric(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    first, second = int(groups["first"] or ""), int(groups["second"] or "")
    day, month = (second, first) if language.month_first else (first, second)
    if month > 12 >= day:
        day, month = month, day
    if not (groups.get("pre") or groups.get("year")) and first <= second and second in FRACTIONS:
        return None
    return _date({**groups, "day": str(day), "month_number": str(month)}, language, now)


def _day_in(today: date, year: str | None, month: int, day: int) -> date:
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    for ahead in range(9):
        try:
            found = date(today.year + ahead, month, day)
        except ValueError:  # 29 February of a common year
            continue
        if found >= today:
            return found
    raise ValueError("no such day")


def _coming_day(today: date, number: int) -> date:
    first = today.replace(day=1)
    for ahead in range(13):
        month = moved(first, "month", ahead)
        if (
            number <= calendar.monthrange(month.year, month.month)[1]
            and month.replace(day=number) >= today
        ):
            return month.replace(day=number)
    raise ValueError("no such day")


def _day(groups: Groups, day: date | None, part: str | None = None) -> Meaning:
    return Meaning("date", day=day, part=part, until=bool(groups.get("until")))


def _dated_clock(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """A day and a clock time written as one, as machines do."""
    found = _date(groups, language, now)
    return (
        msgspec.structs.replace(
            found, clock=time(int(groups["hour"] or ""), int(groups["minute"] or ""))
        )
        if found
        else None
    )


def _named(groups: Groups, language: Language, now: datetime) -> Meaning:
    part = groups.get("part")
    return _day(
        groups,
        now.date() + timedelta(language.days[groups["day_name"] or ""]),
        language.parts[part] if part else None,
    )


def _today(groups: Groups, language: Language, now: datetime) -> Meaning:
    part = language.parts[groups["part"] or ""]
    return Meaning("date", day=now.date(), part=part)


def _weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    """A weekday is the coming one.

    With `next` it is that of the week from the next Monday, with `after_next` a week later.
    """
    number, today = language.weekdays[groups["weekday"] or ""], now.date()
    monday = today - timedelta(today.weekday())
    part = language.parts[groups["part"] or ""] if groups.get("part") else None
    for name, days in (("after_next", 14), ("next", 7), ("this_week", 0)):
        if groups.get(name):
            return _day(groups, monday + timedelta(days + number), part)
    return _day(groups, today + timedelta((number - today.weekday()) % 7 or 7), part)


def _period(groups: Groups, language: Language, now: datetime) -> Meaning:
    """The next week, month or year at its first day.

    This one, and the end of any, at its last, a week at its Friday.
    """
    unit, coming = language.units[groups["unit"] or ""], bool(groups.get("next"))
    first = moved(_first_of(unit, now.date()), unit, 1 if coming else 0)
    if unit == "weekend":
        return _day(groups, moved(_first_of("week", now.date()), "day", 12) if coming else first)
    if coming and not groups.get("end"):
        return _day(groups, first)
    if unit == "day":
        return Meaning("date", day=first, clock=END_OF_DAY)
    if unit == "week":
        friday = first + timedelta(4)
        return _day(groups, friday if friday >= now.date() else first + timedelta(6))
    return _day(groups, moved(first, unit, 1) - timedelta(1))


def _first_of(unit: str, today: date) -> date:
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


def _month_end(groups: Groups, language: Language, now: datetime) -> Meaning:
    """The last day of a named month, or its middle."""
    month = language.months[groups["month"] or ""]
    first = _day_in(now.date().replace(day=1), groups.get("year"), month, 1)
    return _day(
        groups,
        first.replace(day=15) if groups.get("middle") else moved(first, "month", 1) - timedelta(1),
    )


def _ahead(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """So many units from now; minutes and hours give a moment."""
    number = language.number(groups["number"] or "")
    unit = language.units[groups["unit"] or ""]
    if unit not in ("minute", "hour"):
        return Meaning("date", day=moved(now.date(), unit, number))
    minutes = number * (60 if unit == "hour" else 1) + (30 if groups.get("half") else 0)
    return Meaning("date", moment=later(now, minutes))


def _half_hour(groups: Groups, language: Language, now: datetime) -> Meaning:
    return Meaning("date", moment=later(now, 30))


def later(now: datetime, minutes: int) -> datetime:
    """Give the moment so many true minutes after now, on the whole minute, in now's zone."""
    return (
        now.replace(second=0, microsecond=0).astimezone(UTC) + timedelta(minutes=minutes)
    ).astimezone(now.tzinfo)


def moved(day: date, unit: str, number: int) -> date:
    """Give the day so many units later; a month that is too short gives its last day."""
    if unit in ("day", "week", "weekend"):
        return day + timedelta(number * (1 if unit == "day" else 7))
    months = day.year * 12 + day.month - 1 + number * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _clock(groups: Groups, language: Language, now: datetime) -> Meaning:
    """A clock time: `half` counts to the next hour, `past` and `to` are quarters or minutes
    around it, `meridiem` a or p.
    """
    text = groups["hour"] or ""
    hour = language.number(text)
    minute = int(groups.get("minute") or 0)
    if groups.get("half_past"):
        minute = 30
    if amount := groups.get("amount"):
        minute = (
            15
            if not amount.isdecimal() and amount not in language.numbers
            else language.number(amount)
        )
    if groups.get("to_hour"):
        hour, minute = hour - 1, 60 - (minute or 30)
    part = language.parts[groups["part"] or ""] if groups.get("part") else None
    if hour == 24 and minute == 0:
        return Meaning("time", clock=PARTS["midnight"])
    hour = hour + 12 if hour < 0 else hour
    meridiem = (groups.get("meridiem") or " ")[0]
    if meridiem in "ap":
        hour = _of_half(hour, meridiem)
    sure = meridiem in "ap" or hour > 12 or text.startswith("0")
    afternoon = (
        LAST_AFTERNOON
        if not groups.get("minute")
        else LAST_AFTERNOON - 1
        if language.twelve_hours
        else 0
    )
    return Meaning("time", clock=time(hour, minute), sure=sure, afternoon=afternoon, part=part)


def _of_half(hour: int, meridiem: str) -> int:
    if not 1 <= hour <= 12:
        raise ValueError("no such hour")
    return hour % 12 + (12 if meridiem == "p" else 0)


def _range(groups: Groups, language: Language, now: datetime) -> Meaning:
    """A span of hours is due when it begins.

    The second half of the day counts for both, unless that turns them around.
    """
    begin = dict(groups)
    meridiem, last = groups.get("end_meridiem"), int(groups["end_hour"] or "")
    if meridiem and not groups.get("meridiem"):
        turns = int(groups["hour"] or "") % 12 > last % 12
        begin["meridiem"] = meridiem if not turns else "a" if meridiem[0] == "p" else "p"
    found = _clock(begin, language, now)
    return msgspec.structs.replace(found, sure=found.sure or last > 12)


def _part(groups: Groups, language: Language, now: datetime) -> Meaning:
    return Meaning("time", part=language.parts[groups["part"] or ""])


def _every(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Every so many units."""
    unit = language.units[groups["unit"] or ""]
    number = (
        2
        if groups.get("other")
        else language.number(groups["number"] or "")
        if groups.get("number")
        else 1
    )
    part = groups.get("part")
    return _rule(_frequency(unit, number), part=language.parts[part] if part else None)


def _every_part(groups: Groups, language: Language, now: datetime) -> Meaning:
    return _rule("FREQ=DAILY", part=language.parts[groups["part"] or ""])


def _frequency(unit: str, number: int) -> str:
    unit, number = ("month", number * 3) if unit == "quarter" else (unit, number)
    if number == 0:
        raise ValueError("no such interval")
    return f"FREQ={FREQUENCIES[unit]}" + (f";INTERVAL={number}" if number > 1 else "")


def _every_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    number = (
        2
        if groups.get("other")
        else language.number(groups["number"] or "")
        if groups.get("number")
        else 1
    )
    days = ",".join(WEEKDAYS[day] for day in language.weekday_numbers(groups["weekdays"] or ""))
    return _rule(f"{_frequency('week', number)};BYDAY={days}")


def _workdays(groups: Groups, language: Language, now: datetime) -> Meaning:
    return _rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")


def _weekends(groups: Groups, language: Language, now: datetime) -> Meaning:
    return _rule("FREQ=WEEKLY;BYDAY=SA,SU")


def _monthly_day(groups: Groups, language: Language, now: datetime) -> Meaning:
    number = -1 if groups.get("last") else language.number(groups["day"] or "")
    if not -1 <= number <= 31:
        raise ValueError("no such day")
    return _rule(f"FREQ=MONTHLY;BYMONTHDAY={number}")


def _monthly_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    which = language.ordinals[groups["nth"] or ""]
    return _rule(
        f"FREQ=MONTHLY;BYDAY={which}{WEEKDAYS[language.weekdays[groups['weekday'] or '']]}"
    )


def _yearly(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    found = _date({**groups, "year": None}, language, now)
    return (
        msgspec.structs.replace(found, kind="recurrence", rule="FREQ=YEARLY", until=False)
        if found
        else None
    )


def _rule(rule: str, *, part: str | None = None) -> Meaning:
    return Meaning("recurrence", rule=rule, part=part)


def _adverb(name: str) -> Callable[[Groups, Language, datetime], Meaning]:
    return lambda groups, language, now: _rule(name)


def _priority(groups: Groups, language: Language, now: datetime) -> Meaning:
    """`p1` and `!!!` are the top, 5; each step down is one less."""
    text = groups.get("level") or ""
    return Meaning("priority", priority=6 - int(text) if text.isdecimal() else 2 + len(text))


def _level(value: int) -> Callable[[Groups, Language, datetime], Meaning]:
    return lambda groups, language, now: Meaning("priority", priority=value)


READERS: Mapping[str, Callable[[Groups, Language, datetime], Meaning | None]] = {
    "date": _date,
    "numeric": _numeric,
    "this_month": _this_month,
    "dated_clock": _dated_clock,
    "named": _named,
    "today": _today,
    "weekday": _weekday,
    "period": _period,
    "month_end": _month_end,
    "ahead": _ahead,
    "half_hour": _half_hour,
    "clock": _clock,
    "range": _range,
    "part": _part,
    "every": _every,
    "every_part": _every_part,
    "every_weekday": _every_weekday,
    "workdays": _workdays,
    "weekends": _weekends,
    "monthly_day": _monthly_day,
    "monthly_weekday": _monthly_weekday,
    "yearly": _yearly,
    "daily": _adverb("FREQ=DAILY"),
    "weekly": _adverb("FREQ=WEEKLY"),
    "fortnightly": _adverb("FREQ=WEEKLY;INTERVAL=2"),
    "monthly": _adverb("FREQ=MONTHLY"),
    "quarterly": _adverb("FREQ=MONTHLY;INTERVAL=3"),
    "annually": _adverb("FREQ=YEARLY"),
    "priority": _priority,
    "urgent": _level(5),
    "high": _level(4),
    "medium": _level(3),
    "low": _level(2),
}
