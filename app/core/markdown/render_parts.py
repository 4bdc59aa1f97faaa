"""Render a long text by parts, cached by content, so that an edit renders only what is new."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.core.markdown import convert, render_cuts
from app.core.markdown.render_cuts import Block, Cut
from app.core.process.caches import Kept
from app.core.process.turns import give_turn

LONG = 10_000
"""Texts of so many characters are kept.

Shorter ones render in some milliseconds, and would push out those that are worth it.
"""
MOST_KEPT = 6_000_000
"""Characters of parts with their renderings.

Some ten notes of 250 KB that someone reads and edits.
"""

OPENINGS: dict[Block, str] = {
    "list": ">",
    "loose list": "</li>\n\n",
    "table": "<tbody>",
    "quote": ">",
    "paragraph": ">",
}
"""Where what a part lacks ends: the tags of its block, with the head that it was put under."""
CLOSINGS: dict[Block, str] = {
    "list": "</ul>",
    "loose list": "</ul>",
    "table": "</tbody></table>",
    "quote": "</blockquote>",
    "paragraph": "</p>",
}
"""The tags that end a block; those of ordered lists are as long."""


class Part(NamedTuple):
    """A piece of a text, as it was given, with its HTML; `plain` when its marks were not read.

    Where a block goes on from part to part, `above` and `below` are the cuts, `opening` and
    `closing` the tags of the block that the HTML of this part lacks.
    """

    source: str
    html: str
    plain: bool = False
    above: Cut = Cut(0)
    below: Cut = Cut(0)
    opening: str = ""
    closing: str = ""


_parts: Kept[Part] = Kept(MOST_KEPT, lambda _, part: len(part.source) + len(part.html))
_texts: Kept[list[Part]] = Kept(MOST_KEPT // 2, lambda text, _: len(text))
_cuts: Kept[list[Cut]] = Kept(MOST_KEPT // 2, lambda text, _: len(text))


def parts_of(text: str) -> list[Part]:
    """Return the parts of a text in order.

    A text that would take too long to read is one part of plain lines.
    """
    if len(text) < LONG:
        return list(render_each(text))
    found = _texts.get(text)
    if found is None:
        found = list(render_each(text))
        _texts.put(text, found)
    return found


def cuts_of(text: str) -> list[Cut]:
    """Return where a text may be cut so that each part renders as it does in the whole."""
    if len(text) < LONG:
        return render_cuts.find_cuts(text)
    # An edit looks for them to check itself, and whoever shows the edited text again: 50 ms each
    # of 500 KB.
    found = _cuts.get(text)
    if found is None:
        found = render_cuts.find_cuts(text)
        _cuts.put(text, found)
    return found


def render(markdown: str) -> str:
    """Return the HTML of a Markdown text, with one line of HTML text for each line of the source.

    Text that would take too long to read, or is nested too deep, is shown as plain lines.
    """
    return join_html(render_each(markdown))


def render_each(text: str) -> Iterator[Part]:
    """Return the parts of a text one by one.

    A text that would take too long to read is one part of plain lines.
    """
    return (
        iter([Part(text, convert.render_plain(text), plain=True)])
        if convert.is_heavy(text)
        else render_marked(text)
    )


def render_marked(text: str) -> Iterator[Part]:
    """Yield the parts of a text however long it is.

    Those of a long one are kept by themselves, for texts that share them.
    """
    keep, above = len(text) >= LONG, Cut(0)
    for cut in (*cuts_of(text), Cut(len(text))):
        source = text[above.at : cut.at]
        key = f"{above.head}\0{source}" if above.head else source
        part = _parts.get(key) if keep else None
        if part is None:
            shown = convert.render_marks(above.head + source)
            part = Part(
                source,
                convert.render_plain(source) if shown is None else shown,
                plain=shown is None,
            )
            if keep:
                _parts.put(key, part)
        yield _within(part, above, cut)
        give_turn()
        above = cut


def _within(part: Part, above: Cut, below: Cut) -> Part:
    """Return a part without the tags of the block that has begun above it or goes on below."""
    if part.plain:
        return part._replace(above=above, below=below)
    shown, opening, closing = part.html, "", ""
    if above.within:
        opening = shown[: _end(shown, OPENINGS[above.within])]
        shown = shown[len(opening) :]
    if below.within:
        tags = shown.rstrip("\n")  # line ends that code at the end of an item has within itself
        closing = tags[-len(CLOSINGS[below.within]) :]
        shown = tags.removesuffix(closing) + joint(below) + shown[len(tags) :]
    return part._replace(html=shown, above=above, below=below, opening=opening, closing=closing)


def _end(shown: str, tag: str) -> int:
    return shown.index(tag) + len(tag)


def joint(cut: Cut) -> str:
    """Return what stands in HTML at a cut, before the end of the line."""
    return "<br>" if cut.within == "paragraph" else ""


def known_html(text: str) -> str | None:
    """Return the HTML of a text that was rendered a short while ago."""
    found = _texts.get(text)
    return None if found is None else join_html(found)


def join_html(parts: Iterable[Part]) -> str:
    """Return the HTML of parts that stand one after another."""
    return "".join(part.html for part in parts)
