"""One more line of a note in the form of its others: a row of a table, a price with its name."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from app.agent.quickadd import quickadd
from app.agent.rules.passages import log_lines, note_lines, questions, tables
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked

LEAST = 2
"""So many lines of one form has a list at least."""
PHONE_DIGITS = 6
"""So many digits has the number of a telephone at least."""
TIME = re.compile(
    r"(?<![\d.€£$¥])(?P<hour>[01]?\d|2[0-4])(?P<mark>[:.h点點時时])(?P<minute>[0-5]\d)?"
    r"(?![\d.]|\s?[€£$¥%])"
)
PHONE = re.compile(r"\+?\d(?:[\d /()-]*\d)?")
NUMBER = re.compile(r"(?P<before>\D{0,3}?)(?P<number>\d+(?:[.,]\d+)?)(?P<unit>\s?\D{0,12})")
_MARK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_GAP = re.compile(r"\s?[:：]\s*$")
_DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.")
_EDGES = " \t,;:.，、：；"
_PARTS = re.compile(r"\s*(?:(?<!\d)[,，]|[,，](?!\d)|[;|、；]|\s-\s)\s*")


def add(markdown: str, text: str, asked: Asked, day: date | None = None) -> str | None:
    """Return a note with one more row of the table, or amount of the list, that it ends in; None
    where it ends in none, or the text does not fill a line of it. A table whose rows begin with
    their days gets that day, else the one that the text names, else today's.
    """
    kept, one_line = markdown.rstrip("\n"), " ".join(text.split())
    found = tables.find(kept)
    if found and found[-1].end == len(kept):
        rest, named = log_lines.without_day(one_line, asked)
        rest, named = (one_line, day) if day and named != day else (rest, named)
        row = _row(one_line, found[-1], kept)
        if day or named is None:
            row = _not_in_days(row, found[-1], kept, asked.now)
        if named is not None or row is None:
            row = _dated_row(rest, found[-1], kept, named or asked.now.date()) or row
    else:
        row = _labelled(one_line, kept)
    return f"{kept}\n{row}\n" if row else None


def _row(text: str, table: tables.Table, markdown: str) -> str | None:
    cells = _cells(text, table.header) or _named_cells(text, table.header)
    rows = _rows(table, markdown)
    columns = [[row[at] for row in rows if at < len(row)] for at in range(len(cells))]
    written = [
        _as_date(cell, [[one] for one in column])
        for cell, column in zip(cells, columns, strict=True)
    ]
    if not all(map(_may_stand, written, columns)):
        return None
    return f"| {' | '.join(written)} |" if written else None


def _may_stand(value: str, column: Sequence[str]) -> bool:
    """Return whether a value may stand in a column: with a number where all others have one."""
    are_numbers = bool(column) and all(any(map(str.isdecimal, one)) for one in column)
    return not value or not are_numbers or any(map(str.isdecimal, value))


def _as_date(cell: str, others: Sequence[Sequence[str]]) -> str:
    """Return a day as the others of its column are written: 19.12. where a text ends with 19.12."""
    written = [one for held in others for one in held]
    is_dotted = bool(written) and all(map(_DOTTED.fullmatch, written))
    return f"{cell}." if is_dotted and _DOTTED.fullmatch(f"{cell}.") else cell


def _cells(text: str, header: Sequence[str]) -> list[str]:
    """Return the cells of a row of which a text says as many as there are columns."""
    cells = [one for one in _PARTS.split(text) if one]
    if len(cells) != len(header) and len(header) == LEAST:
        cells = list(_name_and_amount(text) or ())
    if len(cells) < LEAST:
        cells = _between_numbers(text, len(header))
    if len(cells) != len(header):
        return []
    return [_without_unit(cell, name) for cell, name in zip(cells, header, strict=True)]


def _named_cells(text: str, header: Sequence[str]) -> list[str]:
    """Return the cells of a row of which a text says the first and names the others: “Frau Lindner,
    2 Stück, Abholung 19.12.”; a column that it does not name stays empty.
    """
    parts = [one for one in _PARTS.split(text) if one]
    if len(parts) == 1:
        parts = text.split()
    cells = [parts[0], *([""] * (len(header) - 1))]
    for part in parts[1:]:
        named = [(at, value) for at, name in enumerate(header) if (value := _named(part, name))]
        if len(named) != 1 or cells[named[0][0]]:
            return []
        cells[named[0][0]] = named[0][1]
    return cells if LEAST <= len(parts) <= len(header) else []


def _named(part: str, name: str) -> str:
    """Return what a part of a text says of a column: “19.12.” of “pick-up 19.12.”, “44” of “商業44”
    in the column 商業簿記; empty where it does not begin or end with the column's name.
    """
    if questions.is_asian(name):
        found = re.fullmatch(
            r"(?P<name>[^\W\d]+)\s?[:：は]?\s?(?P<value>\d[\d.,:/]*[^\W\d]{0,2})", part
        )
        return found["value"] if found and name.startswith(found["name"]) else ""
    columns = {stem(one) for one in fold_text(name).split()}
    words = part.split()
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if rest and stem(fold_text(word.strip(_EDGES))) in columns:
            return " ".join(rest).strip(" :")
    return ""


def _dated_row(text: str, table: tables.Table, markdown: str, day: date) -> str | None:
    """Return a row that begins with its day, as all others do: “38 miles” of “Date | Miles”; None
    where they do not, or the text says more or less than the other columns hold.
    """
    rows = _rows(table, markdown)
    if not (dates := _days(rows)):
        return None
    written = log_lines.write_day(day, dates[-1], "\n".join(dates))
    header = table.header[1:]
    cells = _cells(text, header) or _one_after_another(text, header)
    cells = cells or _numbers_in_order(text, header, rows) or _only_number(text, header, rows)
    if len(header) == 1 and len(note_lines.amounts(text)) == 1:
        cells = [_without_unit(text, header[0])]
    are_amounts = all(re.match(r"\d", one) for row in rows for one in row[1:])
    if not written or not cells or (are_amounts and not all(re.match(r"\d", one) for one in cells)):
        return None
    return f"| {' | '.join((written, *cells))} |"


def _not_in_days(row: str | None, table: tables.Table, markdown: str, now: datetime) -> str | None:
    """Return a row unless it has a value where all others have their day: “138/86, pulse 72”."""
    rows = _rows(table, markdown)
    if row is None or not _days(rows):
        return row
    first = tables.cells(row)[0]
    read = quickadd.read_line(f"x {first}", now=now)
    is_day = log_lines.DATED.match(first) or (read.due is not None and read.title == "x")
    return row if is_day else None


def _numbers_in_order(text: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the numbers of a text for the columns, all of which hold numbers: “137 over 84, pulse
    66” of “Upper | Lower | Pulse”. A number beside the name of a column is that column's.
    """
    numbers = note_lines.amounts(text)
    are_numbers = all(re.fullmatch(r"\d+(?:[.,]\d+)?", cell) for row in rows for cell in row[1:])
    if not are_numbers or len(numbers) != len(header):
        return []
    cells = [""] * len(header)
    left = []
    for at, one in enumerate(numbers):
        start = numbers[at - 1].end if at else 0
        before = {stem(word) for word in split_words(fold_text(text[start : one.start]))}
        named = [place for place, name in enumerate(header) if stem(fold_text(name)) in before]
        if len(named) == 1:
            cells[named[0]] = one.text
        else:
            left.append(one.text)
    rest = iter(left)
    return [one or next(rest, "") for one in cells] if cells.count("") == len(left) else []


