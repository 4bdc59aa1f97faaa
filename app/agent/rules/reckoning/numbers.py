"""The numbers of a text, in digits and in words, with their units."""

import functools
import re
from decimal import Decimal
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import words

MOST_DIGITS = 60
_HAN = "〇一二三四五六七八九"
_TENS = {"十": 10, "百": 100, "千": 1_000}
_TENTH = {"百": "十", "千": "百", "万": "千"}
_MYRIADS = {"万": 10_000, "亿": 100_000_000, "億": 100_000_000}
_HAN_NUMBER = re.compile(
    r"(?:\d[\d,]*(?:\.\d+)?|[〇零一二两三四五六七八九十百千])"
    r"(?:\d|[〇零一二两三四五六七八九十百千万亿億])*"
)
_DIGITS = r"\d+(?:[.,' ]\d+)*"


class Number(NamedTuple):
    """A number at start..end of a folded text. `unit` is its name, `written` how it stands there;
    what is not `sure` could be read in two ways.
    """

    value: Decimal
    unit: str
    written: str
    start: int
    end: int
    sure: bool = True
    in_words: bool = False


def find(text: str, language: Language) -> list[Number]:
    """Return the numbers of a folded text, in their order, with the units beside them."""
    found = []
    at = 0
    hidden = words.whole(language, words.table_of(language).no_number).sub(
        lambda one: "\0" * len(one[0]), text
    )
    while match := _pattern(language).search(hidden, at):
        number = _read(match, hidden, language)
        at = max(number.end if number else match.end(), match.start() + 1)
        if number:
            found.append(number)
    return found


def ends_in_number(text: str, language: Language) -> bool:
    """Return whether the end of a folded text is a number without a unit."""
    tail = text[-40:].rstrip()
    return any(one.end == len(tail) and not one.unit for one in find(tail, language))


def _read(match: re.Match[str], text: str, language: Language) -> Number | None:
    said = match["number"]
    value, sure, end = None, True, match.end()
    if said[0].isascii() and said[0].isdigit() and not re.search(r"[^\d.,' ]", said):
        said, value, sure = digits(said, language)
        end = match.start("number") + len(said)
    elif questions.is_asian(said):
        value = _of_han(said, short_tens=words.table_of(language).short_tens)
    else:
        value = _of_words(said, language)
    if value is None or len(said) > MOST_DIGITS:
        return None
    in_words = not said[0].isdigit()
    if sign := match["sign"]:
        return Number(value, unit_of(sign, language), sign, match.start(), end, sure, in_words)
    if (unit := _unit(language).match(text, end)) and unit["unit"]:
        name = unit_of(unit["unit"], language)
        return Number(value, name, unit["unit"], match.start(), unit.end(), sure, in_words)
    return Number(value, "", "", match.start(), end, sure, in_words)


def digits(said: str, language: Language) -> tuple[str, Decimal | None, bool]:
    """Return as much of a run of digits as is one number, its value, and whether it can be read in
    no other way.

    “1.280” is more than a thousand where a comma parts whole numbers from fractions.
    """
    decimal = words.table_of(language).decimal
    mark = "." if decimal == "," else ","
    gap = r"[ ']" if decimal == "," else "'"
    if grouped := re.match(rf"\d{{1,3}}(?:{gap}\d{{3}})+(?![\d])(?:[.,]\d+)?", said):
        plain = re.sub("[ ']", "", grouped[0]).replace(",", ".")
        return grouped[0], Decimal(plain), True
    said = re.split("[ ']", said)[0]
    marks = re.findall(r"[.,]", said)
    if not marks:
        return said, Decimal(said), True
    if len(set(marks)) == 2:
        # The last of two kinds parts the fraction.
        whole, _, rest = said.rpartition(marks[-1])
        is_one = marks.count(marks[-1]) == 1
        return said, Decimal(f"{re.sub('[.,]', '', whole)}.{rest}") if is_one else None, True
    grouped_by_three = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", said) is not None
    if len(marks) > 1:
        return said, Decimal(re.sub("[.,]", "", said)) if grouped_by_three else None, True
    if grouped_by_three and marks[0] == mark:
        return said, Decimal(said.replace(mark, "")), True
    # Three digits after the mark of fractions may be thousands in another's writing.
    return said, Decimal(said.replace(",", ".")), not grouped_by_three


def unit_of(written: str, language: Language) -> str:
    """Return the name of a unit that is written so; empty for what is none."""
    for name, pattern in words.table_of(language).units.items():
        if re.fullmatch(language_data.join_pattern(pattern), written):
            return name
    return ""


