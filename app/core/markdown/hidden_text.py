"""What a Markdown text holds that its readers do not see: comments, and the names of its blocks.

`%%a comment%%` and ` ^name` at the end of a line, as Obsidian writes them.
"""

import re
from collections.abc import Iterator

from app.core.markdown import blocks
from app.core.markdown.blocks import Span

# Six digits are such a name, too; fewer are rather a power, as in "m ^2".
_NAME = re.compile(
    r"\^(?:(?=[\d-]{0,59}[A-Za-z])[A-Za-z\d-]{2,60}|\d{6})(?=[ \t]{0,9}\r?$)", re.MULTILINE
)
_EMPTY_LINE = re.compile(r"^[ \t>]*\r?\n", re.MULTILINE)
_NO_LINE_END = re.compile(r"[^\r\n]+")


def without_hidden(text: str) -> str:
    """Return a text without what is hidden in it; each of its lines is still one."""
    if "%%" not in text and "^" not in text:
        return text
    code = blocks.code_spans(text)
    parts, at = [], 0
    for start, end in sorted([*_comments(text, code), *_names(text, code)]):
        if start >= at:
            parts += [text[at:start], _NO_LINE_END.sub("", text[start:end])]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _comments(text: str, code: list[Span]) -> Iterator[Span]:
    """Yield where comments stand: in a paragraph, or over empty lines from a line of their own."""
    opener = -1
    for mark in re.finditer("%%", text):
        if blocks.is_within(code, mark.start()):
            continue
        if opener >= 0 and (
            _begins_line(text, opener) or not _EMPTY_LINE.search(text, opener, mark.start())
        ):
            yield opener, mark.end()
            opener = -1
        else:
            opener = mark.start()


def _begins_line(text: str, place: int) -> bool:
    return not text[text.rfind("\n", 0, place) + 1 : place].strip(" \t>")


def _names(text: str, code: list[Span]) -> Iterator[Span]:
    for name in _NAME.finditer(text):
        start = name.start()
        if start and not text[start - 1].isspace():
            continue
        if not blocks.is_within(code, start):
            yield start, name.end()
