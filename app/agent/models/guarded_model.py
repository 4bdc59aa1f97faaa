"""A model of a provider, guarded.

Asked in a way that it can bear, waited for when it asks, and replaced by the rules while it has
said nothing.
"""

import asyncio
import contextlib
import dataclasses
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from pydantic_ai import exceptions as wrong
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from app.agent.models import model_choice, providers
from app.agent.models.guarded_stream import Stuck, open_guarded
from app.agent.models.hybrid_model import HybridModel
from app.agent.models.model_rows import Configured
from app.agent.models.model_streams import StreamingModel
from app.agent.models.rules_model import RulesModel
from app.agent.models.small_models import lean_results, shorten_history, tool_choice
from app.agent.models.small_models.flat_schemas import flatten_schema, shorten_tool
from app.agent.turn.turn_result import Fallback
from app.errors import AppError

LOG = logging.getLogger("hearth")
LONGEST_WAIT_SECONDS = 10.0
USUAL_WAIT_SECONDS = 1.0
MOST_WAITS = 2
LEAST_CONTEXT = 4_096
SMALL_RESULT_TOKENS, RESULT_TOKENS = 500, 8_000
LEAST_HISTORY_TOKENS = 600
WRITER_TOKENS, WRITER_RESULT_TOKENS = 1_500, 250
"""What a model without tools is shown: the rules found no answer in it, and it is waited for."""
_OVERFLOW = re.compile(
    r"exceed_context_size|context (?:size|length|window)|prompt is too long|too "
    r"many tokens|context_length",
    re.IGNORECASE,
)
_WINDOW = (
    re.compile(r"""n_ctx["']?\s*[:=]\s*(\d{3,8})"""),
    re.compile(r"context (?:length|size|window)\D{0,20}(\d{3,8})"),
)
_PROMPT = re.compile(r"""n_prompt_tokens["']?\s*[:=]\s*(\d{2,8})""")

Pause = Callable[[float], Awaitable[None]]


