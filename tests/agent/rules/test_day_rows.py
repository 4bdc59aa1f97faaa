"""Questions that the line of a day answers: a roster, a log, a table of the week."""

from datetime import UTC, date, datetime

import pytest

from app.agent.rules.dialogue import day_rows
from tests.agent.rules.test_at_once import add, note
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""A Monday."""
ROSTER = (
    "| Tag | Linie | Beginn | Ende |\n|---|---|---|---|\n"
    "| Montag | frei | | |\n| Donnerstag | 366 | 06:15 | 14:20 |\n"
    "| Freitag | 360 | 04:48 | 13:05 |\n"
)
BISCUITS = (
    "Thursdays at 19:30.\n\n| Date | Biscuits |\n|---|---|\n"
    "| 26 November | Judith |\n| 3 December | me |\n| 10 December | Tom |\n"
)
SHIFTS = "| 曜日 | 朝 | 昼 |\n|---|---|---|\n| 木 | 私 | 森 |\n| 土 | 田村 | 吉岡 |\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "row"),
    [
        ("Dienstplan", ROSTER, ["wann fang ich freitag an"], "| Freitag | 360 |"),
        ("Dienstplan", ROSTER, ["welche linie fahr ich am donnerstag"], "| Donnerstag | 366 |"),
        (
            "Dienstplan",
            ROSTER,
            ["wann muss ich am donnerstag anfangen?", "welche linie ist das?"],
            "| Donnerstag | 366 |",
        ),
        ("Rehearsals", BISCUITS, ["who's bringing biscuits on 10 december?"], "December | Tom |"),
        (
            "Rehearsals",
            BISCUITS,
            ["who's bringing biscuits on 10 december?", "and this thursday?"],
            "26 November | Judith |",
        ),
        ("シフト", SHIFTS, ["土曜の朝のシフト誰だっけ"], "| 土 | 田村 |"),
        (
            "Blood pressure",
            "- 2026-11-16: 139/85\n- 2026-11-09: 145/90\n",
            ["what was my blood pressure on 9 november?"],
            "2026-11-09: 145/90",
        ),
    ],
)
async def test_the_line_of_the_day_is_told(
    alice: Client, clock: MovableClock, title: str, text: str, messages: list[str], row: str
) -> None:
    clock.now = NOW
    await note(alice, title, text)
    await add(alice, "Order the flowers", dueDate="2026-11-26", userTimezone="UTC")
    say = Talk(alice).say
    told = ""
    for message in messages:
        told = await say(message)
    quoted = [line for line in told.splitlines() if line.startswith(">")]
    assert len(quoted) == 1
    assert row in quoted[0]


@pytest.mark.anyio
async def test_what_is_due_on_a_day_is_still_listed(alice: Client, clock: MovableClock) -> None:
    clock.now = NOW
    await note(alice, "Rehearsals", BISCUITS)
    await add(alice, "Order the flowers", dueDate="2026-11-26", userTimezone="UTC")
    assert "Order the flowers" in await Talk(alice).say("what's on this thursday?")
    assert "Order the flowers" in await Talk(alice).say("do I have anything to do on thursday?")


@pytest.mark.parametrize(
    ("line", "is_of_friday"),
    [
        ("| Fri | 04:48 |", True),
        ("| 27.11. | 04:48 |", True),
        ("| 27.11.2026 | 04:48 |", True),
        ("| 2026-11-27 | 04:48 |", True),
        ("| 27 November | 04:48 |", True),
        ("| 11月27日 | 04:48 |", True),
        ("| Fri (27.11.) | 04:48 |", True),
        ("| Fri (20.11.) | 04:48 |", False),
        ("| 27.12. | 04:48 |", False),
        ("| 27 | 04:48 |", False),
        ("| Friedrich | 04:48 |", False),
        ("- 2026-11-27: off", True),
        ("- 2026-11-28: off", False),
    ],
)
def test_a_line_begins_with_its_day_in_whatever_form(line: str, *, is_of_friday: bool) -> None:
    assert day_rows.begins(line, date(2026, 11, 27), NOW) is is_of_friday
