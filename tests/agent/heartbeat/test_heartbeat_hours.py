"""When a heartbeat may run: zones, clock changes, hours over midnight, weekdays."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.heartbeat.records import active_hours
from app.agent.heartbeat.records.active_hours import Hours

BERLIN = ZoneInfo("Europe/Berlin")
EVERY_DAY = frozenset(range(1, 8))
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Pacific/Apia",
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def between(
    start: str, end: str, days: frozenset[int] = EVERY_DAY, zone: ZoneInfo = BERLIN
) -> Hours:
    return Hours(zone, active_hours.parse_minutes(start), active_hours.parse_minutes(end), days)


@pytest.mark.parametrize(
    ("window", "moment", "first"),
    [
        (
            between("09:00", "17:00"),
            "2026-11-21T07:00",
            "2026-11-21T08:00",
        ),  # before: the beginning
        (between("09:00", "17:00"), "2026-11-21T10:10", "2026-11-21T10:10"),  # inside: at once
        (between("09:00", "17:00"), "2026-11-21T16:00", "2026-11-22T08:00"),  # the end is outside
        (between("09:00", "24:00"), "2026-11-21T22:59", "2026-11-21T22:59"),
        (between("09:00", "24:00"), "2026-11-21T23:00", "2026-11-22T08:00"),
        (between("22:00", "06:00"), "2026-11-21T04:59", "2026-11-21T04:59"),  # over midnight
        (between("22:00", "06:00"), "2026-11-21T05:00", "2026-11-21T21:00"),
        (
            between("22:00", "06:00", frozenset({1})),
            "2026-11-24T03:00",
            "2026-11-24T03:00",
        ),  # Tuesday's night is Monday's
        (between("22:00", "06:00", frozenset({1})), "2026-11-23T03:00", "2026-11-23T21:00"),
        (
            between("09:00", "17:00", frozenset({1})),
            "2026-11-23T17:00",
            "2026-11-30T08:00",
        ),  # a week on
        (
            between("02:30", "04:00"),
            "2026-03-29T00:00",
            "2026-03-29T01:00",
        ),  # 02:30 is left out that day: 03:00 follows 01:59
        (
            between("02:15", "02:45"),
            "2026-03-29T00:00",
            "2026-03-30T00:15",
        ),  # hours that the clock leaves out do not come
        (between("02:30", "05:00"), "2026-10-25T00:30", "2026-10-25T00:30"),  # 02:30 comes twice
        (
            between("02:30", "05:00"),
            "2026-10-25T01:05",
            "2026-10-25T01:30",
        ),  # the second 02:05 shows a time before the hours
        (
            between("01:00", "02:30"),
            "2026-10-25T01:10",
            "2026-10-26T00:00",
        ),  # the second 02:10 is after their end
    ],
)
def test_the_first_moment_inside_the_hours(window: Hours, moment: str, first: str) -> None:
    assert window.first(at(moment)) == at(first)


@given(
    st.sampled_from(ZONES),
    st.integers(0, 1439),
    st.integers(1, 1440),
    st.sets(st.integers(1, 7), min_size=1),
    st.datetimes(datetime(2010, 1, 1), datetime(2035, 1, 1)),
    st.integers(5, 1440),
    st.text(max_size=5),
)
def test_the_next_run_always_lies_inside_the_hours(
    zone: str, start: int, end: int, days: set[int], moment: datetime, every: int, name: str
) -> None:
    if start == end:
        end = 1440
    window, now = Hours(ZoneInfo(zone), start, end, frozenset(days)), moment.replace(tzinfo=UTC)
    due, _ = active_hours.next_run(
        window, now - timedelta(minutes=7), now, timedelta(minutes=every), name=name
    )
    assert due > now
    wall = due.astimezone(window.zone)
    minute = wall.hour * 60 + wall.minute
    assert start <= minute < end if end > start else minute >= start or minute < end
    day = wall - timedelta(days=1) if end <= start and minute < end else wall
    assert day.isoweekday() in days


def test_what_was_missed_is_made_up_for_by_one_run() -> None:
    window = Hours(BERLIN)
    due, missed = active_hours.next_run(
        window, at("2026-11-21T08:00"), at("2026-11-21T17:05"), timedelta(minutes=30), name="x"
    )
    assert (due, missed) == (at("2026-11-21T17:30"), 18)


def test_not_everyone_begins_at_the_same_second_of_the_morning() -> None:
    window = between("09:00", "17:00")
    begins = {
        active_hours.first_run(
            window, at("2026-11-21T20:00"), timedelta(minutes=30), name=f"user {number}"
        )
        for number in range(50)
    }
    assert len(begins) > 20
    assert all(at("2026-11-22T08:00") <= begin < at("2026-11-22T08:01") for begin in begins)
