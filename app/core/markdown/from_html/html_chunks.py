"""Where the HTML of a long text may be cut so that a browser reads each part as in the whole."""

import re

from app.core.process.turns import give_turn

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_GROUPS = frozenset(["ul", "ol", "blockquote", "pre", "table", "div", "section", "figure"])
_STARTS = _HEADINGS | _GROUPS | {"p", "hr", "article", "aside", "main"}
"""The blocks that HTML is cut before, where none is open."""
_WITHIN = frozenset(
    ["li", "thead", "tbody", "tr", "td", "th", "caption", "colgroup", "col", "figcaption"]
)
_MARKS = frozenset(["a", "b", "strong", "i", "em", "s", "del", "strike", "u", "mark", "code"])
_INLINE = _MARKS | {"span", "sub", "sup", "br", "img", "input", "label", "small", "kbd", "samp"}
_VOID = frozenset(["br", "hr", "img", "input", "col"])
_HOLDS_TEXT = (_INLINE | _HEADINGS | {"p"}) - _VOID
_TAG = re.compile(
    r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*+)"
    r"(?:\s++[a-zA-Z_][\w:.-]*+(?:=(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+\s*+/?>)?+"
)


def cut_html(html: str) -> list[str]:
    """Return HTML cut before blocks that stand in nothing.

    In one where tags are missing, cross or are others than those of text, since what a browser
    makes of them may reach further than they do.
    """
    starts = [0]
    open_: list[str] = []
    for tag in _TAG.finditer(html):
        end, name = tag.groups()
        if name is None:
            return [html]
        name = name.lower()
        if end:
            if not open_ or open_.pop() != name:
                return [html]
        elif name in _STARTS or name in _WITHIN:
            if open_ and open_[-1] in _HOLDS_TEXT:
                return [html]
            if not open_ and name in _STARTS and tag.start():
                starts.append(tag.start())
                give_turn()
            if name not in _VOID:
                open_.append(name)
        elif name not in _INLINE:
            return [html]
        elif name not in _VOID:
            open_.append(name)
    return (
        [html]
        if open_
        else [html[a:b] for a, b in zip(starts, [*starts[1:], len(html)], strict=True)]
    )
