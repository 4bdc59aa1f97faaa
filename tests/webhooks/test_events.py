"""What webhooks tell of: each event of the contract, in the transaction in which it happens."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from app.account import oauth_grants, oauth_tokens
from app.account.oauth.clients import Client as OAuthClient
from app.core.caller import SCOPES
from app.core.database.tx import Tx
from app.webhooks.event_types import EVENTS, LONGEST_TEXT
from tests.conftest import Client, MovableClock, Served
from tests.support import guests
from tests.support.agents import caller
from tests.support.receivers import Receiver
from tests.tools.test_escalations import decide, edit
from tests.webhooks.conftest import Hook, hooked

pytestmark = pytest.mark.anyio
BOB = {"username": "bob", "name": "bob"}


@pytest.fixture
async def ids(served: Served, alice: Client, bob: Client) -> dict[str, str]:
    return {name: caller(served, name).user_id for name in ("alice", "bob")}


async def told(hook: Hook, type_: str) -> Any:
    """Give the data of the one event of a type that the webhook told of, whatever its state."""
    bodies = hook.served.parts.quick(
        lambda tx: [
            row["body"]
            for row in tx.all(
                "SELECT body FROM webhook_deliveries WHERE webhook_id = :hook AND type = :type",
                hook=hook.id,
                type=type_,
            )
        ]
    )
    (found,) = [msgspec.json.decode(body) for body in bodies]
    assert list(found) == ["type", "timestamp", "data"]
    assert found["type"] == type_
    assert tuple(found["data"]) == EVENTS[type_].fields  # type: ignore[index]
    return found["data"]


async def test_escalations_are_told(
    served: Served, alice: Client, hook: Hook, clock: MovableClock
) -> None:
    _, first = await edit(served, alice)
    created = await told(hook, "escalation.created")
    assert created == {
        "escalationId": first,
        "kind": "tool_call",
        "toolName": "edit_note",
        "summary": created["summary"],
        "status": "pending",
        "decision": None,
        "expiresAt": created["expiresAt"],
        "decidedAt": None,
    }
    await decide(alice, first)
    decided = await told(hook, "escalation.decided")
    assert (decided["status"], decided["decision"]) == ("executed", "continue")
    assert decided["decidedAt"] == "2026-11-21T09:30:00.000Z"
    _, second = await edit(served, alice, "three\n")
    clock.forward(days=30)
    await served.command("expire_escalations")
    expired = await told(hook, "escalation.expired")
    assert (expired["escalationId"], expired["status"]) == (second, "expired")


async def test_contacts_are_told_to_those_whom_it_concerns(
    served: Served, alice: Client, bob: Client, hook: Hook, there: Receiver, ids: dict[str, str]
) -> None:
    of_bob = await hooked(served, bob, there.url("/bob"))
    request = (await bob.ok("POST", "/network/request", json={"to": "alice"}))["requestId"]
    assert await told(hook, "contact.requested") == {
        "requestId": request,
        "from": {"userId": ids["bob"], **BOB},
    }
    body = {"requestId": request, "type": "friend", "action": "accept"}
    await alice.ok("POST", "/network/accept", json=body)
    assert await told(hook, "contact.connected") == {"userId": ids["bob"], "username": "bob"}
    assert await told(of_bob, "contact.connected") == {"userId": ids["alice"], "username": "alice"}
    assert [row["type"] for row in await of_bob.deliveries()] == ["contact.connected"]


async def test_messages_are_told_with_a_preview(
    served: Served, alice: Client, bob: Client, hook: Hook, ids: dict[str, str]
) -> None:
    sent = await bob.ok("POST", "/agent/message", json={"to": "alice", "message": "ä" * 300})
    assert await told(hook, "message.received") == {
        "messageId": sent["messageId"],
        "conversationId": sent["conversationId"],
        "mode": "human",
        "sender": {"userId": ids["bob"], "username": "bob", "senderType": "agent"},
        "preview": "ä" * 200,
        "createdAt": "2026-11-21T09:30:00.000Z",
    }


async def test_messages_of_every_mode_are_told(
    served: Served, alice: Client, bob: Client, stranger: Client, there: Receiver
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    permissions = {"permissions": {"agentAccess": True}}
    await alice.ok("PUT", "/network/contacts/bob/permissions", json=permissions)
    body = {"name": "Team", "members": ["bob"]}
    group = (await alice.ok("POST", "/network/groups", status=201, json=body))["group"]
    link = await guests.link(alice)
    hook = await hooked(served, alice, there.url(), "message.received")
    for to in ("alice", "alice_coo", f"group:{group['conversationId']}"):
        await bob.ok("POST", "/agent/message", json={"to": to, "message": "hello"})
    await guests.ask(stranger, link, "hello")
    sent = await there.wait_for(4)
    modes = {one.event["data"]["mode"] for one in sent}
    assert modes == {"human", "agent", "group", "guest"}
    assert len(await hook.deliveries()) == 4


async def end_contact(served: Served, alice: Client, bob: Client) -> Any:
    await served.command("connect_users", username="alice", contact="bob")
    permissions = {"permissions": {"agentAccess": True}}
    await alice.ok("PUT", "/network/contacts/bob/permissions", json=permissions)
    await alice.ok("DELETE", "/network/contacts/bob")
    return ("contact", 1, "alice", "revoked")


async def narrow_contact(served: Served, alice: Client, bob: Client) -> Any:
    await served.command("connect_users", username="alice", contact="bob")
    path = "/network/contacts/bob/permissions"
    access = {"agentAccess": True, "todoAccess": {"read": True}}
    await alice.ok("PUT", path, json={"permissions": access})
    await alice.ok("PUT", path, json={"permissions": {"agentAccess": True}})
    return ("contact", 1, "alice", "narrowed")


async def end_link(served: Served, alice: Client, bob: Client) -> Any:
    made = await guests.link(alice)
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    await alice.ok("DELETE", f"/os/share/{made['id']}")
    return ("share_link", made["id"], "alice", "revoked")


async def share(served: Served, alice: Client, role: str) -> int:
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Shared")
    body = {"username": "bob", "role": role}
    await alice.ok("POST", f"/os/folders/{folder}/share", json=body)
    return folder


async def end_share(served: Served, alice: Client, bob: Client) -> Any:
    folder = await share(served, alice, "editor")
    await bob.ok("DELETE", f"/os/folders/{folder}/share/bob")
    return ("folder", folder, "bob", "revoked")


async def narrow_share(served: Served, alice: Client, bob: Client) -> Any:
    folder = await share(served, alice, "editor")
    for role in ("admin", "viewer", "viewer"):
        body = {"username": "bob", "role": role}
        await alice.ok("POST", f"/os/folders/{folder}/share", json=body)
    return ("folder", folder, "alice", "narrowed")


async def let_in(served: Served) -> int:
    """Give a grant of alice's to an application, whose refresh token is `r`."""

    def grant(tx: Tx) -> int:
        user = tx.value("SELECT id FROM users WHERE username = 'alice'")
        client = OAuthClient("app", "An application", ())
        return oauth_grants.begin(tx, user, client, tuple(SCOPES), code=b"c", ends_at="9999")

    return await served.parts.write(grant)


