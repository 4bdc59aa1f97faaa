"""What has its place in a note: lines under a heading, cells and rows of tables, codes."""

import pytest

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import cell_values, codes
from app.agent.rules.passages import note_lines, sections
from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.agent.rules.test_dialogue import NOW
from tests.conftest import Client
from tests.support.talks import Talk

FETE = (
    "# Summer fete\n\n## Raffle\n- tickets £1\n\n"
    "## Stalls\n- plants: Olga\n\n## Helpers\n- gate: Tim\n"
)
PAY = (
    "| Name | Fee | Locker | Phone |\n|---|---|---|---|\n"
    "| Ada Bloom | paid | 3 | 0171 55 301 |\n| Ned Ford | owes | 8 | 0171 55 909 |\n"
)
CLINIC = (
    "| Heure | Patient | Soin |\n|---|---|---|\n"
    "| 8h15 | M. Lenoir | piqûre |\n| 9h30 | Mme Petit | pansement |\n"
)
SHIFTS = (
    "| Tag | Beginn | Ende | Wer |\n|---|---|---|---|\n"
    "| Montag | 5:00 | 13:00 | Ruth |\n| Freitag | 6:30 | 14:30 | Karim |\n"
)
TURNS = (
    "| Día | Apertura | Cierre |\n|---|---|---|\n"
    "| Martes | 9:30 | 14:00 |\n| Sábado | 10:00 | 13:30 |\n"
)
CLASSES = "| 曜日 | 開始 | 終了 |\n|---|---|---|\n| 火 | 9:30 | 11:00 |\n| 金 | 18:00 | 20:00 |\n"
ROTA = (
    "| 姓名 | 岗位 | 手机 |\n|---|---|---|\n"
    "| 李娜 | 收银 | 0151 2207 |\n| 王强 | 仓库 | 0151 3381 |\n"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "written"),
    [
        ("Summer fete", FETE, ["put a bell under raffle in the summer fete note"], "£1\n- bell\n"),
        (
            "Summer fete",
            FETE,
            ["show me the summer fete", "add jam: Ida to the stalls"],
            "jam: Ida\n",
        ),
        ("Summer fete", FETE, ["add to helpers: teas by Bo"], "gate: Tim\n- teas by Bo\n"),
        (
            "Rührkuchen",
            "## Zutaten\n- 3 Eier\n\n## Zubereitung\n1. rühren\n2. backen\n",
            ["bei den Zutaten fehlt noch 1 Prise Salz, schreib das dazu"],
            "3 Eier\n- 1 Prise Salz\n",
        ),
        (
            "Kermesse",
            "## Buvette\n- limonade : Inès\n\n## Jeux\n- quilles\n",
            ["à la buvette de la kermesse ajoute thé glacé : Paul"],
            "Inès\n- thé glacé : Paul\n",
        ),
        (
            "Viaje",
            "## Maleta\n- [ ] gafas\n\n## Papeles\n- [ ] billetes\n",
            ["en la nota del viaje, en la maleta, pon también un peine"],
            "gafas\n- [ ] un peine\n",
        ),
        (
            "引っ越し",
            "## 台所\n- 鍋\n\n## 寝室\n- 布団\n",
            ["引っ越しの台所にやかんを足しといて"],
            "鍋\n- やかん\n",
        ),
        (
            "露营",
            "## 吃的\n- 面包\n\n## 工具\n- 锤子\n",
            ["露营的吃的里加一包饼干"],
            "面包\n- 饼干\n",
        ),
    ],
)
async def test_a_line_is_written_under_its_heading(
    alice: Client, title: str, text: str, messages: list[str], written: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    held = await text_of(alice, where)
    assert written in held
    assert len(held.splitlines()) == len(text.splitlines()) + 1


@pytest.mark.anyio
async def test_a_heading_of_two_notes_is_that_of_the_one_that_was_told(alice: Client) -> None:
    pancakes = await note(alice, "Pancakes", "## Ingredients\n- flour\n\n## Method\n1. stir\n")
    soup = await note(alice, "Lentil soup", "## Ingredients\n- lentils\n\n## Method\n1. boil\n")
    say = Talk(alice).say
    await say("show me the lentil soup")
    await say("add a carrot to the ingredients")
    await say("add to the method: blend it")
    assert await text_of(alice, soup) == (
        "## Ingredients\n- lentils\n- carrot\n\n## Method\n1. boil\n2. blend it\n"
    )
    other = Talk(alice).say
    await other("add a carrot to the ingredients")
    assert "carrot" not in await text_of(alice, pancakes)


@pytest.mark.anyio
async def test_a_day_is_no_heading_of_a_plan(alice: Client) -> None:
    plan = "## Monday\n- soup\n\n## Friday\n- fish\n"
    where = await note(alice, "Meals", plan)
    await Talk(alice).say("add a todo to call the dentist on Friday")
    assert await text_of(alice, where) == plan
    assert list(await todos(alice)) == ["call the dentist"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "row"),
    [
        (
            "Club fees",
            PAY,
            ["what's ned's phone number?", "he's paid, put that in"],
            "Ford | paid |",
        ),
        ("Club fees", PAY, ["which locker has ada?", "ned has locker 11 now"], "owes | 11 |"),
        (
            "Club fees",
            PAY,
            ["which locker has ada?", "her new number is 0171 55 777"],
            "0171 55 777",
        ),
        (
            "Visites",
            CLINIC,
            ["à quelle heure passe mme petit ?", "décale-la à 9h50"],
            "| 9h50 | Mme Petit |",
        ),
        (
            "Visites",
            CLINIC,
            [
                "m. lenoir c'est à quelle heure ?",
                "m. lenoir n'a plus de piqûre, c'est un pansement",
            ],
            "Lenoir | pansement |",
        ),
        (
            "Schichten",
            SHIFTS,
            ["wann ist am Freitag Beginn?", "mach da mal halb acht draus"],
            "| Freitag | 7:30 | 14:30 |",
        ),
        (
            "Horario",
            TURNS,
            ["a qué hora abrimos el martes?", "los sábados el cierre es a las 14:15"],
            "| 10:00 | 14:15 |",
        ),
        (
            "教室",
            CLASSES,
            ["教室は金曜何時から？", "金曜の始まりが18時30分になったから直しといて"],
            "| 金 | 18:30 | 20:00 |",
        ),
        ("值班", ROTA, ["李娜是什么岗位？", "她的号码换成0151 9090了"], "收银 | 0151 9090 |"),
        ("值班", ROTA, ["王强在哪个岗位？", "李娜现在也在仓库了，改一下"], "李娜 | 仓库 |"),
    ],
)
async def test_a_cell_gets_its_new_value(
    alice: Client, title: str, text: str, messages: list[str], row: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    held = await text_of(alice, where)
    assert row in held
    changed = [one for one in held.splitlines() if one not in text.splitlines()]
    assert len(changed) == 1
    await say("undo that")
    assert await text_of(alice, where) == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "has ned paid?",
        "remind me that ned paid the florist",
        "ned isn't the one who paid",
        "buy 11 lockers tomorrow",
        "never mind, ned hasn't paid",
    ],
)
async def test_no_cell_is_changed_on_a_guess(alice: Client, message: str) -> None:
    where = await note(alice, "Club fees", PAY)
    await add(alice, "Call Ned about the fete")
    say = Talk(alice).say
    await say("what's ned's phone number?")
    await say(message)
    assert await text_of(alice, where) == PAY


