"""Who drives a turn: the rules, which need no library, or the loop of a model.

The loop is loaded when the first model is asked.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.agent.turn.live_turn import Ended, Turn
from app.agent.turn.message_files import Prompt
from app.agent.turn.token_meter import Meter
from app.core.process.lazy_import import loaded

if TYPE_CHECKING:
    from pydantic_ai.models import Model


async def drive(
    turn: Turn,
    brain: "Model[Any] | None",
    prompt: Prompt,
    history: Sequence[bytes],
    *,
    meter: Meter,
    now: datetime,
    temperature: float | None = None,
) -> Ended:
    """Answer `prompt` with `brain`, or offline without one, and give how the turn ended.

    Events go out as they happen.
    """
    if brain is None:
        straight = await loaded("app.agent.rules.rules_loop")
        ended: Ended = await straight.run(turn, prompt, history, meter=meter, now=now)
    else:
        loop, metered = (
            await loaded("app.agent.models.model_loop"),
            await loaded("app.agent.models.metered_model"),
        )
        ended = await loop.run(
            turn, metered.MeteredModel(brain, meter), prompt, history, temperature=temperature
        )
    return ended
