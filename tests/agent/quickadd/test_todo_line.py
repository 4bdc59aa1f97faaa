"""A typed line as the todo that it would become."""

import dataclasses
from typing import Any

import pytest

from tests.conftest import OPERATOR, Client, Served

pytestmark = pytest.mark.anyio


async def read(served: Served, line: str, **fields: Any) -> Any:
    me = dataclasses.replace(OPERATOR, user=1)
    return (
        await served.parts.call(me, "quick_add_todo", {"text": line, "dryRun": True, **fields})
    ).read


async def test_what_was_recognised_is_told_with_its_words(served: Served, alice: Client) -> None:
    found = await read(served, "Pack for the hut on Friday at 5pm p1: tent; stove ; map")
    assert (found.title, found.priority) == ("Pack for the hut", 5)
    assert found.due_date == "2026-11-27T17:00+00:00"
    assert found.steps == ["tent", "stove", "map"]
    assert {one.kind for one in found.recognised} == {"date", "time", "priority", "steps"}
    assert all(
        one.text in "Pack for the hut on Friday at 5pm p1: tent; stove ; map"
        for one in found.recognised
    )


async def test_words_that_stay_are_not_recognised(served: Served, alice: Client) -> None:
    line = "Read the Friday paper every week: sports; arts"
    found = await read(served, line, keep=["friday", "sports; arts"])
    assert found.title == "Read the Friday paper: sports; arts"
    assert found.recurrence.rule == "FREQ=WEEKLY"
    assert found.steps == []


@pytest.mark.parametrize(
    "line", ["Call Eva: she waits", "See https://example.org/a;b;c", "Note: a;", "a: ;"]
)
async def test_what_is_no_list_stays_in_the_title(served: Served, alice: Client, line: str) -> None:
    found = await read(served, line)
    assert (found.title, found.steps, found.recognised) == (line, [], [])


async def test_a_day_that_does_not_exist_is_told(served: Served, alice: Client) -> None:
    found = await read(served, "Pay the rent on 31 April")
    assert (found.no_such_day, found.due_date) == ("31 April", None)
