"""Tables and values of notes in a talk: rows that are added, numbers that are corrected."""

import pytest

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import named_rows, questions
from app.agent.rules.passages.answer_passages import Text
from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk

SEEDS = (
    "| Variety | Packets | Price |\n|---|---|---|\n"
    "| Musselburgh leek | 2 | £1.99 |\n| Sugar snap peas | 3 | £3.15 |\n"
)
MENU = "| 品种 | 小碗 | 大碗 |\n|---|---|---|\n| 牛肉面 | 16 | 19 |\n| 杂酱面 | 11 | 13 |\n"
ORDERS = "| Kunde | Stück | Abholung |\n|---|---|---|\n| Familie Otto | 4 | 12.12. |\n"
TRADES = (
    "| Gremio | Nombre | Teléfono |\n|---|---|---|\n"
    "| Fontanero | Paco Llorens | 612 440 918 |\n| Carpintero | Ximo Ferrer | 640 772 035 |\n"
)
PRESSURE = "| Datum | Wert | Puls |\n|---|---|---|\n| 16.11.2026 | 139/85 | 71 |\n"
PHONES = (
    "Rosario (cuidadora): 655 010 233. Viene lunes y viernes de 10 a 13.\n\nFarmacia: 963 555 118\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "old", "new"),
    [
        (
            "Seed order",
            SEEDS,
            ["how many packets of peas are on the seed order", "change that to 2"],
            "peas | 3 |",
            "peas | 2 |",
        ),
        (
            "Sizes",
            "Paul: shoes 31, jacket 122\n\nEmma: shoes 38, jacket 158\n",
            ["what shoe size is Paul?", "not any more, he's a 32 now, please correct it", "yes"],
            "shoes 31",
            "shoes 32",
        ),
        (
            "Mum",
            "Tablets: ramipril 2.5 mg in the morning, atorvastatin 20 mg at night.\n",
            ["what dose of ramipril is mum on", "they've put it up to 5 mg, can you change that"],
            "ramipril 2.5 mg",
            "ramipril 5 mg",
        ),
        ("菜单价格", MENU, ["大碗牛肉面现在卖多少钱", "改成20"], "| 16 | 19 |", "| 16 | 20 |"),
        (
            "ごはん",
            "- 朝 25g\n- 夜 30g\n",
            ["ごはんって朝なんグラム？", "夜は28gに変えて"],
            "夜 30g",
            "夜 28g",
        ),
        (
            "Pediatra",
            "Teléfono: 601 745 2230\n\nLa consulta vale 140.000 pesos.\n",
            ["dame el teléfono de la pediatra", "lo cambiaron, ahora es 601 745 9981", "sí"],
            "745 2230",
            "745 9981",
        ),
        (
            "バザー",
            "| 品物 | 数 | 値段 |\n|---|---|---|\n| クッキー | 60 | 150円 |\n| 芋 | 40 | 250円 |\n",
            ["バザーのクッキーいくらで売るんだっけ", "200円に直して"],
            "150円",
            "200円",
        ),
        (
            "Distribution",
            "| Rôle | Comédien |\n|---|---|\n| Knock | Hugo |\n| Madame Rémy | Nadia |\n",
            [
                "qui joue madame Rémy ?",
                "non c'est Léa maintenant pour madame Rémy, corrige ça",
                "oui",
            ],
            "Nadia",
            "Léa",
        ),
        (
            "Teléfonos",
            PHONES,
            ["qué días viene Rosario?", "ha cambiado de número, ahora es el 655 010 999", "sí"],
            "655 010 233",
            "655 010 999",
        ),
        (
            "Teléfonos de la obra",
            TRADES,
            ["dame el teléfono del fontanero", "el de ximo está mal, es el 640 772 053"],
            "640 772 035",
            "640 772 053",
        ),
        (
            "跑鞋",
            "欧码38.5，129欧元买的。\n\n目前跑了412公里，到700公里换。\n",
            ["跑鞋多少钱买的", "把412公里改成420公里"],
            "412公里",
            "420公里",
        ),
        (
            "Sorties vélo",
            "| Où | km |\n|---|---|\n| Clisson | 48 |\n| Nort | 52 |\n",
            ["combien de km pour Nort ?", "et pour Clisson c'était 50 km, pas 48"],
            "| 48 |",
            "| 50 |",
        ),
    ],
)
async def test_a_value_of_what_was_asked_about_is_corrected(
    alice: Client, title: str, text: str, messages: list[str], old: str, new: str
) -> None:
    note_id = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert await text_of(alice, note_id) == text.replace(old, new)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "message", "row"),
    [
        ("菜单价格", MENU, "菜单价格里加一行 酸辣粉 小碗12 大碗14", "| 酸辣粉 | 12 | 14 |"),
        (
            "Stollen Vorbestellungen",
            ORDERS,
            "neu bei den stollen vorbestellungen: Frau Lindner, 2 Stück, Abholung 19.12.",
            "| Frau Lindner | 2 | 19.12. |",
        ),
        (
            "Mileage",
            "| Date | Miles |\n|---|---|\n| 2026-11-16 | 41 |\n| 2026-11-17 | 29 |\n",
            "add to the mileage: 38 miles",
            "| 2026-11-21 | 38 |",
        ),
    ],
)
async def test_what_fills_a_row_is_one_more_row(
    alice: Client, clock: MovableClock, title: str, text: str, message: str, row: str
) -> None:
    assert clock.now.date().isoformat() == "2026-11-21"
    note_id = await note(alice, title, text)
    say = Talk(alice).say
    if (await say(message)).rstrip().endswith(("?", "？")):
        await say("ja")
    assert await text_of(alice, note_id) == f"{text}{row}\n"


