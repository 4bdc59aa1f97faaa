"""Active devices: which device a call comes from, what is kept of it, and what a cap of devices
refuses.
"""

from pathlib import Path
from typing import Any

import pytest

from app.account.metering import active_devices
from app.account.metering.active_devices import Devices
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx
from app.core.process.background_tasks import Tasks
from app.errors import StorageFull
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio
CAP = {"subject": "account", "metric": "devices", "period": "month"}


def from_(device: str) -> dict[str, Any]:
    return {"headers": {"X-Device-Id": device}}


async def seen(client: Client, **more: Any) -> list[str]:
    return sorted(
        row["deviceId"] for row in (await client.ok("GET", "/metering/usage", **more))["byDevice"]
    )


async def test_a_device_is_the_one_that_the_call_names_else_the_credential(
    served: Served, alice: Client, bob: Client
) -> None:
    for name in ("phone", "  phone ", "laptop 2", " "):
        await alice.ok("GET", "/identity", **from_(name))
    second = served.client(await served.key("alice"))
    await second.ok("GET", "/identity")
    assert await seen(alice) == ["key:1", "key:3", "laptop 2", "phone"]
    assert await seen(bob) == ["key:2"]
    await second.aclose()


async def test_only_a_call_that_is_let_in_makes_a_device(
    served: Served, alice: Client, stranger: Client
) -> None:
    before = await seen(alice)
    await stranger.refused("GET", "/identity", 401, "unauthorized", **from_("phone"))
    await alice.get("/nothing", **from_("phone"))
    assert await seen(alice) == before
    await alice.refused("GET", "/os/notes/404", 404, "not_found", **from_("phone"))
    assert await seen(alice) == sorted([*before, "phone"])


@pytest.mark.parametrize("name", ["x" * 129, "tab\there", "caf\xe9", "null\x00"])
async def test_what_cannot_be_the_name_of_a_device_is_refused(alice: Client, name: str) -> None:
    await alice.refused(
        "GET",
        "/identity",
        400,
        "invalid_request",
        field="X-Device-Id",
        headers=[(b"X-Device-Id", name.encode("latin-1"))],
    )
    assert await seen(alice, **from_("x" * 128)) == ["x" * 128]


async def test_a_device_token_is_its_own_device_whatever_it_says(
    served: Served, alice: Client
) -> None:
    part = served.asgi.front.credentials.devices
    for token in (
        Caller(user=1, user_id="u", username="alice", kind="device", credential=7),
        Caller(user=1, user_id="u", username="alice", kind="device", credential=8, device="dev_8"),
    ):
        part.admit(token, b"another")
    assert await seen(alice) == ["dev_8", "device:7", "key:1"]


async def test_a_new_device_over_the_cap_is_refused_and_known_ones_go_on(
    alice: Client, bob: Client
) -> None:
    await alice.ok("GET", "/identity", **from_("phone"))
    cap = (await alice.ok("POST", "/metering/caps", status=201, json={**CAP, "limit": 3}))["cap"]
    assert (cap["used"], cap["remaining"]) == (2, 1)
    await alice.ok("GET", "/identity", **from_("laptop"))
    for _ in range(3):
        refused = await alice.refused("GET", "/os/notes", 429, "budget_exceeded", **from_("tablet"))
        assert (refused["cap"], refused["resetsAt"], refused["retryAfter"]) == (
            cap["id"],
            "2026-12-01T00:00:00.000Z",
            829_800,
        )
        for known in ("phone", "laptop"):
            await alice.ok("GET", "/identity", **from_(known))
        await alice.ok("GET", "/identity")
    assert (await alice.get("/identity", **from_("tablet"))).headers["retry-after"] == "829800"
    await bob.ok("GET", "/identity", **from_("tablet"))
    await alice.ok("PATCH", f"/metering/caps/{cap['id']}", json={"limit": 1})
    await alice.ok("GET", "/identity", **from_("phone"))
    await alice.ok("PATCH", f"/metering/caps/{cap['id']}", json={"limit": 4})
    await alice.ok("GET", "/identity", **from_("tablet"))


