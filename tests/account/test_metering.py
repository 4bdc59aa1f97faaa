"""Tokens and caps: what is reserved, settled, counted, refused, reported and priced."""

import asyncio
import contextlib
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from app.account import cap_rows
from app.account.metering import token_reservations, token_rows
from app.account.metering.token_reservations import Reservation
from app.account.metering.token_rows import Feature
from app.account.periods import (
    days_beside,
    month_end,
    months_beside,
    resets_at,
    seconds_until,
    span_of,
)
from app.core.caller import OPERATOR, Caller
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.errors import BudgetExceeded
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served

ROOT = Path(__file__).parent.parent.parent
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ACCOUNT = {"subject": "account", "metric": "tokens", "period": "month"}


def caller(kind: Any = "key", credential: int | None = 1, device: str | None = None) -> Caller:
    return Caller(
        user=1, user_id="u", username="alice", kind=kind, credential=credential, device=device
    )


@pytest.fixture
def tx(tmp_path: Path, migrated: Path) -> Iterator[Tx]:
    """A transaction in a database with one user."""
    shutil.copy(migrated, tmp_path / DATABASE)
    connection = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)
    connection.row_factory = sqlite3.Row
    tx = Tx(connection, NOON)
    tx.run(
        "INSERT INTO users (id, uuid, username, name, created_at) "
        "VALUES (1, 'u', 'alice', 'Alice', '')"
    )
    cap_rows.add_defaults(tx, 1)
    yield tx
    connection.close()


def add_cap(tx: Tx, most: int, **more: Any) -> int:
    return cap_rows.insert(
        tx,
        1,
        **{
            "subject": "account",
            "subject_id": "",
            "metric": "tokens",
            "period": "month",
            "most": most,
            **more,
        },
    )


def taken(tx: Tx) -> tuple[int, int]:
    return tuple(token_rows.count(tx, 1, "account", "", "month", span_of(tx.moment, "UTC")))  # type: ignore[return-value]


# Reserving and settling


def test_what_is_reserved_is_settled_by_the_truth_once(tx: Tx) -> None:
    held = token_reservations.reserve(tx, caller(), feature="chat", prompt=100, completion=400)
    assert (taken(tx), held.capped) == ((0, 500), False)
    token_reservations.settle(tx, held, 90, 30)
    assert taken(tx) == (120, 0)
    token_reservations.settle(tx, held, 900, 900)
    assert taken(tx) == (120, 0)


@pytest.mark.parametrize(
    ("cap", "me", "feature"),
    [
        ({}, caller(), "chat"),
        ({"period": "day"}, caller(), "guest"),
        ({"subject": "device"}, caller(device="phone"), "chat"),
        ({"subject": "device", "subject_id": "phone"}, caller(device="phone"), "chat"),
        ({"subject": "device", "subject_id": "key:1"}, caller(), "chat"),
        ({"subject": "credential"}, caller(), "rpc"),
        ({"subject": "credential", "subject_id": "key:1"}, caller(), "chat"),
        ({"subject": "credential", "subject_id": "oauth:1"}, caller("oauth"), "chat"),
        ({"subject": "heartbeat"}, caller("heartbeat", None), "heartbeat"),
        ({"subject": "agent"}, caller(), "managed_agent"),
        ({"subject": "agent", "subject_id": "7"}, caller(), "managed_agent"),
    ],
)
def test_a_cap_lets_through_exactly_what_fits(
    tx: Tx, cap: dict[str, Any], me: Caller, feature: Feature
) -> None:
    id_ = add_cap(tx, 1000, **cap)
    agent = "7" if feature == "managed_agent" else None
    assert token_reservations.reserve(
        tx, me, feature=feature, prompt=600, completion=400, agent=agent
    ).capped
    with pytest.raises(BudgetExceeded) as refused:
        token_reservations.reserve(tx, me, feature=feature, prompt=1, completion=0, agent=agent)
    assert refused.value.details["cap"] == id_
    assert taken(tx) == (0, 1000)


