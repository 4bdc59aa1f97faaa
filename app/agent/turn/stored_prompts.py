"""Prompts as they stand in a conversation's history.

The form of pydantic-ai's messages, without that library.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.turn.message_files import Enclosed, Item, Prompt
from app.agent.turn.steps import Attached

MARK = "attachment"
"""The key of a text's metadata below which the file stands that the text is of."""


def stored(prompt: Prompt) -> str | list[Any]:
    """Give a prompt without pictures as it is stored."""
    return prompt if isinstance(prompt, str) else [_stored(item) for item in prompt]


def read(content: str | list[Any]) -> Prompt:
    """Give a prompt back; what is neither a text nor a file of it is left out."""
    return content if isinstance(content, str) else [_read(item) for item in content]


def enclosed(text: str, metadata: Any) -> Item:
    """Give a text with its file; a text that has none is the user's own."""
    if not isinstance(metadata, Mapping) or MARK not in metadata:
        return text
    return Enclosed(text, Attached(**metadata[MARK]))


def _stored(item: Item) -> Any:
    if not isinstance(item, Enclosed):
        return item
    return {
        "content": item.content,
        "metadata": {MARK: msgspec.structs.asdict(item.file)},
        "kind": "text-content",
    }


def _read(item: Any) -> Item:
    if isinstance(item, str):
        return item
    return (
        enclosed(str(item.get("content", "")), item.get("metadata"))
        if item.get("kind") == "text-content"
        else ""
    )
