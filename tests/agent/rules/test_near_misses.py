"""What comes near to a change of a note, and is none, or of something else."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk

TEAM = (
    "| Player | Position | Number |\n|---|---|---|\n| Ana | wing | 7 |\n| Sam Hill | goal | 1 |\n"
    "| Frank | back | 4 |\n"
)
POWER = "| Month | Power |\n|---|---|\n| September | 1204 |\n| October | 1266 |\n| November |  |\n"
JOBS = "Car park: Norman\nTeas: Bev and Carol\nRaffle: Joan\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages"),
    [
        ("Team", TEAM, ["drop Frank a line"]),
        ("Team", TEAM, ["get rid of the old table for Ana"]),
        ("Team", TEAM, ["take Ana's row out of the boot sizes"]),
        ("Team", TEAM, ["show me the team note", "drop Frank a line about the match"]),
        ("Team", TEAM, ["show me the team note", "let's drop Ana's entry fee"]),
        ("Team", TEAM, ["show me the team note", "take Sam Hill's row out, and Ana's too"]),
        ("Power", POWER, ["power in October?", "in November there were 2 power cuts"]),
        ("Fete jobs", JOBS, ["who does the teas?", "Norman's taking over the teas from Bev"]),
    ],
)
async def test_a_note_is_left_as_it_is(
    alice: Client, title: str, text: str, messages: list[str]
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert await text_of(alice, where) == text


@pytest.mark.anyio
async def test_a_note_is_not_put_into_the_trash_for_a_line_of_it(alice: Client) -> None:
    where = await note(alice, "Team", TEAM)
    say = Talk(alice).say
    await say("what position does Ana play?")
    await say("wing from now on")
    await say("delete it again")
    assert (await alice.ok("GET", where))["note"]["title"] == "Team"


@pytest.mark.anyio
async def test_undo_is_of_what_its_sentence_names(alice: Client) -> None:
    await add(alice, "Order the jam jars", "Pay the car tax")
    say = Talk(alice).say
    await say("the jam jars are ordered, tick them")
    await say("move the car tax to Friday")
    due = (await todos(alice))["Pay the car tax"]["dueDate"]
    assert due
    await say("argh the jars aren't done, undo")
    assert (await todos(alice))["Pay the car tax"]["dueDate"] == due


@pytest.mark.anyio
async def test_a_slip_that_may_be_of_two_numbers_changes_none(alice: Client) -> None:
    where = await note(alice, "Car log", "- 20 Oct: 48100 km, tank 49 €\n")
    say = Talk(alice).say
    await say("add to the car log: 22 Nov: 48990 km, tank 52 €")
    before = await text_of(alice, where)
    await say("it was 25 actually")
    assert await text_of(alice, where) == before


@pytest.mark.anyio
async def test_a_description_is_written_to_its_end(alice: Client) -> None:
    await add(alice, "Pay the car tax")
    await Talk(alice).say("add to the car tax todo that we should order blue ones instead")
    assert (await todos(alice))["Pay the car tax"]["description"].endswith("blue ones instead")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "first", "second"),
    [
        ("Courses", "- [ ] pain\n", "ajoute 12 œufs aux courses", "non 18h ça me va pour Marc"),
        ("Courses", "- [ ] pain\n", "ajoute 12 œufs aux courses", "en fait Marc arrive le 17"),
        ("购物清单", "- [ ] 牛奶\n", "购物清单加12个鸡蛋", "哦我13号有事"),
        ("買い物", "- [ ] 牛乳\n", "買い物に卵12個追加", "やっぱり15日は無理だった"),
        ("Kiln log", "- 2026-11-06: 998 °C\n- 2026-11-13: 1222 °C\n", "", "sorry, I am 1225 deep"),
    ],
)
async def test_small_talk_with_a_number_is_no_slip(
    alice: Client, title: str, text: str, first: str, second: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    await say(first or "add to the kiln log: today, 1221 °C")
    before = await text_of(alice, where)
    assert before != text
    await say(second)
    assert await text_of(alice, where) == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("陶芸：水曜 19:00\n会計：小林\n", ["陶芸は何曜？", "陶芸は土曜に変わったら行く"]),
        ("陶芸：水曜 19:00\n会計：林\n", ["会計は誰？", "会計は林さんに代わってほしい"]),
        ("Poterie : mercredi 19h\n", ["la poterie ?", "j'aimerais que la poterie passe à samedi"]),
        ("儿童合唱：周四 17:00\n", ["儿童合唱几点？", "要是儿童合唱改到周五就好了"]),
    ],
)
async def test_what_is_only_wished_changes_no_line(
    alice: Client, text: str, messages: list[str]
) -> None:
    where = await note(alice, "Club", text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert await text_of(alice, where) == text


@pytest.mark.anyio
async def test_a_row_that_is_shorter_than_its_header_is_no_fault(alice: Client) -> None:
    text = "| 谁 | 教室 | 哪天 |\n|---|---|---|\n| 阿兰 | 绿厅 |\n| 小明 | 红厅 | 周二 |\n"
    await note(alice, "教室", text)
    say = Talk(alice).say
    await say("阿兰哪天")
    assert await say("那就周二吧")


@pytest.mark.anyio
async def test_the_todo_whose_name_is_said_is_no_other(alice: Client) -> None:
    await add(alice, "ゆきに本を返す", "図書館に本を返す")
    await Talk(alice).say("ゆきに本返した")
    assert (await todos(alice))["ゆきに本を返す"]["completed"]
