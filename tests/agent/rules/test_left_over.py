"""Changes of what a message names where other words are left over: asked about, never done."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.changes import left_over
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Step
from tests.support.looks import looked_at

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ROWS = [
    {"id": 1, "title": "Renew passport", "completed": False, "dueDate": "2026-12-14"},
    {"id": 2, "title": "Buy milk", "completed": False, "dueDate": "2026-11-23"},
    {"id": 3, "title": "Water the ficus", "completed": False, "dueDate": "2026-11-23"},
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
