"""Prompts in pydantic-ai's words, and back: what a user says and brings along."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    TextContent,
    UserContent,
    UserPromptPart,
)

from app.agent.turn import library_history, message_files
from app.agent.turn.message_files import Enclosed, Item, Picture, Prompt


def content_of(prompt: Prompt) -> str | list[UserContent]:
    """Return a prompt as a model is told it."""
    return prompt if isinstance(prompt, str) else [_content_of_item(item) for item in prompt]


def prompt_of(content: str | Sequence[UserContent]) -> Prompt:
    """Return what a message of pydantic-ai's says and brings along."""
    return content if isinstance(content, str) else [_item_of_content(item) for item in content]


def shorten_messages(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return messages as they are remembered."""
    return [
        dataclasses.replace(entry, parts=[_shorten_part(part) for part in entry.parts])
        if isinstance(entry, ModelRequest)
        else entry
        for entry in messages
    ]


def _shorten_part(part: Any) -> Any:
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return part
    return dataclasses.replace(
        part, content=content_of(message_files.remember_prompt(prompt_of(part.content)))
    )


def _content_of_item(item: Item) -> UserContent:
    match item:
        case Enclosed(content, file):
            return TextContent(
                content, metadata={library_history.MARK: msgspec.structs.asdict(file)}
            )
        case Picture(data, media_type, identifier):
            return BinaryContent(data, media_type=media_type, identifier=identifier)
    return item


def _item_of_content(content: UserContent) -> Item:
    match content:
        case TextContent():
            return library_history.with_file(content.content, content.metadata)
        case BinaryContent():
            return Picture(content.data, content.media_type, content.identifier)
    return content if isinstance(content, str) else ""
