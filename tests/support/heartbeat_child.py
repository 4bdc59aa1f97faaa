"""A process that begins a run of the heartbeat and is killed in it.

`python -m tests.support.heartbeat_child DATA POINT`; it never ends otherwise.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from app.agent.heartbeat import run_once
from app.core.caller import Caller
from app.main import create_app
from app.settings import Settings

POINTS = ("begun", "in the first action", "after the second action", "in the end", "after the end")


def kill_before(number: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the function, which kills this process instead of being called for that time."""
    calls: list[None] = []

    def killing(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)

    return killing


def kill_after(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the function, which kills this process once it has done its work and before that is
    committed.
    """

    def killing(*args: Any, **kwargs: Any) -> Any:
        function(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    return killing


def arm(point: str) -> None:
    """Let the process be killed at that point of its next run."""
    acting: Any = run_once.act
    pass_: Any = run_once
    match point:
        case "begun":
            pass_.agenda.make_agenda = kill_before(1, run_once.agenda.make_agenda)
        case "in the first action":
            acting.attempt_action = kill_after(run_once.act.attempt_action)
        case "after the second action":
            acting.attempt_action = kill_before(3, run_once.act.attempt_action)
        case "in the end":
            pass_._close_run = kill_after(run_once._close_run)
        case _:
            from app.agent.heartbeat import heartbeat

            heartbeat_: Any = heartbeat
            heartbeat_._run_result = kill_before(1, heartbeat._run_result)


async def main(data: Path, point: str, now: datetime) -> None:
    """Run the first user's heartbeat on a server over `data`."""
    asgi = create_app(Settings(), data, clock=lambda: now)
    async with asgi.router.lifespan_context(asgi):
        parts = asgi.state.parts
        row = await parts.read(
            lambda tx: tx.one("SELECT id, uuid, username FROM users WHERE id = 1")
        )
        arm(point)
        await parts.call(
            Caller(row["id"], row["uuid"], row["username"], "session"), "run_heartbeat", {}
        )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], datetime.fromisoformat(sys.argv[3])))
