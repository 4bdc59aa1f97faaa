"""A clause that wishes something by itself, in a message that came to nothing as a whole."""

from datetime import UTC, datetime

import pytest

from app.agent.rules import by_clause
from app.agent.rules.near import near
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, call_tool

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
NOTHING = Step("I found nothing.", empty=True)
BICYCLE = "the bicycle is fixed"


def acts(asked: Asked) -> Step:
    """Tick off the bicycle where nothing else is said."""
    return call_tool("complete_todo", todoId=1) if asked.message == BICYCLE else NOTHING


def looks(asked: Asked) -> Step:
    return call_tool("search_todos", q="bicycle") if asked.message == BICYCLE else NOTHING


def offered(message: str, *, tried: Step = NOTHING) -> Step:
    return by_clause.offer(
        Asked(message, (), frozenset(), NOW), Route("ask", "en", {}), tried, acts
    )


@pytest.mark.parametrize(
    "message", [f"{BICYCLE}, my hands are black", f"such a mess. {BICYCLE}. coffee now"]
)
def test_what_one_clause_would_do_is_asked_about(message: str) -> None:
    step = offered(message)
    assert not step.calls
    assert step.trace is not None
    assert step.trace.asks is not None
    assert (step.trace.asks.intent, step.trace.asks.arguments["plain"]) == (near.INTENT, BICYCLE)


@pytest.mark.parametrize(
    "message",
    [
        BICYCLE,
        f"{BICYCLE}, or is it?",
        f"he said “{BICYCLE}, at last”",
        f"tell Ben: great, {BICYCLE}, at last",
        f"a, bb, {BICYCLE}, cccc, dddd, eeee, ffff",
    ],
)
def test_no_clause_of_a_question_or_a_text_is_taken_for_the_wish(message: str) -> None:
    assert offered(message) is NOTHING


def test_what_came_to_something_is_not_parted() -> None:
    told = Step("2 todos")
    asked = Asked(f"{BICYCLE}, my hands are black", (), frozenset(), NOW)
    assert by_clause.offer(asked, Route("list_todos", "en", {}), told, acts) is told


def test_what_a_clause_needs_is_looked_up_unless_the_turn_must_end() -> None:
    asked = Asked(f"{BICYCLE}, my hands are black", (), frozenset(), NOW)
    assert by_clause.offer(asked, Route("ask", "en", {}), NOTHING, looks).calls
    last = Asked(asked.message, (), frozenset(), NOW, is_last=True)
    assert by_clause.offer(last, Route("ask", "en", {}), NOTHING, looks) is NOTHING