async def test_a_new_month_begins_with_no_device(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await alice.ok("POST", "/metering/caps", status=201, json={**CAP, "limit": 1})
    await alice.refused("GET", "/identity", 429, "budget_exceeded", **from_("phone"))
    await served.parts.write_gathered()
    clock.forward(days=10)
    await alice.ok("GET", "/identity", **from_("phone"))
    await alice.refused("GET", "/identity", 429, "budget_exceeded")


async def test_with_a_cap_a_new_device_is_written_at_once(
    data: Path, settings: Settings, clock: MovableClock, served: Served, alice: Client
) -> None:
    await alice.ok("POST", "/metering/caps", status=201, json={**CAP, "limit": 9})
    await alice.ok("GET", "/identity", **from_("phone"))
    await served.parts.tasks.close(5)
    assert served.parts.quick(active_devices.count_active, 1, "2026-11") == 2


async def test_devices_are_known_again_after_a_restart(
    data: Path, settings: Settings, clock: MovableClock
) -> None:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        alice = await Served(asgi, asgi.state.parts).person("alice")
        await alice.ok("POST", "/metering/caps", status=201, json={**CAP, "limit": 2})
        await alice.ok("GET", "/identity", **from_("phone"))
        key = alice.headers["authorization"].removeprefix("Bearer ")
        await alice.aclose()
    asgi = create_app(settings, data, clock=clock)
    async with (
        asgi.router.lifespan_context(asgi),
        Served(asgi, asgi.state.parts).client(key) as alice,
    ):
        await alice.refused("GET", "/identity", 429, "budget_exceeded", **from_("laptop"))
        await alice.ok("GET", "/identity", **from_("phone"))
        assert await seen(alice) == ["key:1", "phone"]


async def test_a_key_that_lost_a_scope_is_not_remembered_with_it(
    served: Served, alice: Client
) -> None:
    await alice.ok("GET", "/identity", **from_("phone"))

    def narrow(tx: Any) -> None:
        tx.run("UPDATE keys SET scopes = :scopes", scopes='["os.todos:read"]')
        tx.emit("keys.changed")

    await served.parts.write(narrow)
    for more in ({}, from_("phone")):
        await alice.refused("GET", "/os/notes", 403, "insufficient_scope", **more)


async def test_too_many_names_are_counted_as_their_credential(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active_devices, "MOST_DEVICES", 3)
    monkeypatch.setattr(active_devices, "MOST_ADMITTED", 5)
    await alice.ok("GET", "/identity")
    for number in range(20):
        await alice.ok("GET", "/identity", **from_(f"device {number}"))
    assert len(await seen(alice)) == 3


async def test_devices_of_a_user_who_is_gone_are_let_go(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.ok("GET", "/identity", **from_("phone"))
    await bob.ok("GET", "/identity", **from_("phone"))
    await served.command("delete_user", username="alice")
    assert "phone" in await seen(bob)
    assert (
        served.parts.quick(
            lambda tx: tx.value("SELECT count(*) FROM active_devices WHERE user_id = 1")
        )
        == 0
    )


async def test_a_cap_of_devices_warns(served: Served, alice: Client) -> None:
    told: list[dict[str, Any]] = []
    served.parts.events.on("budget.warning", told.append)
    cap = (
        await alice.ok(
            "POST", "/metering/caps", status=201, json={**CAP, "limit": 4, "warnPercent": 75}
        )
    )["cap"]["id"]
    for name in ("phone", "laptop", "tablet"):
        await alice.ok("GET", "/identity", **from_(name))
        await seen(alice)
    assert told == [{"user": 1, "capId": cap, "used": 3, "limit": 4}]


async def test_a_call_writes_nothing_by_itself(served: Served, alice: Client) -> None:
    store: Store = served.parts.store
    before = store.commits
    for name in ("phone", "laptop"):
        await alice.ok("GET", "/identity", **from_(name))
    assert store.commits == before
    part = Devices(store, Tasks())
    await part.flush_seen()
    assert store.commits == before


async def test_one_job_writes_all_that_requests_left_in_memory(
    served: Served, alice: Client
) -> None:
    await alice.ok("GET", "/identity")
    assert served.parts.quick(written) == (False, 0)
    await served.command("write_gathered")
    assert served.parts.quick(written) == (True, 1)


async def test_what_a_full_disk_has_no_room_for_is_written_later(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise StorageFull("The disk is full.")

    await alice.ok("GET", "/identity")
    with monkeypatch.context() as full:
        full.setattr(served.parts.store, "write", refuse)
        for _ in range(2):
            await alice.ok("GET", "/metering/usage")  # which writes them, so that it finds them
    assert served.parts.quick(written) == (False, 0)
    await served.command("write_gathered")
    assert served.parts.quick(written) == (True, 1)


def written(tx: Tx) -> tuple[bool, int]:
    """Whether the first user's key was used, and how many devices were active."""
    used = tx.value("SELECT last_used_at FROM keys WHERE user_id = 1")
    return used is not None, tx.value("SELECT count(*) FROM active_devices")
