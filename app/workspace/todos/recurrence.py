"""Recurrence rules of RFC 5545, by days and coarser.

Reading them, and finding the next date. dateutil does the reckoning.

COUNT counts the todo that carries the rule, so a rule with COUNT=1 is the last of its series.
"""

import calendar
import functools
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, structs

from app.core import schema
from app.errors import Invalid
from app.workspace.todos import due

LONGEST = 500
SPAN_YEARS = 40
FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FINER = ("BYHOUR", "BYMINUTE", "BYSECOND")
LARGEST = {"BYMONTH": 12, "BYMONTHDAY": 31, "BYYEARDAY": 366, "BYWEEKNO": 53, "BYSETPOS": 366}
_DAY_NAMES = "|".join(WEEKDAYS)
_PARTS = {
    "FREQ": f"({'|'.join(FREQUENCIES)})",
    "(INTERVAL|COUNT)": "[1-9][0-9]{0,8}",
    "UNTIL": "[1-9][0-9]{7}(T[0-9]{6}Z?)?",
    "WKST": f"({_DAY_NAMES})",
}
_LISTS = {
    "BYDAY": f"([+-]?[1-9])?({_DAY_NAMES})",
    "BYMONTH": "([1-9]|1[0-2])",
    "BYMONTHDAY": "-?([1-9]|[12][0-9]|3[01])",
    "BYWEEKNO": "-?([1-9]|[1-4][0-9]|5[0-3])",
    "BY(YEARDAY|SETPOS)": "-?([1-9][0-9]?|[12][0-9][0-9]|3[0-5][0-9]|36[0-6])",
}
_PART = "|".join(
    [
        *(f"{name}={one}" for name, one in _PARTS.items()),
        *(f"{name}={one}(,{one})*" for name, one in _LISTS.items()),
    ]
)
PATTERN = f"^(RRULE:)?({_PART})(;({_PART}))*$"
"""What a rule looks like; that it makes sense, and names dates, no pattern can say."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,3}")
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_DATE = re.compile(r"^([0-9]{4})([0-9]{2})([0-9]{2})(?=T|$)")
_CLOCK = re.compile(r"T([0-9]{2})([0-9]{2})([0-9]{2})(?=Z|$)")


class ParsedRule(Struct, frozen=True):
    """A rule that was read; numbers as in RFC 5545, `byday` holds (weekday from 0 = Monday,
    which of them or None).
    """

    parts: tuple[tuple[str, str], ...]
    frequency: str
    interval: int = 1
    count: int | None = None
    until: str | None = None
    week_start: int = 0
    byday: tuple[tuple[int, int | None], ...] = ()
    numbers: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def __str__(self) -> str:
        return ";".join(f"{name}={value}" for name, value in self.parts)

    def with_count(self, count: int) -> str:
        """Return the rule's text with another COUNT."""
        return ";".join(
            f"{name}={count if name == 'COUNT' else value}" for name, value in self.parts
        )


class NextOccurrence(msgspec.Struct, frozen=True):
    """The next of a series: when it is due, how the series goes on, and the wall time to keep if
    the clock skips that time on its day.
    """

    due: str
    recurrence: "Recurrence"
    wall: str | None


class RuleText(schema.Rule, frozen=True):
    """A recurrence rule, in capitals and without the name RRULE."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": PATTERN, "maxLength": LONGEST}

    def __call__(self, value: str) -> str:
        return str(parse_rule(value))


class Recurrence(schema.Body):
    """How a todo comes again: `rule` is an RFC 5545 RRULE of days or coarser, counted from the
    due date or from the day it was done.
    """

    rule: Annotated[str, RuleText()]
    from_: Literal["due", "done"] | None = msgspec.field(name="from", default="due")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.from_ = self.from_ or "due"


def parse_rule(text: str) -> ParsedRule:
    """Read a rule; raise ValueError with a sentence's end."""
    if len(text) > LONGEST:
        raise ValueError(f"must have at most {LONGEST} characters")
    given = text.strip().upper().removeprefix("RRULE:")
    if not given.isascii() or not given.isprintable() or "DTSTART" in given or ":" in given:
        raise ValueError(
            "must be one RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO, without DTSTART or line breaks"
        )
    parts = tuple(_split_part(part) for part in given.removesuffix(";").split(";"))
    named = dict(parts)
    if len(named) != len(parts):
        raise ValueError("must not name a part twice")
    if "COUNT" in named and "UNTIL" in named:
        raise ValueError("must not have both COUNT and UNTIL")
    return ParsedRule(
        parts=parts,
        frequency=_parse_frequency(named.pop("FREQ", "")),
        interval=_parse_positive("INTERVAL", named.pop("INTERVAL", "1")),
        count=_parse_positive("COUNT", named.pop("COUNT")) if "COUNT" in named else None,
        until=_parse_until(named.pop("UNTIL")) if "UNTIL" in named else None,
        week_start=_parse_week_start(named.pop("WKST", "MO")),
        byday=tuple(_parse_weekday(text) for text in named.pop("BYDAY").split(","))
        if "BYDAY" in named
        else (),
        numbers=tuple(
            (name, tuple(_parse_number(name, text) for text in value.split(",")))
            for name, value in named.items()
        ),
    )


