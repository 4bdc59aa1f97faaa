"""What a guarded model streams: begun only once it says something, its printed calls made real, its arguments put right."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from pydantic_ai import ModelResponseStreamEvent, PartDeltaEvent, PartStartEvent
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, TextPartDelta, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.usage import RequestUsage

from app.agent import near_misses, printed_calls


class NoAnswer(UnexpectedModelBehavior):
    """A stream came to its end without text and without a call."""


async def opened(
    stack: contextlib.AsyncExitStack,
    asked: AbstractAsyncContextManager[StreamedResponse],
    parameters: ModelRequestParameters,
    messages: Sequence[ModelMessage],
    now: datetime,
) -> "GuardedStream":
    """Open a model's stream on `stack` and give it once it has said its first word, or made its calls; raise whatever came before that."""
    inner = await stack.enter_async_context(asked)
    texts = _texts(inner)
    first = await anext(texts, None)
    stream = GuardedStream(parameters, inner=inner, first=first, rest=texts, messages=messages, now=now)
    if first is None and not stream.calls():
        raise NoAnswer("nothing was answered")
    return stream


@dataclasses.dataclass
class GuardedStream(StreamedResponse):
    """The stream of a model, from its first word on."""

    inner: StreamedResponse = dataclasses.field(kw_only=True)
    first: str | None = dataclasses.field(kw_only=True)
    rest: AsyncIterator[str] = dataclasses.field(kw_only=True)
    messages: Sequence[ModelMessage] = dataclasses.field(kw_only=True)
    now: datetime = dataclasses.field(kw_only=True)
    printed: list[ToolCallPart] = dataclasses.field(default_factory=list, init=False)
    said: str = dataclasses.field(default="", init=False)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Pass the text on, but for what may be a printed call; then make the calls."""
        held = ""
        async for text in self._texts():
            held += text
            start = printed_calls.held_from(held) if not self.said.strip() or printed_calls.TAG[0] in held else None
            if start is not None and self.said.strip() and held[start : start + 1] != printed_calls.TAG[0]:
                start = None
            free = held if start is None else held[:start]
            held = held[len(free) :]
            for event in self._say(free):
                yield event
        self._take_printed(held)
        if not self.printed:
            for event in self._say(held):
                yield event
        for call in self.calls():
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=call.tool_call_id, tool_name=call.tool_name, args=call.args, tool_call_id=call.tool_call_id
            )

    def _say(self, text: str) -> list[ModelResponseStreamEvent]:
        self.said += text
        return list(self._parts_manager.handle_text_delta(vendor_part_id="text", content=text)) if text else []

    async def _texts(self) -> AsyncIterator[str]:
        if self.first is not None:
            yield self.first
        try:
            async for text in self.rest:
                yield text
        except (ModelAPIError, UnexpectedModelBehavior):
            raise
        except Exception as error:
            raise ModelAPIError(self.model_name, type(error).__name__) from None

    def calls(self) -> list[ToolCallPart]:
        """Give the calls that the model made, their arguments as the tools have them; what it printed where it made none."""
        made = [part for part in self.inner.get().parts if isinstance(part, ToolCallPart)]
        return [self._repaired(call) for call in made] if made else self.printed

    def _take_printed(self, held: str) -> None:
        if held and not any(isinstance(part, ToolCallPart) for part in self.inner.get().parts) and not self._was_read(held):
            found = printed_calls.calls_in(held, self._schemas())
            made = [ToolCallPart(call.name, call.arguments) for call in found]
            self.printed = [self._repaired(call) for call in made]

    def _was_read(self, held: str) -> bool:
        """Say whether the text stands in what a tool or the user gave, so that the model only repeats it."""
        text = "".join(held.split())
        return any(text in "".join(given.split()) for message in self.messages for given in _given(message))

    def _schemas(self) -> dict[str, dict[str, Any]]:
        return {tool.name: tool.parameters_json_schema for tool in self.model_request_parameters.function_tools}

    def _repaired(self, call: ToolCallPart) -> ToolCallPart:
        schema = self._schemas().get(call.tool_name)
        try:
            given = call.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            return call
        return call if schema is None else dataclasses.replace(call, args=near_misses.repaired(given, schema, self.now))

    def get(self) -> ModelResponse:
        """Give the response so far, with the calls as they are made."""
        found = self.inner.get()
        calls = iter(self.calls())
        if self.printed:
            others = [part for part in found.parts if not isinstance(part, TextPart)]
            texts = [TextPart(self.said)] if self.said.strip() else []
            return dataclasses.replace(found, parts=[*others, *texts, *self.printed])
        return dataclasses.replace(found, parts=[next(calls) if isinstance(part, ToolCallPart) else part for part in found.parts])

    async def close_stream(self) -> None:
        """Close the model's own stream."""
        await self.inner.close_stream()

    @property
    def usage(self) -> RequestUsage:
        return self.inner.usage

    @property
    def model_name(self) -> str:
        return self.inner.model_name

    @property
    def provider_name(self) -> str | None:
        return self.inner.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.inner.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.inner.timestamp


async def _texts(stream: StreamedResponse) -> AsyncIterator[str]:
    """Give the texts of a stream that are not empty."""
    async for event in stream:
        match event:
            case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                yield text
            case _:
                pass


def _given(message: ModelMessage) -> list[str]:
    """Give the texts of a message that did not come from a model."""
    if not isinstance(message, ModelRequest):
        return []
    return [text for part in message.parts if isinstance(part, ToolReturnPart | UserPromptPart) for text in _strings(part.content)]


def _strings(value: Any) -> Iterator[str]:
    """Give every text in a value, however deep."""
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _strings(part)
        case list() | tuple():
            for part in value:
                yield from _strings(part)
        case _:
            pass
