"""What the rules look at and what they give.

A message with the results of tools, and the next step.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

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


class Attached(Struct, frozen=True):
    """A file that a message brought along: its text, or the trouble that there is with it."""

    id: int
    name: str
    text: str
    trouble: str = ""
    is_cut: bool = False


class Asked(Struct, frozen=True):
    """A message, what tools have given for it so far, which tools are offered, the user's local
    time, the messages before, and the owner's wishes.
    """

    message: str
    results: tuple[Result, ...]
    tools: frozenset[str]
    now: datetime
    before: tuple[str, ...] = ()
    persona: Persona = NOBODY
    attached: tuple[Attached, ...] = ()
    attached_before: tuple[Attached, ...] = ()

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
    """The next step: tools to call, or the text that answers with what it quotes."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    quotes: tuple[Quote, ...] = ()


def call_tool(tool: str, **arguments: Any) -> Step:
    """Return the step that calls one tool."""
    return Step(calls=((tool, arguments),))


def note_link(note_id: int, title: str) -> str:
    """Return a link to a note, as Markdown."""
    escaped = title.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"[{escaped}](hearth:note/{note_id})"
