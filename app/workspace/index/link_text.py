"""The links and tags that a note's text holds.

Reading them, and rewriting those that lead to a title.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from app.core.markdown import blocks, front_matter
from app.core.text import fold_name

Kind = Literal["wiki", "note", "tag", "alias"]
MOST = 10_000
MOST_ALIASES = 50
LONGEST_ALIAS = 255
ENDING = ".md"
# Each slash and hash of a link doubles the ways to read it; these many are looked at.
MOST_SLASHES = 4
MOST_HASHES = 3
WIKI_MARKS = re.compile(r"[\[\]|\x00-\x1f]")
# How far back is looked for the beginning of an address, of a link's text, of a line: without a
# bound a text of one long line would be read again for each of its links.
_ADDRESS_BEFORE = 300
_SHOWN_BEFORE = 300
_LINE_BEFORE = 400
_WIKI = re.compile(r"\[\[([^\[\]\n]{1,800})\]\]")
_NOTE = re.compile(r"(?:hearth:note/|/os/notes/)([1-9][0-9]{0,15})(?![\w/-])")
_ADDRESS_ENDS = " \t\r\n()<>[]\"'`,;"
_BEFORE_ADDRESS = re.compile(r"(?:https?://.+|/api/v[0-9]+)?")
_HAS_TAG = re.compile(r"#\w")
# Begins with the hash and looks back only then: re skips fast to a fixed first letter.
_TAG = re.compile(r"#(?<![^\s(,;]#)(\w[\w/-]{0,63})(?![\w/-])")
# Of a link's address, which an anchor may be.
_DEFINITION = re.compile(r"[ \t>]*\[[^\]\n]+\]:[ \t]*")


class Link(msgspec.Struct, frozen=True):
    """A link or tag: what it leads to (a title with its path and heading, a note's number, a
    tag), what is shown, and where it stands.
    """

    kind: Kind
    target: str
    shown: str
    start: int
    end: int


class Target(NamedTuple):
    """One way to read what a link or tag leads to, or an alias by which links lead to the text.

    Folded title (or number, tag, alias), and folded path of its folder, empty for any.
    """

    kind: Kind
    name: str
    path: str = ""


def may_hold_links(text: str) -> bool:
    """Check quickly whether it is worth reading a text for links, tags and aliases."""
    return (
        "[[" in text
        or _may_have_aliases(text)
        or "/os/notes/" in text
        or "hearth:note/" in text
        or _HAS_TAG.search(text) is not None
    )


def find_links(text: str) -> list[Link]:
    """Return the links and tags of a text in order, of each kind the first 10,000.

    None in code, and no tags in headings, addresses and definitions.
    """
    if not may_hold_links(text):
        return []
    every = (_wiki_links(text), _note_addresses(text), _find_tags(text))
    found = sorted(
        (link for each in every for link in itertools.islice(each, MOST)),
        key=lambda link: link.start,
    )
    code = blocks.code_spans(text) if found else []
    titles = (
        [(line.start, line.end) for line in blocks.headings(text)]
        if any(link.kind == "tag" and _may_be_in_heading(text, link.start) for link in found)
        else []
    )
    kept: list[Link] = []
    for link in found:
        if (
            (kept and link.start < kept[-1].end)
            or blocks.is_within(code, link.start)
            or (link.kind == "tag" and blocks.is_within(titles, link.start))
        ):
            continue
        kept.append(link)
    return kept


def first(text: str, leads: Callable[[Link], bool]) -> Link | None:
    """Return the first link to a note, of those `find_links` would return, that leads somewhere.

    The blocks of the text are read only for what leads there: 200 notes are looked through for
    the backlinks of one.
    """
    code = _CodeBlocks(text)
    above: Link | None = None
    for link in sorted([*_wiki_links(text), *_note_addresses(text)], key=lambda link: link.start):
        # A link within another is none, unless that other is code.
        if above is not None and link.start < above.end and not code.holds(above.start):
            continue
        if leads(link) and not code.holds(link.start):
            return link
        above = link
    return None


def link_targets(text: str) -> set[Target]:
    """Return all that the links and tags of a text may lead to, in each way to read them, and by
    which aliases others lead to it.
    """
    found = {target for link in find_links(text) for target in link_readings(link)}
    return found | {Target("alias", fold_name(alias)) for alias in aliases_of(text)}


def aliases_of(text: str) -> list[str]:
    """Return the other names that a text has in its front matter, as `aliases: [Küche, kitchen]`
    of Obsidian.
    """
    if not _may_have_aliases(text) or (found := front_matter.find_block(text)) is None:
        return []
    fields = front_matter.read_fields(found[1])[0]
    names: list[str] = []
    for field in ("aliases", "alias"):
        value = fields.get(field)
        listed = value.split(",") if isinstance(value, str) else value
        names += [
            name
            for each in (listed if isinstance(listed, list) else [])
            if isinstance(each, str) and 0 < len(name := " ".join(each.split())) <= LONGEST_ALIAS
        ]
    return names[:MOST_ALIASES]


def link_readings(link: Link) -> list[Target]:
    """Return the ways to read a link, the first to be tried first.

    A title may itself hold a slash or a hash.
    """
    if link.kind != "wiki":
        return [Target(link.kind, fold_name(link.target))]
    return [
        Target("wiki", fold_name(title), fold_name(path))
        for path, title, _ in _split_target(link.target)
    ]


def link_heading(link: Link) -> str:
    """Return what follows the first hash of a link to a title; empty without one."""
    return link.target.partition("#")[2].strip() if link.kind == "wiki" else ""


def rewrite_links(text: str, new_title: Callable[[Target], str | None]) -> str:
    """Return the text with another title in each link of which a reading has a new one.

    Paths, headings and shown text stay.
    """
    parts, end = [], 0
    for link in find_links(text):
        if link.kind == "wiki" and (inner := _rename_link(link, new_title)) is not None:
            _, bar, shown = _split_at_bar(text[link.start + 2 : link.end - 2])
            parts += [text[end : link.start], "[[", inner, bar, shown, "]]"]
            end = link.end
    return "".join([*parts, text[end:]])


def without_md_ending(title: str) -> str:
    """Return a title without the `.md` of the file it may come from: a link may leave that out."""
    return title[:-3] if len(title) > 3 and title[-3:].lower() == ENDING else title


def line_numbers(text: str, places: Sequence[int]) -> list[int]:
    """Return the numbers, from 1, of the lines in which ascending places stand.

    Lines end in LF, CRLF or CR.
    """
    numbers, number, at = [], 1, 0
    has_returns = "\r" in text
    for place in places:
        number += text.count("\n", at, place)
        if has_returns:
            number += text.count("\r", at, place) - text.count("\r\n", at, place)
        at = place
        numbers.append(number)
    return numbers


def _may_have_aliases(text: str) -> bool:
    return text[:4].lstrip("\ufeff")[:3] == "---" and "alias" in text[: front_matter.LARGEST]


def _wiki_links(text: str) -> Iterator[Link]:
    for match in _WIKI.finditer(text):
        target, bar, shown = _split_at_bar(match[1])
        target = target.strip()
        if target:
            yield Link("wiki", target, shown.strip() if bar else target, match.start(), match.end())


def _note_addresses(text: str) -> Iterator[Link]:
    """Return the addresses of notes, bare or in a Markdown link."""
    if "/os/notes/" not in text and "hearth:note/" not in text:
        return
    for match in _NOTE.finditer(text):
        before = text[max(0, match.start() - _ADDRESS_BEFORE) : match.start()]
        address = before[1 + max(before.rfind(mark) for mark in _ADDRESS_ENDS) :]
        if not _BEFORE_ADDRESS.fullmatch(address) or (match[0][0] == "h" and address):
            continue
        start = match.start() - len(address)
        yield Link(
            "note",
            match[1],
            _markdown_link_text(text, start) or text[start : match.end()],
            start,
            match.end(),
        )


def _markdown_link_text(text: str, address: int) -> str:
    """Return the text of the Markdown link whose address begins there; empty when there is none."""
    opener = address - (text[address - 1 : address] == "<")
    if text[max(0, opener - 2) : opener] != "](":
        return ""
    before = text[max(0, opener - 2 - _SHOWN_BEFORE) : opener - 2]
    _, bracket, shown = before.rpartition("[")
    return shown if bracket and "\n" not in shown else ""


def _find_tags(text: str) -> Iterator[Link]:
    for match in _TAG.finditer(text):
        start, name = match.start(), match[1]
        line = text[max(0, start - _LINE_BEFORE) : start].rpartition("\n")[2]
        if not (line.endswith("](") or name.isdecimal() or _DEFINITION.fullmatch(line)):
            yield Link("tag", name, match[0], start, match.end())


def _split_at_bar(inner: str) -> tuple[str, str, str]:
    """Return what stands before the bar, the bar, and after it.

    In a table the bar has a backslash before it.
    """
    target, bar, shown = inner.partition("|")
    return (target[:-1], "\\|", shown) if bar and target.endswith("\\") else (target, bar, shown)


def _split_target(target: str) -> Iterator[tuple[str, str, str]]:
    """Return the ways to cut what a link holds into path, title and heading (with its hash), the
    title as long as it can be first.
    """
    if "/" not in target and "#" not in target:
        yield "", target, ""
        return
    hashes = [place for place, letter in enumerate(target) if letter == "#"]
    for end in dict.fromkeys([len(target), *hashes[-1:], *reversed(hashes[:MOST_HASHES])]):
        name = target[:end]
        slashes = [place for place, letter in enumerate(name) if letter == "/"]
        for cut in [-1, *slashes[-MOST_SLASHES:]]:
            path, title = name[:cut] if cut > 0 else "", name[cut + 1 :]
            if title.strip() and (cut < 0 or path.strip()):
                yield path.strip().strip("/"), title.strip(), target[end:]


def _rename_link(link: Link, new_title: Callable[[Target], str | None]) -> str | None:
    for (path, _, rest), target in zip(
        _split_target(link.target), link_readings(link), strict=True
    ):
        title = new_title(target)
        if title is not None:
            return f"{path}/{title}{rest}" if path else f"{title}{rest}"
    return None


def _may_be_in_heading(text: str, place: int) -> bool:
    """Return whether a hash stands before the place in its line: where none does, the blocks of
    the text need not be read.
    """
    return text.find("#", text.rfind("\n", 0, place) + 1, place) >= 0


class _CodeBlocks:
    """The code of a text, read when it is first asked for, and only so far down."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks: list[blocks.Span] = []
        self._read = 0

    def holds(self, place: int) -> bool:
        """Return whether a place lies in a block of code or between backticks."""
        if place >= self._read:  # twice as far each time: all readings together cost twice the last
            end = self._text.find("\n", max(place, 2 * self._read))
            self._read = end if end >= 0 else len(self._text) + 1
            self._blocks = blocks.code_blocks(self._text[: self._read])
        return blocks.is_within(self._blocks, place) or blocks.is_ticked(self._text, place)
