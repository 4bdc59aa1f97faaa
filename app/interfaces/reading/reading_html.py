"""A note's rendered text as a page shows it: links that lead somewhere, pictures, boxes to tick.

The text comes sanitised, with a line feed for each line of its Markdown; so a box knows its line.
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import unquote

from app.core.process.turns import give_turn
from app.interfaces.reading.allowed_tags import PAIRED, SPLIT_TAGS, allow_tags
from app.interfaces.reading.footnotes import Numbered
from app.interfaces.reading.headings import (
    Anchors,
    Heading,
    fragment_of,
    last_heading,
    outline,
    plain_text,
)
from app.interfaces.reading.leads import Leads
from app.interfaces.reading.text_marks import TextMarks

_EMBEDDED = re.compile(r"!\[\[([^\[\]|\n]{1,600})(?:\|[^\[\]\n]{0,200})?\]\]")
_CALLOUT = re.compile(r"\[!([A-Za-z][\w-]{0,30})\]([+-]?)[ \t]*")
_CALLOUTS = {
    "careful": "warning caution attention danger error bug failure fail missing important",
    "good": "tip hint success check done",
}
"""The kinds of marked quotes that have a colour of their own, as Obsidian and GitHub name them."""
_HREF = re.compile(r' href="([^"]*)"')
_NOTE = re.compile(r"(?:/api/v1)?/os/notes/(\d{1,15})(?:#(.*))?\Z")
_FILE = re.compile(r"(?:/api/v1)?/os/attachments/(\d{1,15})(#.*)?\Z")
_SIZE = re.compile(r"(.*)\|[ \t]*([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?[ \t]*", re.DOTALL)
_NAME = re.compile(r"</?(\w+)")
_BETWEEN_WORDS = frozenset({"em", "strong", "del", "a", "code", "input", *PAIRED})
_NO_MARKS = frozenset({"pre", "code", "a"})
_NO_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_KNOWN = (_BETWEEN_WORDS | _NO_MARKS | _NO_TAGS) - {"input"}
LONGEST_LABEL = 120


class Reading(NamedTuple):
    """A note's text as its reader sees it, and its outline, which is empty for few headings."""

    html: str
    outline: list[Heading]


def reading_html(
    html: str,
    leads: Leads,
    *,
    title: str = "",
    footnotes: Mapping[str, str] | None = None,
    prefix: str = "",
    first_line: int = 0,
    may_tick: bool = False,
) -> Reading:
    """Return sanitised HTML with its links, pictures and boxes made of use.

    `prefix` begins the ids of what the links within lead to. `may_tick` makes buttons of boxes,
    whose value is the line of the text, counted from `first_line`.
    """
    pieces = _without_title(SPLIT_TAGS.split(allow_tags(html)), title)
    reader = _Reader(leads, Anchors(pieces, prefix), Numbered(footnotes or {}, prefix))
    reader.line, reader.may_tick = first_line, may_tick
    return Reading(reader.read(pieces), outline(reader.headings))


def _without_title(pieces: list[str], title: str) -> list[str]:
    """Leave out a first heading that says the title once more."""
    is_first = pieces[1:2] == ["<h1>"] and pieces[3:4] == ["</h1>"] and not pieces[0].strip()
    if not is_first or unescape(pieces[2]).strip().casefold() != title.strip().casefold():
        return pieces
    return [pieces[0] + pieces[4], *pieces[5:]]


