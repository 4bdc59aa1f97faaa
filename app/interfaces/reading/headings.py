"""The headings of a note: the ids by which links find them, and the outline above the text."""

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import NamedTuple
from urllib.parse import quote, unquote

from app.core.markdown import blocks
from app.core.text import fold_name

LONGEST = 80
FEWEST = 3
"""A text with fewer headings has no outline."""
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_TAG = re.compile(r"<[^<>]*>")


class Heading(NamedTuple):
    """A heading as the outline shows it; `depth` is how deep it stands below the highest."""

    id: str
    text: str
    depth: int


def anchor(heading: str) -> str:
    """Return the id of the first heading of that text, the same for every case.

    It begins as no other id of a page does, and holds but letters, digits and dashes.
    """
    words = _BETWEEN_WORDS.sub("-", fold_name(heading)).strip("-")
    return f"h-{words[:LONGEST].rstrip('-') or 'part'}"


def heading_in(target: str, title: str = "") -> str:
    """Return what names a heading in the target of a link to a note of that title."""
    rest = re.split(re.escape(title), target, maxsplit=1, flags=re.IGNORECASE)[-1]
    return rest.partition("#")[2].strip()


def last_heading(path: str) -> str:
    """Return the heading that a path such as `Chapter#Part` ends at; empty for a block's name."""
    last = path.rpartition("#")[2].strip()
    return "" if last.startswith("^") else last


def fragment_of(heading: str) -> str:
    """Return the end of an address that leads to a heading; empty for no heading."""
    return f"#{quote(anchor(heading))}" if heading else ""


def section_of(text: str, heading: str) -> str:
    """Return a heading of a text with what stands below it; empty where there is none."""
    start = level = -1
    for line in blocks.headings(text):
        if start >= 0 and line.level <= level:
            return text[start : line.start]
        if start < 0 and anchor(text[line.inner : line.end]) == anchor(heading):
            start, level = line.start, line.level
    return text[start:] if start >= 0 else ""


def plain_text(html: Iterable[str]) -> str:
    """Return what pieces of HTML say, as one line."""
    return " ".join(unescape(_TAG.sub("", "".join(html))).split())


class Anchors:
    """The ids of a page's headings, in order and each once, and where links to them lead."""

    def __init__(self, pieces: Sequence[str], prefix: str) -> None:
        self._ids: list[str] = []
        self._found: dict[str, str] = {}
        taken: dict[str, int] = {}
        for text in _heading_texts(pieces):
            id_ = first = prefix + anchor(text)
            while id_ in taken:
                taken[first] += 1
                id_ = f"{first}-{taken[first]}"
            taken[id_] = 1
            self._ids.append(id_)
            self._found.setdefault(_letters(text), id_)
        self._next = iter(self._ids)

    def next_id(self) -> str:
        """Return the id of the heading that comes next."""
        return next(self._next)

    def find(self, fragment: str) -> str | None:
        """Return the id of the heading that a link within the page names, however it is spelt."""
        return self._found.get(_letters(unquote(fragment)))


def outline(headings: Sequence[tuple[int, str, str]]) -> list[Heading]:
    """Return the outline of headings of (level, id, text); empty for few."""
    shown = [found for found in headings if found[2]]
    if len(shown) < FEWEST:
        return []
    highest = min(level for level, _, _ in shown)
    return [Heading(id_, text, level - highest) for level, id_, text in shown]


def _letters(text: str) -> str:
    return _BETWEEN_WORDS.sub("", fold_name(text))


def _heading_texts(pieces: Sequence[str]) -> Iterable[str]:
    begun = -1
    for at, piece in enumerate(pieces):
        if piece[:2] == "<h" and piece != "<hr>":
            begun = at
        elif piece[:3] == "</h":
            yield plain_text(pieces[begun + 1 : at])
