"""The account: identity, settings, keys, grants, and what scopes allow."""

import dataclasses
import uuid
from typing import Any

import pytest

from app.account import key_ring, key_rows
from app.core.caller import SCOPES
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio

KEY_FIELDS = {
    "id",
    "name",
    "prefix",
    "last4",
    "scopes",
    "createdAt",
    "lastUsedAt",
    "expiresAt",
    "revokedAt",
}
DEFAULTS = {
    "name": "alice",
    "agentName": None,
    "email": None,
    "timezone": "UTC",
    "locale": "en",
    "replanPerDay": 5,
    "defaultModel": None,
    "inboxFrom": "anyone",
    "escalationTtlHours": 72,
    "trashDays": 30,
    "snapshotKeep": 500,
}


async def new_key(client: Client, **more: Any) -> Any:
    """Create a key and give the whole answer."""
    return await client.ok("POST", "/account/keys", status=201, json={"name": "phone", **more})


async def status_of(served: Served, secret: str, path: str = "/identity") -> int:
    """Give the status with which a request with this key is answered."""
    async with served.client(secret) as client:
        return (await client.get(path)).status_code


async def test_identity_tells_user_scopes_and_credential(served: Served, alice: Client) -> None:
    body = await alice.ok("GET", "/identity")
    uuid.UUID(body["profile"]["userId"])
    assert body["profile"] == {
        "userId": body["profile"]["userId"],
        "username": "alice",
        "name": "alice",
        "agentName": None,
        "email": None,
    }
    assert body["scopes"] == ["*"]
    assert body["credential"] == {
        "kind": "key",
        "id": body["credential"]["id"],
        "name": "test",
        "prefix": "hearth_sk_",
        "expiresAt": None,
    }
    assert set(body) == {"success", "profile", "scopes", "credential"}
    made = await new_key(alice, scopes=["os.todos:read"], expiresIn="1h")
    async with served.client(made["secret"]) as narrow:
        seen = await narrow.ok("GET", "/identity")
    assert (seen["scopes"], seen["profile"], seen["credential"]["expiresAt"]) == (
        ["os.todos:read"],
        body["profile"],
        "2026-11-21T10:30:00.000Z",
    )


async def test_settings_begin_with_their_defaults(alice: Client) -> None:
    assert await alice.ok("GET", "/account/settings") == {"success": True, "settings": DEFAULTS}


async def test_settings_change_one_by_one_and_show_in_the_identity(alice: Client) -> None:
    changes: dict[str, Any] = {
        "name": " Alice A. ",
        "agentName": "Al",
        "email": "a@example.org",
        "timezone": "Europe/Berlin",
        "locale": "de-CH",
        "replanPerDay": 50,
        "defaultModel": "offline",
        "inboxFrom": "contacts",
        "escalationTtlHours": 720,
        "trashDays": 365,
        "snapshotKeep": 5000,
    }
    expected = dict(DEFAULTS)
    for field, value in changes.items():
        expected[field] = value.strip() if isinstance(value, str) else value
        assert (await alice.ok("PATCH", "/account/settings", json={field: value, "unknown": 1}))[
            "settings"
        ] == expected
    assert (await alice.ok("GET", "/account/settings"))["settings"] == expected
    profile = (await alice.ok("GET", "/identity"))["profile"]
    assert (profile["name"], profile["agentName"], profile["email"], profile["username"]) == (
        "Alice A.",
        "Al",
        "a@example.org",
        "alice",
    )


async def test_null_clears_what_may_be_empty_and_leaves_the_rest(alice: Client) -> None:
    await alice.ok(
        "PATCH",
        "/account/settings",
        json={"agentName": "Al", "email": "a@b", "defaultModel": "m", "trashDays": 7, "name": "A"},
    )
    cleared = (await alice.ok("PATCH", "/account/settings", json=dict.fromkeys(DEFAULTS)))[
        "settings"
    ]
    assert cleared == {**DEFAULTS, "trashDays": 7, "name": "A"}
    assert (await alice.ok("PATCH", "/account/settings", json={}))["settings"] == cleared


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("name", ["", " ", "x" * 256, "a\nb", 5]),
        ("agentName", ["", "x" * 256, 5]),
        ("email", ["", "a", "a b@c", "a@b@c", "@", "x" * 254 + "@b", "a\u202e@b", 5]),
        (
            "timezone",
            ["", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "Europe", "europe/\u0000", 5],
        ),
        ("locale", ["", "english language", "de_CH", "d", 5]),
        ("replanPerDay", [0, 51, -1, "5", 1.5, True]),
        ("defaultModel", ["", "x" * 201, 5]),
        ("inboxFrom", ["", "nobody", 5]),
        ("escalationTtlHours", [0, 721, "1"]),
        ("trashDays", [0, 366, "1"]),
        ("snapshotKeep", [9, 5001, "10"]),
    ],
)
async def test_a_bad_setting_is_named_and_changes_nothing(
    alice: Client, field: str, values: list[Any]
) -> None:
    for value in values:
        await alice.refused(
            "PATCH",
            "/account/settings",
            400,
            "invalid_request",
            field=field,
            json={field: value, "locale" if field != "locale" else "name": "fr"},
        )
    assert (await alice.ok("GET", "/account/settings"))["settings"] == DEFAULTS


