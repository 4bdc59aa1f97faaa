"""The endpoint that makes a todo of a typed line."""

from typing import Any

import pytest

from tests.conftest import Client

pytestmark = pytest.mark.anyio


async def test_a_line_becomes_a_todo_and_says_what_was_recognised(alice: Client) -> None:
    made = await alice.post("/os/todos/quick", json={"text": "Call mum every friday at 5pm p2"})
    assert made.status_code == 201
    answer: dict[str, Any] = made.json()
    todo, read = answer["todo"], answer["read"]
    assert (todo["title"], todo["priority"]) == ("Call mum", read["priority"])
    assert todo["recurrence"]["rule"] == read["recurrence"]["rule"] == "FREQ=WEEKLY;BYDAY=FR"
    assert [one["kind"] for one in read["recognised"]] == ["recurrence", "time", "priority"]
    text = "Call mum every friday at 5pm p2"
    assert all(text[one["start"] : one["end"]] == one["text"] for one in read["recognised"])
    stored = (await alice.get(f"/os/todos/{todo['id']}")).json()["todo"]
    assert stored["title"] == "Call mum"


async def test_a_dry_run_reads_and_stores_nothing(alice: Client) -> None:
    answer = (
        await alice.post("/os/todos/quick", json={"text": "Rest tomorrow", "dryRun": True})
    ).json()
    assert answer["todo"] is None
    assert answer["read"]["title"] == "Rest"
    assert (await alice.get("/os/todos")).json()["result"]["total"] == 0


async def test_what_is_ignored_stays_in_the_title(alice: Client) -> None:
    answer = (
        await alice.post("/os/todos/quick", json={"text": "Plan tomorrow p1", "ignore": ["date"]})
    ).json()
    assert answer["todo"]["title"] == "Plan tomorrow"
    assert answer["todo"]["dueDate"] is None
    assert answer["todo"]["priority"] == 5


@pytest.mark.parametrize("text", ["", " ", "a\nb", "x" * 2001, "pay on 31 February"])
async def test_a_line_that_is_none_is_refused_and_nothing_is_stored(
    alice: Client, text: str
) -> None:
    refused = await alice.post("/os/todos/quick", json={"text": text})
    assert (refused.status_code, refused.json()["field"]) == (400, "text")
    assert (await alice.get("/os/todos")).json()["result"]["total"] == 0


async def test_a_line_that_is_sent_twice_is_one_todo(alice: Client) -> None:
    for _ in range(2):
        made = await alice.post(
            "/os/todos/quick",
            json={"text": "Only once tomorrow"},
            headers={"Idempotency-Key": "twice"},
        )
        assert made.status_code == 201
    assert (await alice.get("/os/todos")).json()["result"]["total"] == 1
