"""Markdown as one reads it in a line: its words without its signs, and where in them marks lie."""

import re
from bisect import bisect_left
from collections.abc import Iterable

Span = tuple[int, int]
_WORD = re.compile(r"\S+")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*(?:\)|(?=…$))")
# Of each match the first group stays. Texts may be cut at both ends, where they have a “…”.
_SIGNS = (
    re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)(?:\]\]|(?=…$))"),
    _LINK,
    _LINK,  # around a picture
    re.compile(
        r"^(…?)(?:[ \t]*(?:#{1,6}(?=\s)|>|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)"
        r"|(?<=>)[ \t]*\[![\w-]+\][-+]?(?=\s|$)))+[ \t]*"
        r"|^(…?)\s*(?:```.*|[-=|: ]{3,})$",
        re.MULTILINE,
    ),
    re.compile(r"!?\[()(?=[^\[\]\n]*…$)|\]\([^()\s]*\)|\]\]"),
    re.compile(
        r"\\([!-/:-@\[-`{-~])|(?<!\s)\*{1,3}|\*{1,3}(?!\s)|~~|`+|=="
        r"|(?<!\w)__?(?=[^\W_])|(?<=[^\W_])__?(?!\w)"
    ),
)


def without_signs(markdown: str) -> str:
    """Return a text without the signs of Markdown, its lines as they are."""
    return _drop_signs(markdown)[0]


def plain_words(markdown: str, marks: Iterable[Span] = ()) -> tuple[str, list[Span]]:
    """Return a text in one line of plain words, and where in it marks of [start, end) lie."""
    text, origins = _drop_signs(markdown)
    said, kept = "", []
    for word in _WORD.finditer(text):
        if said:
            said += " "
            kept.append(origins[word.start() - 1])
        said += word.group()
        kept += origins[word.start() : word.end()]
    moved = ((bisect_left(kept, start), bisect_left(kept, end)) for start, end in marks)
    return said, [(start, end) for start, end in moved if start < end]


def _drop_signs(markdown: str) -> tuple[str, list[int]]:
    """Return a text without signs, and of each of its characters the place in what it was."""
    text, origins = markdown, list(range(len(markdown)))
    for signs in _SIGNS:
        kept, places, at = "", [], 0
        for found in signs.finditer(text):
            group = next((one for one in range(1, signs.groups + 1) if found[one]), 0)
            start, end = found.span(group) if group else (found.end(), found.end())
            for first, last in ((at, found.start()), (start, end)):
                kept += text[first:last]
                places += origins[first:last]
            at = found.end()
        text, origins = kept + text[at:], places + origins[at:]
    return text.replace("|", " "), origins
