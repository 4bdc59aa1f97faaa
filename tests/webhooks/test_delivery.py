"""How events are sent: signatures, the table of retries, and receivers of every kind."""

import asyncio
import email.utils
import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks import WebhookVerificationError

from app.core.database.data_dir import SEALING_KEY
from app.core.web import http_connections
from app.webhooks import sender
from app.webhooks.retries import WAITS, asked_wait, wait_after
from app.webhooks.sender import WebhookSender
from tests.conftest import Client, MovableClock, Served
from tests.support.receivers import Answer, Receiver, receiver, until
from tests.support.sealing import unreadable_key
from tests.support.web_site import site
from tests.webhooks.conftest import Hook, hooked

pytestmark = pytest.mark.anyio


async def happen(served: Served, times: int = 1, user: int = 1) -> None:
    """Let something happen that webhooks tell of."""

    def emit(tx: Any) -> None:
        for number in range(times):
            tx.emit("contact.connected", user=user, userId=f"u{number}", username="somebody")

    await served.parts.write(emit)


def seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


@pytest.fixture
def clock() -> MovableClock:
    """A clock that says what the library that verifies signatures takes for now."""
    made = MovableClock()
    made.now = datetime.now(UTC)
    return made


async def test_an_event_comes_signed_as_the_official_library_verifies(
    served: Served, alice: Client, bob: Client, hook: Hook, there: Receiver
) -> None:
    await bob.ok("POST", "/agent/message", json={"to": "alice", "message": "Grüße “🙂”"})
    (sent,) = await there.wait_for(1)
    event = sent.verify(hook.secret)
    assert (event["type"], event["data"]["preview"]) == ("message.received", "Grüße “🙂”")
    assert sent.headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        sent._replace(body=sent.body.replace(b"human", b"agent")).verify(hook.secret)
    for name in ("webhook-id", "webhook-timestamp"):
        forged = sent._replace(headers={**sent.headers, name: sent.headers[name] + "1"})
        with pytest.raises(WebhookVerificationError):
            forged.verify(hook.secret)
    delivery = await hook.settled(1)
    assert delivery["eventId"] == sent.id
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("succeeded", None)
    (attempt,) = delivery["attempts"]
    assert (attempt["statusCode"], attempt["error"]) == (204, None)
    row = await hook.row()
    assert row["lastSuccessAt"] == attempt["at"]


