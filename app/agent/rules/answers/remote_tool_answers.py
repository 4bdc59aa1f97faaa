"""What the rules do when the owner asks for a tool of an MCP server by its name."""

import itertools
import re
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

JOINED = "__"
LONGEST = 8_000
_NAME = re.compile(r"[a-z0-9_]+__[A-Za-z0-9_-]+")
_WORDS = re.compile(r"[\w-]+")
_FIELD = re.compile(r"""([A-Za-z_][\w-]*)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;]+)""")


def step(asked: Asked, route: Route) -> Step | None:
    """Return the step for a message that names a tool; None for any other, or one of another user.

    `plain__echo text="hello there"`, or with its parameters as a JSON object; the name may also
    stand as two words: plain echo.
    """
    if asked.persona.owner:
        return None
    found = _named(asked)
    if found is None:
        return None
    tool, rest = found
    if not asked.has(tool):
        return Step(calls=((tool, _parameters(rest)),))
    given = asked.of(tool)
    if not given or "escalationId" in given[0].content:
        return list_answers.tell_refusal(asked, route)
    return Step(_text(given[0].content) or "…")


def _named(asked: Asked) -> tuple[str, str] | None:
    """Return the tool that a message names, and what stands after its name."""
    remote = sorted(name for name in asked.tools if JOINED in name)
    if not remote:
        return None
    for match in _NAME.finditer(asked.message):
        if match[0] in remote:
            return match[0], asked.message[match.end() :]
    words = list(_WORDS.finditer(asked.message.partition("=")[0].partition("{")[0]))
    by_words = {name.casefold().replace(JOINED, " "): name for name in remote}
    for first, second in itertools.pairwise(words):
        if name := by_words.get(f"{first[0]} {second[0]}".casefold()):
            return name, asked.message[second.end() :]
    return None


def _parameters(text: str) -> dict[str, Any]:
    start = text.find("{")
    if start >= 0:
        try:
            found = msgspec.json.decode(text[start : text.rfind("}") + 1])
        except msgspec.DecodeError:
            found = None
        if isinstance(found, dict):
            return found
    return {match[1]: _value(match[2]) for match in _FIELD.finditer(text)}


def _value(text: str) -> Any:
    if text.startswith("'"):
        return text[1:-1]
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _text(content: Any) -> str:
    """Return the texts of a result, quoted, since others wrote them."""
    parts = [
        part["text"] for part in content.get("content", ()) if isinstance(part.get("text"), str)
    ]
    text = "\n".join(parts) or msgspec.json.encode(content.get("structuredContent", {})).decode()
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return "\n".join(f"> {line}" for line in cut.split("\n"))