@pytest.mark.parametrize(
    ("cap", "me", "feature"),
    [
        ({"subject": "device", "subject_id": "phone"}, caller(device="laptop"), "chat"),
        ({"subject": "device"}, caller("guest", None), "guest"),
        ({"subject": "credential", "subject_id": "key:1"}, caller("oauth"), "chat"),
        ({"subject": "credential", "subject_id": "key:1"}, caller(credential=2), "chat"),
        ({"subject": "heartbeat"}, caller(), "chat"),
        ({"subject": "agent"}, caller(), "chat"),
        ({"metric": "devices"}, caller(), "chat"),
    ],
)
def test_a_cap_leaves_alone_what_it_is_not_of(
    tx: Tx, cap: dict[str, Any], me: Caller, feature: Feature
) -> None:
    add_cap(tx, 0, **cap)
    assert not token_reservations.is_capped(tx, me, feature=feature)
    assert not token_reservations.reserve(
        tx, me, feature=feature, prompt=600, completion=400
    ).capped


def test_a_cap_of_each_is_held_against_each_alone(tx: Tx) -> None:
    add_cap(tx, 1000, subject="device", period="day")
    for device in ("phone", "laptop", "tablet"):
        token_reservations.reserve(
            tx, caller(device=device), feature="chat", prompt=900, completion=0
        )
        with pytest.raises(BudgetExceeded):
            token_reservations.reserve(
                tx, caller(device=device), feature="chat", prompt=101, completion=0
            )
    assert taken(tx) == (0, 2700)


def test_a_call_is_reserved_in_all_caps_or_in_none(tx: Tx) -> None:
    add_cap(tx, 10_000)
    add_cap(tx, 100, period="day")
    narrow = add_cap(tx, 10, subject="credential")
    for _ in range(3):
        with pytest.raises(BudgetExceeded) as refused:
            token_reservations.reserve(tx, caller(), feature="chat", prompt=11, completion=0)
        assert refused.value.details["cap"] == narrow
    assert taken(tx) == (0, 0)
    assert tx.value("SELECT count(*) FROM token_uses") == 0


def test_of_several_caps_without_room_the_one_that_frees_itself_last_is_named(tx: Tx) -> None:
    month = add_cap(tx, 10)
    add_cap(tx, 10, period="day")
    with pytest.raises(BudgetExceeded) as refused:
        token_reservations.reserve(tx, caller(), feature="chat", prompt=11, completion=0)
    assert refused.value.details == {
        "cap": month,
        "resetsAt": "2026-12-01T00:00:00.000Z",
        "retryAfter": 9 * 86400 + 12 * 3600,
    }
    assert refused.value.headers == {"Retry-After": str(refused.value.details["retryAfter"])}


def test_the_heartbeat_has_its_cap_from_the_beginning(tx: Tx) -> None:
    me = caller("heartbeat", None)
    token_reservations.reserve(tx, me, feature="heartbeat", prompt=50_000, completion=0)
    with pytest.raises(BudgetExceeded, match=r"50,000 tokens a day for the heartbeat"):
        token_reservations.reserve(tx, me, feature="heartbeat", prompt=0, completion=1)
    tx.moment += timedelta(days=1)
    token_reservations.reserve(tx, me, feature="heartbeat", prompt=0, completion=1)


def test_a_provider_that_says_nonsense_is_not_believed(tx: Tx) -> None:
    token_reservations.settle(
        tx,
        token_reservations.reserve(tx, caller(), feature="chat", prompt=10, completion=10),
        -5,
        1 << 70,
    )
    assert taken(tx) == (token_reservations.MOST_TOKENS, 0)


def test_a_call_of_last_month_is_settled_in_its_own_month_and_day(tx: Tx) -> None:
    tx.moment = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    held = token_reservations.reserve(tx, caller(), feature="chat", prompt=10, completion=10)
    tx.moment = datetime(2026, 12, 1, 0, 1, tzinfo=UTC)
    token_reservations.settle(tx, held, 5, 5)
    assert taken(tx) == (0, 0)
    tx.moment = datetime(2026, 11, 30, tzinfo=UTC)
    assert taken(tx) == (10, 0)
    assert tx.value("SELECT min(reserved) FROM token_counts") == 0


