"""`hearth app`: what is connected, and ending it."""

import asyncio
import json
from pathlib import Path

from app.main import create_app
from tests.conftest import Served, open_settings
from tests.support.command_line import hearth
from tests.support.oauth import Browser, connect, register


async def connected(data: Path) -> None:
    asgi = create_app(open_settings(), data)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        await served.command("add_user", username="alice")
        browser = Browser(served)
        await browser.sign_in()
        await connect(await register(served), browser)


def test_applications_are_listed_and_removed(data: Path) -> None:
    asyncio.run(connected(data))
    listed = hearth("app", "list", data=data)
    assert listed.exit_code == 0
    (row,) = listed.output.splitlines()
    assert row.split("\t")[:2] == ["1", "Garden Planner"]
    found = json.loads(hearth("app", "list", "--json", data=data).output)
    assert found["grants"][0]["clientName"] == "Garden Planner"
    assert hearth("app", "remove", "1", data=data).output == "Disconnected Garden Planner.\n"
    assert hearth("app", "list", data=data).output == "No application is connected.\n"
    unknown = hearth("app", "remove", "2", data=data)
    assert (unknown.exit_code, "There is no connected application 2." in unknown.output) == (
        1,
        True,
    )
    assert hearth("app", "remove", "x", data=data).exit_code == 2
