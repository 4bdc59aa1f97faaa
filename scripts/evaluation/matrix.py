"""How often the matrix and the strategies are what a person would say, on the labelled days of
tests/evaluation/matrix.jsonl.
"""

import dataclasses
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from app.agent.briefing import briefing_facts, mail, strategies, summaries
from app.agent.calendar import free_time
from app.agent.priorities import quadrants
from app.agent.priorities.items import Item
from app.agent.priorities.quadrants import Scored
from evaluation import Row, row

FILE = Path(__file__).parents[2] / "tests" / "evaluation" / "matrix.jsonl"
ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 11, 24, 9, 0, tzinfo=UTC).astimezone(ZONE)
SUMMARY = {"email": "email", "todo": "todo", "calendar": "calendar", "note": "notes"}


@dataclasses.dataclass(frozen=True)
class Case:
    """One labelled item and what the rules made of it."""

    id: str
    half: str
    language: str
    quadrant: int
    scored: Scored


@dataclasses.dataclass(frozen=True)
class Day:
    """The items of one person's day with the strategies a person would choose, and those that
    the rules choose, best first.
    """

    half: str
    wanted: tuple[str, ...]
    chosen: tuple[str, ...]
    cases: tuple[Case, ...]


def evaluate() -> list[Row]:
    """Give the figures of both halves.

    Quadrants right, those of quadrant 1 found, right in other languages, strategies in common.
    """
    days = list(judged())
    rows: list[Row] = []
    for half in ("a", "b"):
        mine = [day for day in days if day.half == half]
        cases = [case for day in mine for case in day.cases]
        rows += [
            row(half, "quadrant", map(_is_right, cases)),
            row(
                half, "quadrant 1 found", (_is_right(case) for case in cases if case.quadrant == 1)
            ),
            row(
                half,
                "quadrant, not English",
                (_is_right(case) for case in cases if case.language != "en"),
            ),
            Row(
                half,
                "top strategies",
                sum(len(set(day.wanted) & set(day.chosen)) for day in mine),
                sum(len(day.wanted) for day in mine),
            ),
        ]
    return rows


def misses() -> list[str]:
    """Give a line for each item in another quadrant and each day with another strategy."""
    lines = []
    for day in judged():
        for case in day.cases:
            if case.quadrant != case.scored.quadrant:
                one = case.scored
                why = ", ".join(one.why)
                lines.append(
                    f"{case.id} q{case.quadrant} → q{one.quadrant} (urgency {one.urgency}, "
                    f"importance {one.importance}: {why}) {one.item.title}"
                )
        if set(day.wanted) != set(day.chosen):
            lines.append(
                f"{day.cases[0].id.partition('-')[0]} strategies {', '.join(day.wanted)} → "
                f"{', '.join(day.chosen)}"
            )
    return lines


def judged() -> Iterator[Day]:
    """Yield every labelled day as the rules see it, each item through the HTML of a briefing and
    back.
    """
    labelled = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    for day in (each for each in labelled if "top" in each):
        rows = [each for each in labelled if each["group"] == day["group"] and "id" in each]
        read = [
            quadrants.score_item(_read_back(item, row), NOW)
            for row, item in zip(rows, _items(rows), strict=True)
        ]
        cases = tuple(
            Case(row["id"], row["half"], row["language"], row["quadrant"], one)
            for row, one in zip(rows, read, strict=True)
        )
        chosen = tuple(one.kind for one in strategies.top_three(read, NOW))
        yield Day(day["half"], tuple(day["top"]), chosen, cases)


def _is_right(case: Case) -> bool:
    return case.quadrant == case.scored.quadrant


def _items(rows: list[dict[str, Any]]) -> list[Item | None]:
    """Give the item of each row that states facts, with the conflicts of the day.

    None for one that is plain text.
    """
    events = [
        free_time.CalendarEvent(**row["given"])
        for row in rows
        if row["source"] == "calendar" and "given" in row
    ]
    found = {
        (event.title, event.start): free_time.event_item(event)
        for event in free_time.events_of(events, ZONE)
    }
    return [_item(row, found) if "given" in row else None for row in rows]


def _item(row: dict[str, Any], events: dict[tuple[str, datetime], Item]) -> Item:
    given = row["given"]
    match row["source"]:
        case "calendar":
            return events[given["summary"], free_time.read_moment(given["start"], ZONE)[0]]
        case "email":
            email = {
                "needs_reply" if name == "needsReply" else name: value
                for name, value in given.items()
            }
            return mail.mail_items([mail.Email(**email)], ZONE)[0][0]
        case "todo":
            return briefing_facts.todo_item(
                0, given["title"], None, given["priority"], given.get("dueDate"), ZONE
            )
        case _:
            return briefing_facts.note_item(
                0, given["title"], given["text"], pinned=given["pinned"]
            )


def _read_back(item: Item | None, row: dict[str, Any]) -> Item:
    text = row["plain"] if item is None else f"<ul>{summaries.item_entry(item)}</ul>"
    return summaries.items_of({SUMMARY[row["source"]]: text}, ZONE)[0]
