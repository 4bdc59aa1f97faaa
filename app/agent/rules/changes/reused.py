"""Steps that are given what was looked up before in the same turn."""

from collections.abc import Callable

import msgspec

from app.agent.turn.steps import Asked, Result, Step

STEPS = 12
"""So many steps does an intent take at most."""


def reuse(asked: Asked, act: Callable[[Asked], Step]) -> Step:
    """Return the step to which something comes that begins without results and is given what its
    calls have given before, whoever made them: the same call is not made twice in a turn.
    """
    used: list[Result] = []
    for _ in range(STEPS):
        step = act(msgspec.structs.replace(asked, results=tuple(used)))
        found = [
            next((one for one in asked.results if (one.tool, one.arguments) == call), None)
            for call in step.calls
        ]
        missing = tuple(call for call, one in zip(step.calls, found, strict=True) if one is None)
        if missing or not step.calls:
            return msgspec.structs.replace(step, calls=missing)
        used += filter(None, found)
    return step
