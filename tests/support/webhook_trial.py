"""Send many events to receivers of every bad kind, and look what became of each.

`python -m tests.support.webhook_trial 10000`.

The clock is a fake one that goes from one due attempt to the next, so that the table of retries
is gone through in a minute. Then, with the true clock and a receiver in a process of its own:
how many events a second are sent, how long one takes while another receiver hangs, what an event
costs the transaction that it happens in, and what a server with nothing to send uses. Prints one
JSON object; exits 1 when a delivery is not as the table says.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
from standardwebhooks import Webhook

from app.account import users
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx, utc_now
from app.core.web import http_fetch
from app.core.web.addresses import Answered, FetchPolicy
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from app.webhooks.retries import MOST_TRIES, WAITS
from app.webhooks.sender import WebhookSender
from tests.support.receivers import Answer, Receiver, Sent, receiver, until

EVENTS = 10_000
SLOW_EVENTS = 20
"""Events for receivers of which each attempt takes its whole time."""
SEED = 17
HANG_SECONDS = 0.1
"""So long a receiver that hangs is waited for; the others have the sender's own time."""
STEP = timedelta(seconds=30)
SETTINGS = Settings(rate_limit=0, access_log=False)
Chance = random.Random


def steady(_: Sent, __: Chance) -> Answer:
    """Take everything."""
    return Answer()


def flaky(_: Sent, chance: Chance) -> Answer:
    """Fail every other time."""
    return Answer(chance.choice((200, 201, 299, 400, 404, 500, 503)))


def busy(_: Sent, chance: Chance) -> Answer:
    """Ask for time, more or less than the table gives."""
    if chance.random() < 0.4:
        return Answer(204)
    asked = str(chance.choice((0, 1, 60, 7_200, 90_000)))
    return Answer(chance.choice((429, 503, 500)), (("Retry-After", asked),))


def redirecting(_: Sent, chance: Chance) -> Answer:
    """Lead elsewhere."""
    return Answer(chance.choice((301, 302, 307, 308)), (("Location", "/steady"),))


def leaving(sent: Sent, chance: Chance) -> Answer:
    """Be gone after a while."""
    return Answer(410 if chance.random() < 0.01 else 500)


def hanging(_: Sent, chance: Chance) -> Answer:
    """Answer nothing, or too late."""
    return Answer(hang=True) if chance.random() < 0.7 else Answer(seconds=2 * HANG_SECONDS)


KINDS: dict[str, tuple[Callable[[Sent, Chance], Answer], str]] = {
    "steady": (steady, "contact.connected"),
    "flaky": (flaky, "contact.connected"),
    "busy": (busy, "contact.connected"),
    "redirecting": (redirecting, "budget.warning"),
    "leaving": (leaving, "contact.requested"),
    "hanging": (hanging, "grant.revoked"),
}
"""Each receiver, and the type of the events that it gets."""
SHARES = {"contact.connected": 0.5, "contact.requested": 0.25, "budget.warning": 0.25}


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@contextlib.asynccontextmanager
async def place(clock: Callable[[], datetime] = utc_now) -> AsyncIterator[App]:
    """Give a server over a fresh database with one user."""
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder) / DATABASE)
        asgi = create_app(SETTINGS, Path(folder), clock=clock)
        async with asgi.router.lifespan_context(asgi):
            await asgi.state.parts.call(OPERATOR, "add_user", {"username": "alice"})
            yield asgi.state.parts


async def ask(app: App, name: str, **params: Any) -> Any:
    """Ask as the user."""
    return await app.call(app.quick(users.local_caller, "alice"), name, params)


async def add(app: App, url: str, *types: str) -> Any:
    """Add a webhook, for every event unless some are named."""
    return await ask(app, "add_webhook", url=url, events=list(types) or ["*"])


def happened(tx: Tx, type_: str, number: int) -> None:
    """Let so many things happen in one transaction."""
    for one in range(number):
        tx.emit(type_, user=1, userId=f"u{one}", username="somebody")


send = http_fetch.post


async def brief_where_it_hangs(
    url: str, reach: FetchPolicy, *, seconds: float, **more: Any
) -> Answered:
    """Send as Hearth does, but wait for a receiver that hangs no longer than the trial has."""
    given = HANG_SECONDS if url.endswith("/hanging") else seconds
    return await send(url, reach, seconds=given, **more)


