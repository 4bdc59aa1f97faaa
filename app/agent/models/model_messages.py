"""A turn's history as the model library's messages."""

from collections.abc import AsyncIterator, Iterator, Sequence

from pydantic_ai import PartDeltaEvent, PartStartEvent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import StreamedResponse

from app.agent.models import prompts
from app.agent.turn import turn_history
from app.agent.turn.token_meter import FREE
from app.agent.turn.transcript import Message, Part

TRACE = "trace"
"""Where a response keeps what a step of the rules leaves to refer to; no provider is sent it."""


def decode(stored: bytes) -> list[ModelMessage]:
    """Return the messages of a history, whoever wrote it."""
    if not turn_history.is_own(stored):
        return ModelMessagesTypeAdapter.validate_json(stored)
    return [_library_message(message) for message in turn_history.decode(stored)]


def parts_of(messages: Sequence[ModelMessage]) -> Iterator[Part]:
    """Yield what was said as the rules look at it."""
    for entry in messages:
        for part in entry.parts:
            match part:
                case UserPromptPart(content=content):
                    yield Part("asked", prompts.prompt_of(content))
                case TextPart(content=content):
                    yield Part("said", content)
                case ToolCallPart():
                    arguments = part.args_as_dict()
                    yield Part("called", None, part.tool_name, part.tool_call_id, arguments)
                # In a response it would be of a tool that the provider ran itself.
                case ToolReturnPart() if isinstance(entry, ModelRequest):
                    result = part.content, part.tool_name, part.tool_call_id
                    yield Part("gave" if part.outcome == "success" else "refused", *result)
                case RetryPromptPart(tool_name=str() as name):
                    yield Part("refused", part.content, name, part.tool_call_id)
                case _:
                    yield Part("other", getattr(part, "content", None))
        if isinstance(entry, ModelResponse) and (left := (entry.metadata or {}).get(TRACE)):
            yield Part("trace", left)


def find_instructions(messages: Sequence[ModelMessage]) -> str:
    """Return the instructions of the newest request that has any."""
    return next(
        (
            entry.instructions
            for entry in reversed(messages)
            if isinstance(entry, ModelRequest) and entry.instructions
        ),
        "",
    )


def _library_message(message: Message) -> ModelMessage:
    # Hearth keeps no names of sides: what a side says tells which it is.
    if any(part.kind in ("asked", "gave", "refused") for part in message):
        return ModelRequest(parts=[_request_part(part) for part in message])
    return ModelResponse(
        parts=[_response_part(part) for part in message if part.kind != "trace"],
        model_name=FREE,
        provider_name=FREE,
        metadata=next(({TRACE: part.content} for part in message if part.kind == "trace"), None),
    )


def _request_part(part: Part) -> ModelRequestPart:
    if part.kind == "asked":
        return UserPromptPart(prompts.content_of(part.content))
    return ToolReturnPart(
        part.tool, part.content, part.call, outcome="success" if part.kind == "gave" else "failed"
    )


def _response_part(part: Part) -> ModelResponsePart:
    if part.kind == "called":
        return ToolCallPart(part.tool, dict(part.arguments), part.call)
    return TextPart(str(part.content))


async def texts_of(stream: StreamedResponse) -> AsyncIterator[str]:
    """Yield the texts of a stream that are not empty."""
    async for event in stream:
        match event:
            case (
                PartStartEvent(part=TextPart(content=text))
                | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
            ) if text:
                yield text
            case _:
                pass
