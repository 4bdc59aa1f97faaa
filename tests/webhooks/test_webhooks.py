"""Webhooks as their owner sees them: adding, changing, removing, and who may."""

from pathlib import Path
from typing import Any

import pytest

from app.webhooks.event_types import EVENTS
from tests.conftest import Client, Served
from tests.support.receivers import Receiver
from tests.webhooks.conftest import Hook, hooked

pytestmark = pytest.mark.anyio
PUBLIC = "https://example.com/hook?to=me"


async def add(client: Client, **fields: Any) -> Any:
    body = {"url": PUBLIC, "events": ["*"], **fields}
    return await client.ok("POST", "/webhooks", status=201, json=body)


async def test_a_webhook_is_added_and_shown_as_the_contract_says(alice: Client) -> None:
    made = await add(alice, events=["grant.revoked", "message.received"], description="  To me ")
    assert made["secret"].startswith("whsec_")
    assert made["webhook"] == {
        "id": 1,
        "url": PUBLIC,
        "description": "To me",
        "events": ["grant.revoked", "message.received"],
        "status": "active",
        "disabledReason": None,
        "consecutiveFailures": 0,
        "lastSuccessAt": None,
        "lastFailureAt": None,
        "createdAt": "2026-11-21T09:30:00.000Z",
        "updatedAt": "2026-11-21T09:30:00.000Z",
    }
    assert (await alice.ok("GET", "/webhooks"))["webhooks"] == [made["webhook"]]
    assert (await alice.ok("GET", "/webhooks/1"))["webhook"] == made["webhook"]


async def test_a_secret_is_shown_once_and_lies_nowhere_readable(
    alice: Client, data: Path, served: Served
) -> None:
    secret = (await add(alice))["secret"]
    rotated = (await alice.ok("POST", "/webhooks/1/rotate-secret"))["secret"]
    for path in ("/webhooks", "/webhooks/1"):
        assert "whsec_" not in (await alice.get(path)).text
    await served.parts.store.close()
    held = everything_in(data)
    for one in (secret, rotated):
        assert one.removeprefix("whsec_").encode() not in held
    assert secret != rotated


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


async def test_what_is_changed_is_changed_and_the_rest_stays(alice: Client) -> None:
    await add(alice, description="before")
    path = "/webhooks/1"
    changed = (await alice.ok("PATCH", path, json={"events": ["*", "grant.revoked"]}))["webhook"]
    assert (changed["events"], changed["description"], changed["url"]) == (["*"], "before", PUBLIC)
    changed = (await alice.ok("PATCH", path, json={"description": "", "url": None}))["webhook"]
    assert (changed["description"], changed["url"], changed["status"]) == ("", PUBLIC, "active")
    assert (await alice.ok("PATCH", path, json={"status": "paused"}))["webhook"]["status"] == (
        "paused"
    )
    await alice.refused("PATCH", path, 400, "invalid_request", json={})
    await alice.refused(
        "PATCH", path, 400, "invalid_request", field="status", json={"status": "disabled"}
    )
    await alice.ok("DELETE", path)
    await alice.refused("GET", path, 404, "not_found")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/hook",
        "https://me:secret@example.com/",
        "https://me@example.com/",
        "ftp://example.com/",
        "https://",
        "nonsense",
        "https://exa mple.com/",
        "https://example.com\\@127.0.0.1/",
    ],
)
async def test_an_address_that_is_none_is_refused(alice: Client, url: str) -> None:
    body = {"url": url, "events": ["*"]}
    await alice.refused("POST", "/webhooks", 400, "invalid_request", field="url", json=body)
    await add(alice)
    await alice.refused(
        "PATCH", "/webhooks/1", 400, "invalid_request", field="url", json={"url": url}
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/",
        "https://192.168.1.20:8443/",
        "https://169.254.169.254/latest/",
        "https://[fd00::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://127.0.0.2/",
        "http://127.0.0.1:8765/api/v1/os",
    ],
)
async def test_an_address_inside_is_refused_and_so_is_the_own_port(
    resident: Client, url: str
) -> None:
    body = {"url": url, "events": ["*"]}
    await resident.refused("POST", "/webhooks", 403, "forbidden", field="url", json=body)


@pytest.mark.parametrize("events", [[], ["nonsense"], ["*", "grant.given"], "*", None, [1]])
async def test_events_that_are_none_are_refused(resident: Client, events: Any) -> None:
    body = {"url": PUBLIC, "events": events}
    answer = await resident.refused("POST", "/webhooks", 400, "invalid_request", json=body)
    assert answer["field"].startswith("events")


async def test_a_user_has_at_most_twenty(alice: Client, bob: Client) -> None:
    for _ in range(20):
        await add(alice)
    body = {"url": PUBLIC, "events": ["*"]}
    assert (await alice.refused("POST", "/webhooks", 409, "quota_exceeded", json=body))[
        "limit"
    ] == 20
    await add(bob)


async def test_the_types_of_events_are_listed(alice: Client) -> None:
    listed = (await alice.ok("GET", "/webhooks/event-types"))["eventTypes"]
    assert [row["type"] for row in listed] == list(EVENTS)
    assert all(row["description"].endswith(".") for row in listed)


async def test_another_users_webhook_is_not_there(
    served: Served, alice: Client, bob: Client, there: Receiver
) -> None:
    theirs = await hooked(served, alice, there.url(), "webhook.test")
    delivery = (await theirs.test())["id"]
    own = await hooked(served, bob, there.url(), "webhook.test")
    path = f"/webhooks/{theirs.id}"
    for method, place in (
        ("GET", path),
        ("PATCH", path),
        ("DELETE", path),
        ("POST", f"{path}/rotate-secret"),
        ("POST", f"{path}/test"),
        ("GET", f"{path}/deliveries"),
        ("POST", f"{path}/deliveries/{delivery}/retry"),
        # a delivery is reached by its own webhook alone
        ("POST", f"/webhooks/{own.id}/deliveries/{delivery}/retry"),
        ("GET", "/webhooks/999"),
    ):
        await bob.refused(
            method,
            place,
            404,
            "not_found",
            json={"status": "paused"} if method == "PATCH" else None,
        )
    assert [row["id"] for row in (await bob.ok("GET", "/webhooks"))["webhooks"]] == [own.id]
    assert len(there.sent) == 1
    assert (await theirs.row())["status"] == "active"


async def test_a_user_who_is_deleted_takes_their_webhooks_along(
    served: Served, alice: Client, hook: Hook
) -> None:
    await hook.test()
    await served.command("delete_user", username="alice")
    counts = served.parts.quick(
        lambda tx: [
            tx.value(f"SELECT count(*) FROM {table}")
            for table in ("webhooks", "webhook_secrets", "webhook_deliveries")
        ]
    )
    assert counts == [0, 0, 0]
