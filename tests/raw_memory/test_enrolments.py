"""Enrolling a device: the request, the page, the answer, and the token."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.vault.fingerprints import device_fingerprint
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.oauth import OWN_PAGE, Browser, hidden
from tests.support.raw_records import RawDevice

pytestmark = pytest.mark.anyio
ENROLMENTS = "/raw-memory/enrolments"
PAGE = f"{ORIGIN}/raw-memory/enrol"
HOSTILE = '<b>Bold</b> "quotes" {{ 7 * 7 }}'


@pytest.fixture
async def browser(served: Served, alice: Client) -> AsyncIterator[Browser]:
    browser = Browser(served)
    await browser.sign_in("alice")
    yield browser
    await browser.http.aclose()


async def begun(stranger: Client, device: RawDevice, **changes: str) -> Any:
    return await stranger.ok("POST", ENROLMENTS, status=201, json=device.public | changes)


async def polled(stranger: Client, asked: Any) -> Any:
    found = await stranger.ok("POST", f"{ENROLMENTS}/poll", json={"pollToken": asked["pollToken"]})
    del found["success"]
    return found


async def decided(browser: Browser, asked: Any, decision: str = "approve") -> Any:
    return await browser.http.post(
        f"{ENROLMENTS}/{asked['enrolmentId']}/decide", json={"decision": decision}, headers=OWN_PAGE
    )


async def test_an_approved_device_gets_its_token_once(
    served: Served, alice: Client, browser: Browser, stranger: Client
) -> None:
    device = RawDevice()
    asked = await begun(stranger, device)
    assert asked["approvalUrl"] == f"{PAGE}?id={asked['enrolmentId']}"
    assert asked["expiresAt"] == "2026-11-21T09:40:00.000Z"
    assert await polled(stranger, asked) == {
        "status": "pending",
        "deviceId": None,
        "deviceToken": None,
    }
    for _ in range(2):
        assert (await decided(browser, asked)).json() == {"success": True, "status": "approved"}
    (waiting,) = (await alice.ok("GET", "/raw-memory/devices"))["devices"]
    assert (waiting["status"], waiting["hasKey"]) == ("pending", False)
    got = await polled(stranger, asked)
    assert (got["status"], got["deviceId"]) == ("approved", waiting["deviceId"])
    assert (await polled(stranger, asked))["status"] == "consumed"
    (active,) = (await alice.ok("GET", "/raw-memory/devices"))["devices"]
    assert (active["status"], active["name"]) == ("active", "Laptop")
    async with served.client(got["deviceToken"]) as client:
        assert (await client.ok("GET", "/identity"))["credential"]["kind"] == "device"
        await client.refused("GET", "/os/notes", 403, "insufficient_scope")
        await client.refused("GET", "/local-agent/whoami", 403, "insufficient_scope")
        await client.refused("POST", "/raw-memory/devices", 403, "forbidden", json=device.public)
        await client.refused(
            "POST",
            f"{ENROLMENTS}/{asked['enrolmentId']}/decide",
            403,
            "forbidden",
            json={"decision": "approve"},
        )


async def test_a_device_token_stores_for_its_own_device_and_ends_with_it(
    served: Served, alice: Client, browser: Browser, stranger: Client
) -> None:
    other = await RawDevice(2).add(alice)
    await alice.ok("PUT", "/raw-memory/keys", json=other.keys())
    mine = RawDevice()
    asked = await begun(stranger, mine)
    await decided(browser, asked)
    got = await polled(stranger, asked)
    mine.device_id, mine.user_id = got["deviceId"], other.user_id
    async with served.client(got["deviceToken"], **{"X-Device-Id": other.device_id}) as client:
        made = await client.ok(
            "POST", "/raw-memory/records", json={"records": [mine.seal(), other.seal()]}
        )
        assert [each["status"] for each in made["results"]] == ["created", "rejected"]
        assert made["results"][1]["error"] == "forbidden"
        await client.ok("DELETE", f"/raw-memory/devices/{mine.device_id}")
        await client.refused("GET", "/raw-memory/usage", 401, "unauthorized")


async def test_a_no_is_heard_and_final(alice: Client, browser: Browser, stranger: Client) -> None:
    asked = await begun(stranger, RawDevice())
    assert (await decided(browser, asked, "deny")).json()["status"] == "denied"
    assert (await decided(browser, asked)).json()["error"] == "request_not_pending"
    assert (await polled(stranger, asked))["status"] == "denied"
    assert (await alice.ok("GET", "/raw-memory/devices"))["devices"] == []


async def test_a_request_lives_for_ten_minutes(
    served: Served, alice: Client, browser: Browser, stranger: Client, clock: MovableClock
) -> None:
    asked = await begun(stranger, RawDevice(1))
    approved = await begun(stranger, RawDevice(2))
    await decided(browser, approved)
    clock.forward(minutes=10)
    assert (await polled(stranger, asked))["status"] == "expired"
    assert (await polled(stranger, approved))["status"] == "expired"
    assert (await decided(browser, asked)).json()["error"] == "request_expired"
    assert (await browser.http.get(asked["approvalUrl"])).status_code == 410
    await served.command("purge_enrolments")
    assert (await alice.ok("GET", "/raw-memory/devices"))["devices"] == []
    clock.forward(days=2)
    assert (await served.command("purge_enrolments")).purged == 2
    await stranger.refused(
        "POST", f"{ENROLMENTS}/poll", 404, "not_found", json={"pollToken": asked["pollToken"]}
    )


async def test_whoever_answered_first_has_answered(
    served: Served, browser: Browser, bob: Client, stranger: Client
) -> None:
    asked = await begun(stranger, RawDevice())
    other = Browser(served)
    await other.sign_in("bob")
    await decided(browser, asked)
    assert (await decided(other, asked)).status_code == 404
    assert (await decided(other, asked, "deny")).status_code == 404


async def test_only_a_session_at_a_page_of_this_server_answers(
    alice: Client, browser: Browser, stranger: Client
) -> None:
    asked = await begun(stranger, RawDevice())
    path = f"{ENROLMENTS}/{asked['enrolmentId']}/decide"
    yes = {"decision": "approve"}
    await stranger.refused("POST", path, 401, "unauthorized", json=yes)
    await alice.refused("POST", path, 403, "forbidden", json=yes)
    for headers in ({}, {"Origin": "null"}, {"Origin": "https://evil.example"}):
        assert (await browser.http.post(path, json=yes, headers=headers)).status_code == 403
    bad = await browser.http.post(path, json={"decision": "maybe"}, headers=OWN_PAGE)
    assert (bad.status_code, bad.json()["field"]) == (400, "decision")
    assert (await polled(stranger, asked))["status"] == "pending"


async def test_the_page_shows_name_and_fingerprint_and_asks_to_compare(
    browser: Browser, stranger: Client
) -> None:
    device = RawDevice()
    asked = await begun(stranger, device, name=HOSTILE)
    shown = await browser.http.get(asked["approvalUrl"])
    assert shown.status_code == 200
    for name, value in (
        ("content-security-policy", "frame-ancestors 'none'"),
        ("x-frame-options", "DENY"),
    ):
        assert value in shown.headers[name]
    assert "script" not in shown.text
    assert "<b>" not in shown.text
    assert "{{ 7 * 7 }}" in shown.text
    fingerprint = device_fingerprint(device.public["publicKey"], device.public["signingKey"])
    assert fingerprint in shown.text
    form = hidden(shown.text)
    unticked = await browser.http.post(PAGE, data=form | {"decision": "approve"}, headers=OWN_PAGE)
    assert (unticked.status_code, "Compare the fingerprint" in unticked.text) == (400, True)
    assert (await polled(stranger, asked))["status"] == "pending"
    ticked = await browser.http.post(
        PAGE, data=form | {"decision": "approve", "same": "yes"}, headers=OWN_PAGE
    )
    assert "let in" in ticked.text
    assert (await polled(stranger, asked))["status"] == "approved"
    again = await browser.http.get(asked["approvalUrl"])
    assert again.status_code == 409


async def test_the_page_takes_a_no(browser: Browser, stranger: Client) -> None:
    asked = await begun(stranger, RawDevice())
    form = hidden((await browser.http.get(asked["approvalUrl"])).text)
    said = await browser.http.post(PAGE, data=form | {"decision": "deny"}, headers=OWN_PAGE)
    assert "Not let in" in said.text
    assert (await polled(stranger, asked))["status"] == "denied"


async def test_a_stranger_signs_in_first_and_learns_nothing(
    browser: Browser, stranger: Client
) -> None:
    asked = await begun(stranger, RawDevice(), name="My secret laptop")
    for method in ("GET", "POST"):
        shown = await stranger.request(
            method,
            asked["approvalUrl"],
            headers=OWN_PAGE,
            data={"id": asked["enrolmentId"], "decision": "approve", "same": "yes"},
        )
        assert shown.status_code == 401
        assert "secret laptop" not in shown.text
    assert (await polled(stranger, asked))["status"] == "pending"


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example"])
async def test_no_page_of_another_answers(
    browser: Browser, stranger: Client, origin: str | None
) -> None:
    asked = await begun(stranger, RawDevice())
    sent = {"id": asked["enrolmentId"], "decision": "approve", "same": "yes"}
    headers = {} if origin is None else {"Origin": origin}
    assert (await browser.http.post(PAGE, data=sent, headers=headers)).status_code == 403
    assert (await polled(stranger, asked))["status"] == "pending"


@pytest.mark.parametrize("id_", ["", "enr_none", "%00", "é" * 300])
async def test_an_unknown_request_has_a_page_that_says_so(browser: Browser, id_: str) -> None:
    assert (await browser.http.get(PAGE, params={"id": id_})).status_code == 404


async def test_the_page_says_when_there_are_too_many_devices(
    alice: Client, browser: Browser, stranger: Client
) -> None:
    for number in range(1, 21):
        await RawDevice(number).add(alice)
    asked = await begun(stranger, RawDevice(50))
    sent = {"id": asked["enrolmentId"], "decision": "approve", "same": "yes"}
    full = await browser.http.post(PAGE, data=sent, headers=OWN_PAGE)
    assert (full.status_code, "20 devices" in full.text) == (400, True)
