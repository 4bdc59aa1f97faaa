"""What was said in a conversation as the rules look at it, whatever form it is kept in."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from app.agent.steps import Asked, Result

BYTES_A_TOKEN = 4
Kind = Literal["asked", "called", "gave", "refused", "other"]


class Part(NamedTuple):
    """One part of what was said: a message, a call of a tool, what that gave or was refused with, or anything else.

    `content` is a message's text or a tool's result; `arguments` are a call's.
    """

    kind: Kind
    content: Any = None
    tool: str = ""
    call: str = ""
    arguments: Mapping[str, Any] = {}


def asked(parts: Iterable[Part], *, tools: frozenset[str], now: datetime) -> Asked:
    """Give what the rules look at: the newest message, what the tools have given for it, and what was said before."""
    message = ""
    results: list[Result] = []
    before: list[str] = []
    calls: dict[str, Mapping[str, Any]] = {}
    for part in parts:
        match part.kind:
            case "asked":
                if message:
                    before.append(message)
                message = part.content if isinstance(part.content, str) else " ".join(item for item in part.content if isinstance(item, str))
                results = []
            case "called":
                calls[part.call] = part.arguments
            case "gave" | "refused":
                record = part.content if isinstance(part.content, dict) else {"message": str(part.content)}
                results.append(Result(part.tool, calls.get(part.call, {}), record, failed=part.kind == "refused"))
            case _:
                pass
    return Asked(message, tuple(results), tools, now, tuple(before))


def tokens_of(parts: Iterable[Part]) -> int:
    """Estimate the tokens of what was said, so that meters show something true."""
    return sum(tokens(str(part.content)) for part in parts if part.content is not None)


def tokens(text: str) -> int:
    """Estimate the tokens of a text: four bytes each."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)
