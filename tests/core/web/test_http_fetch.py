"""Fetching: what is reached, and everything inside that never is."""

import gzip
import ipaddress
from collections.abc import AsyncIterator

import pytest

from app.core.web import addresses, http_fetch
from app.core.web.addresses import (
    FetchFailed,
    FetchPolicy,
    NotAllowed,
    parse_target,
    require_nameable,
)
from tests.support.web_site import PUBLIC, Site, site

pytestmark = pytest.mark.anyio
WEB = FetchPolicy(ports=addresses.WEB_PORTS)
HOME = FetchPolicy(loopback=True, private=True)


@pytest.fixture
async def web(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    async with site(monkeypatch) as made:
        yield made


async def fetch(
    url: str, reach: FetchPolicy = WEB, *, most: int = 1000, seconds: float = 10
) -> addresses.Fetched:
    return await http_fetch.fetch(url, reach, most=most, seconds=seconds)


async def test_a_public_page_is_fetched(web: Site) -> None:
    web.page("/a%20b?q=%C3%A4", b"hello", X_Thing="1")
    found = await fetch("http://public.test/a%20b?q=ä")
    assert (found.url, found.status, found.body, found.is_cut) == (
        "http://public.test/a%20b?q=%C3%A4",
        200,
        b"hello",
        False,
    )
    assert found.headers["x-thing"] == "1"
    assert "Host: public.test\r\n" in web.asked[0]
    assert "Authorization" not in web.asked[0]
    assert "Cookie" not in web.asked[0]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "0",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fc00::1]",
        "[::]",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "[2002:7f00:1::]",
        "[2001:db8::1]",
        "[ff02::1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    ],
)
@pytest.mark.parametrize("reach", [WEB, FetchPolicy()])
async def test_no_spelling_of_an_inner_address_is_reached(
    web: Site, host: str, reach: FetchPolicy
) -> None:
    with pytest.raises(FetchFailed):
        await fetch(f"http://{host}/", reach)
    assert web.asked == []


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["192.168.0.7"], [PUBLIC, "127.0.0.1"], ["::1", PUBLIC], ["169.254.169.254"]],
)
async def test_a_name_that_leads_inside_is_not_asked_even_if_it_also_leads_outside(
    web: Site, addresses: list[str]
) -> None:
    web.names["twofaced.test"] = addresses
    with pytest.raises(NotAllowed, match="HEARTH_ALLOW_PRIVATE_HOSTS"):
        await fetch("http://twofaced.test/")
    assert web.asked == []


async def test_a_redirect_is_followed_and_checked_like_the_first_address(web: Site) -> None:
    web.page("/one", status=302, Location="/two?x=1")
    web.page("/two?x=1", status=307, Location="http://public.test/three")
    web.page("/three", b"there")
    assert (await fetch("http://public.test/one")).body == b"there"
    for place in (
        "http://127.0.0.1:PORT/three",
        "http://localhost:PORT/three",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "http://[::1]/",
    ):
        web.page("/in", status=302, Location=place.replace("PORT", str(web.port)))
        web.asked.clear()
        with pytest.raises(NotAllowed):
            await fetch("http://public.test/in", FetchPolicy())
        assert len(web.asked) == 1


async def test_nobody_else_sends_us_to_this_machine_where_that_could_be_reached(web: Site) -> None:
    web.page("/in", status=302, Location=f"http://127.0.0.1:{web.port}/secret")
    web.page("/secret", b"secret")
    assert (await fetch(f"http://127.0.0.1:{web.port}/secret", HOME)).body == b"secret"
    with pytest.raises(NotAllowed):
        await fetch("http://public.test/in", HOME)


async def test_endless_redirects_end(web: Site) -> None:
    web.page("/loop", status=301, Location="/loop")
    with pytest.raises(FetchFailed, match="redirects more than 5 times"):
        await fetch("http://public.test/loop")
    assert len(web.asked) == 6


