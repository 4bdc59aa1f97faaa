"""What was said in a conversation as the rules look at it, whatever form it is kept in."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from app.agent.memory.persona import read_persona
from app.agent.turn import message_files
from app.agent.turn.steps import Asked, Attached, Result, Trace
from app.agent.turn.token_meter import USUAL_BYTES_A_TOKEN, count_tokens
from app.agent.turn.traces import trace_of

PART_BYTES = 16
"""What the frame of a part may take at most, where room for it is reserved."""
TURNS_REFERRED_TO = 5
"""To so many turns before a message may refer."""
Kind = Literal["asked", "said", "called", "gave", "refused", "trace", "other"]


class Part(NamedTuple):
    """One part of what was said.

    A message, the agent's answer, a call of a tool, what that gave or was refused with, what an
    answer leaves to refer to, or anything else.

    `content` is a message with what it brought along, or a tool's result; `arguments` are a call's.
    """

    kind: Kind
    content: Any = None
    tool: str = ""
    call: str = ""
    arguments: Mapping[str, Any] = {}


Message = Sequence[Part]
"""What one side says at once: a user, the agent, or the tools."""


def make_asked(
    parts: Iterable[Part],
    *,
    tools: frozenset[str] = frozenset(),
    now: datetime,
    instructions: str = "",
) -> Asked:
    """Return what the rules look at.

    The newest message, what the tools have given for it, what was said before, and the owner's
    wishes.
    """
    message = ""
    results: list[Result] = []
    before: list[str] = []
    files: tuple[Attached, ...] = ()
    files_before: tuple[Attached, ...] = ()
    calls: dict[str, Mapping[str, Any]] = {}
    traces: list[Trace | None] = [None]
    for part in parts:
        match part.kind:
            case "asked":
                if message:
                    before.append(message)
                    # A turn of a model leaves no trace of its own.
                    traces[-1] = traces[-1] or trace_of(results)
                    traces.append(None)
                # Results belong to the newest message: those of earlier turns are history.
                message, results = message_files.typed_text(part.content), []
                files, files_before = (
                    message_files.attached_files(part.content),
                    files or files_before,
                )
            case "called":
                calls[part.call] = part.arguments
            case "gave" | "refused":
                results.append(tool_result(part, calls.get(part.call, {})))
            case "trace":
                traces[-1] = msgspec.convert(part.content, Trace)
            case _:
                pass
    return Asked(
        message,
        tuple(results),
        tools,
        now,
        tuple(before),
        read_persona(instructions),
        files,
        files_before,
        tuple(trace for trace in reversed(traces[:-1][-TURNS_REFERRED_TO:]) if trace is not None),
    )


def tool_result(part: Part, arguments: Mapping[str, Any]) -> Result:
    """Return what a tool gave; a call that waits for the owner has given nothing yet."""
    record = part.content if isinstance(part.content, dict) else {"message": str(part.content)}
    # As refused: the rules must not tell of it as done.
    if record.get("status") == "awaiting_approval":
        return Result(
            part.tool, arguments, {"escalationId": record.get("escalationId")}, failed=True
        )
    return Result(part.tool, arguments, record, failed=part.kind == "refused")


def estimate_tokens_of(parts: Iterable[Part]) -> int:
    """Estimate the tokens of what was said, so that meters show something true."""
    return sum(
        estimate_tokens(_part_content(part))
        for part in parts
        if part.content is not None and part.kind != "trace"
    )


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: four bytes each."""
    return -(-len(text.encode()) // USUAL_BYTES_A_TOKEN)


def upper_token_bound(parts: Iterable[Part]) -> int:
    """Return the tokens that what was said takes at most, nearly always.

    What is to be reserved for it.
    """
    return count_tokens(_texts_to_weigh(parts))


def _texts_to_weigh(parts: Iterable[Part]) -> Iterator[str | bytes]:
    for part in parts:
        if part.kind == "trace":
            continue
        yield bytes(PART_BYTES)
        yield json.dumps(part.arguments) if part.kind == "called" else _part_content(part)


def _part_content(part: Part) -> str:
    return message_files.all_text(part.content) if part.kind == "asked" else str(part.content)
