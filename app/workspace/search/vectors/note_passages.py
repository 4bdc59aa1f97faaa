"""Cut a note into passages: pieces of its Markdown short enough for one vector each."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.core.markdown import blocks

MOST = 200
"""A note's passages beyond these are found by their words alone, so that one huge note does not
keep all others waiting.
"""

SENTENCE = re.compile(r"[.!?…]['\")\]]*\s+|[。！？]\s*|\n")
LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
MARKUP = re.compile(
    r"[*_`#>|~=\[\]-]{2,}|(?<!\w)[*_`]|[*_`](?!\w)|^[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}[.)])[ \t]+",
    re.MULTILINE,
)
SPACE = re.compile(r"\s+")
HEADING_CHARACTERS = 100


class Passage(NamedTuple):
    """The part [start, end) of a note's content, and the text whose vector stands for it."""

    start: int
    end: int
    text: str


class _Part(NamedTuple):
    """A paragraph or a piece of one; `opens` when a section begins with it, under `heading`."""

    start: int
    end: int
    opens: bool
    heading: str


def cut_passages(title: str, content: str, *, characters: int, most: int = MOST) -> list[Passage]:
    """Return a note's passages of about `characters` characters, in order.

    The first `most` of those that say something: a picture alone or a rule is near to nothing,
    and a note without any text has none.

    They hold every character but white space between them. Each text begins with the note's
    title and the heading above the passage, without which a passage from the middle of a note
    says little.
    """
    found: list[Passage] = []
    # A passage is at least half full where it can be: twice as much text surely gives enough.
    beginning = content[: 2 * most * characters]
    for parts in _pack_parts(_split_parts(beginning, characters), characters):
        start, end = parts[0].start, parts[-1].end
        heading = "" if parts[0].opens else parts[0].heading
        said = readable_text(content[start:end])
        if any(map(str.isalnum, said)):
            found.append(Passage(start, end, _passage_text(title, heading, said)))
        if len(found) == most:
            break
    return found


def readable_text(text: str) -> str:
    """Return Markdown without the marks and addresses that say nothing about what it means, in one
    line.
    """
    return SPACE.sub(" ", MARKUP.sub(" ", LINK.sub(r"\1", text))).strip()


def _passage_text(title: str, heading: str, said: str) -> str:
    above = f"{title}\n{heading[:HEADING_CHARACTERS]}" if heading and heading != title else title
    return f"{above}\n{said}"


def _pack_parts(parts: Iterator[_Part], characters: int) -> Iterator[list[_Part]]:
    """Gather parts into passages.

    A section begins a new one unless the one before is short, and a short end stays with what it
    ends.
    """
    held: list[_Part] = []
    before: list[_Part] = []
    for part in parts:
        size = part.end - held[0].start if held else 0
        if held and (
            size > characters or (part.opens and held[-1].end - held[0].start > characters // 3)
        ):
            if before:
                yield before
            before, held = held, []
        held.append(part)
    if (
        before
        and held
        and not held[0].opens
        and held[-1].end - before[0].start <= characters * 5 // 4
    ):
        before, held = before + held, []
    yield from (group for group in (before, held) if group)


def _split_parts(content: str, characters: int) -> Iterator[_Part]:
    """Return the paragraphs; a long one in pieces."""
    for start, end, opens, heading in _split_paragraphs(content):
        at = start
        while end - at > characters:
            border = _best_border(content, at, at + characters)
            yield from _trim_part(content, at, border, opens=opens and at == start, heading=heading)
            at = border
        yield from _trim_part(content, at, end, opens=opens and at == start, heading=heading)


def _split_paragraphs(content: str) -> Iterator[_Part]:
    """Return the runs of lines between blank lines.

    A heading begins a run of its own, with the paragraph after it.
    """
    heading, start = "", 0
    opens = bare = False
    for line in blocks.read_lines(content):
        titled, empty = line.kind == "heading", not content[line.start : line.end].strip()
        if titled or (empty and not bare):
            if line.start > start:
                yield _Part(start, line.start, opens, heading)
            start, opens = line.start, titled
        if titled:
            heading = readable_text(content[line.inner : line.end].rstrip().rstrip("#"))
        bare = titled or (bare and empty)
    if len(content) > start:
        yield _Part(start, len(content), opens, heading)


def _trim_part(content: str, start: int, end: int, *, opens: bool, heading: str) -> Iterator[_Part]:
    """Return the part without the white space around it, or nothing."""
    text = content[start:end]
    left = len(text) - len(text.lstrip())
    if left < len(text):
        yield _Part(start + left, start + len(text.rstrip()), opens, heading)


def _best_border(content: str, start: int, end: int) -> int:
    """Return the best place to end a piece.

    After a sentence, else between words, else where it is full; never in its first half.
    """
    middle = (start + end) // 2
    sentences = [found.end() for found in SENTENCE.finditer(content, middle, end)]
    if sentences:
        return sentences[-1]
    space = max(content.rfind(" ", middle, end), content.rfind("\t", middle, end))
    return space if space > middle else end
