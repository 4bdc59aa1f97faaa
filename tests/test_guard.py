"""Where a request may come from: the Host allow-list, the Origin check, and CORS for the origins that were allowed."""

import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from app.main import create_app
from app.settings import Settings
from tests.asking import Answer, chunks, exchange, held, request
from tests.conftest import UNSYNCED, MovableClock, Served

pytestmark = pytest.mark.anyio

OWN = "http://127.0.0.1:8765"
NOTE = chunks(b'{"title":"x","content":""}')
FOREIGN_HOSTS = [
    "evil.test",
    "evil.test:8765",
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "evil.test#127.0.0.1",
    "127.0.0.1@evil.test",
    "evil.test@127.0.0.1",
    "localhost:8765.evil.test",
    "127.0.0.1:8765:8765",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0",
    "::1",
    "[::1",
    "[::2]",
    "[::ffff:127.0.0.1]",
    "localhost.",
    ".localhost",
    " ",
    "",
    "*",
    "null",
    "hearth.local",
    "192.168.1.5",
    "ｌｏｃａｌｈｏｓｔ",
    "localhost, evil.test",
]
OWN_HOSTS = ["127.0.0.1", "127.0.0.1:8765", "127.0.0.1:1", "localhost", "localhost:8765", "LOCALHOST", "LocalHost:80", "[::1]", "[::1]:8765"]
FOREIGN_ORIGINS = [
    "http://evil.test",
    "https://evil.test",
    "null",
    "",
    "http://localhost:8765",
    "http://127.0.0.1",
    "http://127.0.0.1:3000",
    "https://127.0.0.1:8765",
    "http://127.0.0.1:8765/",
    "http://127.0.0.1:8765.evil.test",
    "http://evil.test#http://127.0.0.1:8765",
    "file://",
    "chrome-extension://abc",
    "http://[::1]:8765",
    "127.0.0.1:8765",
    "*",
]

Opened = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def opened(data: Path, clock: MovableClock) -> Opened:
    """Give servers with chosen settings over one database, one after the other."""

    @asynccontextmanager
    async def start(**chosen: object) -> AsyncIterator[Served]:
        settings = dataclasses.replace(Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False), **chosen)
        asgi = create_app(settings, data, clock=clock)
        async with asgi.router.lifespan_context(asgi):
            yield Served(asgi, asgi.state.parts)

    return start


async def ask(served: Served, method: str, path: str, key: str | None = None, base: str = "/api/v1", **headers: str) -> Answer:
    sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
    if key is not None:
        sent.append(("authorization", f"Bearer {key}"))
    answer = await exchange(served, request(method, path, sent, base=base), NOTE)
    assert answer is not None
    return answer


@pytest.fixture
async def key(served: Served) -> str:
    await served.command("add_user", username="alice")
    return await served.key("alice")


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
async def test_a_foreign_host_is_refused_everywhere_before_anything_else(served: Served, key: str, host: str) -> None:
    before = await held(served)
    name = host.encode("utf-8").decode("latin-1")
    for method, base, path in (
        ("GET", "/api/v1", "/identity"),
        ("POST", "/api/v1", "/os/notes"),
        ("GET", "", "/healthz"),
        ("GET", "", "/"),
        ("GET", "/api/v1", "/openapi.json"),
        ("OPTIONS", "/api/v1", "/os/notes"),
        ("POST", "", "/control/add_user"),
    ):
        answer = await ask(served, method, path, key, base, host=name)
        assert (answer.status, answer.error) == (403, "forbidden"), path
        assert answer.header("access-control-allow-origin") is None
    assert await held(served) == before


async def test_a_request_without_a_host_is_refused(served: Served, key: str) -> None:
    scope = request("GET", "/identity", [("authorization", f"Bearer {key}")])
    scope["headers"] = [header for header in scope["headers"] if header[0] != b"host"]
    answer = await exchange(served, scope)
    assert answer is not None
    assert answer.status == 403


@pytest.mark.parametrize("host", OWN_HOSTS)
async def test_this_machines_own_names_are_answered(served: Served, key: str, host: str) -> None:
    assert (await ask(served, "GET", "/identity", key, host=host)).status == 200


@pytest.mark.parametrize(
    ("chosen", "host", "status"),
    [
        ({"host": "192.168.1.5"}, "192.168.1.5:8765", 200),
        ({"host": "192.168.1.5"}, "192.168.1.6", 403),
        ({"host": "fe80::1"}, "[fe80::1]:8765", 200),
        ({"host": "fe80::1"}, "fe80::1", 403),
        ({"allowed_hosts": ("hearth.example",)}, "hearth.example", 200),
        ({"allowed_hosts": ("hearth.example",)}, "HEARTH.example:443", 200),
        ({"allowed_hosts": ("Hearth.Example",)}, "hearth.example", 200),
        ({"allowed_hosts": ("hearth.example",)}, "a.hearth.example", 403),
        ({"allowed_hosts": ("hearth.example:444",)}, "hearth.example:444", 200),
        ({"allowed_hosts": ("hearth.example:444",)}, "hearth.example:445", 403),
        ({"allowed_hosts": ("*",)}, "evil.test", 403),
        ({"allowed_hosts": ("hearth.example",)}, "localhost", 200),
    ],
)
async def test_the_bound_address_and_the_hosts_of_the_setting_are_answered(opened: Opened, chosen: dict[str, object], host: str, status: int) -> None:
    async with opened(**chosen) as served:
        assert (await ask(served, "GET", "/healthz", base="", host=host)).status == status


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_page_of_another_origin_changes_nothing_and_reads_nothing(served: Served, key: str, origin: str) -> None:
    before = await held(served)
    for method, path in (
        ("POST", "/os/notes"),
        ("POST", "/accumulate"),
        ("PATCH", "/account/settings"),
        ("DELETE", "/os/trash"),
        ("PUT", "/os/notes/1"),
    ):
        answer = await ask(served, method, path, key, origin=origin)
        assert (answer.status, answer.error) == (403, "forbidden")
    read = await ask(served, "GET", "/os/notes", key, origin=origin)
    assert read.header("access-control-allow-origin") is None
    preflight = await ask(served, "OPTIONS", "/os/notes", origin=origin, access_control_request_method="POST")
    assert (preflight.status, preflight.header("access-control-allow-origin")) == (405, None)
    assert await held(served) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x", "", "SAME-ORIGIN"])
