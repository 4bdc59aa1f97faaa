"""What is said outright is done at once, and what only sounds like it is asked about."""

from typing import Any

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk


async def folders(client: Client) -> set[str]:
    return {one["name"] for one in (await client.ok("GET", "/os/folders"))["folders"]}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "name", "undo"),
    [
        ("fais-moi un dossier Marchés", "Marchés", "annule"),
        ("新建个文件夹叫菜谱", "菜谱", "撤销"),
        ("make a folder called Recipes", "Recipes", "undo"),
    ],
)
async def test_a_folder_that_is_made_is_taken_back(
    alice: Client, message: str, name: str, undo: str
) -> None:
    say = Talk(alice).say
    first = await say(message)
    assert name in await folders(alice)
    assert await say(message) != first, "that it is there already is another answer"
    say = Talk(alice).say
    await say(message.replace(name, f"{name}2"))
    await say(undo)
    assert f"{name}2" not in await folders(alice)


@pytest.mark.anyio
async def test_a_folder_that_has_got_something_since_is_left(alice: Client) -> None:
    say = Talk(alice).say
    await say("make a folder called Recipes")
    fields = {"title": "Soup", "content": "Leeks.", "folderName": "Recipes"}
    await alice.ok("POST", "/os/notes", status=201, json=fields)
    assert "changed since" in await say("undo")
    assert "Recipes" in await folders(alice)


@pytest.mark.anyio
async def test_what_was_just_put_there_does_not_keep_a_folder(alice: Client) -> None:
    where = await note(alice, "Soup", "Leeks.")
    say = Talk(alice).say
    await say("make a folder called Recipes and put the soup note in there")
    assert (await alice.ok("GET", where))["note"]["folder"]["name"] == "Recipes"
    await say("undo")
    assert "Recipes" not in await folders(alice)
    assert (await alice.ok("GET", where))["note"]["title"] == "Soup"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title", "text"),
    [
        (
            "crée une note Fête de Lison : gâteau, 8 enfants, ballons roses",
            "Fête de Lison",
            "gâteau, 8 enfants, ballons roses",
        ),
        ("新建一条笔记 年夜饭菜单:白切鸡、八宝饭、清蒸鲈鱼", "年夜饭菜单", "八宝饭"),
    ],
)
async def test_all_behind_the_name_of_a_new_note_is_its_text(
    alice: Client, message: str, title: str, text: str
) -> None:
    await Talk(alice).say(message)
    rows = (await alice.ok("GET", "/os/notes"))["notes"]
    assert [row["title"] for row in rows] == [title]
    assert text in await text_of(alice, f"/os/notes/{rows[0]['id']}")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            "remind me to ring the sweep tomorrow",
            "actually delete it again, gwen's dealing with him",
        ),
        ("erinner mich morgen an den Schornsteinfeger", "ach, lösch das wieder"),
        ("nueva tarea: felicitar a Toño el 2 de diciembre", "bah, bórrala, ya lo hace Marisa"),
    ],
)
async def test_what_was_just_made_is_deleted_again(alice: Client, made: str, message: str) -> None:
    say = Talk(alice).say
    await say(made)
    assert len(await todos(alice)) == 1
    await say(message)
    assert not await todos(alice)


@pytest.mark.anyio
async def test_what_was_there_before_is_not_deleted_on_so_few_words(alice: Client) -> None:
    await add(alice, "Ring the sweep")
    say = Talk(alice).say
    await say("is ring the sweep still open?")
    await say("what time is it?")
    await say("actually delete it again, Gwen is on it")
    assert "Ring the sweep" in await todos(alice)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message", "is_done"),
    [
        ("Paket zu Hermes bringen", "Paket ist schon weg übrigens, kannst abhaken", True),
        ("Paket zu Hermes bringen", "Paket ist schon weg übrigens", False),
        ("Paket zu Hermes bringen", "kann ich das Paket schon abhaken?", False),
    ],
)
async def test_who_asks_to_tick_need_not_say_the_whole_name(
    alice: Client, title: str, message: str, is_done: bool
) -> None:
    await add(alice, title)
    await Talk(alice).say(message)
    assert (await todos(alice))[title]["completed"] is is_done


