"""Markdown tokens to HTML, line for line.

A line feed of the HTML is always a line end of the source.
"""

import re
from collections.abc import Sequence
from functools import cache

import nh3
from markdown_it.rules_inline import StateInline, link_pairs
from markdown_it.token import Token

from app.core.markdown.to_html.dialect import DEEPEST, find_spans, markdown_parser
from app.core.markdown.to_html.html_tags import TAGS

ATTRIBUTES = {"a": {"href", "title"}, "input": {"checked", "disabled"}, "ol": {"start"}}
VALUES = {
    "input": {"type": {"checkbox"}},
    "th": {"align": {"left", "center", "right"}},
    "td": {"align": {"left", "center", "right"}},
}

_TASK = re.compile(r"\[([ xX])\](?:[ \t]+(?=\S)|\Z)")
_INLINE_TAGS = {"em": "em", "strong": "strong", "s": "del"}
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


@cache
def html_cleaner() -> nh3.Cleaner:
    """Return the sanitiser behind the renderer.

    It lets pass what the renderer may emit and nothing else.
    """
    return nh3.Cleaner(
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        tag_attribute_values=VALUES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


def from_markdown(source: str) -> str | None:
    """Return the HTML of a text with plain line feeds, or None for one nested too deep to be
    read.
    """
    try:
        tokens = markdown_parser().parse(source)
    except RecursionError:
        return None
    # what is nested deeper markdown-it leaves out without a word
    if any(token.level >= DEEPEST - 2 for token in tokens):
        return None
    lines = source.count("\n")
    html = html_cleaner().clean(_HtmlWriter(lines).write(tokens))
    # whoever edits a note by its lines relies on this
    return html if html.count("\n") == lines else None


def plain_html(source: str) -> str:
    """Return the lines of a text as HTML without reading any mark."""
    return (
        html_cleaner().clean(f"<p>{escape(source)}</p>".replace("\n", "<br>\n")) if source else ""
    )


def escape(text: str) -> str:
    """Return text as it stands in HTML, between tags or in an attribute."""
    return text.translate(_ESCAPED)


def inline_tokens(markdown: str) -> list[Token]:
    """Return the tokens of the marks within one block of text."""
    parser = markdown_parser()
    return parser.inline.parse(markdown, parser, {}, [])


def ends_open(markdown: str) -> bool:
    """Return whether a mark or link that begins in some lines of a paragraph might end below
    them."""
    if not any(mark in markdown for mark in "*~["):
        return False
    parser = markdown_parser()
    state = StateInline(markdown, parser, {}, [])
    parser.inline.tokenize(state)
    link_pairs(state)
    return bool(find_spans(markdown)[1]) or any(
        mark.open and mark.end < 0 for mark in state.delimiters
    )


def link_tag(href: str, title: str) -> str:
    """Return the start tag of a link."""
    return (
        f'<a href="{escape(href)}" title="{escape(title)}">'
        if title
        else f'<a href="{escape(href)}">'
    )


def inline_html(tokens: Sequence[Token]) -> str:
    """Return the HTML of the marks within one block of text."""
    out: list[str] = []
    for token in tokens:
        if token.type == "text":
            out.append(escape(token.content))
        elif token.type == "softbreak":
            out.append("<br>\n")
        elif token.type == "code_inline":
            out.append(f"<code>{escape(token.content)}</code>")
        elif token.type == "link_open":
            out.append(link_tag(str(token.attrs["href"]), str(token.attrs.get("title", ""))))
        else:
            tag = _INLINE_TAGS.get(token.tag, token.tag)
            out.append(f"</{tag}>" if token.nesting < 0 else f"<{tag}>")
    return "".join(out)


class _HtmlWriter:
    """The HTML written so far, and the source line it has reached."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        self.line = 0
        self.out: list[str] = []

    def write(self, tokens: Sequence[Token]) -> str:
        """Return the HTML of all blocks."""
        for index, token in enumerate(tokens):
            if token.map and token.nesting >= 0:
                self._advance(token.map[0])
            if token.type == "inline":
                self._text(token, in_item=index > 1 and tokens[index - 2].type == "list_item_open")
            elif token.type in ("fence", "code_block"):
                self._code(token)
            elif not token.hidden and not _is_empty_paragraph(tokens, index):
                self._tag(
                    token, spaced=token.tag in ("th", "td") and tokens[index - 1].tag == token.tag
                )
        self._advance(self.lines)
        return "".join(self.out)

    def _advance(self, line: int) -> None:
        if line > self.line:
            self.out.append("\n" * (line - self.line))
            self.line = line

    def _tag(self, token: Token, *, spaced: bool) -> None:
        if token.nesting < 0:
            self.out.append(f"</{token.tag}>")
            return
        attributes = "".join(
            f' {name}="{escape(str(value))}"' for name, value in token.attrs.items()
        )
        self.out.append(f"{' ' if spaced else ''}<{token.tag}{attributes}>")

    def _text(self, token: Token, *, in_item: bool) -> None:
        html = inline_html(token.children or [])
        if in_item and (task := _TASK.match(token.content)):
            html = (
                f'<input type="checkbox"{"" if task[1] == " " else " checked"} disabled> '
                f"{html[task.end() :]}"
            )
        self.out.append(html)
        self.line += html.count("\n")

    def _code(self, token: Token) -> None:
        info, start = token.info.strip(), self.line
        if info:
            self.out.append(f"<div><span>{escape(info)}</span>")
        if token.type == "fence" and token.content:
            self._advance(start + 1)
        content = token.content.removesuffix("\n")
        self.out.append(f"<pre><code>{escape(content)}")
        self.line += content.count("\n")
        if token.content and self.line < self.lines:
            self._advance(self.line + 1)
        self.out.append("</code></pre></div>" if info else "</code></pre>")


def _is_empty_paragraph(tokens: Sequence[Token], index: int) -> bool:
    if tokens[index].tag != "p":
        return False
    text = tokens[index + 1] if tokens[index].nesting > 0 else tokens[index - 1]
    return not text.content
