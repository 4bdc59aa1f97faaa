"""Changes of what a message names where other words are left over: asked about, never done."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest

from app.agent.rules import which_one
from app.agent.rules.changes import left_over, told
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Question, Step, Thing, Trace
from tests.support.looks import looked_at

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ROWS = [
    {"id": 1, "title": "Renew passport", "completed": False, "dueDate": "2026-12-14"},
    {"id": 2, "title": "Buy milk", "completed": False, "dueDate": "2026-11-23"},
    {"id": 3, "title": "Water the ficus", "completed": False, "dueDate": "2026-11-23"},
    {"id": 4, "title": "Invoice Ann", "completed": False, "dueDate": "2026-11-19"},
]


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("about the passport, friday's full. saturday?", "move “Renew passport” to saturday"),
        ("the milk, no time for that... wednesday then", "move “Buy milk” to wednesday"),
        ("the milk and the ficus, both on thursday please", "move “Buy milk, Water the ficus” to"),
        (
            "I'm ill, everything due today goes to thursday",
            "move “Buy milk, Water the ficus” to thursday",
        ),
        (
            "the passport should really be done friday, priority 5",
            "set the priority of “Renew passport” to 5, move “Renew passport” to friday",
        ),
        ("the milk isn't that urgent, 2 is plenty", "set the priority of “Buy milk” to 2"),
        ("everything overdue to thursday please", "move “Invoice Ann” to thursday"),
        ("just invoiced her, tick that off", "mark “Invoice Ann” as done"),
        ("i must water the roof garden by friday", ""),
        ("the passport office was lovely on friday, wasn't it?", ""),
        ("the milk was off last friday", ""),
        ("why is the passport due on friday", ""),
        ("the ferry leaves on friday", ""),
    ],
)
def test_a_change_with_words_left_over_is_only_asked_about(message: str, asks: str) -> None:
    nothing = Step("nothing", empty=True)
    step = left_over.offer(looked_at(message, ROWS, NOW), Route("ask", "en", {}), nothing)
    assert (asks in step.text) if asks else step is nothing
    assert not step.calls
    assert bool(step.trace and step.trace.asks) == bool(asks)


MILK, ANN = Thing("todo", 2, "Buy milk"), Thing("todo", 4, "Invoice Ann")


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("the overdue one", "Do you mean: mark “Invoice Ann” as done?"),
        ("the one for today", "Do you mean: mark “Buy milk” as done?"),
        ("the one for friday", ""),
        ("no idea", ""),
    ],
)
def test_the_one_of_several_is_told_by_its_day(message: str, asks: str) -> None:
    question = Question("complete_todo", {"words": "it"}, choices=(MILK, ANN))
    before = Trace(language="en", asks=question)
    asked = msgspec.structs.replace(looked_at(message, ROWS, NOW), earlier=(before,))
    assert which_one.ask(asked, "en").text == asks


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("oh and that is done already, did it over lunch", "mark “Buy milk” as done"),
        ("oh and that is not done yet", ""),
    ],
)
def test_that_is_what_the_turn_before_changed(message: str, asks: str) -> None:
    before = Trace(language="en", intent="change_todo", about=(MILK,), undo=(("edit_todo", {}),))
    asked = msgspec.structs.replace(looked_at(message, ROWS, NOW), earlier=(before,))
    step = told.ask(asked, "en")
    assert (step is not None and asks in step.text) if asks else step is None
