"""What is to be sent outlives the server, however that ends."""

import asyncio
import random
from pathlib import Path

import pytest

from app.webhooks.sender import WebhookSender
from tests.conftest import Client, Served
from tests.support.agents import restarted
from tests.support.receivers import Receiver, receiver
from tests.support.serving import Server, serving
from tests.support.webhook_trial import outcomes
from tests.webhooks.conftest import Hook

pytestmark = pytest.mark.anyio
SEED = 4


async def test_a_server_that_starts_sends_what_another_left(
    served: Served, alice: Client, bob: Client, hook: Hook, there: Receiver, tmp_path: Path
) -> None:
    await served.parts.part(WebhookSender).stop()
    await bob.ok("POST", "/network/request", json={"to": "alice"})
    assert there.sent == []
    place = tmp_path / "after"
    place.mkdir()
    for key in served.parts.store.path.parent.glob("sealing-key"):
        (place / key.name).write_bytes(key.read_bytes())
    async with restarted(served, place):
        (sent,) = await there.wait_for(1)
    assert sent.event["type"] == "contact.requested"


async def test_a_server_that_ends_cuts_off_who_hangs_and_sends_it_again(
    served: Served, alice: Client, bob: Client, hook: Hook, there: Receiver
) -> None:
    there.answers(200, hang=True)
    await bob.ok("POST", "/network/request", json={"to": "alice"})
    await there.wait_for(1)
    part = served.parts.part(WebhookSender)
    await asyncio.wait_for(part.stop(), 3)
    there.answers(204)
    part.start()
    await there.wait_for(2)
    assert there.sent[0].id == there.sent[1].id
    assert (await hook.settled(1))["status"] == "succeeded"


async def test_a_sender_that_is_woken_as_it_is_stopped_ends(served: Served) -> None:
    part = served.parts.part(WebhookSender)
    # it sleeps until a moment
    part._due[2] = "2026-11-22T00:00:00.000Z"
    part.note_due([1])
    await asyncio.sleep(0.02)
    part.note_due([1])
    stopping = asyncio.ensure_future(part.stop())
    done, _ = await asyncio.wait({stopping}, timeout=2)
    assert done


def revoke_links(server: Server, number: int) -> None:
    """Make links and revoke them, each of which is an event."""
    for _ in range(number):
        status, made = server.ask("POST", "/os/share", {"scope": "all"})
        assert status == 201, made
        status, answer = server.ask("DELETE", f"/os/share/{made['shareLink']['id']}")
        assert status == 200, answer


async def test_no_event_is_lost_to_a_kill(tmp_path: Path) -> None:
    """The receiver hangs until the server is killed, so every attempt is cut off."""
    data = tmp_path / "data"
    async with receiver() as there:
        there.answers(200, hang=True)
        with serving(data) as server:
            body = {"url": there.url(), "events": ["grant.revoked"]}
            status, made = await asyncio.to_thread(server.ask, "POST", "/webhooks", body)
            assert status == 201, made
            await asyncio.to_thread(revoke_links, server, 10)
            await there.wait_for(1)
            server.kill()
        cut_off = there.sent.pop()
        there.answers(204)
        with serving(data, key=server.key):
            await there.wait_for(10, 20)
    assert cut_off.id in {one.id for one in there.sent}
    told = [one.verify(made["secret"])["data"]["grantId"] for one in there.sent]
    assert sorted(told) == list(range(1, 11))


async def test_every_delivery_of_a_small_trial_is_as_the_table_says() -> None:
    found = (await outcomes(24, random.Random(SEED), slow=2))["byReceiver"]
    assert found["steady"]["succeeded"] == found["steady"]["attempts"] == 12
    assert found["redirecting"]["webhook"] == "disabled: failing"
    assert found["hanging"]["mostAttempts"] == 10
