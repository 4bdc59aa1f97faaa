"""Plain text: word counts, summaries, names compared without case, and times told in words."""

import functools
import re
import unicodedata
from datetime import datetime
from html import unescape

from app.core.markdown.render_parts import render

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana, bopomofo and Han ideographs.
_UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_ASCII_MARKS = bytes(
    byte for byte in range(128) if not chr(byte).isalnum() and chr(byte) not in " \t\n\r\v\f"
)
_TAG = re.compile(r"<[^>]*>")
_UNITS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("week", 7 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)


def word_count(markdown: str) -> int:
    """Return the number of words.

    Runs between spaces, and each character of a script written without spaces.
    """
    if markdown.isascii():
        plain = markdown.encode().translate(None, _ASCII_MARKS)
        return (
            len(plain.split())
            # line by line a large text needs no list of all its words
            if len(plain) < 100_000
            else sum(len(line.split()) for line in plain.split(b"\n"))
        )
    return sum(1 for _ in _word_pattern().finditer(markdown))


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word in any script.

    Made when first needed, since its classes take 10 ms to compile.
    """
    return re.compile(rf"(?=\w)[{_UNSPACED}]|[^\W_{_UNSPACED}][^\s{_UNSPACED}]*")


def summarise_text(markdown: str, most: int = 280) -> str:
    """Return the beginning of a text as one paragraph without marks, at most so many characters
    long.
    """
    # marks take room and vanish, so more is read than is shown, but never all of a long note
    taken = 4 * most
    text = _one_line(markdown[:taken])
    while len(text) <= most and taken < len(markdown):
        taken *= 4
        text = _one_line(markdown[:taken])
    if len(text) <= most:
        return text
    head = text[:most]
    cut = head.rfind(" ")
    # a text without spaces would else be cut to nearly nothing
    return (head[:cut] if cut > most // 2 else head[:-1]).rstrip() + "…"


def _one_line(markdown: str) -> str:
    return " ".join(" ".join(plain_lines(render(markdown))).split())


def plain_lines(html: str) -> list[str]:
    """Return the lines of an HTML text without its tags and entities."""
    return unescape(_TAG.sub("", html)).split("\n")


def relative_time(then: datetime, now: datetime) -> str:
    """Return how long ago or ahead a moment is, in English, rounded down: "2 hours ago", "in 3
    days".
    """
    seconds = (now - then).total_seconds()
    for unit, size in _UNITS:
        count = int(abs(seconds) // size)
        if count:
            words = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


def fold_name(name: str) -> str:
    """Return the key by which two names are compared.

    The same for every case and every composition of a letter.
    """
    # folding may undo the normal form and the other way round, so until nothing changes
    while (
        folded := unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    ) != name:
        name = folded
    return name