def test_a_day_that_lies_in_two_months_is_one_day_for_its_cap(tx: Tx) -> None:
    tx.run(
        "UPDATE users SET settings = :settings WHERE id = 1",
        settings=json.dumps({"timezone": "Asia/Tokyo"}),
    )
    add_cap(tx, 100, period="day")
    tx.moment = datetime(2026, 11, 30, 20, tzinfo=UTC)  # the 1st of December in Tokyo
    token_reservations.reserve(tx, caller(), feature="chat", prompt=60, completion=0)
    tx.moment = datetime(2026, 12, 1, 5, tzinfo=UTC)
    with pytest.raises(BudgetExceeded) as refused:
        token_reservations.reserve(tx, caller(), feature="chat", prompt=60, completion=0)
    assert refused.value.details["resetsAt"] == "2026-12-01T15:00:00.000Z"
    tx.moment = datetime(2026, 12, 1, 15, tzinfo=UTC)
    token_reservations.reserve(tx, caller(), feature="chat", prompt=60, completion=0)


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("reserve"),
            st.integers(0, 60),
            st.integers(0, 60),
            st.sampled_from(["phone", "laptop"]),
        ),
        st.tuples(st.just("settle"), st.integers(0, 7), st.floats(0, 1), st.just("")),
        st.tuples(st.just("hours"), st.integers(1, 30), st.just(0), st.just("")),
    ),
    max_size=60,
)


@example_settings(max_examples=150, derandomize=True, deadline=None)
@given(steps=STEPS, month=st.integers(0, 400), day=st.integers(0, 200), each=st.integers(0, 150))
def test_used_and_reserved_together_never_exceed_a_limit(
    steps: list[Any], month: int, day: int, each: int
) -> None:
    connection = _fresh()
    tx = Tx(connection, NOON)
    add_cap(tx, month)
    add_cap(tx, day, period="day")
    add_cap(tx, each, subject="device")
    held: list[Reservation] = []
    for what, number, other, device in steps:
        if what == "hours":
            tx.moment += timedelta(hours=number)
        elif what == "settle" and held:
            one = held.pop(number % len(held))
            token_reservations.settle(tx, one, int(one.prompt * other), int(one.completion * other))
        elif what == "reserve":
            with contextlib.suppress(BudgetExceeded):
                held.append(
                    token_reservations.reserve(
                        tx, caller(device=device), feature="chat", prompt=number, completion=other
                    )
                )
        span = span_of(tx.moment, "UTC")
        assert sum(token_rows.count(tx, 1, "account", "", "month", span)) <= month
        assert sum(token_rows.count(tx, 1, "account", "", "day", span)) <= day
        assert sum(token_rows.largest_count(tx, 1, "device", "month", span)) <= each
        assert tx.value("SELECT min(reserved) FROM token_counts") in (None, *range(1000))
    for one in held:
        token_reservations.settle(tx, one, 0, 0)
    assert tx.value("SELECT sum(reserved) FROM token_counts") in (None, 0)
    connection.close()


def _fresh() -> sqlite3.Connection:
    """Give a database in memory with the schema and one user."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.executescript((ROOT / "app" / "schema.sql").read_text("utf-8"))
    connection.execute(
        "INSERT INTO users (id, uuid, username, name, created_at) "
        "VALUES (1, 'u', 'alice', 'Alice', '')"
    )
    return connection


@pytest.mark.anyio
async def test_of_many_reservations_at_once_no_more_are_let_through_than_fit(
    served: Served, alice: Client
) -> None:
    await alice.ok("POST", "/metering/caps", status=201, json={**ACCOUNT, "limit": 1000})

    async def one(number: int) -> bool:
        try:
            held = await served.parts.write(
                token_reservations.reserve,
                caller(),
                feature="chat",
                prompt=number % 7,
                completion=30,
            )
        except BudgetExceeded:
            return False
        await asyncio.sleep(0)
        await served.parts.write(token_reservations.settle, held, number % 7, number % 30)
        return True

    let = await asyncio.gather(*(one(number) for number in range(300)))
    (_, cap) = (await alice.ok("GET", "/metering/caps"))["caps"]
    spent = sum(number % 7 + number % 30 for number, through in enumerate(let) if through)
    assert (cap["used"], cap["reserved"], cap["remaining"]) == (spent, 0, 1000 - spent)
    assert 0 < spent <= 1000
    assert True in let
    assert False in let


# What a crash leaves


CRASH = """
import asyncio, sys
from pathlib import Path
from app.account.metering import token_reservations as metering
from app.core.caller import Caller
from app.main import build_parts
from app.settings import Settings

