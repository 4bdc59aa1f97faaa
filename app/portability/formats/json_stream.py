"""JSON that is longer than memory: one list of it, element by element."""

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

STEP = 1 << 16
MOST_OF_ONE = 64 << 20
_SPACE = " \t\r\n"


class JsonStream:
    """A JSON text as it comes; every method raises ValueError for what is none, and OSError
    where the stream is damaged.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        # sig: some programs begin their files with a byte order mark
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._values = json.JSONDecoder()
        self._text = ""
        self._place = 0
        self._ended = False
        self.passed = 0
        """Characters that have been read and let go."""

    def peek(self) -> str:
        """Return the next character that is no space, and nothing at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Go past one character."""
        if self.peek() != expected or not expected:
            raise ValueError(f"{expected!r} is missing at character {self.passed + self._place}")
        self._place += 1

    def value(self) -> Any:
        """Return the next value, whatever it is."""
        self.peek()
        while True:
            try:
                found, end = self._values.raw_decode(self._text, self._place)
            except RecursionError:
                raise ValueError("it is nested too deep") from None
            except ValueError:
                if not self._more():
                    raise
                continue
            # a number that ends with what was read so far may go on behind it
            if end < len(self._text) or not self._more():
                self._place = end
                return found

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the list that comes next."""
        yield from (value for _ in self._each("[", "]") for value in (self.value(),))

    def fields(self) -> Iterator[str]:
        """Yield the names of the object that comes next.

        Before going on, the value of each must be read.
        """
        for _ in self._each("{", "}"):
            name = self.value()
            self.take(":")
            yield str(name)

    def _each(self, start: str, end: str) -> Iterator[None]:
        self.take(start)
        if self.peek() == end:
            return self.take(end)
        while True:
            yield
            if self.peek() != ",":
                return self.take(end)
            self.take(",")

    def _more(self) -> bool:
        """Read on; say whether there was anything.

        Reads as much as it holds, so that one long value is not tried too often.
        """
        if self._ended:
            return False
        self._text = self._text[self._place :]
        self.passed += self._place
        self._place = 0
        if len(self._text) > MOST_OF_ONE:
            raise ValueError(
                f"one of its values has more than {MOST_OF_ONE >> 20} million characters"
            )
        found = self._stream.read(max(STEP, len(self._text)))
        self._ended = not found
        self._text += self._decode(found, self._ended)
        return bool(found)