async def test_a_page_of_another_site_changes_nothing(served: Served, key: str, site: str) -> None:
    before = await held(served)
    for origin in ({}, {"origin": OWN}):
        assert (await ask(served, "POST", "/os/notes", key, sec_fetch_site=site, **origin)).status == 403
    assert await held(served) == before


@pytest.mark.parametrize(
    "headers", [{}, {"sec_fetch_site": "none"}, {"sec_fetch_site": "same-origin"}, {"origin": OWN}, {"origin": OWN, "sec_fetch_site": "same-origin"}]
)
async def test_programs_and_this_servers_own_pages_may_change_things(served: Served, key: str, headers: dict[str, str]) -> None:
    assert (await ask(served, "POST", "/os/notes", key, **headers)).status == 201


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_no_unsafe_method_escapes_the_check_even_outside_the_api(served: Served, method: str) -> None:
    for base, path in (("", "/healthz"), ("", "/control/add_user"), ("", "/nothing"), ("/api/v1", "/nothing")):
        assert (await ask(served, method, path, base=base, origin="http://evil.test")).status == 403


PAGE = "https://page.example"


async def test_an_allowed_origin_reads_and_writes_and_learns_why_it_was_refused(opened: Opened) -> None:
    async with opened(cors_origins=(PAGE, "https://other.example/")) as served:
        await served.command("add_user", username="alice")
        key = await served.key("alice")
        asked = [
            await ask(served, "GET", "/os/notes", key, origin=PAGE),
            await ask(served, "POST", "/os/notes", key, origin=PAGE, sec_fetch_site="cross-site"),
            await ask(served, "GET", "/os/notes/404", key, origin=PAGE),
            await ask(served, "GET", "/os/notes", origin=PAGE),
            await ask(served, "PUT", "/os/notes", origin=PAGE),
            await ask(served, "POST", "/os/notes", key, origin=PAGE, idempotency_key="k"),
            await ask(served, "POST", "/os/notes", key, origin=PAGE, idempotency_key="k"),
        ]
        assert [answer.status for answer in asked] == [200, 201, 404, 401, 405, 201, 201]
        assert {answer.header("access-control-allow-origin") for answer in asked} == {PAGE}
        assert {answer.header("vary") for answer in asked} == {"Origin"}
        assert {answer.header("access-control-allow-credentials") for answer in asked} == {None}
        other = await ask(served, "GET", "/os/notes", key, origin="https://other.example")
        assert other.header("access-control-allow-origin") == "https://other.example"


async def test_a_preflight_of_an_allowed_origin_needs_no_credential_and_of_another_gets_nothing(opened: Opened) -> None:
    async with opened(cors_origins=(PAGE,)) as served:
        asked = await ask(served, "OPTIONS", "/os/notes/1", origin=PAGE, access_control_request_method="PATCH")
        assert (asked.status, asked.body) == (204, b"")
        assert asked.header("access-control-allow-origin") == PAGE
        assert "PATCH" in (asked.header("access-control-allow-methods") or "")
        allowed = (asked.header("access-control-allow-headers") or "").lower()
        assert all(name in allowed for name in ("authorization", "x-api-key", "content-type", "idempotency-key"))
        for origin in ("https://page.example.evil.test", "http://page.example", "https://page.example:444", "null", PAGE.upper()):
            refused = await ask(served, "OPTIONS", "/os/notes/1", origin=origin, access_control_request_method="PATCH")
            assert (refused.status, refused.header("access-control-allow-origin")) == (405, None)


async def test_an_allowed_origin_opens_no_other_host(opened: Opened) -> None:
    async with opened(cors_origins=(PAGE,)) as served:
        assert (await ask(served, "GET", "/openapi.json", origin=PAGE, host="page.example")).status == 403


@pytest.mark.parametrize(
    "header", ["x-forwarded-for", "x-real-ip", "forwarded", "x-forwarded-host", "x-forwarded-proto", "x-original-url", "x-http-method-override"]
)
async def test_what_a_proxy_might_say_changes_nothing(served: Served, header: str) -> None:
    value = {"forwarded": "for=127.0.0.1;host=evil.test", "x-http-method-override": "DELETE", "x-original-url": "/api/v1/os"}.get(header, "127.0.0.1")
    answer = await ask(served, "GET", "/identity", **{header: value})
    assert answer.status == 401
    assert (answer.header("www-authenticate") or "").startswith(f'Bearer resource_metadata="{OWN}/')