async def main():
    parts = build_parts(Settings(durability="normal"), Path(sys.argv[1]))
    await parts.store.open()
    me = Caller(user=1, user_id="u", username="alice", kind="key", credential=1)
    held = await parts.write(metering.reserve, me, feature="chat", prompt=700, completion=77)
    other = await parts.write(metering.reserve, me, feature="chat", prompt=5, completion=5)
    await parts.write(metering.settle, other, 2, 1)
    print("reserved", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def reserve_and_be_killed(data: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CRASH, str(data)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "reserved\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


@pytest.mark.anyio
async def test_what_was_reserved_when_the_server_was_killed_is_settled_in_full_at_the_next_start(
    data: Path, settings: Settings
) -> None:
    asgi = create_app(settings, data)
    async with asgi.router.lifespan_context(asgi):
        key = await Served(asgi, asgi.state.parts).person("alice")
        await key.aclose()
        secret = await Served(asgi, asgi.state.parts).key("alice")
    reserve_and_be_killed(data)
    asgi = create_app(settings, data)
    async with asgi.router.lifespan_context(asgi):
        async with Served(asgi, asgi.state.parts).client(secret) as alice:
            tokens = (await alice.ok("GET", "/metering/usage"))["tokens"]
        assert not asgi.state.parts.quick(token_reservations.any_abandoned)
    assert tokens == {"prompt": 702, "completion": 78, "total": 780, "reserved": 0}


def test_a_call_that_was_forgotten_for_an_hour_is_settled_in_full(tx: Tx) -> None:
    token_reservations.reserve(tx, caller(), feature="chat", prompt=100, completion=40)
    for minutes, held in ((59, True), (61, False)):
        later = Tx(tx.connection, NOON + timedelta(minutes=minutes))
        token_reservations.settle_forgotten_calls(later, OPERATOR)
        assert (taken(tx)[1] > 0) is held
    assert taken(tx) == (140, 0)


# Warnings


def warnings_of(tx: Tx) -> list[dict[str, Any]]:
    found = [payload for name, payload in tx.events if name == "budget.warning"]
    tx.events.clear()
    return found


def test_a_cap_warns_once_in_its_period(tx: Tx) -> None:
    cap = add_cap(tx, 100, period="day", warn_percent=70)
    told = []
    for _ in range(9):
        token_reservations.record(tx, caller(), feature="chat", prompt=10, completion=0)
        told.append(warnings_of(tx))
    assert told == [[]] * 6 + [[{"user": 1, "capId": cap, "used": 70, "limit": 100}]] + [[]] * 2
    tx.moment += timedelta(days=1)
    token_reservations.settle(
        tx,
        token_reservations.reserve(tx, caller(), feature="chat", prompt=80, completion=20),
        80,
        0,
    )
    assert warnings_of(tx) == [{"user": 1, "capId": cap, "used": 80, "limit": 100}]


def test_a_cap_of_each_warns_for_each_once(tx: Tx) -> None:
    add_cap(tx, 100, subject="device")
    for device in ("phone", "laptop", "phone"):
        token_reservations.record(
            tx, caller(device=device), feature="chat", prompt=90, completion=0
        )
    assert [one["used"] for one in warnings_of(tx)] == [90, 90]


def test_a_cap_that_was_changed_may_warn_again_and_one_of_nothing_warns_of_use_alone(
    tx: Tx,
) -> None:
    cap = add_cap(tx, 100)
    token_reservations.record(tx, caller(), feature="chat", prompt=90, completion=0)
    cap_rows.update(tx, 1, cap, most=90, warn_percent=None)
    token_reservations.record(tx, caller(), feature="chat", prompt=1, completion=0)
    assert [one["limit"] for one in warnings_of(tx)] == [100, 90]
    add_cap(tx, 0, subject="credential", subject_id="key:9")
    token_reservations.record(tx, caller(credential=9), feature="chat", prompt=0, completion=0)
    assert warnings_of(tx) == []


# Periods


@pytest.mark.parametrize(
    ("moment", "zone", "day", "resets"),
    [
        ("2026-11-21T12:00", "UTC", "2026-11-21", "2026-11-22T00:00"),
        ("2026-11-21T23:30", "Europe/Berlin", "2026-11-22", "2026-11-22T23:00"),
        ("2026-03-29T00:30", "Europe/Berlin", "2026-03-29", "2026-03-29T22:00"),  # 23 hours long
        ("2026-10-25T12:00", "Europe/Berlin", "2026-10-25", "2026-10-25T23:00"),  # 25 hours long
        (
            "2026-03-07T12:00",
            "America/Havana",
            "2026-03-07",
            "2026-03-08T05:00",
        ),  # the next day begins at one o'clock
        ("2026-11-21T05:00", "Pacific/Kiritimati", "2026-11-21", "2026-11-21T10:00"),
    ],
)
def test_a_day_is_the_users_and_ends_when_theirs_does(
    moment: str, zone: str, day: str, resets: str
) -> None:
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert span_of(at, zone) == (day, moment[:7])
    assert resets_at("day", at, zone) == datetime.fromisoformat(resets).replace(tzinfo=UTC)


@example_settings(max_examples=200, derandomize=True, deadline=None)
@given(
    at=st.datetimes(datetime(1990, 1, 1), datetime(2080, 1, 1)),
    zone=st.sampled_from(["UTC", "Pacific/Kiritimati", "Pacific/Niue", "America/Havana"]),
)
def test_every_day_and_month_end_after_they_began_and_lie_beside_each_other(
    at: datetime, zone: str
) -> None:
    moment = at.replace(tzinfo=UTC)
    day, month = span_of(moment, zone)
    assert month in months_beside(day)
    assert days_beside(month)[0] <= day <= days_beside(month)[1]
    assert timedelta(0) < resets_at("day", moment, zone) - moment <= timedelta(hours=26)
    assert moment < month_end(month) == resets_at("month", moment, zone)
    assert span_of(resets_at("day", moment, zone), zone).day > day
    assert seconds_until(resets_at("day", moment, zone), moment) >= 1


# The endpoints of caps


@pytest.mark.anyio
async def test_everyone_begins_with_the_cap_of_the_heartbeat(alice: Client) -> None:
    (cap,) = (await alice.ok("GET", "/metering/caps"))["caps"]
    assert cap == {
        "id": cap["id"],
        "subject": "heartbeat",
        "subjectId": None,
        "metric": "tokens",
        "period": "day",
        "limit": 50_000,
        "used": 0,
        "reserved": 0,
        "remaining": 50_000,
        "resetsAt": "2026-11-22T00:00:00.000Z",
        "warnPercent": 80,
    }
    assert await alice.ok("DELETE", f"/metering/caps/{cap['id']}") == {"success": True}
    assert (await alice.ok("GET", "/metering/caps"))["caps"] == []


@pytest.mark.anyio
async def test_a_cap_shows_what_it_has_left_and_may_be_lowered_below_it(
    served: Served, alice: Client
) -> None:
    await served.parts.write(
        token_reservations.record, caller(), feature="chat", prompt=70, completion=10
    )
    held = await served.parts.write(
        token_reservations.reserve, caller(), feature="chat", prompt=5, completion=0
    )
    made = (
        await alice.ok(
            "POST", "/metering/caps", status=201, json={**ACCOUNT, "limit": 100, "warnPercent": 50}
        )
    )["cap"]
    assert (made["used"], made["reserved"], made["remaining"], made["warnPercent"]) == (
        80,
        5,
        15,
        50,
    )
    assert made["resetsAt"] == "2026-12-01T00:00:00.000Z"
    lowered = (await alice.ok("PATCH", f"/metering/caps/{made['id']}", json={"limit": 20}))["cap"]
    assert lowered == {**made, "limit": 20, "remaining": 0}
    await served.parts.write(token_reservations.settle, held, 0, 0)
    with pytest.raises(BudgetExceeded):
        await served.parts.write(
            token_reservations.reserve, caller(), feature="chat", prompt=0, completion=1
        )
    raised = (
        await alice.ok(
            "PATCH", f"/metering/caps/{made['id']}", json={"limit": 90, "warnPercent": 100}
        )
    )["cap"]
    assert (raised["remaining"], raised["reserved"], raised["warnPercent"]) == (10, 0, 100)


@pytest.mark.anyio
async def test_a_cap_of_each_shows_the_one_that_has_taken_most(
    served: Served, alice: Client
) -> None:
    for device, tokens in (("phone", 30), ("laptop", 70), ("tablet", 50)):
        await served.parts.write(
            token_reservations.record,
            caller(device=device),
            feature="chat",
            prompt=tokens,
            completion=0,
        )
    body = {"subject": "device", "metric": "tokens", "period": "day", "limit": 100}
    assert (await alice.ok("POST", "/metering/caps", status=201, json=body))["cap"]["used"] == 70
    one = (
        await alice.ok("POST", "/metering/caps", status=201, json={**body, "subjectId": "tablet"})
    )["cap"]
    assert (one["subjectId"], one["used"]) == ("tablet", 50)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"subject": "team"}, "subject"),
        ({"subject": None}, "subject"),
        ({"metric": "money"}, "metric"),
        ({"period": "year"}, "period"),
        ({"limit": -1}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"limit": 1 << 53}, "limit"),
        ({"limit": None}, "limit"),
        ({"warnPercent": 0}, "warnPercent"),
        ({"warnPercent": 101}, "warnPercent"),
        ({"subjectId": "x"}, "subjectId"),
        ({"subject": "heartbeat", "subjectId": "x"}, "subjectId"),
        ({"subject": "device", "subjectId": " "}, "subjectId"),
        ({"subject": "device", "subjectId": "x" * 161}, "subjectId"),
        ({"subject": "device", "metric": "devices"}, "subject"),
        ({"metric": "devices", "period": "day"}, "period"),
    ],
)
async def test_a_bad_cap_is_refused_by_its_field(
    resident: Client, change: dict[str, Any], field: str
) -> None:
    await resident.refused(
        "POST",
        "/metering/caps",
        400,
        "invalid_request",
        field=field,
        json={**ACCOUNT, "limit": 5, **change},
    )
    assert len((await resident.ok("GET", "/metering/caps"))["caps"]) == 1


