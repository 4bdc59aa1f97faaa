"""The sections of a Markdown text: what stands below each of its headings."""

import re
from typing import NamedTuple

from app.core.markdown import blocks

_CLOSING = re.compile(r"[ \t]+#+[ \t]*$")


class Section(NamedTuple):
    """What stands below a heading, at start..end of a text, without the sections within it."""

    title: str
    start: int
    end: int


def title_of(line: str) -> str:
    """Return the text of a line that is a heading; empty where it is none."""
    found = find(line)
    return found[0].title if found else ""


def find(text: str) -> list[Section]:
    """Return the sections of a text in order; what looks like a heading in code is none."""
    lines = [one for one in blocks.headings(text) if not one.depth]  # none in a quote or item
    ends = [*(one.start for one in lines[1:]), len(text)]
    return [
        Section(_title(text[line.inner : line.end]), _next_line(text, line.end), end)
        for line, end in zip(lines, ends, strict=False)
    ]


def named(text: str, title: str) -> Section | None:
    """Return the one section with a heading of that text; None where there is none, or several."""
    found = [one for one in find(text) if one.title == title]
    return found[0] if len(found) == 1 else None


def _title(text: str) -> str:
    return _CLOSING.sub("", text.rstrip()).strip()


def _next_line(text: str, end: int) -> int:
    """Return where the line after one that ends at a place begins; the end of the text if none."""
    following = text.find("\n", end)
    return following + 1 if following >= 0 else len(text)
