"""Whether the number of a message is one of what a cell or a line tells, or only said in passing.

“He's a 29 now” after his shoe size was told is; “he's 8 years old now”, “he got 12 stickers” and
“he weighs 27 kilos” are numbers of something else. A number that no word gives away is known by its
size: 8 is hardly the size of a shoe in a column of 28, 31 and 34.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from app.agent.rules.changes.marked import Marked, is_provided, words_of
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words
from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.new_rows import NUMBER
from app.agent.rules.passages.note_lines import Line

Fit = Literal["fits", "unsure", "else"]
"""Whether a number fits, may do so, or is one of something else."""
FACTOR = 2
"""A number is hardly one of a column if it is so many times larger, or smaller, than all there."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*(?: ?h(?:\d\d)?)?")
_MARKS = re.compile(r"[，。；、;!！]|[,.](?!\d)")
_LETTERS = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")
_SLOTS = {"n": r"\d+(?:[.,]\d+)?"}


class Place(NamedTuple):
    """Where a number would stand: what is there now and in the other rows, and what it is of."""

    old: str
    column: Sequence[str]
    name: str
    known: str
    is_named: bool
    """Whether the message names what the number is of."""


def fit(message: str, new: str, place: Place, language: Language) -> Fit:
    """Return how the number of a message fits a place; what is no number fits."""
    at = re.search(rf"(?<!\d){re.escape(new)}(?!\d)", message)
    if at is None or not _NUMBER.fullmatch(new):
        return "fits"
    text = Marked(message).text
    start, end = _clause(message, at)
    lead = text[start:end] if questions.is_asian(message) else text[start : at.start()]
    if is_open(lead, place.old, language) or _goes_on(message[at.end() :]):
        return "else"
    if is_of_else(message, f"{place.name} {place.known} {place.old}", language):
        return "unsure" if place.is_named else "else"
    if place.is_named:
        return "fits"
    doubts = int(_counts_else(text, at.end(), place, language))
    doubts += int(not is_near(new, (place.old, *place.column)))
    rest = f"{text[start : at.start()]} {text[at.end() : end]}"
    known = f"{place.name} {place.known} {place.old}"
    if not doubts and says_else(rest, known, language):
        return "unsure"
    return ("fits", "unsure", "else")[doubts]


def of_line(
    message: str,
    lines: Sequence[Line],
    text: str,
    replaced: tuple[str, str],
    title: str,
    language: Language,
) -> Fit:
    """Return how well a new number fits where the old one of a line stands."""
    line = next(one for one in lines if one.text == text)
    old, new = replaced
    at = tables.column_at(text, text.find(old, line.start)) if line.columns else 0
    name = line.columns[at] if 0 < at < len(line.columns) else line.label
    rows = [tables.cells(one.text) for one in lines if at and one.columns == line.columns]
    column = [one[at] for one in rows if at < len(one)]
    is_named = bool(note_lines.content(name) & note_lines.content(message)) or name in message
    return fit(message, new, Place(old, column, name, f"{text} {title}", is_named), language)


def is_near(new: str, column: Sequence[str]) -> bool:
    """Return whether a number is about as large as those of a column, or the column has none."""
    held, value = [*_values(column)], _value(new)
    if not held or value is None:
        return True
    return min(held) / FACTOR <= value <= max(held) * FACTOR


def _values(column: Sequence[str]) -> Iterator[float]:
    for one in column:
        found = NUMBER.fullmatch(one)
        number = _value(found["number"]) if found else None
        if number is not None:
            yield number


def _value(number: str) -> float | None:
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", number).replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else None


def is_of_else(message: str, known: str, language: Language) -> bool:
    """Return whether a message says what its number measures, and a place is of nothing such: an
    age where a shoe size stands.
    """
    text, plain = Marked(message).text, plain_letters(known).lower()
    said = [names for says, names in _measures(language) if says.search(text)]
    return bool(said) and not any(one.search(plain) for one in said)


def _goes_on(rest: str) -> bool:
    """Return whether a number goes on with letters that are no unit: 7788C is a code."""
    found = re.match(r"[^\W\d_]+", rest)
    return found is not None and found[0].isascii() and not note_lines.kind_of(found[0])


def is_open(text: str, old: str, language: Language) -> bool:
    """Return whether a number is denied, or only wished for, and the old one is not told beside
    it: “it's not 30”, “if it were 30”.
    """
    plain = plain_letters(text).lower()
    patterns = (_negates(language), language_data.line_words(language, "wished"))
    is_open = is_provided(text, language) or any(one.search(plain) for one in patterns)
    return is_open and (not old or plain_letters(old).lower() not in plain)


def _clause(text: str, at: re.Match[str]) -> tuple[int, int]:
    """Return from where to where the clause of a number goes."""
    start = max((one.end() for one in _MARKS.finditer(text, 0, at.start())), default=0)
    end = next((one.start() for one in _MARKS.finditer(text, at.end())), len(text))
    return start, end


def says_else(rest: str, known: str, language: Language) -> bool:
    """Return whether what stands beside a number is of something that is not known of its place:
    “the bus is at 9” where the hours of a shop stand.
    """
    asks = (*words_of(language).cues.values(), *list_words.words_of(language).cues.values())
    for words in (
        *asks,
        *(language_data.line_words(language, one) for one in ("now", "idle", "amounts_to")),
    ):
        rest = words.sub(" ", rest)
    if questions.is_asian(rest):
        left = {*_LETTERS.findall(questions.without_filler(rest))} - {*known}
        return len(left) > 1
    return bool(note_lines.left_of_title(rest, known))


def is_of_oneself(message: str, language: Language) -> bool:
    """Return whether a message tells something of the person who writes: “I have paid”."""
    return language_data.line_words(language, "by_self").search(Marked(message).text) is not None


def _counts_else(text: str, end: int, place: Place, language: Language) -> bool:
    """Return whether a word right behind a number tells what it counts, and that is not known of a
    place: “12 stickers”.
    """
    words, rest = words_of(language), text[end:]
    if not words.spaced:
        found = _pattern(language, "counters").match(rest.lstrip())
        return found is not None and found[0] not in f"{place.name}{place.known}{place.old}"
    found = re.match(r"\s?([^\W\d_]+)", rest)
    if found is None or note_lines.kind_of(found[1]):
        return False
    fields = ("now", "after_number")
    beside = rf"\s?(?:{'|'.join(_pattern(language, one).pattern for one in fields)})"
    if re.match(rf"{beside}(?!\w)", rest) or words.courtesy.match(rest.lstrip()):
        return False
    return bool(note_lines.left_of_title(found[1], f"{place.name} {place.known} {place.old}"))


@functools.cache
def _measures(language: Language) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    edges = (r"(?<!\w)(?:", r")(?!\w)") if words_of(language).spaced else ("(?:", ")")
    return tuple(
        (
            _compiled(language_data.expand_macros(one.says, _SLOTS), edges),
            _compiled(language_data.join_pattern(one.names), edges),
        )
        for one in language_data.load_table(language, LineWords).measures
    )


def _compiled(text: str, edges: tuple[str, str]) -> re.Pattern[str]:
    return re.compile(f"{edges[0]}{plain_letters(text)}{edges[1]}")


@functools.cache
def _pattern(language: Language, field: str) -> re.Pattern[str]:
    pieces = getattr(language_data.load_table(language, LineWords), field)
    return re.compile(f"(?:{plain_letters(language_data.join_pattern(pieces))})")


@functools.cache
def _negates(language: Language) -> re.Pattern[str]:
    return language_data.whole_words(language_data.load_table(language, Changes).negates, language)