@pytest.mark.anyio
async def test_the_same_cap_twice_is_refused_however_its_subject_is_spelled(
    served: Served, alice: Client
) -> None:
    key = (await alice.ok("GET", "/identity"))["credential"]["id"]
    for body, shown in (
        ({**ACCOUNT}, None),
        (
            {"subject": "credential", "metric": "tokens", "period": "day", "subjectId": str(key)},
            str(key),
        ),
    ):
        made = (await alice.ok("POST", "/metering/caps", status=201, json={**body, "limit": 5}))[
            "cap"
        ]
        assert made["subjectId"] == shown
        await alice.refused(
            "POST", "/metering/caps", 409, "already_exists", json={**body, "limit": 7}
        )
    again = {
        "subject": "credential",
        "metric": "tokens",
        "period": "day",
        "subjectId": f"key:{key}",
        "limit": 5,
    }
    await alice.refused("POST", "/metering/caps", 409, "already_exists", json=again)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "subject_id", ["999", "key:999", "oauth:1", "session:1", "x", "key:", ":1", "key:²", "1" * 40]
)
async def test_a_credential_that_is_not_there_has_no_cap(resident: Client, subject_id: str) -> None:
    body = {
        "subject": "credential",
        "metric": "tokens",
        "period": "day",
        "limit": 5,
        "subjectId": subject_id,
    }
    await resident.refused("POST", "/metering/caps", 404, "not_found", field="subjectId", json=body)