def require_dates(rule: str, first: date) -> None:
    """Raise Invalid unless the rule, its end aside, names some date in the years after `first`."""
    if next_date(structs.replace(parse_rule(rule), count=None), start=first, after=first) is None:
        raise Invalid(
            f"recurrence.rule names no date in the {SPAN_YEARS} years after dueDate.",
            field="recurrence.rule",
        )


def is_over(rule: str, due_date: str, zone: ZoneInfo) -> bool:
    """Return whether a due date lies after the rule's UNTIL."""
    until = parse_rule(rule).until
    if until is None:
        return False
    limit = due.parse_due(until, zone)
    if due.is_whole_day(limit) or due.is_whole_day(due_date):
        return due.local_day(due_date, zone) > due.local_day(limit, zone)
    return due_date > limit


def next_in_series(
    series: Recurrence, *, due_date: str, today: date, zone: ZoneInfo, wall: str | None
) -> NextOccurrence | None:
    """Return what follows a todo done today.

    The first of its dates after both its due date and today; None once the series is over.

    `wall` is the wall time that the series keeps, where that is not the one of `due_date`.
    """
    repetition = parse_rule(series.rule)
    # Done long after it was due, a todo must not come back overdue: hence after today too.
    start = due.local_day(due_date, zone) if series.from_ == "due" else today
    found = next_date(repetition, start=start, after=max(start, today))
    if found is None:
        return None
    day, steps = found
    kept = None
    if not due.is_whole_day(due_date):
        kept = time.fromisoformat(wall) if wall else due.local_moment(due_date, zone).time()
    next_due = due.move_to_day(due_date, day, zone, kept)
    if repetition.count is not None and steps >= repetition.count:
        return None
    if is_over(series.rule, next_due, zone):
        return None
    rule = (
        series.rule if repetition.count is None else repetition.with_count(repetition.count - steps)
    )
    # 02:30 on the day when clocks skip that hour: the series returns to it the time after.
    displaced = kept is not None and due.local_moment(next_due, zone).time() != kept
    return NextOccurrence(
        next_due,
        Recurrence(rule, series.from_),
        kept.isoformat() if displaced and kept is not None else None,
    )


def next_date(repetition: ParsedRule, *, start: date, after: date) -> tuple[date, int] | None:
    """Return the rule's first date after `after` (>= `start`), and how many of its dates lie from
    `start`, itself left out, to that one.

    The number is right only where the rule has a COUNT; without one the dates up to `after` are
    passed over. None when there is no such date: none in about `SPAN_YEARS` years, or a counted
    series older than that.
    """
    # A COUNT must be counted from the start; any other rule may skip the years in between.
    begin = start if repetition.count is not None else _align_to_period(repetition, start, after)
    # A rule may name no date at all (31 February), and dateutil stops only at the year 9999.
    later = _equivalent_year(begin.year) - begin.year
    steps = 0
    try:
        for found in _rule_dates(repetition, start, begin.replace(year=begin.year + later)):
            if found.year >= begin.year + later + SPAN_YEARS:
                return None  # from there on the late years run otherwise
            day = found.replace(year=found.year - later)
            steps += day > start
            if day > after:
                return day, steps
    except (ValueError, OverflowError):  # dateutil walked past the last year
        return None
    return None


def _rule_dates(repetition: ParsedRule, start: date, begin: date) -> Iterator[date]:
    from dateutil import rrule  # a twentieth of a second, so only where something recurs

    by: dict[str, Any] = {name.lower(): list(numbers) for name, numbers in repetition.numbers}
    if repetition.byday:
        by["byweekday"] = [rrule.weekday(day, which) for day, which in repetition.byday]
    # dateutil would take these from the start it is given, which here may be a period's first day.
    if not by.keys() & {"byweekno", "byyearday", "bymonthday", "byweekday"}:
        _add_what_start_implies(by, repetition.frequency, start)
    frequency = FREQUENCIES.index(repetition.frequency)
    for found in rrule.rrule(
        frequency,
        datetime.combine(begin, time()),
        interval=repetition.interval,
        wkst=repetition.week_start,
        **by,
    ):
        yield found.date()


