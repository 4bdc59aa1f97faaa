"""The offline brain's rules.

What a message is taken for, which tools are called for it, and what is said in the end.
"""

import functools
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.agent.rules import rules
from app.agent.rules.phrases.phrases import language_of, phrase
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked, Result, Step
from evaluation import routing as evaluation
from tests.conftest import Client
from tests.support.looping import Failures

NOW = evaluation.NOW
cases = functools.cache(evaluation.cases)
PIECES = [
    "add",
    "mark",
    "note",
    "todo",
    "to",
    "the",
    "my",
    "what",
    "is",
    "due",
    "明天",
    "を",
    "タスク",
    "«",
    "“",
    ">",
    "\n",
    "[",
    "]",
    "-",
]
TOOLS = evaluation.TOOLS


def step(
    message: str, *results: Result, tools: frozenset[str] = TOOLS, now: datetime = NOW
) -> Step:
    return rules.next_step(Asked(message, results, tools, now))


def last_step(message: str, *given: Result) -> Step:
    """Return what is said once each call has given what its tool gives here."""
    contents = {one.tool: one.content for one in given}
    results: tuple[Result, ...] = ()
    while (found := step(message, *results)).calls:
        results += tuple(Result(tool, of, contents[tool], False) for tool, of in found.calls)
    return found


def given_by(tool: str, content: dict[str, Any], **arguments: Any) -> Result:
    return Result(tool, arguments, content, failed=False)


def found(*titles: str) -> Result:
    hits = [
        {"id": number, "title": title, "snippet": "", "content": ""}
        for number, title in enumerate(titles, 1)
    ]
    return given_by("search_notes", {"results": hits, "result": {"results": hits}}, query="x")


NOTHING = (
    given_by("search_todos", {"todos": [], "total": 0}),
    given_by("list_notes", {"notes": []}),
    given_by("list_folders", {"folders": []}),
    given_by("list_network", {"contacts": []}),
)
"""What tells that there is nothing that could be near to what was said."""


@pytest.mark.parametrize(("half", "least"), [("a", 102), ("b", 97)])
def test_the_labelled_messages_are_understood(half: str, least: int) -> None:
    right = [case for case in cases() if case.half == half and case.right]
    assert len(right) >= least


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("don't create a todo", "leave"),
        ("please don't delete anything", "leave"),
        ("Leg bitte keine Aufgabe an", "leave"),
        ("n'ajoute pas de tâche", "leave"),
        ("no añadas nada", "leave"),
        ("不要删除笔记", "leave"),
        ("タスクを追加しないでください", "leave"),
        ("write a script that lists todos", "cannot"),
        ("Schreib mir ein Gedicht", "cannot"),
        ("what can you do", "help"),
        ("What tasks did Ines hand over?", "ask"),
        ("Who is responsible for the reminder system?", "ask"),
        ("did I finish the report?", "todo_state"),
        ("remind me what the wifi password is", "ask"),
        ("don't forget to lock the shed", "add_todo"),
        ("todo: don't forget the eggs", "add_todo"),
        ("note: delete all of it?", "make_note"),
        ("delete the note Packing list", "delete"),
        ("the", "ask"),
        ("?", "help"),
        ("…", "ask"),
        ("remember to water the ferns", "add_todo"),
        ("don't remember that", "leave"),
        ("Did we talk to the bank?", "ask"),
        ("Wann haben wir mit der Bank gesprochen?", "ask"),
        ("What did I ask the plumber?", "ask"),
        ("记得买牛奶", "ask"),
        ("Remember that?", "ask"),
        ("recuérdame comprar pan", "add_todo"),
    ],
)
def test_what_only_looks_like_a_command_is_none(message: str, intent: str) -> None:
    assert routing.route_message(message).intent == intent


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("What is due today?", "en"),
        ("Was ist heute fällig?", "de"),
        ("Où est la clé ?", "fr"),
        ("¿Dónde está la llave?", "es"),
        ("钥匙在哪里？", "zh"),
        ("鍵はどこですか", "ja"),
        ("", "en"),
        ("12345", "en"),
        ("Kubernetes", "en"),
    ],
)
def test_an_answer_is_in_the_language_of_the_message(message: str, language: str) -> None:
    assert language_of(message) == language


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("thanks!", "You're welcome."),
        ("Danke schön", "Gern geschehen."),
        ("merci beaucoup", "Avec plaisir."),
        ("gracias", "De nada."),
        ("谢谢", "不客气。"),
        ("ありがとう", "どういたしまして。"),
        ("bye!", "Goodbye!"),
        ("Gute Nacht", "Bis bald!"),
        ("au revoir", "À bientôt !"),
        ("hasta luego", "¡Hasta pronto!"),
        ("拜拜", "再见！"),
        ("おやすみ", "またどうぞ。"),
    ],
)
def test_small_talk_needs_no_tool(message: str, text: str) -> None:
    assert (step(message).text, step(message).calls) == (text, ())


def test_a_tool_that_is_not_offered_is_never_called() -> None:
    tried = [case for case in cases() if case.half == "a"]
    failed = Failures(len(tried))
    for case in tried:
        with failed.of(case.text):
            wanted = {name for name, _ in step(case.text).calls}
            for tools in (frozenset(), TOOLS - wanted):
                assert not {name for name, _ in step(case.text, tools=tools).calls} - tools
                assert step(case.text, tools=frozenset()).text
    failed.show()


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES)).map(" ".join)))
def test_any_message_gives_the_same_step_again_and_nothing_raises(message: str) -> None:
    first = step(message)
    assert first == step(message)
    assert bool(first.text) != bool(first.calls)
    assert {name for name, _ in first.calls} <= TOOLS
    refused = [
        Result(name, fields, {"message": "No."}, failed=True) for name, fields in first.calls
    ]
    later = step(message, *refused)
    assert later.text or not {repr(call) for call in later.calls} & {
        repr(call) for call in first.calls
    }