@pytest.mark.anyio
async def test_what_is_anothers_is_not_found_and_not_counted(
    served: Served, alice: Client, bob: Client
) -> None:
    made = (await alice.ok("POST", "/metering/caps", status=201, json={**ACCOUNT, "limit": 5}))[
        "cap"
    ]["id"]
    key = (await alice.ok("GET", "/identity"))["credential"]["id"]
    await served.parts.write(
        token_reservations.record, caller(), feature="chat", prompt=70, completion=10
    )
    await bob.refused("PATCH", f"/metering/caps/{made}", 404, "not_found", json={"limit": 1})
    await bob.refused("DELETE", f"/metering/caps/{made}", 404, "not_found")
    body = {
        "subject": "credential",
        "metric": "tokens",
        "period": "day",
        "limit": 5,
        "subjectId": str(key),
    }
    await bob.refused("POST", "/metering/caps", 404, "not_found", json=body)
    assert len((await bob.ok("GET", "/metering/caps"))["caps"]) == 1
    used = await bob.ok("GET", "/metering/usage")
    assert (used["tokens"]["total"], used["byCredential"], used["byFeature"]) == (0, [], [])
    assert (await alice.ok("GET", "/metering/usage"))["tokens"]["total"] == 80


@pytest.mark.anyio
async def test_there_are_so_many_caps_at_most(served: Served, alice: Client) -> None:
    def fill(tx: Tx) -> None:
        for number in range(199):
            add_cap(tx, 1, subject="device", subject_id=str(number))

    await served.parts.write(fill)
    await alice.refused(
        "POST", "/metering/caps", 409, "quota_exceeded", json={**ACCOUNT, "limit": 5}
    )


