"""Weekdays and times of day in a text, and others in their place: Friday in “Thursday at 7”.

Each is written in the form of the old one: “Fri” for “Tue”, “freitags” for “dienstags”, 金曜 for
火曜, “18h” for “17h30”.
"""

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.phrases import phrases

HALF_DAY = 12 * 60
NEAR = 4 * 60
"""So many minutes is a new time from the old one at most, where its half of the day is not said."""
_CLOCK = re.compile(
    r"(?<![\d.:,€£$¥])(?P<hour>[01]?\d|2[0-4])(?:(?P<mark>[:.](?=\d)|[h点點時时])(?P<minute>[0-5]\d|半)?分?)?"
    r"(?P<half>\s?(?:[ap]\.?m\b\.?|uhr\b|h\b))?(?!\d|[.,:]\d)",
    re.IGNORECASE,
)
_HALF_NAMED = re.compile(r"(?<![a-z])[ap]\.?m(?![a-z])")
_RANGE = re.compile(r"\d\W{0,2}[-–~〜～至到]\W{0,2}\d")
_TWO = re.compile(r"(?<!\d)(\d{1,2})\s+[^\W\d]+\s+(\d{1,2})(?!\d)")
_BESIDE = frozenset("的にのへはも到在从は、 　")
"""What a day may have beside it that is of no meaning."""
_CUTS = re.compile(r"[,;()。，、；（）]|(?<!\d)\.(?=\s|$)")


class Weekday(NamedTuple):
    """A weekday at start..end of a text, by its number, and the name of its language's table that
    stands there.
    """

    number: int
    start: int
    end: int
    name: str
    language: Language


class Clock(NamedTuple):
    """A time of day at start..end of a text, in minutes; `is_told` says whether its half of the day
    is.
    """

    minutes: int
    start: int
    end: int
    is_told: bool