@pytest.mark.anyio
async def test_a_day_in_the_name_of_a_log_is_no_day_of_a_line(
    alice: Client, clock: MovableClock
) -> None:
    assert clock.now.date().isoformat() == "2026-11-21"
    note_id = await note(alice, "Friday football", "- 2026-11-06: 2 goals\n- 2026-11-13: 1 goal\n")
    await Talk(alice).say("add to Friday football: 3 goals")
    assert (await text_of(alice, note_id)).splitlines()[-1] == "- 2026-11-21: 3 goals"


@pytest.mark.anyio
async def test_a_typo_in_what_was_just_written_is_put_right(alice: Client) -> None:
    note_id = await note(alice, "营业额", "- 2026-11-19：3280元\n- 2026-11-20：3410元\n")
    say = Talk(alice).say
    await say("在营业额里记一下，今天3650")
    await say("打错了，是3560")
    assert (await text_of(alice, note_id)).splitlines()[-1] == "- 2026-11-21：3560元"


@pytest.mark.anyio
async def test_a_line_that_is_to_go_takes_no_note_with_it(alice: Client) -> None:
    soup = "- 大根 1/4本\n- ごぼう 1/2本\n"
    note_id = await note(alice, "豚汁", soup)
    say = Talk(alice).say
    await say("大根はどれくらい入れるんだっけ")
    assert "ごぼう" in await say("ごぼうは入れないことにしたから消しといて")
    await say("はい")
    assert await text_of(alice, note_id) == soup.replace("- ごぼう 1/2本\n", "")


@pytest.mark.anyio
async def test_what_is_added_to_a_kind_of_note_may_be_meant_for_the_one_spoken_of(
    alice: Client,
) -> None:
    await note(alice, "Far breton", "5 œufs, 220 g de farine. Cuire 50 minutes.\n")
    stout = "Malt : 5 kg.\n"
    other = await note(alice, "Recette stout d'hiver", stout)
    say = Talk(alice).say
    await say("le far breton ça cuit combien de temps ?")
    assert "?" in await say("ajoute à la recette : 2 cuillères de rhum")
    assert await text_of(alice, other) == stout


@pytest.mark.anyio
async def test_two_things_for_a_list_are_one_wish(alice: Client) -> None:
    note_id = await note(alice, "Einkaufsliste", "- [ ] Joghurt\n")
    await Talk(alice).say("schreib butter und eier auf die einkaufsliste")
    assert await text_of(alice, note_id) == "- [ ] Joghurt\n- [ ] butter\n- [ ] eier\n"


@pytest.mark.anyio
async def test_letters_of_a_todo_in_another_order_are_no_item(alice: Client) -> None:
    note_id = await note(alice, "进货清单", "- [ ] 面粉4袋\n- [ ] 香菜\n")
    await add(alice, "订面粉")
    await Talk(alice).say("面粉已经订好了")
    assert (await todos(alice))["订面粉"]["completed"]
    assert "[x]" not in await text_of(alice, note_id)


@pytest.mark.anyio
async def test_the_number_counts_where_a_priority_is_said_twice(alice: Client) -> None:
    await add(alice, "修门口的灯")
    say = Talk(alice).say
    await say("门口的灯改到周五")
    if (await say("优先级高一点，设成4")).endswith("？"):
        await say("是的")
    assert (await todos(alice))["修门口的灯"]["priority"] == 4


@pytest.mark.anyio
async def test_a_mistyped_name_deletes_nothing_unasked(alice: Client) -> None:
    await add(alice, "Renew passport")
    say = Talk(alice).say
    await say("show my todos")
    assert "?" in await say("delete the pasport todo")
    assert "Renew passport" in await todos(alice)


@pytest.mark.anyio
async def test_a_folder_with_a_name_of_an_errand_is_not_meant(alice: Client) -> None:
    await alice.folder("Trufa")
    await Talk(alice).say("comprar pienso para trufa")
    assert "comprar pienso para trufa" in await todos(alice)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "forward by 1"), ("zh", "提前1"), ("de", "um 1 nach vorne")]
)
def test_what_comes_earlier_is_asked_about_as_that(language: Language, words: str) -> None:
    assert words in asking.plain_words(language, "advance_todo", todo="x", by="1")