async def test_a_key_is_shown_once_and_kept_as_a_hash(served: Served, alice: Client) -> None:
    made = await new_key(alice, name="  phone ")
    secret, key = made["secret"], made["key"]
    assert set(made) == {"success", "key", "secret"}
    assert key == {
        "id": key["id"],
        "name": "phone",
        "prefix": "hearth_sk_",
        "last4": secret[-4:],
        "scopes": ["*"],
        "createdAt": "2026-11-21T09:30:00.000Z",
        "lastUsedAt": None,
        "expiresAt": None,
        "revokedAt": None,
    }
    assert len(secret) == len("hearth_sk_") + 40
    assert secret.removeprefix("hearth_sk_").isalnum()
    listed = await alice.ok("GET", "/account/keys")
    assert (listed["keys"][0], listed["total"], set(listed["keys"][1])) == (key, 2, KEY_FIELDS)
    assert [row["id"] for row in listed["keys"]] == sorted(
        (row["id"] for row in listed["keys"]), reverse=True
    )
    assert secret.removeprefix("hearth_sk_")[:-4] not in str(listed)
    stored = await served.parts.read(
        lambda tx: [tuple(row) for row in tx.all("SELECT * FROM keys")]
    )
    assert secret not in str(stored)
    assert await status_of(served, secret) == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": None}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "x", "scopes": "os.notes:read"}, "scopes"),
        ({"name": "x", "scopes": ["os.notes:read", "os.notes:fly"]}, "scopes"),
        ({"name": "x", "scopes": [5]}, "scopes[0]"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "expiresIn": "2h"}, "expiresIn"),
        ({"name": "x", "expiresIn": 3600}, "expiresIn"),
    ],
)
async def test_a_bad_key_is_not_made(resident: Client, body: dict[str, Any], field: str) -> None:
    await resident.refused("POST", "/account/keys", 400, "invalid_request", field=field, json=body)
    assert (await resident.ok("GET", "/account/keys"))["total"] == 1


@pytest.mark.parametrize(
    ("scopes", "stored"),
    [
        (None, ["*"]),
        (["*", "os.notes:read"], ["*"]),
        (["os.notes:read"] * 2, ["os.notes:read"]),
        (list(SCOPES), list(SCOPES)),
    ],
)
async def test_a_key_has_the_scopes_that_were_asked_for(
    alice: Client, scopes: Any, stored: list[str]
) -> None:
    assert (await new_key(alice, scopes=scopes))["key"]["scopes"] == stored


@pytest.mark.parametrize(
    ("expires_in", "hours"),
    [
        ("1h", 1),
        ("24h", 24),
        ("7d", 168),
        ("30d", 720),
        ("90d", 2160),
        ("1y", 8760),
        ("never", None),
        (None, None),
    ],
)
async def test_a_key_ends_when_its_time_is_over(
    served: Served, alice: Client, clock: MovableClock, expires_in: str | None, hours: int | None
) -> None:
    made = await new_key(alice, expiresIn=expires_in)
    assert (made["key"]["expiresAt"] is None) == (hours is None)
    clock.forward(hours=hours or 100_000, seconds=-1)
    assert await status_of(served, made["secret"]) == 200
    clock.forward(seconds=1)
    assert await status_of(served, made["secret"]) == (200 if hours is None else 401)


