"""Parse HTML to a tree of the elements that Markdown has marks for, with their lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape

import nh3

from app.core.markdown.from_html import html_losses
from app.core.process.turns import give_turn

DEEPEST = 2_000  # elements open at once; deeper text is read without its tags

BLOCKS = frozenset(
    (
        "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr table thead tbody tfoot tr th td caption"
    ).split()
)
DIVISIONS = frozenset(
    (
        "address article aside body dd details dialog div dl dt fieldset figcaption figure footer "
        "form header main nav section summary"
    ).split()
)
_RENAMED = {
    "b": "strong",
    "i": "em",
    "s": "del",
    "strike": "del",
    "ins": "u",
    "cite": "em",
    "dfn": "em",
    "var": "em",
    "kbd": "code",
    "samp": "code",
    "tt": "code",
}
MEDIA = frozenset(["iframe", "video", "audio", "embed"])
UNMARKED = {
    "u": "underline",
    "mark": "highlighting",
    "small": "font sizes",
    "big": "font sizes",
    "font": "fonts",
}
_INLINE = frozenset("a br code del em img input q span strong sub sup".split()) | {
    *UNMARKED,
    *MEDIA,
}
_CODE = {"class", "data-language", "data-lang", "lang"}
_CELL = {"colspan", "rowspan"}
_ATTRIBUTES = {
    "*": {"style"},
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start", "data-checked"},
    "ul": {"data-checked"},
    "li": {"aria-checked", "class", "data-checked", "data-list"},
    "input": {"checked"},
    "pre": _CODE,
    "code": _CODE,
    "div": _CODE,
    "td": _CELL,
    "th": _CELL,
    **{tag: {"src", "title"} for tag in MEDIA},
}
_STYLES = set(
    (
        "background background-color color font-size font-style font-weight text-align "
        "text-decoration text-decoration-line vertical-align"
    ).split()
)
# Links of other schemes than the dialect's are read too, so that it can be said that they were not
# kept.
_SCHEMES = {"http", "https", "mailto", "tel", "sms", "ftp", "file", "data", "obsidian"}
_VALUES = {
    "input": {"type": {"checkbox"}},
    **{tag: {"align": {"left", "center", "right"}} for tag in ("th", "td")},
}
_VOID = frozenset(["br", "embed", "hr", "img", "input"])
_DROPPED = {"script", "style", "template", "title"}

_TOKEN = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>|([^<]+)")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')
_NESTING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements without an end tag, or that need none: counted, a flat list of them would look deep.
_CLOSED_BY_NEXT = frozenset(
    (
        "area base br col dd dt embed hr img input link meta option p param source tbody td th "
        "thead tr track wbr"
    ).split()
)
_DRAWN = {
    "formulas": re.compile(r"<math\b", re.IGNORECASE),
    "drawings": re.compile(r"<(?:svg|canvas|object)\b", re.IGNORECASE),
}
_MARKUP = re.compile(r"</?(?!(?:script|style)\b)[a-zA-Z][^<>]*>")


@dataclass
class Node:
    """An element or a text: what it holds, and the lines (from 0) where its text starts and
    ends.
    """

    tag: str  # empty for text
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Node"] = field(default_factory=list)
    words: str = ""
    start: int = 0
    end: int = 0
    after: int = 0  # line ends between this element and whatever comes next
    at_end: bool = False  # nothing comes next
    follower: "Node | None" = None  # what comes next
    broken: bool = False  # an inline element that holds a block, and so marks nothing

    def text(self) -> str:
        """Return all the text inside."""
        return "".join("\n" if node.tag == "br" else node.words for node in self.walk())

    def walk(self) -> Iterator["Node"]:
        """Yield this and everything inside in order, however deep."""
        rest = [self]
        while rest:
            node = rest.pop()
            yield node
            rest.extend(node.children[::-1])

    def is_block(self) -> bool:
        """Return whether this stands on lines of its own."""
        return self.tag in BLOCKS or self.tag in DIVISIONS

    def is_inline(self) -> bool:
        """Return whether this stands in a line of text."""
        return not self.is_block() and not self.broken

    def is_blank(self) -> bool:
        """Return whether this is white space."""
        return not self.tag and not self.words.strip(" \t\n")


def parse(html: str) -> Node:
    """Return the tree of an HTML text, read as a browser would.

    Scripts, styles and comments are gone.
    """
    if _nesting_depth(html) > DEEPEST:
        html = _MARKUP.sub("\n", html)
    for what, pattern in _DRAWN.items():
        if pattern.search(html):
            html_losses.note_loss(what)
    return _Builder().build(_cleaner().clean(html))


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags={*BLOCKS, *DIVISIONS, *_INLINE, *_RENAMED},
        attributes=_ATTRIBUTES,
        tag_attribute_values=_VALUES,
        url_schemes=_SCHEMES,
        filter_style_properties=_STYLES,
        link_rel=None,
        clean_content_tags=_DROPPED,
    )


def _nesting_depth(html: str) -> int:
    depth = deepest = 0
    for token in _NESTING.finditer(html):
        end, tag = token.groups()
        if tag.lower() not in _CLOSED_BY_NEXT:
            depth = max(depth - 1, 0) if end else depth + 1
            deepest = max(deepest, depth)
    return deepest


class _Builder:
    """The elements open at this point of the text, and the line it has reached."""

    def __init__(self) -> None:
        self.open = [Node("body")]
        self.line = 0
        self.finished: list[Node] = []  # closed elements that nothing has followed yet

    def build(self, html: str) -> Node:
        """Return the root of the tree."""
        for token in _TOKEN.finditer(html):  # one by one, for other threads to get their turn
            give_turn()
            end, tag, attributes, text = token.groups()
            if text:
                self._text(unescape(text))
            elif end:
                self._close()
            else:
                self._start(_RENAMED.get(tag, tag), attributes)
        for node in self.finished:
            node.at_end = True
        self._settle()
        self.open[0].end = self.line
        return self.open[0]

    def _text(self, text: str) -> None:
        node = Node("", words=text)
        self.open[-1].children.append(node)
        bare = text.lstrip(" \t\n")
        self.line += text[: len(text) - len(bare)].count("\n")
        node.start, node.end = self.line, self.line + bare.rstrip(" \t\n").count("\n")
        if bare:
            self._settle()
        self.line += bare.count("\n")

    def _settle(self, follower: Node | None = None) -> None:
        for node in self.finished:
            node.after, node.follower = self.line - node.end, follower
        self.finished.clear()

    def _start(self, tag: str, attributes: str) -> None:
        pairs = {name: unescape(value) for name, value in _ATTRIBUTE.findall(attributes)}
        node = Node(tag, pairs, start=self.line, end=self.line)
        self._settle(node)
        if tag in BLOCKS or tag in DIVISIONS:
            self._break_marks()
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def _break_marks(self) -> None:
        for node in reversed(self.open):
            if node.tag not in _INLINE or node.broken:
                return
            node.broken = True

    def _close(self) -> None:
        node = self.open.pop()
        node.end = self.line
        if node.tag == "pre" and node.text().endswith("\n"):
            node.end -= 1
        self.finished.append(node)