@pytest.mark.anyio
async def test_undo_at_the_end_takes_back(alice: Client) -> None:
    await add(alice, "Change the tyres")
    say = Talk(alice).say
    await say("change the tyres is done")
    assert (await todos(alice))["Change the tyres"]["completed"]
    await say("argh no that's not till saturday, undo")
    assert not (await todos(alice))["Change the tyres"]["completed"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "answer"),
    [("周四谁去接豆豆", "外婆"), ("去维也纳的行李里写了充电器没", ""), ("周四谁负责送", "晓雯")],
)
async def test_a_question_without_its_mark_makes_nothing(
    alice: Client, message: str, answer: str
) -> None:
    rows = "| 星期 | 送 | 接 |\n|---|---|---|\n| 周三 | 大鹏 | 晓雯 |\n| 周四 | 晓雯 | 外婆 |\n"
    await note(alice, "豆豆接送表", rows)
    where = await note(alice, "维也纳行李清单", "- [ ] 护照\n- [ ] 厚袜子\n")
    told = await Talk(alice).say(message)
    assert answer in told
    assert not await todos(alice)
    assert await text_of(alice, where) == "- [ ] 护照\n- [ ] 厚袜子\n"


@pytest.mark.anyio
async def test_of_two_that_fit_alike_one_is_asked_for(alice: Client) -> None:
    await add(alice, "还图书馆的书", "把书还给Petra")
    say = Talk(alice).say
    told = await say("书还了 勾掉吧")
    assert "还图书馆的书" in told
    assert "把书还给Petra" in told
    assert not any(one["completed"] for one in (await todos(alice)).values())
    await say("图书馆的")
    assert (await todos(alice))["还图书馆的书"]["completed"]


@pytest.mark.anyio
async def test_a_day_is_not_written_over_by_who_is_on_that_day(alice: Client) -> None:
    rows = "| 星期 | 接 |\n|---|---|\n| 周四 | 外婆 |\n| 周五 | 大鹏 |\n"
    where = await note(alice, "豆豆接送表", rows)
    say = Talk(alice).say
    await say("周四谁去接豆豆")
    await say("周五改成我接")
    assert "周五" in await text_of(alice, where)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what priority is the shed hinge?", "priority 2"),
        ("how urgent is the shed hinge?", "priority 2"),
        ("what's the priority of the invoice?", "no priority"),
        ("how important is sleep?", ""),
    ],
)
async def test_the_priority_of_a_todo_is_told(alice: Client, question: str, told: str) -> None:
    await add(alice, "Fix the shed hinge", priority=2)
    await add(alice, "Send the invoice")
    answer = await Talk(alice).say(question)
    assert told in answer
    if not told:
        assert "priority" not in answer


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (["wann werden die winterreifen gewechselt?"], "Winterreifen wechseln lassen"),
        (["wann hab ich den termin zum wechseln?"], "Winterreifen wechseln lassen"),
        (["wann fängt der elternabend an?"], "Elternabend Kita"),
    ],
)
async def test_when_a_todo_is_finds_it_in_other_forms(
    alice: Client, messages: list[str], told: str
) -> None:
    due: dict[str, Any] = {"dueDate": "2027-01-25T07:30:00Z"}
    await add(alice, "Winterreifen wechseln lassen", **due)
    await add(alice, "Elternabend Kita", **due)
    say = Talk(alice).say
    for message in messages:
        assert told in await say(message)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("remind me to pay it on friday", "pay it (Fair)"),
        ("remind me to pay the stall on friday", "pay the stall"),
    ],
)
async def test_a_new_todo_says_what_its_it_is(alice: Client, message: str, title: str) -> None:
    await note(alice, "Fair", "The stall costs 120 €, due by 30 November.\n")
    say = Talk(alice).say
    await say("what does the stall at the fair cost?")
    await say(message)
    assert list(await todos(alice)) == [title]