async def test_a_key_that_has_ended_is_as_one_that_never_was(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await new_key(alice, expiresIn="1h")
    clock.forward(hours=1)
    async with (
        served.client(made["secret"]) as ended,
        served.client("hearth_sk_" + "x" * 40) as never,
    ):
        one, other = await ended.get("/identity"), await never.get("/identity")
    assert (one.status_code, one.json()) == (other.status_code, other.json()) == (401, one.json())
    assert 'error="invalid_token"' in one.headers["WWW-Authenticate"]


async def test_a_revoked_key_fails_at_once_and_revoking_again_is_the_same(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await new_key(alice)
    assert await status_of(served, made["secret"]) == 200
    for _ in range(2):
        assert await alice.ok("DELETE", f"/account/keys/{made['key']['id']}") == {
            "success": True,
            "revoked": True,
        }
        assert await status_of(served, made["secret"]) == 401
        clock.forward(minutes=1)
    row = (await alice.ok("GET", "/account/keys"))["keys"][0]
    assert (row["revokedAt"], row["lastUsedAt"]) == ("2026-11-21T09:30:00.000Z", None)
    await alice.refused("POST", f"/account/keys/{row['id']}/rotate", 404, "not_found", field="id")


async def test_a_key_may_revoke_itself(served: Served, alice: Client) -> None:
    made = await new_key(alice, scopes=["account:manage"])
    async with served.client(made["secret"]) as own:
        await own.ok("DELETE", f"/account/keys/{made['key']['id']}")
        await own.refused("GET", "/account/keys", 401, "unauthorized")


async def test_the_time_of_last_use_is_kept(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await new_key(alice)
    ring = key_ring.KeyRing(served.parts.store, served.parts.hooks)
    for _ in range(2):
        clock.forward(minutes=5)
        caller = ring.find_caller(made["secret"])
        assert caller is not None
        ring.note_use(caller)
        await ring.flush()
    assert (await alice.ok("GET", "/account/keys"))["keys"][0][
        "lastUsedAt"
    ] == "2026-11-21T09:40:00.000Z"


async def test_rotating_gives_a_new_secret_and_ends_the_old_one(
    served: Served, alice: Client
) -> None:
    made = await new_key(alice, scopes=["os.notes:read"], expiresIn="7d")
    rotated = await alice.ok("POST", f"/account/keys/{made['key']['id']}/rotate")
    assert rotated["secret"] != made["secret"]
    assert rotated["key"] == {**made["key"], "last4": rotated["secret"][-4:]}
    assert [await status_of(served, secret) for secret in (made["secret"], rotated["secret"])] == [
        401,
        200,
    ]
    assert (await alice.ok("GET", "/account/keys"))["total"] == 2


async def test_a_rotated_secret_works_for_its_grace_time(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await new_key(alice)
    rotated = await alice.ok(
        "POST", f"/account/keys/{made['key']['id']}/rotate", json={"graceSeconds": 60}
    )
    clock.forward(seconds=59)
    assert [await status_of(served, secret) for secret in (made["secret"], rotated["secret"])] == [
        200,
        200,
    ]
    clock.forward(seconds=1)
    assert [await status_of(served, secret) for secret in (made["secret"], rotated["secret"])] == [
        401,
        200,
    ]
    again = await alice.ok(
        "POST", f"/account/keys/{made['key']['id']}/rotate", json={"graceSeconds": 86400}
    )
    await alice.ok("DELETE", f"/account/keys/{made['key']['id']}")
    assert [await status_of(served, secret) for secret in (rotated["secret"], again["secret"])] == [
        401,
        401,
    ]


async def test_grace_does_not_outlive_the_key(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await new_key(alice, expiresIn="1h")
    rotated = await alice.ok(
        "POST", f"/account/keys/{made['key']['id']}/rotate", json={"graceSeconds": 86400}
    )
    clock.forward(hours=1)
    assert [await status_of(served, secret) for secret in (made["secret"], rotated["secret"])] == [
        401,
        401,
    ]


@pytest.mark.parametrize("grace", [-1, 86401, "60", 1.5, True])
async def test_a_bad_grace_time_rotates_nothing(served: Served, alice: Client, grace: Any) -> None:
    made = await new_key(alice)
    await alice.refused(
        "POST",
        f"/account/keys/{made['key']['id']}/rotate",
        400,
        "invalid_request",
        field="graceSeconds",
        json={"graceSeconds": grace},
    )
    assert await status_of(served, made["secret"]) == 200


async def test_keys_of_another_user_are_not_there(alice: Client, bob: Client) -> None:
    key = (await new_key(alice))["key"]["id"]
    assert (await bob.ok("GET", "/account/keys"))["total"] == 1
    for method, path in (("DELETE", "/account/keys/{}"), ("POST", "/account/keys/{}/rotate")):
        refused = await bob.refused(method, path.format(key), 404, "not_found")
        never = await bob.refused(method, path.format(999), 404, "not_found")
        assert {**refused, "message": ""} == {**never, "message": ""}


async def test_no_credential_comes_by_a_key_that_may_do_more_than_itself(
    served: Served, alice: Client
) -> None:
    wide = (await new_key(alice))["key"]["id"]
    other = (await new_key(alice, scopes=["os.notes:read", "account:manage"]))["key"]["id"]
    narrow_key = await new_key(
        alice, scopes=["account:manage", "os.todos:read", "escalations:decide"]
    )
    async with served.client(narrow_key["secret"]) as narrow:
        for body, scope in (
            ({"name": "x"}, "*"),
            ({"name": "x", "scopes": None}, "*"),
            ({"name": "x", "scopes": ["*"]}, "*"),
            ({"name": "x", "scopes": ["os.todos:read", "os.todos:write"]}, "os.todos:write"),
        ):
            assert (
                await narrow.refused("POST", "/account/keys", 403, "insufficient_scope", json=body)
            )["scope"] == scope
        assert (
            await narrow.refused("POST", f"/account/keys/{wide}/rotate", 403, "insufficient_scope")
        )["scope"] == "*"
        assert (
            await narrow.refused("POST", f"/account/keys/{other}/rotate", 403, "insufficient_scope")
        )["scope"] == "os.notes:read"
        made = await new_key(narrow, scopes=["os.todos:read", "escalations:read"])
        assert made["key"]["scopes"] == ["os.todos:read", "escalations:read"]
        await narrow.ok("POST", f"/account/keys/{made['key']['id']}/rotate")
        await narrow.ok(
            "POST", f"/account/keys/{narrow_key['key']['id']}/rotate", json={"graceSeconds": 60}
        )
    assert (await alice.ok("GET", "/account/keys"))["total"] == 5


async def test_a_user_has_at_most_a_hundred_live_keys(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    first = (await new_key(alice, expiresIn="1h"))["key"]["id"]
    for _ in range(98):
        await new_key(alice)
    refused = await alice.refused(
        "POST", "/account/keys", 409, "quota_exceeded", json={"name": "one more"}
    )
    assert "100" in refused["message"]
    await new_key(bob)
    await alice.ok("POST", f"/account/keys/{first}/rotate")
    clock.forward(hours=1)
    second = (await new_key(alice))["key"]["id"]
    await alice.refused("POST", "/account/keys", 409, "quota_exceeded", json={"name": "one more"})
    await alice.ok("DELETE", f"/account/keys/{second}")
    await new_key(alice)
    assert (await alice.ok("GET", "/account/keys"))["total"] == 102


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer {}"}, 200),
        ({"Authorization": "bearer {}"}, 200),
        ({"X-API-Key": "{}"}, 200),
        ({"Authorization": "Bearer {}", "X-API-Key": "wrong"}, 200),
        ({"Authorization": "Bearer wrong", "X-API-Key": "{}"}, 401),
        ({"Authorization": "Basic {}", "X-API-Key": "{}"}, 401),
        ({"Authorization": "", "X-API-Key": "{}"}, 401),
        ({"Authorization": "{}"}, 401),
        ({"Cookie": "hearth_session={}"}, 401),
        ({}, 401),
    ],
)
async def test_a_key_counts_only_in_its_headers(
    served: Served, alice: Client, headers: dict[str, str], status: int
) -> None:
    secret = await served.key("alice")
    async with served.client(
        **{name: value.format(secret) for name, value in headers.items()}
    ) as client:
        response = await client.get(f"/identity?api_key={secret}&access_token={secret}")
    assert response.status_code == status
    assert status == 200 or secret not in response.text


async def test_keys_of_an_earlier_prefix_stay_valid(served: Served, alice: Client) -> None:
    made = await served.parts.write(issue_with_prefix, "older_")
    assert made.secret.startswith("older_")
    assert await status_of(served, made.secret) == 200


async def test_grants_are_listed_newest_first_and_end_at_once(
    served: Served, alice: Client, bob: Client
) -> None:
    def add(tx: Any, client: str) -> int:
        return int(
            tx.run(
                """INSERT INTO oauth_grants (user_id, client_id, client_name, scopes, created_at)
                   SELECT id, :client, upper(:client), '["openid"]', :now FROM users
                     WHERE username = 'alice'""",
                client=client,
                now=tx.now,
            ).lastrowid
        )

    first, second = await served.parts.write(add, "one"), await served.parts.write(add, "two")
    body = await alice.ok("GET", "/account/grants")
    assert body["grants"][1] == {
        "id": first,
        "clientId": "one",
        "clientName": "ONE",
        "scopes": ["openid"],
        "createdAt": "2026-11-21T09:30:00.000Z",
        "lastUsedAt": None,
    }
    assert [grant["id"] for grant in body["grants"]] == [second, first]
    assert (await bob.ok("GET", "/account/grants"))["grants"] == []
    await bob.refused("DELETE", f"/account/grants/{first}", 404, "not_found")
    for _ in range(2):
        assert await alice.ok("DELETE", f"/account/grants/{first}") == {
            "success": True,
            "revoked": True,
        }
    assert [grant["id"] for grant in (await alice.ok("GET", "/account/grants"))["grants"]] == [
        second
    ]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/account/settings"),
        ("PATCH", "/account/settings"),
        ("GET", "/account/keys"),
        ("POST", "/account/keys"),
        ("POST", "/account/keys/1/rotate"),
        ("DELETE", "/account/keys/1"),
        ("GET", "/account/grants"),
        ("DELETE", "/account/grants/1"),
    ],
)
async def test_the_account_needs_its_own_scope(
    served: Served, alice: Client, method: str, path: str
) -> None:
    everything_else = [scope for scope in SCOPES if scope != "account:manage"]
    async with served.client(await served.key("alice", everything_else)) as client:
        refused = await client.refused(method, path, 403, "insufficient_scope")
        await client.ok("GET", "/identity")
    assert refused["scope"] == "account:manage"


async def test_status_and_index_need_what_they_say(served: Served, alice: Client) -> None:
    async with served.client(await served.key("alice", ["os.notes:read"])) as client:
        assert (await client.refused("GET", "/os/status", 403, "insufficient_scope"))[
            "scope"
        ] == "os.status:read"
        assert (await client.refused("POST", "/init", 403, "insufficient_scope"))[
            "scope"
        ] == "os.notes:write"
        index = await client.ok("GET", "/os")
    rows = [row for rows in index["byCategory"].values() for row in rows]
    assert index["totalEndpoints"] == len(rows)
    assert all(
        set(row) == {"method", "path", "scope", "summary", "maturity"} and row["maturity"] == "ga"
        for row in rows
    )
    assert {"workspace", "folders", "notes", "snapshots", "todos", "account"} <= set(
        index["byCategory"]
    )


async def test_a_workspace_begins_once(served: Served) -> None:
    await served.command("add_user", username="carol")
    async with served.client(await served.key("carol")) as carol:
        status = await carol.ok("GET", "/os/status")
        assert (
            status["contextCount"],
            status["totalSizeBytes"],
            status["folders"],
            status["lastSyncedAt"],
        ) == (0, 0, [], "2026-11-21T09:30:00.000Z")
        bodies = [await carol.ok("POST", "/init", json=body) for body in ({}, {"unknown": 1})]
    assert [(body["initialized"], body["created"]) for body in bodies] == [
        (True, True),
        (True, False),
    ]
    assert bodies[0]["workspace"] == bodies[1]["workspace"]
    assert [folder["name"] for folder in bodies[0]["workspace"]["folders"]] == ["General"]


def issue_with_prefix(tx: Any, prefix: str) -> Any:
    tx.settings = dataclasses.replace(tx.settings, key_prefix=prefix)
    alice = tx.value("SELECT id FROM users WHERE username = 'alice'")
    return key_rows.issue(tx, alice, "older", ("*",), "never")


async def test_what_is_no_setting_is_named_and_the_rest_is_kept(alice: Client) -> None:
    changed = await alice.ok(
        "PATCH", "/account/settings", json={"name": "Al", "replanPerday": 3, "colour": "red"}
    )
    assert changed["settings"]["name"] == "Al"
    assert (
        changed["notice"]
        == "There are no settings called “replanPerday”, “colour”; what was sent for that "
        "was ignored."
    )
    assert "notice" not in await alice.ok("PATCH", "/account/settings", json={"replanPerDay": 3})
