"""A turn as it runs: what it is given, what it tells as it goes on, what it leaves behind, and the one way in which it uses a tool."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from app.agent.citations import Quotes, Source
from app.core.app import App
from app.core.caller import Caller
from app.core.shapes import encode
from app.errors import AppError, Invalid, Unavailable
from app.tools import namespaces, registry
from app.tools.toolbox import shown

REQUESTS = 8
TOOL_CALLS = 16
TOKENS = 100_000
RETRIES = 2
LONGEST_SUMMARY = 200
TOO_MUCH = "The turn was stopped at its limit of steps or tokens; ask again in smaller parts."
UNUSABLE = "The model did not give a usable answer; try again, or choose another model."
_SAME_CALL = "This very call was just made; use its result or answer."

Event = dict[str, Any]
Outcome = Literal["success", "failed", "retried"]


@dataclasses.dataclass
class Call:
    """A tool that was called in a turn, and what came of it."""

    tool: str
    id: str
    arguments: str
    outcome: str = "called"


@dataclasses.dataclass(frozen=True)
class Used:
    """What using a tool gave: its record, or the sentence of its refusal; `retried` is one that better arguments may avoid."""

    content: Any
    outcome: Outcome = "success"


@dataclasses.dataclass
class Turn:
    """What a turn is given, and what it leaves behind as it goes on."""

    app: App
    me: Caller
    now: str
    zone: str
    emit: Callable[[Event], None]
    calls: list[Call] = dataclasses.field(default_factory=list)
    text: str = ""
    last: tuple[str, str] | None = None
    quotes: Quotes = dataclasses.field(init=False)
    _open: dict[str, None] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.quotes = Quotes(self._source)

    @property
    def tools_used(self) -> list[str]:
        """The names of the tools that were called, each once, in order."""
        return list(dict.fromkeys(call.tool for call in self.calls))

    async def say(self, text: str) -> None:
        """Pass on the next piece of the answer, as much of it as may go out now."""
        self._tell(await self.quotes.add(text))

    async def said(self) -> None:
        """Pass on what is left of a text that has ended."""
        self._tell(await self.quotes.end())

    async def begin_call(self, tool: str, call_id: str) -> None:
        """Tell that a tool is about to be used."""
        await self.said()
        self._open[call_id] = None
        self.emit({"type": "tool-call-start", "toolName": tool, "toolCallId": call_id})

    def end_call(self, call_id: str, outcome: str) -> None:
        """Tell what came of a call."""
        self._open.pop(call_id, None)
        done = outcome == "success"
        found = next((call.outcome for call in self.calls if call.id == call_id), "refused")
        summary = ("done" if done else found)[:LONGEST_SUMMARY]
        self.emit({"type": "tool-call-result", "toolCallId": call_id, "ok": done, "summary": summary})

    async def end(self) -> None:
        """Pass on what is left to tell when the turn has ended: of the text, and of calls whose result nobody waited for."""
        await self.said()
        for call_id in list(self._open):
            self.end_call(call_id, "failed")

    def _tell(self, text: str) -> None:
        if text:
            self.text += text
            self.emit({"type": "text-delta", "textDelta": text})

    async def _source(self, note_id: int) -> Source | None:
        """Give a note as the turn's caller may read it; None where there is no such note for them."""
        try:
            answer = await self.app.call(self.me, "get_note_content", {"id": note_id})
        except AppError:
            return None
        note = msgspec.json.decode(encode(answer))["note"]
        return Source(note["title"], note["markdown"])


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a turn ended: what it cost in tokens, what the next turn remembers of it, and why it stopped early, if it did."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    history: bytes
    error: AppError | None


def offered(app: App, me: Caller) -> list[registry.Tool]:
    """Give the tools of the namespaces that are on, as far as the caller's scopes reach: what is not offered cannot be used."""
    on = app.quick(namespaces.enabled, me)
    return [tool for tool in registry.native(app.catalog).values() if on(tool.namespace) and me.may(tool.operation.scopes)]


async def use(turn: Turn, tool: str, arguments: Mapping[str, Any], call_id: str) -> Used:
    """Run one tool by the same door as everyone; a refusal is told to the brain and is never a crash."""
    call = Call(tool, call_id, json.dumps(arguments, ensure_ascii=False, default=str))
    turn.calls.append(call)
    if turn.last == (tool, call.arguments):
        call.outcome = "repeated"
        return Used(_SAME_CALL, "failed")
    turn.last = (tool, call.arguments)
    try:
        record = await registry.call(turn.app, turn.me, registry.find(turn.app, tool), arguments)
    except AppError as error:
        call.outcome = error.message
        return Used(error.message, "retried" if isinstance(error, Invalid) else "failed")
    call.outcome = "done"
    result = encode(record)
    return Used(msgspec.json.decode(encode(shown(result))))


def too_much() -> Unavailable:
    """Give the refusal of a turn that reached one of its limits."""
    return Unavailable(TOO_MUCH)


def unusable() -> Unavailable:
    """Give the refusal of a turn whose brain failed, in words that do not hold what a provider wrote."""
    return Unavailable(UNUSABLE)