@pytest.mark.parametrize(
    "scopes",
    [
        ("*",),
        ("metering:manage",),
        ("metering:read", "metering:manage", "account:manage", "escalations:decide"),
    ],
)
def test_an_agent_never_changes_caps_whatever_it_was_granted(scopes: tuple[str, ...]) -> None:
    agent = Caller(
        user=1, user_id="u", username="alice", kind="managed_agent", scopes=scopes, credential=1
    )
    assert not agent.may(("metering:manage",))
    assert not agent.may(("account:manage", "escalations:decide", "agents:manage"))
    assert agent.may(("metering:read",))


# The report and the invoice


@pytest.mark.anyio
async def test_a_month_is_told_by_feature_credential_device_and_day(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    key = (await alice.ok("GET", "/identity"))["credential"]
    phone = {"X-Device-Id": "phone"}
    await alice.ok("GET", "/identity", headers=phone)
    await served.parts.write_gathered()
    clock.now = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
    mine, other = caller(credential=key["id"], device="phone"), caller("oauth", 5)
    await served.parts.write(
        token_reservations.record, mine, feature="chat", prompt=70, completion=10
    )
    await served.parts.write(
        token_reservations.record, mine, feature="briefing", prompt=5, completion=1
    )
    clock.now = datetime(2026, 11, 24, 12, tzinfo=UTC)
    await served.parts.write(
        token_reservations.record, other, feature="briefing", prompt=9, completion=1
    )
    await served.parts.write(
        token_reservations.record,
        caller("heartbeat", None),
        feature="heartbeat",
        prompt=3,
        completion=0,
    )
    await served.parts.write(
        token_reservations.reserve, mine, feature="chat", prompt=1000, completion=24
    )
    assert await alice.ok("GET", "/metering/usage", headers=phone) == {
        "success": True,
        "month": "2026-11",
        "activeDevices": 2,
        "tokens": {"prompt": 87, "completion": 12, "total": 99, "reserved": 1024},
        "byFeature": [
            {"feature": "chat", "tokens": 80},
            {"feature": "briefing", "tokens": 16},
            {"feature": "heartbeat", "tokens": 3},
        ],
        "byCredential": [
            {"kind": "key", "id": key["id"], "name": "test", "tokens": 86},
            {"kind": "oauth", "id": 5, "name": None, "tokens": 10},
            {"kind": "heartbeat", "id": None, "name": None, "tokens": 3},
        ],
        "byDevice": [
            {
                "deviceId": "phone",
                "name": None,
                "firstSeenAt": "2026-11-21T09:30:00.000Z",
                "lastSeenAt": "2026-11-24T12:00:00.000Z",
                "tokens": 86,
            },
            {
                "deviceId": f"key:{key['id']}",
                "name": "test",
                "firstSeenAt": "2026-11-21T09:30:00.000Z",
                "lastSeenAt": "2026-11-21T09:30:00.000Z",
                "tokens": 0,
            },
        ],
        "byDay": [{"date": "2026-11-23", "tokens": 86}, {"date": "2026-11-24", "tokens": 13}],
        "closed": False,
    }
    clock.now = datetime(2026, 12, 1, tzinfo=UTC)
    await served.parts.write_gathered()
    december = await alice.ok("GET", "/metering/usage")
    assert (
        december["month"],
        december["tokens"]["total"],
        december["activeDevices"],
        december["closed"],
    ) == ("2026-12", 0, 1, False)
    november = await alice.ok("GET", "/metering/usage", params={"month": "2026-11"})
    assert (november["tokens"]["total"], november["activeDevices"], november["closed"]) == (
        99,
        2,
        True,
    )
    later = await alice.ok("GET", "/metering/usage", params={"month": "9999-12"})
    assert (later["tokens"]["total"], later["closed"]) == (0, False)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "month", ["2026", "2026-13", "2026-1", "0000-01", "2026-11-01", "2026-11\n", "", "٢٠٢٦-١١"]
)
async def test_what_is_no_month_is_refused(resident: Client, month: str) -> None:
    for path in ("/metering/usage", "/metering/invoice"):
        await resident.refused(
            "GET", path, 400, "invalid_request", field="month", params={"month": month}
        )
    await resident.refused(
        "POST",
        "/metering/invoice/simulate",
        400,
        "invalid_request",
        field="month",
        json={"month": month},
    )


