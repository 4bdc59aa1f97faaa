"""The sections of a Markdown text: what stands below each of its headings."""

import re
from typing import NamedTuple

_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})")


class Section(NamedTuple):
    """What stands below a heading, at start..end of a text, without the sections within it."""

    title: str
    start: int
    end: int


def title_of(line: str) -> str:
    """Return the text of a line that is a heading; empty where it is none."""
    found = _HEADING.match(line.rstrip("\r\n"))
    return found["title"] if found else ""


def find(text: str) -> list[Section]:
    """Return the sections of a text in order; what looks like a heading in code is none."""
    found: list[Section] = []
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        mark = found_mark["mark"] if (found_mark := _FENCE.match(line.rstrip("\r\n"))) else ""
        if fence:
            if mark.startswith(fence):
                fence = ""
        elif mark:
            fence = mark
        elif title := title_of(line):
            if found:
                found[-1] = found[-1]._replace(end=at)
            found.append(Section(title, at + len(line), len(text)))
        at += len(line)
    return found


def named(text: str, title: str) -> Section | None:
    """Return the one section with a heading of that text; None where there is none, or several."""
    found = [one for one in find(text) if one.title == title]
    return found[0] if len(found) == 1 else None
