"""A value, a name or a day that is only said in passing changes nothing."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk

SHOES = (
    "| Child | Shoes | Trousers |\n|---|---|---|\n| Leo | 28 | 110 |\n| Mia | 33 | 130 |\n"
    "| Anton | 31 | 122 |\n"
)
SIZES = (
    "| Enfant | Pointure | Pantalon |\n|---|---|---|\n| Léo | 28 | 110 |\n| Mia | 33 | 130 |\n"
    "| Anton | 31 | 122 |\n"
)
SCHUHE = (
    "| Kind | Schuhgröße | Hose |\n|---|---|---|\n| Leo | 28 | 110 |\n| Mia | 33 | 130 |\n"
    "| Anton | 31 | 122 |\n"
)
CHINESE = (
    "| 名字 | 鞋码 | 裤子 |\n|---|---|---|\n| 乐乐 | 33 | 130 |\n| 朵朵 | 29 | 110 |\n"
    "| 小宇 | 25 | 100 |\n"
)
SUBS = "| Name | Paid | Due |\n|---|---|---|\n| Pia | no | 40 |\n| Frank | yes | 35 |\n"
SHIFTS = (
    "| Day | Who | From |\n|---|---|---|\n| Monday | Gwen | 7:30 |\n| Tuesday | Paul | 8:00 |\n"
)
ROOMS = (
    "| 房间 | 谁 | 床 |\n|---|---|---|\n| 房间1 | 大伟 | 2 |\n| 房间2 | 小红 | 3 |\n"
    "| 房间12 | 阿强 | 1 |\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages"),
    [
        ("Sizes", SHOES, ["what shoe size has Leo?", "his bus is the 29 now"]),
        ("Sizes", SHOES, ["what shoe size has Leo?", "he was 27 last year"]),
        ("Sizes", SHOES, ["what shoe size has Leo?", "it's not 29"]),
        ("Sizes", SHOES, ["what shoe size has Leo?", "I take a 29 myself"]),
        ("Tailles", SIZES, ["quelle pointure a Léo ?", "Hugo fait du 29 maintenant"]),
        ("Tailles", SIZES, ["quelle pointure a Léo ?", "si c'est 29 je les prends"]),
        ("Größen", SCHUHE, ["welche Schuhgröße hat Leo?", "sein Cousin hat 29"]),
        ("Größen", SCHUHE, ["welche Schuhgröße hat Leo?", "ich hab 29"]),
        ("孩子尺码", CHINESE, ["朵朵鞋码多少", "气温30了"]),
        ("孩子尺码", CHINESE, ["朵朵鞋码多少", "要是30就好了"]),
        ("Subs", SUBS, ["how much does Frank owe?", "no, thanks"]),
        ("Subs", SUBS, ["has Pia paid?", "I have paid"]),
        ("Subs", SUBS, ["how much does Pia owe?", "yes I know"]),
        ("Early shift", SHIFTS, ["who's on early shift Tuesday?", "thanks Gwen"]),
        (
            "Early shift",
            SHIFTS,
            ["when does the early shift start on Tuesday?", "my bus is at 8:30"],
        ),
    ],
)
async def test_a_cell_keeps_its_value(
    alice: Client, title: str, text: str, messages: list[str]
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert await text_of(alice, where) == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "row"),
    [
        ("Sizes", SHOES, ["what shoe size has Leo?", "29 now"], "| Leo | 29 | 110 |"),
        ("Sizes", SHOES, ["what shoe size has Leo?", "he takes a 29 now"], "| Leo | 29 | 110 |"),
        (
            "Tailles",
            SIZES,
            ["quelle pointure a Léo ?", "il fait du 29 maintenant"],
            "| Léo | 29 | 110 |",
        ),
        ("孩子尺码", CHINESE, ["朵朵鞋码多少", "30了"], "| 朵朵 | 30 | 110 |"),
    ],
)
async def test_what_is_said_of_the_cell_is_written(
    alice: Client, title: str, text: str, messages: list[str], row: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert row in await text_of(alice, where)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    ["don't take Pia out of the subs, take Frank", "keep Pia in the subs, take Frank out"],
)
async def test_what_is_to_be_kept_stays(alice: Client, message: str) -> None:
    where = await note(alice, "Subs", SUBS)
    await Talk(alice).say(message)
    text = await text_of(alice, where)
    assert "Pia" in text
    assert "Frank" not in text


@pytest.mark.anyio
async def test_a_room_is_not_one_whose_number_goes_on(alice: Client) -> None:
    where = await note(alice, "民宿房间", ROOMS)
    say = Talk(alice).say
    assert "阿强" in await say("房间12是谁")
    await say("删掉他那行")
    text = await text_of(alice, where)
    assert "房间2 " in text
    assert "房间12" not in text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Buy choir robes", "choir might move to Saturday"),
        ("Buy choir robes", "choir won't move to Saturday"),
        ("Buy choir robes", "if choir moves to Saturday I can't go"),
        ("Call the dentist", "has the dentist been moved to Friday"),
        ("Book room for Mia", "Mia has paid"),
        ("Pay Paul back", "delete Paul"),
        ("Rendez-vous pédiatre Léon", "le pédiatre s'appelle Dr Morel maintenant"),
        ("Payer la cantine", "ne renomme pas Payer la cantine en Payer le loyer"),
        ("交餐费", "别把交餐费改名为交学费"),
        ("给陶艺碗上釉", "希望陶艺在周六"),
    ],
)
async def test_a_todo_is_left_as_it_is(alice: Client, title: str, message: str) -> None:
    await add(alice, title)
    before = await todos(alice)
    await Talk(alice).say(message)
    assert await todos(alice) == before


@pytest.mark.anyio
async def test_no_number_is_lost_for_a_name_and_no_code_for_what_is_denied(alice: Client) -> None:
    text = "- 儿科：张医生 010-12345678\n- 门禁密码：4512\n"
    where = await note(alice, "医生", text)
    say = Talk(alice).say
    await say("儿科换成王医生了")
    await say("门禁密码多少")
    await say("不是7788")
    assert await text_of(alice, where) == text


@pytest.mark.anyio
async def test_a_price_is_no_time_of_day(alice: Client) -> None:
    text = "| 品目 | 単価 |\n|---|---|\n| 麺 | 0.62€/玉 |\n| もやし | 1.80€/kg |\n"
    where = await note(alice, "仕入れ価格", text)
    await Talk(alice).say("もやし値上げだって。1.95€/kgに書き換えて")
    assert await text_of(alice, where) == text.replace("1.80", "1.95")


@pytest.mark.anyio
async def test_a_new_row_overwrites_none_that_has_the_same_value(alice: Client) -> None:
    head = "| 项目 | 价格 | 几天 |\n|---|---|---|\n"
    text = f"{head}| 裤脚 | 12€ | 2天 |\n| 换拉链 | 18€ | 3天 |\n"
    where = await note(alice, "改衣价目表", text)
    await Talk(alice).say("价目表加一行：改袖长 15€ 3天")
    assert "| 换拉链 | 18€ | 3天 |" in await text_of(alice, where)
