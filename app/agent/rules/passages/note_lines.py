"""The lines of a note, each with what it is of and what it says of that: “Big jar 454 g: £8.00”."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.passages import questions, tables
from app.agent.rules.passages.log_lines import DATED
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.core.markdown import blocks

LONGEST = 160
"""What is longer is a text, and no line of a list."""
PART = 4
"""So many letters has a word at least that is a part of a longer one."""
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?")
_RULE = re.compile(r"[\s|:-]*")
_CELL = re.compile(r"\s*\|\s*")
_LABEL = re.compile(r"(?P<label>[^:：\n]*[^\W\d_][^:：\n]*?)\s?[:：](?!\d)\s*")
_SENTENCES = re.compile(r"(?<!\d)[.!?]\s+\S|[。！？]\S")
_AMOUNT = re.compile(
    r"(?P<before>[€£$¥]\s?)?(?<![A-Za-z\d])(?<!\d[:：])(?!\d{1,2}[:：]\d\d(?!\d))"
    r"(?P<number>\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d++(?:[.,]\d+)*)"
    r"(?![点點]|[時时](?![間间])|[A-Za-z]\d)"
    r"(?P<unit>\s?(?:[€£$¥%]|[^\W\d_]{1,9}))?"
)
_SPACED = r"[^\W\u3040-\u30ff\u3400-\u9fff]"
"""A letter of a script with spaces, or a digit: “ゆ40g” has the number by itself."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_NAME = re.compile(r"[^\W\d_]{2,}|(?<![^\W_])[^\W\d_]\d+(?!\w)")
"""What names a row: a word, or a letter with its number, “A2”."""
MONEY: Sequence[str] = (
    "€ euro euros eur ユーロ 欧元",
    "£ quid pound pounds gbp",
    "$ dollar dollars bucks usd",
    "元 块 块钱 圆 元钱",
    "円 ¥ えん yen",
)
MEASURES = "g kg mg ml cl l dl m cm mm km % kilo kilos gr min h ha kw 分 个 人 名 キロ 公斤 斤"
_PLAIN = frozenset(MEASURES.split())


class Amount(NamedTuple):
    """A number at start..end of a text, with what it counts."""

    text: str
    start: int
    end: int
    unit: str


class Line(NamedTuple):
    """A line of a note: the whole of it, what it is of, from where on it says something, and of a
    row the names of its columns.
    """

    text: str
    label: str
    start: int
    columns: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """What it says."""
        return self.text[self.start :].rstrip("| ")


def read(markdown: str) -> list[Line]:
    """Return the lines of a note that stand in it once, but what is running text, or code."""
    rows, found, columns = markdown.split("\n"), list[Line](), tuple[str, ...]()
    code, counts, start = blocks.code_blocks(markdown), Counter(rows), 0
    for at, row in enumerate(rows):
        place, start = start, start + len(row) + 1
        if blocks.is_within(code, place):
            continue
        if not row.lstrip().startswith("|"):
            columns = ()
        elif any(map(_RULE.fullmatch, filter(None, rows[at + 1 : at + 2]))):
            columns = tables.cells(row)
        if counts[row] == 1 and (line := _line(row, rows[at + 1 : at + 2])) is not None:
            found.append(line._replace(columns=columns))
    return found


def with_texts(markdown: str) -> list[Line]:
    """Return the lines of a note, and those of running text that begin with a date: in a log a line
    may have several sentences.
    """
    lines = read(markdown)
    known, rows = {one.text for one in lines}, markdown.split("\n")
    for row in rows:
        mark = _MARK.match(row)
        dated = DATED.match(row, mark.end() if mark else 0)
        if dated and row not in known and rows.count(row) == 1:
            lines.append(Line(row, row[dated.start() : dated.end()].rstrip(" :："), dated.end()))
    return lines


