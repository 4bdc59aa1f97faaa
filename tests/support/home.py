"""A person in a real browser at the home of a server."""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, Dialog, Page

from tests.conftest import Client, Served

ORDINARY = {"locale": "en-GB", "timezone_id": "UTC", "service_workers": "block"}
SIZES = {"phone": (360, 740), "tablet": (800, 1000), "desk": (1280, 900)}
NETWORK = "Failed to load resource"
"""What the browser writes of a request that was refused, or did not reach a server."""


@contextlib.asynccontextmanager
async def listening(asgi: Any, port: int = 0) -> AsyncIterator[str]:
    """Let a port answer for an application, and give its origin."""
    config = uvicorn.Config(
        asgi, host="127.0.0.1", port=port, ws="none", lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.ensure_future(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await task


@dataclasses.dataclass
class Home:
    """A browser in which one person is signed in; `page` is its first tab."""

    origin: str
    served: Served
    client: Client
    context: BrowserContext
    page: Page
    complaints: list[str]
    questions: list[str]
    """What pages have asked before something that cannot be taken back; each was answered yes."""

    async def go(self, path: str) -> Page:
        """Open a page of the home in the first tab."""
        await self.page.goto(self.origin + path)
        return self.page

    async def tab(self) -> Page:
        """Open another tab of the same person."""
        page = await self.context.new_page()
        listen(page, self.complaints, self.questions)
        return page

    async def check_everywhere(self, path: str) -> None:
        """Assert that everybody can use a page: in both schemes, narrow and wide, nothing stands
        out of it, axe finds nothing, and no policy was broken.
        """
        for scheme in ("light", "dark"):
            await self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            for width, height in SIZES.values():
                await self.page.set_viewport_size({"width": width, "height": height})
                await self.go(path)
                await self.page.wait_for_load_state("networkidle")
                wide = await self.page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{path} is {wide} wide at {width}"
            found = await Axe().run(self.page)
            assert found.violations_count == 0, f"{path} {scheme}\n{found.generate_report()}"
        assert self.complaints == []


def listen(page: Page, complaints: list[str], questions: list[str]) -> None:
    """Gather what a page has to complain of: errors of scripts, and what its policy stopped.

    Its questions are gathered too and answered by yes.
    """

    async def answer(dialog: Dialog) -> None:
        (questions if dialog.type == "confirm" else complaints).append(dialog.message)
        await dialog.accept()

    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", answer)
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type == "error" and NETWORK not in message.text
            else None
        ),
    )


@contextlib.asynccontextmanager
async def at_home(
    served: Served, client: Client, chromium: Browser, origin: str, **options: Any
) -> AsyncIterator[Home]:
    """Sign in with a link from the command line, in a window of its own."""
    made = await served.command("make_sign_in_code", username=client.username)
    context = await chromium.new_context(**(ORDINARY | options))
    context.set_default_timeout(10_000)
    page = await context.new_page()
    complaints: list[str] = []
    questions: list[str] = []
    listen(page, complaints, questions)
    await page.goto(f"{origin}/auth/sign-in#code={made.code}")
    await page.wait_for_url(f"{origin}/")
    yield Home(origin, served, client, context, page, complaints, questions)
    await context.close()
    assert complaints == []
