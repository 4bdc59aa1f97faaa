"""Rate limits: the arithmetic of the buckets, and what HTTP says of them."""

import dataclasses
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import limits
from app.core.limits import RateLimit, Verdict
from app.interfaces.http import Api
from app.main import create_app
from app.settings import Settings
from tests.conftest import UNSYNCED, MovableClock, Served

KEY = "someone"


class Seconds:
    """A monotonic clock that stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_starts_full_and_is_spent_one_by_one() -> None:
    rate = RateLimit(3, clock=Seconds())
    assert [rate.take_token(KEY) for _ in range(4)] == [
        Verdict(3, 2, 20),
        Verdict(3, 1, 40),
        Verdict(3, 0, 60),
        Verdict(3, 0, 60, 20),
    ]


@pytest.mark.parametrize(
    ("after", "wait"),
    [(0.0, 20), (0.5, 20), (1.0, 19), (19.0, 1), (19.9, 1), (20.0, 0), (500.0, 0)],
)
def test_a_spent_bucket_says_how_long_to_wait(after: float, wait: int) -> None:
    clock = Seconds()
    rate = RateLimit(3, clock=clock)
    for _ in range(3):
        rate.take_token(KEY)
    clock.now = after
    assert rate.take_token(KEY).wait == wait


def test_a_bucket_never_holds_more_than_a_minutes_allowance() -> None:
    clock = Seconds()
    rate = RateLimit(3, clock=clock)
    rate.take_token(KEY)
    clock.now = 100_000.0
    assert [rate.take_token(KEY).wait > 0 for _ in range(4)] == [False, False, False, True]


def test_each_key_has_its_own_bucket() -> None:
    rate = RateLimit(1, clock=Seconds())
    assert rate.take_token("a").wait == 0
    assert rate.take_token("b").wait == 0
    assert rate.take_token("a").wait == 60


def test_a_limit_of_zero_lets_everything_through() -> None:
    rate = RateLimit(0, clock=Seconds())
    assert {rate.take_token(KEY) for _ in range(100)} == {Verdict(0, 0, 0)}


@settings(max_examples=100, derandomize=True, deadline=None)
@given(per_minute=st.integers(1, 200), gaps=st.lists(st.floats(0, 5), max_size=200))
def test_no_window_ever_lets_more_through_than_burst_and_refill(
    per_minute: int, gaps: list[float]
) -> None:
    clock = Seconds()
    rate = RateLimit(per_minute, clock=clock)
    passed = 0
    for gap in gaps:
        clock.now += gap
        verdict = rate.take_token(KEY)
        passed += verdict.wait == 0
        assert passed <= per_minute + clock.now * per_minute / 60 + 1e-6
        assert 0 <= verdict.remaining < per_minute
        assert 0 <= verdict.reset <= 60


@settings(max_examples=50, derandomize=True, deadline=None)
@given(per_minute=st.integers(1, 6000), spent=st.integers(1, 50))
def test_whoever_waits_as_told_is_let_through(per_minute: int, spent: int) -> None:
    clock = Seconds()
    rate = RateLimit(per_minute, clock=clock)
    for _ in range(per_minute + spent):
        if wait := rate.take_token(KEY).wait:
            assert wait in range(1, 61)
            clock.now += wait
            assert rate.take_token(KEY).wait == 0


def test_keys_that_are_full_again_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FORGET_ABOVE", 10)
    clock = Seconds()
    rate = RateLimit(2, clock=clock)
    for number in range(11):
        rate.take_token(number)
    assert len(rate._buckets) == 11
    clock.now = 29.0
    rate.take_token(
        "recent"
    )  # here nobody is full, so it looks again only when there are twice as many
    for number in range(11, 22):
        rate.take_token(number)
    clock.now = 60.0
    rate.take_token("recent")
    rate.take_token("recent")
    assert set(rate._buckets) == {"recent"}
    assert rate.take_token("recent").wait > 0


def test_a_crowd_of_which_nobody_can_be_forgotten_is_not_looked_through_for_each_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "FORGET_ABOVE", 10)
    rate, looked = RateLimit(2, clock=Seconds()), 0
    forget = rate._forget_full

    def counted() -> None:
        nonlocal looked
        looked += 1
        forget()

    monkeypatch.setattr(rate, "_forget_full", counted)
    for number in range(1000):
        rate.take_token(number)
    assert looked < 10


@pytest.fixture
def settings_() -> Settings:
    return Settings(durability=UNSYNCED, rate_limit=3, failed_limit=2)


@pytest.fixture
async def strict(data: Path, settings_: Settings, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings_, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        await served.command("add_user", username="alice")
        yield served


def front(served: Served) -> Api:
    """Give the part of the server that counts, once it has been built."""
    front: Api = served.asgi.front
    return front


async def still(served: Served) -> Seconds:
    """Let the server's buckets refill only when the test says so."""
    async with served.client() as client:
        await client.get("/nothing")
    clock, api = Seconds(), front(served)
    held = api.credentials
    held.rates = RateLimit(held.rates.per_minute, clock=clock)
    held.failures, held.guesses = (
        RateLimit(held.failures.per_minute, clock=clock) for _ in range(2)
    )
    return clock


