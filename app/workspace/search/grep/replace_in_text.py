"""Replacing what a pattern matches in a text, line by line, and telling what changes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from app.errors import Invalid
from app.workspace.search.grep.re2_programs import (
    Mode,
    Program,
    TimeBudget,
    find_hits,
    join_texts,
    put_marks_between,
)

MOST_REPLACEMENTS = 100_000
_LINE_END = re.compile(r"(\r\n|\r|\n)")
_REFERENCE = re.compile(r"\$(?:(\$)|(\d{1,2})|\{(\w+)\})|\\(.?)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t"}


class Line(NamedTuple):
    """A line that changes, by its number from 1."""

    line: int
    before: str
    after: str


class Outcome(msgspec.Struct, frozen=True):
    """A text as it is afterwards, the lines that change, and how many matches were replaced."""

    content: str
    lines: list[Line]
    replacements: int


Template = list[str | int]
"""What stands in place of a match: texts, and numbers of groups whose match comes there."""


def parse_template(replacement: str, mode: Mode, program: Program) -> Template:
    r"""Read a replacement: in one for a regular expression $1, ${1}, ${name} and \1 mean groups, $0
    the whole match, $$ is a dollar.

    Raise Invalid for a group that the pattern does not have.
    """
    if mode == "literal":
        return [replacement]
    parts: Template = []
    at = 0
    for found in _REFERENCE.finditer(replacement):
        parts += [replacement[at : found.start()], _template_part(found, program)]
        at = found.end()
    return [*parts, replacement[at:]]


def replace_matches(program: Program, parts: Template, content: str, budget: TimeBudget) -> Outcome:
    """Replace every match in a text; the ends of its lines stay what they are.

    Raise Invalid when that takes too long or is too much.
    """
    # Lines and their ends in turn: line n is at 2n - 2, as matching sees only LF.
    pieces = _LINE_END.split(content)
    lines: list[Line] = []
    count = 0
    for place in find_hits(program, join_texts([content.encode()]), budget):
        if place is None:
            continue
        number = place[1].line
        before = pieces[2 * number - 2]
        after, more = _replace_in_line(program, parts, before, budget)
        count += more
        if count > MOST_REPLACEMENTS:
            raise Invalid(
                f"pattern matches more than {MOST_REPLACEMENTS:,} times in one note; give a "
                "longer one.",
                field="pattern",
            )
        if after != before:
            pieces[2 * number - 2] = after
            lines.append(Line(number, before, after))
    return Outcome("".join(pieces), lines, count)


def _replace_in_line(
    program: Program, parts: Template, line: str, budget: TimeBudget
) -> tuple[str, int]:
    made: list[str] = []
    at = count = 0
    for spans in _find_matches(program, line):
        start, end = spans[0]
        made.append(line[at:start])
        made += [part if isinstance(part, str) else line[slice(*spans[part])] for part in parts]
        at = end
        count += 1
        budget.require(0.0)
        if count > MOST_REPLACEMENTS:
            break
    made.append(line[at:])
    return "".join(made), count


def _find_matches(program: Program, line: str) -> Iterator[list[tuple[int, int]]]:
    """Return where each match and its groups lie, in characters.

    A group that took no part is empty. An empty match never follows another directly.
    """
    plain = program.marked is None or line.isascii()
    search, text, width = (
        (program.exact, line, 1) if plain else (program.marked, put_marks_between(line), 3)
    )
    last = -1
    for found in search.finditer(text):
        spans = [found.span(group) for group in range(search.groups + 1)]
        start, end = spans[0]
        # With marks an empty match may lie inside of a character's three, which is no place.
        if start % width or start == end == last:
            continue
        last = end
        yield [(max(0, first) // width, max(0, second) // width) for first, second in spans]


def _template_part(found: re.Match[str], program: Program) -> str | int:
    dollar, number, name, escape = found.groups()
    if dollar is not None:
        return "$"
    if escape is not None and not escape.isdecimal():
        if escape in _ESCAPES:
            return _ESCAPES[escape]
        if escape.isalpha() or not escape:
            raise Invalid(
                f"replacement holds {found[0]}, which means nothing there; write \\\\ for a "
                "backslash.",
                field="replacement",
            )
        return str(escape)
    return _group_number(number or escape or name, program)


def _group_number(name: str, program: Program) -> int:
    # RE2's Python wrapper gives the names as bytes, since the pattern was bytes.
    named = {known.decode(): place for known, place in program.exact.groupindex.items()}
    number = int(name) if name.isdecimal() else named.get(name, -1)
    if not 0 <= number <= program.exact.groups:
        raise Invalid(
            f"replacement names the group {name}, which pattern does not have.", field="replacement"
        )
    return number