def _line(row: str, following: Sequence[str]) -> Line | None:
    is_row = row.lstrip().startswith("|")
    is_head = is_row and any(map(_RULE.fullmatch, filter(None, following)))
    is_text = not is_row and _SENTENCES.search(row)  # a cell may be “M. Diallo”
    if is_head or is_text or _RULE.fullmatch(row) or len(row) > LONGEST:
        return None
    mark = _MARK.match(row)
    start = mark.end() if mark else 0
    if is_row:
        cells = list(_CELL.finditer(row))
        if len(cells) < 3:
            return None
        beside = list(itertools.pairwise(cells))
        named = [two for two in beside if _NAME.search(row, two[0].end(), two[1].start())]
        before, after = (named or beside)[0]  # a row may begin with its day
        return Line(row, row[before.end() : after.start()], after.end())
    if dated := DATED.match(row, start):
        inner = _LABEL.match(row, dated.end())
        end = inner.end() if inner else dated.end()
        return Line(row, row[start:end].rstrip(" :："), end)
    if found := _LABEL.match(row, start):
        return Line(row, found["label"].strip(), found.end())
    numbers = amounts(row[start:])
    # “2 parts wax, 1 part oil” is of neither
    if numbers and numbers[0].start:
        at = start + numbers[-1].start
        return Line(row, row[start:at].strip(), at)
    return Line(row, "", start)


def amounts(text: str) -> list[Amount]:
    """Return the numbers of a text but those of times of day, each with its unit where it has one
    that is known.
    """
    found = []
    for one in _AMOUNT.finditer(text):
        after = fold_text(one["unit"] or "").strip()
        unit = (one["before"] or "").strip() or kind_of(after)
        found.append(Amount(one["number"], one.start("number"), one.end("number"), unit))
    return found


def kind_of(unit: str) -> str:
    """Return what a word counts in, the same for all names of a currency; empty where it does not
    count.
    """
    for row in MONEY:
        known = row.split()
        if unit in known or any(len(unit) > 1 and unit.startswith(one) for one in known[:2]):
            return known[0]
    if unit in _PLAIN or unit.isascii():
        return unit if unit in _PLAIN else ""
    return unit[:1] if unit[:1] in _PLAIN else ""


def only_amount(line: Line, unit: str, said: str = "") -> Amount | None:
    """Return the one number of what a line says that an amount of a unit can be for, with its place
    in the whole line; of a row that of the column which is `said`. None where there is none, or
    several.
    """
    found = [
        one._replace(start=line.start + one.start, end=line.start + one.end)
        for one in amounts(line.text[line.start :])
        if not unit or not one.unit or one.unit == unit or _is_money(one.unit) == _is_money(unit)
    ]
    alike = [one for one in found if one.unit and unit]
    if len(alike) == 1:
        found = alike  # of “60 | 150 €” the price
    if len(found) > 1 and not unit and line.text.lstrip().startswith("|"):
        # “| Hotel | 10 | 23 Dec |”
        found = [one for one in found if _CELL.match(line.text, one.end)]
        named = [one for one in found if is_in_column(line, one, said)]
        found = named or found
    return found[0] if len(found) == 1 else None


def is_in_column(line: Line, amount: Amount, said: str) -> bool:
    """Return whether a number of a row stands in a column whose name is said."""
    at = tables.column_at(line.text, amount.start)
    name = line.columns[at] if at < len(line.columns) else ""
    return bool(name) and places(fold_text(name)).search(fold_text(said)) is not None


def is_money(unit: str) -> bool:
    """Return whether a unit is a currency."""
    return any(unit == row.split()[0] for row in MONEY)


def _is_money(unit: str) -> str:
    """Return the currency that a unit is, “$” for any sign of one; a measure is itself."""
    return "$" if any(unit == row.split()[0] or unit in row.split() for row in MONEY) else unit


