"""A server that is killed in the middle of a run of the heartbeat.

No run by halves, and the next one works.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.main import create_app
from app.settings import Settings
from tests.agent.heartbeat.test_heartbeat import checklist, run, todo, told
from tests.agent.heartbeat.test_heartbeat_clock import runs
from tests.conftest import Client, MovableClock, Served
from tests.support import ready_programs
from tests.support.heartbeat_child import POINTS

pytestmark = pytest.mark.anyio
DONE = {
    "begun": 0,
    "in the first action": 0,
    "after the second action": 2,
    "in the end": 3,
    "after the end": 4,
}
"""How many actions of the run are there after it was killed at that point.

Its three todos, and at its end the one reminder.
"""
SECONDS = 60
CHILD = "import runpy; runpy.run_module('tests.support.heartbeat_child', run_name='__main__')"


@contextlib.asynccontextmanager
async def server(data: Path, settings: Settings, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


async def moved(client: Client) -> int:
    found = (await client.ok("GET", "/os/todos?limit=50"))["result"]["todos"]
    return sum(row["dueDate"] > "2026-11-02" for row in found if row["title"].startswith("Late"))


def killed(data: Path, point: str, clock: MovableClock) -> int:
    told = [str(data), point, clock.now.isoformat()]
    return ready_programs.run(told, timeout=SECONDS, script=CHILD).code


@pytest.mark.parametrize("point", POINTS)
async def test_what_a_killed_run_did_is_whole_and_the_next_run_goes_on(
    data: Path, settings: Settings, clock: MovableClock, point: str
) -> None:
    async with server(data, settings, clock) as served:
        alice = await served.person("alice")
        for number in range(3):
            await todo(alice, f"Late {number}", dueDate="2026-11-01")
        await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
        await checklist(alice, "replan overdue todos", "Every Saturday: call the dentist")
        await alice.aclose()
    assert await asyncio.to_thread(killed, data, point, clock) == -signal.SIGKILL
    async with (
        server(data, settings, clock) as served,
        served.client(await served.key("alice")) as alice,
    ):
        (first,) = await runs(alice)
        done = (await alice.ok("GET", f"/heartbeat/runs/{first['id']}"))["actions"]
        assert (first["status"], len(done), await moved(alice)) == (
            "completed" if point == "after the end" else "failed",
            DONE[point],
            min(3, DONE[point]),
        )
        assert {action["status"] for action in done} <= {"executed"}
        if point != "after the end":
            assert "stopped" in first["error"]
            assert first["endedAt"] is not None
            assert await told(alice) == []
        again = await run(alice)
        assert again["run"]["status"] == "completed"
        assert await moved(alice) == 3
        assert len(again["actions"]) == 4 - len(done)
        assert len(await told(alice)) == 1
        undone = [action["id"] for action in done if action["type"] == "todo_reschedule"]
        if undone:
            taken = await alice.ok("POST", f"/heartbeat/runs/{first['id']}/undo")
            assert sorted(taken["undone"]) == undone
            assert await moved(alice) == 3 - len(undone)
        else:
            await alice.refused(
                "POST", f"/heartbeat/runs/{first['id']}/undo", 409, "nothing_to_undo"
            )
