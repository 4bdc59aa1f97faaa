"""Sums of the lines of notes as a conversation goes on: other days, other lines, after a change."""

from datetime import UTC, date, datetime

import pytest

from app.agent.rules.dialogue import said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import log_lines, new_rows
from app.agent.turn.steps import Asked
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk

ORDERS = "| Kunde | Stück | Abholung | bezahlt |\n|---|---|---|---|\n| Otto | 4 | 12.12. | ja |\n"
SCORES = "| 日付 | 商業簿記 | 工業簿記 | 合計 |\n|---|---|---|---|\n| 11月8日 | 42 | 26 | 68 |\n"
MENU = "| 品种 | 小碗 | 大碗 |\n|---|---|---|\n| 牛肉面 | 16 | 19 |\n"
PRESSURE = (
    "| 日期 | 高压 | 低压 |\n|---|---|---|\n| 2026-11-13 | 144 | 91 |\n| 2026-11-20 | 142 | 90 |\n"
)
MILES = "| Date | Miles |\n|---|---|\n| 2026-11-16 | 41 |\n| 2026-11-17 | 29 |\n"
DATED = "| Day | What | Amount |\n| --- | --- | --- |\n| 11/05 | Train | 13 € |\n"

NOTES = {
    "Gasverbrauch": "- 03.11.2026: 41 m³\n- 10.11.2026: 38 m³\n- 17.11.2026: 45 m³\n",
    "Hours flown 2026": "| Month | Hours |\n|---|---|\n| September | 31 |\n| October | 18 |\n",
    "Freezer inventory": "| Animal | Count |\n|---|---|\n| Jay | 3 |\n| Owl | 1 |\n| Fox | 2 |\n",
    "Torres": "| Pueblo | Cuota anual |\n|---|---|\n| Almazán | 420 € |\n| Berlanga | 380 € |\n",
    "Setas 2026": "- 2026-10-17: 2 kg de níscalos\n- 2026-10-24: 3 kg de boletus\n",
    "Jams": "| Jam | Price |\n|---|---|\n| quince | 4.50 € |\n| medlar | 6.20 € |\n",
    "Crew pay": "Per flight:\n- Paco: 70 €\n- Nuria: 55 €\n- Marek: 55 €\n",
    "Diario de capturas": "2026-11-16: 6 kg\n2026-11-18: 3 kg\n2026-11-20: 7 kg\n",
    "Gallinas": "2026-11-19: 4 huevos\n2026-11-20: 6 huevos\n2026-11-22: 3 huevos\n",
    "Tarifs miel": "- acacia 500 g : 9 €\n- pain d'épices : 6 €\n",
    "水揚げ記録": "- 11/2 サザエ 12kg、アワビ 1.5kg\n- 11/11 サザエ 15kg、アワビ 2kg\n",
    "工时记录": "- 11/16 小满 8小时\n- 11/17 大刘 9小时\n- 11/19 大刘 7小时\n- 11/20 小满 5小时\n",
}


