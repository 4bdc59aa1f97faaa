"""What the rules look at and what they give.

A message with the results of tools, and the next step.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from app.agent.memory.persona import NOBODY, Persona


class Result(Struct, frozen=True):
    """What a tool gave for the message at hand.

    Its record, or with `failed` its message of refusal.
    """

    tool: str
    arguments: Mapping[str, Any]
    content: Mapping[str, Any]
    failed: bool

    def __hash__(self) -> int:
        return hash((self.tool, self.failed))


class Attached(Struct, frozen=True):
    """A file that a message brought along: its text, or the trouble that there is with it."""

    id: int
    name: str
    text: str
    trouble: str = ""
    is_cut: bool = False


ThingKind = Literal["todo", "note", "folder", "escalation", "request", "person"]
Call = tuple[str, dict[str, Any]]
"""A tool with its arguments."""


class Thing(Struct, frozen=True):
    """Something or somebody that a turn was about."""

    kind: ThingKind
    id: int
    title: str


Mark = tuple[ThingKind, int, str]
"""A thing, and what its record then said of its last change."""


class Question(Struct, frozen=True):
    """What a turn asked back: the wish that waits for the answer, and what it lacks.

    `lacks` is what the answer is to name, a `day` or a `thing`, or a `yes` to the whole; with
    `choices` which of those.
    """

    intent: str
    arguments: dict[str, str]
    lacks: str = ""
    choices: tuple[Thing, ...] = ()

    def __hash__(self) -> int:
        return hash((self.intent, self.lacks, self.choices))


class Trace(Struct, frozen=True, omit_defaults=True):
    """What a turn of the rules leaves for later ones to refer to.

    `shown`: what it listed, in order. `about`: what it made, changed or quoted. `undo`: the calls
    that take back what it did, and `marks` how it left what it edited: the revision of a note, the
    last change of a todo. `asks`: what it asked back. `intent` and `arguments`: how its message was
    understood. `day`: the one day that it told, `told` the amount, `section` the part of a note,
    a row of a table or what is under a heading, and `field` which column or line of that. `then`:
    what else its message wishes, which waits for the answer to what it asked.
    """

    intent: str = ""
    language: str = ""
    arguments: dict[str, str] = {}
    shown: tuple[Thing, ...] = ()
    about: tuple[Thing, ...] = ()
    undo: tuple[Call, ...] = ()
    marks: tuple[Mark, ...] = ()
    asks: Question | None = None
    day: str = ""
    told: str = ""
    section: str = ""
    field: str = ""
    then: str = ""

    def __hash__(self) -> int:
        said = (self.intent, self.language, self.day, self.told, self.section, self.field)
        return hash((*said, self.then))


class Asked(Struct, frozen=True):
    """A message, what tools have given for it so far, which tools are offered, the user's local
    time, the messages before, the owner's wishes, and what earlier turns left, newest first; with
    `is_last` the turn must answer now.
    """

    message: str
    results: tuple[Result, ...]
    tools: frozenset[str]
    now: datetime
    before: tuple[str, ...] = ()
    persona: Persona = NOBODY
    attached: tuple[Attached, ...] = ()
    attached_before: tuple[Attached, ...] = ()
    earlier: tuple[Trace, ...] = ()
    is_last: bool = False

    def of(self, tool: str) -> list[Result]:
        """Return what one tool gave, in order, without its refusals."""
        return [result for result in self.results if result.tool == tool and not result.failed]

    def has(self, tool: str) -> bool:
        """Return whether a tool has answered, be it with a refusal."""
        return any(result.tool == tool for result in self.results)

    @property
    def refusal(self) -> Result | None:
        """The first refusal."""
        return next((result for result in self.results if result.failed), None)


class Quote(Struct, frozen=True):
    """A passage that an answer quotes.

    It stands at start..end, in characters, of the note's Markdown.
    """

    note_id: int
    title: str
    text: str
    start: int
    end: int


class Step(Struct, frozen=True):
    """The next step: tools to call, or the text that answers with what it quotes and leaves.

    What is `empty` says that nothing was found, so that something else may be looked at.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    quotes: tuple[Quote, ...] = ()
    trace: Trace | None = None
    empty: bool = False


def mark_of(kind: ThingKind, record: Mapping[str, Any]) -> Mark:
    """Return how a record of a todo or note says that it was last changed."""
    return kind, record["id"], str(record.get("updatedAt" if kind == "todo" else "revision"))


def call_tool(tool: str, **arguments: Any) -> Step:
    """Return the step that calls one tool."""
    return Step(calls=((tool, arguments),))


def note_link(note_id: int, title: str) -> str:
    """Return a link to a note, as Markdown."""
    escaped = title.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"[{escaped}](hearth:note/{note_id})"
