"""A typed line as the todo that it would become, for whoever is about to add it.

Besides what quick add finds, a list after a colon is taken for steps where semicolons part it:
“Pack on Friday: tent; stove; map”.
"""

import re
from collections.abc import Collection
from typing import Annotated, Literal

from msgspec import Meta

from app.account import users
from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.schema import Record, Text
from app.workspace.todos import due
from app.workspace.todos.recurrence import Recurrence

LONGEST = 2000
MOST_STEPS, LONGEST_STEP = 100, 255
_STEPS = re.compile(r"(?P<head>.*?\S)\s*[:：]\s+(?P<steps>[^;；]*\S[^;；]*[;；].*\S)\s*", re.S)
_BETWEEN = re.compile("[;；]")


class Recognised(Record):
    """One thing that was recognised: the words that say it, and what they were taken for."""

    kind: Literal["date", "time", "priority", "recurrence", "steps"]
    text: str
    value: str


class TodoLine(Record):
    """The fields of the todo, and where they come from.

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


@operation("TOOL", scope="os.todos:read", effect="read")
async def read_todo_line(
    app: App,
    me: Caller,
    *,
    line: Annotated[str, Text(LONGEST)],
    keep: Annotated[list[str], Meta(max_length=20)] | None = None,
) -> TodoLine:
    """Read a typed line as the todo that it would become; nothing is added.

    `keep` are words of it that are not to be recognised: they stay in the title.
    """
    found = app.quick(users.settings_of, me.user)
    now = app.clock().astimezone(app.quick(due.request_zone, me))
    kept = {_plain(words) for words in keep or []}
    head, written, steps = _split_steps(line, kept)
    read = _without(quickadd.read_line(head, now=now, locale=found.locale), kept)
    recognised = [
        Recognised(span.kind, span.text.strip(), str(span.value))
        for span in sorted(read.spans, key=lambda span: span.start)
    ]
    if steps:
        recognised.append(Recognised("steps", written, str(len(steps))))
    return TodoLine(
        read.title,
        read.due_date,
        read.priority,
        read.recurrence if read.due else None,
        steps,
        recognised,
        read.no_such_day or None,
        read.too_often or None,
    )


def _without(read: QuickAdd, kept: Collection[str]) -> QuickAdd:
    """Return the line read again until none of the words that stay is recognised."""
    while span := next((one for one in read.spans if _plain(one.text) in kept), None):
        read = read.without(span)
    return read


def _split_steps(line: str, kept: Collection[str]) -> tuple[str, str, list[str]]:
    """Return a line without its steps, the words of the steps, and the steps."""
    found = _STEPS.fullmatch(line)
    if found is None or _plain(found["steps"]) in kept:
        return line, "", []
    steps = [step for part in _BETWEEN.split(found["steps"]) if (step := " ".join(part.split()))]
    fits = 2 <= len(steps) <= MOST_STEPS and max(map(len, steps)) <= LONGEST_STEP
    return (found["head"], found["steps"].strip(), steps) if fits else (line, "", [])


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold()
