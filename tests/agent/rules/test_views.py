"""Requests to see something, in many wordings: what each is read as, and what is then shown."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.agent.rules import message_route, rules
from app.agent.rules.dialogue import dialogue_words, view_words
from app.agent.turn.steps import Asked, Result, Thing, Trace

WORDINGS = Path(__file__).parents[2] / "evaluation" / "views"
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
TOOLS = frozenset(
    "search_todos get_todo list_notes list_folders list_network search_notes list_escalations"
    " list_conversations search_calendar_events".split()
)


def asked(message: str, *earlier: Trace, results: tuple[Result, ...] = ()) -> Asked:
    return Asked(message, results, TOOLS, NOW, earlier=earlier)


def wordings() -> list[tuple[str, str, str]]:
    return [
        (path.stem, *line.split("\t"))  # type: ignore[misc]
        for path in sorted(WORDINGS.glob("*.tsv"))
        for line in path.read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "ja", "zh"])
def test_what_is_asked_for_does_not_hang_on_the_order_of_words(language: str) -> None:
    mine = [(intent, said) for code, intent, said in wordings() if code == language]
    assert len(mine) >= 40
    assert [(message_route.understand(asked(said)).intent, said) for _, said in mine] == mine


@pytest.mark.parametrize(
    ("language", "message", "first", "last"),
    [
        ("en", "what is due between Wednesday and Monday", "2026-11-25", "2026-12-01"),
        ("de", "was ist zwischen Mittwoch und Montag fällig", "2026-11-25", "2026-12-01"),
        ("fr", "ce qui tombe de mercredi à vendredi", "2026-11-25", "2026-11-28"),
        ("es", "desde el jueves hasta el lunes", "2026-11-26", "2026-12-01"),
        ("zh", "周三到下周一之间有哪些到期", "2026-11-25", "2026-12-01"),
        ("ja", "水曜から来週の月曜までのタスク", "2026-11-25", "2026-12-01"),
    ],
)
def test_days_from_one_to_another_are_one_stretch(
    language: str, message: str, first: str, last: str
) -> None:
    found = view_words.find_span(dialogue_words.bare(message), asked(message), language)
    assert found
    assert [f"{found[0].start:%Y-%m-%d}", f"{found[0].end:%Y-%m-%d}"] == [first, last]


def test_a_date_is_not_its_whole_month() -> None:
    found = dialogue_words.find_days("what is due 3 december", NOW)
    assert found
    assert f"{found[0].start:%m-%d} {found[0].end:%m-%d}" == "12-03 12-04"


TODO = {"id": 1, "title": "Buy milk", "dueDate": None, "priority": 0, "completedAt": None}


def test_an_unread_word_is_named_and_the_list_shown_without_it() -> None:
    message = "show my frobnicated todos"
    first = rules.next_step(asked(message))
    none = Result("search_todos", first.calls[0][1], {"todos": [], "total": 0}, failed=False)
    again = rules.next_step(asked(message, results=(none,)))
    assert "q" in first.calls[0][1]
    assert "q" not in again.calls[0][1]
    rows = Result("search_todos", again.calls[0][1], {"todos": [TODO], "total": 1}, failed=False)
    said = rules.next_step(asked(message, results=(none, rows))).text
    assert "frobnicated" in said
    assert "Buy milk" in said


LISTED = Trace(
    intent="list_todos",
    language="en",
    arguments={"text": "what is due tomorrow"},
    shown=(Thing("todo", 1, "Buy milk"), Thing("todo", 2, "Call Tom")),
)


def test_a_number_is_asked_of_the_list_before_and_then_of_all() -> None:
    route = message_route.understand(asked("how many is that?", LISTED))
    assert (route.intent, route.get("text")) == ("list_todos", "what is due tomorrow")
    counted = Trace(intent="list_todos", language="en", arguments=route.arguments)
    whole = message_route.understand(asked("and altogether?", counted))
    assert (whole.intent, whole.get("text").strip(), whole.get("counted")) == (
        "list_todos",
        "",
        "yes",
    )


def test_when_asks_of_what_was_shown_and_now_of_the_list_once_more() -> None:
    route = message_route.understand(asked("by when is that due?", LISTED))
    assert (route.intent, route.things) == ("todo_state", LISTED.shown)
    made = Trace(intent="add_todo", language="en", about=(Thing("todo", 3, "Buy varnish"),))
    again = message_route.understand(asked("and now?", made, LISTED))
    assert (again.intent, again.get("text")) == ("list_todos", "what is due tomorrow")


@pytest.mark.parametrize(
    "message",
    ["first one is done", "erledigt", "終わった", "两个都完成了", "give it a date, Saturday"],
)
def test_a_report_is_no_list(message: str) -> None:
    assert message_route.understand(asked(message, LISTED)).intent != "list_todos"