@mock.patch.object(http_fetch, "post", brief_where_it_hangs)
async def outcomes(events: int, chance: Chance, *, slow: int = SLOW_EVENTS) -> dict[str, Any]:
    """Send events to every kind of receiver until nothing waits, and judge what became of them."""
    clock, took = Clock(), time.monotonic()
    async with place(clock) as app, receiver() as there:
        there.answer = lambda sent: KINDS[sent.path[1:]][0](sent, chance)
        hooks = {kind: await add(app, there.url(f"/{kind}"), KINDS[kind][1]) for kind in KINDS}
        for wave in range(2):
            # the second wave finds what has failed for more than five days
            clock.now += timedelta(days=6 * wave)
            for type_ in sorted({type_ for _, type_ in KINDS.values()}):
                number = int(SHARES.get(type_, 0) * events / 2) or slow // 2
                for part in range(0, number, 500):
                    await app.write(happened, type_, min(500, number - part))
            await spend_all(app, clock)
        found = {kind: judged(app, there, kind, hook) for kind, hook in hooks.items()}
    return {
        "events": events,
        "seconds": round(time.monotonic() - took, 1),
        "attempts": len(there.sent),
        "byReceiver": found,
    }


async def spend_all(app: App, clock: Clock) -> None:
    """Let the clock go from one due attempt to the next until nothing waits."""
    part = app.part(WebhookSender)
    while True:
        await until(lambda: not is_sending(part) and not is_due(app), 600)
        later = app.quick(
            lambda tx: tx.value(
                """SELECT min(next_attempt_at) FROM webhook_deliveries d
                     JOIN webhooks w ON w.id = d.webhook_id AND w.status = 'active'
                   WHERE d.status = 'pending'"""
            )
        )
        if later is None:
            return
        # what is due soon after comes along: a step for each moment would take hours
        clock.now = datetime.fromisoformat(later) + STEP
        part.note_due(range(1, len(KINDS) + 1))


def is_sending(part: WebhookSender) -> bool:
    return any(pace.tasks for pace in part._paces.values())


def is_due(app: App) -> bool:
    return bool(
        app.quick(
            lambda tx: tx.value(
                """SELECT count(*) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
                   WHERE d.status = 'pending' AND d.next_attempt_at <= :now
                     AND w.status = 'active'""",
                now=tx.now,
            )
        )
    )


def judged(app: App, there: Receiver, kind: str, hook: Any) -> dict[str, Any]:
    """Hold what the receiver saw against what is stored and what the table says."""
    id_ = hook.webhook.id
    rows = app.quick(
        lambda tx: tx.all("SELECT * FROM webhook_deliveries WHERE webhook_id = :id", id=id_)
    )
    status, reason = app.quick(
        lambda tx: tuple(
            tx.require_row("SELECT status, disabled_reason FROM webhooks WHERE id = :id", id=id_)
        )
    )
    seen: dict[str, list[Sent]] = defaultdict(list)
    for sent in there.sent:
        if sent.path == f"/{kind}":
            seen[sent.id].append(sent)
    assert set(seen) <= {row["event_id"] for row in rows}
    for row in rows:
        judge(row, seen[row["event_id"]], hook.secret, status)
    tries = [len(msgspec.json.decode(row["attempts"])) for row in rows]
    return {
        "deliveries": len(rows),
        **Counter(row["status"] for row in rows),
        "attempts": sum(tries),
        "mostAttempts": max(tries),
        "webhook": status if reason is None else f"{status}: {reason}",
    }


def judge(row: Any, seen: list[Sent], secret: str, webhook: str) -> None:
    """Raise AssertionError unless a delivery went as the table says."""
    attempts = msgspec.json.decode(row["attempts"])
    statuses = [one["statusCode"] for one in attempts]
    taken = [status is not None and 200 <= status < 300 for status in statuses]
    # what got no answer may never have come
    answered = sum(status is not None for status in statuses)
    assert answered <= len(seen) <= len(attempts) <= MOST_TRIES, (len(seen), attempts)
    assert not any(taken[:-1]), "it was sent again although it had been taken"
    if row["status"] == "succeeded":
        assert taken[-1]
    elif row["status"] == "failed":
        assert len(attempts) == MOST_TRIES or statuses[-1] == 410
    else:
        assert (row["status"], webhook) == ("cancelled", "disabled")
    moments = [datetime.fromisoformat(one["at"]) for one in attempts]
    for number, (earlier, later) in enumerate(itertools.pairwise(moments)):
        # not before its time; later where the trial's clock took a longer step
        assert later - earlier >= 0.9 * WAITS[number] - timedelta(milliseconds=1)
    for sent in seen:
        moment = datetime.fromtimestamp(int(sent.headers["webhook-timestamp"]), UTC)
        signed = Webhook(secret).sign(sent.id, moment, sent.body.decode())
        assert sent.headers["webhook-signature"] == signed
        assert sent.body.decode() == row["body"]


