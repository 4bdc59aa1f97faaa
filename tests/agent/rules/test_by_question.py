"""The clause of a message that asks something, where the whole came to nothing."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules import by_question
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
NOTHING = Step("nothing", empty=True)


def answered(message: str, language: str = "en", intent: str = "ask", step: Step = NOTHING) -> str:
    def answer(part: Asked) -> Step:
        return Step(f"of: {part.message}")

    asked = Asked(message, (), frozenset(), NOW)
    return by_question.answer(asked, Route(intent, language, {}), step, answer).text


@pytest.mark.parametrize(
    ("language", "message", "clause"),
    [
        ("en", "what a day. where did I put the keys?", "where did I put the keys?"),
        ("es", "da igual. cómo se llamaba el hotel?", "cómo se llamaba el hotel?"),
        ("fr", "il fait froid, dis-moi combien coûte le bois", "dis-moi combien coûte le bois"),
    ],
)
def test_the_clause_that_asks_is_answered(language: str, message: str, clause: str) -> None:
    assert answered(message, language) == f"of: {clause}"


def test_what_is_answered_or_asks_nothing_stays_as_it_is() -> None:
    assert answered("what a day. where are the keys?", step=Step("on the hook")) == "on the hook"
    assert answered("a long day, my back hurts") == "nothing"
    assert answered("where did I put the keys?") == "nothing"


def test_a_clause_that_asks_changes_nothing() -> None:
    def change(_: Asked) -> Step:
        return Step(calls=(("create_todo", {"title": "keys"}),))

    asked = Asked("what a day. where did I put the keys?", (), frozenset(), NOW)
    assert by_question.answer(asked, Route("ask", "en", {}), NOTHING, change) is NOTHING
