"""How often quick add reads a line as a person means it, on the labelled lines of
tests/evaluation/quickadd.jsonl.
"""

import functools
import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from app.agent.quickadd import quickadd
from evaluation import Row, row

FILE = Path(__file__).parents[2] / "tests" / "evaluation" / "quickadd.jsonl"
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
"""The moment that every labelled line is read at: a Wednesday."""


class Reading(NamedTuple):
    """What a line comes to: its title, due date to the minute of the wall, rule and priority."""

    title: str
    due: str | None
    rule: str | None
    priority: int


class Case(NamedTuple):
    """One labelled line, and how it was read."""

    half: str
    language: str
    trap: bool
    text: str
    wanted: Reading
    got: Reading

    @property
    def right(self) -> bool:
        """Whether all four came out as wanted."""
        return self.wanted == self.got


def evaluate() -> list[Row]:
    """Give the figures of both halves.

    Lines right in everything, due dates right, traps left without a date, and each language.
    """
    every = cases()
    rows = []
    for half in ("a", "b"):
        mine = [case for case in every if case.half == half]
        traps = [case for case in mine if case.trap]
        dated = [case for case in mine if not case.trap]
        rows += [
            row(half, "all four right", (case.right for case in mine)),
            row(half, "due right", (case.got.due == case.wanted.due for case in dated)),
            row(half, "traps without a date", (case.got.due is None for case in traps)),
            *(
                row(
                    half,
                    f"all four, {language}",
                    (case.right for case in mine if case.language == language),
                )
                for language in dict.fromkeys(case.language for case in mine)
            ),
        ]
    return rows


def misses() -> list[str]:
    """Give a line for each line that was read otherwise."""
    return [
        f"{case.half} {case.language} {case.text} → {tuple(case.got)} instead of "
        f"{tuple(case.wanted)}"
        for case in cases()
        if not case.right
    ]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Read every labelled line."""
    return tuple(map(_case, _rows()))


def texts() -> list[str]:
    """Return every labelled line as it was typed."""
    return [row["text"] for row in _rows()]


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


def _case(row: dict[str, Any]) -> Case:
    wanted = Reading(row["title"], row.get("due"), row.get("rule"), row.get("priority", 0))
    read = quickadd.read_line(row["text"], now=NOW, locale=row.get("locale"))
    due = read.due_date[:16] if read.due_date else None
    got = Reading(read.title, due, read.recurrence.rule if read.recurrence else None, read.priority)
    return Case(row["half"], row["language"], row.get("trap", False), row["text"], wanted, got)
