"""Where a request may come from.

The Host allow-list, the Origin check, and CORS for the origins that were allowed.
"""

import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from app.interfaces.wire.trusted_proxies import Proxies
from app.main import create_app
from app.settings import Settings, SettingsError
from tests.conftest import UNSYNCED, MovableClock, Served
from tests.support.asking import Answer, chunks, exchange, held, request

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
OWN_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:8765",
    "127.0.0.1:1",
    "localhost",
    "localhost:8765",
    "LOCALHOST",
    "LocalHost:80",
    "[::1]",
    "[::1]:8765",
]
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
        settings = dataclasses.replace(
            Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False), **chosen
        )
        asgi = create_app(settings, data, clock=clock)
        async with asgi.router.lifespan_context(asgi):
            yield Served(asgi, asgi.state.parts)

    return start


async def ask(
    served: Served,
    method: str,
    path: str,
    key: str | None = None,
    base: str = "/api/v1",
    **headers: str,
) -> Answer:
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
async def test_a_foreign_host_is_refused_everywhere_before_anything_else(
    served: Served, key: str, host: str
) -> None:
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
async def test_the_bound_address_and_the_hosts_of_the_setting_are_answered(
    opened: Opened, chosen: dict[str, object], host: str, status: int
) -> None:
    async with opened(**chosen) as served:
        assert (await ask(served, "GET", "/healthz", base="", host=host)).status == status


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_page_of_another_origin_changes_nothing_and_reads_nothing(
    served: Served, key: str, origin: str
) -> None:
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
    preflight = await ask(
        served, "OPTIONS", "/os/notes", origin=origin, access_control_request_method="POST"
    )
    assert (preflight.status, preflight.header("access-control-allow-origin")) == (405, None)
    assert await held(served) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x", "", "SAME-ORIGIN"])
async def test_a_page_of_another_site_changes_nothing(served: Served, key: str, site: str) -> None:
    before = await held(served)
    for origin in ({}, {"origin": OWN}):
        assert (
            await ask(served, "POST", "/os/notes", key, sec_fetch_site=site, **origin)
        ).status == 403
    assert await held(served) == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": "same-origin"},
        {"origin": OWN},
        {"origin": OWN, "sec_fetch_site": "same-origin"},
    ],
)
async def test_programs_and_this_servers_own_pages_may_change_things(
    served: Served, key: str, headers: dict[str, str]
) -> None:
    assert (await ask(served, "POST", "/os/notes", key, **headers)).status == 201


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_no_unsafe_method_escapes_the_check_even_outside_the_api(
    served: Served, method: str
) -> None:
    for base, path in (
        ("", "/healthz"),
        ("", "/control/add_user"),
        ("", "/nothing"),
        ("/api/v1", "/nothing"),
    ):
        assert (await ask(served, method, path, base=base, origin="http://evil.test")).status == 403


PAGE = "https://page.example"


async def test_an_allowed_origin_reads_and_writes_and_learns_why_it_was_refused(
    opened: Opened,
) -> None:
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


async def test_a_preflight_of_an_allowed_origin_needs_no_credential_and_of_another_gets_nothing(
    opened: Opened,
) -> None:
    async with opened(cors_origins=(PAGE,)) as served:
        asked = await ask(
            served, "OPTIONS", "/os/notes/1", origin=PAGE, access_control_request_method="PATCH"
        )
        assert (asked.status, asked.body) == (204, b"")
        assert asked.header("access-control-allow-origin") == PAGE
        assert "PATCH" in (asked.header("access-control-allow-methods") or "")
        allowed = (asked.header("access-control-allow-headers") or "").lower()
        assert all(
            name in allowed
            for name in ("authorization", "x-api-key", "content-type", "idempotency-key")
        )
        for origin in (
            "https://page.example.evil.test",
            "http://page.example",
            "https://page.example:444",
            "null",
            PAGE.upper(),
        ):
            refused = await ask(
                served,
                "OPTIONS",
                "/os/notes/1",
                origin=origin,
                access_control_request_method="PATCH",
            )
            assert (refused.status, refused.header("access-control-allow-origin")) == (405, None)


async def test_an_allowed_origin_opens_no_other_host(opened: Opened) -> None:
    async with opened(cors_origins=(PAGE,)) as served:
        assert (
            await ask(served, "GET", "/openapi.json", origin=PAGE, host="page.example")
        ).status == 403


@pytest.mark.parametrize(
    "header",
    [
        "x-forwarded-for",
        "x-real-ip",
        "forwarded",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-original-url",
        "x-http-method-override",
    ],
)
async def test_what_a_proxy_that_is_not_trusted_might_say_changes_nothing(
    served: Served, header: str
) -> None:
    value = {
        "forwarded": "for=127.0.0.1;host=evil.test",
        "x-http-method-override": "DELETE",
        "x-original-url": "/api/v1/os",
    }.get(header, "127.0.0.1")
    answer = await ask(served, "GET", "/identity", **{header: value})
    assert answer.status == 401
    assert (answer.header("www-authenticate") or "").startswith(f'Bearer resource_metadata="{OWN}/')


@pytest.mark.parametrize(
    "name",
    ["host", "authorization", "x-api-key", "content-type", "origin", "cookie", "sec-fetch-site"],
)
async def test_a_header_that_can_be_meant_but_once_is_refused_when_it_comes_twice(
    served: Served, key: str, name: str
) -> None:
    values = {"host": "127.0.0.1:8765", "authorization": f"Bearer {key}", "x-api-key": key}
    for method, base, path in (
        ("GET", "/api/v1", "/identity"),
        ("POST", "/api/v1", "/os/notes"),
        ("GET", "", "/healthz"),
        ("GET", "", "/a/x"),
    ):
        scope = request(method, path, [("authorization", f"Bearer {key}")], base=base)
        scope["headers"] = [header for header in scope["headers"] if header[0] != name.encode()]
        scope["headers"] += [(name.encode(), values.get(name, "x").encode())] * 2
        answer = await exchange(served, scope, NOTE)
        assert answer is not None
        assert (answer.status, answer.error) == (400, "invalid_request"), path
        assert name in answer.body.decode().lower()