class GuardedModel(StreamingModel, WrapperModel):
    """One turn's model: what it may be asked is fitted to it, and once it has failed the rules
    answer for the rest of the turn.
    """

    def __init__(
        self,
        asked: Model,
        rules: RulesModel,
        configured: Configured,
        now: datetime,
        *,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._tools = model_choice.tools_of(configured)
        super().__init__(
            asked
            if self._tools != "none"
            else HybridModel(
                asked,
                rules,
                fit=lambda messages: shorten_history.fit_history(
                    self._fit_history(messages, ()), WRITER_TOKENS, most_result=WRITER_RESULT_TOKENS
                ),
                writes=model_choice.may_write(configured),
            )
        )
        self.fallback: Fallback | None = None
        self._rules = rules
        self._configured = configured
        self._now = now
        self._pause = pause
        self._window = model_choice.context_of(configured)
        self._most: int | None = None

    @property
    def model_name(self) -> str:
        """What the operator calls it; once it has been replaced, what replaced it."""
        return self._rules.model_name if self.fallback else self._configured.name

    @contextlib.asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Yield the next step in pieces, the model's own or the rules'."""
        async with contextlib.AsyncExitStack() as stack:
            stream = (
                None
                if self.fallback
                else await self._open_stream(
                    stack, messages, model_settings, model_request_parameters, run_context
                )
            )
            if stream is None:
                stream = await stack.enter_async_context(
                    self._rules.request_stream(
                        messages, model_settings, model_request_parameters, run_context
                    )
                )
            yield stream

    async def _open_stream(
        self,
        stack: contextlib.AsyncExitStack,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        context: Any,
    ) -> StreamedResponse | None:
        """Return a stream that has begun to say something, or None when there is none to be had,
        `fallback` saying why.
        """
        offered = self._offered_tools(parameters, messages)
        known = (
            parameters
            if self._tools != "none"
            else dataclasses.replace(parameters, function_tools=[])
        )
        # Once shortened and a few times waited for, then the rules: nobody waits for long.
        shortened, waits = False, 0
        while True:
            fitted = (
                messages
                if self._tools == "none"
                else self._fit_history(messages, offered.function_tools)
            )
            asked = self._request_settings(settings)
            # Its own stack for each try, since one that failed must be closed before the next.
            attempt = contextlib.AsyncExitStack()
            try:
                stream = await open_guarded(
                    attempt,
                    self.wrapped.request_stream(fitted, asked, offered, context),
                    known,
                    messages,
                    self._now,
                )
            # A budget that is used up or agents that are stopped hold for the rules as well.
            except AppError:
                await attempt.aclose()
                raise
            except Exception as error:
                await attempt.aclose()
                if _is_overflow(error) and not shortened:
                    shortened = True
                    self._learn(
                        error,
                        shorten_history.estimate_tokens(fitted),
                        shorten_history.estimate_tokens([], offered.function_tools),
                    )
                    continue
                pause = _pause_of(error) if waits < MOST_WAITS else None
                if pause is None:
                    self._fall_back(error, shortened=shortened)
                    return None
                waits += 1
                await self._pause(pause)
            except asyncio.CancelledError:
                await attempt.aclose()
                raise
            else:
                stack.push_async_exit(attempt)
                return stream

    def _offered_tools(
        self, parameters: ModelRequestParameters, messages: list[ModelMessage]
    ) -> ModelRequestParameters:
        """Return the tools as this model is told of them: flat, and few where it is small."""
        tools = [
            dataclasses.replace(
                tool, parameters_json_schema=flatten_schema(tool.parameters_json_schema)
            )
            for tool in parameters.function_tools
        ]
        if self._tools == "few":
            tools = [shorten_tool(tool) for tool in tool_choice.choose_few(tools, messages)]
        return dataclasses.replace(parameters, function_tools=tools)

    def _fit_history(
        self, messages: list[ModelMessage], tools: Sequence[ToolDefinition]
    ) -> list[ModelMessage]:
        """Return as much of the conversation as fits into the model's context, if that is known."""
        # Before anything is measured: lean results are often enough to fit.
        messages = [lean_results.lean_message(message) for message in messages]
        if self._window is None:
            return messages
        taken = shorten_history.estimate_tokens([], tools) + self._answer_tokens(self._window)
        budget = max(
            LEAST_HISTORY_TOKENS,
            self._window - taken if self._most is None else min(self._most, self._window - taken),
        )
        small = self._window <= model_choice.SMALL_CONTEXT
        return shorten_history.fit_history(
            messages, budget, most_result=SMALL_RESULT_TOKENS if small else RESULT_TOKENS
        )

    def _learn(self, error: Exception, said: int, tools: int) -> None:
        """Take from a refusal what fits.

        By the tokens that the server counted where it tells them, else half of what was sent.
        """
        self._window = _told_context(error, self._window)
        counted = _PROMPT.search(f"{getattr(error, 'body', '')}")
        room = self._window - self._answer_tokens(self._window)
        # Our estimate by the rate at which it was wrong, as the server counted.
        self._most = room * (said + tools) // int(counted[1]) - tools if counted else said // 2

    def _request_settings(self, settings: ModelSettings | None) -> ModelSettings | None:
        """Return the settings of the request, with a shorter answer where the context turned out
        to be small.
        """
        # Only once the window turned out to be smaller than was known.
        if self._window is None or self._window == model_choice.context_of(self._configured):
            return settings
        return ModelSettings(
            **{**(settings or {}), "max_tokens": self._answer_tokens(self._window)}
        )

    def _answer_tokens(self, window: int) -> int:
        return min(
            providers.answer_tokens(self._configured),
            max(providers.LEAST_ANSWER_TOKENS, window // 4),
        )

    def _fall_back(self, error: Exception, *, shortened: bool) -> None:
        reason = explain_error(error, self._configured, shortened=shortened)
        self.fallback = Fallback(self._configured.name, reason)
        LOG.warning(
            "the model %s is replaced by the rules for this turn: %s", self._configured.name, reason
        )


def explain_error(error: Exception, configured: Configured, *, shortened: bool = False) -> str:
    """Return why a model could not answer, in a sentence that holds nothing of what its provider
    wrote.
    """
    where = urlsplit(configured.url).netloc
    status = getattr(error, "status_code", None)
    match error:
        case wrong.ModelTimeoutError() | wrong.ModelRequestTimeout() | TimeoutError():
            return f"{where} did not answer in time."
        case wrong.ModelConnectionError():
            return f"{where} cannot be reached, or broke the connection off."
        case wrong.ModelAuthenticationError():
            return f"{where} refused the key ({status or 'no access'})."
        case wrong.ModelQuotaExceededError():
            return f"The account at {where} has used up what it may."
        case wrong.ModelNotFoundError():
            return f"{where} does not know the model {configured.model}."
        case Stuck():
            return f"{configured.name} made the same calls again and again."
        case _ if _is_overflow(error):
            return f"The conversation is longer than {configured.name} can read" + (
                ", even shortened." if shortened else "."
            )
        case wrong.ModelHTTPError():
            return f"{where} answered with status {status}."
        case _:
            return f"{where} gave something that is no answer."


def _pause_of(error: Exception) -> float | None:
    """Return the seconds to wait before asking once more.

    None where asking again is of no use, or would take too long.
    """
    # Only those say that a moment later may be better.
    if not isinstance(error, wrong.ModelRateLimitError | wrong.ModelUnavailableError):
        return None
    asked = error.retry_after
    pause = USUAL_WAIT_SECONDS if asked is None else asked
    return pause if pause <= LONGEST_WAIT_SECONDS else None


def _is_overflow(error: Exception) -> bool:
    if isinstance(error, wrong.ModelContextWindowExceededError):
        return True
    return (
        isinstance(error, wrong.ModelAPIError)
        and _OVERFLOW.search(f"{error.message} {error.body}") is not None
    )


def _told_context(error: Exception, known: int | None) -> int:
    """Return the model's context as its refusal tells it, else half of what was thought, else what
    most have at least.
    """
    text = f"{getattr(error, 'body', '')} {error}"
    told = next((int(found[1]) for pattern in _WINDOW if (found := pattern.search(text))), None)
    # A window that is not smaller would make the same request again.
    if told and (known is None or told < known):
        return told
    return known // 2 if known else LEAST_CONTEXT
