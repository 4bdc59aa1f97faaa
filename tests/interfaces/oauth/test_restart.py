"""What outlasts a restart of the server: connections, and nothing that waits for an answer."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.main import create_app
from app.settings import Settings
from tests.conftest import ORIGIN, MovableClock, Served
from tests.support.oauth import OAUTH, Application, Browser, connect, register, with_token

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running(data: Path, settings: Settings, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


async def test_connections_outlast_a_restart(
    data: Path, settings: Settings, clock: MovableClock
) -> None:
    async with running(data, settings, clock) as served:
        await served.command("add_user", username="alice")
        browser = Browser(served)
        await browser.sign_in()
        app = await register(served)
        tokens = await connect(app, browser)
        waiting = await browser.request_id(app.asks())
        given = await browser.says_yes(app.asks())
        keys = (await app.http.get(f"{OAUTH}/jwks")).json()
        cookies = browser.http.cookies
    async with running(data, settings, clock) as served:
        again = Browser(served)
        again.http.cookies = cookies
        same = Application(served, {"client_id": app.client_id, "redirect_uris": [app.redirect]})
        async with with_token(served, tokens) as client:
            await client.ok("GET", "/os/notes")
        assert (await same.refresh(tokens["refresh_token"])).status_code == 200
        assert (await same.exchange(given["code"])).status_code == 200
        assert (await same.http.get(f"{OAUTH}/jwks")).json() == keys
        page = await again.open(f"{ORIGIN}/auth/consent?request={waiting}")
        assert (page.status_code, "This request has expired" in page.text) == (400, True)
        assert (await again.open(same.asks())).status_code == 200


async def test_a_copy_without_the_key_signs_with_a_new_one(
    data: Path, tmp_path: Path, settings: Settings, clock: MovableClock
) -> None:
    async with running(data, settings, clock) as served, served.client() as client:
        before = (await client.get(f"{OAUTH}/jwks")).json()
    shutil.copytree(data, tmp_path / "restored", ignore=shutil.ignore_patterns("signing-key"))
    async with running(tmp_path / "restored", settings, clock) as served, served.client() as client:
        assert (await client.get(f"{OAUTH}/jwks")).json() != before