async def talk(client: Client, clock: MovableClock, *messages: str) -> str:
    """Return the answer to the last of some messages, over those notes."""
    clock.now = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
    for title, content in NOTES.items():
        fields = {"title": title, "content": content}
        await client.ok("POST", "/os/notes", status=201, json=fields)
    say = Talk(client).say
    answers = [await say(message) for message in messages]
    return answers[-1]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (["wieviel gas hab ich laut liste im november verbraucht?"], "41 + 38 + 45 = 124"),
        (["hours flown this year in total?"], "31 + 18 = 49"),
        (["what does the crew cost me per flight, all three"], "70 + 55 + 55 = 180"),
        (["how many animals are in the freezer alltogether"], "3 + 1 + 2 = 6"),
        (["cuánto cobro al año entre todas las torres"], "420 + 380 = 800"),
        (["what do the jams cost altogether"], "4.5 + 6.2 = 10.7"),
        (["cuántos kilos llevo cogidos en noviembre"], "6 + 3 + 7 = 16 kg"),
        (["cuántos huevos pusieron desde el viernes"], "6 + 3 = 9 huevos"),
        (["今月サザエ全部で何キロ採れた?", "アワビは?"], "1.5 + 2 = 3.5"),
        (["小满这个月干了几个小时", "大刘呢"], "9 + 7 = 16"),
        (
            [
                "cuántos kilos llevo cogidos en noviembre",
                "hoy salieron 4 kg, apúntalo ahí",
                "total?",
            ],
            "6 + 3 + 7 + 4 = 20 kg",
        ),
    ],
)
async def test_lines_are_added_up_as_a_conversation_goes_on(
    alice: Client, clock: MovableClock, messages: list[str], told: str
) -> None:
    assert told in await talk(alice, clock, *messages)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "messages",
    [
        ["cuántos kilos llevo cogidos en noviembre", "gracias"],
        ["小满这个月干了几个小时", "明天呢"],
        ["what does the crew cost me per flight, all three", "remind me to pay them tomorrow"],
        ["how much did I spend on petrol in november?"],
    ],
)
async def test_nothing_else_is_added_up(
    alice: Client, clock: MovableClock, messages: list[str]
) -> None:
    assert " = " not in await talk(alice, clock, *messages)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "title", "line"),
    [
        (
            ["wieviel gas hab ich laut liste im november verbraucht?", "trag für heute 39 m³ ein"],
            "Gasverbrauch",
            "- 23.11.2026: 39 m³",
        ),
        (
            ["cuántos huevos pusieron desde el viernes", "hoy 5, súmalo al registro"],
            "Gallinas",
            "2026-11-23: 5 huevos",
        ),
        (
            ["小满这个月干了几个小时", "今天小满又干了7个小时 记上"],
            "工时记录",
            "- 11/23 小满 7小时",
        ),
        (
            [
                "what does the crew cost me per flight, all three",
                "paco is 75 from now on, change it",
            ],
            "Crew pay",
            "- Paco: 75 €",
        ),
        (
            ["cuántas setas llevo este año", "el sábado cogí otros 2 kg de boletus, añádelo"],
            "Setas 2026",
            "- 2026-11-21: el sábado cogí otros 2 kg de boletus",
        ),
        (["passe l'acacia à 9,50 €"], "Tarifs miel", "- acacia 500 g : 9,50 €"),
        (
            ["passe l'acacia à 9,50 €", "rajoute aussi la gelée royale, 15 € le pot"],
            "Tarifs miel",
            "- gelée royale : 15 € le pot",
        ),
    ],
)
async def test_what_a_message_tells_of_the_note_spoken_of_stands_there_in_its_form(
    alice: Client, clock: MovableClock, messages: list[str], title: str, line: str
) -> None:
    await talk(alice, clock, *messages)
    found = (await alice.ok("GET", "/os/notes", params={"limit": 50}))["notes"]
    note_id = next(one["id"] for one in found if one["title"] == title)
    note = (await alice.ok("GET", f"/os/notes/{note_id}"))["note"]
    assert line in note["markdown"].splitlines()
    assert (await alice.ok("GET", "/os/todos"))["result"]["todos"] == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ("ayer salieron 4 kg, apúntalo ahí", ["2026-11-22: 4 kg"]),
        ("hoy salieron 4 kg, apúntalo ahí. no espera, déjalo", []),
        ("mañana saldrán 4 kg, apúntalo ahí", []),
    ],
)
async def test_only_what_has_been_and_is_meant_is_logged(
    alice: Client, clock: MovableClock, message: str, lines: list[str]
) -> None:
    await talk(alice, clock, "cuántos kilos llevo cogidos en noviembre", message)
    found = (await alice.ok("GET", "/os/notes", params={"limit": 50}))["notes"]
    note_id = next(one["id"] for one in found if one["title"] == "Diario de capturas")
    note = (await alice.ok("GET", f"/os/notes/{note_id}"))["note"]
    assert note["markdown"].splitlines()[3:] == lines


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("es", "el sábado salieron 4 kg", [date(2026, 11, 21)]),
        ("de", "am Samstag waren es 4 kg", [date(2026, 11, 21)]),
        ("en", "4 kg today", [date(2026, 11, 23)]),
        ("en", "4 kg tomorrow", [None]),
        ("zh", "明天 4公斤", [None]),
        ("en", "4 kg last week", [None]),
        ("en", "4 kg", []),
    ],
)
def test_a_day_of_a_log_is_the_last_such_one(
    language: Language, text: str, days: list[date | None]
) -> None:
    asked = Asked(text, (), frozenset(), datetime(2026, 11, 23, 9, 0, tzinfo=UTC))
    assert said_days.past_days(asked, text, language) == days


