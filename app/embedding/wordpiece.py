"""WordPiece as BERT's uncased models have it: from a text to the numbers of its word pieces."""

import functools
import unicodedata
from collections.abc import Callable, Sequence

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100
MOST_REMEMBERED = 20_000
IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""What stands as a word of its own; neither kana nor hangul is among it."""


class WordPiece:
    """Cuts texts into the pieces of one vocabulary, whose order gives them their numbers."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._unknown = [self._numbers[UNKNOWN]]
        self._longest = max(map(len, vocabulary))
        # The same words come again and again, and to cut one up tries many pieces.
        self._pieces = functools.lru_cache(MOST_REMEMBERED)(self._longest_first)

    def numbers(self, text: str, *, most: int) -> list[int]:
        """Return the numbers of the text's pieces between [CLS] and [SEP], cut to `most` in all.

        What looks like a special piece in the text ("[SEP]") is text like any other.
        """
        found = [self._numbers[BEGIN]]
        for word in split_words(text):
            found += self._pieces(word)
            if len(found) >= most:
                break
        del found[most - 1 :]
        found.append(self._numbers[END])
        return found

    def pieces_a_word(self, text: str) -> float:
        """Return into how many pieces the words of a text are cut on the mean; 0 without words."""
        counts = [len(self._pieces(word)) for word in split_words(text) if word[0].isalpha()]
        return sum(counts) / len(counts) if counts else 0.0

    def _longest_first(self, word: str) -> list[int]:
        """Take the longest piece from the front again and again.

        Where none fits, the whole word is unknown.
        """
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            start = end
        return found


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents.

    Each punctuation mark and each ideograph is a word.
    """
    clean = text.translate(_CLEAN)
    if not clean.isascii():
        clean = unicodedata.normalize("NFD", clean)
    # Σ first: as the last letter of a word Python would make it ς, which depends on where words
    # end.
    return clean.translate(_PARTS).replace("Σ", "σ").lower().split()


class _Table(dict[int, str]):
    """A table for str.translate that is filled as characters come by, up to a bound."""

    def __init__(self, replacement: Callable[[str], str]) -> None:
        super().__init__()
        self._replacement = replacement

    def __missing__(self, code: int) -> str:
        found = self._replacement(chr(code))
        if len(self) < MOST_REMEMBERED:
            self[code] = found
        return found


def _clean(character: str) -> str:
    """Drop control characters, make every space a plain one and set ideographs apart."""
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    # an emoji newer than this Python is a word all the same
    if character == "\ufffd" or (category[0] == "C" and category != "Cn"):
        return ""
    is_ideograph = any(first <= ord(character) <= last for first, last in IDEOGRAPHS)
    return f" {character} " if is_ideograph else character


def _separate(character: str) -> str:
    """Drop the accents of decomposed letters and set punctuation apart."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    is_mark = category[0] == "P" or (category[0] == "S" and character.isascii())
    return f" {character} " if is_mark else character


_CLEAN, _PARTS = _Table(_clean), _Table(_separate)
