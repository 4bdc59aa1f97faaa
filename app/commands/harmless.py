"""Texts that others wrote, made harmless for a terminal: no mark of them moves the cursor, sets a title, hides or turns what is read."""

from app.core.regex import regex

_STEERING = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]")
"""Control characters but tab and line feed, marks that turn the direction of reading, invisible tags, half characters."""


def harmless(text: object) -> str:
    """Give the text without what could steer a terminal; other scripts and joined emoji stay as they are."""
    return _STEERING.sub("", str(text))


def on_one_line(text: object, most: int) -> str:
    """Give the text harmless and on one line of at most `most` characters."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