async def test_after_a_rotation_both_secrets_sign_for_a_day(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    fresh = (await hook.owner.ok("POST", f"/webhooks/{hook.id}/rotate-secret"))["secret"]
    await hook.test()
    sent = there.sent[-1]
    assert sent.headers["webhook-signature"].count("v1,") == 2
    for secret in (hook.secret, fresh):
        assert sent.verify(secret)["type"] == "webhook.test"
    clock.forward(hours=24)
    await hook.test()
    assert there.sent[-1].headers["webhook-signature"].count("v1,") == 1
    await served.command("sweep_webhook_deliveries")
    held = served.parts.quick(lambda tx: tx.value("SELECT count(*) FROM webhook_secrets"))
    assert held == 1


async def test_rotating_again_and_again_keeps_few_secrets(hook: Hook, there: Receiver) -> None:
    for _ in range(6):
        fresh = (await hook.owner.ok("POST", f"/webhooks/{hook.id}/rotate-secret"))["secret"]
    await hook.test()
    assert there.sent[-1].headers["webhook-signature"].count("v1,") == 4
    assert there.sent[-1].verify(fresh)


async def test_what_fails_is_tried_as_the_table_says_and_then_has_failed(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    await happen(served)
    for tries, wait in enumerate(WAITS, 1):
        delivery = await hook.settled(tries)
        assert delivery["status"] == "pending"
        waited = seconds_between(delivery["attempts"][-1]["at"], delivery["nextAttemptAt"])
        assert 0.9 <= waited / wait.total_seconds() <= 1.1
        hook.move(clock, seconds=waited - 0.5)
        await asyncio.sleep(0.01)
        assert len(there.sent) == tries, "not before its time"
        hook.move(clock, seconds=0.5)
    delivery = await hook.settled(10)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert {one["statusCode"] for one in delivery["attempts"]} == {500}
    hook.move(clock, days=3)
    await asyncio.sleep(0.02)
    assert len(there.sent) == 10
    assert len({one.id for one in there.sent}) == 1
    assert len({one.headers["webhook-timestamp"] for one in there.sent}) == 10
    row = await hook.row()
    assert (row["status"], row["consecutiveFailures"]) == ("active", 10)


def test_waits_spread_by_a_tenth_and_heed_what_a_receiver_asks() -> None:
    half = timedelta(minutes=30)
    assert wait_after(1, 0.5, None) == timedelta(seconds=5)
    assert wait_after(2, 0.0, None) == timedelta(seconds=270)
    assert wait_after(2, 1.0, None) == timedelta(seconds=330)
    assert wait_after(2, 0.5, half) == half
    assert wait_after(9, 0.5, half) == timedelta(hours=24), "it only raises"
    assert wait_after(1, 0.5, timedelta(days=9)) == timedelta(hours=24)
    assert wait_after(10, 0.5, half) is None


@pytest.mark.parametrize(
    ("status", "said", "seconds"),
    [
        (429, "120", 120),
        (503, " 7 ", 7),
        (503, "0", 0),
        (429, "9" * 400, 86_400),
        (429, "Sat, 21 Nov 2026 09:31:00 GMT", 60),
        (429, "Sat, 21 Nov 2026 09:00:00 GMT", 0),
        (500, "120", None),
        (200, "120", None),
        (429, "", None),
        (429, "-5", None),
        (429, "soon", None),
        (429, "1.5", None),
        (429, "١٢", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(
    status: int, said: str, seconds: int | None
) -> None:
    now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
    found = asked_wait(status, {"retry-after": said}, now)
    assert found == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_busy_receiver_is_left_alone_as_long_as_it_asks(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock, form: str
) -> None:
    until_ = clock.now + timedelta(seconds=900)
    said = "900" if form == "seconds" else email.utils.format_datetime(until_, usegmt=True)
    there.answers(429, Retry_After=said)
    await happen(served)
    delivery = await hook.settled(1)
    waits = seconds_between(delivery["attempts"][0]["at"], delivery["nextAttemptAt"])
    assert 898 <= waits <= 900.001


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_a_failure_and_never_followed(
    hook: Hook, there: Receiver, status: int
) -> None:
    there.answers(status, Location=there.url("/elsewhere"))
    delivery = await hook.test()
    assert (delivery["status"], delivery["attempts"][0]["statusCode"]) == ("failed", status)
    assert "redirect" in delivery["attempts"][0]["error"]
    assert [one.path for one in there.sent] == ["/hook"]


async def test_gone_ends_the_webhook_at_once(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    await happen(served)
    await hook.settled(1)
    there.answers(410)
    await happen(served)
    await until(lambda: 410 in [statuses(served, 2)])
    row = await hook.row()
    assert (row["status"], row["disabledReason"]) == ("disabled", "gone")
    assert [one["status"] for one in await hook.deliveries()] == ["failed", "cancelled"]
    await happen(served)
    hook.move(clock, days=2)
    await asyncio.sleep(0.02)
    assert len(there.sent) == 2
    assert len(await hook.deliveries()) == 2
    there.answers(204)
    row = await hook.change(status="active")
    assert (row["status"], row["disabledReason"], row["consecutiveFailures"]) == ("active", None, 0)
    await happen(served)
    await there.wait_for(3)


def statuses(served: Served, delivery: int) -> Any:
    return served.parts.quick(
        lambda tx: tx.value(
            "SELECT attempts ->> '$[0].statusCode' FROM webhook_deliveries WHERE id = :id",
            id=delivery,
        )
    )


async def test_what_has_failed_for_five_days_is_given_up(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    for _ in range(10):
        await hook.test()
    clock.forward(days=4, hours=23)
    await hook.test()
    assert (await hook.row())["status"] == "active"
    clock.forward(hours=1)
    await happen(served)
    last = await hook.settled(1)
    row = await hook.row()
    assert (row["status"], row["disabledReason"]) == ("disabled", "failing")
    assert (row["consecutiveFailures"], row["lastSuccessAt"]) == (12, None)
    assert (last["status"], last["nextAttemptAt"]) == ("cancelled", None)


async def test_five_days_with_few_failures_are_no_reason_to_give_up(
    hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    for _ in range(9):
        await hook.test()
        clock.forward(days=1)
    assert (await hook.row())["status"] == "active"
    await hook.test()
    assert (await hook.row())["status"] == "disabled"


async def test_a_receiver_that_is_down_for_a_minute_is_not_given_up(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    await happen(served)
    await hook.settled(1)
    clock.forward(days=30)
    there.answers(503)
    await happen(served, 20)
    await until(lambda: len(there.sent) == 21)
    await until(lambda: failures(served) == 20)
    assert (await hook.row())["status"] == "active"
    there.answers(204)
    hook.move(clock, seconds=6)
    await until(lambda: failures(served) == 0)
    await until(lambda: len(there.sent) == 41)


def failures(served: Served) -> int:
    return int(served.parts.quick(lambda tx: tx.value("SELECT failures FROM webhooks")))


async def test_a_receiver_that_hangs_delays_no_other(
    served: Served, alice: Client, hook: Hook, there: Receiver
) -> None:
    async with receiver() as hanging:
        hanging.answers(200, hang=True)
        stuck = [await hooked(served, alice, hanging.url(f"/{n}")) for n in range(10)]
        await happen(served, 100)
        await there.wait_for(100)
        # nobody waited for an attempt there to end
        assert all(not one["attempts"] for one in await stuck[0].deliveries())
        assert hanging.most_under_way <= len(stuck) * sender.WIDEST
        assert (await stuck[0].deliveries(status="succeeded")) == []


async def test_few_are_under_way_to_one_receiver(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answer = lambda _: Answer(seconds=0.02)
    await happen(served, 60)
    await there.wait_for(60)
    assert 1 < there.most_under_way <= 8
    assert len({one.id for one in there.sent}) == 60


async def test_a_receiver_that_does_not_answer_in_time_has_failed(
    hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "SECONDS", 0.1)
    there.answers(200, hang=True)
    delivery = await hook.test()
    (attempt,) = delivery["attempts"]
    assert attempt["statusCode"] is None
    assert "did not answer within" in attempt["error"]
    assert 90 <= attempt["durationMs"] < 5_000


async def test_an_endless_answer_is_not_read(hook: Hook, there: Receiver) -> None:
    there.answer = lambda _: Answer(status=200, body=b"x" * (4 << 20))
    assert (await hook.test())["status"] == "succeeded"


async def test_nobody_there_is_a_failure_that_names_the_host(served: Served, alice: Client) -> None:
    nobody = await hooked(served, alice, "http://127.0.0.1:9/secret-path?token=secret")
    (attempt,) = (await nobody.test())["attempts"]
    assert attempt["statusCode"] is None
    assert "127.0.0.1" in attempt["error"]
    assert "secret" not in attempt["error"]


async def test_a_name_that_leads_inside_is_never_asked(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it led to when the webhook was added."""
    async with site(monkeypatch) as web:
        rebound = await hooked(served, alice, f"https://public.test:{web.port}/")
        for inside in (["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["169.254.169.254"], []):
            web.names["public.test"] = inside
            (attempt,) = (await rebound.test())["attempts"]
            assert attempt["statusCode"] is None
            assert "is not fetched" in attempt["error"]
        assert web.asked == []


async def test_a_name_is_resolved_once_for_each_attempt(
    served: Served, hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    resolve = http_connections.resolve

    async def counted(host: str, port: int) -> Any:
        asked.append(host)
        return await resolve(host, port)

    monkeypatch.setattr(http_connections, "resolve", counted)
    await hook.test()
    assert asked == ["127.0.0.1"]


async def test_a_paused_webhook_sends_later_what_happened_meanwhile(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    await happen(served)
    await hook.settled(1)
    await hook.change(status="paused")
    there.answers(204)
    await happen(served)
    hook.move(clock, hours=1)
    await asyncio.sleep(0.02)
    assert len(there.sent) == 1
    assert [one["status"] for one in await hook.deliveries()] == ["pending", "pending"]
    await hook.change(status="active")
    await there.wait_for(3)
    await hook.settled(1)
    await until(lambda: failures(served) == 0)


async def test_a_paused_webhook_with_something_to_send_sleeps(
    served: Served, hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hook.change(status="paused")
    await happen(served)
    part, looks = served.parts.part(WebhookSender), itertools.count()
    look = part._begin_due
    monkeypatch.setattr(part, "_begin_due", lambda: (next(looks), look())[1])
    part.note_due([hook.id])
    await asyncio.sleep(0.1)
    assert next(looks) <= 2
    assert there.sent == []


async def test_what_waits_goes_to_where_the_webhook_leads_now(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    await happen(served)
    await hook.settled(1)
    there.answers(204)
    await hook.change(url=there.url("/new"))
    hook.move(clock, seconds=6)
    await there.wait_for(2)
    assert [one.path for one in there.sent] == ["/hook", "/new"]


async def test_a_receiver_that_says_gone_harms_only_the_address_it_was_asked_at(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answer = lambda sent: Answer(410 if sent.path == "/hook" else 204, seconds=0.1)
    await happen(served)
    await there.wait_for(1)
    await hook.change(url=there.url("/new"))
    delivery = await hook.settled(1)
    assert ((await hook.row())["status"], delivery["status"]) == ("active", "pending")


async def test_a_removed_webhook_sends_nothing_more(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    there.answers(500)
    await happen(served)
    await hook.settled(1)
    await hook.owner.ok("DELETE", f"/webhooks/{hook.id}")
    hook.move(clock, days=1)
    await asyncio.sleep(0.02)
    assert len(there.sent) == 1


async def test_one_that_is_removed_while_it_sends_leaves_nothing(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answer = lambda _: Answer(seconds=0.05)
    await happen(served)
    await there.wait_for(1)
    await hook.owner.ok("DELETE", f"/webhooks/{hook.id}")
    await until(lambda: there.under_way == 0)
    await asyncio.sleep(0.02)
    assert served.parts.quick(lambda tx: tx.value("SELECT count(*) FROM webhook_deliveries")) == 0


async def test_a_test_is_one_attempt_whatever_the_webhook_listens_to(
    served: Served, alice: Client, there: Receiver
) -> None:
    quiet = await hooked(served, alice, there.url(), "budget.warning")
    await quiet.change(status="paused")
    delivery = await quiet.test()
    assert (delivery["status"], delivery["type"]) == ("succeeded", "webhook.test")
    assert there.sent[0].event["data"] == {}
    there.answers(500)
    delivery = await quiet.test()
    assert (delivery["status"], len(delivery["attempts"])) == ("failed", 1)


async def test_a_delivery_is_sent_again_by_hand_under_its_id(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answers(500)
    delivery = await hook.test()
    there.answers(204)
    path = f"/webhooks/{hook.id}/deliveries"
    again = (await hook.owner.ok("POST", f"{path}/{delivery['id']}/retry"))["delivery"]
    assert (again["status"], [one["statusCode"] for one in again["attempts"]]) == (
        "succeeded",
        [500, 204],
    )
    once_more = (await hook.owner.ok("POST", f"{path}/{delivery['id']}/retry"))["delivery"]
    assert len(once_more["attempts"]) == 3
    assert len({one.id for one in there.sent}) == 1
    await hook.owner.refused("POST", f"{path}/999/retry", 404, "not_found", field="deliveryId")


async def test_a_retry_by_hand_of_what_waits_keeps_its_place_in_the_table(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answers(500)
    await happen(served)
    delivery = await hook.settled(1)
    path = f"/webhooks/{hook.id}/deliveries/{delivery['id']}/retry"
    again = (await hook.owner.ok("POST", path))["delivery"]
    assert (again["status"], len(again["attempts"])) == ("pending", 2)
    waits = seconds_between(again["attempts"][-1]["at"], again["nextAttemptAt"])
    assert 270 <= waits <= 330


async def test_two_who_retry_at_once_wait_for_one_attempt(
    served: Served, hook: Hook, there: Receiver
) -> None:
    there.answers(500)
    delivery = await hook.test()
    there.answer = lambda _: Answer(seconds=0.1)
    path = f"/webhooks/{hook.id}/deliveries/{delivery['id']}/retry"
    both = await asyncio.gather(*(hook.owner.ok("POST", path) for _ in range(2)))
    assert [one["delivery"]["status"] for one in both] == ["succeeded", "succeeded"]
    assert len(there.sent) == 2


async def test_deliveries_come_in_pages(served: Served, hook: Hook, there: Receiver) -> None:
    await happen(served, 7)
    await there.wait_for(7)
    await until(lambda: pending(served) == 0)
    all_ = [one["id"] for one in await hook.deliveries()]
    assert all_ == sorted(all_, reverse=True)
    pages: list[int] = []
    while found := await hook.deliveries(limit=3, **({"before": pages[-1]} if pages else {})):
        pages += [one["id"] for one in found]
    assert pages == all_
    assert len(all_) == 7
    assert await hook.deliveries(status="failed") == []
    path = f"/webhooks/{hook.id}/deliveries"
    for query in ({"status": "lost"}, {"limit": "0"}, {"before": "x"}):
        await hook.owner.refused("GET", path, 400, "invalid_request", params=query)


def pending(served: Served) -> int:
    return int(
        served.parts.quick(
            lambda tx: tx.value("SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'")
        )
    )


async def test_rows_are_kept_for_thirty_days(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    await hook.test()
    clock.forward(days=29, hours=23)
    await hook.test()
    assert (await served.command("sweep_webhook_deliveries")).deliveries == 0
    clock.forward(hours=1)
    assert (await served.command("sweep_webhook_deliveries")).deliveries == 1
    assert len(await hook.deliveries()) == 1


async def test_what_a_wrong_clock_put_off_for_years_is_sent(
    served: Served, hook: Hook, there: Receiver, clock: MovableClock
) -> None:
    right = clock.now
    clock.forward(days=4_000)
    there.answers(500)
    await happen(served)
    await hook.settled(1)
    clock.now = right
    there.answers(204)
    await served.command("sweep_webhook_deliveries")
    await there.wait_for(2)


async def test_without_the_sealing_key_it_is_told_and_a_new_secret_helps(
    served: Served, hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    (served.parts.store.path.parent / SEALING_KEY).unlink()
    monkeypatch.setattr(served.parts.seal, "_key", None)
    (attempt,) = (await hook.test())["attempts"]
    assert "Rotate the secret" in attempt["error"]
    assert there.sent == []
    secret = (await hook.owner.ok("POST", f"/webhooks/{hook.id}/rotate-secret"))["secret"]
    assert (await hook.test())["status"] == "succeeded"
    assert there.sent[0].verify(secret)


async def test_a_sealing_key_that_cannot_be_read_is_told_and_the_secret_stays(
    served: Served, hook: Hook, there: Receiver
) -> None:
    with unreadable_key(served.parts.seal):
        (attempt,) = (await hook.test())["attempts"]
        assert "Too many open files" in attempt["error"]
        await hook.owner.refused("POST", f"/webhooks/{hook.id}/rotate-secret", 503, "unavailable")
    assert there.sent == []
    assert (await hook.test())["status"] == "succeeded"
    assert there.sent[0].verify(hook.secret)


async def test_who_has_nothing_to_send_sleeps(
    served: Served, hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hook.test()
    await asyncio.sleep(0.05)
    looks = itertools.count()
    monkeypatch.setattr(
        served.parts.part(WebhookSender), "_begin_due", lambda: next(looks) and None
    )
    await hook.owner.note("A note", "which no webhook hears of")
    await asyncio.sleep(0.2)
    assert next(looks) == 0


async def test_an_attempt_that_cannot_be_noted_is_made_again(
    served: Served, hook: Hook, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "TROUBLE_SECONDS", 0.05)
    write = served.parts.store.write
    failed = []

    async def fail_once(function: Any, *args: Any, **kwargs: Any) -> Any:
        if function.__name__ == "record_attempt" and not failed:
            failed.append(function)
            raise OSError("on purpose")
        return await write(function, *args, **kwargs)

    monkeypatch.setattr(served.parts.store, "write", fail_once)
    await happen(served)
    await there.wait_for(2)
    assert failed
    assert there.sent[0].id == there.sent[1].id
    assert (await hook.settled(1))["status"] == "succeeded"
