"""Parts of a day: what is due and what is free in the morning, afternoon or evening."""

from datetime import UTC, datetime

import pytest

from app.agent.quickadd import time_ranges
from tests.conftest import Client
from tests.support.talks import Talk, said

pytestmark = pytest.mark.anyio
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


async def _add(alice: Client, title: str, due: str) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": title, "dueDate": due})


async def _fill(alice: Client) -> None:
    await _add(alice, "Dentist", "2026-11-22T15:00:00Z")
    await _add(alice, "Post", "2026-11-22")
    await _add(alice, "Concert", "2026-11-22T20:00:00Z")


@pytest.mark.parametrize(
    ("question", "after"),
    [
        ("what have I got tomorrow?", "and in the afternoon?"),
        ("was habe ich morgen?", "und nachmittags?"),
        ("j'ai quoi demain ?", "et l'après-midi ?"),
        ("qué tengo mañana?", "y por la tarde?"),
        ("明日は何がある？", "午後は？"),
        ("明天有什么安排？", "下午呢？"),
    ],
)
async def test_a_part_of_the_day_that_was_asked_about_is_told(
    alice: Client, question: str, after: str
) -> None:
    await _fill(alice)
    say = Talk(alice).say
    assert "Concert" in await say(question)
    told = await say(after)
    assert "Dentist" in told
    assert "Post" in told  # which may be done at any hour of the day
    assert "Concert" not in told


@pytest.mark.parametrize(
    "question",
    [
        "what's on tomorrow morning?",
        "was steht morgen vormittag an?",
        "et demain matin, j'ai quoi ?",
        "明天上午有什么安排？",
        "明日の午前は何がある？",
    ],
)
async def test_what_is_at_another_hour_of_the_day_is_left_out(alice: Client, question: str) -> None:
    await _fill(alice)
    told = (await said(alice, question))["response"]
    assert "Post" in told
    assert "Dentist" not in told
    assert "Concert" not in told


async def test_another_day_after_a_part_of_one_is_whole_again(alice: Client) -> None:
    await _fill(alice)
    say = Talk(alice).say
    await say("what have I got today?")
    await say("and in the evening?")
    told = await say("and tomorrow?")
    assert "Dentist" in told
    assert "Concert" in told


async def test_a_part_of_the_day_in_a_name_is_no_hour(alice: Client) -> None:
    await _add(alice, "Pay for the evening class", "2026-11-22T10:00:00Z")
    told = (await said(alice, "which todos for the evening class are due tomorrow?"))["response"]
    assert "Pay for the evening class" in told


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("this afternoon", "afternoon"),
        ("heute Abend", "evening"),
        ("demain après-midi", "afternoon"),
        ("demain apres midi", "afternoon"),
        ("the day", None),
        ("morgen", None),
    ],
)
def test_parts_are_found_by_their_words(text: str, part: str | None) -> None:
    found = time_ranges.find_part(text)
    assert (found and found[0]) == part


def test_a_part_has_hours_of_its_day() -> None:
    hours = time_ranges.part_of(NOON.date(), "evening", NOON)
    assert (hours.start.hour, hours.end.hour, hours.start.date()) == (18, 23, NOON.date())