@pytest.mark.anyio
async def test_a_name_does_not_end_in_then(alice: Client) -> None:
    await add(alice, "Sharpen secateurs and loppers")
    say = Talk(alice).say
    await say("is sharpen secateurs and loppers still open?")
    if (await say("call it Sharpen secateurs then")).endswith("?"):
        await say("yes")
    assert list(await todos(alice)) == ["Sharpen secateurs"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "yes", "title"),
    [
        ("we need eggs and milk", "yes", "Groceries"),
        ("wir brauchen noch eier und milch", "ja", "Einkaufsliste"),
    ],
)
async def test_what_is_needed_is_asked_about_for_the_shopping_list(
    alice: Client, message: str, yes: str, title: str
) -> None:
    where = await note(alice, title, "- [ ] bread\n")
    await note(alice, "Packing list", "- [ ] socks\n")
    say = Talk(alice).say
    assert title in await say(message)
    assert await text_of(alice, where) == "- [ ] bread\n"
    await say(yes)
    assert (await text_of(alice, where)).count("- [ ]") == 3


@pytest.mark.anyio
async def test_the_empty_cell_of_a_named_row_and_column_is_filled(alice: Client) -> None:
    rows = "| 月份 | 房租 | 电 |\n|---|---|---|\n| 10月 | 780 | 71 |\n| 11月 | 780 |  |\n"
    where = await note(alice, "房租水电", rows)
    say = Talk(alice).say
    await say("10月电费多少")
    assert "| 11月 | 780 | 68 |" in await say("11月的电填68") + await text_of(alice, where)
    await say("啊填错了 66才对")
    assert "| 11月 | 780 | 66 |" in await text_of(alice, where)


@pytest.mark.anyio
async def test_of_two_columns_that_are_named_neither_is_changed_alone(alice: Client) -> None:
    rows = (
        "| Semana | Cocina | Salón |\n|---|---|---|\n| 16 nov | Iker | Lupe |\n"
        "| 23 nov | Lupe | Nerea |\n"
    )
    where = await note(alice, "Turnos de limpieza", rows)
    say = Talk(alice).say
    await say("quién limpia la cocina el 23 de noviembre?")
    await say("cámbiame esa semana: el salón lo hago yo y la cocina Iker")
    assert await text_of(alice, where) == rows


@pytest.mark.anyio
async def test_a_value_alone_makes_a_row_of_today(alice: Client) -> None:
    rows = (
        "| 日期 | 体重 | 情况 |\n|---|---|---|\n| 2026-08-02 | 4.6 kg | 耳螨 |\n"
        "| 2026-10-19 | 4.9 kg | 超重 |\n"
    )
    where = await note(alice, "看病记录", rows)
    await Talk(alice).say("刚称了下 4.8了,记到看病记录的表里")
    last = (await text_of(alice, where)).splitlines()[-1]
    assert last.endswith("| 4.8 kg |  |")


@pytest.mark.anyio
async def test_what_a_todo_says_is_asked_of_it_once_it_was_told(alice: Client) -> None:
    await add(alice, "Pay the school trip", description="Edinburgh, second instalment £85")
    await note(alice, "Kids sizes", "| Who | Shoes |\n|---|---|\n| Jonah | 9 |\n")
    say = Talk(alice).say
    await say("is the school trip still open?")
    assert "£85" in await say("how much is it anyway?")


@pytest.mark.anyio
async def test_no_number_of_a_row_answers_what_is_asked_of_something_else(alice: Client) -> None:
    await note(alice, "Größen", "| Wer | Schuhe |\n|---|---|\n| Jonte | 35 |\n| Malte | 44 |\n")
    told = await Talk(alice).say("jonte hat fieber, wie viel ibu saft darf er?")
    assert "| Jonte | 35 |" not in told
    assert "35" in await Talk(alice).say("welche schuhe hat jonte?")
