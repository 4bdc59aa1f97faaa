"""Tables and sections of persons: what is told of one goes on with another, and is changed."""

import pytest

from tests.agent.rules.test_at_once import note, text_of
from tests.conftest import Client
from tests.support.talks import Talk

SIZES = "| | Lotte | Emil |\n|---|---|---|\n| Schuhe | 32 | 27 |\n| Jacke | 134 | 110 |\n"
TALLAS = "## Hugo\n- pantalón: 10\n- zapatos: 35\n\n## Dani\n- camisa: L\n- zapatos: 43\n"
TAILLES = "| Qui | Habits | Pointure |\n|---|---|---|\n| Timéo | 9 ans | 35 |\n| Lison | 5 | 28 |\n"
KUTSU = "| | 服 | 靴 |\n|---|---|---|\n| そら | 130 | 20.5 |\n| ひなた | 110 | 17.0 |\n"
XIE = "## 大鹏\n- 裤子: 82\n- 鞋: 43\n\n## 美玲\n- 衬衫: L\n- 鞋: 37\n"
SHOES = "## Hugh\n- trousers: 32\n- shoes: 45\n\n## Dana\n- shirt: L\n- shoes: 43\n"
TEAM = (
    "| Player | Paid | Shirt |\n|---|---|---|\n| Frank | yes | 7 |\n| Norman | no | 9 |\n\n"
    "To bring:\n\n- bibs\n- pump\n"
)
KENNEL = (
    "| Dog | Arrives | Pick-up |\n|---|---|---|\n| Duke | 9:00 | 17:00 |\n| Mo | 10:15 | 16 |\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "turns", "old", "new"),
    [
        (
            "Größen Kinder",
            SIZES,
            ["welche schuhgröße hat emil?", "27", "und lotte?", "32", "emil hat jetzt 28"],
            "| 27 |",
            "| 28 |",
        ),
        (
            "Tallas",
            TALLAS,
            ["que numero de pie tiene hugo", "35", "y dani?", "43", "hugo ya va por el 36"],
            "zapatos: 35",
            "zapatos: 36",
        ),
        (
            "Tailles",
            TAILLES,
            [
                "timéo il fait du combien en chaussures ?",
                "35",
                "et lison",
                "28",
                "elle est passée au 29 figure toi, corrige ça",
            ],
            "| 28 |",
            "| 29 |",
        ),
        (
            "子どものサイズ",
            KUTSU,
            [
                "そらの靴って何センチ?",
                "20.5",
                "ひなたは?",
                "17.0",
                "そら、昨日お店ではかったら21.5だった!直しといて",
            ],
            "20.5",
            "21.5",
        ),
        (
            "大人尺码",
            XIE,
            ["大鹏的鞋是多大?", "43", "美玲呢?", "37", "大鹏现在44了,改一下"],
            "鞋: 43",
            "鞋: 44",
        ),
        (
            "Sizes",
            SHOES,
            ["what shoe size is hugh?", "45", "and dana?", "43", "hugh's a 46 now"],
            "shoes: 45",
            "shoes: 46",
        ),
    ],
)
async def test_what_was_told_of_one_is_told_of_another_and_changed(
    alice: Client, title: str, text: str, turns: list[str], old: str, new: str
) -> None:
    where = await note(alice, title, text)
    talk = Talk(alice)
    first, told, second, also, change = turns
    assert told in await talk.say(first)
    assert also in await talk.say(second)
    await talk.say(change)
    assert await text_of(alice, where) == text.replace(old, new)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "question", "message"),
    [
        ("Sizes", SHOES, "what shoe size is hugh?", "emile is 28 now"),
        ("Sizes", SHOES, "what shoe size is hugh?", "maybe hugh is a 46 by now"),
        ("Sizes", SHOES, "what shoe size is hugh?", "hugh turns 46 on Friday"),
        ("Kennel", KENNEL, "when does duke arrive?", "duke's vet is at 12:30"),
        ("Kennel", KENNEL, "what time does duke come in?", "12:30 might be better"),
        ("Größen Kinder", SIZES, "welche schuhgröße hat emil?", "vielleicht hat Emil bald 28"),
    ],
)
async def test_no_value_is_changed_that_may_be_of_something_else(
    alice: Client, title: str, text: str, question: str, message: str
) -> None:
    where = await note(alice, title, text)
    talk = Talk(alice)
    await talk.say(question)
    await talk.say(message)
    assert await text_of(alice, where) == text


