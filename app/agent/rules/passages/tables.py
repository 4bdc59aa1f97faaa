"""The tables of a Markdown text: what their columns are named, and where their rows stand."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\s*$|\s*\|\s*:?-+:?\s*$")
_BAR = re.compile(r"(?<!\\)\|")


class Table(NamedTuple):
    """A table: the names of its columns, where those stand, and from where to where its rows."""

    header: tuple[str, ...]
    header_start: int
    start: int
    end: int


def find(text: str) -> list[Table]:
    """Return the tables of a text in order."""
    if "|" not in text:
        return []
    found: list[Table] = []
    lines = text.splitlines(keepends=True)
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line))
    at = 1
    while at < len(lines):
        if "|" in lines[at - 1] and _RULE.match(lines[at]):
            last = at + 1
            while last < len(lines) and "|" in lines[last]:
                last += 1
            header = cells(lines[at - 1])
            found.append(Table(header, places[at - 1], places[at + 1], places[last]))
            at = last
        at += 1
    return found


def split(row: str) -> list[str]:
    """Return the parts of a row between its bars, as they stand, with what is outside of them."""
    return _BAR.split(row)


def cells(row: str) -> tuple[str, ...]:
    """Return the texts of the cells of a row."""
    bare = row.strip().removeprefix("|").removesuffix("|")
    return tuple(one.strip() for one in _BAR.split(bare))


def column_at(row: str, at: int) -> int:
    """Return in which column of a row a character stands."""
    lead = len(row) - len(row.lstrip())
    return len(_BAR.findall(row[:at])) - (row[lead : lead + 1] == "|")


def of_row(tables: Sequence[Table], at: int) -> Table | None:
    """Return the table among whose rows a place in a text stands."""
    return next((one for one in tables if one.start <= at < one.end), None)


def is_header(tables: Sequence[Table], at: int) -> bool:
    """Return whether a place in a text stands among the names of the columns of a table."""
    return any(one.header_start <= at < one.start for one in tables)
