"""The text side of quick add.

Letters made comparable with their places kept, what is never read, and the title without what
was found.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

HIDDEN = "\0"
"""Stands where the text must not be read."""
PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "–": "-",
        "—": "-",
        "‐": "-",
        "‑": "-",
        "−": "-",
        "：": ":",
        "\n": " ",
        "\t": " ",
        "\r": " ",
    }
)
QUOTED = (
    r'"[^"]{1,200}"|“[^”]{1,200}”|„[^“”]{1,200}[“”]|«[^»]{1,200}»'
    r"|「[^」]{1,200}」|『[^』]{1,200}』|《[^》]{1,200}》|`[^`]{1,200}`"
)
_UNREAD = re.compile(
    rf"{QUOTED}|(?<!\w)'[^']{{1,200}}'(?!\w)"
    r"|(?<!\S)(?:www\.|[a-z]{2,10}://)\S+"
    r"|(?<![^\s(])[\w.+/-]{1,80}@[\w.-]{1,80}"
    r"|(?<![^\s(])[\w./-]{1,80}\.[a-z]{2,5}(?![^\s,;:!?)])"
    r"|(?<=#)[^\s#]+|@(?=[^\W\d])[^\s@]+"
)
_WIDE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_COMBINING_KANA = "\u3099\u309a"


class Folded(NamedTuple):
    """Text without case, accents and widths.

    `places[i]` is where its character i begins in the original, the last one its length.
    """

    text: str
    places: tuple[int, ...]


def fold_text(text: str) -> Folded:
    """Return the text in comparable letters, with the way back to the original's places."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        # It belongs to the letter before, and NFC makes one of both.
        if letter in _COMBINING_KANA and letters:
            letters[-1] = unicodedata.normalize("NFC", letters[-1] + letter)[0]
            continue
        # One letter may become several (ß is ss), all of them at its place.
        for plain in _fold_letter(letter):
            letters.append(plain)
            places.append(place)
    return Folded("".join(letters), (*places, len(text)))


def literal_parts(text: str) -> Iterable[tuple[int, int]]:
    """Return the parts of a folded text that are quoted, addresses, file names, tags or
    mentions."""
    return (match.span() for match in _UNREAD.finditer(text))


def blank_out(text: str, parts: Iterable[tuple[int, int]]) -> str:
    """Return the text with the parts blanked out, at its old length."""
    letters = list(text)
    for start, end in parts:
        # At the old length, so that places stay true.
        letters[start:end] = HIDDEN * (end - start)
    return "".join(letters)


def remove_parts(text: str, parts: Iterable[tuple[int, int]]) -> str:
    """Return the text without the parts and without the spaces, brackets and commas that only held
    them.
    """
    rest, last = "", 0
    for start, end in sorted(parts):
        rest, last = _join_around(rest, text[last:start]), end
    rest = _join_around(rest, text[last:])
    rest = re.sub(r"\(\s{0,9}\)|\[\s{0,9}\]|（\s{0,9}）", "", rest)
    rest = re.sub(
        r"[ \t]{2,}", " ", re.sub(r"(?<=\S)[ \t]{1,9}([,;](?=\s|$)|[.?](?=\s*$))", r"\1", rest)
    )
    rest = re.sub(r"([,;:、，])(?:\s?[,;:、，])+", r"\1", rest)
    return (
        re.sub(r"\s[-–—]$", "", rest.strip(" \t\r\n,;:、，。：　")).lstrip("-–—. ").rstrip(" ,;:")
    )


def _join_around(left: str, right: str) -> str:
    if not left or not right.strip():
        return left + ("" if left else right)
    # No spaces between Chinese or Japanese characters.
    glue = "" if _WIDE.match(left.rstrip()[-1:]) or _WIDE.match(right.lstrip()) else " "
    return (
        left.rstrip() + glue + right.lstrip()
        if glue == "" or right[0] not in ",;.:?!)"
        else left.rstrip() + right
    )


@functools.lru_cache(4096)
def _fold_letter(letter: str) -> str:
    base = unicodedata.normalize("NFKD", letter.translate(PLAIN)).casefold()
    kept = "".join(part for part in base if not "\u0300" <= part <= "\u036f")
    # What NFKD took apart beside accents, such as Hangul and voiced kana, is one letter again.
    return unicodedata.normalize("NFC", kept).translate(PLAIN)
