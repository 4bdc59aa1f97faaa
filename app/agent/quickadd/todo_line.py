"""A typed line as the todo that it would become.

Besides what quick add finds, a list after a colon is taken for steps where semicolons part it:
“Pack on Friday: tent; stove; map”.
"""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Literal

from app.agent.quickadd import quickadd
from app.agent.quickadd.meaning import Kind
from app.agent.quickadd.quickadd import QuickAdd
from app.core.schema import Record
from app.workspace.todos.recurrence import Recurrence

MOST_STEPS, LONGEST_STEP = 100, 255
_STEPS = re.compile(r"(?P<head>.*?\S)\s*[:：]\s+(?P<steps>[^;；]*\S[^;；]*[;；].*\S)\s*", re.S)
_BETWEEN = re.compile("[;；]")


class Recognised(Record):
    """Words of the line, from character `start` up to `end`, and what they were taken for.

    The value is a date or a moment, a time, a rule as in RFC 5545, a priority's number, or the
    number of steps.
    """

    kind: Kind | Literal["steps"]
    start: int
    end: int
    text: str
    value: str | int


class TodoLine(Record):
    """A line as it was read: what the todo is or would be.

    `noSuchDay` is a date in the line that does not exist, `tooOften` how often it should come
    again where that is more than daily; then neither is read.
    """

    title: str
    due_date: str | None
    priority: int
    recurrence: Recurrence | None
    steps: list[str]
    recognised: list[Recognised]
    no_such_day: str | None
    too_often: str | None


def read_todo_line(
    line: str, *, now: datetime, locale: str, ignore: Collection[Kind], keep: Collection[str]
) -> TodoLine:
    """Return what a line says: without the kinds to ignore and the words that stay in the title."""
    kept = {_plain(words) for words in keep}
    head, steps, listed = _split_steps(line, kept)
    read = _without(quickadd.read_line(head, now=now, locale=locale, ignore=tuple(ignore)), kept)
    recognised = [
        Recognised(span.kind, span.start, span.end, span.text, span.value)
        for span in sorted(read.spans, key=lambda span: span.start)
    ]
    if steps is not None:
        recognised.append(Recognised("steps", *steps.span("steps"), steps["steps"], len(listed)))
    return TodoLine(
        read.title,
        read.due_date,
        read.priority,
        # a rule needs a first day to count from
        read.recurrence if read.due_date else None,
        listed,
        recognised,
        read.no_such_day or None,
        read.too_often or None,
    )


def _without(read: QuickAdd, kept: Collection[str]) -> QuickAdd:
    """Return the line read again until none of the words that stay is recognised."""
    while span := next((one for one in read.spans if _plain(one.text) in kept), None):
        read = read.without(span)
    return read


def _split_steps(line: str, kept: Collection[str]) -> tuple[str, "re.Match[str] | None", list[str]]:
    """Return a line without its steps, where they stand in it, and the steps."""
    found = _STEPS.fullmatch(line)
    if found is None or _plain(found["steps"]) in kept:
        return line, None, []
    steps = [step for part in _BETWEEN.split(found["steps"]) if (step := " ".join(part.split()))]
    fits = 2 <= len(steps) <= MOST_STEPS and max(map(len, steps)) <= LONGEST_STEP
    return (found["head"], found, steps) if fits else (line, None, [])


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold()
