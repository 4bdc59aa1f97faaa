"""Texts with marked places, as templates show them."""

from collections.abc import Iterable
from typing import NamedTuple

from app.core.markdown.plain_words import plain_words


class Piece(NamedTuple):
    """A piece of a text, and whether it is marked."""

    text: str
    marked: bool


def marked_pieces(text: str, marks: Iterable[tuple[int, int]]) -> list[Piece]:
    """Return a text in pieces, by marks of [start, end) in characters, in order."""
    pieces, at = [], 0
    for start, end in marks:
        if at <= start < end <= len(text):
            pieces += [Piece(text[at:start], False), Piece(text[start:end], True)]
            at = end
    return [piece for piece in (*pieces, Piece(text[at:], False)) if piece.text]


def marked_words(text: str, marks: Iterable[tuple[int, int]]) -> list[Piece]:
    """Return the pieces of a text of Markdown without its signs, as one reads it."""
    return marked_pieces(*plain_words(text, marks))