@pytest.mark.parametrize(
    ("markdown", "text", "line"),
    [
        ("| Colour | Pieces |\n|---|---|\n| green | 6 |\n", "violet, 10 pieces", "| violet | 10 |"),
        ("| A | B | C |\n|---|---|---|\n| a | 6 | c |\n", "x, 10, y", "| x | 10 | y |"),
        ("| A | B | C |\n|---|---|---|\n| a | 6 | c |\n", "just a word", None),
        ("- hotel: £80\n- train: £20\n", "taxi £15", "- taxi: £15"),
        ("- gasoil : 96 €\n- péage : 41 €\n", "péage à 22 €", "- péage : 22 €"),
        ("- [ ] milk\n- [ ] 2 eggs\n", "3 beans", None),
        ("- Ann: gown\n- Dad: crosswords\n", "Tilly 3 books", None),
        (DATED, "11/20 駐車場 1,200円", "| 11/20 | 駐車場 | 1,200円 |"),
        (DATED, "11/20 parking at the clinic 12 €", "| 11/20 | parking at the clinic | 12 € |"),
        (DATED, "20 Nov, parking, 12 €", "| 20 Nov | parking | 12 € |"),
        (DATED, "11/20 parking", None),
        (DATED, "parking 12 €", None),
        (ORDERS, "Frau Lindner, 2 Stück, Abholung 19.12.", "| Frau Lindner | 2 | 19.12. |  |"),
        (ORDERS, "Frau Lindner, 2 Stück, am Freitag", None),
        (ORDERS, "Frau Lindner, 2 Stück, 3 Stück", None),
        (MENU, "酸辣粉 小碗12 大碗14", "| 酸辣粉 | 12 | 14 |"),
        (MENU, "酸辣粉 中碗13", None),
        (SCORES, "11月22日 商業44 工業30 合計74", "| 11月22日 | 44 | 30 | 74 |"),
        (PRESSURE, "高压138低压86", "| 2026-11-23 | 138 | 86 |"),
        (PRESSURE, "昨天 高压138低压86", "| 2026-11-22 | 138 | 86 |"),
        (PRESSURE, "高压138", None),
        (MILES, "38 miles for today", "| 2026-11-23 | 38 |"),
        (MILES, "yesterday: 12", "| 2026-11-22 | 12 |"),
        (MILES, "the car was in the garage", None),
        ("| Tea | Price |\n|---|---|\n", "Assam, 3.50", "| Assam | 3.50 |"),
    ],
)
def test_a_new_row_has_the_form_of_the_others(markdown: str, text: str, line: str | None) -> None:
    asked = Asked("", (), frozenset(), datetime(2026, 11, 23, 9, 0, tzinfo=UTC))
    added = new_rows.add(markdown, text, asked)
    assert added == (None if line is None else f"{markdown}{line}\n")


@pytest.mark.parametrize(
    ("log", "text", "line"),
    [
        ("2026-11-09: 5 kg\n2026-11-12: 4 kg\n", "200 g", "2026-11-23: 200 g"),
        ("2026-11-09: 5 kg\n2026-11-12: 4 kg\n", "we caught 6", "2026-11-23: 6 kg"),
        ("3.11.: seal\n10.11.: 38 m³\n", "the seal again", "23.11.: the seal again"),
    ],
)
def test_an_amount_stands_in_a_log_as_the_others_do(log: str, text: str, line: str) -> None:
    asked = Asked("", (), frozenset(), datetime(2026, 11, 23, 9, 0, tzinfo=UTC))
    assert log_lines.add(log, text, asked).splitlines()[-1] == line
