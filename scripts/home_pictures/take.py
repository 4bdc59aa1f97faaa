"""A workspace of somebody called Ann, and pictures of its pages in the system's Chromium."""

import asyncio
import contextlib
import dataclasses
import json
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx2 as httpx
import uvicorn
from playwright.async_api import Page, async_playwright

import browser
from app.core.app import App
from app.core.caller import OPERATOR
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from environment import ROOT

PICTURES = ROOT / "app/guide/pictures"
NOW = datetime(2026, 11, 22, 8, 20, tzinfo=UTC)
ZONE = "Europe/Berlin"
DESK, PHONE = (1280, 800), (390, 800)
WORKSPACE = json.loads(Path(__file__).with_name("workspace.json").read_text("utf-8"))
"""What Ann has."""


class Shot(NamedTuple):
    """A picture: its name, the page, the size, and whether it is dark."""

    name: str
    path: str
    size: tuple[int, int]
    dark: bool = False


async def make() -> None:
    """Fill a workspace and take the pictures of its pages."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        migrate(data / "hearth.db")
        settings = dataclasses.replace(Settings(), rate_limit=0, port=0)
        asgi = create_app(settings, data, clock=lambda: NOW)
        async with asgi.router.lifespan_context(asgi):
            parts: App = asgi.state.parts
            note, talk = await fill(asgi, parts)
            async with listening(asgi) as origin:
                made = await parts.call(OPERATOR, "make_sign_in_code", {"username": "ann"})
                await take(origin, made.code, note, talk)


async def fill(asgi: Any, parts: App) -> tuple[int, int]:
    """Write what Ann has, and return the ids of the note and the conversation that are shown."""
    clients = {}
    for username in ("ann", "ben", "mira"):
        await parts.call(OPERATOR, "add_user", {"username": username})
        key = await parts.call(OPERATOR, "issue_key", {"username": username, "name": "pictures"})
        clients[username] = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=asgi),
            base_url="http://127.0.0.1/api/v1",
            headers={"Authorization": f"Bearer {key.secret}"},
        )
    ann, ben, mira = clients.values()
    await ask(ann, "PATCH", "/account/settings", name="Ann Berg", timezone=ZONE)
    folders: dict[str, int] = {}
    shown = 0
    for note in WORKSPACE["notes"]:
        name = note.pop("folder")
        if name not in folders:
            folders[name] = (await ask(ann, "POST", "/os/folders", path=name))["folder"]["id"]
        fields = {**note, "contentFormat": "markdown", "folderId": folders[name]}
        shown = (await ask(ann, "POST", "/os/notes", **fields))["result"]["note"]["id"]
    await ask(ann, "POST", f"/os/notes/{shown}/pin", pinned=True)
    for todo in WORKSPACE["todos"]:
        days = todo.pop("days")
        due = {} if days is None else {"dueDate": day(days)}
        await ask(ann, "POST", "/os/todos", **todo, **due)
    await ask(mira, "POST", "/network/request", to="ann", note="We met at the garden club.")
    await ask(ben, "POST", "/agent/message", to="ann", message="May I keep the roller until March?")
    question = {"message": "When is the last frost here?", "stream": False}
    talk = (await ask(ann, "POST", "/chat", **question))["conversationId"]
    wish = {"message": "Remind me to buy fleece on 2 May", "stream": False}
    await ask(ann, "POST", "/chat", **wish, conversationId=talk)
    await ask(ann, "POST", "/heartbeat/run")
    await ask(ann, "POST", "/briefing")
    for client in clients.values():
        await client.aclose()
    return int(shown), int(talk)


async def ask(client: httpx.AsyncClient, method: str, path: str, /, **fields: Any) -> Any:
    """Return the body of a call that must succeed."""
    answer = await client.request(method, path, json=fields)
    answer.raise_for_status()
    return answer.json()


def day(away: int) -> str:
    """Return the date so many days from the pictures' day."""
    return (date(NOW.year, NOW.month, NOW.day) + timedelta(days=away)).isoformat()


@contextlib.asynccontextmanager
async def listening(asgi: Any) -> AsyncIterator[str]:
    """Let a port answer, and give its origin."""
    server = uvicorn.Server(uvicorn.Config(asgi, port=0, lifespan="off", log_config=None))
    server.capture_signals = contextlib.nullcontext  # type: ignore[assignment, method-assign]
    task = asyncio.ensure_future(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has no event to wait for
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    await task


async def take(origin: str, code: str, note: int, talk: int) -> None:
    """Sign in and take each picture."""
    shots = [
        Shot("today", "/", DESK),
        Shot("note", f"/notes/{note}", DESK),
        Shot("agent", f"/agent/talks/{talk}", PHONE),
        Shot("todos-dark", "/todos", DESK, dark=True),
    ]
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=browser.find(), args=["--no-sandbox", "--disable-gpu"]
        )
        page: Page = await chromium.new_page(locale="en-GB", timezone_id=ZONE)
        await page.clock.install(time=NOW)
        await page.goto(f"{origin}/auth/sign-in#code={code}")
        await page.wait_for_url(f"{origin}/")
        for shot in shots:
            width, height = shot.size
            await page.set_viewport_size({"width": width, "height": height})
            await page.emulate_media(color_scheme="dark" if shot.dark else "light")
            await page.goto(origin + shot.path)
            await page.wait_for_load_state("networkidle")
            path = PICTURES / f"{shot.name}.png"
            await page.screenshot(path=path)
            print(f"{path.name}: {path.stat().st_size:,} bytes")
        await chromium.close()