async def test_a_header_that_is_a_list_may_come_in_parts(served: Served, key: str) -> None:
    scope = request(
        "GET",
        "/identity",
        [("authorization", f"Bearer {key}"), ("accept", "text/html"), ("accept", "*/*")],
    )
    answer = await exchange(served, scope)
    assert answer is not None
    assert answer.status == 200


PROXY = "10.0.0.7"
TRUSTED = Settings.from_environment({"HEARTH_TRUSTED_PROXIES": "10.0.0.0/8, ::1"}).trusted_proxies


@pytest.mark.parametrize(
    ("peer", "headers", "address"),
    [
        (PROXY, {}, PROXY),
        (PROXY, {"x-forwarded-for": "203.0.113.5"}, "203.0.113.5"),
        (PROXY, {"x-forwarded-for": "203.0.113.5:4711"}, "203.0.113.5"),
        (PROXY, {"x-forwarded-for": "1.1.1.1, 203.0.113.5"}, "203.0.113.5"),
        (PROXY, {"x-forwarded-for": "203.0.113.5, 10.9.9.9"}, "203.0.113.5"),
        (PROXY, {"x-forwarded-for": "10.1.1.1, 10.9.9.9"}, "10.1.1.1"),
        (PROXY, {"x-forwarded-for": "203.0.113.5, unknown"}, PROXY),
        (PROXY, {"x-forwarded-for": "203.0.113.5, <script>, 10.9.9.9"}, "10.9.9.9"),
        (PROXY, {"x-forwarded-for": ""}, PROXY),
        (PROXY, {"x-forwarded-for": "::ffff:203.0.113.5"}, "203.0.113.5"),
        (PROXY, {"forwarded": "for=203.0.113.5;proto=https;by=10.0.0.7"}, "203.0.113.5"),
        (PROXY, {"forwarded": 'for=1.1.1.1, proto=https;For="[2001:db8::7]:4711"'}, "2001:db8::7"),
        (PROXY, {"forwarded": "for=_hidden"}, PROXY),
        (PROXY, {"forwarded": "proto=https"}, PROXY),
        (PROXY, {"forwarded": "for=203.0.113.5", "x-forwarded-for": "203.0.113.5"}, "203.0.113.5"),
        (PROXY, {"forwarded": "for=1.1.1.1", "x-forwarded-for": "203.0.113.5"}, PROXY),
        ("::1", {"x-forwarded-for": "2001:db8::7"}, "2001:db8::7"),
        ("203.0.113.9", {"x-forwarded-for": "1.1.1.1", "forwarded": "for=1.1.1.1"}, "203.0.113.9"),
        ("127.0.0.1", {"x-forwarded-for": "1.1.1.1"}, "127.0.0.1"),
    ],
)
def test_a_trusted_proxy_says_where_a_request_comes_from_and_nobody_else(
    peer: str, headers: dict[str, str], address: str
) -> None:
    found = Proxies(TRUSTED).client(
        (peer, 5), {name.encode(): value.encode() for name, value in headers.items()}
    )
    assert found is not None
    assert found[0] == address
    assert Proxies(()).client(
        (peer, 5), {name.encode(): value.encode() for name, value in headers.items()}
    ) == (peer, 5)


async def test_behind_a_trusted_proxy_visitors_have_addresses_of_their_own(opened: Opened) -> None:
    async with opened(
        failed_limit=1,
        trusted_proxies=Settings.from_environment(
            {"HEARTH_TRUSTED_PROXIES": "127.0.0.1"}
        ).trusted_proxies,
    ) as served:
        asked = [
            await ask(served, "GET", "/identity", "wrong", x_forwarded_for=address)
            for address in ("1.1.1.1", "1.1.1.1", "2.2.2.2")
        ]
        assert [answer.status for answer in asked] == [401, 429, 401]
        parts = request(
            "GET",
            "/identity",
            [
                ("x-api-key", "wrong"),
                ("x-forwarded-for", "9.9.9.9"),
                ("x-forwarded-for", "2.2.2.2"),
            ],
        )
        last = await exchange(served, parts)
        assert last is not None
        assert last.status == 429, "the last part of a list that came in two is the proxy's own"


@pytest.mark.parametrize(
    "value", ["nonsense", "10.0.0.0/33", "10.0.0.1/8", "proxy.example", "1.2.3.4,x"]
)
def test_a_trusted_proxy_that_is_no_address_is_refused_at_the_start(value: str) -> None:
    with pytest.raises(
        SettingsError, match=r"HEARTH_TRUSTED_PROXIES.*neither an IP address nor a network"
    ):
        Settings.from_environment({"HEARTH_TRUSTED_PROXIES": value})


async def test_the_page_that_a_missing_credential_is_answered_with_is_there(served: Served) -> None:
    named = (await ask(served, "GET", "/identity")).header("www-authenticate") or ""
    address = named.partition('resource_metadata="')[2].partition('"')[0]
    assert address.startswith(OWN)
    for path in (address.removeprefix(OWN), "/.well-known/oauth-protected-resource"):
        page = await ask(served, "GET", path, base="")
        found = msgspec.json.decode(page.body)
        assert (page.status, found["resource"]) == (200, f"{OWN}/api/v1")
        assert "os.notes:read" in found["scopes_supported"]
        assert found["bearer_methods_supported"] == ["header"]