def receive(pipe: Any) -> None:
    """Take what comes, in a process of its own, and tell when each came as often as asked."""

    async def serve() -> None:
        async with receiver() as there:
            there.answer = lambda sent: Answer(hang=sent.path == "/hanging")
            pipe.send(there.port)
            while True:
                await asyncio.sleep(0.01)
                if pipe.poll():
                    if pipe.recv() is None:
                        return
                    pipe.send(
                        {
                            sent.event["data"]["userId"]: sent.at
                            for sent in reversed(there.sent)
                            if sent.path == "/good"
                        }
                    )

    asyncio.run(serve())


class Elsewhere:
    """A receiver in a process of its own; monotonic clocks are the same in both."""

    def __init__(self) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=receive, args=(theirs,), daemon=True
        )
        self._process.start()
        self.port = self._pipe.recv()

    def came(self, prefix: str) -> dict[str, float]:
        """Give when each event whose name begins so came first."""
        self._pipe.send(prefix)
        return {name: at for name, at in self._pipe.recv().items() if name.startswith(prefix)}

    async def wait_for(self, number: int, prefix: str) -> dict[str, float]:
        """Wait until so many have come."""
        await until(lambda: len(self.came(prefix)) >= number, 300, every=0.2)
        return self.came(prefix)

    def close(self) -> None:
        self._pipe.send(None)
        self._process.join()


async def paced(there: Elsewhere, events: int, *, hangs: bool) -> dict[str, float]:
    """Let events happen one by one, and tell how long each took to come."""
    prefix = "beside" if hangs else "alone"
    async with place() as app:
        for path in ("good", "hanging") if hangs else ("good",):
            await add(app, f"http://127.0.0.1:{there.port}/{path}")
        began: dict[str, float] = {}

        def happen(tx: Tx, name: str) -> None:
            tx.emit("contact.connected", user=1, userId=name, username="somebody")

        for number in range(events):
            name = f"{prefix}{number}"
            began[name] = time.monotonic()
            await app.write(happen, name)
            await asyncio.sleep(0.01)
        came = await there.wait_for(events, prefix)
        waits = sorted(1_000 * (came[name] - at) for name, at in began.items())
    return {
        "p50": round(statistics.median(waits), 2),
        "p99": round(waits[int(len(waits) * 0.99)], 2),
    }


async def burst(there: Elsewhere, events: int) -> float:
    """Return how many events a second are sent to one receiver, all of them waiting at once."""
    async with place() as app:
        await add(app, f"http://127.0.0.1:{there.port}/good")
        began = time.monotonic()
        await app.write(happened, "contact.connected", events)
        came = await there.wait_for(events, "u")
        return round(events / (max(came.values()) - began))


async def writing(events: int) -> dict[str, float]:
    """Return the microseconds that an event takes of its transaction."""
    found = {}
    async with place() as app:

        def emit(tx: Tx, type_: str) -> float:
            began = time.perf_counter()
            happened(tx, type_, events)
            return (time.perf_counter() - began) / events * 1e6

        async def measure(type_: str) -> float:
            # the events themselves are no part of it, so few remain between the measurements
            times = [await app.write(emit, type_) for _ in range(5)]
            return round(statistics.median(times), 1)

        found["nobodyListens"] = await measure("nothing.heard")
        found["noWebhook"] = await measure("contact.connected")
        await add(app, "https://example.com/", "grant.revoked")
        await ask(app, "change_webhook", id=1, status="paused")
        found["oneForOtherEvents"] = await measure("contact.connected")
        await ask(app, "change_webhook", id=1, events=["*"])
        found["oneWebhook"] = await measure("contact.connected")
    return found


async def idle(seconds: float) -> dict[str, float]:
    """Return the share of a core that a server uses while nothing is due."""
    found = {}
    async with place() as app:
        await asyncio.sleep(6)
        for name in ("none", "oneWithARetryToCome"):
            began, at = time.process_time(), time.monotonic()
            await asyncio.sleep(seconds)
            used = (time.process_time() - began) / (time.monotonic() - at)
            found[name] = round(100 * used, 3)
            await add(app, "http://127.0.0.1:9/")
            await app.write(happened, "contact.connected", 1)
            # after the first wait, of five seconds, the next is one of five minutes
            await asyncio.sleep(8)
    return found


async def main(events: int) -> None:
    there = Elsewhere()
    found: dict[str, Any] = {"outcomes": await outcomes(events, random.Random(SEED))}
    found["latencyMs"] = {
        "alone": await paced(there, 1_000, hangs=False),
        "besideOneThatHangs": await paced(there, 1_000, hangs=True),
    }
    found["eventsPerSecond"] = await burst(there, 5_000)
    found["microsecondsInTheTransaction"] = await writing(1_000)
    found["percentOfACoreWhileIdle"] = await idle(20)
    there.close()
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS))