@pytest.mark.anyio
async def test_a_change_with_more_in_it_is_asked_about(alice: Client) -> None:
    where = await note(alice, "Club fees", PAY)
    say = Talk(alice).say
    await say("what's ned's phone number?")
    told = await say("ned's sister told grandma yesterday evening that he paid everybody")
    assert await text_of(alice, where) == PAY
    assert "Locker" not in told


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "message", "line", "count"),
    [
        ("Club fees", PAY, "new in the club fees: Kay Lund, fee owes, 12, 0171 55 222", "12", 1),
        ("Club fees", PAY, "put Lou Reid in the club fees too, owes, 14, 0171 55 888", "| 14 |", 1),
        ("Visites", CLINIC, "une de plus dans les visites : 10h, Mme Roy, prise de sang", "10h", 1),
        (
            "值班",
            ROTA,
            "值班里加个新人，赵敏，收银，手机0151 4411",
            "| 赵敏 | 收银 | 0151 4411 |",
            1,
        ),
        ("Club fees", PAY, "ned ford has left, take his row out of the club fees", "", -1),
        ("Schichten", SHIFTS, "in den Schichten: Karim hat gekündigt, die Zeile kann raus", "", -1),
        ("教室", CLASSES, "教室の表、金曜はなくなったから行ごと消して", "", -1),
    ],
)
async def test_a_row_comes_and_goes(
    alice: Client, title: str, text: str, message: str, line: str, count: int
) -> None:
    where = await note(alice, title, text)
    await Talk(alice).say(message)
    held = await text_of(alice, where)
    assert len(held.splitlines()) == len(text.splitlines()) + count
    assert line in held
    assert all(one.startswith("|") for one in held.splitlines())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "Wifi password: Heron19\n\nAlarm: 4471\n",
            ["the wifi password has been changed to Otter88"],
        ),
        ("WLAN-Passwort: Reiher-19\n", ["wie ist das WLAN-Passwort?", "das heißt jetzt Otter88"]),
        (
            "- code du portail : 12B45\n",
            ["c'est quoi le code du portail ?", "maintenant c'est Otter88"],
        ),
        (
            "- Contraseña: garza19\n",
            ["cuál es la contraseña?", "la han cambiado, ahora es Otter88"],
        ),
        ("- 門のパスワード: sagi-19\n", ["門のパスワードを変えたよ、今は Otter88"]),
        ("无线密码：lu2019\n", ["无线密码是多少", "换了，现在是 Otter88"]),
    ],
)
async def test_a_code_takes_the_place_of_the_old_one(
    alice: Client, text: str, messages: list[str]
) -> None:
    where = await note(alice, "House", text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    held = await text_of(alice, where)
    assert "Otter88" in held
    assert len(held.splitlines()) == len(text.splitlines())


def test_amounts_and_times_are_no_codes() -> None:
    for text in ("it is 250g now", "at 14h30", "on the 22nd", "room B2", "call 0171 55 301"):
        assert not codes.told(text)
    assert codes.told("it is Otter-88 now") == "Otter-88"
    assert not codes.told("Otter88 or Heron19")


@pytest.mark.parametrize(
    ("message", "row", "language", "texts"),
    [
        ("rex at quarter to four now", ["Rex", "14:30"], "en", ["15:45"]),
        ("at 9.05 now", ["Rex", "08:30"], "en", ["09:05"]),
        ("jetzt um halb sechs", ["Rex", "04:30"], "de", ["05:30"]),
        ("à 11h", ["Rex", "samedi 9h30"], "fr", ["samedi 11h"]),
        ("at 14:00 now", ["Rex", "3:30"], "en", ["14:00"]),
        ("it costs 12 now", ["Rex", "£10.50"], "en", ["£12"]),
        ("nothing of that", ["Rex", "14:30"], "en", []),
        ("rex's brother takes M", ["Rex", "S"], "en", []),
    ],
)
def test_a_value_is_written_as_its_cell_is(
    message: str, row: list[str], language: Language, texts: list[str]
) -> None:
    found = cell_values.find(message, row, [["Fly", row[1]]], NOW, language)
    assert [one.text for one in found] == texts


def test_weekdays_keep_their_form() -> None:
    rows = [["Rex", "Tue"], ["Fly", "Thu"]]
    found = cell_values.find("Rex comes on Saturday now", rows[0], rows[1:], NOW, "en")
    assert [one.text for one in found] == ["Sat"]


def test_sections_are_what_stands_below_their_headings() -> None:
    text = "intro\n# A\nx\n```\n# no\n```\n## B ##\ny\n# A\n"
    assert [(one.title, text[one.start : one.end]) for one in sections.find(text)] == [
        ("A", "x\n```\n# no\n```\n"),
        ("B", "y\n"),
        ("A", ""),
    ]
    assert [one.title for one in sections.find("# A\r\nx\r\n# B\r\n")] == ["A", "B"]
    assert [one.title for one in sections.find("````\n```\n# no\n````\n# A")] == ["A"]
    assert sections.named(text, "A") is None
    assert sections.named(text, "B") is not None


def test_a_row_may_have_a_full_stop() -> None:
    assert [one.label for one in note_lines.read(CLINIC)] == ["M. Lenoir", "Mme Petit"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "messages", "row"),
    [
        (
            "| Cliente | Tartas |\n|---|---|\n| Doña Rosa | 2 |\n| Hotel Sol | 9 |\n",
            ["cuántas tartas quiere doña rosa?", "doña rosa quiere tres en vez de dos"],
            "| Doña Rosa | 3 |",
        ),
        (
            "| Client | Bouquet |\n|---|---|\n| Mme Lebel | lys blancs |\n| Mairie | gerbe |\n",
            ["qu'a commandé la mairie ?", "mme lebel veut des tulipes à la place des lys blancs"],
            "| Mme Lebel | tulipes |",
        ),
        (
            "| Sorte | Menge |\n|---|---|\n| Roggenbrot | 60 |\n| Laugen | 90 |\n",
            ["wie viele Laugen backen wir?", "Roggenbrot machen wir ab jetzt 75"],
            "| Roggenbrot | 75 |",
        ),
    ],
)
async def test_news_of_a_row_is_taken_at_its_word(
    alice: Client, text: str, messages: list[str], row: str
) -> None:
    where = await note(alice, "Orders", text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert row in await text_of(alice, where)


@pytest.mark.anyio
async def test_what_is_to_be_done_by_a_day_is_open(alice: Client) -> None:
    await add(alice, "Steuer abgeben", dueDate="2026-11-22")
    await add(alice, "Winterreifen aufziehen", dueDate="2026-11-20")
    done = (await todos(alice))["Winterreifen aufziehen"]["id"]
    await alice.ok("POST", f"/os/todos/{done}/complete", json={})
    told = await Talk(alice).say("was muss bis Montag noch erledigt werden?")
    assert "Steuer abgeben" in told
    assert "Winterreifen" not in told


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "has ned paid",
        "ned might have paid",
        "maybe ned has paid",
        "i hope ned has paid",
        "ned promised that he has paid",
        "everyone except ned has paid",
        "ask ned whether he has paid",
        "when ned has paid i'll tell you",
        "ned is married to the one who paid",
    ],
)
async def test_what_only_may_be_so_changes_no_cell(alice: Client, message: str) -> None:
    where = await note(alice, "Club fees", PAY)
    say = Talk(alice).say
    await say("what's ned's phone number?")
    await say(message)
    assert await text_of(alice, where) == PAY


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "my flight is LH1234B",
        "i tested positive for covid-19",
        "the wifi at the cafe is Guest2024x",
        "not sure if the wifi password is Heron99x now",
        "we might change the wifi password to Otter77",
        "remember that the invoice is R2024-118",
    ],
)
async def test_a_code_of_something_else_is_no_new_one(alice: Client, message: str) -> None:
    held = "Wifi password: Heron19\n"
    where = await note(alice, "House", held)
    say = Talk(alice).say
    await say("what's the wifi password?")
    await say(message)
    assert (await text_of(alice, where)).startswith(held)


