"""Short HTML lists whose entries carry their facts in data attributes.

Written with everything escaped, read back from any HTML or text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape, unescape

import msgspec
import nh3

from app.core.markdown.shortened import one_line

MOST_ROWS = 400
DEEPEST = 60  # elements open at once; reading deeper ones takes time that grows with the square
LONGEST_HEADING = 48
LEAD = "lead"

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_BLOCKS = _HEADINGS | frozenset(
    "p div ul ol li br hr table tr td th dl dt dd section article header footer main aside "
    "blockquote pre".split()
)
_MARKS = frozenset("em strong i b span a code del mark small u s label".split())
_SOME_TAG = re.compile(
    rf"</?(?:{'|'.join(sorted(_BLOCKS | _MARKS))}"
    r"|html|body|script|style|img|svg|iframe|template|title|form|input)\b[^<>]*>|<!--",
    re.I,
)
_ANY_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# what the sanitiser writes, and nothing else, need be read
_TOKEN = re.compile(r'<(/?)([a-z0-9]+)((?: [a-z0-9-]+="[^"]*")*)>|([^<]+)')
_FACT = re.compile(r' data-([a-z0-9-]+)="([^"]*)"')
_BULLET = re.compile(r"(?:[-*+•·–—]|\d{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?|\[[ xX]?\]\s+")
_TICKED = re.compile(r"\[[xX]\]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^\W\d_a-z]|\d)")
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Row(msgspec.Struct, frozen=True):
    """One entry: its text, what stands in italics after it, the facts of its data attributes,
    and the short heading above it.
    """

    text: str
    aside: str = ""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    heading: str = ""
    listed: bool = False


def fit_line(text: str, most: int = 300) -> str:
    """Return a text as one line of at most so many characters, without what HTML cannot carry."""
    return one_line(_UNFIT.sub(" ", text[: 4 * most]), most)


def list_entry(text: str, aside: str = "", **facts: str | None) -> str:
    """Return one `<li>`; facts that are None or empty are left out."""
    attributes = "".join(
        f' data-{name}="{escape(value)}"' for name, value in facts.items() if value
    )
    return f"<li{attributes}>{escape(text)}{f' <em>{escape(aside)}</em>' if aside else ''}</li>"


def html_list(heading: str, entries: Iterable[str]) -> str:
    """Return a `<ul>` under its heading, or nothing for no entries."""
    inner = "".join(entries)
    head = f"<p><strong>{escape(heading)}</strong></p>" if heading else ""
    return f"{head}<ul>{inner}</ul>" if inner else ""


def lead_paragraph(text: str) -> str:
    """Return a `<p>` that introduces a list, or says that there is nothing to list.

    Its facts say so when it is read back.
    """
    return f'<p data-{LEAD}="1">{escape(text)}</p>'


def read_entries(source: str) -> list[Row]:
    """Return the entries of an HTML or plain text.

    Those of its lists, and where it has none its lines and sentences.
    """
    if not _SOME_TAG.search(source):
        rows = [Row(text) for text in unescape(source).splitlines()]
    else:
        rows = list(_text_rows(_clean_html(source)))
        if any(row.listed for row in rows):
            return [row for row in rows if row.listed][:MOST_ROWS]
    return list(_split_sentences(rows))[:MOST_ROWS]


def _clean_html(source: str) -> str:
    """Return well-formed HTML of known tags and data attributes.

    Scripts and styles are gone, and so is markup nested too deep.
    """
    if _nesting_depth(source) > DEEPEST:
        source = _ANY_TAG.sub("\n", source)
    return _cleaner().clean(source)


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(_BLOCKS | _MARKS),
        attributes={},
        generic_attribute_prefixes={"data-"},
        link_rel=None,
        clean_content_tags={"script", "style", "template", "title"},
    )


def _nesting_depth(source: str) -> int:
    depth = deepest = 0
    for end, tag in _OPENING.findall(source):
        # those that HTML lets stand unclosed would seem to nest
        if tag.lower() not in ("br", "hr", "img", "input", "p", "li", "tr", "td"):
            depth = max(depth - 1, 0) if end else depth + 1
            deepest = max(deepest, depth)
        elif not end and tag.lower() == "li":
            deepest = max(deepest, depth)
    return deepest


def _text_rows(html: str) -> Iterator[Row]:
    """Yield the texts between block tags, each with the facts of the list entry that it begins."""
    text: list[str] = []
    aside: list[str] = []
    facts: dict[str, str] = {}
    heading = ""
    lists = italics = 0
    block = ""
    # the break behind the end lets the last text come out too
    for end, tag, attributes, words in [*_TOKEN.findall(html), ("", "br", "", "")]:
        if words:
            (aside if italics and "".join(text).strip() else text).append(unescape(words))
        elif tag in ("em", "i"):
            italics = max(0, italics + (-1 if end else 1))
        elif tag in _BLOCKS:
            said, beside = (" ".join("".join(parts).split()) for parts in (text, aside))
            if said and not lists and (block in _HEADINGS or is_heading(said)):
                heading = said.rstrip(":").strip()
            elif said:
                yield Row(said, beside, facts, heading, listed=lists > 0)
            if said or (tag == "li" and end):
                facts = {}
            text, aside, block = [], [], tag
            if tag == "li":
                lists = max(0, lists + (-1 if end else 1))
            if attributes or (tag == "li" and not end):
                facts = {name: unescape(value) for name, value in _FACT.findall(attributes)}


def is_heading(text: str) -> bool:
    """Return whether a line only names what stands below it."""
    return (
        len(text) <= LONGEST_HEADING
        and len(text.split()) <= 5
        and (text.endswith(":") or (text[-1:].isalpha() and len(text.split()) <= 2))
    )


def _split_sentences(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the lines and sentences of texts that are no list."""
    heading = ""
    for row in rows:
        text = row.text.strip()
        bullet = _BULLET.match(text)
        bare = text[bullet.end() :] if bullet else text
        bare = bare.strip("*_# \t") if text.startswith(("#", "*", "_")) or bullet else bare
        if not bare or (bullet and _TICKED.search(bullet[0])):
            continue
        if (
            not bullet
            and (text.startswith("#") or bare.endswith(":"))
            and len(bare) <= LONGEST_HEADING
        ):
            heading = bare.rstrip(":").strip()
        elif bullet:
            yield Row(bare, row.aside, row.facts, heading or row.heading, listed=True)
        else:
            for sentence in _SENTENCE.split(bare):
                yield Row(sentence.strip(), row.aside, row.facts, heading or row.heading)
