"""Footnotes: `[^name]: text` on lines of their own, and `[^name]` where they belong."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from app.core.markdown import blocks

MOST = 500
_DEFINITION = re.compile(
    r"^ {0,3}\[\^(?P<name>[^\[\]\s]{1,60})\]:[ \t]*(?P<first>[^\r\n]*)"
    r"(?P<rest>(?:\r?\n(?:[ \t]*\r?\n){0,3}(?: {2,8}|\t)[^\r\n]+)*)",
    re.MULTILINE,
)
_INDENT = re.compile(r"^(?: {1,4}|\t)", re.MULTILINE)
_NO_LINE_END = re.compile(r"[^\r\n]+")


class Footnotes(NamedTuple):
    """A text whose footnotes are empty lines, and what they say by their names."""

    text: str
    said: dict[str, str]


def split_footnotes(text: str) -> Footnotes:
    """Return a text and its footnotes; the lines of the text stay lines."""
    said: dict[str, str] = {}
    if "[^" not in text:
        return Footnotes(text, said)
    code = blocks.code_blocks(text)

    def take(found: re.Match[str]) -> str:
        name = found["name"].casefold()
        if name in said or len(said) == MOST or blocks.is_within(code, found.start()):
            return found[0]
        said[name] = f"{found['first']}{_INDENT.sub('', found['rest'])}".strip()
        return _NO_LINE_END.sub("", found[0])

    return Footnotes(_DEFINITION.sub(take, text), said)


class Numbered:
    """The footnotes of a page, numbered as they are referred to; `prefix` begins each id."""

    def __init__(self, said: Mapping[str, str], prefix: str = "") -> None:
        self._said = said
        self._prefix = prefix
        self._numbers: dict[str, int] = {}

    def mark(self, written: str) -> str | None:
        """Return the HTML of a reference; None where there is no such footnote."""
        name = written.casefold()
        if name not in self._said:
            return None
        is_first = name not in self._numbers
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        foot = f"{self._prefix}foot-{number}"
        id_ = f' id="{foot}-from"' if is_first else ""
        return f'<sup><a href="#{foot}"{id_} role="doc-noteref">{number}</a></sup>'

    def list(self) -> str:
        """Return the HTML of all footnotes, those that nothing refers to last."""
        order = [*self._numbers, *(name for name in self._said if name not in self._numbers)]
        items = []
        for number, name in enumerate(order, 1):
            foot = f"{self._prefix}foot-{number}"
            back = f' <a href="#{foot}-from" role="doc-backlink">↩</a>'
            said = self._said[name] + (back if name in self._numbers else "")
            items.append(f'<li id="{foot}">{said}</li>')
        return f'<ol class="footnotes">{"".join(items)}</ol>' if items else ""