@pytest.mark.anyio
async def test_a_row_that_is_called_as_an_item_is_taken_out_alone(alice: Client) -> None:
    held = "| Who | Brings |\n|---|---|\n| Carol | salad |\n| Bob | rice |\n\n- Carol\n- Bob\n"
    where = await note(alice, "Picnic", held)
    await Talk(alice).say("carol has cancelled, take her row out of the picnic table")
    assert "- Carol" in await text_of(alice, where)


@pytest.mark.anyio
async def test_a_note_is_meant_and_no_heading_of_the_one_that_was_told(alice: Client) -> None:
    roster = await note(alice, "Dog roster", "## Shopping\n- biscuits\n\n## Walks\n- Rex\n")
    shopping = await note(alice, "Shopping", "- [ ] eggs\n")
    say = Talk(alice).say
    await say("show me the dog roster")
    await say("add milk to shopping")
    assert "milk" not in await text_of(alice, roster)
    assert "milk" in await text_of(alice, shopping)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "message", "written"),
    [
        (
            "- a\n\n## Ideas",
            "put a trip to Rome under ideas in the plan note",
            "## Ideas\n\ntrip to Rome",
        ),
        ("## Ideas\n\n## Done\n- b\n", "put a trip under ideas in the plan note", "\n\n## Done"),
        (
            "## A\r\n- a\r\n\r\n## Omega\r\n- x\r\n",
            "put three under omega in the plan note",
            "three",
        ),
        ("```\n## Ideas\n```\n\n- b\n", "put a trip under ideas in the plan note", "trip"),
        ("3. Dezember Zahnarzt", "add brush teeth to the plan note", "Zahnarzt\n\nbrush teeth"),
        (
            "- [ ] eggs\n",
            "add lemons, 3 limes and tea to the plan note",
            "- [ ] 3 limes\n- [ ] tea",
        ),
    ],
)
async def test_nothing_of_a_note_is_lost_by_a_new_line(
    alice: Client, text: str, message: str, written: str
) -> None:
    where = await note(alice, "Plan", text)
    say = Talk(alice).say
    if (await say(message)).endswith("?"):
        await say("yes")
    held = await text_of(alice, where)
    assert written in held
    assert all(one.strip() in held for one in text.splitlines())


