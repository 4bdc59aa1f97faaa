"""What the agent does without a model: from a message and what tools have given for it to the next step."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any


@dataclasses.dataclass(frozen=True)
class Result:
    """What a tool gave for the message at hand: its record, or with `failed` its message of refusal."""

    tool: str
    arguments: Mapping[str, Any]
    content: Mapping[str, Any]
    failed: bool


@dataclasses.dataclass(frozen=True)
class Asked:
    """A message, what tools have given for it so far, which tools are offered, the user's local time, and the messages before."""

    message: str
    results: tuple[Result, ...]
    tools: frozenset[str]
    now: datetime
    before: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Step:
    """The next step: tools to call, or the text that answers."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


HELP = (
    "I work without a language model here. I can search your notes and answer with what they say, list, add and complete todos, "
    "write a note and sum up your day. Ask me what you want to know, or write `todo: …` or `note: …`."
)


def next_step(asked: Asked) -> Step:
    """Give the next step for a message: the same for the same message, results, tools and time."""
    if asked.results:
        return Step(_told(asked.results))
    if "search_notes" not in asked.tools:
        return Step(HELP)
    return Step(calls=(("search_notes", {"query": asked.message[:1000], "limit": 5}),))


def _told(results: tuple[Result, ...]) -> str:
    lines = []
    for result in results:
        if result.failed:
            lines.append(f"`{result.tool}` was refused: {result.content.get('message', '')}")
        lines += [f"- **{hit['title']}**: {hit['snippet']}" for hit in result.content.get("results", ())]
    return "\n".join(lines) or "I found nothing about that in your notes."
