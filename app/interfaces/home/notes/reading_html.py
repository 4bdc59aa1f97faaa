"""A note's rendered text as a page shows it: links that lead somewhere, pictures, boxes to tick.

The text comes sanitised, with a line feed for each line of its Markdown; so a box knows its line.
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from urllib.parse import quote

_TAG = re.compile(r'(<(?:[^"<>]++|"[^"]*+")*+>)')
_MARKED = re.compile(
    r"""\[\[(?P<wiki>[^\[\]\n]{1,600})\]\]|\bhttps?://(?:[^\s<>"'&]|&amp;){1,2000}"""
    r"|(?<![\w\\])(?P<bars>__?)(?P<stressed>[^\s_](?:[^_\n]{0,500}[^\s_])?)(?P=bars)(?!\w)"
    r"|(?<![\w=])==(?P<lit>[^\s=](?:[^=\n]{0,500}[^\s=])?)==(?![\w=])"
)
"""What the Markdown of the API leaves as text, and readers of other programs' notes know."""
_CALLOUT = re.compile(r"\[!([A-Za-z][\w-]{0,30})\][+-]?[ \t]*")
_CALLOUTS = {
    "careful": "warning caution attention danger error bug failure fail missing important",
    "good": "tip hint success check done",
}
"""The kinds of marked quotes that have a colour of their own, as Obsidian and GitHub name them."""
_HREF = re.compile(r' href="([^"]*)"')
_NOTE = re.compile(r"(?:/api/v1)?/os/notes/(\d{1,15})\Z")
_FILE = re.compile(r"(?:/api/v1)?/os/attachments/(\d{1,15})\Z")
FILES = "/api/v1/os/attachments/"
LONGEST_LABEL = 120


def reading_html(
    html: str,
    *,
    title: str = "",
    known: Mapping[str, int | None] | None = None,
    first_line: int = 0,
    may_tick: bool = False,
) -> str:
    """Return sanitised HTML with its links, pictures and boxes made of use.

    `known` are the notes to which `[[…]]` lead, by what stands in them; None for none. `may_tick`
    makes buttons of boxes, whose value is the line of the text, counted from `first_line`.
    """
    return _Reader(title, known, first_line, may_tick).read(html)


