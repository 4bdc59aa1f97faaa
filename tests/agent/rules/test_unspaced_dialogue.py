"""Conversations in languages that part no words by spaces."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.answers import list_filters
from app.agent.rules.dialogue import dialogue_words, references, repairs
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, Trace

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MILK, WATER, POWER = (
    Thing("todo", number, title) for number, title in enumerate(("买牛奶", "交水费", "交电费"), 1)
)


def asked(message: str = "", *earlier: Trace) -> Asked:
    return Asked(message, (), frozenset(), NOW, earlier=earlier)


@pytest.mark.parametrize(
    ("language", "words", "meant"),
    [
        ("zh", "第二个", [WATER]),
        ("zh", "第2个", [WATER]),
        ("zh", "最后一个", [POWER]),
        ("zh", "牛奶那个", [MILK]),
        ("zh", "全部", [MILK, WATER, POWER]),
        ("ja", "二つ目", [WATER]),
        ("ja", "3番目のタスク", [POWER]),
        ("ja", "最後のやつ", [POWER]),
    ],
)
def test_words_mean_what_was_listed_last(language: str, words: str, meant: list[Thing]) -> None:
    listed = Trace(shown=(MILK, WATER, POWER))
    found = references.refer(asked(words, listed), words, ("todo",), language)
    assert found is not None
    assert list(found.things) == meant


def test_a_single_letter_of_a_name_is_no_word_of_it() -> None:
    listed = Trace(shown=(MILK, WATER, POWER))
    assert references.refer(asked("奶", listed), "奶", ("todo",), "zh") is None


@pytest.mark.parametrize(
    ("language", "message", "meant"),
    [
        ("zh", "提醒我周一给汤姆打电话，不对，是周二", "提醒我 周二 给汤姆打电话"),
        ("zh", "添加任务买黄油，算了，不用加了", None),
        ("zh", "提醒我买牛奶，不买面包", "提醒我买牛奶，不买面包"),
        (
            "ja",
            "月曜日に健に電話するのをリマインドして、いや、火曜日",
            "火曜日 健に電話するのをリマインドして",
        ),
        ("ja", "バターを買うを追加して、やっぱりやめて", None),
    ],
)
def test_what_is_taken_back_is_not_meant(language: str, message: str, meant: str | None) -> None:
    repaired = repairs.repair(asked(message), message, language)
    assert (None if repaired.takes_back else repaired.message) == meant


@pytest.mark.parametrize(
    ("language", "text", "fields"),
    [
        ("zh", "下周五到期的待办", {"dueFrom": "2026-12-04", "dueTo": "2026-12-04"}),
        ("zh", "下周有什么任务", {"dueFrom": "2026-11-30", "dueTo": "2026-12-06"}),
        ("zh", "12月3日之前的待办", {"dueTo": "2026-12-02"}),
        ("zh", "十二月有哪些待办", {"dueFrom": "2026-12-01", "dueTo": "2026-12-31"}),
        ("zh", "未完成的待办", {}),
        ("zh", "跟李强有关的待办", {"q": "李强"}),
        ("ja", "12月が期限のタスクは", {"dueFrom": "2026-12-01", "dueTo": "2026-12-31"}),
        ("ja", "金曜日より前のタスク", {"dueTo": "2026-11-26"}),
        ("ja", "3日以内のタスク", {"dueFrom": "2026-11-23", "dueTo": "2026-11-25"}),
        ("ja", "重要なタスクを見せて", {"priorityMin": 4}),
        ("ja", "完了したタスクを見せて", {"completed": True}),
    ],
)
def test_a_list_is_narrowed_by_days_state_and_words(
    language: str, text: str, fields: dict[str, Any]
) -> None:
    route = Route("list_todos", language, {})
    assert list_filters.read_filters(asked(text), route, text).fields == fields


@pytest.mark.parametrize(
    "message",
    [
        "买牛奶完成了吗？",
        "交电费完成了？",
        "每天几点起床比较好",
        "记得我说过的话吗",
        "删除所有待办",
        "为什么要把看牙医改到周四？",
        "牛乳を買うは終わった？",
        "牛乳を買うを完了にしないで",
        "すべてのタスクを削除して",
        "なぜ歯医者の予約を木曜日に変更したの？",
    ],
)
def test_what_is_asked_or_refused_changes_nothing(message: str) -> None:
    found = routing.route_message(message).intent
    assert found in ("ask", "recall", "leave", "one_by_one", "list_todos", "todo_state"), found


def test_japanese_without_kana_is_known_by_its_signs() -> None:
    assert phrases.language_of("今何時") == "ja"
    assert phrases.language_of("今天星期几") == "zh"
    assert not phrases.is_known("完了", "zh")
    assert phrases.is_known("给我看看这周的任务", "zh")


@pytest.mark.parametrize(
    ("text", "folded", "written"),
    [
        ("No, make it Café Noir", "cafe noir", "Café Noir"),
        ("改成周三吧", "周三", "周三"),
        ("やっぱり水曜日にして", "水曜日", "水曜日"),
        ("and On  Friday", "on friday", "On  Friday"),
    ],
)
def test_a_part_of_a_message_is_found_as_it_was_written(
    text: str, folded: str, written: str
) -> None:
    assert dialogue_words.as_written(text, folded) == written


def test_a_list_in_one_line_is_parted() -> None:
    assert dialogue_words.split_list("洗衣液和纸巾、盐", "zh") == ["洗衣液", "纸巾", "盐"]
    assert dialogue_words.split_list("洗剤とティッシュ", "ja") == ["洗剤", "ティッシュ"]
    assert dialogue_words.split_list("ひとつ", "ja") == ["ひとつ"]
