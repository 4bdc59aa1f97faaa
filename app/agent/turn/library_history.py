"""Histories that the model library wrote, read without it.

Nothing is written here. A turn by rules may follow one of a model, and must not load the library
for that: it takes 1.2 seconds and 36 MB.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from app.agent.turn.message_files import Enclosed, Item, Prompt
from app.agent.turn.steps import Attached
from app.agent.turn.transcript import Message, Part

MARK = "attachment"
"""The key of a text's metadata below which the file stands that the text is of."""


def messages_of(stored: bytes) -> list[Message]:
    """Return the messages of a history."""
    return [list(parts_of(entry)) for entry in msgspec.json.decode(stored)]


def parts_of(entry: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message."""
    for part in entry["parts"]:
        match part["part_kind"]:
            case "user-prompt":
                yield Part("asked", _read_prompt(part["content"]))
            case "text":
                yield Part("said", part["content"])
            case "tool-call":
                arguments = _read_arguments(part.get("args"))
                yield Part("called", None, part["tool_name"], part["tool_call_id"], arguments)
            case "tool-return":
                done = part.get("outcome", "success") == "success"
                result = part["content"], part["tool_name"], part["tool_call_id"]
                yield Part("gave" if done else "refused", *result)
            # Without a tool it is a remark of the library to its model.
            case "retry-prompt" if part.get("tool_name"):
                yield Part("refused", part["content"], part["tool_name"], part["tool_call_id"])
            case _:
                yield Part("other", part.get("content"))


def with_file(text: str, metadata: Any) -> Item:
    """Return a text with its file; a text that has none is the user's own."""
    if not isinstance(metadata, Mapping) or MARK not in metadata:
        return text
    return Enclosed(text, Attached(**metadata[MARK]))


def _read_prompt(content: str | list[Any]) -> Prompt:
    """Return a prompt; what is neither a text nor a file of it is left out."""
    return content if isinstance(content, str) else [_read_item(item) for item in content]


def _read_item(item: Any) -> Item:
    if isinstance(item, str):
        return item
    if item.get("kind") != "text-content":
        return ""
    return with_file(str(item.get("content", "")), item.get("metadata"))


def _read_arguments(args: Any) -> Mapping[str, Any]:
    """Return a call's arguments, which are stored as a record or as its JSON.

    Nothing where a model wrote neither.
    """
    if isinstance(args, str):
        try:
            args = json.loads(args or "{}")
        except ValueError:
            return {}
    return args if isinstance(args, dict) else {}
