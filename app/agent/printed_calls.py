"""Calls of tools that a small model prints instead of making them: found in its text, so that they go the way of every other call."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from app.core.regex import regex

TAG, END_TAG = "<tool_call>", "</tool_call>"
FENCE = "```"
LONGEST = 20_000
_TAGGED = regex(rf"{TAG}\s*(.*?)\s*(?:{END_TAG}|\Z)", re.DOTALL)
_FENCED = regex(r"```(?:json|tool_call|tool_code)?\s*(.*?)\s*```", re.DOTALL)
NAMES = ("name", "tool", "tool_name", "function")
ARGUMENTS = ("arguments", "parameters", "params", "args", "input")


class PrintedCall(NamedTuple):
    """A call as it was meant."""

    name: str
    arguments: dict[str, Any]


def held_from(text: str) -> int | None:
    """Give where what may be a printed call begins in an answer that is still coming; None where nothing of it may be one."""
    beginning = len(text) - len(text.lstrip())
    if beginning == len(text) or text[beginning] in "{[" or _begins(text[beginning:], FENCE):
        return beginning if beginning < len(text) else None
    place = text.find(TAG)
    if place >= 0:
        return place
    tail = text.rfind("<")
    return tail if tail >= 0 and TAG.startswith(text[tail:]) else None


def calls_in(text: str, tools: Collection[str]) -> list[PrintedCall]:
    """Give the calls of known tools that a text is made of, and nothing where it is, or holds, anything else."""
    if len(text) > LONGEST:
        return []
    parts = _TAGGED.findall(text) if TAG in text else [found[1] if (found := _FENCED.fullmatch(text.strip())) else text.strip()]
    calls: list[PrintedCall] = []
    for part in parts:
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            return []
        for entry in value if isinstance(value, list) else [value]:
            call = _call(entry, tools)
            if call is None:
                return []
            calls.append(call)
    return calls


def _call(value: Any, tools: Collection[str]) -> PrintedCall | None:
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    if isinstance(inner, Mapping):
        value = inner
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in ARGUMENTS if key in value), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None
    known = {tool.casefold(): tool for tool in tools}
    if name is None or name.casefold() not in known or not isinstance(given, dict):
        return None
    return PrintedCall(known[name.casefold()], given)


def _begins(text: str, mark: str) -> bool:
    """Say whether a text begins with a mark, or is the beginning of one."""
    return text.startswith(mark) or mark.startswith(text)
