"""Sums and numbers of days: what is reckoned, and what is no sum."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from app.agent.rules import message_route, rules
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.reckoning import (
    list_sums,
    note_sums,
    numbers,
    reckoning,
    sums,
    words,
    written_dates,
)
from app.agent.rules.reckoning.sum_tokens import Amount
from app.agent.rules.reckoning.sum_wishes import Solved
from app.agent.turn.steps import Asked, Thing, Trace

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
TOOLS = frozenset({"search_notes", "search_todos", "get_note_content", "list_notes"})


def asked(message: str, *earlier: Trace) -> Asked:
    return Asked(message=message, results=(), tools=TOOLS, now=NOW, earlier=earlier)


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "one thousand two hundred and fifty", 1250),
        ("en", "1,280.50", Decimal("1280.50")),
        ("de", "fünfundzwanzig", 25),
        ("de", "dreitausendvierhundert", 3400),
        ("de", "4.350 Euro", 4350),
        ("de", "3,5 kg", Decimal("3.5")),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "soixante et onze", 71),
        ("fr", "1 280 euros", 1280),
        ("es", "treinta y uno", 31),
        ("es", "mil quinientos", 1500),
        ("ja", "二千五百円", 2500),
        ("ja", "3万5千円", 35_000),
        ("zh", "一万二千块", 12_000),
        ("zh", "两千六百欧元", 2600),
    ],
)
def test_numbers_are_read_in_digits_and_words(language: str, text: str, value: Decimal) -> None:
    assert [one.value for one in numbers.find(words.folded(text), language)] == [value]


@pytest.mark.parametrize(
    ("language", "text", "sure"),
    [("en", "1.280", False), ("de", "1,280", False), ("de", "1.280", True), ("en", "0.125", True)],
)
def test_a_mark_that_may_part_thousands_elsewhere_is_not_sure(
    language: str, text: str, sure: bool
) -> None:
    assert [one.sure for one in numbers.find(text, language)] == [sure]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "18400 plus 9000", "27400"),
        ("en", "1,200 - 0.1", "1199.9"),
        ("en", "12 times 7", "84"),
        ("en", "(2 + 3) * 4", "20"),
        ("en", "15% of 80", "12"),
        ("en", "1 divided by 3", "0.3333333333"),
        ("en", "1/0", None),
        ("en", "9**9", None),
        ("en", "__import__('os')", None),
        ("en", "9" * 50 + "+1", "1" + "0" * 50),
        ("en", "1" * 99 + "+1", None),
        ("en", "so what would 15 percent of 18400 be", "2760"),
        ("en", "80 euros, 15 percent off, how much is that?", "68"),
        ("en", "640 split between 4 people", "160"),
        ("en", "12 euros each for 9 people, how much is that?", "108"),
        ("zh", "一百二加三百五", "470"),
        ("de", "rechne mal 17 mal 23", "391"),
        ("en", "2 hours and 45 minutes plus 30 minutes", "195"),
        ("de", "640 durch zwei, wieviel muss ich also zahlen?", "320"),
        ("de", "18400 minus 19 prozent?", "14904"),
        ("de", "18.400 minus 19%", "14904"),
        ("de", "die Hälfte von 145", "72,5"),
        ("fr", "ça fait combien 15 pour cent de 18400", "2760"),
        ("fr", "840 euros à partager entre 4 personnes", "210"),
        ("es", "145 con un 10% de descuento", "130,5"),
        ("es", "cuanto es 6 por 96", "576"),
        ("ja", "18400の15パーセントっていくら", "2760"),
        ("ja", "（120-20）*3は？", "300"),
        ("ja", "100を8で割ると？", "12.5"),
        ("ja", "5000円の2割引きはいくら", "4000"),
        ("en", "if she stays 4 hours, 35 times 4?", "140"),
        ("es", "pesa 23, o sea 23 x 3 cuánto es", "69"),
        ("en", "we have 5 chairs, 35 times 4?", None),
        ("zh", "18400的百分之十五是多少", "2760"),
        ("zh", "100块打8折多少钱", "80"),
        ("zh", "640欧4个人平分，每人多少", "160"),
    ],
)
def test_sums_are_worked_out(language: str, text: str, value: str | None) -> None:
    assert sums.value_of(text, language) == value


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what happened on 2026-12-10?"),
        ("en", "2026-12-10"),
        ("ja", "2026-12-19って何曜日"),
        ("zh", "2026-12-10星期几"),
        ("en", "buy 2 eggs and 3 apples"),
        ("en", "due within 3 days"),
        ("en", "call 0451-773190"),
        ("en", "what's the number 040 5550 173"),
        ("en", "between 2 and 8 degrees?"),
        ("en", "18.400 minus 9.000"),
        ("en", "from 9 to 5"),
        ("en", "2 and 3"),
        ("de", "1 und 4"),
        ("de", "Halle 4 Platz 27"),
        ("de", "am 3. minus 4"),
        ("de", "was ist am 3.12. um 18:30"),
        ("en", "tomorrow after work, 17:30"),
        ("fr", "rendez-vous 12/12 à 18h30"),
        ("es", "entre 2 y 8 grados"),
    ],
)
def test_dates_ranges_and_other_numbers_are_no_sum(language: str, text: str) -> None:
    assert sums.reckon(text, language) is None


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("de", "und mal drei?", 960),
        ("en", "half of that", 160),
        ("en", "and 10% of that", 32),
        ("de", "und davon 10 prozent?", 32),
        ("fr", "et 10 % de ça ?", 32),
        ("es", "¿y el 10 % de eso?", 32),
        ("ja", "その10%は？", 32),
        ("zh", "它的10%呢", 32),
        ("en", "and with a 10% discount?", 288),
        ("fr", "et fois trois ?", 960),
        ("es", "y con un 10% de descuento?", 288),
        ("ja", "それを4で割ると", 80),
        ("zh", "打九折呢", 288),
    ],
)
def test_a_sum_goes_on_from_the_last(language: str, text: str, value: int) -> None:
    found = sums.reckon(text, language, Amount(Decimal(320), "euro", "€"))
    assert found is not None
    assert (found.result.value, found.result.written) == (value, "€")


def test_the_result_of_a_sum_is_what_the_next_goes_on_from() -> None:
    first = rules.next_step(asked("640 Euro durch zwei, wieviel ist das?"))
    assert first.text == "640 Euro ÷ 2 = 320 Euro"
    assert first.trace is not None
    assert rules.next_step(asked("und mal drei?", first.trace)).text == "320 Euro × 3 = 960 Euro"


TOLD = Trace(intent="ask", language="zh", day="2026-12-10", about=(Thing("note", 1, "妈妈来访"),))


@pytest.mark.parametrize(
    ("message", "earlier", "text"),
    [
        ("wie viele tage sind es noch bis zum 12. dezember?", (), "Noch 19 Tage"),
        ("how many days till christmas?", (), "32 days until Friday, 25 December"),
        ("how many days since 3 August?", (), "112 days since"),
        ("how many days until the wedding, the 20th of march?", (), "117 days until"),
        ("how many weeks until 8 January?", (), "46 days = 6 weeks + 4 days"),
        ("Le 31 décembre ça tombe quel jour ?", (), "jeudi 31 décembre"),
        ("クリスマスイブは何曜日？", (), "12月24日（木曜日）"),
        ("三周后是几号", (), "12月14日星期一"),
        ("what date is next friday?", (), "Friday, 4 December"),
        ("还有几天", (TOLD,), "17 天"),
        ("那天星期几", (TOLD,), "12月10日星期四"),
    ],
)
def test_days_are_counted_and_named(message: str, earlier: tuple[Trace, ...], text: str) -> None:
    step = rules.next_step(asked(message, *earlier))
    assert text in step.text
    assert step.trace is not None
    assert step.trace.day


@pytest.mark.parametrize(
    "message",
    [
        "what's due within 3 days",
        "how many todos until friday?",
        "how many days of holiday do I have left?",
        "how long does delivery take?",
        "リスボン行きの飛行機は何日？",
        "我妈哪天到",
        "what's on next friday?",
        "日曜日は何がある？",
    ],
)
def test_what_asks_for_something_else_counts_no_days(message: str) -> None:
    found = message_route.understand(asked(message)).intent
    assert found not in ("tell_days", "tell_day", "days_left", "sum"), found


def test_dates_are_read_with_their_year() -> None:
    today = date(2026, 11, 23)
    told = "born on 2 may 2021; 2018年5月14日; location du 20 au 27 fevrier 2027; 19. dezember"
    found = written_dates.find(written_dates.first_of_stretches(told), today)
    assert [one.day.isoformat() for one in found] == [
        "2021-05-02",
        "2018-05-14",
        "2027-02-20",
        "2026-12-19",
    ]


NOTES = [
    Text(1, "New flat", "Rent 1,280 euros a month, deposit 3,840 euros.\n", True),
    Text(
        2,
        "Removal firms",
        "Hanse Movers want 890 euros.\n\nRapid Transport want 740 euros.\n",
        True,
    ),
    Text(3, "Chalet", "840 euros, à partager à quatre.\n", True),
    Text(4, "Brioche", "Pour 10 brioches : 1 kg de farine, 600 g de beurre, 12 œufs.\n", True),
    Text(5, "Tarifas", "Consulta: 38 euros.\n\nEsterilización de gata: 145 euros.\n", True),
    Text(6, "Tenerife", "Apartamento Los Dragos, 96 euros por noche.\n", True),
    Text(7, "料金表", "アップライトの調律：130ユーロ。\n\nグランドの調律：170ユーロ。\n", True),
    Text(8, "王磊婚礼", "套餐价2600欧元，定金800欧元已付。\n", True),
    Text(9, "新公寓", "月租980欧元，押金2940欧元。\n", True),
    Text(10, "Winterlager", "Kosten: 640 Euro für den Winter.\n", True),
    Text(11, "Sofa", "Between 400 and 450 euros. Armchair about 200 euros.\n", True),
    Text(12, "Treatment tables", "Model Lojer 241 costs 2,150 euros. Call 040 5550 173.\n", True),
    Text(13, "Fence", "Quote: 1.280 euros.\n", True),
    Text(15, "Cumple", "Tarta de 38 euros. Somos 14. La nevera, entre 2 y 8 grados.\n", True),
    Text(14, "Paint", "White: 30 euros. Also white, matt: 35 euros.\n", True),
]


@pytest.mark.parametrize(
    ("language", "message", "shown"),
    [
        (
            "en",
            "deposit plus the first month's rent, how much is that?",
            "3840 + 1280 = 5120 euros",
        ),
        ("en", "two months' rent plus the deposit, total?", "2 × 1280 + 3840 = 6400 euros"),
        ("en", "how much is the rent for a year?", "12 × 1280 = 15360 euros"),
        ("en", "what's 20 percent of the deposit?", "20 % × 3840 euros = 768 euros"),
        ("en", "how much cheaper is Rapid than Hanse?", "890 - 740 = 150 euros"),
        ("fr", "le chalet, ça fait combien par personne ?", "840 ÷ 4 = 210 euros"),
        ("fr", "combien de beurre pour 20 brioches ?", "600 × 20 ÷ 10 = 1200 g"),
        ("es", "y cuánto es el apartamento por 6 noches?", "6 × 96 = 576 euros"),
        ("es", "cuánto cuestan dos consultas?", "2 × 38 = 76 euros"),
        (
            "ja",
            "グランド3台とアップライト2台の調律だと合計いくら？",
            "3 × 170 + 2 × 130 = 770ユーロ",
        ),
        ("zh", "王磊婚礼的尾款还有多少？", "2600 - 800 = 1800欧元"),
        ("zh", "一年房租一共是多少", "12 × 980 = 11760欧元"),
        ("de", "das Winterlager pro Person bei zwei Leuten?", "640 ÷ 2 = 320 Euro"),
    ],
)
def test_amounts_of_a_note_are_reckoned_with(language: str, message: str, shown: str) -> None:
    found = note_sums.solve(message, language, NOTES)
    assert found is not None
    assert reckoning.shown(found.reckoned, language) == shown


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "how much is half of the sofa?"),
        ("en", "what do 2 armchairs cost?"),
        ("en", "how much is model Lojer 241?"),
        ("en", "how much is the fence plus 10%?"),
        ("en", "two cans of white, how much?"),
        ("en", "how much is the rent for a week?"),
        ("en", "how much is the rent for half a year?"),
        ("en", "how much for 3 months of the garage?"),
        ("es", "la tarta, ¿cuánto por persona?"),
        ("de", "wie viel kostet Halle 4?"),
        ("de", "was kostet das Winterlager für 3 Monate?"),
        ("zh", "月租除以三个押金是多少"),
        ("en", "by how much?"),
    ],
)
def test_nothing_is_reckoned_where_an_amount_is_not_sure(language: str, message: str) -> None:
    found = note_sums.solve(message, language, NOTES)
    assert found is None, found


LIST = "- [ ] Wool 12 euros\n- [x] Needles 9 euros\n- [ ] Buttons 4.50 euros\n"


def of_lines(message: str, language: str, *notes: Text, before: tuple[int, ...] = ()) -> str:
    """Return what the lines come to that a message means, or the one that it asks for."""
    request = list_sums.read(message, language, asked(message))
    found = list_sums.solve(request, notes, asked(message), before) if request else None
    if isinstance(found, Solved):
        return reckoning.shown(found.reckoned, language)
    return found.sentence.text if found else ""


@pytest.mark.parametrize(
    ("message", "text", "shown"),
    [
        ("what does the knitting come to in total?", LIST, "12 + 9 + 4.5 = 25.5 euros"),
        ("and the total now?", LIST, "12 + 9 + 4.5 = 25.5 euros"),
        ("what does the wool come to in total?", LIST, ""),
        ("what does the knitting come to in total?", f"{LIST}- [ ] 3 zips\n", ""),
        ("what does the knitting come to in total?", f"{LIST}Deposit 5 euros\n", ""),
        (
            "what does the knitting come to in total?",
            f"Budget: 40 euros\n\n{LIST}",
            "12 + 9 + 4.5 = 25.5 euros",
        ),
        (
            "what does the knitting come to in total?",
            f"{LIST}Total: 25.5 euros\n",
            "12 + 9 + 4.5 = 25.5 euros",
        ),
        ("what does the knitting come to in total?", f"{LIST}Yarn club 8 euros a month\n", ""),
    ],
)
def test_a_list_comes_to_what_its_lines_cost_where_each_tells_a_price(
    message: str, text: str, shown: str
) -> None:
    note = Text(1, "Knitting", text, whole=True)
    assert of_lines(message, "en", note, before=(1,)) == shown


LOGS = {
    "en": Text(1, "Plum sales", "2026-11-03: £40 market\n2026-11-14: £25 farm gate\n", True),
    "de": Text(
        2,
        "Radtouren",
        "| Tag | Ziel | km |\n|---|---|---|\n| 3.10. | Ulm | 40 |\n| 2.11. | Ulm | 12 |\n"
        "| 9.11. | See | 31 |\n",
        True,
    ),
    "fr": Text(3, "Ruches", "2026-11-02 : 4 pots\n2026-11-09 : 7 pots\n", True),
    "es": Text(4, "Obra", "- cemento 30 €\n- arena 12 €\n- cemento 18 €\n- puerta 90 €\n", True),
    "ja": Text(5, "釣りの記録", "- 11/3 鯵 12匹\n- 11/10 鯖 5匹\n", True),
    "zh": Text(6, "油费流水", "- 2026-11-02 300元\n- 2026-11-20 280元\n", True),
}
"""A log, a table or a list of a language, of which the lines count something."""


@pytest.mark.parametrize(
    ("language", "message", "shown"),
    [
        ("en", "what have the plum sales made this month all told?", "40 + 25 = 65 £"),
        ("en", "how much did I earn in plum sales last week?", ""),
        ("en", "how much have we made in cherry sales in total?", ""),
        ("en", "how much do the plum sales split between 2 come to in total?", ""),
        ("de", "wie viele km bin ich im November insgesamt gefahren?", "12 + 31 = 43 km"),
        ("de", "wie viele km Radtouren nach Ulm waren das insgesamt?", "40 + 12 = 52 km"),
        ("de", "wie viele km Radtouren nach Rom waren das insgesamt?", ""),
        ("de", "welche der Radtouren war am längsten?", "| 3.10. | Ulm | 40 |"),
        ("fr", "combien de pots j'ai faits en novembre ?", "4 + 7 = 11 pots"),
        ("fr", "combien de pots en tout en octobre ?", ""),
        ("es", "cuánto llevo gastado en cemento?", "30 + 18 = 48 €"),
        ("es", "cuánto llevo gastado en azulejos?", ""),
        ("es", "qué es lo más caro de la obra?", "puerta 90 €"),
        ("ja", "釣りの記録、全部で何匹？", "12 + 5 = 17匹"),
        ("zh", "油费流水加起来一共多少", "300 + 280 = 580元"),
        ("zh", "油费流水哪天最多", "2026-11-02 300元"),
        ("zh", "油费流水这三天一共多少", ""),
    ],
)
def test_lines_are_added_up_that_a_message_surely_means(
    language: str, message: str, shown: str
) -> None:
    assert of_lines(message, language, LOGS[language]) == shown


def test_of_two_notes_that_may_be_meant_none_is_added_up() -> None:
    owed = Text(1, "Honey owed", "- Farm shop: £112\n- Vicar: £16\n", True)
    prices = Text(2, "Honey prices", "- Small jar: £4\n- Big jar: £8\n", True)
    assert of_lines("how much am I owed for honey all told", "en", owed, prices) == (
        "112 + 16 = 128 £"
    )
    assert of_lines("how much is honey in total", "en", owed, prices) == ""


@pytest.mark.parametrize(
    ("language", "message", "note", "asked_before", "shown"),
    [
        ("en", "by how much?", 2, "which firm was cheaper?", "890 - 740 = 150 euros"),
        ("fr", "et pour 20 ?", 4, "combien de beurre pour 10", "600 × 20 ÷ 10 = 1200 g"),
        ("es", "y con un 10% de descuento?", 5, "cuánto es la esterilización", "130,5 euros"),
        ("zh", "扣掉定金，尾款还有多少", 8, "婚礼是几号", "2600 - 800 = 1800欧元"),
        (
            "es",
            "menos 20 del bono y 5 de la visita, ¿en cuánto queda?",
            5,
            "cuánto es la esterilización",
            "- 20 - 5",
        ),
    ],
)
def test_what_was_quoted_is_reckoned_with(
    language: str, message: str, note: int, asked_before: str, shown: str
) -> None:
    told = NOTES[note - 1].content
    goes_on = note_sums.goes_on(message, language, told, [asked_before])
    assert goes_on or note_sums.may_ask(message, language)
    found = note_sums.solve(message, language, NOTES, [note], [told], [asked_before])
    assert found is not None
    assert shown in reckoning.shown(found.reckoned, language)


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "what does Rapid Transport want"),
        ("en", "how much is the deposit?"),
        ("es", "cuánto es la consulta?"),
        ("zh", "豆包多重"),
        ("en", "and on friday?"),
        ("de", "und wo ist das?"),
    ],
)
def test_what_asks_for_one_amount_or_none_is_no_sum(language: str, message: str) -> None:
    assert not note_sums.may_ask(message, language)
    assert not note_sums.goes_on(message, language, "Rent 1,280 euros a month", [])


@pytest.mark.parametrize(
    ("message", "language", "shown", "value"),
    [
        ("60 cups at 14 euros, how much is that?", "en", "14 euros × 60", 840),
        ("8 gläser zu 3,50 euro, was macht das", "de", "3,5 Euro × 8", 28),
        ("quick one, 14 x 38 plus 2 x 55", "en", "14 × 38 + 2 × 55", 642),
        (
            "17 kilos plus 9, à 14 euros le kilo, ça fait combien ?",
            "fr",
            "14 euros × (17 kilos + 9)",
            364,
        ),
        ("1500円の皿8枚でいくら", "ja", "1500円 × 8枚", 12000),
        ("si son 1400 y me dieron 350 cuánto falta por cobrar", "es", "1400 - 350", 1050),
    ],
)
def test_numbers_of_a_message_are_reckoned_by_what_it_says_of_them(
    message: str, language: str, shown: str, value: int
) -> None:
    found = sums.reckon(message, language)
    assert found is not None
    assert (found.shown, found.result.value) == (shown, value)


@pytest.mark.parametrize("message", ["two tickets for 30 euros", "we are 6, the soup is at 8"])
def test_what_names_no_price_of_each_is_not_reckoned(message: str) -> None:
    assert sums.reckon(message, "en") is None