SHOW = {
    "Five-a-side": "show me the five-a-side note",
    "Fünferteam": "zeig mir die Notiz Fünferteam",
    "Fútbol sala": "muéstrame la nota Fútbol sala",
    "Foot à cinq": "montre-moi la note Foot à cinq",
    "フットサル": "フットサルのメモを見せて",
    "五人足球": "打开五人足球那条笔记",
}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "message", "row"),
    [
        ("Five-a-side", TEAM, "frank has left, take his row out", "| Frank | yes | 7 |\n"),
        ("Fünferteam", TEAM, "streich die Zeile von Norman", "| Norman | no | 9 |\n"),
        ("Fútbol sala", TEAM, "quita a Frank de la tabla", "| Frank | yes | 7 |\n"),
        ("Foot à cinq", TEAM, "retire Frank du tableau", "| Frank | yes | 7 |\n"),
        ("フットサル", TEAM, "Normanの行を削除して", "| Norman | no | 9 |\n"),
        ("五人足球", TEAM, "把Frank那行删掉", "| Frank | yes | 7 |\n"),
        ("Five-a-side", TEAM, "don't take frank's row out", ""),
        ("Five-a-side", TEAM, "should we take frank out of the table", ""),
        ("Fünferteam", TEAM, "lösch die Zeile von Norman nicht", ""),
        ("Foot à cinq", TEAM, "ne retire pas Frank du tableau", ""),
        ("五人足球", TEAM, "别把Frank那行删掉", ""),
    ],
)
async def test_a_row_goes_out_of_a_note_with_a_list(
    alice: Client, title: str, text: str, message: str, row: str
) -> None:
    where = await note(alice, title, text)
    await Talk(alice).say(message)
    assert await text_of(alice, where) == text, "which note is meant is not known yet"
    talk = Talk(alice)
    await talk.say(SHOW[title])
    await talk.say(message)
    assert await text_of(alice, where) == text.replace(row, "")
    if row:
        await talk.say("undo")
        assert await text_of(alice, where) == text


@pytest.mark.anyio
async def test_why_a_row_goes_is_no_no(alice: Client) -> None:
    text = TEAM.replace("Paid", "Bezahlt").replace("yes", "ja").replace("no |", "nein |")
    where = await note(alice, "Fünferteam", text)
    talk = Talk(alice)
    await talk.say("wer hat noch nicht bezahlt?")
    await talk.say("nimm Frank raus, der spielt nicht mehr mit")
    assert "Frank" not in await text_of(alice, where)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("header", "cells", "turns", "says"),
    [
        ("Paid", "yes no", "who hasn't paid?/norman's paid/so who hasn't now?", "Nobody"),
        (
            "Bezahlt",
            "ja nein",
            "wer hat noch nicht bezahlt?/Norman hat bezahlt/und wer jetzt noch nicht?",
            "Niemand",
        ),
        ("Pagado", "sí no", "¿quién no ha pagado?/Norman ha pagado/¿y quién no ahora?", "Nadie"),
        (
            "Payé",
            "oui non",
            "qui n'a pas payé ?/Norman a payé/qui n'a pas encore payé du coup ?",
            "Personne",
        ),
        (
            "支払い",
            "済 未",
            "まだ払っていないのは誰?/Normanが払った/じゃあまだなのは誰?",
            "いません",
        ),
        ("付款", "已付 未付", "谁还没付?/Norman付了/那现在还有谁没付?", "没有人"),
    ],
)
async def test_that_nobody_is_open_any_more_is_told(
    alice: Client, header: str, cells: str, turns: str, says: str
) -> None:
    done, none = cells.split()
    rows = f"| Frank | {done} | 7 |\n| Norman | {none} | 9 |\n| Bea | {done} | 4 |\n"
    await note(alice, "Team", f"| X | {header} | Y |\n|---|---|---|\n{rows}")
    talk = Talk(alice)
    first, paid, then = turns.split("/")
    assert "Norman" in await talk.say(first)
    await talk.say(paid)
    assert says in await talk.say(then)


@pytest.mark.anyio
async def test_a_payment_of_one_note_changes_no_other(alice: Client) -> None:
    held = "- total 640 €\n- acompte versé : 192 €\n- reste 448 €\n"
    where = await note(alice, "Gîte", held)
    course = (
        "| Participant | Date | Acompte |\n|---|---|---|\n| Malik Ben | 12 décembre | non |\n"
        "| Gérald Pons | 19 décembre | non |\n| Tiphaine | 19 décembre | 40 € |\n"
    )
    await note(alice, "Stages d'hiver", course)
    talk = Talk(alice)
    await talk.say("malik vient de verser son acompte pour le stage, 40€")
    assert await text_of(alice, where) == held
    assert "Gérald" in await talk.say("qui n'a pas encore payé du coup")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "now", "answer", "row"),
    [
        ("what time does duke come in?", "12:30 now", "pick-up", "| 9:00 | 12:30 |"),
        ("what time does duke come in?", "12:30 now", "the first one", "| 12:30 | 17:00 |"),
        ("what time does duke come in?", "12:30 now", "no wait, undo that", "| 9:00 | 17:00 |"),
        ("wann ist Duke da?", "jetzt 12:30", "ach nee", "| 9:00 | 17:00 |"),
    ],
)
async def test_of_several_columns_it_is_asked_which(
    alice: Client, question: str, now: str, answer: str, row: str
) -> None:
    where = await note(alice, "Kennel", KENNEL)
    talk = Talk(alice)
    await talk.say(question)
    asked = await talk.say(now)
    assert "Arrives (9:00), Pick-up (17:00)" in asked
    assert await text_of(alice, where) == KENNEL
    await talk.say(answer)
    assert row in await text_of(alice, where)
