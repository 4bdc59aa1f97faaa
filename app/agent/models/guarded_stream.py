"""What a guarded model streams.

Begun only once it says something, its printed calls made real, its arguments put right.
"""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

from pydantic_ai import ModelResponseStreamEvent
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse

from app.agent.models import providers
from app.agent.models.model_messages import texts_of
from app.agent.models.model_streams import WrappedStream
from app.agent.models.small_models import printed_calls, repair_calls

SAME_CALLS = 2
"""How often the same call may stand in a turn: once made, and once refused because it was made."""


CIRCLES, SHORTEST_CIRCLE, LONGEST_CIRCLE = 10, 12, 200
"""The same words so often in a row are no answer: very small models write them until they are cut
off. In characters.
"""
LOOKED_EVERY = 400


class NoAnswer(UnexpectedModelBehavior):
    """A stream came to its end without text and without a call."""


class Stuck(NoAnswer):
    """A model only makes calls again that it has made, and was told that it has made."""


async def open_guarded(
    stack: contextlib.AsyncExitStack,
    asked: AbstractAsyncContextManager[StreamedResponse],
    parameters: ModelRequestParameters,
    messages: Sequence[ModelMessage],
    now: datetime,
) -> "GuardedStream":
    """Open a model's stream on `stack` and return it once it has said its first word, or made its
    calls; raise whatever came before that.
    """
    async with asyncio.timeout(providers.FIRST_WORD_SECONDS):
        inner = await stack.enter_async_context(asked)
        stream = GuardedStream(
            parameters, inner=inner, texts=texts_of(inner), messages=messages, now=now
        )
        await stream.begin()
    return stream


