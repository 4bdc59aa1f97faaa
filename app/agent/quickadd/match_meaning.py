"""What a match of quick add means.

Days, clock times, rules and priorities reckoned from now, the same way in every language.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, time

import msgspec

from app.agent.quickadd import match_days
from app.agent.quickadd.language_words import Language
from app.agent.quickadd.meaning import LAST_AFTERNOON, PARTS, Groups, Meaning, NoSuchDay
from app.workspace.todos.recurrence import WEEKDAYS

FREQUENCIES = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}


def read_match(name: str, groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return what the groups of a match say, or None when there is no such day or time."""
    try:
        return READERS[name](groups, language, now)
    except NoSuchDay as missing:
        return Meaning("date", impossible=str(missing))
    except (ValueError, OverflowError, KeyError):
        return None


def _clock(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return a clock time: `half` counts to the next hour, `past` and `to` are quarters or minutes
    around it, `meridiem` a or p.
    """
    text = groups["hour"] or ""
    hour = language.number(text)
    minute = language.number(groups.get("minute") or "0")
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
    part = language.part_named(groups)
    # The end of the day, not its beginning.
    if hour == 24 and minute == 0:
        return Meaning("time", clock=PARTS["midnight"])
    # “five to one” is after noon, as one is
    hour = hour + 12 if hour < 0 or (hour == 0 and groups.get("to_hour")) else hour
    meridiem = (groups.get("meridiem") or " ")[0]
    if meridiem in "ap":
        hour = _of_half(hour, meridiem)
    # Nobody writes 07:00 and means the evening.
    sure = meridiem in "ap" or hour > 12 or text.startswith("0")
    afternoon = (
        LAST_AFTERNOON
        if not groups.get("minute")
        else LAST_AFTERNOON - 1
        if language.dates.twelve_hours
        else 0
    )
    return Meaning("time", clock=time(hour, minute), sure=sure, afternoon=afternoon, part=part)


def _of_half(hour: int, meridiem: str) -> int:
    if not 1 <= hour <= 12:
        raise ValueError("no such hour")
    return hour % 12 + (12 if meridiem == "p" else 0)


def _range(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return when a span of hours begins, which is when it is due.

    The second half of the day counts for both, unless that turns them around.
    """
    begin = dict(groups)
    meridiem, last = groups.get("end_meridiem"), int(groups["end_hour"] or "")
    if meridiem and not groups.get("meridiem"):
        # “11 to 1 pm” begins before noon.
        turns = int(groups["hour"] or "") % 12 > last % 12
        begin["meridiem"] = meridiem if not turns else "a" if meridiem[0] == "p" else "p"
    found = _clock(begin, language, now)
    return msgspec.structs.replace(found, sure=found.sure or last > 12)


def _part(groups: Groups, language: Language, now: datetime) -> Meaning:
    return Meaning("time", part=language.parts[groups["part"] or ""])


def _every(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return the rule of what comes every so many units."""
    unit = language.units[groups["unit"] or ""]
    number = _interval(groups, language)
    return _rule(_frequency(unit, number), part=language.part_named(groups))


def _interval(groups: Groups, language: Language) -> int:
    if groups.get("other"):
        return 2
    number = groups.get("number")
    return language.number(number) if number else 1


def _every_part(groups: Groups, language: Language, now: datetime) -> Meaning:
    return _rule("FREQ=DAILY", part=language.parts[groups["part"] or ""])


def _frequency(unit: str, number: int) -> str:
    unit, number = ("month", number * 3) if unit == "quarter" else (unit, number)
    if number == 0:
        raise ValueError("no such interval")
    return f"FREQ={FREQUENCIES[unit]}" + (f";INTERVAL={number}" if number > 1 else "")


def _every_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    number = _interval(groups, language)
    days = ",".join(WEEKDAYS[day] for day in language.weekday_numbers(groups["weekdays"] or ""))
    return _rule(f"{_frequency('week', number)};BYDAY={days}", part=language.part_named(groups))


def _weekday_row(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    """Return the rule of weekdays in a row; two that follow each other may be those of one week."""
    days = language.weekday_numbers(groups["weekdays"] or "")
    near = len(days) == 2 and days[1] - days[0] in (1, 6)
    return None if near or len(days) < 2 else _every_weekday(groups, language, now)


def _monthly_day(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the rule of a day of the month, or of each in the list `days`."""
    if groups.get("last"):
        numbers = [-1]
    elif listed := groups.get("days"):
        numbers = sorted(set(language.numbers_in(listed)))
    else:
        numbers = [language.number(groups["day"] or "")]
    if not all(-1 <= number <= 31 for number in numbers):
        raise ValueError("no such day")
    return _rule(f"FREQ=MONTHLY;BYMONTHDAY={','.join(map(str, numbers))}")


def _monthly_weekday(groups: Groups, language: Language, now: datetime) -> Meaning:
    """Return the rule of a weekday of the month, for each `nth` that is named."""
    weekday = WEEKDAYS[language.weekdays[groups["weekday"] or ""]]
    days = ",".join(f"{which}{weekday}" for which in language.ordinals_in(groups["nth"] or ""))
    return _rule(f"FREQ=MONTHLY;BYDAY={days}")


def _yearly(groups: Groups, language: Language, now: datetime) -> Meaning | None:
    found = match_days.read_date({**groups, "year": None}, language, now)
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
    "date": match_days.read_date,
    "numeric": match_days.read_numeric,
    "this_month": match_days.read_this_month,
    "dated_clock": match_days.read_dated_clock,
    "named": match_days.read_named,
    "today": match_days.read_today,
    "holiday": match_days.read_holiday,
    "month_weekday": match_days.read_month_weekday,
    "weekday": match_days.read_weekday,
    "period": match_days.read_period,
    "calendar_week": match_days.read_calendar_week,
    "month_end": match_days.read_month_end,
    "ahead": match_days.read_ahead,
    "half_hour": match_days.read_half_hour,
    "clock": _clock,
    "range": _range,
    "part": _part,
    "every": _every,
    "every_part": _every_part,
    "every_weekday": _every_weekday,
    "weekday_row": _weekday_row,
    "workdays": _adverb("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    "weekends": _adverb("FREQ=WEEKLY;BYDAY=SA,SU"),
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
    "high": _level(5),
    "medium": _level(3),
    "low": _level(1),
}