def _only_number(text: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the one number of a text that says nothing else for the one column of numbers, with
    the unit of that; the other columns stay empty: “4.8” of “Weight | Remarks”.
    """
    found = note_lines.amounts(text)
    rest = f"{text[: found[0].start]} {text[found[0].end :]}" if len(found) == 1 else text
    of_numbers = [
        at
        for at in range(1, len(header) + 1)
        if all(at < len(row) and NUMBER.fullmatch(row[at]) for row in rows)
    ]
    is_asian = questions.is_asian(rest)
    size = sum(map(str.isalpha, rest)) if is_asian else len(note_lines.content(rest))
    like = NUMBER.fullmatch(rows[-1][of_numbers[0]]) if len(of_numbers) == 1 else None
    if len(found) != 1 or like is None or size > 1:
        return []
    value = f"{like['before']}{found[0].text}{like['unit']}"
    return [value if at == of_numbers[0] else "" for at in range(1, len(header) + 1)]


def _rows(table: tables.Table, markdown: str) -> list[tuple[str, ...]]:
    return [tables.cells(one) for one in markdown[table.start : table.end].splitlines()]


def _days(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the days with which all rows of a table begin; none where one does not."""
    dates = [one[0] for one in rows if log_lines.DATED.fullmatch(one[0])]
    return dates if len(dates) == len(rows) else []


def _one_after_another(text: str, header: Sequence[str]) -> list[str]:
    """Return the numbers that follow the names of columns, in their order: “高压138低压86”."""
    found = re.findall(r"([^\W\d]+)\s?[:：は]?\s?(\d+(?:[.,]\d+)?)", text)
    is_all = len(found) == len(header) and all(
        column.startswith(name) for (name, _), column in zip(found, header, strict=False)
    )
    return [value for _, value in found] if is_all and questions.is_asian(text) else []


def _between_numbers(text: str, count: int) -> list[str]:
    """Return the cells of a text without commas that begins and ends with a number: “11/20 parking
    at the clinic 12 €” of a day, a name and an amount.
    """
    words = text.split()
    if words and not re.search(r"\d", words[-1]):
        words[-2:] = [" ".join(words[-2:])]  # “12 €”
    if len(words) < count or not all(re.search(r"\d", words[end]) for end in (0, -1)):
        return []
    if len(words) == count or count != LEAST + 1:
        return words
    return [words[0], " ".join(words[1:-1]), words[-1]]


def _without_unit(cell: str, name: str) -> str:
    """Return a number in a cell without the unit that its column is named after, or its name: “10
    pieces” of “Pieces”, 商業44 of 商業簿記.
    """
    number = _named(cell, name)
    return number if re.match(r"\W*\d", number) else cell


def _labelled(text: str, kept: str) -> str | None:
    """Return an amount with its name as the lines of a list have them, if these all do."""
    rows = [one for one in kept.split("\n") if one.strip()]
    listed = [one for one in rows if _MARK.match(one)]
    lines = {line.text: line for line in note_lines.read(kept)}
    known = [lines[one] for one in listed if one in lines]
    is_list = listed and listed[-1] is rows[-1] and len(known) == len(listed) >= LEAST
    parts = _name_and_amount(text)
    if not is_list or parts is None or not all(map(_tells_amount, known)):
        return None
    if all(any(map(str.isdecimal, one.label)) for one in known):
        return None  # “4 Nov: pain 7” has a day before it, and no name
    mark, gap = _MARK.match(listed[-1]), _GAP.search(listed[-1][: known[-1].start])
    lead = mark[0].replace("[x]", "[ ]").replace("[X]", "[ ]") if mark else ""
    return f"{lead}{parts[0]}{gap[0]}{parts[1]}" if gap else None


def _tells_amount(line: Line) -> bool:
    return bool(line.label) and note_lines.only_amount(line, "") is not None


def _name_and_amount(text: str) -> tuple[str, str] | None:
    """Return the name that stands before the only amount of a text, and that amount."""
    found = note_lines.amounts(text)
    if len(found) != 1:
        return None
    start = found[0].start
    before = text[:start].rstrip()
    start -= len(text[:start]) - len(before[:-1]) if before[-1:] in tuple("€£$¥") else 0
    words = routing.trim_name(text[:start].strip(_EDGES)).split()
    while words and fold_text(words[-1]) in questions.little():
        words.pop()  # “a toll of 22 €”
    name = " ".join(words).strip(_EDGES)
    return (name, text[start:].strip()) if name else None


def is_alike(value: str, column: Sequence[str]) -> bool:
    """Return whether a value may stand in a column: a date, a time or a number where all are."""
    for pattern in (log_lines.DATED, TIME, NUMBER):
        if column and all(pattern.fullmatch(one) for one in column):
            return pattern.fullmatch(value) is not None
    if column and all(map(is_phone, column)):
        return is_phone(value)
    return bool(value)


def is_phone(text: str) -> bool:
    """Return whether a text is the number of a telephone."""
    digits = sum(one.isdecimal() for one in text)
    return PHONE.fullmatch(text) is not None and digits >= PHONE_DIGITS
