"""Sentences beside a wish that say nothing, and what is told to be done, in Japanese."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules import message_route
from app.agent.rules.changes import chatter, reported
from app.agent.rules.near import near
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Result, Step

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TODOS = ("電気代を払う", "ガス代を払う", "新幹線の切符を取る", "猫の予防接種")
ROWS: dict[str, dict[str, Any]] = {
    "search_todos": {
        "todos": [
            {"id": at, "title": title, "completed": title == "猫の予防接種"}
            for at, title in enumerate(TODOS, 1)
        ]
    },
    "list_notes": {"notes": []},
    "list_folders": {"folders": []},
    "list_network": {"contacts": []},
}


def asked(message: str) -> Asked:
    return Asked(message, (), frozenset(ROWS), NOW)


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("電気代払ってきたー 寒かった", "電気代払ってきたー"),
        ("掃除終わった！良かった〜", "掃除終わった！"),
        ("フード、明後日にして。今日忙しくて", "フード、明後日にして。"),
        ("来週忙しいから歯医者ずらしたい", "歯医者ずらしたい"),
        ("うわ多いな、一番急ぎのだけ教えて", "一番急ぎのだけ教えて"),
    ],
)
def test_what_only_tells_a_feeling_or_a_reason_is_left_out(message: str, wish: str) -> None:
    assert chatter.without(asked(message), "ja", message_route.understand) == wish


@pytest.mark.parametrize(
    "message",
    [
        "電気代払った。ガス代も払った",
        "掃除もう限界。優先度いちばん上にして",
        "「贈り物」ってメモを作って。手袋、紅茶、画集",
        "リストに食パン入れといて、あと牛乳",
        "洗車入れといて。土曜の朝",
        "疲れた。眠い",
        "健太に伝えて。 木曜は無理って",
    ],
)
def test_what_may_be_part_of_the_wish_stays(message: str) -> None:
    assert chatter.without(asked(message), "ja", message_route.understand) == message


def test_no_sentence_is_left_out_where_spaces_part_words() -> None:
    message = "Pay the rent on Friday. It was cold."
    assert chatter.without(asked(message), "en", message_route.understand) == message


def _report(message: str) -> Step | Route | None:
    """Return the wish that a report comes to, or the step where it is only asked."""
    results = tuple(
        Result(tool, arguments, ROWS[tool], failed=False)
        for tool, arguments in near.looks(asked(message))
    )
    done: list[Route] = []

    def act(_: Asked, route: Route) -> Step:
        done.append(route)
        return Step("done")

    part = Asked(message, results, frozenset(ROWS), NOW)
    step = reported.report(part, "ja", act)
    return done[0] if done else step


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("電気代、払っといた", "電気代を払う"),
        ("さっきコンビニで電気代払ってきました", "電気代を払う"),
        ("切符、ネットで取れたよ〜", "新幹線の切符を取る"),
        ("切符は健太が取ってくれたから済み", "新幹線の切符を取る"),
    ],
)
def test_a_report_with_the_verb_of_one_open_todo_is_of_it(message: str, title: str) -> None:
    wish = _report(message)
    assert isinstance(wish, Route)
    assert (wish.intent, [one.title for one in wish.things]) == ("complete_todo", [title])


def test_a_report_with_another_verb_is_only_asked_about() -> None:
    step = _report("電気代はコンビニで払って帰ってきた")
    assert isinstance(step, Step)
    assert step.trace is not None
    assert step.trace.asks is not None


@pytest.mark.parametrize("message", ["予防接種打ってきた", "図書館に寄ってきた"])
def test_a_report_of_no_open_todo_is_none(message: str) -> None:
    assert _report(message) is None


@pytest.mark.parametrize(
    "message", ["電気代まだ払ってなかった", "電気代払った？", "電気代いつ払ったっけ", "電気代払う"]
)
def test_what_denies_asks_or_is_to_come_is_no_report(message: str) -> None:
    route = routing.route_message(message)
    assert not reported.may_report(asked(message), route, "ja")


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("図書館の本、水曜までに返さないとやばい", "図書館の本 水曜までに返すのを追加して"),
        ("面談が入ったから登録お願い", "面談を追加して"),
        ("銀行行くんだった", "銀行行くのを追加して"),
        ("切手買うの忘れそうだから書いといて", "切手買うのを追加して"),
        ("電話しなきゃ、お母さんに", "お母さんに電話するのを追加して"),
        ("そろそろ年賀状書かないとな〜", "年賀状書くのを追加して"),
    ],
)
def test_what_is_to_be_done_is_told_as_duty_or_news(message: str, plain: str) -> None:
    assert wording.plain_wording(message, "ja") == plain


def test_a_question_about_a_duty_is_none() -> None:
    assert "追加" not in wording.plain_wording("何を買わなきゃいけないんだっけ", "ja")


@pytest.mark.parametrize(
    ("reason", "wish", "has"),
    [
        ("猫砂は重い", "土曜にする", True),
        ("猫砂は重い", "パンを土曜にする", False),
        ("明日は忙しい", "土曜にする", False),
        ("雨", "土曜にする", False),
    ],
)
def test_a_reason_says_what_its_wish_is_about(reason: str, wish: str, has: bool) -> None:
    assert chatter.has_topic(asked(f"{reason}から{wish}"), reason, wish, "ja") is has
