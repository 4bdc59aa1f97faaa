"""What drives a turn: the rules, which need no library, or the loop of a model.

The loop is loaded when the first model is asked.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.agent.turn.live_turn import Turn, TurnEnd
from app.agent.turn.message_files import Prompt
from app.agent.turn.token_meter import Meter
from app.core.process.lazy_import import lazy_import

if TYPE_CHECKING:
    from pydantic_ai.models import Model


async def drive_turn(
    turn: Turn,
    brain: "Model[Any] | None",
    prompt: Prompt,
    history: Sequence[bytes],
    *,
    meter: Meter,
    now: datetime,
    temperature: float | None = None,
) -> TurnEnd:
    """Answer `prompt` with `brain`, or offline without one, and return how the turn ended.

    Events go out as they happen.
    """
    if brain is None:
        straight = await lazy_import("app.agent.rules.rules_loop")
        ended: TurnEnd = await straight.run_rules(turn, prompt, history, meter=meter, now=now)
    else:
        turn.taint |= turn.inherited
        loop, metered = (
            await lazy_import("app.agent.models.model_loop"),
            await lazy_import("app.agent.models.metered_model"),
        )
        ended = await loop.run_model(
            turn, metered.MeteredModel(brain, meter), prompt, history, temperature=temperature
        )
    return ended
