"""SentencePiece's unigram pieces: from a text to the numbers of the likeliest ones."""

import functools
import unicodedata
from collections.abc import Sequence

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, BEGIN, END, "<pad>", "<mask>")
BEFORE_WORD = "\u2581"
SPACES = "\t\n\f\r\u200b\u200c\u200d\u200e\u200f\u2581\ufeff"
UNLIKELY = 10.0
"""By how much less likely an unknown character is than the least likely piece."""
MOST_REMEMBERED = 20_000
LONG_WORD = 32
"""A longer one is mostly a sentence of a language without spaces, which does not come again."""


class Unigram:
    """Cuts texts into the pieces of one vocabulary, each with the logarithm of how likely it is."""

    def __init__(self, vocabulary: Sequence[str], scores: Sequence[float]) -> None:
        self._pieces = dict(zip(vocabulary, range(len(scores)), strict=True))
        self._scores = scores
        self._unknown, self._begin, self._end = (
            self._pieces[mark] for mark in (UNKNOWN, BEGIN, END)
        )
        for mark in SPECIAL:  # what looks like one in a text is text
            self._pieces.pop(mark, None)
        self._longest = max(map(len, self._pieces))
        self._least = min(scores) - UNLIKELY
        # No piece reaches over a space, so words are cut one by one, and the same ones come often.
        self._of_word = functools.lru_cache(MOST_REMEMBERED)(self._likeliest)

    def numbers(self, text: str, *, most: int) -> list[int]:
        """Return the numbers of the text's pieces between <s> and </s>, cut to `most` in all."""
        found = [self._begin]
        for word in unicodedata.normalize("NFKC", text).translate(_TABLE).split(" "):
            if word:
                cut = self._of_word if len(word) <= LONG_WORD else self._likeliest
                found += cut(BEFORE_WORD + word)
            if len(found) >= most:
                break
        del found[most - 1 :]
        found.append(self._end)
        return found

    def _likeliest(self, word: str) -> list[int]:
        """Return the pieces whose probabilities have the highest product."""
        # For each place the best way there: its score, the piece that ends there, where it begins.
        best: list[tuple[float, int, int]] = [(0.0, self._unknown, 0)]
        for end in range(1, len(word) + 1):
            before = best[end - 1][0]
            way = (before + self._least, self._unknown, end - 1)
            for start in range(max(0, end - self._longest), end):
                piece = self._pieces.get(word[start:end])
                if piece is None:
                    continue
                score = best[start][0] + self._scores[piece]
                if score > way[0]:
                    way = (score, piece, start)
            best.append(way)
        found: list[int] = []
        end = len(word)
        while end:
            _, number, end = best[end]
            found.append(number)
        return found[::-1]


class _Table(dict[int, str | int]):
    """A table for str.translate that is filled as characters come by, up to a bound."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        category = unicodedata.category(character)
        found: str | int = code
        if category[0] == "Z" or character in SPACES:
            found = " "
        elif category == "Cc":
            found = ""
        if len(self) < MOST_REMEMBERED:
            self[code] = found
        return found


_TABLE = _Table()
