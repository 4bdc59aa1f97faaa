"""Strategies: the three things to do first, by the rules, and as a model may put them."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.briefing import rewriting, strategies
from app.agent.priorities import quadrants
from app.agent.priorities.items import Item
from app.core.rewriter import Draft, Rewriting
from app.errors import Unavailable
from evaluation.matrix import NOW
from tests.agent.briefing.test_eisenhower_matrix import FIELDS, ITEMS
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio
DAY = {
    "todoSummary": '<li data-title="Send the invoice" data-due="2026-11-19">x</li><li '
    'data-title="Water the plants" data-due="2026-11-21">y</li>',
    "emailAttentionSummary": '<ul><li data-title="The client asks for the contract by noon" '
    'data-reply="1">x</li></ul>',
    "notesSummary": "<ul><li>Plan for a new pension</li></ul>",
}
FIRST = {
    "priority": 1,
    "title": "Reply to 1 message: “The client asks for the contract by noon”",
    "urgencyLevel": "critical",
    "category": "communication",
    "description": "Start with “The client asks for the contract by noon”.",
}


async def named(client: Client, **body: Any) -> list[dict[str, Any]]:
    answer = await client.ok("POST", "/briefing/strategies", json=body)
    assert set(answer) == {"success", "strategies", "generatedAt"}
    assert [one["priority"] for one in answer["strategies"]] == [
        *range(1, len(answer["strategies"]) + 1)
    ]
    found: list[dict[str, Any]] = answer["strategies"]
    return found


async def test_the_three_that_matter_most_are_named_with_what_they_are_about(alice: Client) -> None:
    found = await named(alice, **DAY)
    assert found[0] == FIRST
    assert [(one["title"], one["category"]) for one in found[1:]] == [
        ("Clear 1 overdue todo: “Send the invoice”", "action"),
        ("Finish 1 todo due today: “Water the plants”", "action"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {},
        dict.fromkeys(FIELDS.values(), ""),
        dict.fromkeys(FIELDS.values()),
        {"notesSummary": "No notes."},
    ],
)
async def test_nothing_gives_no_strategy(alice: Client, body: dict[str, Any]) -> None:
    assert await named(alice, **body) == []


@pytest.mark.parametrize(
    ("body", "title", "category", "level"),
    [
        (
            {"todoSummary": "<ul><li>Pay the rent, overdue since Friday</li></ul>"},
            "Clear 1 overdue todo: “Pay the rent, overdue since Friday”",
            "action",
            "critical",
        ),
        (
            {"calendarSummary": "<li data-due='2026-11-21T11:00' data-conflict=1>Board</li>"},
            "Resolve the calendar conflict of “Board”",
            "planning",
            "critical",
        ),
        (
            {"emailAttentionSummary": "Do you have the contract?"},
            "Reply to 1 message: “Do you have the contract?”",
            "communication",
            "low",
        ),
        (
            {"todoSummary": "File the tax return today"},
            "Finish 1 todo due today: “File the tax return today”",
            "action",
            "critical",
        ),
        (
            {"notesSummary": "The client gets the report by tomorrow"},
            "Handle what cannot wait: “The client gets the report by tomorrow”",
            "action",
            "high",
        ),
        (
            {"statusQuoSummary": "Production outage, customers cannot pay"},
            "Handle what cannot wait: “Production outage, customers cannot pay”",
            "risk",
            "medium",
        ),
        (
            {"notesSummary": "Plan for a new pension"},
            "Protect time for “Plan for a new pension”",
            "planning",
            "low",
        ),
        (
            {"notesSummary": "\n".join(f"- Song number {number}" for number in range(5))},
            "Drop or delegate the rest, “Song number 0” first",
            "review",
            "low",
        ),
    ],
)
async def test_each_cluster_has_its_strategy(
    alice: Client, body: dict[str, Any], title: str, category: str, level: str
) -> None:
    found, *_ = await named(alice, **body)
    assert (found["title"], found["category"], found["urgencyLevel"]) == (title, category, level)


async def test_four_things_that_may_be_dropped_are_no_strategy_yet(alice: Client) -> None:
    assert (
        await named(alice, notesSummary="\n".join(f"- Song number {number}" for number in range(4)))
        == []
    )


LATE = Item(
    source="todo",
    title="Send the report",
    day=NOW.date() - timedelta(days=3),
    priority=0.8,
    id="late",
)


async def test_all_that_is_late_with_the_top_priority_is_named_whatever_else_there_is(
    alice: Client,
) -> None:
    late = [
        f'<li data-title="Matter {number}" data-due="2026-11-20" data-priority="1">x</li>'
        for number in range(5)
    ]
    rest = [
        f'<li data-title="Older {number}" data-due="2026-10-0{number + 1}">x</li>'
        for number in range(5)
    ]
    found = await named(alice, **{**DAY, "todoSummary": f"<ul>{''.join(rest + late)}</ul>"})
    told = next(one for one in found if one["title"].startswith("Clear 10 overdue todos"))
    assert told["title"] == "Clear 10 overdue todos, “Matter 0” first"
    assert all(f"“Matter {number}”" in told["description"] for number in range(5))


@given(st.lists(ITEMS, max_size=15), st.randoms(use_true_random=False))
def test_the_order_of_things_changes_no_strategy(items: list[Item], random: Any) -> None:
    found = [quadrants.score_item(item, NOW) for item in items]
    assert strategies.top_three(found, NOW) == strategies.top_three(
        random.sample(found, len(found)), NOW
    )


@given(st.lists(ITEMS, max_size=15))
def test_one_more_overdue_todo_never_lowers_the_rank_of_clearing_them_nor_the_order_of_the_others(
    items: list[Item],
) -> None:
    before = [
        one.kind
        for one in strategies.top_three([quadrants.score_item(item, NOW) for item in items], NOW)
    ]
    after = [
        one.kind
        for one in strategies.top_three(
            [quadrants.score_item(item, NOW) for item in [*items, LATE]], NOW
        )
    ]
    assert "overdue" not in before or after.index("overdue") <= before.index("overdue")
    stayed = [kind for kind in before if kind in after and kind != "overdue"]
    assert [kind for kind in after if kind in stayed] == stayed


class Scripted:
    """A model that says what it was told to say."""

    def __init__(self, answer: Any, tokens: int = 42) -> None:
        self.answer, self.tokens, self.asked = answer, tokens, []  # type: ignore[var-annotated]

    async def rewrite(self, draft: Draft) -> Rewriting:
        self.asked.append(draft)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is None:
            await asyncio.Event().wait()
        return Rewriting(
            self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode(),
            self.tokens,
        )


async def test_a_model_may_say_it_better_and_put_it_in_another_order(
    alice: Client, served: Served
) -> None:
    pieces = [
        {
            "id": "today",
            "title": " Water\nthem ",
            "text": "Now.",
            "urgencyLevel": "P0",
            "category": "scheduling",
        },
        {"id": "replies", "urgencyLevel": "galactic", "category": "vibes"},
        {"id": "today", "title": "Again"},
        {"id": "invented", "title": "Wire money to me"},
    ]
    served.parts.rewriter = model = Scripted({"pieces": pieces})
    found = await named(alice, **DAY)
    assert found[0] == {
        "priority": 1,
        "title": "Water them",
        "description": "Now.",
        "urgencyLevel": "critical",
        "category": "planning",
    }
    assert found[1] == {**FIRST, "priority": 2, "urgencyLevel": "medium", "category": "action"}
    assert found[2]["title"] == "Clear 1 overdue todo: “Send the invoice”"
    assert len(found) == 3
    (draft,) = model.asked
    assert (draft.purpose, draft.locale, [piece.id for piece in draft.pieces]) == (
        "strategies",
        "en",
        ["replies", "overdue", "today"],
    )


@pytest.mark.parametrize(
    "answer",
    [
        Unavailable("The model does not answer."),
        TimeoutError(),
        b"",
        b"\xff\xfe",
        b"I am sorry",
        {},
        [],
        {"pieces": "x"},
        {"pieces": [{"title": "x"}]},
        {"pieces": [{"id": 3}]},
        b"[" * 100_000,
        {"pieces": []},
        {"pieces": [{"id": "nobody", "title": "x"}]},
    ],
    ids=str,
)
async def test_a_model_that_fails_or_says_something_else_changes_nothing(
    alice: Client, served: Served, answer: Any
) -> None:
    before = await named(alice, **DAY)
    served.parts.rewriter = Scripted(answer)
    assert await named(alice, **DAY) == before


async def test_a_model_that_never_answers_is_given_up(
    alice: Client, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewriting, "BUDGET_SECONDS", 0.01)
    served.parts.rewriter = Scripted(None)
    assert (await named(alice, **DAY))[0] == FIRST


async def test_a_model_is_not_asked_about_nothing(alice: Client, served: Served) -> None:
    served.parts.rewriter = model = Scripted({"pieces": []})
    assert await named(alice) == []
    assert model.asked == []


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("CRITICAL", "critical"),
        ("asap", "critical"),
        ("Very High", "high"),
        ("med", "medium"),
        ("P4", "low"),
        ("dringend", "critical"),
        ("", "medium"),
        ("purple", "medium"),
    ],
)
def test_a_word_for_urgency_is_normalised(word: str, level: str) -> None:
    assert rewriting.urgency_level(word) == level


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("Follow-up", "communication"),
        ("e mail", "communication"),
        ("scheduling", "planning"),
        ("Decision", "review"),
        ("security", "risk"),
        ("", "action"),
        ("love", "action"),
    ],
)
def test_a_word_for_a_category_is_normalised(word: str, category: str) -> None:
    assert rewriting.category_of(word) == category
