"""A real browser, headless, driven by Chromium's own protocol over a pair of pipes.

No driver and no library is needed.
"""

import asyncio
import contextlib
import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import browser

PATIENCE = 30.0
LOOK_SECONDS = 0.05
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--mute-audio",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--no-default-browser-check",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
)


class Chromium:
    """The browser: what is asked goes out with a number, answers come back with it, events with
    the page's name.
    """

    def __init__(self, reader: asyncio.StreamReader, out: int) -> None:
        self._reader = reader
        self._out = out
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self.events: list[tuple[str, dict[str, Any]]] = []

    async def ask(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Give what a command of the protocol gives."""
        self._number += 1
        self._waiting[self._number] = answer = asyncio.get_running_loop().create_future()
        message = {
            "id": self._number,
            "method": method,
            "params": params,
            **({"sessionId": session} if session else {}),
        }
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return await asyncio.wait_for(answer, PATIENCE)

    async def listen(self) -> None:
        """Hand out answers and keep events until the browser ends."""
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                told = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                if "id" not in told:
                    self.events.append((told["method"], told["params"]))
                elif "error" in told:
                    self._waiting.pop(told["id"]).set_exception(
                        AssertionError(told["error"]["message"])
                    )
                else:
                    self._waiting.pop(told["id"]).set_result(told["result"])

    async def page(self) -> "Page":
        """Open an empty page in a window of its own, without anything that other pages keep."""
        context = (await self.ask("Target.createBrowserContext"))["browserContextId"]
        return await self.page_in(context)

    async def page_in(self, context: str) -> "Page":
        """Open an empty page that shares what the pages of a context keep."""
        target = (
            await self.ask("Target.createTarget", url="about:blank", browserContextId=context)
        )["targetId"]
        session = (await self.ask("Target.attachToTarget", targetId=target, flatten=True))[
            "sessionId"
        ]
        page = Page(self, session, context)
        for domain in ("Page", "Runtime", "Network", "Log"):
            await page.ask(f"{domain}.enable")
        return page


class Page:
    """One page and what happens in it."""

    def __init__(self, chromium: Chromium, session: str, context: str) -> None:
        self._chromium = chromium
        self._session = session
        self._shared = context
        self._since = len(chromium.events)

    async def ask(self, method: str, **params: Any) -> Any:
        """Give what a command gives for this page."""
        return await self._chromium.ask(method, self._session, **params)

    async def beside(self) -> "Page":
        """Open another page in the same window."""
        return await self._chromium.page_in(self._shared)

    async def go(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        await self.ask("Page.navigate", url=url)
        await self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    async def value(self, expression: str, *, frame: str | None = None) -> Any:
        """Give the value of an expression of JavaScript in the page, or in its frame that shows
        an address of that origin.
        """
        where = {} if frame is None else {"contextId": self._context(frame)}
        found = await self.ask(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            **where,
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, expression: str, *, frame: str | None = None) -> Any:
        """Wait until an expression is true and give its value."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not (  # noqa: ASYNC110 - a page tells nobody that it has changed
                    found := (frame is None or self._context(frame))
                    and await self._value_or_none(expression, frame=frame)
                ):
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            raise AssertionError(
                f"never true: {expression}\n{await self.value('document.body.innerText')}"
            ) from None
        return found

    async def _value_or_none(self, expression: str, *, frame: str | None) -> Any:
        """Give the value of an expression, None while the page makes way for another one."""
        try:
            return await self.value(expression, frame=frame)
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            return None

    async def type(self, text: str) -> None:
        """Type a text where the cursor is."""
        await self.ask("Input.insertText", text=text)

    async def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key, as one does on a keyboard."""
        codes = {"Enter": 13, "Tab": 9, " ": 32}
        common = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": codes[key],
            "modifiers": 8 if shift else 0,
        }
        text = {"Enter": "\r", " ": " "}.get(key)
        await self.ask(
            "Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {})
        )
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    async def look(
        self, *, width: int = 800, height: int = 700, dark: bool = False, still: bool = False
    ) -> None:
        """Give the page a size and what its person prefers."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        wishes = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        await self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": name, "value": value} for name, value in wishes.items()],
        )

    def _context(self, origin: str) -> int | None:
        """Give where scripts of the newest frame run that shows an address of an origin.

        None before it is there.
        """
        alive: dict[int, str] = {}
        for name, told in self._chromium.events[self._since :]:
            if name == "Runtime.executionContextsCleared":
                alive.clear()
            elif (
                name == "Runtime.executionContextCreated"
                and told["context"]["auxData"]["isDefault"]
            ):
                alive[told["context"]["id"]] = told["context"]["origin"]
            elif name == "Runtime.executionContextDestroyed":
                alive.pop(told["executionContextId"], None)
        return next((number for number, shown in reversed(alive.items()) if shown == origin), None)

    def requested(self) -> list[str]:
        """Give every address that pages have asked for since this one was opened."""
        return [
            told["request"]["url"]
            for name, told in self._chromium.events[self._since :]
            if name == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Give what the browser itself had to say against pages since.

        Errors, and what a policy stopped.
        """
        events = self._chromium.events[self._since :]
        return [
            str(told)
            for name, told in events
            if name == "Runtime.exceptionThrown"
            or (name == "Log.entryAdded" and _is_bad(told["entry"]))
        ]

    def dialogs(self) -> list[str]:
        """Give the texts of dialogs that pages have opened since, as alert(1) does."""
        return [
            told["message"]
            for name, told in self._chromium.events[self._since :]
            if name == "Page.javascriptDialogOpening"
        ]


def _is_bad(entry: dict[str, Any]) -> bool:
    """Say whether an entry of the browser's log is a fault of the page.

    That a request was refused is none.
    """
    return entry["level"] == "error" and entry["source"] != "network"


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Chromium]:
    """Start the browser and end it."""
    path = browser.find()
    assert path is not None, browser.missing()
    (commands, to_browser), (from_browser, answers) = os.pipe(), os.pipe()
    command = [
        "/bin/bash",
        "-c",
        f'exec "$0" "$@" 3<&{commands} 4>&{answers}',
        path,
        *OPTIONS,
        f"--user-data-dir={folder}",
        "about:blank",
    ]
    process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
        command,
        pass_fds=(commands, answers),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=64 << 20)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_browser, "rb", buffering=0)
    )
    chromium = Chromium(reader, to_browser)
    listening = asyncio.ensure_future(chromium.listen())
    try:
        yield chromium
    finally:
        with contextlib.suppress(TimeoutError, OSError):
            await chromium.ask("Browser.close")
        listening.cancel()
        transport.close()
        os.close(to_browser)
        await asyncio.to_thread(process.wait, PATIENCE)
