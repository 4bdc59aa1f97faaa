"""The agent's loop with a model: ask it, run the tools it names, until it answers.

Tools run with the caller's own rights. Here pydantic-ai is driven.
"""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any

from pydantic_ai import (
    Agent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelRetry,
    PartDeltaEvent,
    PartStartEvent,
    RunContext,
)
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.usage import UsageLimits
from pydantic_core import SchemaValidator, core_schema

from app.agent.models import failures, model_messages, prompts
from app.agent.models.model_choice import OFFLINE
from app.agent.turn import live_turn
from app.agent.turn.live_turn import TooManyRefusals, Turn, TurnEnd
from app.agent.turn.message_files import Prompt
from app.errors import AppError, Unavailable
from app.tools.approvals import audit, stop_switch
from app.tools.registry import registry

# Arguments are checked by the operation itself, whose refusals the model can read.
_an_object = SchemaValidator(core_schema.dict_schema(keys_schema=core_schema.str_schema()))


class OfferedTools(AbstractToolset[Turn]):
    """The tools that the turn's caller may use, as the catalogue has them.

    What is not offered cannot be called.
    """

    @property
    def id(self) -> str:
        """The name of this one set."""
        return "catalogue"

    async def get_tools(self, ctx: RunContext[Turn]) -> dict[str, ToolsetTool[Turn]]:
        """Return the tools that are offered in the turn, and those of its interceptor."""
        turn = ctx.deps
        offered = {tool.name: self._tool(tool) for tool in live_turn.offered_tools(turn)}
        return offered | (
            {}
            if turn.interceptor is None
            else {tool.name: self._made(tool) for tool in turn.interceptor.extra}
        )

    def _tool(self, tool: registry.RegisteredTool) -> ToolsetTool[Turn]:
        found = tool.descriptor
        definition = ToolDefinition(
            name=found.name,
            description=found.description,
            parameters_json_schema=found.parameters,
            # Two writes at once could be about the same note.
            sequential=found.read_write == "write",
        )
        return self._made(definition)

    def _made(self, definition: ToolDefinition) -> ToolsetTool[Turn]:
        return ToolsetTool(
            toolset=self,
            tool_def=definition,
            max_retries=live_turn.RETRIES,
            args_validator=_an_object,
        )

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Turn], tool: ToolsetTool[Turn]
    ) -> Any:
        """Run one tool by the same door as everyone.

        A refusal is told to the brain and is never a crash.
        """
        used = await live_turn.use_tool(
            ctx.deps, name, tool_args, ctx.tool_call_id or "", step=ctx.run_step
        )
        match used.outcome:
            case "retried":
                raise ModelRetry(used.content)
            case "failed":
                raise ToolFailed(used.content)
        return used.content


AGENT = Agent(deps_type=Turn, output_type=str, toolsets=[OfferedTools()], retries=live_turn.RETRIES)


@AGENT.instructions
def instructions(ctx: RunContext[Turn]) -> str:
    """Return what every brain is told first."""
    return live_turn.instructions(ctx.deps)


async def run_model(
    turn: Turn,
    brain: Model,
    prompt: Prompt,
    history: Sequence[bytes],
    *,
    temperature: float | None = None,
) -> TurnEnd:
    """Answer `prompt` with `brain`, which is told what the earlier turns left.

    Events go out as they happen. Never raises for what a model does.
    """
    before = [entry for left in history for entry in model_messages.decode(left)]
    settings = ModelSettings() if temperature is None else ModelSettings(temperature=temperature)
    most = UsageLimits(
        request_limit=turn.limits.requests,
        tool_calls_limit=turn.limits.tool_calls,
        total_tokens_limit=turn.limits.tokens,
    )
    error: AppError | None = None
    limit = asyncio.timeout(turn.seconds or turn.app.settings.turn_seconds or None)
    async with AGENT.run_stream_events(
        prompts.content_of(prompt),
        message_history=before,
        model=brain,
        deps=turn,
        usage_limits=most,
        model_settings=settings,
    ) as events:
        try:
            async with limit:
                async for event in events:
                    # At every event, so that the switch stops even an answer that is being written.
                    stop_switch.require_running(turn.app)
                    await _pass_on_event(turn, event)
        except TooManyRefusals as refusal:
            await turn.give_up(refusal)
        except Exception as failure:
            # A tool that still runs when something else than our limit breaks in is what broke.
            in_tool = not limit.expired() and any(
                call.outcome == live_turn.CALLED for call in turn.calls
            )
            error = failures.explain_failure(failure, in_tool=in_tool)
    await turn.end()
    usage, messages = events.usage, events.all_messages()
    if error is None and failures.is_broken_off(messages):
        error = Unavailable(failures.BROKE_OFF)
    # Only this turn's: those before are stored with their own turns.
    left = [_without_instructions(entry) for entry in messages[len(before) :]]
    return TurnEnd(
        _name_of_answerer(brain, messages),
        usage.input_tokens,
        usage.output_tokens,
        ModelMessagesTypeAdapter.dump_json(prompts.shorten_messages(left)),
        error,
    )


def _name_of_answerer(brain: Model, messages: Sequence[ModelMessage]) -> str:
    """Return the model's name, or the rules' where they gave the last words of its turn."""
    last = messages[-1]
    by_rules = isinstance(last, ModelResponse) and last.model_name == OFFLINE
    return OFFLINE if by_rules else brain.model_name


def _without_instructions(entry: ModelMessage) -> ModelMessage:
    """Return a message without the instructions of its turn: every turn has its own."""
    return (
        dataclasses.replace(entry, instructions=None) if isinstance(entry, ModelRequest) else entry
    )


async def _pass_on_event(turn: Turn, event: Any) -> None:
    """Pass on what of the run's events the contract has."""
    match event:
        case (
            PartStartEvent(part=TextPart(content=text))
            | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
        ):
            await turn.say(text)
        case FunctionToolCallEvent(part=ToolCallPart() as part):
            await turn.begin_call(part.tool_name, part.tool_call_id)
        case FunctionToolResultEvent(part=part):
            _note_unmade(turn, part)
            turn.end_call(part.tool_call_id, getattr(part, "outcome", "retried"))
        case _:
            pass


def _note_unmade(turn: Turn, part: Any) -> None:
    """Put a call into the audit that never came to the gate.

    Of a tool that was not offered, or with arguments that are no object.
    """
    name = getattr(part, "tool_name", None)
    if name is not None and all(call.id != part.tool_call_id for call in turn.calls):
        audit.add_later(
            turn.app,
            turn.me,
            audit.Entry(
                "denial", str(name), outcome="refused", origin=turn.origin.kind, taint=turn.taint
            ),
        )
