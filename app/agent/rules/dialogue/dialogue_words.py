"""The words of a dialogue in a message, by the tables of its language and of the others."""

import functools
import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta

from app.agent.quickadd import quickadd, time_ranges
from app.agent.quickadd.time_ranges import Range
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import full_dates
from app.agent.turn.steps import Asked, Trace
from app.core.process.caches import keep_short

_END = re.compile(r"[\s.!?,;:。！？、…~]+$")
_DAY_BEFORE = re.compile(r"\b\d{1,2}(?:\.|st|nd|rd|th|er)?(?: of(?: the)?| de)? $")
_DAY_AFTER = re.compile(r" (?:the )?\d{1,2}\b")
LONGEST_DATE = 5
"""So many words, or signs where no spaces part words, may be a date that a number begins."""
SHORTEST_NAME = 5
"""So many letters has the whole name of a weekday at least."""
AROUND = 3
"""So many letters beside a day's name may belong to it where no spaces part words."""
UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""The letters of scripts that part no words by spaces."""
_PIECE = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_STORED = re.compile(r"\d{4}-\d\d-\d\d")


@keep_short  # asked of the same words a hundred times a turn
def bare(text: str) -> str:
    """Return a text as the tables have it: in small letters, without accents and marks at its
    end.
    """
    return _END.sub("", " ".join(fold_text(text.replace("’", "'")).split()))


def pieces(text: str) -> list[re.Match[str]]:
    """Return the least parts that words are made of: words where spaces part them, else letters."""
    return list(_PIECE.finditer(text))


def as_written(text: str, folded: str) -> str:
    """Return the last part of a text that folded reads so, with its capitals and accents."""
    parts, wanted = pieces(text), [one[0] for one in pieces(folded)]
    if not wanted:
        return ""
    for start in range(len(parts) - len(wanted), -1, -1):
        end = parts[start + len(wanted) - 1].end()
        if bare(text[parts[start].start() : end]) == bare(folded):
            return text[parts[start].start() : end]
    return folded


@functools.cache
def tables(language: Language) -> tuple[Dialogue, ...]:
    """Return the tables of a language and then of the others: “ok” is a word of most."""
    return tuple(
        language_data.load_table(one, Dialogue)
        for one in dict.fromkeys((language, *language_data.languages()))
        if language_data.has_table(one, Dialogue)
    )


def whole(language: Language, field: str, text: str) -> re.Match[str] | None:
    """Return how a whole text fits a field of the tables; None where it does not."""
    words = bare(text)
    return next(
        (
            found
            for table in tables(language)
            if (found := _compiled(getattr(table, field)).fullmatch(words))
        ),
        None,
    )


def without_list_word(words: str, language: Language) -> str:
    """Return the name of a note without the word for a list beside it: “the groceries list”."""
    folded = bare(words)
    found = find_in(tables(language)[0].list_word, folded)
    rest = folded[: found.start()] + folded[found.end() :] if found else folded
    return rest.strip() or folded


def without_next(words: str, language: Language) -> str:
    """Return a name without the words for the next of what comes again: “next choir practice”."""
    folded = bare(words)
    found = find_in(tables(language)[0].next_one, folded)
    return (folded[found.end() :].strip() or words) if found else words


def ends_with(language: Language, field: str, text: str) -> bool:
    """Return whether the last words of a text fit a field of the tables."""
    pattern = "|".join(language_data.join_pattern(getattr(one, field)) for one in tables(language))
    return re.search(rf"(?:^|[\s{UNSPACED}])(?:{pattern})$", bare(text)) is not None


def is_list_word(text: str) -> bool:
    """Return whether a text only says of what kind a note is: “list”, “メモ”."""
    return any(fits(one.list_word, text) for one in language_data.of_all(Dialogue))


def fits(pattern: Pieces, text: str) -> bool:
    """Return whether a pattern fits the whole of a text."""
    return _compiled(pattern).fullmatch(bare(text)) is not None


def find_in(pattern: Pieces, text: str) -> re.Match[str] | None:
    """Return the first place in a folded text that a pattern fits."""
    return _compiled(pattern).search(text)


def find_all(pattern: Pieces, text: str) -> Iterator[re.Match[str]]:
    """Yield every place in a folded text that a pattern fits."""
    yield from _compiled(pattern).finditer(text)


def ordinal(language: Language, text: str) -> int | None:
    """Return which one of a list a text means, from 1, or -1 for the last; else None."""
    words = bare(text)
    for numbered, named in _ordinals(language):
        found = numbered.fullmatch(words)
        if not found:
            continue
        said = next(filter(None, found.groups()))
        if digits := re.search(r"\d{1,2}", said):
            return int(digits[0])
        return next((number for number, one in named.items() if one.fullmatch(said)), None)
    return None


@functools.cache
def _ordinals(
    language: Language,
) -> tuple[tuple[re.Pattern[str], Mapping[int, re.Pattern[str]]], ...]:
    """Return for each table the pattern of a place in a list, and that of each number."""
    found = []
    for table in tables(language):
        either = "|".join(
            [*map(language_data.join_pattern, table.ordinals.values()), r"\d{1,2}(?:st|nd|rd|th)?"]
        )
        # The number may stand in several places of the pattern, each a group without a name.
        numbered = language_data.join_pattern(table.numbered).replace("{number}", f"({either})")
        named = {number: _compiled(one) for number, one in table.ordinals.items()}
        found.append((_compiled(numbered), named))
    return tuple(found)


def without_number(words: str, language: Language) -> tuple[str, int]:
    """Return a name without the word for how many are meant, and that: 2, 0 for all, else 1."""
    for table in tables(language):
        for number, pattern in table.all_of.items():
            if found := re.match(
                rf"(?:{language_data.join_pattern(pattern)})\s+(?=\S)", bare(words)
            ):
                return words[found.end() :], number
    return words, 1


def spelled_level(word: str, language: Language) -> int | None:
    """Return the priority, 0 to 10, that a number is which is written as a word."""
    table = language_data.load_table(language, Dates)
    named = (level for level, names in table.numbers.items() if fold_text(word) in names)
    return next((level for level in named if level <= 10), None)


def priority_of(words: str, language: Language) -> int | None:
    """Return the priority that words name, 0 to 10, or the number before a reason: “4, else it
    falls off”; None where they name none.
    """
    before_reason = re.match(r"\s*(\d+)\s*[,;，；、。]", words)
    text = before_reason[1] if before_reason else bare(words)
    if text.isdecimal():
        return int(text) if int(text) <= 10 else None
    if (number := spelled_number(text, language)) is not None:
        return number if number <= 10 else None
    for table in tables(language):
        for level, pattern in table.priorities.items():
            joined = language_data.join_pattern(pattern)
            if find_in(rf"^(?:{joined})(?:[- ]\w+)?$", text):
                return level
    return None


def spelled_number(word: str, language: Language) -> int | None:
    """Return the number that a word is the name of."""
    named = language_data.load_table(language, Dates).numbers.items()
    return next((number for number, words in named if bare(word) in words), None)


def split_list(text: str, language: Language) -> list[str]:
    """Return the things of a list that was written in one line."""
    table = tables(language)[0]
    parts = re.split(language_data.join_pattern(table.made_of), text)
    return [one.strip() for one in parts if one.strip()]


def is_day(text: str, asked: Asked, language: Language) -> bool:
    """Return whether a text says a day or a time and nothing else."""
    # Quick add wants a title before the date.
    read = quickadd.read_line(f"x {text}", now=asked.now, locale=language)
    title = read.title.replace(read.no_such_day, "")
    is_due = bool(read.due or read.no_such_day) and not read.priority
    return is_due and title.strip(" .,!?") in ("x", "X")


@keep_short
def days_of(text: str, now: datetime) -> Range | None:
    """Return the days that a text names, if it says nothing else; “December” is a month of days."""
    if found := named_days(text, now):
        return found
    read = quickadd.read_line(f"x {text}", now=now)
    if read.due is not None and read.title.strip(" .,!?") in ("x", "X") and not read.recurrence:
        day = read.due.astimezone(now.tzinfo) if isinstance(read.due, datetime) else read.due
        return time_ranges.day(date(day.year, day.month, day.day), now)
    return None


@keep_short
def find_days(text: str, now: datetime) -> tuple[Range, int, int] | None:
    """Return the days that a text names somewhere, and from where to where it does."""
    for written in full_dates.find(text):
        if written.full:
            midnight = datetime.combine(written.full, time.min, now.tzinfo)
            return Range(midnight, midnight + timedelta(days=1)), written.start, written.end
    for found in _named_month().finditer(text):
        # With a number beside it, it is part of a date.
        beside = _DAY_BEFORE.search(text, 0, found.start()) or _DAY_AFTER.match(text, found.end())
        if not beside and (month := _month(found[0], now)):
            return month, found.start(), found.end()
    if named := time_ranges.find_named(text, now):
        return named
    read = quickadd.read_line(f"x {text}", now=now)
    for span in read.spans:
        if span.kind == "date" and (day := days_of(span.text.strip(), now)):
            return day, span.start - 2, span.end - 2
    for unspaced in _unspaced_days().finditer(text):
        # Beside a particle quick add leaves it in the title: “金曜は”.
        for start, end in windows(text, unspaced.start(), unspaced.end()):
            if (day := days_of(text[start:end], now)) is not None:
                return day, start, end
    for number in re.finditer(r"(?<!\d)\d", text):
        rest = text[number.start() :]
        for piece in reversed(pieces(rest)[1:LONGEST_DATE]):
            if (day := days_of(rest[: piece.end()], now)) is not None:
                return day, number.start(), number.start() + piece.end()
    return None


def bare_weekday(text: str, now: datetime) -> tuple[Range, int, int] | None:
    """Return the weekday that stands in a text without a word such as “on” before it, and from
    where to where it does.
    """
    for found in _PIECE.finditer(text):
        if found[0] in _weekdays() and (day := days_of(found[0], now)) is not None:
            return day, found.start(), found.end()
    return None


@functools.cache
def _weekdays() -> frozenset[str]:
    """Return the names of weekdays that are no other words: “so” and “mar” may be."""
    rows = (names for one in language_data.of_all(Dates) for names in one.weekdays.values())
    named = (name for names in rows for name in names if len(name) >= SHORTEST_NAME)
    return frozenset(map(fold_text, named))


def windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places around a word, the longest first, where no spaces part words."""
    starts = range(max(0, start - AROUND), start + 1)
    ends = range(end, min(len(text), end + AROUND) + 1)
    places = [(one, other) for one in starts for other in ends]
    for one, other in sorted(places, key=lambda place: place[0] - place[1]):
        if text[one].isalnum() and text[other - 1].isalnum():
            yield one, other