class Said(NamedTuple):
    """The weekdays and times of a message."""

    days: tuple[Weekday, ...]
    clocks: tuple[Clock, ...]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where they stand."""
        days = [(one.start, one.end) for one in self.days]
        return [*days, *((one.start, one.end) for one in self.clocks)]


class Moved(NamedTuple):
    """A text with another weekday or time in it: what is replaced by what, and where the new ones
    and the old ones stand in the message.
    """

    text: str
    replaced: tuple[str, str]
    new: tuple[tuple[int, int], ...]
    old: tuple[tuple[int, int], ...]


def weekdays(text: str, *, short: bool = True) -> list[Weekday]:
    """Return the weekdays that a text names, by their `short` names only with these."""
    plain, found = plain_letters(text).lower(), list[Weekday]()
    for language, names in _tables().items():
        for one in _pattern(language).finditer(plain):
            name = one["name"]
            number = names[name]
            is_short = _is_short(name, number, language)
            taken = any(one.start() < old.end and old.start < one.end() for old in found)
            if not taken and (short or not is_short):
                found.append(Weekday(number, *one.span(), name, language))
    return sorted(found, key=lambda one: one.start)


@functools.cache
def _tables() -> Mapping[Language, Mapping[str, int]]:
    """Return the names of the weekdays of each language that may stand in a text."""
    return {
        language: {
            name: number
            for number, row in language_data.load_table(language, Dates).weekdays.items()
            for name in row
            if len(name) > 1
        }
        for language in language_data.languages()
        if language_data.has_table(language, Dates)
    }


@functools.cache
def _pattern(language: Language) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _tables()[language]), key=len, reverse=True))
    if language not in phrases.alphabetic_languages():
        return re.compile(f"(?P<name>{names})")
    return re.compile(rf"(?<![\w'])(?P<name>{names})s?(?!\w)")


def _row(number: int, language: Language) -> tuple[str, ...]:
    names: tuple[str, ...] = language_data.load_table(language, Dates).weekdays[number]
    return names


def _is_short(name: str, number: int, language: Language) -> bool:
    whole = _row(number, language)[0]
    return whole.startswith(name) and name != whole and not questions.is_asian(name)


def named_like(old: Weekday, written: str, number: int) -> str:
    """Return the name of another weekday in the form of one that is `written`."""
    row = _row(number, old.language)
    if questions.is_asian(old.name):
        alike = [one for one in row if one[:-1] == old.name[:-1]]
        alike += [one for one in row if len(one) == len(old.name)]
        return next(iter(alike), row[0])
    if _is_short(old.name, old.number, old.language):
        short = [one for one in row if _is_short(one, number, old.language)]
        name = next((one for one in short if len(one) == len(old.name)), (short or row)[0])
    else:
        full = phrases.phrase(old.language, "weekdays").split()[number].lower()
        is_plural = plain_letters(written).lower() != _row(old.number, old.language)[0]
        is_plural = is_plural and written[-1:].lower() == "s"
        name = f"{full}s" if is_plural and full[-1:] != "s" else full
    return name.capitalize() if written[:1].isupper() else name


def clocks(text: str, now: datetime, language: Language, cut: Sequence[int] = ()) -> list[Clock]:
    """Return the times of day that a text names, be it in the middle of it: “is at eight now”; a
    text may be `cut` at some places, as what follows a time may hide it.
    """
    places = sorted({0, len(text), *cut, *(one.end() for one in _CUTS.finditer(text))})
    parts = [(0, text), *((a, text[a:b]) for a, b in itertools.pairwise(places))]
    parts += [(at, part.rstrip(" .!")) for at, part in parts]
    parts += [(at, part.rpartition(" ")[0]) for at, part in parts]
    found = list[Clock]()
    for at, part in parts:
        lead = "" if questions.is_asian(part) else "x "
        for one in quickadd.read_line(f"{lead}{part}", now=now, locale=language).spans:
            start, end = at + one.start - len(lead), at + one.end - len(lead)
            is_free = not any(start < old.end and old.start < end for old in found)
            if one.kind != "time" or not is_free or start < 0:
                continue
            if (minutes := minutes_of(one.text, now, language)) is not None:
                is_told = _tells_half(one.text, minutes, language)
                found.append(Clock(minutes, start, end, is_told))
    for said in _CLOCK.finditer(text):
        is_free = not any(said.start() < old.end and old.start < said.end() for old in found)
        if is_free and (_is_time(said) or said["half"]):
            is_told = _tells_half(said[0], _of(said), language)
            found.append(Clock(_of(said), *said.span(), is_told))
    return sorted(found, key=lambda one: one.start)


def _is_time(found: re.Match[str]) -> bool:
    """Return whether a number is written as a time alone is, and no price or date is."""
    mark = found["mark"] or ""
    return bool(mark) and mark != "." and (bool(found["minute"]) or mark != ":")


def _of(found: re.Match[str]) -> int:
    minute = 30 if found["minute"] == "半" else int(found["minute"] or 0)
    is_late = (found["half"] or "").strip().lower().startswith("p") and int(found["hour"]) < 12
    return (int(found["hour"]) + 12 * is_late) * 60 + minute


def minutes_of(text: str, now: datetime, language: Language) -> int | None:
    """Return which minute of its day the words of a time name."""
    due = quickadd.read_line(f"x {text}", now=now, locale=language).due
    return due.hour * 60 + due.minute if isinstance(due, datetime) else None


def _tells_half(text: str, minutes: int, language: Language) -> bool:
    """Return whether a time tells its half of the day: “18h30”, “6 pm”, 下午六点."""
    plain = plain_letters(text).lower()
    parts = (one for row in language_data.load_table(language, Dates).parts.values() for one in row)
    is_late = minutes >= HALF_DAY + 60 and str(minutes // 60) in text
    return is_late or bool(_HALF_NAMED.search(plain)) or any(one in plain for one in parts)


def said_in(
    message: str, now: datetime, language: Language, cut: Sequence[int] = ()
) -> Said | None:
    """Return the weekdays and times that a message says; None where it says none, or another day,
    or a stretch of time.
    """
    spans = quickadd.read_line(message, now=now, locale=language).spans
    dated = [(one.start, one.end) for one in spans if one.kind in ("date", "recurrence")]
    days = [
        one
        for one in weekdays(message)
        if not _is_short(one.name, one.number, one.language)
        or any(start <= one.start < end for start, end in dated)
    ]
    cuts = [*cut, *(at for one in days for at in (one.start, one.end))]
    said = Said(tuple(days), tuple(clocks(message, now, language, cuts)))
    is_span = any(_may_be_span(message[one.start : one.end], one) for one in said.clocks)
    if _RANGE.search(message) or is_span or not said.spans:
        return None
    for start, end in dated:
        rest = "".join(
            " " if any(a <= at < b for a, b in said.spans) else letter
            for at, letter in enumerate(message[start:end], start)
        )
        is_more = note_lines.content(rest) or any(map(str.isdigit, rest))
        if is_more if not questions.is_asian(rest) else {*rest} - _BESIDE:
            return None
    return said


def _may_be_span(text: str, clock: Clock) -> bool:
    """Return whether a time may be a stretch of time: “5 to 6” may not be five minutes to six."""
    found = _TWO.search(text)
    first, last = (int(found[1]), int(found[2])) if found else (0, 0)
    return first < last and clock.minutes % HALF_DAY != (first * 60 + last) % HALF_DAY


def moved(text: str, said: Said, now: datetime, language: Language) -> Moved | None:
    """Return a text with the weekday and the time that a message says in place of its own; None
    where it has not one of each of what is said, or has them already.
    """
    days, old = weekdays(text), list[tuple[int, int]]()
    times = _clocks_of(text, now, language) if said.clocks else []
    if (said.days and len(days) != 1) or (said.clocks and len(times) != 1):
        return None
    puts, new = list[tuple[int, int, str]](), list[tuple[int, int]]()
    if said.days:
        written = text[days[0].start : days[0].end]
        others = {one.number for one in said.days} - {days[0].number}
        if len(others) > 1:
            return None
        for day in said.days:
            (new if day.number in others or not others else old).append((day.start, day.end))
        for number in others:
            puts.append((days[0].start, days[0].end, named_like(days[0], written, number)))
    if said.clocks:
        at, held = times[0]
        later = [one for one in said.clocks if one.minutes % HALF_DAY != held.minutes % HALF_DAY]
        if len({one.minutes for one in later}) > 1:
            return None
        for one in said.clocks:
            (new if one in later or not later else old).append((one.start, one.end))
        for clock in later[:1]:
            if (to := _like(at, held, clock)) is None:
                return None
            puts.append((*at.span(), to))
    if not puts:
        return None
    start, end = min(one[0] for one in puts), max(one[1] for one in puts)
    changed, place = "", start
    for first, last, to in sorted(puts):
        changed, place = f"{changed}{text[place:first]}{to}", last
    whole = f"{text[:start]}{changed}{text[end:]}"
    return Moved(whole, (text[start:end], changed), tuple(new), tuple(old))


def lines_with(markdown: str, said: Said, now: datetime, language: Language) -> list[str]:
    """Return the lines of a note that have a weekday or a time where a message says one."""
    return [
        line
        for line in markdown.split("\n")
        if (said.days and weekdays(line)) or (said.clocks and _clocks_of(line, now, language))
    ]


def _clocks_of(text: str, now: datetime, language: Language) -> list[tuple[re.Match[str], Clock]]:
    """Return the times that are written in digits in a text."""
    places = [at for one in weekdays(text) for at in (one.start, one.end)]
    read = clocks(text, now, language, places)
    return [
        (one, old)
        for one in _CLOCK.finditer(text)
        for old in read
        if old.start <= one.start() < old.end
    ]


def _like(written: re.Match[str], old: Clock, new: Clock) -> str | None:
    """Return a time as another is written; None where that cannot tell its half of the day."""
    hour, mark = int(written["hour"]), written["mark"] or ""
    held = hour * 60 + old.minutes % 60
    is_half_told = old.minutes != held or (old.is_told and hour < 12)
    minutes = new.minutes
    if is_half_told and not new.is_told:
        minutes = minutes % HALF_DAY + HALF_DAY * (old.minutes >= HALF_DAY)
    elif not is_half_told and not new.is_told:
        other = (minutes + HALF_DAY) % (2 * HALF_DAY)
        if abs(minutes - held) > NEAR and abs(other - held) <= NEAR:
            minutes = other
    if is_half_told and (minutes >= HALF_DAY) != (old.minutes >= HALF_DAY):
        return None
    is_bare = not mark and hour <= 12  # “at 7”, of whatever half of the day
    if (is_half_told or is_bare) and minutes >= HALF_DAY + 60:
        minutes -= HALF_DAY
    return as_written(written, minutes)


def as_written(written: re.Match[str], minutes: int) -> str:
    """Return a time as another is written: “09:30” and “9h30” have each their own form."""
    (hour, minute), mark = divmod(minutes, 60), written["mark"] or ""
    half = written.groupdict().get("half") or ""
    wide = len(written["hour"]) == 2 and written["hour"][0] == "0"
    is_padded = wide or (len(written["hour"]) == 2 and mark == ":" and hour < 10)
    said = f"{hour:02}" if is_padded else f"{hour}"
    if mark and mark in "点點時时":
        named = "半" if minute == 30 else f"{minute:02}分"
        return f"{said}{mark}{named if minute else ''}"
    if not minute and (not written["minute"] or mark == "h"):  # “9h30”, “10h”
        return f"{said}{mark}{half}"
    return f"{said}{mark or ':'}{minute:02}{half}"