async def end_application(served: Served, alice: Client, bob: Client) -> Any:
    grant = await let_in(served)
    for _ in range(2):
        await alice.ok("DELETE", f"/account/grants/{grant}")
    return ("oauth", grant, "alice", "revoked")


async def application_leaves(served: Served, alice: Client, bob: Client) -> Any:
    grant = await let_in(served)

    def leave(tx: Tx) -> None:
        issued = oauth_tokens.issue(tx, grant, ("profile",), refreshing=("profile",))
        oauth_tokens.revoke(tx, issued.refresh or "")

    await served.parts.write(leave)
    return ("oauth", grant, None, "revoked")


@pytest.mark.parametrize(
    "end",
    [
        end_contact,
        narrow_contact,
        end_link,
        end_share,
        narrow_share,
        end_application,
        application_leaves,
    ],
)
async def test_what_ends_a_grant_is_told_once(
    served: Served,
    alice: Client,
    bob: Client,
    hook: Hook,
    ids: dict[str, str],
    end: Callable[[Served, Client, Client], Awaitable[Any]],
) -> None:
    kind, grant, by, reason = await end(served, alice, bob)
    assert await told(hook, "grant.revoked") == {
        "grantKind": kind,
        "grantId": grant,
        "by": by and ids[by],
        "reason": reason,
    }


