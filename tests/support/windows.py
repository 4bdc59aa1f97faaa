"""A real browser, and a window in it that keeps what it had to complain of."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    async_playwright,
    expect,
)

import browser

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-color-profile=srgb",
]
ORDINARY = {"locale": "en-GB", "timezone_id": "UTC", "service_workers": "block"}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
ASKED_OF_AXE: dict[Scheme, dict[str, Any]] = {
    "light": {"preload": False},
    "dark": {"preload": False, "runOnly": ["color-contrast"]},
}
"""Only colours differ in the dark; no page has sounds or styles that would have to be fetched."""
RUN_AXE = """async (asked) => {
  const { violations } = await axe.run({ resultTypes: ["violations"], ...asked });
  return { violations };
}"""
"""The rest of its answer, tens of kilobytes a page, says what is well."""
NETWORK = "Failed to load resource"
"""What the browser writes of a request that was refused, or did not reach a server."""
PATIENCE_MS = 10_000
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Colours of another scheme are there with the next frame."""


@contextlib.asynccontextmanager
async def running() -> AsyncIterator[Browser]:
    """Start the browser and end it."""
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=browser.find(), args=OPTIONS)
        yield started
        await started.close()


@dataclasses.dataclass
class Window:
    """A window that shares nothing with others; `page` is its first tab."""

    context: BrowserContext
    page: Page
    complaints: list[str]
    """Errors of scripts, what a policy stopped, and dialogs that say something."""
    questions: list[str]
    """What pages have asked before something that cannot be taken back; each was answered yes."""
    requested: list[str]
    """Every address that its pages have asked for."""

    async def tab(self) -> Page:
        """Open another tab."""
        return await self.context.new_page()

    async def assert_fits(self, width: int, height: int = 700) -> None:
        """Assert that nothing stands out of the page at the side when it is so wide."""
        await self.page.set_viewport_size({"width": width, "height": height})
        wide = await self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{self.page.url} is {wide} wide at {width}"

    async def assert_accessible(self, scheme: Scheme) -> None:
        """Assert that axe finds nothing in the page as it stands, light or dark."""
        await self.page.emulate_media(color_scheme=scheme)
        await self.page.evaluate(PAINTED)
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE_SCRIPT)
        answer = await self.page.evaluate(RUN_AXE, ASKED_OF_AXE[scheme])
        found = AxeResults(answer)
        assert found.violations_count == 0, f"{self.page.url} {scheme}\n{found.generate_report()}"


@contextlib.asynccontextmanager
async def opened(chromium: Browser, **options: Any) -> AsyncIterator[Window]:
    """Open a window, and see at its end that nothing in it had to complain."""
    context = await chromium.new_context(**(ORDINARY | options))
    context.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    questions: list[str] = []
    requested: list[str] = []

    def read(message: ConsoleMessage) -> None:
        if message.type == "error" and NETWORK not in message.text:
            complaints.append(message.text)

    async def answer(dialog: Dialog) -> None:
        (questions if dialog.type == "confirm" else complaints).append(dialog.message)
        await dialog.accept()

    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on("console", read)
    context.on("dialog", answer)
    context.on("request", lambda request: requested.append(request.url))
    yield Window(context, await context.new_page(), complaints, questions, requested)
    await context.close()
    assert complaints == [], complaints