def places(words: str) -> re.Pattern[str]:
    """Return how words are found that stand by themselves; no number is one within “9:30”."""
    whole = rf"(?<!\d){re.escape(words)}" if words[:1].isdigit() else re.escape(words)
    whole = rf"{whole}(?!\d)" if words[-1:].isdigit() else whole  # no 房间1 in 房间12
    if not questions.is_asian(words):
        whole = rf"(?<!{_SPACED})(?<!\d[.,:]){whole}(?![.,:]\d)(?!{_SPACED})"
    return re.compile(whole, re.IGNORECASE)


def said_in(lines: Sequence[Line], text: str) -> tuple[Line | None, bool]:
    """Return the one line most of whose name a text has, and whether it has all of that; no line
    where none is named, or several are alike.
    """
    scores = [(score, line) for line in lines if (score := _said(line.label or line.value, text))]
    best = max((score for score, _ in scores), default=(False, 0))
    found = [line for score, line in scores if score == best]
    return (found[0], best[0]) if len(found) == 1 else (None, False)


def with_word_of(lines: Sequence[Line], text: str, title: str) -> Line | None:
    """Return the one line that has a word of a text anywhere, which is no unit and not of the title
    of the note; None where none has, or several.
    """
    said = {one for one in content(text) - content(title) if not kind_of(one)}
    found = [line for line in lines if said & content(line.text)]
    return found[0] if len(found) == 1 and not questions.is_asian(text) else None


def beside_name(line: Line, start: int, end: int) -> tuple[int, int] | None:
    """Return where the other cell of a row of two stands, if start..end is the first, its name."""
    cells = itertools.pairwise(_CELL.finditer(line.text) if line.columns else ())
    places = [(one.end(), other.start()) for one, other in cells]
    return places[1] if len(places) == 2 and places[0] == (start, end) else None


def of_day(lines: Sequence[Line], day: int) -> Line | None:
    """Return the one line of that day of whatever month."""
    found = [
        line
        for line in lines
        if (dated := DATED.match(line.label)) and _day_of(dated["day"]) == day
    ]
    return found[0] if len(found) == 1 else None


def _day_of(date: str) -> int:
    numbers = [int(one) for one in re.findall(r"\d+", date)]
    return numbers[0] if "." in date else numbers[-1]


def _said(name: str, text: str) -> tuple[bool, int] | None:
    """Return whether a text has all words of a name, and how many; None where it has none."""
    if questions.is_asian(name):
        words, folded = _LETTERS.findall(fold_text(name)), fold_text(text)
        held = [one for one in words if one in folded]
        found = sum(map(len, held)) or max((_shared(one, folded) for one in words), default=0)
        return (len(held) == len(words), found) if found else None
    wanted, said = content(name), content(text)
    shared = [one for one in wanted if any(_is_form(one, word) for word in said)]
    return (len(shared) == len(wanted), len(shared)) if shared else None


def _shared(word: str, text: str) -> int:
    """Return how many letters at the beginning or end of a word a text has; none if only one."""
    for size in range(len(word) - 1, 1, -1):
        if word[:size] in text or word[-size:] in text:
            return size
    return 0


def _is_form(word: str, said: str) -> bool:
    return word == said or (
        len(word) >= PART and (said.startswith(word) or said.endswith(word)) and said != word
    )


def content(text: str) -> set[str]:
    """Return the stems of the words of a text that say something, without numbers."""
    return {
        stem(one)
        for one in split_words(fold_text(text))
        if one not in questions.little() and not one.isdecimal() and len(one) > 1
    }


def left_of(text: str, line: Line, title: str) -> set[str]:
    """Return what a text says that is neither of the name of a line nor of its note."""
    if questions.is_asian(text):
        known = f"{fold_text(line.text)} {fold_text(title)}"
        return {one for one in _LETTERS.findall(fold_text(text)) if one not in known}
    return _unknown(text, f"{line.text} {title}")


def left_of_title(text: str, title: str) -> set[str]:
    """Return what a text says that is not of the title of a note."""
    return _unknown(text, title)


def _unknown(text: str, known: str) -> set[str]:
    words = content(known)
    return {
        one
        for one in content(text)
        if not any(_is_form(word, one) or _is_form(one, word) for word in words)
    }