def _of_han(said: str, *, short_tens: bool) -> Decimal | None:
    """Return the value of a number in Chinese signs, with digits in it or not."""
    total = section = Decimal(0)
    current: Decimal | None = None
    if short_tens and (short := re.fullmatch(r".+([百千万])([一二三四五六七八九])", said)):
        # “一百二” is 120.
        said = f"{said[:-1]}{short[2]}{_TENTH[short[1]]}"
    for piece in re.findall(r"\d[\d,]*(?:\.\d+)?|.", said):
        if piece[0].isascii():
            current = Decimal(piece.replace(",", ""))
        elif piece in _TENS:
            section += (1 if current is None else current) * _TENS[piece]
            current = None
        elif piece in _MYRIADS:
            total += (section + (current or 0) or 1) * _MYRIADS[piece]
            section, current = Decimal(0), None
        else:
            one = Decimal(2 if piece == "两" else 0 if piece == "零" else _HAN.index(piece))
            if current is not None and current != 0:
                return None  # a year or a number that is only read out
            current = one
    return total + section + (current or 0)


def _of_words(said: str, language: Language) -> Decimal | None:
    """Return the value of a number in words, put together or not."""
    total, current, room = 0, 0, 10**9
    atoms = _atoms(language)
    ones_first = words.table_of(language).ones_first
    if ones_first != "(?!)":
        # “Fünfundzwanzig”: the ones come first.
        ones = _either(language, 1, 9)
        tens = _either(language, 20, 90)
        said = re.sub(rf"({ones}){ones_first}({tens})", r"\2 \1", said)
    for piece in _one(language).findall(said):
        value = next((n for n, pattern in atoms.items() if pattern.fullmatch(piece)), None)
        if value is None:
            return None
        if value in (100, 1000, 1_000_000):
            current = max(current, 1) * value
            if value >= 1000:
                total, current = total + current, 0
            room = value
        elif value < room:
            current += value
            room = _room(value)
        else:
            return None
    return Decimal(total + current)


def _room(value: int) -> int:
    """Return below which number another may follow as part of the same one."""
    if value in (60, 80):
        return 20  # “soixante-douze”
    return 100 if value >= 100 else 10 if value >= 20 and value % 10 == 0 else 0


@functools.cache
def _atoms(language: Language) -> dict[int, re.Pattern[str]]:
    listed = words.table_of(language).numbers
    return {
        number: re.compile(language_data.join_pattern(pattern))
        for number, pattern in listed.items()
    }


def _either(language: Language, least: int, most: int) -> str:
    atoms = _atoms(language)
    return "|".join(one.pattern for n, one in atoms.items() if least <= n <= most)


@functools.cache
def _one(language: Language) -> re.Pattern[str]:
    """Return the pattern of a word that is part of a number, the longer ones first."""
    parts = [part for one in _atoms(language).values() for part in _split_alternatives(one.pattern)]
    return re.compile("|".join(sorted(parts, key=len, reverse=True)))


def _split_alternatives(pattern: str) -> list[str]:
    return re.split(r"\|(?![^(]*\))", pattern)


@functools.cache
def _pattern(language: Language) -> re.Pattern[str]:
    """Return the pattern of a number of that language, with a sign of money before it."""
    sign = r"(?:(?P<sign>[€$£¥]) ?)?"
    if language not in phrases.alphabetic_languages():
        return re.compile(rf"{sign}(?<![a-z\d])(?<!\d[.,])(?P<number>{_HAN_NUMBER.pattern})")
    one = _one(language).pattern
    table = words.table_of(language)
    joined = language_data.join_pattern(table.joined)
    ones_first = language_data.join_pattern(table.ones_first)
    gap = (
        rf"(?:[ -]|[ -]?{ones_first}|[ -]?{joined}|)"
        if ones_first != "(?!)"
        else (rf"[ -](?:{joined})?")
    )
    spelled = rf"(?:{one})(?:{gap}(?:{one}))*(?![^\W_])"
    return re.compile(rf"{sign}(?<![^\W_])(?<!\d[.,])(?P<number>{_DIGITS}|{spelled})")


@functools.cache
def _unit(language: Language) -> re.Pattern[str]:
    """Return the pattern of the unit that may follow a number."""
    either = language_data.either(words.table_of(language).units.values())
    end = "(?![^\\W_])" if language in phrases.alphabetic_languages() else ""
    return re.compile(rf" ?(?P<unit>{either}){end}")
