"""Devices over HTTP: registering, presence, sessions, the default route, and who can be reached."""

from typing import Any

import pytest

from app.errors import StorageFull
from app.runtime.devices import endpoints
from tests.conftest import Client, MovableClock, Served
from tests.runtime.bodies import LAPTOP, SESSION
from tests.runtime.devices import device, registered, with_session

pytestmark = pytest.mark.anyio


async def test_registering_again_keeps_the_endpoint_and_ends_the_token_before(
    served: Served, alice: Client
) -> None:
    first = await registered(alice)
    endpoint = first["endpoint"]
    assert endpoint["endpointId"].startswith("ep_")
    assert {key: endpoint[key] for key in LAPTOP} == LAPTOP
    assert endpoint["presence"] == "online"
    async with device(served, first) as laptop:
        me = await laptop.ok("GET", "/local-agent/whoami")
        assert (me["deviceId"], me["username"]) == ("laptop", "alice")
        assert me["principalId"] == me["userId"] == endpoint["principalId"]
        again = await registered(laptop, capabilities=["startSession"])  # its own token suffices
        await laptop.refused("GET", "/local-agent/whoami", 401, "unauthorized")
    assert again["endpoint"]["endpointId"] == endpoint["endpointId"]
    assert again["endpoint"]["capabilities"] == ["startSession"]
    other = await registered(alice, runtime="claude-code")
    assert other["endpoint"]["endpointId"] != endpoint["endpointId"]
    async with device(served, again) as laptop, device(served, other) as beside:
        await laptop.ok("GET", "/local-agent/whoami")
        await beside.ok("GET", "/local-agent/whoami")  # one runtime's token does not end another's
    assert len((await alice.ok("GET", "/local-agent/endpoints"))["endpoints"]) == 2


async def test_a_device_token_opens_nothing_else_and_no_other_device(
    served: Served, alice: Client, bob: Client
) -> None:
    laptop, desktop = await registered(alice), await registered(alice, deviceId="desktop")
    theirs = await registered(bob)
    async with device(served, laptop) as token:
        for path in ("/os/notes", "/escalations", "/account/keys", "/raw-memory/records"):
            assert (await token.get(path)).status_code in (403, 404)
        shown = (await token.ok("GET", "/local-agent/endpoints"))["endpoints"]
        assert [one["deviceId"] for one in shown] == ["laptop"]
        for other in (desktop, theirs):
            id_ = other["endpoint"]["endpointId"]
            for method, path, body in (
                ("POST", f"/local-agent/endpoints/{id_}/heartbeat", {}),
                ("DELETE", f"/local-agent/endpoints/{id_}", None),
                ("POST", "/local-agent/sessions", {**SESSION, "endpointId": id_}),
                ("GET", f"/local-realtime/poll?endpointId={id_}", None),
                ("GET", f"/local-realtime/stream?endpointId={id_}", None),
            ):
                await token.refused(method, path, 403, "endpoint_not_owned", json=body)
        body = {**LAPTOP, "deviceId": "desktop"}
        await token.refused("POST", "/local-agent/endpoints", 403, "endpoint_not_owned", json=body)
    session = await with_session(alice, desktop)
    async with device(served, laptop) as token:
        await token.refused(
            "PATCH",
            f"/local-agent/sessions/{session['sessionHandle']}",
            403,
            "session_not_owned",
            json={"state": "closed"},
        )