class _Reader:
    """The pieces written so far, and where in the text they are."""

    def __init__(
        self, title: str, known: Mapping[str, int | None] | None, line: int, may_tick: bool
    ) -> None:
        self.title = title
        self.known = known
        self.line = line
        self.may_tick = may_tick
        self.out: list[str] = []
        self.within: list[str] = []
        self.item = -1
        self.quote = -1

    def read(self, html: str) -> str:
        pieces = _TAG.split(html)
        pieces = self._without_title(pieces)
        at = 0
        while at < len(pieces):
            piece = pieces[at]
            if at % 2 == 0:
                self._text(piece)
            elif piece.startswith("<a ") and self._picture(pieces, at):
                at += 2
            else:
                self._tag(pieces, at)
            at += 1
        return "".join(self.out)

    def _without_title(self, pieces: list[str]) -> list[str]:
        """Leave out a first heading that says the title once more."""
        is_first = pieces[1:2] == ["<h1>"] and pieces[3:4] == ["</h1>"] and not pieces[0].strip()
        title = self.title.strip().casefold()
        if not is_first or unescape(pieces[2]).strip().casefold() != title:
            return pieces
        return [pieces[0] + pieces[4], *pieces[5:]]

    def _text(self, text: str) -> None:
        self.line += text.count("\n")
        if text.strip() and self.quote >= 0:
            text = self._callout(text)
        if not {"pre", "code", "a"} & set(self.within):
            text = _MARKED.sub(self._marked, text)
        self.out.append(text)

    def _callout(self, text: str) -> str:
        """Mark a quote that begins with its kind, as `[!tip] Title`."""
        quote, self.quote = self.quote, -1
        found = _CALLOUT.match(text)
        if found is None:
            return text
        kind = found[1].lower()
        look = next((name for name, kinds in _CALLOUTS.items() if kind in kinds.split()), "plain")
        self.out[quote] = f'<blockquote class="callout {look}">'
        return text[found.end() :] or kind.capitalize()

    def _marked(self, match: re.Match[str]) -> str:
        if match["wiki"] is not None:
            return self._wiki(match["wiki"])
        if match["stressed"] is not None:
            tag = "em" if match["bars"] == "_" else "strong"
            return f"<{tag}>{_MARKED.sub(self._marked, match['stressed'])}</{tag}>"
        if match["lit"] is not None:
            return f"<mark>{_MARKED.sub(self._marked, match['lit'])}</mark>"
        # Marks at the end belong to the sentence that the address stands in.
        address = match[0].rstrip(".,;:!?)]*~")
        rest = match[0][len(address) :]
        return f'<a href="{address}" rel="noreferrer" target="_blank">{address}</a>{rest}'

    def _wiki(self, written: str) -> str:
        inner = unescape(written)
        target, bar, shown = inner.partition("|")
        name, _, heading = target.partition("#")
        shown = (shown if bar else target.rpartition("/")[2] or target).strip() or inner
        to = None if self.known is None else self.known.get(target.strip())
        if to is not None:
            return f'<a class="wiki" href="/notes/{to}">{escape(shown)}</a>'
        if not name.strip() and heading:
            return f'<span class="wiki">{escape(shown)}</span>'
        kind = "wiki" if self.known is None else "wiki missing"
        return (
            f'<a class="{kind}" href="/notes/named?to={quote(target, safe="")}">{escape(shown)}</a>'
        )

    def _picture(self, pieces: list[str], at: int) -> bool:
        """Show a link after an exclamation mark as the picture that it leads to, if it is here."""
        if not self.out or not self.out[-1].endswith("!"):
            return False
        self.out[-1] = self.out[-1][:-1]
        href = _HREF.search(pieces[at])
        found = _FILE.search(unescape(href[1])) if href else None
        if found is None or pieces[at + 2] != "</a>":
            return False
        alt = escape(unescape(pieces[at + 1]))
        self.line += alt.count("\n")
        self.out.append(f'<img src="{FILES}{found[1]}" alt="{alt}" loading="lazy">')
        return True

    def _tag(self, pieces: list[str], at: int) -> None:
        tag = pieces[at]
        self.line += tag.count("\n")
        name = re.match(r"</?(\w+)", tag)
        word = name[1] if name else ""
        if word in ("pre", "code", "a"):
            if tag.startswith("</"):
                if word in self.within:
                    self.within.remove(word)
            else:
                self.within.append(word)
        match tag if tag.startswith("</") else word:
            case "a":
                tag = _link(tag)
            case "pre":
                tag = '<pre tabindex="0">'
            case "table":
                tag = '<div class="scroll" tabindex="0"><table>'
            case "</table>":
                tag = "</table></div>"
            case "li":
                self.item = len(self.out)
            case "blockquote":
                self.quote = len(self.out)
            case "input":
                tag = self._box(tag, _label(pieces, at))
        self.out.append(tag)

    def _box(self, tag: str, label: str) -> str:
        done = " checked" in tag
        if 0 <= self.item < len(self.out):
            self.out[self.item] = f'<li class="task{" done" if done else ""}">'
        if not self.may_tick:
            checked = " checked" if done else ""
            return f'<input type="checkbox" disabled{checked} aria-label="{label}">'
        state = "true" if done else "false"
        return (
            f'<button class="tick" role="checkbox" aria-checked="{state}" name="line" '
            f'value="{self.line}" aria-label="{label}"></button>'
        )


def _label(pieces: list[str], at: int) -> str:
    """Return what a box is about: the text beside it."""
    said = ""
    for piece in pieces[at + 1 : at + 40]:
        if piece.startswith(("</li", "<ul", "<ol", "<br")):
            break
        if not piece.startswith("<"):
            said += piece.partition("\n")[0]
            if "\n" in piece:
                break
    return escape(unescape(said).strip()[:LONGEST_LABEL]) or "…"


def _link(tag: str) -> str:
    href = _HREF.search(tag)
    if href is None:
        return tag
    address = unescape(href[1])
    if note := _NOTE.search(address):
        return f'<a class="wiki" href="/notes/{note[1]}">'
    if file := _FILE.search(address):
        return f'<a href="{FILES}{file[1]}">'
    if address.startswith(("http:", "https:")):
        return tag[:-1] + ' rel="noreferrer" target="_blank">'
    return tag
