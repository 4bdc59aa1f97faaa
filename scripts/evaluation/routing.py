"""How often the offline brain understands what is asked of it, on the labelled messages of
tests/evaluation/routing.jsonl.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from app.agent.rules import message_route, rules
from app.agent.turn.steps import Asked
from evaluation import Row, row

FILE = Path(__file__).parents[2] / "tests" / "evaluation" / "routing.jsonl"
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TOOLS = frozenset(
    {
        "search_notes",
        "get_note_content",
        "grep_notes",
        "list_notes",
        "list_folders",
        "list_conversations",
        "create_note",
        "edit_note",
        "move_note",
        "pin_note",
        "search_todos",
        "create_todo",
        "complete_todo",
        "delete_todo",
        "edit_todo",
        "get_todo",
        "trash_note",
        "replan_todos",
        "memory_search",
        "memory_write",
        "search_calendar_events",
        "list_network",
        "search_contact",
        "send_message_to_human",
        "contact_agent",
        "share_agent",
    }
)


class Case(NamedTuple):
    """One labelled message, and what it was taken for."""

    half: str
    language: str
    text: str
    wanted: str
    arguments: dict[str, Any]
    got: str
    given: dict[str, Any]

    @property
    def understood(self) -> bool:
        """Whether the intent is right."""
        return self.wanted == self.got

    @property
    def right(self) -> bool:
        """Whether the intent and every labelled argument are right."""
        return self.understood and all(
            _folded(self.given.get(name)) == _folded(value)
            for name, value in self.arguments.items()
        )


def evaluate() -> list[Row]:
    """Give the figures of both halves.

    Intents right, intents with all their arguments right, and the latter in English and in other
    languages.
    """
    every = cases()
    rows = []
    for half in ("a", "b"):
        mine = [case for case in every if case.half == half]
        rows += [
            row(half, "intent", (case.understood for case in mine)),
            row(half, "intent and arguments", (case.right for case in mine)),
            row(half, "both, English", (case.right for case in mine if case.language == "en")),
            row(
                half,
                "both, other languages",
                (case.right for case in mine if case.language != "en"),
            ),
        ]
    return rows


def misses() -> list[str]:
    """Give a line for each message that was taken otherwise."""
    return [
        f"{case.half} {case.text} → {case.got} {case.given} instead of {case.wanted} "
        f"{case.arguments}"
        for case in cases()
        if not case.right
    ]


def cases() -> list[Case]:
    """Read every labelled message."""
    return [_case(json.loads(line)) for line in FILE.read_text("utf-8").splitlines()]


def _case(row: dict[str, Any]) -> Case:
    asked = Asked(row["text"], (), TOOLS, NOW)
    found, step = message_route.understand(asked), rules.next_step(asked)
    called: dict[str, Any] = dict(step.calls[0][1]) if step.calls else {}
    named = {
        "due": str(called.get("dueDate", ""))[:10] or None,
        "priority": called.get("priorityMin"),
        "pinned": "unpin" not in found.arguments,
    }
    given = {
        **called,
        **named,
        **found.arguments,
        **({"priority": called["priorityMin"]} if "priorityMin" in called else {}),
    }
    if found.intent == "list_todos":
        given["completed"] = called.get("completed")
    if found.intent in ("make_note", "add_todo"):
        given["title"] = called.get("title")
    return Case(
        row["half"],
        row["language"],
        row["text"],
        row["intent"],
        row.get("arguments", {}),
        found.intent,
        given,
    )


def _folded(value: Any) -> Any:
    return value.casefold().strip() if isinstance(value, str) else value
