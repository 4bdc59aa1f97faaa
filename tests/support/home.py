"""A person in a real browser at the home of a server."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator
from typing import Any

from playwright.async_api import Browser, Page

from tests.conftest import ORIGIN, Client, Served
from tests.support.windows import SCHEMES, Window, opened

SIZES = {"phone": (360, 740), "tablet": (800, 1000), "desk": (1280, 900)}


@dataclasses.dataclass
class Home(Window):
    """A window in which one person is signed in."""

    origin: str
    served: Served
    client: Client

    async def go(self, path: str) -> Page:
        """Open a page of the home in the first tab."""
        await self.page.goto(self.origin + path)
        return self.page

    async def check_everywhere(self, path: str) -> None:
        """Assert that everybody can use a page: in both schemes, narrow and wide, nothing stands
        out of it, axe finds nothing, and no policy was broken.
        """
        await self.page.emulate_media(reduced_motion="reduce")
        await self.go(path)
        for width, height in SIZES.values():
            await self.assert_fits(width, height)
        for scheme in SCHEMES:
            await self.assert_accessible(scheme)
        await self.page.emulate_media(color_scheme="light")
        assert self.complaints == []


@contextlib.asynccontextmanager
async def at_home(
    served: Served, client: Client, chromium: Browser, origin: str, **options: Any
) -> AsyncIterator[Home]:
    """Sign in with a code from the command line, in a window of its own that shows nothing yet."""
    made = await served.command("make_sign_in_code", username=client.username)
    async with opened(chromium, **options) as window:
        answer = await window.context.request.post(
            f"{origin}/api/auth/sign-in", data={"code": made.code}, headers={"Origin": origin}
        )
        assert answer.ok, await answer.text()
        yield Home(**vars(window), origin=origin, served=served, client=client)


async def without_browser(served: Served, username: str = "alice") -> Client:
    """Give a client that is signed in as a page of this server is, for forms sent by hand."""
    client = served.client(Origin=ORIGIN)
    code = (await served.command("make_sign_in_code", username=username)).code
    answer = await client.post(f"{ORIGIN}/api/auth/sign-in", json={"code": code})
    assert answer.status_code == 200, answer.text
    return client


async def enter(home: Home, client: Client) -> None:
    """Let the window be signed in as somebody who is so already without it."""
    await home.context.clear_cookies()
    for cookie in client.cookies.jar:
        await home.context.add_cookies(
            [{"name": cookie.name, "value": cookie.value or "", "url": home.origin}]
        )
