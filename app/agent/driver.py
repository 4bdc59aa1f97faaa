"""Who drives a turn: the offline brain needs no library, every other is driven by the loop, which is loaded when the first one is asked."""

import asyncio
import importlib
from collections.abc import Sequence
from datetime import datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any

from app.agent.attached import Prompt
from app.agent.meter import Meter
from app.agent.running import Ended, Turn

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_loaded: dict[str, ModuleType] = {}


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
    """Answer `prompt` with `brain`, or offline without one, and give how the turn ended; events go out as they happen."""
    if brain is None:
        straight = await loaded("app.agent.straight")
        ended: Ended = await straight.run(turn, prompt, history, meter=meter, now=now)
    else:
        loop, metered = await loaded("app.agent.loop"), await loaded("app.agent.metered")
        ended = await loop.run(turn, metered.MeteredModel(brain, meter), prompt, history, temperature=temperature)
    return ended


async def loaded(name: str) -> ModuleType:
    """Give a module that takes long to import; the first time a thread does it, so that everyone else is served meanwhile."""
    if name not in _loaded:
        _loaded[name] = await asyncio.to_thread(importlib.import_module, name)
    return _loaded[name]
