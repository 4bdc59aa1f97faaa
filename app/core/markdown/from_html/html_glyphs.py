"""A line as glyphs: its characters with the marks and the link they stand in, for comparing."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from app.core.markdown.from_html.html_runs import SPACE, Run

_LINK = "\x01"
_TAGS = {"em": "em", "strong": "strong", "s": "del"}


@dataclass(frozen=True)
class Glyph:
    """A character, a piece of code, a break or the beginning of a link, with the marks on it and
    the link that it is in.
    """

    kind: str  # text, code, break or link
    text: str
    marks: frozenset[str]
    link: tuple[int, str, str] | None

    def seen(self) -> tuple[str, str, frozenset[str], tuple[int, str, str] | None]:
        """Return what a reader sees of it: on a space or a link's beginning no mark is seen."""
        bare = self.kind in ("link", "break") or not self.text.strip(SPACE)
        return self.kind, self.text, frozenset() if bare else self.marks, self.link

    def is_word(self) -> bool:
        """Return whether this is neither white space nor punctuation, as CommonMark parts them."""
        return (
            self.kind == "text"
            and not self.text.isspace()
            and unicodedata.category(self.text)[0] not in "PS"
        )


def glyphs_of_runs(runs: Sequence[Run]) -> list[Glyph]:
    """Return the glyphs of a run."""
    return list(_glyphs_of_steps((run.kind, run.text, run.href, run.title) for run in runs))


def glyphs_of_tokens(tokens: Sequence[Token]) -> list[Glyph]:
    """Return the glyphs that the tokens of a Markdown text show."""
    return list(_glyphs_of_steps(_step(token) for token in tokens))


def looks_same(ours: Sequence[Glyph], theirs: Sequence[Glyph]) -> bool:
    """Return whether a reader sees the same in both."""
    return len(ours) == len(theirs) and all(
        one.seen() == other.seen() for one, other in zip(ours, theirs, strict=True)
    )


def _step(token: Token) -> tuple[str, str, str, str]:
    if token.type == "text":
        return "text", token.content, "", ""
    if token.type == "code_inline":
        return "code", token.content, "", ""
    if token.type == "softbreak":
        return "break", "", "", ""
    kind = "open" if token.nesting > 0 else "close"
    return (
        kind,
        _TAGS.get(token.tag, token.tag),
        str(token.attrs.get("href", "")),
        str(token.attrs.get("title", "")),
    )


def _glyphs_of_steps(steps: Iterator[tuple[str, str, str, str]]) -> Iterator[Glyph]:
    open_: list[str] = []
    link: tuple[int, str, str] | None = None
    links = 0
    for kind, text, href, title in steps:
        marks = frozenset(open_)
        if kind == "text":
            yield from (Glyph("text", character, marks, link) for character in text)
        elif kind in ("code", "break"):
            yield Glyph(kind, text, marks, link)
        elif text == "a":
            link, links = ((links, href, title), links + 1) if kind == "open" else (None, links)
            if kind == "open":
                yield Glyph("link", _LINK, marks, link)
        elif kind == "open":
            open_.append(text)
        elif text in open_:
            open_.remove(text)