def _add_what_start_implies(by: dict[str, Any], frequency: str, start: date) -> None:
    match frequency:
        case "YEARLY":
            by.setdefault("bymonth", start.month)
            by["bymonthday"] = start.day
        case "MONTHLY":
            by["bymonthday"] = start.day
        case "WEEKLY":
            by["byweekday"] = start.weekday()


def _align_to_period(repetition: ParsedRule, start: date, after: date) -> date:
    """Return the first day of the last period of the rule that begins by `after`, so that a long
    past costs nothing.
    """
    match repetition.frequency:
        case "DAILY":
            return date.fromordinal(
                start.toordinal()
                + _whole_periods(after.toordinal() - start.toordinal(), repetition.interval)
            )
        case "WEEKLY":
            week = start.toordinal() - (start.weekday() - repetition.week_start) % 7
            passed = _whole_periods(after.toordinal() - week, 7 * repetition.interval)
            return date.fromordinal(week + passed) if passed else start
        case "MONTHLY":
            month = start.year * 12 + start.month - 1
            passed = _whole_periods(after.year * 12 + after.month - 1 - month, repetition.interval)
            return date((month + passed) // 12, (month + passed) % 12 + 1, 1) if passed else start
        case _:
            passed = _whole_periods(after.year - start.year, repetition.interval)
            return date(start.year + passed, 1, 1) if passed else start


def _whole_periods(length: int, unit: int) -> int:
    return length // unit * unit


# 35 microseconds each: rules of todos nearly all run on from this year.
@functools.lru_cache(512)
def _equivalent_year(year: int) -> int:
    """Return a late year from which the calendar runs on, for `SPAN_YEARS`, as it does from `year`.

    dateutil looks for the dates of a rule that has none up to the year 9999; from a late year it
    is soon there.
    """
    wanted = [_calendar_form(year + number) for number in range(SPAN_YEARS)]
    last = 9999 - SPAN_YEARS
    return next(
        twin
        for twin in range(last, last - 400, -1)
        if all(_calendar_form(twin + n) == form for n, form in enumerate(wanted))
    )


def _calendar_form(year: int) -> tuple[bool, int]:
    return calendar.isleap(year), date(2000 + year % 400, 1, 1).weekday()


def _split_part(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name in FINER:
        raise ValueError("must not be finer than days")
    if name not in LARGEST and name not in ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY"):
        raise ValueError(
            f"has a part that RFC 5545 does not know: {name[:40]}" if name else "has an empty part"
        )
    return name, value


def _parse_frequency(text: str) -> str:
    if text not in FREQUENCIES:
        raise ValueError("must have a FREQ of DAILY, WEEKLY, MONTHLY or YEARLY")
    return text


def _parse_positive(name: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        article = "an" if name == "INTERVAL" else "a"
        raise ValueError(f"must have {article} {name} from 1 to 999999999")
    return int(text)


def _parse_number(name: str, text: str) -> int:
    number = int(text) if _NUMBER.fullmatch(text) else 0
    least = 1 if name == "BYMONTH" else -LARGEST[name]
    if number == 0 or not least <= number <= LARGEST[name]:
        raise ValueError(f"has a {name} that is not a number from {least} to {LARGEST[name]}")
    return number


def _parse_weekday(text: str) -> tuple[int, int | None]:
    match = _WEEKDAY.fullmatch(text)
    which = int(match[1]) if match and match[1] else None
    if match is None or which == 0 or abs(which or 1) > 53:
        raise ValueError("has a BYDAY that is not a weekday such as MO or 2TU or -1FR")
    return WEEKDAYS.index(match[2]), which


def _parse_week_start(text: str) -> int:
    if text not in WEEKDAYS:
        raise ValueError("must have a WKST of MO, TU, WE, TH, FR, SA or SU")
    return WEEKDAYS.index(text)


def _parse_until(text: str) -> str:
    ending = _CLOCK.sub(r"T\1:\2:\3", _DATE.sub(r"\1-\2-\3", text))
    try:
        due.parse_due(ending, UTC)
    except Invalid:
        raise ValueError(
            "has an UNTIL that is not a date such as 20261231 or a moment such as 20261231T220000Z"
        ) from None
    return ending