@dataclasses.dataclass
class GuardedStream(WrappedStream):
    """The stream of a model, from its first word on."""

    texts: AsyncIterator[str] = dataclasses.field(kw_only=True)
    messages: Sequence[ModelMessage] = dataclasses.field(kw_only=True)
    now: datetime = dataclasses.field(kw_only=True)
    printed: list[ToolCallPart] = dataclasses.field(default_factory=list, init=False)
    first: str = dataclasses.field(default="", init=False)
    said: str = dataclasses.field(default="", init=False)
    held: str = dataclasses.field(default="", init=False)
    ended: bool = dataclasses.field(default=False, init=False)

    async def begin(self) -> None:
        """Read as far as the first text that may go out.

        Raise NoAnswer where there is neither text nor call.
        """
        # As long as nothing has gone out, the rules can still answer in its place.
        self.first = await self._next_text()
        if not self.first and not self.calls():
            raise (
                Stuck("the same again") if self._calls_made() else NoAnswer("nothing was answered")
            )

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Pass the text on, but for what became a call; then make the calls."""
        text = self.first
        while text:
            for event in self._parts_manager.handle_text_delta(vendor_part_id="text", content=text):
                yield event
            try:
                text = await self._next_text()
            except (ModelAPIError, UnexpectedModelBehavior):
                raise
            # After the first word nobody can take over; the turn ends with what was said.
            except Exception as error:
                raise ModelAPIError(self.model_name, type(error).__name__) from None
        for call in self.calls():
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=call.tool_call_id,
                tool_name=call.tool_name,
                args=call.args,
                tool_call_id=call.tool_call_id,
            )

    async def _next_text(self) -> str:
        """Return the next text that may go out; empty when all has been said."""
        while not self.ended:
            text = await anext(self.texts, None)
            self.ended = text is None
            self.held += text or ""
            start = (
                len(self.held)
                if self.ended
                else printed_calls.call_start(self.held, begun=bool(self.said))
            )
            if self.ended:
                # Only a whole text can be told from JSON that an answer merely begins with.
                self._take_printed()
                start = len(self.held) if self.said or self.held.strip() else 0
            free, self.held = self.held[:start], self.held[start:]
            self.said += free
            if self._circles(len(free)):
                self.ended = True
                await self.inner.close_stream()
            if free:
                return free
        return ""

    def _circles(self, more: int) -> bool:
        """Return whether the text repeats itself without end, looked at now and then."""
        length = len(self.said)
        if length // LOOKED_EVERY == (length - more) // LOOKED_EVERY:
            return False
        ends = (self.said[-size:] for size in range(SHORTEST_CIRCLE, LONGEST_CIRCLE + 1))
        return any(
            self.said.endswith(end * CIRCLES) and any(mark.isalpha() for mark in end)
            for end in ends
        )

    def calls(self) -> list[ToolCallPart]:
        """Return the calls that the model made, their arguments as the tools have them.

        None where it is stuck in making them.
        """
        made = self._calls_made()
        return (
            []
            if made and all(self._count_same_calls(call) >= SAME_CALLS for call in made)
            else made
        )

    def _calls_made(self) -> list[ToolCallPart]:
        """Return the calls that the model made, or printed where it made none."""
        made = [part for part in self.inner.get().parts if isinstance(part, ToolCallPart)]
        return [self._repair_call(call) for call in made] if made else self.printed

    def _count_same_calls(self, call: ToolCallPart) -> int:
        """Count how often the very call stands in this turn already."""
        count = 0
        for message in self.messages:
            # A new question may need the same call again.
            if isinstance(message, ModelRequest) and any(
                isinstance(part, UserPromptPart) for part in message.parts
            ):
                count = 0
            count += sum(
                _is_same(part, call) for part in message.parts if isinstance(part, ToolCallPart)
            )
        return count

    def _take_printed(self) -> None:
        """Take what is still held as calls where it is that."""
        if (
            not self.held.strip()
            or not self._schemas()
            or any(isinstance(part, ToolCallPart) for part in self.inner.get().parts)
            # Else a note that holds a printed call could make the model run it.
            or self._was_read(self.held)
        ):
            return
        found = printed_calls.calls_in(self.held, self._schemas())
        self.printed = [
            self._repair_call(ToolCallPart(call.name, call.arguments)) for call in found
        ]
        self.held = "" if self.printed else self.held

    def _was_read(self, held: str) -> bool:
        """Return whether the text stands in what a tool or the user gave, so that the model only
        repeats it.
        """
        text = "".join(held.split())
        return any(
            text in "".join(given.split())
            for message in self.messages
            for given in _given_texts(message)
        )

    def _schemas(self) -> dict[str, dict[str, Any]]:
        return {
            tool.name: tool.parameters_json_schema
            for tool in self.model_request_parameters.function_tools
        }

    def _repair_call(self, call: ToolCallPart) -> ToolCallPart:
        schema = self._schemas().get(call.tool_name)
        try:
            given = call.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            return call
        return (
            call
            if schema is None
            else dataclasses.replace(
                call, args=repair_calls.repair_arguments(given, schema, self.now)
            )
        )

    def get(self) -> ModelResponse:
        """Return the response so far, with the calls as they are made."""
        found = self.inner.get()
        others = [part for part in found.parts if not isinstance(part, ToolCallPart)]
        if self.printed:
            # What became calls must not stand in the history as text too, or small models imitate
            # it.
            others = [part for part in others if not isinstance(part, TextPart)]
            others += [TextPart(self.said)] if self.said else []
        return dataclasses.replace(found, parts=[*others, *self.calls()])


def _is_same(one: ToolCallPart, other: ToolCallPart) -> bool:
    return one.tool_name == other.tool_name and one.args_as_dict() == other.args_as_dict()


def _given_texts(message: ModelMessage) -> list[str]:
    """Return the texts of a message that did not come from a model."""
    if not isinstance(message, ModelRequest):
        return []
    return [
        text
        for part in message.parts
        if isinstance(part, ToolReturnPart | UserPromptPart)
        for text in _strings_in(part.content)
    ]


def _strings_in(value: Any) -> Iterator[str]:
    """Yield every text in a value, however deep."""
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _strings_in(part)
        case list() | tuple():
            for part in value:
                yield from _strings_in(part)
        case _:
            pass
