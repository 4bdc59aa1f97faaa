"""Texts that others wrote, made harmless for a terminal.

No mark of them moves the cursor, sets a title, hides or turns what is read.
"""

import re
import unicodedata

from app.core.markdown.shortened import one_line

ISOLATE, ISOLATE_END = "\u2068", "\u2069"
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Control characters but tab and line feed, marks that turn the direction of reading, invisible
tags, half characters.
"""
_ISOLATED = re.compile(f"{ISOLATE}([^\u2066-\u2069\n]*){ISOLATE_END}")


def strip_controls(text: object) -> str:
    """Return the text without what could steer a terminal.

    Other scripts, joined emoji and what is isolated in one line stay as they are.
    """
    parts = _ISOLATED.split(str(text))  # in turns what is around and what is inside
    cleaned = [_STEERING.sub("", part) for part in parts]
    return "".join(
        f"{ISOLATE}{part}{ISOLATE_END}" if number % 2 else part
        for number, part in enumerate(cleaned)
    )


def show_hidden(text: str) -> str:
    """Return the text with a sign in place of each mark that is not seen.

    What an agent or another person wrote must not hide what it asks for.
    """
    return "".join(mark if mark.isprintable() or mark == "\n" else "\ufffd" for mark in text)


def on_one_line(text: object, most: int) -> str:
    """Return the text harmless and on one line of at most `most` characters, and isolated."""
    return isolate_text(one_line(_STEERING.sub("", str(text)), most))


def isolate_text(text: str) -> str:
    """Return the text harmless, and where it is written from right to left isolated, so that what
    stands around it stays in its place.
    """
    plain = _STEERING.sub("", text)
    turns = not plain.isascii() and any(
        unicodedata.bidirectional(mark) in ("R", "AL", "AN") for mark in plain
    )
    return f"{ISOLATE}{plain}{ISOLATE_END}" if turns else plain


def text_width(text: str) -> int:
    """Return how many characters are seen of a text that is harmless."""
    return len(text) - text.count(ISOLATE) - text.count(ISOLATE_END)
