"""Calls of tools that a small model prints instead of making them.

Found in its text, so that they go the way of every other call.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

TAG, END_TAG = "<tool_call>", "</tool_call>"
FENCE = "```"
LONGEST = 20_000
_TAGGED = re.compile(rf"{TAG}\s*(.*?)\s*(?:{END_TAG}|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call|tool_code)?\s*(.*?)\s*```", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}")
NAMES = ("name", "tool", "tool_name", "function")
ARGUMENTS = ("arguments", "parameters", "params", "args", "input")


class PrintedCall(NamedTuple):
    """A call as it was meant."""

    name: str
    arguments: dict[str, Any]


def call_start(text: str, *, begun: bool) -> int:
    """Return where what may be a printed call begins in an answer that is still coming, its length
    where nothing of it may be one.

    A call without a tag is the whole of an answer, so once one has `begun` only tags count.
    """
    if not begun:
        beginning = text.lstrip()
        if not beginning or beginning[0] in "{[" or FENCE.startswith(beginning[: len(FENCE)]):
            return 0
    place = text.find(TAG)
    if place >= 0:
        return place
    # The tag itself may still be coming, a letter at a time.
    tail = text.rfind("<")
    return tail if tail >= 0 and TAG.startswith(text[tail:]) else len(text)


def calls_in(text: str, tools: Collection[str]) -> list[PrintedCall]:
    """Return the calls that a text is made of, and nothing where one of them is none.

    Without a tag only known tools are called.
    """
    # No call is so long, and what a model repeats may be endless.
    if len(text) > LONGEST:
        return []
    tagged = TAG in text
    parts = (
        _TAGGED.findall(text)
        if tagged
        else [found[1] if (found := _FENCED.fullmatch(text.strip())) else text.strip()]
    )
    calls: list[PrintedCall] = []
    for part in parts:
        try:
            value = _read_json(part)
        except (ValueError, RecursionError):
            return []
        for entry in value if isinstance(value, list) else [value]:
            call = _read_call(entry, tools, tagged=tagged)
            if call is None:
                return []
            calls.append(call)
    return calls


def _read_json(text: str) -> Any:
    """Return the JSON of a call, with or without the braces doubled around it.

    The template that comes with some files of Qwen2.5-Coder shows the model doubled ones.
    """
    if not text.startswith("{{"):
        return json.loads(text)
    value, end = json.JSONDecoder().raw_decode(text[1:])
    if text[1 + end :].strip("} \n"):
        raise ValueError(text)
    return value


def _read_call(value: Any, tools: Collection[str], *, tagged: bool) -> PrintedCall | None:
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
    if name is None or not isinstance(given, dict):
        return None
    known = {tool.casefold(): tool for tool in tools}
    # With the tag it is surely a call, so even an unknown name goes on and is refused by it.
    meant = known.get(name.casefold(), name if tagged and _NAME.fullmatch(name) else None)
    return None if meant is None else PrintedCall(meant, given)
