"""A clock that jumped ahead and came back.

Its steps are kept, and the doctor sets back what was stored meanwhile.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.core.database import clock_steps
from app.core.database.clock_steps import ClockStep, ClockWatch, true_moment
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATE = NOW + timedelta(days=29_000)


async def wrong(served: Served) -> dict[str, Any]:
    looked = await served.command("examine_database")
    return {one.check: one for one in looked.findings if one.gravity == "wrong"}


async def stepped(served: Served, number: int) -> None:
    """Wait until the step has been seen: that is behind the writes."""
    import asyncio

    for _ in range(200):
        if len(await served.parts.read(clock_steps.clock_steps)) == number:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(await served.parts.read(clock_steps.clock_steps))


async def test_notes_from_a_clock_that_jumped_ahead_are_set_back_to_when_they_were_stored(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    before = await alice.note("Before")
    await stepped(served, 0)
    clock.forward(days=29_000)
    late = await alice.note("Late")
    await stepped(served, 1)
    clock.forward(minutes=30, days=-29_000)
    after = await alice.note("After")
    await stepped(served, 2)
    found = (await wrong(served))["clock"]
    assert (found.mends, str(late["id"]) in found.message, "2106" in found.message) == (
        "times",
        True,
        True,
    )
    await served.command("mend", repairs=["times"])
    assert await wrong(served) == {}
    note = (await alice.ok("GET", f"/os/notes/{late['id']}"))["note"]
    assert before["updatedAt"] <= note["updatedAt"] <= after["updatedAt"]
    assert note["createdAt"] == note["updatedAt"]
    listed = (await alice.ok("GET", "/os/notes"))["notes"]
    assert listed[0]["title"] == "After"


async def test_without_a_step_a_note_is_set_back_to_the_note_before_it(
    served: Served, alice: Client
) -> None:
    first, second = await alice.note("First"), await alice.note("Second")
    await alice.note("Third")
    await served.parts.write(
        lambda tx: tx.run(
            "UPDATE notes SET created_at = :at, updated_at = :at WHERE id = :id",
            at="2105-01-01T00:00:00.000Z",
            id=second["id"],
        )
    )
    assert (await wrong(served))["clock"].mends == "times"
    await served.command("mend", repairs=["times"])
    assert (await alice.ok("GET", f"/os/notes/{second['id']}"))["note"]["createdAt"] == first[
        "createdAt"
    ]


async def test_where_most_notes_are_to_come_the_clock_of_the_machine_is_doubted(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    for number in range(3):
        await alice.note(f"Note {number}")
    await served.parts.write(lambda tx: tx.run("DELETE FROM clock_steps"))
    clock.forward(days=-3000)
    found = (await wrong(served))["clock"]
    assert (found.mends, "Set the clock" in found.remedy) == (None, True)


async def test_a_restart_with_a_clock_that_was_set_right_is_a_step_too(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    clock.forward(days=29_000)
    await alice.note("Late")
    await stepped(served, 1)
    clock.forward(days=-29_000)
    await served.parts.write(ClockWatch(clock).tend)
    assert len(await served.parts.read(clock_steps.clock_steps)) >= 2


@pytest.mark.parametrize(
    ("steps", "moment", "true"),
    [
        ([], LATE, None),
        (
            [ClockStep(NOW, LATE)],
            LATE + timedelta(hours=2),
            None,
        ),  # that is after now: no step tells
        (
            [ClockStep(NOW - timedelta(hours=3), LATE)],
            LATE + timedelta(hours=2),
            NOW - timedelta(hours=1),
        ),
        (
            [ClockStep(LATE, NOW - timedelta(hours=1))],
            LATE - timedelta(hours=2),
            NOW - timedelta(hours=3),
        ),
        (
            [
                ClockStep(NOW - timedelta(days=9), NOW - timedelta(days=8)),
                ClockStep(NOW - timedelta(hours=3), LATE),
            ],
            LATE,
            NOW - timedelta(hours=3),
        ),
    ],
)
async def test_steps_tell_when_it_truly_was(
    steps: list[ClockStep], moment: datetime, true: datetime | None
) -> None:
    from app.core.database.tx import stamp

    assert true_moment(steps, stamp(moment), NOW) == (None if true is None else stamp(true))
