"""Why a turn stopped before its end, in sentences that hold nothing of what a provider wrote."""

import logging
import math
from collections.abc import Sequence

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import ModelMessage, ModelResponse

from app.agent.turn import live_turn
from app.errors import AppError, Unavailable

SENTENCES: tuple[tuple[type[Exception], str], ...] = (
    (UsageLimitExceeded, live_turn.TOO_MUCH),
    (
        ModelContextWindowExceededError,
        "This conversation is too long for the model; begin a new one, or choose a "
        "model that reads more at once.",
    ),
    (ModelAuthenticationError, "The model's provider does not accept the key that is set for it."),
    (ModelNotFoundError, "The model's provider has no model of that name."),
    (ModelQuotaExceededError, "The account at the model's provider is used up."),
    (ModelRateLimitError, "The model's provider takes no more requests just now; try again later."),
    (ModelUnavailableError, "The model's provider is overloaded; try again later."),
    (
        ModelConnectionError,
        "The connection to the model's provider could not be made, or broke off; try again.",
    ),
    (TimeoutError, live_turn.TOO_LONG),
)
"""The first that fits is said."""
INTERNAL = "Something went wrong inside Hearth while a tool ran; its log says more."
BROKE_OFF = "The model's answer broke off before its end; what came of it is kept."

log = logging.getLogger("hearth")


class ToolBroke(AppError):
    """A tool failed in a way that is a fault of the program."""


def explain_failure(failure: Exception, *, in_tool: bool) -> AppError:
    """Return the failure that the user is told, and log what nobody foresaw.

    `in_tool` says whether a tool was running.
    """
    if isinstance(failure, AppError):
        return failure
    if in_tool:
        # Tools raise AppErrors; anything else is a fault of ours and needs its traceback.
        log.error("A tool of the agent failed", exc_info=failure)
        return ToolBroke(INTERNAL)
    if not isinstance(
        failure, ModelAPIError | UnexpectedModelBehavior | UsageLimitExceeded | TimeoutError
    ):
        # The place alone and not the message, which a provider wrote.
        log.warning(
            "What a model sent could not be read: %s in %s",
            type(failure).__name__,
            _raised_at(failure),
        )
    sentence = next(
        (sentence for kind, sentence in SENTENCES if isinstance(failure, kind)), live_turn.UNUSABLE
    )
    wait = getattr(failure, "retry_after", None)
    return Unavailable(
        sentence, **({} if wait is None else {"retryAfter": max(1, math.ceil(wait))})
    )


def is_broken_off(messages: Sequence[ModelMessage]) -> bool:
    """Return whether the last answer came over a wire and ended without the word that it is
    complete.
    """
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse) or last.provider_url is None:
        return False
    # The library takes it for a stop where an OpenAI-compatible server gave no reason for the end.
    return last.finish_reason is None or (
        last.finish_reason == "stop" and "finish_reason" not in (last.provider_details or {})
    )


def _raised_at(failure: Exception) -> str:
    """Return where an error was raised; its message may hold what a provider wrote, even a key."""
    # The innermost frame is where it was raised.
    trace = failure.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (
        "an unknown place"
        if trace is None
        else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    )
