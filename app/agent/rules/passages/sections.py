"""The sections of a Markdown text: what stands below each of its headings."""

import re
from typing import NamedTuple

_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class Section(NamedTuple):
    """What stands below a heading, at start..end of a text, without the sections within it."""

    title: str
    start: int
    end: int


def title_of(line: str) -> str:
    """Return the text of a line that is a heading; empty where it is none."""
    found = _HEADING.match(line)
    return found["title"] if found else ""


def find(text: str) -> list[Section]:
    """Return the sections of a text in order; what looks like a heading in code is none."""
    found: list[Section] = []
    at, in_code = 0, False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and (title := title_of(line)):
            if found:
                found[-1] = found[-1]._replace(end=at)
            found.append(Section(title, at + len(line), len(text)))
        at += len(line)
    return found


def named(text: str, title: str) -> Section | None:
    """Return the one section with a heading of that text; None where there is none, or several."""
    found = [one for one in find(text) if one.title == title]
    return found[0] if len(found) == 1 else None
