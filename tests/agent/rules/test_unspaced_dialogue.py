"""Conversations in languages that part no words by spaces."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from app.agent.rules import verb_first
from app.agent.rules.answers import list_filters
from app.agent.rules.changes import clauses, new_notes, plain_tasks
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import continued, dialogue_words, references, repairs, slots, that_day
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace
from tests.support.looks import looked_at

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MILK, WATER, POWER = (
    Thing("todo", number, title) for number, title in enumerate(("买牛奶", "交水费", "交电费"), 1)
)
ROWS = [
    {"id": one.id, "title": one.title, "completed": False, "dueDate": due}
    for one, due in ((MILK, None), (WATER, None), (POWER, "2026-11-20"))
]


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


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("嗯 把水费勾掉", "把水费勾掉"),
        ("好的，谢谢！把水费勾掉", "把水费勾掉"),
        ("再添一条 奶奶 羊毛袜", "再添一条 奶奶 羊毛袜"),
        ("不对 是水费", "不对 是水费"),
        ("算了 放回去", "算了 放回去"),
    ],
)
def test_words_that_only_begin_a_message_are_left_out(message: str, left: str) -> None:
    assert slots.without_opening(message, "zh") == left


@pytest.mark.parametrize(
    ("task", "tidy"),
    [
        ("事 周四下午三点开会", "周四下午三点开会"),
        ("下个月5号妈妈生日 提醒我订花", "下个月5号订花"),
        ("明天交作业 好烦", "明天交作业"),
        ("整理货架，优先级高，下周一", "整理货架，下周一，优先级高"),
        ("买胶带，买纸巾", "买胶带，买纸巾"),
    ],
)
def test_a_task_is_kept_without_what_only_asks_for_it(task: str, tidy: str) -> None:
    assert plain_tasks.tidied(asked(), task, "zh") == tidy


def test_several_chinese_todos_share_the_day_of_the_first() -> None:
    found = plain_tasks.split(asked(), "明天上午寄信、下午跟同事开会", "zh")
    assert found == ["明天上午寄信", "明天下午跟同事开会"]
    assert not plain_tasks.split(asked(), "每周二晚上跑步，弄成每周重复的", "zh")


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("他交的是别人家的，我看错了，恢复回来", "undo"),
        ("再提前一天吧 周四要加班", "change_todo"),
        ("再提前一天吧 顺便把电费删掉", None),
    ],
)
def test_one_clause_goes_on_where_the_other_only_tells(message: str, intent: str | None) -> None:
    moved = Trace(
        intent="change_todo", language="zh", about=(WATER,), undo=(("edit_todo", {"id": 2}),)
    )
    found = clauses.go_on(asked(message, moved), "zh", continued.continue_from)
    assert (found.intent if found else None) == intent


def test_a_reminder_so_long_ahead_is_counted_from_the_day_that_was_told() -> None:
    told = asked("提前一个星期提醒我打电话", Trace(day="2026-12-14"))
    assert that_day.with_day(told, "zh").message == "2026-12-07提醒我打电话"
    unknown = asked("提前一个星期提醒我打电话")
    assert that_day.with_day(unknown, "zh").message == unknown.message


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "记个新笔记,叫 礼物,放教学里。小鹏:贴纸,安娜:谱夹",
            {"title": "礼物", "folder": "教学", "content": "小鹏:贴纸,安娜:谱夹"},
        ),
        (
            "帮我记条笔记 标题窑温 教学文件夹 素烧升到1000度",
            {"title": "窑温", "folder": "教学", "content": "素烧升到1000度"},
        ),
        ("记一下 密码是 5521，放教学那个文件夹", {"folder": "教学", "content": "密码是 5521"}),
        ("记一下 密码是 5521", None),
        ("教学改到周三，记一下", None),
    ],
)
def test_a_note_is_read_part_by_part(message: str, told: dict[str, str] | None) -> None:
    found = new_notes.parted(Marked(message), [Thing("folder", 1, "教学")], "zh")
    meant = {name: found.get(name) for name in told} if found and told else None
    assert meant == told
    assert (found is None) == (told is None)


@pytest.mark.parametrize(
    ("message", "text"),
    [("名单里再加一个 小武：替补", "小武：替补"), ("那篇补上 备用钥匙", "备用钥匙")],
)
def test_what_follows_a_verb_of_adding_is_asked_into_the_note_spoken_of(
    message: str, text: str
) -> None:
    note = Trace(intent="ask", shown=(Thing("note", 7, "名册"),))
    said = looked_at(message, ROWS, NOW)
    told = Asked(message, said.results, said.tools, NOW, earlier=(note,))
    step = verb_first.offer(told, Route("ask", "zh", {}), Step("nothing", empty=True))
    assert step.text == f"你的意思是：把“{text}”加到笔记“名册”？"


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("水费我昨天在手机上转过去了", "把“交水费”标记为完成"),
        ("水费那个，唉，看来只能挪到下周三了我真服了", "把“交水费”改到下周三"),
        ("水费其实没那么要紧啊优先级3就够啦我说真的", "把“交水费”的优先级设为3"),
        ("水费可不能拖，改明天就交", "把“交水费”改到明天"),
        ("牛的奶还早着呢，挪到周五", "把“买牛奶”改到周五"),
        ("忙死了,水费和电费都往后挪,12月10号再说", "把“交水费, 交电费”改到12月10号"),
        ("水费那个别忘了 下周三去交", "把“交水费”改到下周三"),
        ("水费收得太晚了，能帮我改到下周四吗", "把“交水费”改到下周四"),
        ("过期的统统挪到周三", "把“交电费”改到周三"),
        ("水费周三涨价", ""),
        ("水费还没转过去", ""),
        ("水费转过去了吗", ""),
        ("水费别挪到周三", ""),
        ("昨天去了趟公园", ""),
    ],
)
def test_a_change_with_words_left_over_is_only_asked_about(message: str, asks: str) -> None:
    nothing = Step("nothing", empty=True)
    step = verb_first.offer(looked_at(message, ROWS, NOW), Route("ask", "zh", {}), nothing)
    assert (asks in step.text) if asks else step is nothing
    assert not step.calls
    assert bool(step.trace and step.trace.asks) == bool(asks)


def test_a_number_alone_after_a_turn_about_priorities_needs_no_word_for_them() -> None:
    before = Trace(intent="change_todo", language="zh", arguments={"priority": "4"}, about=(POWER,))
    told = looked_at("水费嘛, 给它 2", ROWS, NOW)
    told = msgspec.structs.replace(told, earlier=(before,))
    step = verb_first.offer(told, Route("ask", "zh", {}), Step("nothing", empty=True))
    assert step.trace is not None
    assert step.trace.asks is not None
    assert step.trace.asks.arguments["priority"] == "2"