async def test_a_long_body_is_cut_and_a_packed_one_is_unpacked_no_further_than_allowed(
    web: Site,
) -> None:
    web.page("/long", b"x" * 100_000)
    web.page("/packed", gzip.compress(b"y" * 50_000_000), Content_Encoding="gzip")
    web.page("/exact", b"z" * 1000)
    web.page("/odd", b"z", Content_Encoding="br")
    for path, mark in (("/long", b"x"), ("/packed", b"y")):
        found = await fetch(f"http://public.test{path}")
        assert (found.body, found.is_cut) == (mark * 1000, True)
    assert not (await fetch("http://public.test/exact")).is_cut
    with pytest.raises(FetchFailed, match="compressed"):
        await fetch("http://public.test/odd")


async def test_a_host_that_never_ends_its_answer_or_gives_rubbish_is_given_up(web: Site) -> None:
    web.pages["/slow"] = b"HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nonly"
    web.slow.add("/slow")
    web.pages["/rubbish"] = b"\0\1\2 nonsense\r\n\r\n"
    web.pages["/short"] = b"HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nonly"
    with pytest.raises(FetchFailed, match=r"did not answer within 0\.3 seconds"):
        await fetch("http://public.test/slow", seconds=0.3)
    for path in ("/rubbish", "/short"):
        with pytest.raises(FetchFailed, match="did not answer in a way"):
            await fetch(f"http://public.test{path}")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://public.test/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "//public.test",
        "public.test",
        "http://",
        "http:///x",
        "",
        "http://a:b@public.test/",
        "http://a@public.test/",
        "http://public.test:99999/",
        "http://public.test:8080/",
        "http://pub lic.test/",
        "http://public.test/\r\nX: y",
        "http://[::1",
        "http://public.test\\@127.0.0.1/",
        "http://" + "a" * 300 + ".test/",
        "http://x/" + "y" * 5000,
    ],
)
async def test_an_address_that_cannot_or_must_not_be_asked_is_refused(web: Site, url: str) -> None:
    with pytest.raises(NotAllowed):
        await fetch(url)
    assert web.asked == []


async def test_an_unknown_host_says_so_without_path_or_query(web: Site) -> None:
    web.names["nowhere.test"] = []
    with pytest.raises(
        NotAllowed,
        match=r"^The address of nowhere\.test is not fetched: it is not known, or it does "
        r"not lie in the public network;",
    ):
        await fetch("http://nowhere.test/secret?token=1")


async def test_plain_http_can_be_kept_to_this_machine(web: Site) -> None:
    web.page("/x", b"here")
    closed = FetchPolicy(loopback=True, plain=False)
    assert (await fetch(f"http://127.0.0.1:{web.port}/x", closed)).body == b"here"
    with pytest.raises(NotAllowed, match="https"):
        await fetch("http://public.test/x", closed)


def test_an_address_of_this_server_is_refused_in_words_of_its_own() -> None:
    here = FetchPolicy(loopback=True, private=True, own_port=8765)
    for url in ("http://localhost:8765/", "http://127.0.0.1:8765/", "http://[::1]:8765/"):
        with pytest.raises(NotAllowed, match="from itself"):
            require_nameable(parse_target(url, here), here)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("192.168.1.1", True),
        ("10.1.1.1", True),
        ("fd00::1", True),
        ("127.0.0.1", True),
        ("169.254.169.254", False),
        ("fe80::1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("8.8.8.8", True),
        ("2606:4700::1", True),
    ],
)
def test_private_networks_are_reached_where_that_is_allowed_and_link_local_ones_never(
    address: str, allowed: bool
) -> None:
    assert HOME.allows(ipaddress.ip_address(address)) is allowed


async def test_the_port_of_this_server_is_asked_by_no_address_that_leads_inside(web: Site) -> None:
    web.names["inside.test"] = ["127.0.0.1"]
    here = FetchPolicy(loopback=True, private=True, own_port=web.port)
    for host in ("127.0.0.1", "localhost", "inside.test", "[::ffff:127.0.0.1]", "0"):
        with pytest.raises(NotAllowed):
            await fetch(f"http://{host}:{web.port}/", here)
    assert web.asked == []
    assert here.allows(ipaddress.ip_address(PUBLIC), web.port)
    assert here.allows(ipaddress.ip_address("127.0.0.1"), web.port + 1)
