"""Making a conversation fit into a model's context.

Long results are cut, and the oldest turns are left out.
"""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from app.agent.models.small_models.lean_results import map_results
from app.agent.turn.token_meter import LEAST_BYTES_A_TOKEN

SHORTEST_RESULT = 600
CUT = " … (the rest was left out)"


def estimate_tokens(messages: Sequence[ModelMessage], tools: Sequence[ToolDefinition] = ()) -> int:
    """Estimate the tokens that messages and the tools beside them take."""
    said = sum(_part_size(part) for message in messages for part in message.parts)
    told = (
        len((messages[-1].instructions or "").encode())
        if messages and isinstance(messages[-1], ModelRequest)
        else 0
    )
    described = sum(
        len(tool.name) + len(tool.description or "") + len(json.dumps(tool.parameters_json_schema))
        for tool in tools
    )
    return (said + told + described) // LEAST_BYTES_A_TOKEN


def fit_history(
    messages: list[ModelMessage], budget: int, *, most_result: int
) -> list[ModelMessage]:
    """Return the messages cut to about `budget` tokens.

    No result above `most_result` tokens, then whole turns from the oldest on, never the newest.

    What is left of the newest turn is only cut in its results, so it may still be too long.
    """
    kept = [_with_short_results(message, most_result * LEAST_BYTES_A_TOKEN) for message in messages]
    beginnings = [place for place, message in enumerate(kept) if _begins_a_turn(message)]
    # Whole turns, since a result without its call is refused by most providers.
    while estimate_tokens(kept) > budget and len(beginnings) > 1:
        first = beginnings[1]
        kept, beginnings = kept[first:], [place - first for place in beginnings[1:]]
    longest = most_result * LEAST_BYTES_A_TOKEN
    # By halves, so that a long result keeps as much as there is room for.
    while estimate_tokens(kept) > budget and longest > SHORTEST_RESULT:
        longest //= 2
        kept = [_with_short_results(message, max(longest, SHORTEST_RESULT)) for message in kept]
    return kept


def _begins_a_turn(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(
        isinstance(part, UserPromptPart) for part in message.parts
    )


def _with_short_results(message: ModelMessage, longest: int) -> ModelMessage:
    return map_results(message, lambda part: _shorten_result(part, longest))


def _shorten_result(part: ToolReturnPart, longest: int) -> ToolReturnPart:
    text = _content_text(part.content).encode()
    if len(text) <= longest:
        return part
    return dataclasses.replace(part, content=text[:longest].decode(errors="ignore") + CUT)


def _part_size(part: Any) -> int:
    if isinstance(part, ToolReturnPart):
        return len(_content_text(part.content).encode())
    held = getattr(part, "content", None) or getattr(part, "args", None) or ""
    return len(_content_text(held).encode())


def _content_text(content: Any) -> str:
    return (
        content
        if isinstance(content, str)
        else json.dumps(content, ensure_ascii=False, default=str)
    )
