"""The team: seats, invites as links, roles, leaving; and what a team never shows."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.core.limits import RateLimit
from app.settings import Settings
from tests.conftest import ORIGIN, Client, MovableClock, Served

pytestmark = pytest.mark.anyio

NONE = {
    "success": True,
    "hasTeam": False,
    "role": None,
    "canInvite": True,
    "seat": {"status": "none"},
    "team": None,
    "members": [],
    "pendingInvites": [],
}
SEATS = 4


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return dataclasses.replace(settings, team_seats=SEATS, invite_limit=0)


@pytest.fixture
async def carol(served: Served) -> AsyncIterator[Client]:
    client = await served.person("carol")
    yield client
    await client.aclose()


async def invite(client: Client, **more: Any) -> str:
    """Make an invite and give its token."""
    url: str = (await client.ok("POST", "/os/team/invite", json=more))["inviteUrl"]
    assert url.startswith(f"{ORIGIN}/team/invites/")
    return url.rpartition("/")[2]


async def join(leader: Client, other: Client, **more: Any) -> Any:
    """Let another accept an invite and give what they are answered."""
    return await other.ok("POST", f"/os/team/invites/{await invite(leader, **more)}/accept")


async def roles(client: Client) -> dict[str, str]:
    return {
        member["username"]: member["role"]
        for member in (await client.ok("GET", "/os/team"))["members"]
    }


async def test_without_a_team_one_may_invite_and_gets_one_with_the_first_invite(
    alice: Client,
) -> None:
    assert await alice.ok("GET", "/os/team") == NONE
    body = await alice.ok("POST", "/os/team/invite", json={"email": "Bob@example.org"})
    token = body["inviteUrl"].rpartition("/")[2]
    invited = {
        "id": body["invite"]["id"],
        "email": "Bob@example.org",
        "role": "member",
        "expiresAt": "2026-11-28T09:30:00.000Z",
    }
    assert body == {
        "success": True,
        "inviteUrl": f"{ORIGIN}/team/invites/{token}",
        "emailDelivered": False,
        "invite": invited,
    }
    assert (len(token), token.isalnum()) == (40, True)
    seen = await alice.ok("GET", "/os/team")
    me = (await alice.ok("GET", "/identity"))["profile"]
    assert seen == {
        "success": True,
        "hasTeam": True,
        "role": "owner",
        "canInvite": True,
        "seat": {"status": "active"},
        "team": {
            "id": seen["team"]["id"],
            "name": "alice’s team",
            "seatsTotal": SEATS,
            "seatsUsed": 2,
            "seatsAvailable": 2,
            "createdAt": "2026-11-21T09:30:00.000Z",
        },
        "members": [
            {
                "userId": me["userId"],
                "username": "alice",
                "name": "alice",
                "role": "owner",
                "joinedAt": "2026-11-21T09:30:00.000Z",
            }
        ],
        "pendingInvites": [{**invited, "createdAt": "2026-11-21T09:30:00.000Z"}],
    }


async def test_the_token_is_kept_as_a_hash_alone(served: Served, alice: Client) -> None:
    token = await invite(alice)
    stored = await served.parts.read(
        lambda tx: [tuple(row) for row in tx.all("SELECT * FROM team_invites")]
    )
    assert token not in str(stored)


@pytest.mark.parametrize("role", ["member", "admin"])
async def test_an_invite_is_accepted_once_and_gives_its_role(
    alice: Client, bob: Client, carol: Client, role: str
) -> None:
    token = await invite(alice, role=role)
    body = await bob.ok("POST", f"/os/team/invites/{token}/accept")
    assert (body["role"], body["team"]["seatsUsed"], await roles(bob)) == (
        role,
        2,
        {"alice": "owner", "bob": role},
    )
    await carol.refused("POST", f"/os/team/invites/{token}/accept", 404, "not_found", field="token")
    assert await carol.ok("GET", "/os/team") == NONE


async def test_an_invite_ends_after_seven_days_or_when_it_is_revoked(
    alice: Client, bob: Client, clock: MovableClock
) -> None:
    late = await invite(alice)
    clock.forward(days=7, seconds=-1)
    revoked = await invite(alice)
    pending = (await alice.ok("GET", "/os/team"))["pendingInvites"]
    await alice.ok("DELETE", f"/os/team/invites/{pending[1]['id']}")
    await alice.refused(
        "DELETE", f"/os/team/invites/{pending[1]['id']}", 404, "not_found", field="id"
    )
    clock.forward(seconds=1)
    for token in (late, revoked, "x", "x" * 5000, "%00", "é"):
        await bob.refused("POST", f"/os/team/invites/{token}/accept", 404, "not_found")
    await alice.refused("DELETE", f"/os/team/invites/{pending[0]['id']}", 404, "not_found")
    seen = await alice.ok("GET", "/os/team")
    assert (seen["pendingInvites"], seen["team"]["seatsUsed"]) == ([], 1)


async def test_an_invite_for_an_address_is_for_its_owner_alone(
    alice: Client, bob: Client, carol: Client
) -> None:
    token = await invite(alice, email="bob@example.org")
    await bob.refused("POST", f"/os/team/invites/{token}/accept", 403, "forbidden")
    await carol.ok("PATCH", "/account/settings", json={"email": "carol@example.org"})
    await carol.refused("POST", f"/os/team/invites/{token}/accept", 403, "forbidden")
    await bob.ok("PATCH", "/account/settings", json={"email": "BOB@Example.org"})
    assert (await bob.ok("POST", f"/os/team/invites/{token}/accept"))["role"] == "member"
    await alice.refused(
        "POST",
        "/os/team/invite",
        409,
        "already_member",
        field="email",
        json={"email": "bob@example.ORG"},
    )


async def test_whoever_is_in_a_team_joins_no_other(
    alice: Client, bob: Client, carol: Client
) -> None:
    own, other = await invite(alice), await invite(bob)
    for client, token in ((alice, own), (alice, other), (bob, own)):
        await client.refused("POST", f"/os/team/invites/{token}/accept", 409, "already_member")
    await carol.ok("POST", f"/os/team/invites/{own}/accept")
    await carol.refused("POST", f"/os/team/invites/{other}/accept", 409, "already_member")


async def test_members_and_waiting_invites_take_seats(alice: Client, bob: Client) -> None:
    tokens = [await invite(alice) for _ in range(SEATS - 1)]
    assert (await alice.refused("POST", "/os/team/invite", 409, "seats_full"))[
        "seatsTotal"
    ] == SEATS
    await bob.ok("POST", f"/os/team/invites/{tokens[0]}/accept")
    await alice.refused("POST", "/os/team/invite", 409, "seats_full")
    await alice.ok(
        "DELETE",
        f"/os/team/invites/{(await alice.ok('GET', '/os/team'))['pendingInvites'][0]['id']}",
    )
    await invite(alice)
    await alice.ok("DELETE", "/os/team/members/bob")
    await invite(alice)
    await alice.refused("POST", "/os/team/invite", 409, "seats_full")


async def test_a_member_neither_invites_nor_sees_invites_nor_decides(
    alice: Client, bob: Client, carol: Client
) -> None:
    await join(alice, bob)
    await join(alice, carol)
    await invite(alice, email="dave@example.org")
    pending = (await alice.ok("GET", "/os/team"))["pendingInvites"]
    seen = await bob.ok("GET", "/os/team")
    assert (seen["canInvite"], seen["pendingInvites"], seen["role"], "dave" in str(seen)) == (
        False,
        [],
        "member",
        False,
    )
    await bob.refused("POST", "/os/team/invite", 403, "forbidden")
    await bob.refused("DELETE", f"/os/team/invites/{pending[0]['id']}", 403, "forbidden")
    await bob.refused("PATCH", "/os/team/members/carol", 403, "forbidden", json={"role": "admin"})
    await bob.refused("PATCH", "/os/team/members/bob", 403, "forbidden", json={"role": "admin"})
    await bob.refused("DELETE", "/os/team/members/carol", 403, "forbidden")
    assert await roles(alice) == {"alice": "owner", "bob": "member", "carol": "member"}


async def test_an_admin_does_all_but_what_concerns_the_owner(
    alice: Client, bob: Client, carol: Client
) -> None:
    await join(alice, bob, role="admin")
    await join(bob, carol)
    changed = await bob.ok("PATCH", "/os/team/members/CAROL", json={"role": "admin"})
    assert (changed["member"]["username"], changed["member"]["role"]) == ("carol", "admin")
    await bob.refused("PATCH", "/os/team/members/alice", 403, "forbidden", json={"role": "member"})
    await bob.refused("DELETE", "/os/team/members/alice", 403, "forbidden")
    await alice.refused("DELETE", "/os/team/members/alice", 403, "forbidden")
    await alice.refused(
        "PATCH", "/os/team/members/alice", 403, "forbidden", json={"role": "member"}
    )
    await bob.refused(
        "PATCH",
        "/os/team/members/carol",
        400,
        "invalid_request",
        field="role",
        json={"role": "owner"},
    )
    await bob.ok("DELETE", "/os/team/members/carol")
    assert await carol.ok("GET", "/os/team") == NONE
    await bob.ok("DELETE", "/os/team/members/bob")
    assert (await bob.ok("GET", "/os/team"), await roles(alice)) == (NONE, {"alice": "owner"})


async def test_another_team_is_as_one_that_never_was(
    alice: Client, bob: Client, carol: Client
) -> None:
    await join(alice, bob)
    await invite(alice)
    id_ = (await alice.ok("GET", "/os/team"))["pendingInvites"][0]["id"]
    for state in ("no team", "another team"):
        for name in ("bob", "nobody"):
            for method, body in (("PATCH", {"role": "admin"}), ("DELETE", None)):
                answer = await carol.refused(
                    method,
                    f"/os/team/members/{name}",
                    404,
                    "not_found",
                    field="username",
                    **({"json": body} if body else {}),
                )
                assert answer["message"] == f"There is no member called {name}.", state
        await carol.refused("DELETE", f"/os/team/invites/{id_}", 404, "not_found")
        await invite(carol)
    assert set(await roles(carol)) == {"carol"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "x"}, "email"),
        ({"email": 5}, "email"),
        ({"role": "owner"}, "role"),
        ({"role": 1}, "role"),
    ],
)
async def test_a_bad_invite_is_named_and_makes_no_team(
    alice: Client, body: dict[str, Any], field: str
) -> None:
    await alice.refused("POST", "/os/team/invite", 400, "invalid_request", field=field, json=body)
    assert await alice.ok("GET", "/os/team") == NONE


async def test_membership_opens_nothing_of_anyone(alice: Client, bob: Client) -> None:
    note = await alice.note("Private", "Secret text")
    await join(alice, bob, role="admin")
    await bob.refused("GET", f"/os/notes/{note['id']}", 404, "not_found")
    assert (await bob.ok("POST", "/os/notes/search", json={"query": "Secret"}))["results"] == []


async def test_a_deleted_member_frees_the_seat_and_a_deleted_owner_ends_the_team(
    served: Served, alice: Client, bob: Client, carol: Client
) -> None:
    await join(alice, bob)
    await join(alice, carol)
    await served.command("delete_user", username="carol")
    assert (await alice.ok("GET", "/os/team"))["team"]["seatsUsed"] == 2
    await served.command("delete_user", username="alice")
    assert await bob.ok("GET", "/os/team") == NONE


async def test_invites_have_a_rate_for_each_user(
    served: Served, alice: Client, bob: Client
) -> None:
    served.parts.rates.invites = RateLimit(2)
    for _ in range(2):
        await invite(alice)
    refused = await alice.refused("POST", "/os/team/invite", 429, "rate_limited")
    assert refused["retryAfter"] > 0
    await invite(bob)