async def test_a_link_whose_time_is_over_is_told_once_to_its_owner_and_who_came_by_it(
    served: Served, alice: Client, bob: Client, there: Receiver, clock: MovableClock
) -> None:
    hook = await hooked(served, alice, there.url(), "grant.revoked")
    of_bob = await hooked(served, bob, there.url("/bob"), "grant.revoked")
    made = await guests.link(alice, expiresIn="1h")
    await bob.ok("POST", "/network/connect", json={"shareToken": made["token"]})
    assert (await served.command("end_expired_links")).links == 0
    clock.forward(hours=1)
    assert (await served.command("end_expired_links")).links == 1
    assert (await served.command("end_expired_links")).links == 0
    sent = await there.wait_for(3)
    said = {(one.path, *one.event["data"].values()) for one in sent}
    assert said == {
        ("/hook", "share_link", made["id"], None, "expired"),
        ("/hook", "contact", 1, None, "expired"),
        ("/bob", "contact", 1, None, "expired"),
    }
    assert [len(await one.deliveries()) for one in (hook, of_bob)] == [2, 1]
    await alice.ok("PATCH", f"/os/share/{made['id']}", json={"expiresIn": "24h"})
    clock.forward(hours=24)
    assert (await served.command("end_expired_links")).links == 1


async def test_a_budget_that_is_nearly_used_up_is_told(
    served: Served, alice: Client, hook: Hook
) -> None:
    cap = {"subject": "account", "metric": "devices", "period": "month"}
    made = await alice.ok(
        "POST", "/metering/caps", status=201, json={**cap, "limit": 2, "warnPercent": 50}
    )
    await alice.ok("GET", "/identity", headers={"X-Device-Id": "phone"})
    await alice.ok("GET", "/metering/usage")
    data = await told(hook, "budget.warning")
    assert (data["capId"], data["limit"]) == (made["cap"]["id"], 2)


async def test_what_is_undone_is_not_told(served: Served, alice: Client, hook: Hook) -> None:
    def fail(tx: Tx) -> None:
        with tx.always_undo():
            tx.emit("contact.connected", user=1, userId="u", username="undone")
        tx.emit("contact.connected", user=1, userId="u", username="fails")
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        await served.parts.write(fail)
    assert await hook.deliveries() == []


async def test_only_what_is_asked_for_is_kept_and_one_event_has_one_id(
    served: Served, alice: Client, bob: Client, there: Receiver
) -> None:
    wanted = await hooked(served, alice, there.url("/a"), "contact.requested", "grant.revoked")
    all_ = await hooked(served, alice, there.url("/b"))
    deaf = await hooked(served, alice, there.url("/c"), "budget.warning")
    await bob.ok("POST", "/network/request", json={"to": "alice"})
    (one,), (other,) = await wanted.deliveries(), await all_.deliveries()
    assert await deaf.deliveries() == []
    assert one["eventId"] == other["eventId"]
    assert one["eventId"].startswith("evt_")


async def test_a_long_text_is_cut_so_that_an_event_stays_small(
    served: Served, alice: Client, hook: Hook, there: Receiver
) -> None:
    def happen(tx: Tx) -> None:
        tx.emit("contact.connected", user=1, userId="u", username="\0" * 100_000)

    await served.parts.write(happen)
    (sent,) = await there.wait_for(1)
    assert len(sent.event["data"]["username"]) == LONGEST_TEXT
    assert len(sent.body) < 64 << 10


async def test_a_secret_is_thirty_two_bytes(hook: Hook) -> None:
    assert len(base64.b64decode(hook.secret.removeprefix("whsec_"), validate=True)) == 32