@pytest.mark.anyio
async def test_a_table_in_code_is_left_alone(alice: Client) -> None:
    held = "```\n| Room | Fee |\n|---|---|\n| Attic | due |\n| Barn | paid |\n```\n"
    where = await note(alice, "Rooms", held)
    say = Talk(alice).say
    await say("show me the rooms")
    await say("attic is paid now")
    assert await text_of(alice, where) == held


def test_a_long_table_is_read_at_once() -> None:
    rows = [[f"name{number}", f"{number} m", f"word{number}"] for number in range(3000)]
    found = cell_values.find("name7 has word9 now", rows[7], rows[:7] + rows[8:], NOW, "en")
    assert [one.text for one in found] == ["word9"]


@pytest.mark.anyio
async def test_a_word_for_a_password_takes_the_place_of_the_old_one(alice: Client) -> None:
    where = await note(alice, "House", "Wifi password: heron\n\nBins: Friday\n")
    say = Talk(alice).say
    await say("what's the wifi password?")
    if (await say("change the wifi password to otter")).endswith("?"):
        await say("yes")
    assert await text_of(alice, where) == "Wifi password: otter\n\nBins: Friday\n"


@pytest.mark.anyio
async def test_the_last_value_of_a_new_row_may_be_a_no(alice: Client) -> None:
    held = "| Name | Garten | Bezahlt |\n|---|---|---|\n| Voss | 3 | ja |\n| Kern | 8 | nein |\n"
    where = await note(alice, "Vereinsbeitrag", held)
    say = Talk(alice).say
    told = await say("wer hat den Vereinsbeitrag noch nicht bezahlt?")
    assert "Kern" in told
    assert "Voss" not in told
    await say("trag bitte noch Lang ein, Garten 12, bezahlt nein")
    assert await text_of(alice, where) == f"{held}| Lang | 12 | nein |\n"
