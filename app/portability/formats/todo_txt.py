"""Reads todo.txt: a todo on each line, with its priority, dates and key:value marks."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_text,
    moment_from_iso,
    note_damaged_text,
    reason_text,
    report_name,
)
from app.portability.content.source_items import Item, NotCarried, Source
from app.portability.formats import todo_parts

NAMES = frozenset({"todo.txt", "done.txt"})
PRIORITIES = {"A": 5, "B": 4, "C": 3, "D": 2}
"""E to Z are 1."""
MOST_OF_LINE = 1 << 20
LOOKED_AT = 1 << 16
_DATE = r"\d{4}-\d{2}-\d{2}"
_LINE = re.compile(
    rf"(?P<done>[xX][ \t]+)?(?:\((?P<first>[A-Z])\)[ \t]+)?(?:(?P<one>{_DATE})[ "
    rf"\t]+)?(?:(?P<two>{_DATE})[ \t]+)?(?P<text>.*)",
    re.DOTALL,
)
_MARK = re.compile(r"(?<!\S)(due|t|rec|pri):(\S+)(?!\S)", re.IGNORECASE)
_EVERY = re.compile(r"(\+?)(\d{1,3})([dbwmy]?)", re.IGNORECASE)
_UNITS = {"": "DAILY", "d": "DAILY", "w": "WEEKLY", "m": "MONTHLY", "y": "YEARLY"}
_SIGN = re.compile(
    rf"(?:[xX][ \t]+{_DATE}|\([A-Z]\)[ \t]|{_DATE}[ \t])|(?<!\S)(?:[+@]\w|(?:due|rec|pri|t):\S)"
)


class _Marks(msgspec.Struct):
    """What the marks of a line say, and lines of the description for those that have no place of
    their own.
    """

    due: str | None = None
    rule: str | None = None
    counted_from: Literal["due", "done"] = "due"
    priority: str = ""
    about: list[str] = msgspec.field(default_factory=list)
    lost: list[str] = msgspec.field(default_factory=list)


def recognise(path: Path) -> bool:
    """Return whether a file is named as todo.txt says, or most of its lines look so, or a folder
    has nothing else; never raises.
    """
    return open_source.looks(_looks_like_todo_txt, path)


def read(path: Path) -> Source:
    """Open a file, or a folder with todo.txt and done.txt."""
    if path.is_file() and path.suffix.lower() != ".txt":
        raise Invalid(f"{path.name} is not a text file.", field="path")
    return TodoTxt(open_source.tree_of(path))


class TodoTxt:
    """A list of todos, read line after line.

    A todo is known by its words, so it stays the same when it is done or gets another priority.
    """

    format = "todo.txt"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def total(self) -> int | None:
        """Return None: counting is reading."""
        return None

    def items(self) -> Iterator[Item]:
        """Yield every line that says something as a todo."""
        known: Counter[str] = Counter()
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                yield entry
            elif entry.ending != "txt" or ("/" in entry.path and entry.name not in NAMES):
                yield NotCarried(report_name(entry.path), "it is not a todo list")
            else:
                yield from _file(entry, known)

    def close(self) -> None:
        """Let go of the file."""
        self._tree.close()


def _file(entry: Entry, known: Counter[str]) -> Iterator[Item]:
    number = 0
    try:
        with entry.open() as stream:
            for number, raw in enumerate(_lines(stream), 1):
                if len(raw) > MOST_OF_LINE:
                    yield NotCarried(
                        f"{report_name(entry.path)}, line {number}",
                        f"the line has more than {MOST_OF_LINE >> 20} MB",
                    )
                elif text := clean_text(
                    raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
                ).strip():
                    yield from _todo(text, known)
    except UNREADABLE as error:
        yield NotCarried(
            report_name(entry.path), f"it is damaged after line {number}: {reason_text(error)}"
        )


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; of one that is too long a beginning that is too long too."""
    while raw := stream.readline(MOST_OF_LINE + 2):
        rest = raw
        while rest and not rest.endswith(b"\n") and len(rest) > MOST_OF_LINE:
            rest = stream.readline(MOST_OF_LINE + 2)
        yield raw


def _todo(text: str, known: Counter[str]) -> Iterator[Item]:
    found = _LINE.fullmatch(text)
    if found is None:
        return
    done = found["done"] is not None
    marks = _Marks()
    title = _MARK.sub(lambda mark: _taken(mark, marks), found["text"])
    title = " ".join(title.split())
    if marks.rule and marks.due is None:
        marks.about.append(f"Repeats: {marks.rule}")
        marks.lost.append("it repeats, but has no due date to count from")
        marks.rule = None
    digest = hashlib.sha256(title.encode()).hexdigest()[:24]
    known[digest] += 1
    first, second = _day(found["one"]), _day(found["two"])
    priority = found["first"] or marks.priority
    yield from note_damaged_text(title, title)
    for reason in marks.lost:
        yield NotCarried(report_name(title), reason)
    yield from todo_parts.todo(
        key=f"{digest}-{known[digest]}",
        title=title,
        description="\n".join(marks.about),
        completed=done,
        completed_at=first if done else None,
        priority=PRIORITIES.get(priority, 1) if priority else None,
        due=marks.due,
        rule=marks.rule,
        created=second if done else first,
        counted_from=marks.counted_from,
    )


def _taken(mark: re.Match[str], marks: _Marks) -> str:
    """Note what a mark says; give what of it stays in the title."""
    name, value = mark[1].lower(), mark[2]
    if name == "due" and marks.due is None and (found := _day(value) or moment_from_iso(value)):
        marks.due = found
    elif name == "t" and _day(value):
        marks.about.append(f"Start: {value}")
    elif name == "pri" and len(value) == 1 and value.upper().isalpha() and value.isascii():
        marks.priority = value.upper()
    elif (
        name == "rec"
        and marks.rule is None
        and (every := _EVERY.fullmatch(value))
        and (rule := _rule(int(every[2]), every[3].lower()))
    ):
        marks.rule = rule
        marks.counted_from = "due" if every[1] else "done"
    else:
        return mark[0]
    return ""


def _rule(number: int, unit: str) -> str | None:
    if unit == "b":
        return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR" if number == 1 else None
    if not number:
        return None
    return f"FREQ={_UNITS[unit]}" + (f";INTERVAL={number}" if number > 1 else "")


def _day(text: str | None) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if text and len(text) == 10 else None
    except ValueError:
        return None


def _looks_like_todo_txt(path: Path) -> bool:
    if path.is_dir():
        names = {entry.path for entry in open_source.first_entries(path)}
        return "todo.txt" in names and names <= NAMES
    if path.suffix.lower() != ".txt":
        return False
    with path.open("rb") as file:
        text = file.read(LOOKED_AT)
    if b"\0" in text:
        return False
    if path.name.lower() in NAMES or path.name.lower().endswith(".todo.txt"):
        return True
    rows = [row for row in text.decode("utf-8-sig", "replace").splitlines() if row.strip()]
    return (
        bool(rows)
        # Four lines of five: some todos have nothing but words, and prose hardly ever a sign.
        and sum(_SIGN.search(row) is not None for row in rows) * 5 >= len(rows) * 4
    )
