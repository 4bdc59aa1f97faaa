"""The row, line or column that is meant is changed or told, and nothing near to it."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of
from tests.conftest import Client
from tests.support.talks import Talk

SHOES = "| Name | Shoes |\n|---|---|\n| Hugo | 34 |\n| Emil | 28 |\n"
SCHUHE = "| Name | Schuhe |\n|---|---|\n| Hugo | 34 |\n| Emil | 28 |\n"
ZAPATOS = "| Nombre | Zapato |\n|---|---|\n| Hugo | 34 |\n| Emilio | 28 |\n"
POINTURES = "| Prénom | Pointure |\n|---|---|\n| Hugo | 34 |\n| Émile | 28 |\n"
KUTSU = "| 名前 | 靴 |\n|---|---|\n| ハル | 19 |\n| ケン | 24 |\n"
XIEMA = "| 名字 | 鞋码 |\n|---|---|\n| 小明 | 32 |\n| 阿强 | 38 |\n"
CLOTHES = "| Name | Shoes | Jacket |\n|---|---|---|\n| Lotte | 32 | 140 |\n| Tom | 41 |  |\n"
KLEIDUNG = "| Name | Schuhe | Jacke |\n|---|---|---|\n| Lotte | 32 | 140 |\n| Tom | 41 |  |\n"
FUKU = "| 名前 | 靴 | 服 |\n|---|---|---|\n| リク | 21 | 120 |\n| ユイ | 23 |  |\n"
YIFU = "| 名字 | 鞋码 | 身高 |\n|---|---|---|\n| 乐乐 | 31 | 120 |\n| 东东 | 36 |  |\n"
EMIL, TOM = "what shoe size does Emil have?", "what jacket does Tom have?"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "first", "then", "lost", "got"),
    [
        ("Kids", SHOES, EMIL, "he's a 29 now", "| 28 |", "| 29 |"),
        ("Kids", SHOES, EMIL, "he's 8 years old now", "", ""),
        ("Kids", SHOES, EMIL, "he's 8 now", "", ""),
        ("Kids", SHOES, EMIL, "he got 12 stickers", "", ""),
        ("Kids", SHOES, EMIL, "he weighs 27 kilos now", "", ""),
        ("Kinder", SCHUHE, "welche schuhgröße hat Emil?", "er hat jetzt 29", "| 28 |", "| 29 |"),
        ("Kinder", SCHUHE, "welche schuhgröße hat Emil?", "er ist gerade 8 geworden", "", ""),
        ("Niños", ZAPATOS, "qué número de zapato tiene Emilio?", "ya tiene 8 años", "", ""),
        ("Enfants", POINTURES, "quelle pointure fait Émile ?", "il a 8 ans maintenant", "", ""),
        ("子ども", KUTSU, "ケンの靴のサイズは？", "もう8歳になったよ", "", ""),
        ("子ども", KUTSU, "ケンの靴のサイズは？", "25になった", "| 24 |", "| 25 |"),
        ("孩子", XIEMA, "阿强鞋码多少", "他8岁了", "", ""),
        ("孩子", XIEMA, "阿强鞋码多少", "他现在39了", "| 38 |", "| 39 |"),
        ("Clothes", CLOTHES, TOM, "he's 146 now", "| 41 |  |", "| 41 | 146 |"),
        ("Kleidung", KLEIDUNG, "welche jacke hat Tom?", "146 jetzt", "| 41 |  |", "| 41 | 146 |"),
        ("服", FUKU, "ユイの服のサイズは？", "130になった", "| 23 |  |", "| 23 | 130 |"),
        ("衣服", YIFU, "东东身高多少", "现在140了", "| 36 |  |", "| 36 | 140 |"),
    ],
)
async def test_a_number_is_written_where_it_fits(
    alice: Client, title: str, text: str, first: str, then: str, lost: str, got: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    await say(first)
    await say(then)
    assert await text_of(alice, where) == text.replace(lost, got)


@pytest.mark.anyio
async def test_of_two_notes_that_were_told_it_is_asked(alice: Client) -> None:
    first = await note(alice, "子どもの靴", KUTSU)
    second = await note(alice, "ハルとミオ", "## ハル\n- 靴：19\n\n## ミオ\n- 靴：22\n")
    say = Talk(alice).say
    await say("ハルの靴は？")
    await say("20になった")
    assert await text_of(alice, first) == KUTSU
    assert "靴：19" in await text_of(alice, second)


ROOMS = "| Room | Who | Beds |\n|---|---|---|\n| Room 1 | Mia | 20 |\n| Room 12 | Paul | 2 |\n"
CHAMBRES = "| Chambre | Qui | Lits |\n|---|---|---|\n| 1 nord | Mia | 2 |\n| 2 sud | Paul | 3 |\n"
ZIMMER = (
    "| Zimmer | Wer | Betten |\n|---|---|---|\n| Zimmer 1 | Mia | 2 |\n| Zimmer 12 | Paul | 3 |\n"
)
SHIFTS = "| 曜日 | 担当 | 時間 |\n|---|---|---|\n| 月曜 | 田中 | 7:30 |\n| 火曜 | 山本 | 8:00 |\n"
ZAOBAN = "| 星期 | 谁 | 时间 |\n|---|---|---|\n| 周一 | 老王 | 7:30 |\n| 周二 | 老赵 | 8:00 |\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "turns", "lost"),
    [
        ("Rooms", ROOMS, "who's in Room 12?/take his row out", "| Room 12 | Paul | 2 |\n"),
        ("Rooms", ROOMS, "take Mia's row out/yes", "| Room 1 | Mia | 20 |\n"),
        ("Rooms", ROOMS, "take Mia's row out", ""),
        ("Rooms", ROOMS, "who's in Room 12?/take Zoe's row out", ""),
        ("Rooms", ROOMS, "who's in Room 12?/don't take his row out", ""),
        (
            "Zimmer",
            ZIMMER,
            "wer ist in Zimmer 12?/nimm seine Zeile raus",
            "| Zimmer 12 | Paul | 3 |\n",
        ),
        ("Chambres", CHAMBRES, "quels lits ?/supprime sa ligne", ""),
        ("早番", SHIFTS, "火曜の早番は誰？/その行を消して", "| 火曜 | 山本 | 8:00 |\n"),
        ("早班", ZAOBAN, "周二早班是谁/删掉他那行", "| 周二 | 老赵 | 8:00 |\n"),
        ("早班", ZAOBAN, "周二早班是谁/删掉王伟那行", ""),
    ],
)
async def test_the_row_of_somebody_goes_and_not_the_note(
    alice: Client, title: str, text: str, turns: str, lost: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for one in turns.split("/"):
        await say(one)
    assert await text_of(alice, where) == text.replace(lost, "")


SUBS = (
    "| Name | Paid | Due |\n|---|---|---|\n"
    "| Frank | yes | 40 |\n| Paul | no | 25 |\n| Pia | no | 40 |\n"
)
HUI = (
    "| 名字 | 交了 | 金额 |\n|---|---|---|\n"
    "| 老张 | 是 | 400 |\n| 老李 | 否 | 400 |\n| 小林 | 否 | 40 |\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "first", "then", "back"),
    [
        ("Subs", SUBS, "take Frank's row out of the subs", "Paul too", "undo"),
        ("Beiträge", SUBS, "nimm die Zeile von Frank aus den Beiträgen", "Paul auch", "rückgängig"),
        ("Cuotas", SUBS, "quita la fila de Frank de las cuotas", "Paul también", "deshacer"),
        ("Cotisations", SUBS, "retire la ligne de Frank des cotisations", "Paul aussi", "annule"),
        ("会費", SUBS, "会費からFrankの行を消して", "Paulも", "元に戻して"),
        ("会费", HUI, "把会费里老张那行删掉", "老李也是", "撤销"),
    ],
)
async def test_another_row_goes_as_well(
    alice: Client, title: str, text: str, first: str, then: str, back: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    await say(first)
    lines = text.splitlines(keepends=True)
    assert await text_of(alice, where) == "".join(lines[:2] + lines[3:])
    await say(then)
    assert await text_of(alice, where) == "".join(lines[:2] + lines[4:])
    await say(back)
    assert await text_of(alice, where) == "".join(lines[:2] + lines[3:])


WEEK = "- Choir: Thursday\n- Choir committee: Friday\n- Pottery: Sunday at 2\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "todo", "message", "written"),
    [
        (WEEK, "Buy choir robes", "choir committee's been moved to Saturday", "committee: Sat"),
        (WEEK, "Glaze pottery bowls", "pottery's been moved to Saturday", ""),
        (WEEK, "Glaze pottery bowls", "Ben says pottery's been moved to Saturday", ""),
        (
            "- Chor: Donnerstag\n- Chor Vorstand: Freitag\n",
            "Chor Kleider kaufen",
            "Chor Vorstand ist auf Samstag verlegt",
            "Vorstand: Sam",
        ),
        (
            "- Coro: jueves\n- Junta del coro: viernes\n",
            "Comprar túnicas del coro",
            "la junta del coro se ha pasado al sábado",
            "coro: sáb",
        ),
        (
            "- Poterie : dimanche\n",
            "Émailler les bols de poterie",
            "la poterie est déplacée à samedi",
            "",
        ),
        ("- 陶芸：日曜14時\n", "陶芸の皿に釉薬をかける", "陶芸は土曜に変わった", ""),
        ("- 陶艺：周日14点\n", "给陶艺碗上釉", "丽丽说陶艺改到周六", ""),
    ],
)
async def test_the_line_that_is_named_whole_comes_before_a_todo(
    alice: Client, text: str, todo: str, message: str, written: str
) -> None:
    where = await note(alice, "Week plan", text)
    await add(alice, todo)
    answer = await Talk(alice).say(message)
    assert written in await text_of(alice, where)
    assert "Week plan" in answer
    assert todo not in answer


@pytest.mark.anyio
async def test_a_todo_that_is_named_is_moved_beside_such_a_line(alice: Client) -> None:
    where = await note(alice, "Week plan", WEEK)
    await add(alice, "Buy choir robes")
    assert "Buy choir robes" in await Talk(alice).say("move the choir robes to Saturday")
    assert await text_of(alice, where) == WEEK


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "turns", "says"),
    [
        ("Rooms", ROOMS, "how many beds in room 1?/and 12?", "Paul"),
        ("Rooms", ROOMS, "how many beds in room 1?/and 20?", ""),
        ("Zimmer", ZIMMER, "wie viele Betten hat Zimmer 1?/und 12?", "Paul"),
        ("Zimmer", ZIMMER, "wie viele Betten hat Zimmer 1?/und 3?", ""),
        ("房间", ROOMS.replace("Room ", "房间"), "房间1几张床/12呢", "Paul"),
        ("部屋", ROOMS.replace("Room ", "部屋"), "部屋1は誰？/20は？", ""),
    ],
)
async def test_a_number_alone_is_that_of_a_row(
    alice: Client, title: str, text: str, turns: str, says: str
) -> None:
    await note(alice, title, text)
    say = Talk(alice).say
    for one in turns.split("/"):
        answer = await say(one)
    assert says in answer
    assert says or not ("Paul" in answer or "Mia" in answer)


LOGS = {
    "en": "- 12 March 2025: 1.8 bar\n- 12 April 2025: 1.5 bar\n- 12 March 2026: 1.2 bar\n",
    "de": "- 12. März 2025: 1.8 bar\n- 12. April 2025: 1.5 bar\n- 12. März 2026: 1.2 bar\n",
    "es": "- 12 de marzo de 2025: 1.8 bar\n- 12 de abril de 2025: 1.5 bar\n",
    "fr": "- 12 mars 2025 : 1.8 bar\n- 12 avril 2025 : 1.5 bar\n- 12 mars 2026 : 1.2 bar\n",
    "ja": "- 2025年3月12日：1.8バール\n- 2025年4月12日：1.5バール\n- 2026年3月12日：1.2バール\n",
    "zh": "- 2025年3月12日：1.8巴\n- 2025年4月12日：1.5巴\n- 2026年3月12日：1.2巴\n",
}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "title", "question", "says"),
    [
        ("en", "Boiler log", "what was the boiler pressure on 12 March 2025?", "1.8"),
        ("en", "Boiler log", "what was the boiler pressure on March 12, 2026?", "1.2"),
        ("en", "Boiler log", "what was the boiler pressure on 12 May 2025?", ""),
        ("de", "Heizung", "welchen Druck hatte die Heizung am 12. April 2025?", "1.5"),
        ("de", "Heizung", "welchen Druck hatte die Heizung am 12. Mai 2025?", ""),
        ("es", "Caldera", "qué presión tenía la caldera el 12 de marzo de 2025?", "1.8"),
        ("es", "Caldera", "qué presión tenía la caldera el 12 de mayo de 2025?", ""),
        ("fr", "Chaudière", "pression de la chaudière le 12 mars 2025 ?", "1.8"),
        ("fr", "Chaudière", "pression de la chaudière le 12 mai 2025 ?", ""),
        ("fr", "Chaudière", "pression de la chaudière le 12/03/2026 ?", "1.2"),
        ("ja", "ボイラー", "2025年3月12日のボイラーは？", "1.8"),
        ("ja", "ボイラー", "ボイラーは2025年5月12日どうだった？", ""),
        ("zh", "锅炉记录", "锅炉2025年4月12日多少", "1.5"),
        ("zh", "锅炉记录", "锅炉2025年5月12日多少", ""),
    ],
)
async def test_a_whole_date_is_told_by_its_own_line(
    alice: Client, language: str, title: str, question: str, says: str
) -> None:
    await note(alice, title, LOGS[language])
    answer = await Talk(alice).say(question)
    told = [one for one in answer.splitlines() if one.startswith(">")]
    assert len(told) == bool(says)
    assert not says or says in told[0]


METER = "| Month | Water |\n|---|---|\n| September | 1212 |\n| October | 1221 |\n"
KENSHIN = "| 月 | 水道 |\n|---|---|\n| 9月 | 1212 |\n| 10月 | 1221 |\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("notes", "question", "is_told"),
    [
        ({"検針": KENSHIN, "レックスの体重": "- 2026年9月6日 24.1kg\n"}, "10月の体重は？", False),
        ({"検針": KENSHIN, "レックスの体重": "- 2026年9月6日 24.1kg\n"}, "10月の水道は？", True),
        ({"水表": KENSHIN, "豆豆体重": "- 2026年9月6日 24.1kg\n"}, "10月的体重是多少", False),
        ({"Meter": METER, "Rex weight": "- 2026-09-06: 24.1 kg\n"}, "rex weight in October", False),
        ({"Meter": METER, "Rex weight": "- 2026-09-06: 24.1 kg\n"}, "water in October?", True),
    ],
)
async def test_the_row_of_a_month_is_of_what_its_table_is(
    alice: Client, notes: dict[str, str], question: str, *, is_told: bool
) -> None:
    for title, text in notes.items():
        await note(alice, title, text)
    answer = await Talk(alice).say(question)
    assert any(one.startswith(">") and "1221" in one for one in answer.splitlines()) is is_told


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("todo", "message", "says"),
    [
        ("Call the dentist", "rename Call the dentist to Call the dentist", "already"),
        ("Zahnarzt anrufen", "benenne Zahnarzt anrufen in Zahnarzt anrufen um", "schon"),
        ("Llamar al dentista", "renombra Llamar al dentista a Llamar al dentista", "ya se"),
        ("Appeler le dentiste", "renomme Appeler le dentiste en Appeler le dentiste", "déjà"),
        ("歯医者に電話", "歯医者に電話を歯医者に電話に改名して", "もう"),
        ("给牙医打电话", "把给牙医打电话改名为给牙医打电话", "已经"),
    ],
)
async def test_a_name_that_is_there_is_said(
    alice: Client, todo: str, message: str, says: str
) -> None:
    await add(alice, todo)
    assert says in await Talk(alice).say(message)