@pytest.mark.parametrize(
    "piece", ["add a to ", "what due ", "put to the list ", "を", "> ", "“", "\n", "write a "]
)
def test_a_message_of_the_greatest_length_is_read_only_at_its_beginning(piece: str) -> None:
    message = (piece * 32_000)[:32_000]
    assert (
        routing.route_message(message).intent
        == routing.route_message(message[: routing.READ]).intent
    )


def test_what_a_note_is_to_hold_is_taken_whole() -> None:
    text = "first line\n\n" + "word " * 5_000 + "end"
    ((tool, fields),) = step(f"note: {text}").calls
    assert (tool, fields["title"], fields["content"]) == ("create_note", "first line", text)


def test_a_todo_is_completed_when_only_one_fits() -> None:
    message = "mark buying milk as done"
    ((tool, fields),) = step(message).calls
    assert (tool, fields["completed"]) == ("search_todos", False)
    rows = [
        {"id": 3, "title": "Buy milk", "dueDate": None, "completed": False},
        {"id": 4, "title": "Buy milk jug", "dueDate": None, "completed": False},
    ]
    one = given_by("search_todos", {"todos": rows[:1], "total": 1})
    assert [(name, fields["id"]) for name, fields in step(message, one).calls] == [
        ("complete_todo", 3)
    ]
    several = given_by("search_todos", {"todos": rows, "total": 2})
    both = last_step(message, *NOTHING, several, given_by("grep_notes", {"results": []}))
    assert "Buy milk jug" in both.text
    nothing = given_by("search_todos", {"todos": [], "total": 0})
    # Each word is searched for by itself before nothing is said to fit.
    again = step(message, nothing).calls
    assert {fields["q"] for _, fields in again} == {"buy", "milk"}
    none = last_step(message, nothing, *NOTHING, given_by("grep_notes", {"results": []}))
    assert none.text == phrase("en", "none_fits", words="buying milk")


def test_a_line_is_added_to_a_list_as_one_of_its_items() -> None:
    message = "add eggs to the shopping list note"
    read = given_by(
        "get_note_content",
        {
            "note": {
                "id": 1,
                "title": "Shopping list",
                "markdown": "- [ ] milk\n- [x] bread\n",
                "revision": 7,
            }
        },
    )
    ((tool, fields),) = step(message, found("Shopping list", "Shop"), read).calls
    assert (tool, fields) == (
        "edit_note",
        {"noteId": 1, "content": "- [ ] milk\n- [x] bread\n- [ ] eggs\n", "ifRevision": 7},
    )


@pytest.mark.parametrize(
    "titles", [(), ("Lists of shopping lists", "My shopping list"), ("Other",)]
)
def test_a_note_is_changed_only_when_one_fits(titles: tuple[str, ...]) -> None:
    no_heading = given_by("grep_notes", {"results": []})
    answer = last_step("add eggs to the shopping list note", found(*titles), *NOTHING, no_heading)
    assert answer.text


async def told(client: Client, message: str) -> str:
    body = await client.ok("POST", "/chat", json={"message": message, "stream": False})
    return str(body["response"])


@pytest.mark.anyio
async def test_todos_are_added_listed_and_completed_by_chat(alice: Client) -> None:
    assert "Call mum" in await told(alice, "remind me to Call mum tomorrow at 5pm")
    assert "Call mum" in await told(alice, "todos due tomorrow")
    assert "Call mum" in await told(alice, "I finished calling mum")
    assert await told(alice, "list my todos") == "No todos there."
    rows = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert [(row["title"], row["completed"], row["dueDate"]) for row in rows] == [
        ("Call mum", True, "2026-11-22T17:00:00.000Z")
    ]


@pytest.mark.anyio
async def test_notes_are_written_moved_pinned_and_summed_up_by_chat(alice: Client) -> None:
    travel = await alice.folder("Travel")
    await told(alice, "make a note titled “Packing list”: socks, lamp")
    await told(alice, "add rain jacket to the packing list note")
    await told(alice, "move the note Packing list to the folder Travel")
    await told(alice, "pin packing list")
    (row,) = (await alice.ok("GET", "/os/notes", params={"recursive": True}))["notes"]
    assert (row["title"], row["folderId"], row["pinned"]) == ("Packing list", travel, True)
    assert "rain jacket" in await told(alice, "summarise the folder Travel")
    assert "socks, lamp" in await told(alice, "sum up packing list")
    assert "Packing list" in await told(alice, "what does my day look like?")
    assert "Travel (1)" in await told(alice, "list my folders")


@pytest.mark.anyio
async def test_a_zone_of_the_request_says_what_tomorrow_is(alice: Client) -> None:
    body = {"message": "todo: tea tomorrow", "stream": False, "userTimezone": "Pacific/Kiritimati"}
    await alice.ok("POST", "/chat", json=body)
    assert (await alice.ok("GET", "/os/todos"))["result"]["todos"][0]["dueDate"] == "2026-11-22"


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("todo: pay 2026-04-31 at 10:00", "2026-04-31"),
        ("todo: pay rent on Feb 30", "Feb 30"),
        ("what is due on 2026-02-30?", "2026-02-30"),
        ("Aufgabe: Miete am 31. April zahlen", "31. April"),
    ],
)
def test_a_day_that_does_not_exist_is_asked_about_and_nothing_is_done(
    message: str, day: str
) -> None:
    asked = step(message)
    assert asked.calls == ()
    assert day in asked.text