@pytest.mark.anyio
async def test_an_invoice_costs_nothing_until_prices_are_set(served: Served, alice: Client) -> None:
    await served.parts.write(
        token_reservations.record, caller(), feature="chat", prompt=70, completion=10
    )
    free = {"included": 0, "unitPriceMicros": 0, "amountMicros": 0}
    assert await alice.ok("GET", "/metering/invoice") == {
        "success": True,
        "simulated": True,
        "month": "2026-11",
        "currency": "USD",
        "totalMicros": 0,
        "lines": [
            {"item": "active_device", "quantity": 1, "billable": 1, **free},
            {"item": "tokens", "quantity": 80, "billable": 80, **free},
        ],
    }


@pytest.mark.anyio
async def test_an_invoice_follows_the_settings_and_a_simulation_what_it_is_given(
    data: Path, clock: MovableClock
) -> None:
    priced = Settings(
        durability="normal",
        rate_limit=0,
        currency="EUR",
        device_price_micros=2_000_000,
        token_price_micros=3,
        included_devices=1,
        included_tokens=50,
    )
    asgi = create_app(priced, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice = await served.person("alice")
        await served.parts.write(
            token_reservations.record, caller(), feature="chat", prompt=70, completion=10
        )
        asked = await alice.ok("GET", "/metering/invoice")
        assert [(line["billable"], line["amountMicros"]) for line in asked["lines"]] == [
            (0, 0),
            (30, 90),
        ]
        assert (asked["totalMicros"], asked["currency"]) == (90, "EUR")
        assert await alice.ok("POST", "/metering/invoice/simulate", json={}) == asked
        prices = {"tokenPriceMicros": 5, "includedTokens": 0}
        body = {"month": "2026-10", "activeDevices": 4, "tokens": 1_000_000, "prices": prices}
        other = await alice.ok("POST", "/metering/invoice/simulate", json=body)
        assert [line["amountMicros"] for line in other["lines"]] == [6_000_000, 5_000_000]
        assert (other["month"], other["totalMicros"]) == ("2026-10", 11_000_000)
        for bad, field in (
            ({"tokens": -1}, "tokens"),
            ({"prices": {"tokenPriceMicros": 1.5}}, "prices.tokenPriceMicros"),
            ({"prices": 5}, "prices"),
        ):
            await alice.refused(
                "POST", "/metering/invoice/simulate", 400, "invalid_request", field=field, json=bad
            )
        huge = {
            "activeDevices": (1 << 53) - 1,
            "prices": {"devicePriceMicros": (1 << 53) - 1, "includedDevices": 0},
        }
        assert (await alice.ok("POST", "/metering/invoice/simulate", json=huge))["lines"][0][
            "amountMicros"
        ] == ((1 << 53) - 1) ** 2
        await alice.aclose()
