"""The sentences of a note's Markdown with their places, and the stems of their words.

The stems are crude enough for several languages.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.core.markdown import blocks
from app.core.markdown.front_matter import body_start

MOST = 3_000
"""Only so many sentences of a text are looked at."""
READ = 100_000
"""Only so many characters of a text are looked at."""
LONGEST = 400
"""What is longer without an end is parted between two words."""
LONGEST_LINE = 120
"""A line of so many letters is of what its first sentence names."""
_CLOSING = re.compile(r"\s*#*$")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_OWN_LINE = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|>|\||#{1,6}\s|```|~~~)")
_RULE = re.compile(r"\s*(?:[-*_=~`]\s*){3,}\w*\s*$|[\s|:-]*$")

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")

_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "en", "er", "em", "ly", "s", "e")
_WRAPPED = 60
COMPOUND = 6


class Sentence(NamedTuple):
    """A sentence at start..end of a text, and the heading it stands under."""

    start: int
    end: int
    text: str
    heading: str


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a Markdown text in order.

    Of running text, of list items and table rows; marks before them are left out.
    """
    text = text[:READ]
    found: list[Sentence] = []
    heading = ""
    for start, end, titled in _text_blocks(text):
        if titled:
            heading = _CLOSING.sub("", text[start:end])
        else:
            found += [
                Sentence(first, last, text[first:last], heading)
                for first, last in _sentence_parts(text, start, end)
            ]
        if len(found) >= MOST:
            return found[:MOST]
    return found


def first_of_line(text: str, every: Sequence[Sentence], number: int) -> int:
    """Return the first sentence of the short Japanese line that one stands in, which the others are
    about: “「霧」は朝凪出版。報酬は12万円。”; that one itself in any other.
    """
    start = text.rfind("\n", 0, every[number].start) + 1
    end = text.find("\n", every[number].end)
    line = text[start : end if end >= 0 else len(text)]
    if len(line) > LONGEST_LINE or not any("\u3040" <= one <= "\u309f" for one in line):
        return number
    return next(at for at, one in enumerate(every) if one.start >= start)


def _text_blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the places of lines, those that only wrap a sentence joined, and whether each is a
    heading, then without its marks.
    """
    # Wrapped lines make one block, so that a sentence is whole in a quote.
    begun: int | None = None
    last, body = 0, body_start(text)
    for line in blocks.read_lines(text):
        if line.start < body:
            continue
        bare = text[line.start : line.end].rstrip()
        own = line.kind == "heading" or _OWN_LINE.match(bare)
        if not (begun is not None and bare and not own and _goes_on(text[begun:last])):
            if begun is not None:
                yield begun, last, False
            begun = (
                None
                if not bare or line.kind in ("heading", "fence", "end") or _RULE.match(bare)
                else line.start
            )
        last = line.start + len(bare)
        if line.kind == "heading":
            yield line.inner, last, True
    if begun is not None:
        yield begun, last, False


def _goes_on(text: str) -> bool:
    line = text.rpartition("\n")[2]
    return (
        # A short line ended because its author wanted it to.
        len(line) >= _WRAPPED
        and line[-1:] not in ".:;!?。！？"
        and len(text) < LONGEST
        and not line.lstrip().startswith(("|", "#"))
    )


@functools.cache
def _short() -> re.Pattern[str]:
    """Return a pattern for what a full stop may follow in the middle of a sentence."""
    named = (about.abbreviations.split() for about in language_data.languages().values())
    words = "|".join(sorted({word for words in named for word in words}))
    return re.compile(rf"(?:\b(?:{words})|\b\d{{1,2}}|\b(?-i:[A-Z]))\.$", re.IGNORECASE)


@functools.cache
def _stop() -> re.Pattern[str]:
    return re.compile(
        r"(?<=[.!?…])[\"”»')\]*_`]*\s+(?=[^\W_a-zß-öø-ÿ]|[\"“„«¿¡(*_`])|(?<=[。！？])(?![」』）])\s*"
    )


def _sentence_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    marker = _MARKER.match(text, start, end)
    start = marker.end() if marker else start
    for stop in _stop().finditer(text, start, end):
        # “Dr. Smith” and “3. May” end no sentence, unless it has grown too long already.
        if stop.start() - start > LONGEST or not _short().search(
            text[max(start, stop.start() - 12) : stop.start()].rstrip("\"”»')]*_` ")
        ):
            yield from _cut_long(text, start, stop.end() - len(stop[0]) + len(stop[0].rstrip()))
            start = stop.end()
    yield from _cut_long(text, start, end)


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space + 1 if space > 0 else start + LONGEST
        yield start, cut
        start = cut
    if text[start:end].strip():
        yield start, end


def split_words(text: str) -> list[str]:
    """Return the words of a text without capitals and accents.

    Runs without spaces as their pairs of characters.
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    found: list[str] = []
    for match in _WORD.finditer(fold_text(text)):
        word = match[0]
        if not word.isascii() and _unspaced().search(word):
            for piece in re.findall(
                r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+|[^\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff-]+",
                word,
            ):
                found += _character_pairs(piece) if _unspaced().match(piece) else [piece]
        else:
            found.append(word)
    return found


@functools.cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")


def _character_pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


@functools.lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return what the forms of a word share, roughly."""
    before = ""
    # Again and again: “meetings” loses two endings.
    while before != word and len(word) >= 4 and word[-1].isalpha():
        before, word = word, _shortened(word)
    return word


def _shortened(word: str) -> str:
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3:
            if ending in ("ies", "ied"):
                return rest + "y"
            return (
                rest[:-1]
                # “Shipping” doubles a letter of its own, “calling” and “pressing” do not.
                if len(rest) > 3
                and rest[-1] == rest[-2]
                and rest[-1] not in "lsz"
                and ending in ("ing", "ed", "er")
                else rest
            )
    return word


def are_alike(one: str, other: str) -> bool:
    """Return whether two stems belong together.

    The same, mostly the same beginning, or one a compound of the other.
    """
    if one == other:
        return True
    # Most pairs differ here, and this is asked for every pair.
    if one[:4] != other[:4] or min(len(one), len(other)) < 5:
        return False
    shared = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    if shared == min(len(one), len(other)) >= COMPOUND:
        return True
    return shared >= 5 and shared >= 0.7 * max(len(one), len(other))


def fold_text(text: str) -> str:
    """Return a text without capitals and accents, in its compatible form."""
    if text.isascii():
        return text.lower()
    parted = unicodedata.normalize("NFKD", text.lower())
    return unicodedata.normalize(
        "NFC",
        "".join(
            # The marks of kana make other letters, not accents.
            mark
            for mark in parted
            if not unicodedata.combining(mark) or mark in "\u3099\u309a"
        ),
    )