def with_days(last: Trace, days: str, asked: Asked) -> str:
    """Return the words of the turn before with other days in place of those that they name; the
    days alone where they name none, or where no spaces part words.
    """
    if questions.is_asian(days) or _STORED.search(days):  # which folding would take apart
        return days
    folded = bare(last.arguments.get("text") or last.arguments.get("said", ""))
    if part := time_ranges.find_part(folded):
        folded = f"{folded[: part[1]]} {folded[part[2] :]}"
    found = find_days(folded, asked.now) if folded else None
    return f"{folded[: found[1]]}{days}{folded[found[2] :]}" if found else days


def named_days(text: str, now: datetime) -> Range | None:
    """Return the month, week or day that a text is the name of."""
    return _month(text, now) or time_ranges.named_whole(text, now)


def _month(text: str, now: datetime) -> Range | None:
    """Return the month that a text names, the next of that name; with a year that one."""
    found = _named_month().fullmatch(text)
    number = _months().get(found["name"]) if found else None
    if found is None or number is None:
        return None
    today = now.date()
    year = int(found["year"]) if found["year"] else today.year + (number < today.month)
    first = date(year, number, 1)
    return time_ranges.day(first, now, monthrange(year, number)[1])


@functools.cache
def _months() -> dict[str, int]:
    """Return the full names of months in every language, folded."""
    return {
        fold_text(name): number
        for table in language_data.of_all(Dates)
        for number, names in table.months.items()
        for name in names
        if len(name) > 3 or name == "may"
    } | {
        f"{name}{table.month_mark}": number
        for table in language_data.of_all(Dates)
        for number, names in table.months.items()
        for name in (*names, str(number))
        if table.month_mark
    }


@functools.cache
def _named_month() -> re.Pattern[str]:
    """Return the pattern of a word that may name a month, with its year."""
    marked = sorted((one for one in _months() if questions.is_asian(one)), key=len, reverse=True)
    # Before a day it is part of a date.
    unspaced = rf"(?<!\d)(?:{'|'.join(marked)})(?![\d一二三四五六七八九十])" if marked else "(?!)"
    return re.compile(rf"(?P<name>{unspaced}|[^\W\d_{UNSPACED}]+)(?: (?P<year>\d{{4}}))?")


@functools.cache
def _unspaced_days() -> re.Pattern[str]:
    """Return the pattern of names of days in scripts without spaces."""
    names = {
        name
        for table in language_data.of_all(Dates)
        if not table.spaced
        for names in (*table.weekdays.values(), *table.days.values())
        for name in names
        if len(name) > 1
    }
    return re.compile("|".join(sorted(map(re.escape, names), key=len, reverse=True)))


@functools.cache
def _compiled(pattern: Pieces) -> re.Pattern[str]:
    return re.compile(language_data.join_pattern(pattern))
