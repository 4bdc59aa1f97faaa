"""The components of an iCalendar stream, one at a time.

Icalendar reads the lines, one by one, so that a broken one harms no other: its reader of whole
calendars gives nothing of a todo list in which one line or date is broken or the end is missing,
and takes 31 MB of memory for each MB where this takes 8.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, cast

from app.portability.content.clean_text import clean_line, clean_text

MOST_OF_LINE = 32 << 20
MOST_OF_ONE = 48 << 20
_STEP = 1 << 20

Value = tuple[str, Mapping[str, str]]


class Component:
    """A component: its properties with their parameters, and the names of the components in it."""

    def __init__(self, name: str, calendar: str = "") -> None:
        self.name = name
        self.calendar = clean_line(calendar)
        self.inside: list[str] = []
        self.faults: list[str] = []
        self.whole = False
        self._values: dict[str, list[Value]] = {}
        self._room = MOST_OF_ONE

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def all(self, name: str) -> list[Value]:
        """Return every value of a property, as it is written, with its parameters."""
        return self._values.get(name, [])

    def first(self, name: str) -> Value:
        """Return the first value of a property."""
        return self.all(name)[0] if name in self._values else ("", {})

    def texts(self, name: str) -> list[str]:
        """Return every value of a property that is text."""
        return [_unescaped(value) for value, _ in self.all(name)]

    def text(self, name: str) -> str:
        """Return the first value of a property that is text, empty if it is not there."""
        return _unescaped(self.first(name)[0]).strip()

    def digest(self) -> str:
        """Return a key for a component without one."""
        said = "\0".join(
            f"{name}:{value}"
            for name, values in sorted(self._values.items())
            for value, _ in values
            # The moment of the export, another one each time.
            if name != "DTSTAMP"
        )
        return hashlib.sha256(said.encode()).hexdigest()[:24]

    def add(self, text: str) -> None:
        """Take in a line."""
        from icalendar.parser import Contentline

        if self._room < 0:
            return
        # A hundred for what a line costs in memory besides its text.
        self._room -= len(text) + 100
        if self._room < 0:
            self.faults.append(f"it is larger than {MOST_OF_ONE >> 20} MB; the rest was left out")
            return
        try:
            name, parameters, value = cast(Any, Contentline)(text).raw_parts()
        except (ValueError, TypeError, KeyError, AttributeError):
            self.faults.append(f"its line “{clean_line(text, 60)}” is not valid iCalendar")
            return
        said = {str(key).upper(): _one(found) for key, found in parameters.items()}
        self._values.setdefault(str(name).upper(), []).append((clean_text(value), said))


def components(stream: BinaryIO) -> Iterator[Component]:
    """Yield each component right below a calendar, also one that is cut off.

    Raise ValueError for a line without end.
    """
    calendar = Component("VCALENDAR")
    current: Component | None = None
    depth = 0
    for text in _unfolded(stream):
        mark, name = _mark(text)
        if mark == "begin" and current is not None and name not in (current.name, "VCALENDAR"):
            current.inside.append(name)
            depth += 1
        elif mark == "begin":
            if current is not None:  # its end is missing
                yield current
            calendar = Component(name) if name == "VCALENDAR" else calendar
            current = (
                None if name == "VCALENDAR" else Component(name, calendar.text("X-WR-CALNAME"))
            )
            depth = 0
        elif mark == "end" and current is not None and name == current.name:
            current.whole = True
            yield current
            current = None
        elif mark == "end":
            depth = max(depth - 1, 0)
        elif depth == 0 or current is None:
            (current or calendar).add(text)
    if current is not None:
        yield current


def _mark(text: str) -> tuple[str, str]:
    """Return begin or end with the name of the component; neither for every other line."""
    mark, _, name = text.partition(":")
    mark = mark.strip().lower()
    return (mark, name.strip().upper()[:100]) if mark in ("begin", "end") else ("", "")


def _unfolded(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines, those that go on in the next put together."""
    parts: list[bytes] = []
    size = 0
    first = True
    for raw in iter(lambda: stream.readline(_STEP), b""):
        row = raw.removeprefix(b"\xef\xbb\xbf") if first else raw
        first = False
        folded = row[:1] in (b" ", b"\t")
        if parts and not folded and parts[-1][-1:] == b"\n":
            yield _decoded(parts)
            parts, size = [], 0
        size += len(row)
        if size > MOST_OF_LINE:
            raise ValueError(f"a line has more than {MOST_OF_LINE >> 20} MB")
        # readline gives a long line in pieces; only a real line break can be followed by a folded
        # line.
        parts.append(row[1:] if folded and parts and parts[-1][-1:] == b"\n" else row)
    if parts:
        yield _decoded(parts)


def _decoded(parts: list[bytes]) -> str:
    return b"".join(part.rstrip(b"\r\n") for part in parts).decode("utf-8", "replace")


def _one(found: object) -> str:
    return clean_text(", ".join(map(str, found)) if isinstance(found, list | tuple) else str(found))


def _unescaped(value: str) -> str:
    """Return a text value without its escapes."""
    if "\\" not in value:
        return value
    # at the escaped backslashes first: what follows one of those is no escape
    parts = value.split("\\\\")
    return "\\".join(
        part.replace("\\n", "\n")
        .replace("\\N", "\n")
        .replace("\\,", ",")
        .replace("\\;", ";")
        .replace("\\:", ":")
        for part in parts
    )
