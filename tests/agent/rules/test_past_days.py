"""What was on a day that has been: notes of that day, what was completed and written on it."""

from datetime import timedelta

import pytest

from tests.conftest import Client, MovableClock
from tests.support.talks import said


async def note(client: Client, title: str, content: str) -> None:
    fields = {"title": title, "content": content}
    await client.ok("POST", "/os/notes", status=201, json=fields)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "Who did I meet on 20 November?",
        "What did I do on Friday?",
        "Wen habe ich am 20. November getroffen?",
        "Was war am 20. November?",
        "Qui ai-je rencontré le 20 novembre ?",
        "¿A quién vi el 20 de noviembre?",
        "11月20日我见了谁？",
        "11月20日に誰に会った？",
    ],
)
async def test_a_question_of_the_past_quotes_the_note_of_the_last_such_day(
    alice: Client, message: str
) -> None:
    await note(alice, "2026-11-20", "Met with Jörg.")
    await note(alice, "2025-11-20", "Met with Kim.")
    response = (await said(alice, message))["response"]
    assert "> Met with Jörg." in response
    assert "Kim" not in response


@pytest.mark.anyio
async def test_lines_and_headings_of_a_day_are_quoted(alice: Client) -> None:
    await note(alice, "Log", "## 19 November\n\nPlanted leeks.\n\n## 18 November\n\nDug.\n")
    await note(alice, "Liste", "- 19.11. Regen\n- 18.11. Sonne\n- 19.11.2025 Schnee\n")
    response = (await said(alice, "What did I do on Thursday?"))["response"]
    assert "Planted leeks." in response
    assert "Regen" in response
    assert not [word for word in ("Dug", "Sonne", "Schnee") if word in response]


@pytest.mark.anyio
async def test_what_was_written_and_completed_on_a_day_is_listed(
    alice: Client, clock: MovableClock
) -> None:
    await note(alice, "Fence", "Two posts are loose.")
    fields = {"title": "Buy nails"}
    made = await alice.ok("POST", "/os/todos", status=201, json=fields)
    todo = made["result"]["todo"]["id"]
    await alice.ok("PATCH", f"/os/todos/{todo}", json={"completed": True})
    clock.now += timedelta(days=1)
    wrote = (await said(alice, "what did I write yesterday?"))["response"]
    assert "Fence" in wrote
    assert "Buy nails" not in wrote
    did = (await said(alice, "Was habe ich gestern gemacht?"))["response"]
    assert "Buy nails" in did
    assert "Fence" in did


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "Was habe ich am Freitag?",
        "Was habe ich mir für Freitag vorgenommen?",
        "What is on Friday?",
        "what have I got on Friday",
    ],
)
async def test_a_question_of_what_comes_is_of_the_next_such_day(
    alice: Client, message: str
) -> None:
    await note(alice, "2026-11-20", "Met with Jörg.")
    assert "27" in (await said(alice, message))["response"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("and what have i got on tomorrow then", "No todos"),
        ("qué tal, mañana qué me toca", "Ninguna tarea"),
        ("今日って何しなきゃいけないんだっけ", "タスクはありません"),
    ],
)
async def test_today_and_tomorrow_have_not_been(alice: Client, message: str, told: str) -> None:
    assert told in (await said(alice, message))["response"]
