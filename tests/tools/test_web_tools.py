"""The web tools: off at first, reading pages as Markdown, searching by the service that was set."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.main import create_app
from app.settings import Settings
from tests.conftest import UNSYNCED, Client, MovableClock, Served
from tests.support.files import pdf
from tests.support.web_site import Site, site

pytestmark = pytest.mark.anyio


@pytest.fixture
async def web(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    async with site(monkeypatch) as made:
        yield made


@pytest.fixture
async def surfer(alice: Client) -> Client:
    await alice.ok("PUT", "/tools/namespaces", json={"enable": ["web"]})
    return alice


async def use(client: Client, tool: str, **params: Any) -> Any:
    return (await client.ok("POST", "/tools", json={"tool": tool, "params": params}))["result"]


async def refused(client: Client, tool: str, **params: Any) -> str:
    return str(
        (
            await client.refused(
                "POST", "/tools", 422, "unprocessable", json={"tool": tool, "params": params}
            )
        )["message"]
    )


async def test_the_web_is_off_until_it_is_switched_on(alice: Client, web: Site) -> None:
    names = {tool["name"] for tool in (await alice.ok("GET", "/tools"))["tools"]}
    assert not names & {"read_url", "web_search"}
    await alice.refused(
        "POST",
        "/tools",
        404,
        "not_found",
        json={"tool": "read_url", "params": {"url": "http://public.test/"}},
    )
    await alice.ok("PUT", "/tools/namespaces", json={"enable": ["web"]})
    tools = {tool["name"]: tool for tool in (await alice.ok("GET", "/tools"))["tools"]}
    assert {
        (tools[name]["namespace"], tools[name]["scope"], tools[name]["readWrite"])
        for name in ("read_url", "web_search")
    } == {("web", "tools:run", "read")}
    assert web.asked == []


async def test_the_tools_need_their_scope(served: Served, surfer: Client, web: Site) -> None:
    async with served.client(
        await served.key("alice", ["os.notes:read", "tools:manage"])
    ) as client:
        await client.ok("PUT", "/tools/namespaces", json={"enable": ["web"]})
        await client.refused(
            "POST",
            "/tools",
            403,
            "insufficient_scope",
            json={"tool": "read_url", "params": {"url": "http://public.test/"}},
        )
    assert web.asked == []


async def test_a_page_is_read_as_markdown(surfer: Client, web: Site) -> None:
    html = (
        b"<html><head><title>Soup &amp; "
        b"more</title></head><body><nav>Menu</nav><h1>Leek soup</h1><p>Simmer "
        b"<b>twenty</b> minutes.</p></body>"
    )
    web.page("/go", status=301, Location="/soup")
    web.page("/soup", html)
    assert await use(surfer, "read_url", url="http://public.test/go") == {
        "url": "http://public.test/soup",
        "title": "Soup & more",
        "mediaType": "text/html",
        "content": "# Leek soup\n\nSimmer **twenty** minutes.",
        "truncated": False,
    }


async def test_text_and_pdf_are_read_and_other_kinds_are_named(surfer: Client, web: Site) -> None:
    web.page("/a.txt", "Zoë".encode("latin-1"), media_type="text/plain; charset=latin-1")
    web.page("/a.pdf", pdf("On the page."), media_type="application/pdf")
    web.page("/a.bin", b"\0\1\2", media_type="application/octet-stream")
    assert (await use(surfer, "read_url", url="http://public.test/a.txt"))["content"] == "Zoë"
    assert (await use(surfer, "read_url", url="http://public.test/a.pdf"))[
        "content"
    ] == "On the page."
    assert "application/octet-stream" in await refused(
        surfer, "read_url", url="http://public.test/a.bin"
    )
    assert "status 404" in await refused(surfer, "read_url", url="http://public.test/none")


async def test_a_long_page_is_cut_and_says_so(surfer: Client, web: Site) -> None:
    web.page("/long", b"word " * 400_000, media_type="text/plain")
    found = await use(surfer, "read_url", url="http://public.test/long")
    assert (len(found["content"]), found["truncated"]) == (40_000, True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8765/api/v1/os",
        "http://public.test:22/",
        "file:///etc/passwd",
        "http://169.254.169.254/latest",
    ],
)
async def test_nothing_inside_is_read(surfer: Client, web: Site, url: str) -> None:
    assert await refused(surfer, "read_url", url=url)
    assert web.asked == []


async def test_without_a_search_service_a_search_says_how_to_get_one(surfer: Client) -> None:
    assert "HEARTH_SEARCH_URL" in await refused(surfer, "web_search", query="soup")


async def test_a_search_asks_the_service_that_was_set(
    data: Path, clock: MovableClock, web: Site
) -> None:
    settings = Settings(
        durability=UNSYNCED,
        rate_limit=0,
        failed_limit=0,
        search_url=f"http://127.0.0.1:{web.port}/search?lang=en",
    )
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        alice = await Served(asgi, asgi.state.parts).person("alice")
        await alice.ok("PUT", "/tools/namespaces", json={"enable": ["web"]})
        rows = [
            {"title": " A\nsoup ", "url": "https://a.test/", "content": "x" * 900},
            {"title": "bad", "url": "javascript:x"},
            "no row",
        ]
        web.page(
            "/search?lang=en&q=leek+soup%26&format=json",
            json.dumps({"results": rows}).encode(),
            media_type="application/json",
        )
        assert await use(alice, "web_search", query="leek soup&") == {
            "results": [{"title": "A soup", "url": "https://a.test/", "snippet": "x" * 500}]
        }
        for body in (b"{}", b"[1]", b"<html>", b"\xff"):
            web.page("/search?lang=en&q=other&format=json", body)
            assert "no results that can be read" in await refused(
                alice, "web_search", query="other"
            )
        await alice.aclose()
