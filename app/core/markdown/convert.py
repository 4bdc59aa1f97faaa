"""Markdown to HTML and back: the one place where a note's text changes its form."""

import re

MOST_CHARACTERS = 1_000_000
MOST_LINES = 25_000
MOST_MARKS = 12_000  # at the start of lines: about a second's work
_BLOCK_MARKS = re.compile(r"^(?:[ \t]*+(?:[-+*>]|#{1,6}|\d{1,9}[.)])(?=[ \t]))+", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?")
_UNFIT = re.compile("[\x00\ud800-\udfff]")


def render_marks(markdown: str) -> str | None:
    """Return the HTML of a text whose marks are read.

    None where they are nested too deep for that.
    """
    from app.core.markdown.to_html import to_html

    return to_html.from_markdown(clean_lines(markdown))


def render_plain(markdown: str) -> str:
    """Return the HTML of a text as its lines, without reading any mark."""
    from app.core.markdown.to_html import to_html

    return to_html.plain_html(clean_lines(markdown))


def to_markdown(html: str) -> str:
    """Return the Markdown that renders to an HTML text.

    Tags that Markdown has no mark for are dropped and their text kept.
    """
    from app.core.markdown.from_html import from_html

    return from_html.from_html(clean_lines(html))


def clean_lines(text: str) -> str:
    """Return the text with every line ended by one line feed, and without characters that HTML
    cannot carry.
    """
    return _UNFIT.sub("\ufffd", _LINE_END.sub("\n", text))


def is_heavy(markdown: str) -> bool:
    """Return whether a text would take too long to read, and so is shown as plain lines."""
    # it has no more marks than characters
    if len(markdown) <= MOST_MARKS:
        return False
    source = clean_lines(markdown)
    if len(source) > MOST_CHARACTERS or source.count("\n") > MOST_LINES:
        return True
    return sum((len(match[0]) + 1) // 2 for match in _BLOCK_MARKS.finditer(source)) > MOST_MARKS
