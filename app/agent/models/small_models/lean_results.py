"""Results of tools as models are told them.

Each thing once, and nothing that only a program needs.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart

FOR_PROGRAMS = frozenset({"marks", "score"})


def lean_message(message: ModelMessage) -> ModelMessage:
    """Return a message with the results in it made lean."""
    return map_results(
        message, lambda part: dataclasses.replace(part, content=lean_result(part.content))
    )


def map_results(
    message: ModelMessage, change: Callable[[ToolReturnPart], ToolReturnPart]
) -> ModelMessage:
    """Return a message with each result of a tool in it changed."""
    if not isinstance(message, ModelRequest) or not any(
        isinstance(part, ToolReturnPart) for part in message.parts
    ):
        return message
    parts = [change(part) if isinstance(part, ToolReturnPart) else part for part in message.parts]
    return dataclasses.replace(message, parts=parts)


def lean_result(value: Any) -> Any:
    """Return a result without what stands in it twice.

    A note's HTML beside its Markdown, hits told again, fields that are empty.
    """
    if isinstance(value, list):
        return [lean_result(part) for part in value]
    if not isinstance(value, Mapping):
        return value
    found = {
        name: part
        for name, part in value.items()
        if name not in FOR_PROGRAMS and part is not None and part != []
    }
    # The same text as HTML.
    if "markdown" in found:
        found.pop("content", None)
    return {name: lean_result(part) for name, part in _hits_with_texts(found).items()}


def _hits_with_texts(found: dict[str, Any]) -> dict[str, Any]:
    """Return the hits of a search with the text of each, instead of two lists of them."""
    again = found.get("result")
    if not (
        isinstance(found.get("results"), list)
        and isinstance(again, Mapping)
        and isinstance(again.get("results"), list)
    ):
        return found
    texts = {
        hit["id"]: hit["content"]
        for hit in again["results"]
        if isinstance(hit, Mapping) and "id" in hit and "content" in hit
    }
    hits = [_with_text(hit, texts) for hit in found["results"]]
    return {**{name: part for name, part in found.items() if name != "result"}, "results": hits}


def _with_text(hit: Any, texts: Mapping[Any, str]) -> Any:
    if not isinstance(hit, Mapping) or hit.get("id") not in texts:
        return hit
    return {
        **{name: part for name, part in hit.items() if name != "snippet"},
        "content": texts[hit["id"]],
    }