@pytest.mark.anyio
async def test_every_answer_to_a_known_credential_tells_what_is_left(strict: Served) -> None:
    await still(strict)
    async with strict.client(await strict.key("alice")) as alice:
        answers = [
            await alice.get("/identity"),
            await alice.get("/os/notes/404"),
            await alice.post("/os/notes", content=b"{"),
            await alice.get("/os"),
        ]
    assert [answer.status_code for answer in answers] == [200, 404, 400, 429]
    assert [answer.headers["x-ratelimit-limit"] for answer in answers] == ["3"] * 4
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert all(answer.headers["x-ratelimit-reset"].isdigit() for answer in answers)
    assert [answer.headers.get("retry-after") for answer in answers] == [None, None, None, "20"]
    assert answers[3].json()["error"] == "rate_limited"
    assert answers[3].json()["retryAfter"] == 20


@pytest.mark.anyio
async def test_whoever_waited_is_served_again_and_another_key_was_never_stopped(
    strict: Served,
) -> None:
    clock = await still(strict)
    one, other = strict.client(await strict.key("alice")), strict.client(await strict.key("alice"))
    async with one, other:
        assert [(await one.get("/identity")).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert (await other.get("/identity")).status_code == 200
        clock.now += 20
        assert (await one.get("/identity")).status_code == 200


@pytest.mark.anyio
async def test_a_path_or_method_that_is_unknown_costs_no_token(strict: Served) -> None:
    await still(strict)
    async with strict.client(await strict.key("alice")) as alice:
        for _ in range(5):
            assert (await alice.get("/nothing")).status_code == 404
            assert (await alice.delete("/os")).status_code == 405
        assert (await alice.get("/identity")).headers["x-ratelimit-remaining"] == "2"


@pytest.mark.anyio
async def test_after_too_many_wrong_keys_an_address_must_wait_and_a_good_key_never_does(
    strict: Served,
) -> None:
    clock = await still(strict)
    guesser, alice = (
        strict.client("hearth_sk_" + "0" * 40),
        strict.client(await strict.key("alice")),
    )
    async with guesser, alice:
        answers = [await guesser.get("/identity") for _ in range(50)]
        assert [answer.status_code for answer in answers[:4]] == [401, 401, 429, 429]
        assert (answers[-1].headers["retry-after"], "x-ratelimit-limit" in answers[-1].headers) == (
            "30",
            False,
        )
        assert [(await alice.get("/identity")).status_code for _ in range(3)] == [200] * 3
        clock.now += 30
        assert (await guesser.get("/identity")).status_code == 401


@pytest.mark.anyio
async def test_unknown_links_invites_and_codes_are_counted_apart_from_wrong_keys(
    strict: Served,
) -> None:
    await still(strict)
    async with strict.client(await strict.key("alice")) as alice, strict.client("wrong") as guesser:
        tried = [
            await alice.post("/network/connect", json={"shareToken": "nobody's"}),
            await alice.post("/os/team/invites/nobodys/accept", json={}),
            await alice.post("/network/connect", json={"shareToken": "nobody's"}),
        ]
        assert [answer.status_code for answer in tried] == [404, 404, 429]
        page = await guesser.get("http://127.0.0.1:8765/a/nobodys")
        assert (page.status_code, page.json()["error"]) == (429, "rate_limited")
        code = await guesser.post(
            "http://127.0.0.1:8765/api/auth/sign-in", json={"code": "AAAA-AAAA-AAAA"}
        )
        assert code.status_code == 429
        assert (await guesser.get("/identity")).status_code == 401
        key = await guesser.post("http://127.0.0.1:8765/api/auth/sign-in", json={"key": "wrong"})
        assert key.status_code == 401


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("site", "counted"),
    [("cross-site", False), ("same-site", False), ("same-origin", True), ("none", True)],
)
async def test_pages_that_another_site_makes_a_browser_ask_for_are_answered_and_not_counted(
    strict: Served, site: str, *, counted: bool
) -> None:
    await still(strict)
    async with strict.client(**{"Sec-Fetch-Site": site}) as picture:
        for path in ("a", "shared", "team/invites"):
            last = [
                (await picture.get(f"http://127.0.0.1:8765/{path}/none")).status_code
                for _ in range(3)
            ][-1]
            assert last == (429 if counted else 404)
        api = [
            (await picture.get("/identity", headers={"X-API-Key": "wrong"})).status_code
            for _ in range(3)
        ]
        assert api == [401, 401, 429]


@pytest.mark.anyio
async def test_coming_without_a_credential_is_no_failed_attempt(strict: Served) -> None:
    await still(strict)
    async with strict.client() as stranger:
        assert {(await stranger.get("/identity")).status_code for _ in range(10)} == {401}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "change",
    [
        lambda s: dataclasses.replace(s, rate_limit=0),
        lambda s: dataclasses.replace(s, failed_limit=0),
    ],
)
async def test_a_limit_can_be_switched_off(
    data: Path, settings_: Settings, change: Callable[[Settings], Settings]
) -> None:
    chosen = change(settings_)
    asgi = create_app(chosen, data)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        await served.command("add_user", username="alice")
        key = await served.key("alice") if chosen.rate_limit == 0 else "wrong"
        async with served.client(key) as client:
            answers = [await client.get("/identity") for _ in range(20)]
        assert {answer.status_code for answer in answers} == {
            200 if chosen.rate_limit == 0 else 401
        }
        assert [
            name for answer in answers for name in answer.headers if name.startswith("x-ratelimit")
        ] == []