class _Reader:
    """The pieces written so far, and where in the text they are."""

    def __init__(self, leads: Leads, anchors: Anchors, footnotes: Numbered) -> None:
        self.leads = leads
        self.anchors = anchors
        self.footnotes = footnotes
        self.marks = TextMarks(leads, anchors, footnotes)
        self.line = 0
        self.may_tick = False
        self.out: list[str] = []
        self.headings: list[tuple[int, str, str]] = []
        self.within: list[str] = []
        self.link_end = "</a>"
        self.item = -1
        self.quote = -1
        self.quote_ends: list[str] = []
        self.heading = 0
        self.in_summary = False

    def read(self, pieces: list[str]) -> str:
        """Return the HTML of all pieces: texts, and the tags between them."""
        at = 0
        while at < len(pieces):
            if at % 2 == 0:
                self._text(pieces, at)
            elif self._embedded(pieces, at) or self._picture(pieces, at):
                at += 2
            else:
                self._tag(pieces, at)
            at += 1
            give_turn()
        return "".join(self.out) + self.footnotes.list()

    def _text(self, pieces: list[str], at: int) -> None:
        text = pieces[at]
        self.line += text.count("\n")
        if text.strip() and self.quote >= 0:
            text = self._callout(text, pieces[at + 1])
        if not _NO_MARKS.intersection(self.within):
            # behind a mark of stress a hash is no tag, as in the index of them
            word = _NAME.match(pieces[at - 1]) if at else None
            is_border = word is None or word[1] not in _BETWEEN_WORDS
            tags = not _NO_TAGS.intersection(self.within)
            text = self.marks.html(text, tags=tags and (is_border or text[:1] != "#"))
        self.out.append(text)

    def _callout(self, text: str, below: str) -> str:
        """Mark a quote that begins with its kind, as `[!tip] Title`; one with a sign can be
        folded.
        """
        quote, self.quote = self.quote, -1
        found = _CALLOUT.match(text)
        if found is None:
            return text
        kind = found[1].lower()
        look = next((name for name, kinds in _CALLOUTS.items() if kind in kinds.split()), "plain")
        if found[2] and self.out[-1] == "<p>":
            state = " open" if found[2] == "+" else ""
            self.out[quote] = f'<details class="callout {look}"{state}>'
            self.out[-1] = "<summary>"
            self.quote_ends[-1] = "</details>"
            self.in_summary = True
        else:
            self.out[quote] = f'<blockquote class="callout {look}">'
        return text[found.end() :] or (kind.capitalize() if below in ("<br>", "</p>") else "")

    def _embedded(self, pieces: list[str], at: int) -> bool:
        """Show a paragraph that is `![[…]]` alone as the text of that note."""
        found = _EMBEDDED.fullmatch(pieces[at + 1]) if pieces[at] == "<p>" else None
        if found is None or pieces[at + 2] != "</p>":
            return False
        shown = self.leads.embedded(unescape(found[1]).strip())
        if shown:
            self.out.append(
                f'<blockquote class="embed"><p>{self.marks.link(found[1])}</p>{shown}</blockquote>'
            )
        return bool(shown)

    def _picture(self, pieces: list[str], at: int) -> bool:
        """Show a link after an exclamation mark as the picture that it leads to, if it is here."""
        if not pieces[at].startswith("<a ") or not self.out[-1].endswith("!"):
            return False
        self.out[-1] = self.out[-1][:-1]
        href = _HREF.search(pieces[at])
        found = _FILE.search(unescape(href[1])) if href else None
        if found is None or pieces[at + 2] != "</a>":
            return False
        alt, size = unescape(pieces[at + 1]), ""
        self.line += alt.count("\n")
        if sized := _SIZE.fullmatch(alt):
            alt = sized[1]
            size = f' width="{sized[2]}"' + (f' height="{sized[3]}"' if sized[3] else "")
        address = self.leads.file(int(found[1]))
        self.out.append(
            f'<img src="{escape(address)}" alt="{escape(alt)}"{size} loading="lazy">'
            if address
            else escape(alt)
        )
        return True

    def _tag(self, pieces: list[str], at: int) -> None:
        tag = pieces[at]
        self.line += tag.count("\n")
        name = _NAME.match(tag)
        word = name[1] if name else ""
        if word in _KNOWN:
            if not tag.startswith("</"):
                self.within.append(word)
            elif word in self.within:
                self.within.remove(word)
        match tag if tag.startswith("</") else word:
            case "a":
                tag = self._link(tag)
            case "</a>":
                tag, self.link_end = self.link_end, "</a>"
            case "pre":
                tag = '<pre tabindex="0">'
            case "table":
                tag = '<div class="scroll" tabindex="0"><table>'
            case "</table>":
                tag = "</table></div>"
            case "li":
                self.item = len(self.out)
            case "input":
                tag = self._box(tag, _label(pieces, at))
            case "blockquote" | "</blockquote>":
                tag = self._quote(tag)
            case "br" | "</p>" if self.in_summary:
                tag = self._title_end(tag)
            case _ if word in _NO_TAGS:
                tag = self._heading(tag, word)
        self.out.append(tag)

    def _quote(self, tag: str) -> str:
        if tag.startswith("</"):
            return self.quote_ends.pop()
        self.quote = len(self.out)
        self.quote_ends.append("</blockquote>")
        return tag

    def _title_end(self, tag: str) -> str:
        """End the line above a quote that is folded, unless a mark goes on over its end."""
        if tag != "</p>" and _BETWEEN_WORDS.intersection(self.within):
            return tag
        self.in_summary = False
        return "</summary>" if tag == "</p>" else "</summary><p>"

    def _heading(self, tag: str, word: str) -> str:
        if tag.startswith("</"):
            id_ = self.anchors.next_id()
            self.out[self.heading] = f'<{word} id="{id_}">'
            shown = plain_text(self.out[self.heading + 1 :])
            self.headings.append((int(word[1]), id_, shown))
        else:
            self.heading = len(self.out)
        return tag

    def _link(self, tag: str) -> str:
        href = _HREF.search(tag)
        if href is None:
            return tag
        address = unescape(href[1])
        if address.startswith("#"):
            id_ = self.anchors.find(address[1:])
            return f'<a class="wiki" href="#{id_}">' if id_ else tag
        if note := _NOTE.search(address):
            kind = ' class="wiki"'
            address = self.leads.note(
                int(note[1]), fragment_of(last_heading(unquote(note[2] or "")))
            )
        elif file := _FILE.search(address):
            kind, address = "", self.leads.file(int(file[1]))
            address += (file[2] or "") if address else ""
        elif address.startswith(("http:", "https:")):
            return tag[:-1] + ' rel="noreferrer" target="_blank">'
        else:
            return tag
        if address:
            return f'<a{kind} href="{escape(address)}">'
        self.link_end = "</span>"
        return "<span>"

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
