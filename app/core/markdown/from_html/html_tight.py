"""Lists whose items an editor makes paragraphs whatever they were, as the text before had them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from app.core.process.turns import give_turn

_RENDERED = re.compile(
    r"<li>(<p>)?(?:<input [^>]*>)?([^\n]*?)(?=</?(?:p|li|ul|ol|br|pre|div)\b|\n|\Z)"
)
_ANY_TAG = re.compile(r"<[^>]*>")
_INLINE = "a|b|strong|i|em|s|del|u|mark|code|span|input|label"
_WRITTEN_TIGHT = re.compile(
    rf"<li\b[^>]*>\s*(?:<(?:{_INLINE})\b[^>]*>(?:</[a-z]+>)?\s*)*[^<\s]", re.IGNORECASE
)
_TAG = re.compile(r"<(/?)(ul|ol|blockquote|table|li|p|br)\b[^>]*>", re.IGNORECASE)


class Known:
    """How the items of a text's lists stood, by what they say: tight or loose."""

    def __init__(self, rendered: str) -> None:
        self.tight: set[str] = set()
        self.loose: set[str] = set()
        for item in _RENDERED.finditer(rendered):  # one by one, for other threads to get their turn
            (self.loose if item[1] else self.tight).add(_words(item[2]))
            give_turn()

    def is_tight(self, items: list[str]) -> bool:
        """Return whether a list of these items is to be tight.

        As most of them were, and for new ones as all lists of the text are.
        """
        found = sum((item in self.tight) - (item in self.loose) for item in items)
        return found > 0 or (found == 0 and not self.loose)


@dataclass
class _List:
    """A list that is open, or what hides paragraphs from the one around.

    With the paragraphs of its items, and whether one has several, which makes a list loose.
    """

    hides: bool
    paragraphs: list[tuple[re.Match[str], re.Match[str], str]] = field(default_factory=list)
    in_item: int = 0  # paragraphs of the item so far
    loose: bool = False


def tighten_lists(html: str, rendered: str) -> str:
    """Return an editor's HTML with the lists tight that are in `rendered`, the text as it was.

    That is where the editor makes every item a paragraph and so cannot say it.
    """
    if "<li" not in html or _WRITTEN_TIGHT.search(html):
        return html
    known = Known(rendered)
    if not known.tight:
        return html
    gone = sorted(_gone_tags(html, known))
    ends = [0, *(end for _, end in gone)]
    starts = [*(start for start, _ in gone), len(html)]
    return "".join(html[end:start] for end, start in zip(ends, starts, strict=True))


def _gone_tags(html: str, known: Known) -> Iterator[tuple[int, int]]:
    """Yield where the tags of paragraphs stand that are none in a tight list."""
    open_: list[_List] = []
    begun: re.Match[str] | None = None
    first_break = 0
    for tag in _TAG.finditer(html):
        end, name = tag[1], tag[2].lower()
        if name in ("ul", "ol", "blockquote", "table"):
            give_turn()
            if not end:
                open_.append(_List(hides=name not in ("ul", "ol")))
            elif open_ and _is_tight(open_[-1], known):
                yield from (tag.span() for pair in open_.pop().paragraphs for tag in pair[:2])
            elif open_:
                open_.pop()
        elif not open_ or open_[-1].hides:
            continue
        elif name == "li":
            open_[-1].in_item = 0
        elif name == "br":
            first_break = first_break or tag.start()
        elif not end:
            begun, first_break = tag, 0
            open_[-1].in_item += 1
            open_[-1].loose = open_[-1].loose or open_[-1].in_item > 1
        elif begun:
            said = _words(html[begun.end() : first_break or tag.start()])
            open_[-1].paragraphs.append((begun, tag, said))
            begun = None


def _is_tight(it: _List, known: Known) -> bool:
    items = [said for _, _, said in it.paragraphs]
    return bool(items) and not it.loose and known.is_tight(items)


def _words(html: str) -> str:
    return " ".join(unescape(_ANY_TAG.sub("", html)).split())