def test_a_row_answers_though_the_title_of_another_note_has_its_name() -> None:
    menu = Text(1, "菜单价格", MENU, whole=True)
    stock = Text(2, "牛肉面卤汁", "# 牛肉面卤汁\n\n- 牛腱子10斤\n- 八角20克\n", whole=True)
    found = named_rows.named_row(questions.read_question("大碗牛肉面卖多少钱"), [stock, menu])
    assert [one.note.note_id for one in found] == [1]
    dear = Text(3, "外卖", "牛肉面 21元\n", whole=True)
    assert named_rows.named_row(questions.read_question("牛肉面卖多少钱"), [dear, menu]) == []


def test_a_row_answers_what_its_column_is_named_after() -> None:
    plan = (
        "| Tag | Früh | Spät |\n|---|---|---|\n| Freitag | Jana | Ute |\n| Samstag | Ali | Lena |\n"
    )
    note_of = Text(1, "Dienstplan", plan, whole=True)
    (row,) = named_rows.named_row(
        questions.read_question("wer hat am samstag frühschicht?"), [note_of]
    )
    assert "Ali" in plan[row.start : row.end]
    other = questions.read_question("wer hat am samstag urlaub?")
    assert named_rows.named_row(other, [note_of]) == []


@pytest.mark.anyio
async def test_a_cell_of_the_row_that_was_just_written_is_put_right(alice: Client) -> None:
    note_id = await note(alice, "Blutdruck", PRESSURE)
    say = Talk(alice).say
    await say("trag beim blutdruck für heute ein: 138/86, puls 72")
    await say("quatsch, puls war 74")
    assert (await text_of(alice, note_id)).splitlines()[-1].endswith("| 138/86 | 74 |")


@pytest.mark.anyio
async def test_a_row_is_taken_out_by_its_name(alice: Client) -> None:
    seeds = "| Sorte | Preis |\n|---|---|\n| Tomate Harzfeuer | 3,49 € |\n| Erbsen | 2,79 € |\n"
    note_id = await note(alice, "Saatgut", seeds)
    say = Talk(alice).say
    await say("in die saatgut tabelle noch: Zucchini, 2,29 €")
    await say("erbsen kannst du da rausnehmen, die mach ich nicht mehr")
    await say("hak die tomate ab")
    left = seeds.replace("| Erbsen | 2,79 € |", "| Zucchini | 2,29 € |")
    assert await text_of(alice, note_id) == left


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "answer"),
    [
        (
            "Parkin",
            "225 g oatmeal. Bake at 160 degrees for 55 minutes.\n",
            ["what temperature was it for the parkin", "for how long?"],
            "55 minutes",
        ),
        (
            "番茄牛腩",
            "- 牛腩 800克\n- 番茄 5个\n\n焯水后小火炖90分钟，最后放盐。\n",
            ["番茄牛腩要炖多久啊"],
            "90分钟",
        ),
    ],
)
async def test_how_long_is_told_by_what_says_a_time(
    alice: Client, title: str, text: str, messages: list[str], answer: str
) -> None:
    await note(alice, title, text)
    say = Talk(alice).say
    told = ""
    for message in messages:
        told = await say(message)
    assert answer in told.splitlines()[0]


@pytest.mark.anyio
async def test_numbers_fill_the_columns_that_they_are_beside(
    alice: Client, clock: MovableClock
) -> None:
    assert clock.now.date().isoformat() == "2026-11-21"
    table = "| Date | Upper | Lower | Pulse |\n|---|---|---|---|\n| 2026-11-20 | 142 | 88 | 70 |\n"
    path = await note(alice, "Blood pressure", table)
    say = Talk(alice).say
    await say("log todays blood pressure, 137 over 84, pulse 66")
    assert (await text_of(alice, path)).splitlines()[-1] == "| 2026-11-21 | 137 | 84 | 66 |"


@pytest.mark.anyio
async def test_the_name_of_a_row_is_no_value(alice: Client) -> None:
    table = "| 班级 | 平均分 | 最高分 |\n|---|---|---|\n| 3班 | 72.5 | 96 |\n| 5班 | 68.9 | 93 |\n"
    path = await note(alice, "月考成绩", table)
    say = Talk(alice).say
    await say("月考成绩5班平均多少")
    if (await say("5班的算错了，应该是69.4")).endswith("？"):
        await say("是的")
    assert await text_of(alice, path) == table.replace("68.9", "69.4")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message", ["half 7 was right", "committee meeting's been put back to 8", "make it half 7"]
)
async def test_a_time_of_day_is_no_value_of_a_note(alice: Client, message: str) -> None:
    text = "Balance £6,412. Next meeting 26 November at 19:30.\n"
    path = await note(alice, "Committee minutes", text)
    await add(alice, "Committee meeting", dueDate="2026-11-26T18:30:00Z")
    say = Talk(alice).say
    await say("when is the next committee meeting?")
    await say(message)
    assert await text_of(alice, path) == text
    assert (await todos(alice))["Committee meeting"]["priority"] == 0
