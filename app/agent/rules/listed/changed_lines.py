"""A line of a note with another amount in it, or with other words."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.note_lines import Amount, Line
from app.agent.rules.passages.sentences import fold_text

MOST = 5
"""One thing has so many words at most."""
_PARTS = re.compile(
    r"(?<!\d)[,.]|[,.](?!\d)|[，、;；|/:：+&]|\s(?:and|und|et|y|e|with|mit|avec|con|sowie)\s"
)
"""What parts the things of a line."""


class Changed(NamedTuple):
    """A line with what is to stand in its place, and what is replaced in it by what."""

    old: str
    new: str
    replaced: tuple[str, str]
    is_sure: bool


def with_amount(line: Line, new: Amount, said: str, *, is_sure: bool) -> Changed | None:
    """Return a line with a new number in place of the one that it has; None where it has no such
    one, or that already.
    """
    old = note_lines.only_amount(line, new.unit, said)
    if old is None or old.text == new.text:
        return None
    to = _like(old.text, new.text)
    return _put(line, old.start, old.end, to, is_sure=is_sure)


def with_old_amount(lines: Sequence[Line], old: str, new: Amount) -> Changed | None:
    """Return the line with a new number in place of the one that some words end with, if it stands
    once in the lines, or in the one that the words before it name: “change 412 km to 420”.
    """
    said = note_lines.amounts(old)
    if len(said) != 1:
        return None
    if name := fold_text(old[: said[0].start]).strip():
        line = note_lines.said_in(lines, name)[0]
        lines = [line] if line else []
    unit = fold_text(old[said[0].end :]).strip()
    places = [
        (line, one)
        for line in lines
        for one in note_lines.amounts(line.text)
        if one.text == said[0].text
        and (note_lines.kind_of(unit) == one.unit or _follows(line.text[one.end :], unit))
    ]
    if len(places) != 1 or new.text == said[0].text:
        return None
    line, one = places[0]
    return _put(line, one.start, one.end, _like(one.text, new.text), is_sure=True)


def with_words(lines: Sequence[Line], old: str, new: str, beside: str) -> Changed | None:
    """Return the one line that has words, with others for them; where what stands `beside` these
    names the line, or they do so themselves, with others for all that it says: “a radio for dad
    instead of the crosswords”, “Noa's skates”.
    """
    places = [
        (line, *found.span())
        for line in lines
        for found in note_lines.places(old).finditer(line.text)
    ]
    if len(places) > 1:
        told = [one for one in places if note_lines.said_in([one[0]], beside)[0]]
        places = told if len(told) == 1 else []
    if len(places) != 1:
        line = _named_by(lines, old)
        return line and _put(line, line.start, line.start + len(line.value), new, is_sure=True)
    line, start, end = places[0]
    is_name = not line.columns and end <= line.start and _names_whole(line, old)
    if is_name and line.value and _is_one_thing(line.value):
        # “change the wifi password to Otter” gives it no other name
        return _put(line, line.start, line.start + len(line.value), new, is_sure=True)
    is_of_label = bool(line.label) and note_lines.said_in([line], beside)[1]
    if is_of_label and start >= line.start and _is_one_thing(line.value):
        start, end = line.start, line.start + len(line.value)
    elif old[:1].islower() and line.text[start].isupper():
        new = f"{new[:1].upper()}{new[1:]}"  # “meyer” for “Meyer”
    is_sure = is_of_label or _is_whole(line, start, end)
    if beside_name := note_lines.beside_name(line, start, end):
        start, end = beside_name  # “change D to beans”
    return _put(line, start, end, new, is_sure=is_sure)


def with_word_of(lines: Sequence[Line], text: str, new: str) -> Changed | None:
    """Return the line that has the one thing that a text names of all lines, with another for it:
    “Imke can't come, put Antje in for her”.
    """
    said = note_lines.content(text)
    found = [
        (line, one.start(), one.end())
        for line in lines
        for one in re.finditer(r"[^\W\d_]+", line.text)
        if note_lines.content(one[0]) and note_lines.content(one[0]) <= said
    ]
    if len(found) != 1 or questions.is_asian(text):
        return None
    line, start, end = found[0]
    return _put(line, start, end, new, is_sure=_is_whole(line, start, end))


def _names_whole(line: Line, words: str) -> bool:
    return bool(line.label) and note_lines.content(line.label) <= note_lines.content(words)


def _follows(text: str, unit: str) -> bool:
    return fold_text(text).lstrip().startswith(unit)


def _put(line: Line, start: int, end: int, new: str, *, is_sure: bool) -> Changed:
    changed = line.text[:start] + new + line.text[end:]
    return Changed(line.text, changed, (line.text[start:end], new), is_sure)


def _like(old: str, new: str) -> str:
    """Return a number with the mark between its thousands that another has: “2,500” as “2,200”."""
    mark = re.match(r"\d{1,3}([.,\u00a0\u202f ])\d{3}(?!\d)", old)
    if mark is None or not new.isdecimal() or len(new) < 4:
        return new
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", mark[1], new)


def _named_by(lines: Sequence[Line], words: str) -> Line | None:
    """Return the one line that says one thing, and whose name and thing are in some words."""
    said = note_lines.content(words)
    found = [
        one
        for one in lines
        if one.label
        and note_lines.content(one.label) < said <= note_lines.content(one.text)
        and _is_one_thing(one.value)
    ]
    return found[0] if len(found) == 1 and not questions.is_asian(words) else None


def _is_whole(line: Line, start: int, end: int) -> bool:
    """Return whether what stands at a place of a line is one of its things as a whole."""
    ends = [line.start, len(line.text)]
    ends += [one.end() for one in _PARTS.finditer(line.text)]
    ends += [one.start() for one in _PARTS.finditer(line.text)]
    first = max((one for one in ends if one <= start), default=0)
    last = min(one for one in ends if one >= end)
    thing = fold_text(line.text[first:last]).strip()
    words = fold_text(line.text[start:end]).strip()
    return words in (thing, fold_text(line.value).strip(), fold_text(line.label).strip())


def _is_one_thing(text: str) -> bool:
    return len(text.split()) <= MOST and not _PARTS.search(text)


def without_little(text: str) -> str:
    """Return words without a little one before them."""
    first, _, rest = text.partition(" ")
    return rest if rest and fold_text(first) in questions.little() else text


def name_of(lines: Sequence[Line], old: str) -> set[str]:
    """Return the words of the name of the one line that has some words."""
    held = [one for one in lines if old and note_lines.places(old).search(one.text)]
    return note_lines.content(held[0].label) if len(held) == 1 else set()