async def test_an_endpoint_is_offline_a_minute_after_its_last_heartbeat(
    alice: Client, clock: MovableClock
) -> None:
    id_ = (await registered(alice))["endpoint"]["endpointId"]

    async def presence() -> Any:
        return (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"][0]["presence"]

    clock.forward(seconds=59)
    assert await presence() == "online"
    beat = await alice.post(f"/local-agent/endpoints/{id_}/heartbeat", json={})
    assert (beat.status_code, beat.content) == (204, b"")
    clock.forward(seconds=59)
    assert await presence() == "online"
    clock.forward(seconds=1)
    assert await presence() == "offline"
    await alice.refused("POST", "/local-agent/endpoints/ep_0/heartbeat", 404, "not_found")


async def test_beats_are_gathered_and_nobody_sees_that(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    id_ = (await registered(alice))["endpoint"]["endpointId"]

    async def beat() -> int:
        """Beat, and give how many commits that took."""
        before = served.parts.store.commits
        assert (await alice.post(f"/local-agent/endpoints/{id_}/heartbeat")).status_code == 204
        return served.parts.store.commits - before

    commits = []
    for _ in range(8):
        clock.forward(seconds=10)
        commits.append(await beat())
    # what is written is never so old that the endpoint would seem to be gone
    assert commits == [0, 0, 0, 1, 0, 0, 0, 1]
    clock.forward(seconds=10)
    await beat()
    clock.forward(seconds=59)
    shown = (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"]
    assert [one["presence"] for one in shown] == ["online"]
    clock.forward(seconds=-3600)
    assert await beat() == 1


async def test_beats_that_a_full_disk_has_no_room_for_are_written_later(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = (await registered(alice))["endpoint"]["endpointId"]

    async def refuse(*_: object, **__: object) -> None:
        raise StorageFull("The disk is full.")

    clock.forward(seconds=30)
    assert (await alice.post(f"/local-agent/endpoints/{id_}/heartbeat")).status_code == 204
    clock.forward(seconds=50)
    with monkeypatch.context() as full:
        full.setattr(served.parts.store, "write", refuse)
        (shown,) = (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"]
        assert shown["presence"] == "offline"
    (shown,) = (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"]
    assert shown["presence"] == "online"


async def test_a_removed_endpoint_drains_until_what_is_on_its_way_has_ended(
    served: Served, alice: Client
) -> None:
    made = await registered(alice)
    id_ = made["endpoint"]["endpointId"]
    session = await with_session(alice, made)
    route = {"endpointId": id_, "sessionHandle": session["sessionHandle"]}
    await alice.ok("PUT", "/local-agent/default-route", json=route)
    under_way = [id_]
    served.parts.hooks.is_delivering = lambda _, one: one in under_way
    assert (await alice.delete(f"/local-agent/endpoints/{id_}")).status_code == 204
    shown = (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"]
    assert [one["presence"] for one in shown] == ["draining"]
    async with device(served, made) as token:
        await token.refused("GET", "/local-agent/whoami", 401, "unauthorized")
    assert (await alice.post(f"/local-agent/endpoints/{id_}/heartbeat")).status_code == 204
    await alice.refused("GET", "/local-agent/default-route", 404, "no_default_route")
    path = f"/local-agent/sessions/{session['sessionHandle']}"
    await alice.refused("PATCH", path, 409, "session_closed", json={"state": "idle"})
    under_way.clear()
    assert (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"] == []
    await alice.refused("POST", f"/local-agent/endpoints/{id_}/heartbeat", 404, "not_found")
    assert (await alice.delete(f"/local-agent/endpoints/{id_}")).status_code == 204
    back = await registered(alice)
    assert back["endpoint"]["endpointId"] == id_
    assert (await alice.ok("GET", "/local-agent/endpoints"))["endpoints"][0]["presence"] == "online"


async def test_a_session_is_changed_and_closed_for_good(alice: Client, bob: Client) -> None:
    made = await registered(alice)
    session = await with_session(alice, made, workspaceBoundary={"root": "/src"})
    assert session["sessionHandle"].startswith("rs_")
    assert {key: session[key] for key in SESSION} == SESSION
    assert session["workspaceBoundary"] == {"root": "/src"}
    path = f"/local-agent/sessions/{session['sessionHandle']}"
    busy = await alice.ok("PATCH", path, json={"state": "busy", "allowInbound": False})
    assert (busy["state"], busy["allowInbound"], busy["label"]) == ("busy", False, "hearth")
    await bob.refused("PATCH", path, 403, "session_not_owned", json={"state": "idle"})
    await alice.refused("PATCH", "/local-agent/sessions/rs_0", 404, "session_not_found", json={})
    await alice.refused("PATCH", path, 400, "invalid_request", field="state", json={"state": "x"})
    await alice.ok("PATCH", path, json={"state": "closed"})
    await alice.ok("PATCH", path, json={"state": "closed"})
    await alice.refused("PATCH", path, 409, "session_closed", json={"allowInbound": True})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("label", ""),
        ("label", "x" * 201),
        ("state", "closed"),
        ("deliveryMode", "push"),
        ("allowInbound", "yes"),
        ("capabilities", []),
        ("workspaceBoundary", 7),
        ("workspaceBoundary", "x" * 5000),
    ],
)
async def test_what_no_session_can_be_is_refused(alice: Client, field: str, value: Any) -> None:
    id_ = (await registered(alice))["endpoint"]["endpointId"]
    body = {**SESSION, "endpointId": id_, field: value}
    await alice.refused(
        "POST", "/local-agent/sessions", 400, "invalid_request", field=field, json=body
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("runtime", "vim"),
        ("deviceId", ""),
        ("deviceId", "x" * 129),
        ("deviceId", "a\nb"),
        ("capabilities", "all"),
        ("capabilities", ["x"] * 101),
        ("capabilities", ["a\u202eb"]),
        ("bridgeVersion", None),
    ],
)
async def test_what_no_endpoint_can_be_is_refused(resident: Client, field: str, value: Any) -> None:
    body = {**LAPTOP, field: value}
    refused = await resident.refused(
        "POST", "/local-agent/endpoints", 400, "invalid_request", json=body
    )
    assert refused["field"].partition("[")[0] == field


async def test_of_too_many_sessions_the_one_that_rested_longest_is_closed(
    alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.runtime.devices.sessions.MOST_OPEN", 2)
    made = await registered(alice)
    opened = []
    for _ in range(3):
        opened.append(await with_session(alice, made))
        clock.forward(seconds=1)
    paths = [f"/local-agent/sessions/{one['sessionHandle']}" for one in opened]
    await alice.refused("PATCH", paths[0], 409, "session_closed", json={})
    for path in paths[1:]:
        await alice.ok("PATCH", path, json={})


async def test_a_user_has_only_so_many_endpoints(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "MOST_ENDPOINTS", 1)
    await registered(alice)
    await registered(alice)
    await alice.refused(
        "POST",
        "/local-agent/endpoints",
        409,
        "quota_exceeded",
        json={**LAPTOP, "deviceId": "another"},
    )


async def test_the_default_route_leads_to_an_open_session_of_ones_own(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.refused("GET", "/local-agent/default-route", 404, "no_default_route")
    made, desktop = await registered(alice), await registered(alice, deviceId="desktop")
    theirs = await registered(bob)
    session = await with_session(alice, made)
    route = {
        "endpointId": made["endpoint"]["endpointId"],
        "sessionHandle": session["sessionHandle"],
    }
    for endpoint, handle, status, code in (
        (desktop["endpoint"]["endpointId"], route["sessionHandle"], 404, "session_not_found"),
        (theirs["endpoint"]["endpointId"], route["sessionHandle"], 403, "endpoint_not_owned"),
        ("ep_0", route["sessionHandle"], 404, "not_found"),
        (route["endpointId"], "rs_0", 404, "session_not_found"),
    ):
        body = {"endpointId": endpoint, "sessionHandle": handle}
        await alice.refused("PUT", "/local-agent/default-route", status, code, json=body)
    put = await alice.ok("PUT", "/local-agent/default-route", json=route)
    assert put == await alice.ok("GET", "/local-agent/default-route")
    assert put["updatedAt"]
    async with device(served, desktop) as other:
        await other.refused("DELETE", "/local-agent/default-route", 403, "endpoint_not_owned")
    async with device(served, made) as own:
        assert (await own.delete("/local-agent/default-route")).status_code == 204
    assert (await alice.delete("/local-agent/default-route")).status_code == 204
    path = f"/local-agent/sessions/{session['sessionHandle']}"
    await alice.ok("PATCH", path, json={"state": "closed"})
    await alice.refused("PUT", "/local-agent/default-route", 409, "session_closed", json=route)


async def test_pairing_says_what_is_missing_and_who_can_be_reached_only_to_contacts(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    made = await registered(bob)
    session = await with_session(bob, made)
    route = {
        "endpointId": made["endpoint"]["endpointId"],
        "sessionHandle": session["sessionHandle"],
    }
    await bob.ok("PUT", "/local-agent/default-route", json=route)
    found = await alice.ok("GET", "/local-agent/resolve-person?q=@Bob")
    assert (found["handle"], found["hasReachableRuntime"]) == ("bob", False)
    principal = found["principalId"]
    assert principal == made["endpoint"]["principalId"]
    by_id = await alice.ok("GET", f"/local-agent/resolve-person?q={principal}")
    assert by_id == found

    async def status(client: Client = alice, of: str = principal) -> Any:
        path = f"/local-agent/pair-status?principalId={of}"
        answer = await client.ok("GET", path)
        assert answer["targetReachable"] is (answer["status"] == "ready")
        assert answer["message"].endswith(".")
        return answer["status"]

    assert await status() == "request_pair"
    asked = (await alice.ok("POST", "/network/request", json={"to": "bob"}))["requestId"]
    assert await status() == "awaiting_their_accept"
    assert await status(bob, "alice") == "accept_incoming"
    body = {"requestId": asked, "type": "friend", "action": "accept"}
    await bob.ok("POST", "/network/accept", json=body)
    assert await status() == "ready"
    assert await status(bob, "alice") == "setup_bridge"
    assert (await alice.ok("GET", "/local-agent/resolve-person?q=bob"))["hasReachableRuntime"]
    clock.forward(seconds=61)
    assert await status() == "setup_bridge"
    for query in ("q=nobody", "q=@"):
        await alice.refused(
            "GET", f"/local-agent/resolve-person?{query}", 404, "not_found", field="q"
        )
    await alice.refused("GET", "/local-agent/pair-status", 400, "invalid_request")


async def test_the_agents_of_a_team_say_how_they_can_be_reached_and_what_they_lend(
    served: Served, alice: Client, bob: Client
) -> None:
    assert await alice.ok("GET", "/local-agent/team-agents") == {
        "success": True,
        "team": None,
        "agents": [],
    }
    invite = (await alice.ok("POST", "/os/team/invite"))["inviteUrl"].rpartition("/")[2]
    await bob.ok("POST", f"/os/team/invites/{invite}/accept")
    answer = await alice.ok("GET", "/local-agent/team-agents")
    agent = answer["agents"][0]
    assert answer["team"]["name"]
    assert (agent["handle"], agent["teamRole"]) == ("bob", "member")
    assert (agent["connectionState"], agent["availability"]) == ("contact", "unknown")
    assert agent["agentCard"]["address"] == "bob_coo"
    await alice.ok("POST", "/network/request", json={"to": "bob"})
    agent = (await alice.ok("GET", "/local-agent/team-agents"))["agents"][0]
    assert agent["connectionState"] == "connection_pending"
    await served.command("connect_users", username="alice", contact="bob")
    grant = {"permissions": {"agentAccess": True, "notesAccess": {"scope": "all"}}}
    await bob.ok("PUT", "/network/contacts/alice/permissions", json=grant)
    agent = (await alice.ok("GET", "/local-agent/team-agents"))["agents"][0]
    assert (agent["connectionState"], agent["availability"]) == ("connected", "away")
    assert {"id": "notes", "description": "Their notes, to read"} in agent["accessibleResources"]
    kept = {one["id"] for one in agent["authorityBoundaries"]}
    assert kept == {"notes", "calendar", "email", "todos"}
