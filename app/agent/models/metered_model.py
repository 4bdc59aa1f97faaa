"""Any brain with its calls metered, behind the same port of pydantic-ai."""

import contextlib
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponsePart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from app.agent.models.model_messages import find_instructions
from app.agent.models.model_streams import StreamingModel
from app.agent.turn import transcript
from app.agent.turn.token_meter import Meter, count_tokens, longest_answer

FILE_BYTES = 6_000
"""About what an image costs: its size in bytes says nothing of it."""


class MeteredModel(StreamingModel, WrapperModel):
    """Reserves each call of the brain in the meter before it is made and notes what it took.

    Raises BudgetExceeded instead of asking the brain where a cap has no room for the call.
    """

    def __init__(self, wrapped: Model, meter: Meter) -> None:
        super().__init__(wrapped)
        self._meter = meter

    @contextlib.asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Yield the brain's answer in pieces."""
        limited = await self._reserve(messages, model_settings, model_request_parameters)
        # Only a call that never began is free; of one that broke off the words so far are counted.
        opened = False
        try:
            async with self.wrapped.request_stream(
                messages, limited, model_request_parameters, run_context
            ) as stream:
                opened = True
                try:
                    yield stream
                finally:
                    parts = stream.get().parts
                    self._note(stream.usage, parts, messages, model_request_parameters)
        except ModelAPIError:
            if not opened:
                self._meter.after(0, 0)
            raise

    async def _reserve(
        self,
        messages: Sequence[ModelMessage],
        given: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelSettings | None:
        """Reserve the call and return the settings with which it cannot take more."""
        if not self._meter.reserves:
            return given
        asked = (given or {}).get("max_tokens") or self._meter.app.settings.max_completion
        await self._meter.before(
            self._prompt(messages, parameters), longest_answer(self.system, asked)
        )
        most = self._meter.most
        return (
            given
            if most is None
            else ModelSettings(**{**(given or {}), "max_tokens": min(asked, most)})
        )

    def _note(
        self,
        usage: RequestUsage,
        parts: Sequence[ModelResponsePart],
        messages: Sequence[ModelMessage],
        parameters: ModelRequestParameters,
    ) -> None:
        """Note what a call took; of a brain that does not say, or was cut off before it said,
        what its words come to.
        """
        # Many local servers tell no usage.
        prompt, completion = usage.input_tokens, usage.output_tokens
        if not (prompt or completion):
            prompt = self._prompt(messages, parameters)
            completion = count_tokens(text for part in parts for text in _texts_of_part(part))
        self._meter.after(prompt, completion)

    def _prompt(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
        """Return the tokens that a prompt takes at most, nearly always."""
        texts = (
            text for entry in messages for part in entry.parts for text in _texts_of_part(part)
        )
        told = find_instructions(messages)
        tools = (
            json.dumps([tool.name, tool.description, tool.parameters_json_schema])
            for tool in parameters.function_tools
        )
        return count_tokens((told, *tools, *texts))


def _texts_of_part(part: Any) -> Iterator[str | bytes]:
    """Yield what of a part is read as text, with something for its frame."""
    yield bytes(transcript.PART_BYTES)
    if isinstance(part, ToolCallPart):
        yield part.args_as_json_str()
        return
    content = getattr(part, "content", "")
    for item in content if isinstance(content, (list, tuple)) else (content,):
        yield (
            item
            if isinstance(item, str)
            else bytes(FILE_BYTES)
            if hasattr(item, "media_type")
            else str(item)
        )
