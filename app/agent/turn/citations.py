"""Quotes in an answer: each is checked against the note it names before it goes out.

What does not stand there is left out.

A quote is what any brain writes as “…” [note 12], or as a block of lines with > before them and
below it a link [title](hearth:note/12). Text is held back from the beginning of what may become
a quote until it is known what it is.
"""

import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from app.agent.turn.turn_result import Citation

LONGEST = 2_000
"""What is held back at most; a longer text between quotation marks is no quote."""
SOURCE_LONGEST = 400
MOST = 20
_SOURCE = r"\[(?:\\.|[^\]\\\n]){0,300}\]\(hearth:note/(?P<link>[0-9]{1,15})\)"
_MARK = r"[\[(]note:? ?#?(?P<mark>[0-9]{1,15})[\])]"
# A straight quotation mark opens only after a space or bracket: else it is an inch or an end.
_OPEN = re.compile(r"[“„«「『]|(?<![^\s(\[])\"(?!\s)|(?:(?<=\n)|\A)[ ]{0,3}>")
_CLOSING = {"“": '”"“', "„": '“”"', "«": "»", "「": "」", "『": "』", '"': '"'}
_AFTER = re.compile(rf"[.,;]?[ \t]{{0,3}}(?:{_MARK}|\(?(?:[—–-] ?)?{_SOURCE}\)?)", re.IGNORECASE)
# What can still become the source of a quote when more text comes.
_MAYBE_AFTER = re.compile(
    r"[.,;]?[ \t]{0,3}(?:\(?[—–-]? ?)?(?:[\[(][^\])\n]{0,300}(?:\](?:\([^)\n]{0,40})?)?)?\Z"
)
_BLOCK = re.compile(r"(?:[ ]{0,3}>[^\n]*(?:\n|\Z))+")
_BELOW = re.compile(rf"\s{{0,3}}(?:[—–-]{{1,2}} ?)?(?:{_SOURCE}|{_MARK})", re.IGNORECASE)
_MAYBE_BELOW = re.compile(r"\s{0,3}(?:[—–-]{1,2} ?)?(?:[\[(][^\n]{0,340})?\Z")
_FLOWING = re.compile(r"\s+")


class Source(NamedTuple):
    """A note as the caller may read it now."""

    title: str
    markdown: str


class _Quote(NamedTuple):
    text: str
    note_id: int


class _Opening(NamedTuple):
    """What the beginning of a held text is.

    So many characters, to go out as they are or, with a quote, only when it is right.
    """

    length: int
    quote: _Quote | None


Read = Callable[[int], Awaitable[Source | None]]


class Quotes:
    """The answer of one turn on its way out."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._held = ""
        self._last = "\n"
        self._sources: dict[int, Source | None] = {}
        self.citations: list[Citation] = []

    async def add(self, text: str) -> str:
        """Take the next piece of the answer and return what may go out now."""
        self._held += text
        return await self._released(ended=False)

    async def end(self) -> str:
        """Return what is left when there is nothing more to come."""
        return await self._released(ended=True)

    async def _released(self, *, ended: bool) -> str:
        out: list[str] = []
        # Everything before a quote goes out at once; from its mark on nothing does until it is
        # judged.
        while self._held:
            found = self._opening()
            plain = len(self._held) if found is None else found
            self._pass(out, plain)
            if found is None:
                break
            held = _read_opening(self._held, ended=ended)
            if held is None:
                break
            if held.quote is None or await self._cited(held.quote):
                self._pass(out, held.length)
            else:
                # A quote that is not in its note is left out with its source.
                self._held = self._held[held.length :]
        return "".join(out)

    def _opening(self) -> int | None:
        """Return where what may be a quote begins in the held text."""
        for found in _OPEN.finditer(self._held):
            if found.start() or self._may_open(found[0]):
                return found.start()
        return None

    def _may_open(self, mark: str) -> bool:
        """Return whether a mark right after what went out last can open a quote."""
        if mark.endswith(">"):
            return self._last == "\n"
        return mark != '"' or self._last.isspace() or self._last in "(["

    def _pass(self, out: list[str], length: int) -> None:
        if length:
            out.append(self._held[:length])
            self._last = self._held[length - 1]
            self._held = self._held[length:]

    async def _cited(self, quote: _Quote) -> bool:
        """Return whether the quote stands in its note, and list it where it does."""
        # Each note is read once, and only so many, whatever a model invents.
        if quote.note_id not in self._sources:
            self._sources[quote.note_id] = (
                await self._read(quote.note_id) if len(self._sources) < MOST else None
            )
        source = self._sources[quote.note_id]
        place = None if source is None else locate_quote(source.markdown, quote.text)
        if source is None or place is None:
            return False
        start, end = place
        found = Citation(quote.note_id, source.title, source.markdown[start:end], None, start, end)
        if found not in self.citations:
            self.citations.append(found)
        return True


def locate_quote(markdown: str, quote: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text.

    Exactly, else with other spaces and line ends between its words; None where it does not.
    """
    text = quote.strip()
    if not text:
        return None
    at = markdown.find(text)
    if at >= 0:
        return at, at + len(text)
    # Models join wrapped lines; a single word was found above or stands nowhere.
    words = _FLOWING.split(text)
    if len(words) < 2:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), markdown)
    return found.span() if found else None


def _read_opening(text: str, *, ended: bool) -> _Opening | None:
    """Return the opening of a quote at the start of a text; None while that is not known yet."""
    return (
        _read_block_opening(text, ended=ended)
        if text.lstrip(" ")[:1] == ">"
        else _read_inline_opening(text, ended=ended)
    )


def _read_block_opening(text: str, *, ended: bool) -> _Opening | None:
    block = _BLOCK.match(text)
    if block is None:  # only more than three spaces could do that, and they do not open one
        return _Opening(1, None)
    if len(block[0]) > LONGEST + SOURCE_LONGEST:
        return _Opening(block.end(), None)
    if block.end() == len(text) and not ended:
        return None
    below = _BELOW.match(text, block.end())
    if below is None:
        waiting = not ended and _MAYBE_BELOW.match(text, block.end())
        return None if waiting else _Opening(block.end(), None)
    lines = [re.sub(r"^ {0,3}> ?", "", line) for line in block[0].rstrip("\n").split("\n")]
    return _Opening(below.end(), _Quote("\n".join(lines), int(below["link"] or below["mark"])))


def _read_inline_opening(text: str, *, ended: bool) -> _Opening | None:
    if text[0] == '"' and (len(text) == 1 or text[1].isspace()):
        return None if len(text) == 1 and not ended else _Opening(1, None)
    # No quote goes over a paragraph's end.
    closing, gap = _CLOSING[text[0]], text.find("\n\n")
    for end in (
        at
        for at in range(1, min(len(text), LONGEST, gap if gap > 0 else LONGEST))
        if text[at] in closing
    ):
        after = _AFTER.match(text, end + 1)
        if after:
            return _Opening(after.end(), _Quote(text[1:end], int(after["link"] or after["mark"])))
        if _MAYBE_AFTER.match(text, end + 1) and not ended:
            return None
        return _Opening(end + 1, None)
    given_up = ended or len(text) >= LONGEST or gap > 0
    return _Opening(1, None) if given_up else None
