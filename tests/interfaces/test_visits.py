"""Pages and endpoints beside the API come in by the same door as all other requests."""

import dataclasses
import html
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.routing import Route

from app.core.limits import RateLimit
from app.interfaces.pages import sign_in as sign_in_routes
from app.interfaces.pages.visit import Visit
from app.interfaces.routes import PageRoutes
from app.settings import Settings
from tests.conftest import ORIGIN, Client, Served, open_settings
from tests.support.guests import GUESTS, link

pytestmark = pytest.mark.anyio
SIGN_IN = f"{ORIGIN}/api/auth/sign-in"


@pytest.fixture
def settings() -> Settings:
    return dataclasses.replace(open_settings(), access_log=True)


async def show_notes(visit: Visit) -> Response:
    """Show the titles of the notes of whoever is signed in, as a page does."""
    me = visit.signed_in()
    found = await visit.parts.call(me, "list_notes", {})
    titles = "".join(f"<li>{html.escape(note.title)}</li>" for note in found.notes)
    return Response(f"<ul>{titles}</ul>", media_type="text/html; charset=utf-8")


async def fail(visit: Visit) -> Response:
    raise RuntimeError("a secret detail")


@pytest.fixture
async def page(served: Served, alice: Client) -> AsyncIterator[Client]:
    """Alice's browser, not signed in yet, and a server with a page of her notes."""
    served.asgi.front.pages = PageRoutes(
        [
            *sign_in_routes.routes(),
            Route("/home/{name}", show_notes, methods=["GET", "POST"]),
            Route("/broken", fail),
        ]
    )
    async with served.client() as client:
        yield client


async def sign_in(served: Served, page: Client) -> None:
    code = (await served.command("make_sign_in_code", username="alice")).code
    assert (await page.post(SIGN_IN, json={"code": code})).status_code == 200


async def test_a_page_calls_operations_with_the_rights_of_the_session(
    served: Served, alice: Client, page: Client
) -> None:
    await alice.note(title="<b>Soup</b>")
    stranger = await page.get(f"{ORIGIN}/home/x")
    assert (stranger.status_code, stranger.json()["error"]) == (401, "unauthorized")
    assert "resource_metadata=" in stranger.headers["www-authenticate"]
    await sign_in(served, page)
    shown = await page.get(f"{ORIGIN}/home/x/")
    assert (shown.status_code, shown.text) == (200, "<ul><li>&lt;b&gt;Soup&lt;/b&gt;</li></ul>")
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert shown.headers["content-security-policy"].startswith("default-src 'none'")
    assert shown.headers["cache-control"] == "no-store"
    assert shown.headers["x-request-id"]
    key = await served.key("alice")
    assert (await served.client(key).get(f"{ORIGIN}/home/x")).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": ORIGIN}, 200),
        ({}, 403),
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_a_form_is_heard_from_a_page_of_this_server_alone(
    served: Served, page: Client, headers: dict[str, str], status: int
) -> None:
    await sign_in(served, page)
    sent = await page.post(f"{ORIGIN}/home/x", data={"name": "value"}, headers=headers)
    assert sent.status_code == status


async def test_a_session_has_one_rate_at_pages_and_in_the_api(served: Served, page: Client) -> None:
    await sign_in(served, page)
    served.asgi.front.credentials.rates = RateLimit(2)
    shown = await page.get(f"{ORIGIN}/home/x")
    assert shown.headers["x-ratelimit-remaining"] == "1"
    assert (await page.get("/identity")).status_code == 200
    refused = await page.get(f"{ORIGIN}/home/x")
    assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
    assert refused.headers["retry-after"]


async def test_a_page_that_fails_is_told_as_every_failure_is_without_its_text(
    page: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    failed = await page.get(f"{ORIGIN}/broken")
    assert (failed.status_code, failed.json()["error"]) == (500, "internal")
    assert failed.json()["requestId"] == failed.headers["x-request-id"]
    assert "secret detail" not in failed.text
    assert failed.headers["x-request-id"] in caplog.text


async def test_pages_and_guests_stand_in_the_access_log_without_their_tokens(
    served: Served, alice: Client, stranger: Client, data: Path
) -> None:
    made = await link(alice)
    for path in (f"/a/{made['token']}", "/shared/unknown77", "/nothing", "/healthz"):
        await stranger.get(ORIGIN + path)
    await stranger.get(GUESTS, params={"token": made["token"], "meta": "true"})
    await stranger.post(GUESTS, json={"token": "unknown77", "message": "hello"})
    served.asgi.front.log.flush()
    text = (data / "access.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()][-6:]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/a/{token}", 200),
        ("GET", "/shared/{token}", 404),
        ("GET", None, 404),
        ("GET", "/healthz", 200),
        ("GET", "/api/chat/guest-v04", 200),
        ("POST", "/api/chat/guest-v04", 404),
    ]
    assert made["token"] not in text
    assert "unknown77" not in text


@pytest.mark.parametrize("address", [GUESTS, SIGN_IN])
async def test_a_body_that_is_too_large_or_packed_is_refused_as_in_the_api(
    stranger: Client, address: str
) -> None:
    headers = {"Content-Type": "application/json", "Origin": ORIGIN}
    large = await stranger.post(address, content=b" " * (65 << 10), headers=headers)
    assert (large.status_code, large.json()["error"]) == (413, "payload_too_large")
    assert large.headers["connection"] == "close"
    packed = await stranger.post(
        address, content=b"{}", headers={**headers, "Content-Encoding": "gzip"}
    )
    assert (packed.status_code, packed.json()["field"]) == (400, "Content-Encoding")
