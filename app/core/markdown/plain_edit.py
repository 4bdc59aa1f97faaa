"""An edit of a text that is shown as plain lines.

Each line of it is a line of the source, marks and all.
"""

import re
from collections.abc import Iterator
from html import unescape

from app.core.markdown import convert, line_edit
from app.core.markdown.to_html import html_tags
from app.errors import Unprocessable

_DROPPED = re.compile(
    r"<!--.*?-->|<(script|style|template|title)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)
_BLOCK = re.compile(
    r"<(/?)(?:[uo]l|table|blockquote|pre|h[1-6])\b[^<>]*>|<hr\b[^<>]*>", re.IGNORECASE
)
_BREAK = re.compile(r"<br\s*/?>\n?", re.IGNORECASE)
_PARAGRAPHS = re.compile(r"</p>\s*<p\b[^<>]*>", re.IGNORECASE)
_DIVISIONS = re.compile(
    r"</div>\s*<div\b[^<>]*>|</p>\s*<div\b[^<>]*>|</div>\s*<p\b[^<>]*>", re.IGNORECASE
)
_AROUND = re.compile(r"\A\n*(?:\s*<(?:p|div)\b[^<>]*>)?|(?:</(?:p|div)>\s*)?\n*\Z", re.IGNORECASE)
_INLINE = re.compile(
    r"<(strong|b|em|i|del|s|strike|code|a)(?:\s[^<>]*)?>.*?</\1>|<img\b[^<>]*>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def apply_plain_edit(source: str, html: str) -> str:
    """Return a text after an edit of its plain rendering.

    Raise Unprocessable where a line was marked up in a way that its text cannot say.

    HTML that shares no line with the text is no edit of it, and becomes Markdown as any other.
    """
    old, ends = line_edit.split_lines(source)
    shown = [convert.clean_lines(line) for line in old]
    new = list(_html_lines(html))
    if _keeps_spaces(shown, new):
        before, after = shown, new
    else:  # the editor joined the spaces of every line, which is no change of the text
        before, after = (
            [_collapse_spaces(line) for line in shown],
            [_collapse_spaces(line) for line in new],
        )
    if set(before).isdisjoint(line for line in after if line):
        return convert.to_markdown(html)
    text = line_edit.join_lines(old, ends, before, after, lambda _, now: [new[at] for at in now])
    return source if text is None else text


def _keeps_spaces(before: list[str], after: list[str]) -> bool:
    spaced = {line for line in before if line != _collapse_spaces(line)}
    return not spaced or not spaced.isdisjoint(after)


def _collapse_spaces(line: str) -> str:
    return " ".join(line.split())


def _html_lines(html: str) -> Iterator[str]:
    """Yield the lines of a text whose HTML is plain lines.

    Other blocks among them become Markdown, with an empty line on either side.
    """
    above = False
    for is_block, piece in _blocks_and_text(_DROPPED.sub("", html)):
        if not piece.strip(" \t\n"):
            continue
        if above:
            yield ""
        yield from (
            convert.to_markdown(piece).strip("\n").split("\n")
            if is_block
            else map(_line_text, _paragraph_lines(piece))
        )
        above = True


def _blocks_and_text(html: str) -> Iterator[tuple[bool, str]]:
    """Yield the HTML in order, parted into blocks such as lists, and what stands between them."""
    depth = at = 0
    for tag in _BLOCK.finditer(html):
        if tag[1]:
            depth -= 1
        if depth == 0 and not tag[1]:
            yield False, html[at : tag.start()]
            at = tag.start()
        if not tag[1] and tag[0][:3].lower() != "<hr":
            depth += 1
        if depth <= 0:
            yield True, html[at : tag.end()]
            at, depth = tag.end(), 0
    yield depth > 0, html[at:]


def _paragraph_lines(html: str) -> list[str]:
    """Return the lines of some paragraphs, as HTML. No text holds a NUL here, so it can stand for
    a line's end.
    """
    html = _BREAK.sub("\0", _AROUND.sub("", html))
    return _DIVISIONS.sub("\0", _PARAGRAPHS.sub("\0\0", html)).replace("\n", " ").split("\0")


def _line_text(html: str) -> str:
    if "<" not in html:
        return unescape(html) if "&" in html else html
    pieces: list[str] = []
    at = 0
    for mark in _INLINE.finditer(html):
        pieces += (_text_between_marks(html[at : mark.start()]), convert.to_markdown(mark[0]))
        at = mark.end()
    return "".join([*pieces, _text_between_marks(html[at:])])


def _text_between_marks(html: str) -> str:
    """Return the text between marks; tags that notes do not know lose only themselves."""
    for tag in _ANY_TAG.findall(html):
        if html_tags.holds_html(tag) and not re.match(r"</?(?:span|p|div)\b", tag, re.IGNORECASE):
            raise Unprocessable(
                f"content holds {tag[:80]} where a note of this size is shown as plain lines, "
                "so its Markdown cannot be told from it: "
                "send the whole text as Markdown, with contentFormat markdown.",
                field="content",
            )
    return unescape(_ANY_TAG.sub("", html))
