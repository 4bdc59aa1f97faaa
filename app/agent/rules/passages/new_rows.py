"""One more line of a note in the form of its others: a row of a table, a price with its name."""

import re
from collections.abc import Sequence

from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text, stem
from app.agent.rules.routing import routing

LEAST = 2
"""So many lines of one form has a list at least."""
_MARK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_GAP = re.compile(r"\s?[:：]\s*$")
_EDGES = " \t,;:.，、：；"
_PARTS = re.compile(r"\s*(?:(?<!\d)[,，]|[,，](?!\d)|[;|、；]|\s-\s)\s*")


def add(markdown: str, text: str) -> str | None:
    """Return a note with one more row of the table, or amount of the list, that it ends in; None
    where it ends in none, or the text does not fill a line of it.
    """
    kept, one_line = markdown.rstrip("\n"), " ".join(text.split())
    found = tables.find(kept)
    if found and found[-1].end == len(kept):
        row = _row(one_line, found[-1].header)
    else:
        row = _labelled(one_line, kept)
    return f"{kept}\n{row}\n" if row else None


def _row(text: str, header: Sequence[str]) -> str | None:
    cells = [one for one in _PARTS.split(text) if one]
    if len(cells) != len(header) and len(header) == LEAST:
        cells = list(_name_and_amount(text) or ())
    if len(cells) < LEAST:
        cells = _between_numbers(text, len(header))
    if len(cells) != len(header):
        return None
    bare = [_without_unit(cell, name) for cell, name in zip(cells, header, strict=True)]
    return f"| {' | '.join(bare)} |"


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
    """Return a cell without the unit that its column is named after: “10 pieces” of “Pieces”."""
    number, _, unit = cell.partition(" ")
    is_named = unit and stem(fold_text(unit)) in {stem(one) for one in fold_text(name).split()}
    return number if is_named and note_lines.amounts(number) else cell


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
