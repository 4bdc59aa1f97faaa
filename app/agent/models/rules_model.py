"""Steps of the rules in a turn of a model, behind the model library's port.

This is no second way of driving a turn by rules, which `rules_loop` does without the library. A
model that fails before it has said anything, or that cannot call tools, needs steps of the rules in
the middle of its own turn, whose limits, metering and history are kept by the library's run; moving
such a turn to the other driver halfway would need all three twice.
"""

import contextlib
import dataclasses
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from pydantic_ai import ModelResponseStreamEvent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from app.agent.models import model_messages
from app.agent.models.model_streams import StreamingModel
from app.agent.rules import rules
from app.agent.rules.rules_loop import NAME, PIECE
from app.agent.turn import transcript
from app.agent.turn.steps import Step


class RulesModel(StreamingModel):
    """The rules, as a model that answers deterministically and without a network.

    Tokens are an estimate of four bytes each, so that meters show something true.
    """

    def __init__(self, now: datetime) -> None:
        super().__init__()
        self._now = now

    @property
    def model_name(self) -> str:
        """What the contract calls it."""
        return NAME

    @property
    def system(self) -> str:
        """Who provides it."""
        return NAME

    def step(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> Step:
        """Return what the rules do next."""
        tools = frozenset(tool.name for tool in parameters.function_tools)
        told = model_messages.find_instructions(messages)
        said = model_messages.parts_of(messages)
        return rules.next_step(
            transcript.make_asked(said, tools=tools, now=self._now, instructions=told)
        )

    @contextlib.asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Yield the next step in pieces."""
        step = self.step(messages, model_request_parameters)
        yield RulesStream(
            model_request_parameters,
            step=step,
            position=len(messages),
            prompt_tokens=transcript.estimate_tokens_of(model_messages.parts_of(messages)),
            at=self._now,
        )


@dataclasses.dataclass
class RulesStream(StreamedResponse):
    """One step as a stream of parts."""

    step: Step = dataclasses.field(kw_only=True)
    position: int = dataclasses.field(kw_only=True)
    prompt_tokens: int = dataclasses.field(kw_only=True)
    at: datetime = dataclasses.field(kw_only=True)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        self._usage += RequestUsage(
            input_tokens=self.prompt_tokens,
            output_tokens=transcript.estimate_tokens(self.step.text),
        )
        # In pieces as a model's, so that clients need not know which of them speaks.
        for start in range(0, len(self.step.text), PIECE):
            for event in self._parts_manager.handle_text_delta(
                vendor_part_id="text", content=self.step.text[start : start + PIECE]
            ):
                yield event
        for part in _step_parts(self.step, self.position):
            if isinstance(part, ToolCallPart):
                yield self._parts_manager.handle_tool_call_part(
                    vendor_part_id=part.tool_call_id,
                    tool_name=part.tool_name,
                    args=part.args,
                    tool_call_id=part.tool_call_id,
                )

    def get(self) -> ModelResponse:
        """Return the response so far, with what the step leaves for later turns."""
        return dataclasses.replace(super().get(), metadata=left_of(self.step))

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def provider_name(self) -> str:
        return NAME

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self.at.astimezone(UTC)


def left_of(step: Step) -> dict[str, Any] | None:
    """Return what a step leaves for later turns, as a response keeps it."""
    return None if step.trace is None else {model_messages.TRACE: msgspec.to_builtins(step.trace)}


def _step_parts(step: Step, position: int) -> list[TextPart | ToolCallPart]:
    """Return a step as the parts of an answer.

    Ids of calls are made of their place, so that the same conversation always streams the same.
    """
    texts = [TextPart(step.text)] if step.text else []
    return [
        *texts,
        *(
            ToolCallPart(name, json.dumps(fields), tool_call_id=f"off_{position}_{n}")
            for n, (name, fields) in enumerate(step.calls)
        ),
    ]
