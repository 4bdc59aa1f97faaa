"""The weekday, time or name that stands in a line of a note, and is another now."""

import pytest

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import days_times
from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.agent.rules.test_dialogue import NOW
from tests.conftest import Client
from tests.support.talks import Talk

CHOIR = "Rehearsal moved to Thursday at 7.\n\nConcert: 12 December, St Mary's.\n"
FETE = "Car park: Bev\nCake stall: Norman\nRaffle: Joan\n"
CLUBS = "- Judo: Wed 16:00\n- Swimming: Sat 9:30\n"
VEREIN = "Chorprobe: donnerstags 19:30\nRestmüll: Dienstag\nKuchenstand: Ilse\nKasse: Uwe\n"
COURS = "Yoga : lundi 19h\nBuvette : Luc\nTombola : Inès\n"
DEPORTE = "Entrenamiento: martes 18:30\nBarra: Pepe\nMúsica: Lola\n"
NARAI = "レッスン：木曜 16:00\n受付：田中\n会計：鈴木\n"
KECHENG = "钢琴课：周四 17:00\n停车场：李娜\n蛋糕摊：王强\n"
PUPILS = (
    "| 名前 | レッスン | 月謝 |\n|---|---|---|\n| 大野りこ | 火曜 15:30 | 70 |\n"
    "| 高木ゆうと | 水曜 17:00 | 95 |\n"
)
ROTA = "| Day | Who |\n|---|---|\n| Wednesday | Gwen |\n| Thursday | Tess |\n| Friday | Dom |\n"
DOGS = "| Dog | When |\n|---|---|\n| Duke | Tue 15:30 |\n| Molly | Mon 9:00 |\n"
BEDS = "- Bed 1: empty\n- Bed 2: leeks and kale\n- Bed 3: garlic\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "line"),
    [
        ("Choir", CHOIR, ["choir's been moved to friday"], "moved to Friday at 7."),
        (
            "Choir",
            CHOIR,
            ["when is the rehearsal?", "the rehearsal's on friday now, not thursday"],
            "moved to Friday at 7.",
        ),
        ("Choir", CHOIR, ["when is the rehearsal?", "it's at half eight now"], "Thursday at 8:30."),
        ("Clubs", CLUBS, ["swimming's on sunday at 10 now"], "Swimming: Sun 10:00"),
        ("Clubs", CLUBS, ["judo's moved from wednesday to friday"], "Judo: Fri 16:00"),
        ("Fete", FETE, ["norman's doing the car park now, not bev"], "Car park: Norman"),
        ("Fete", FETE, ["joan's taking over the cake stall from norman"], "Cake stall: Joan"),
        (
            "Verein",
            VEREIN,
            ["die chorprobe ist jetzt freitags um acht"],
            "Chorprobe: freitags 20:00",
        ),
        ("Verein", VEREIN, ["der restmüll kommt jetzt mittwochs"], "Restmüll: Mittwoch"),
        ("Verein", VEREIN, ["den kuchenstand macht jetzt uwe"], "Kuchenstand: Uwe"),
        ("Agenda", COURS, ["le yoga passe au jeudi"], "Yoga : jeudi 19h"),
        ("Agenda", COURS, ["inès tient la buvette maintenant"], "Buvette : Inès"),
        (
            "Club",
            DEPORTE,
            ["el entrenamiento pasa al sabado a las siete"],
            "Entrenamiento: sábado 19:00",
        ),
        ("Club", DEPORTE, ["ahora la barra la lleva lola"], "Barra: Lola"),
        ("習い事", NARAI, ["レッスンは金曜日になったよ"], "レッスン：金曜 16:00"),
        ("習い事", NARAI, ["受付は鈴木さんに代わりました"], "受付：鈴木"),
        ("安排", KECHENG, ["钢琴课改到周五了"], "钢琴课：周五 17:00"),
        ("安排", KECHENG, ["停车场现在由王强负责"], "停车场：王强"),
        (
            "生徒名簿",
            PUPILS,
            ["りこちゃんのレッスンは何曜日?", "木曜の16時に変わることになったから名簿直しといて"],
            "| 大野りこ | 木曜 16:00 | 70 |",
        ),
    ],
)
async def test_a_value_of_a_line_is_another_now(
    alice: Client, title: str, text: str, messages: list[str], line: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    held = await text_of(alice, where)
    assert line in held
    changed = set(held.splitlines()) - set(text.splitlines())
    assert len(changed) == 1
    assert not await todos(alice)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages"),
    [
        ("Choir", CHOIR, ["when is the rehearsal?", "is it on friday now?"]),
        ("Choir", CHOIR, ["the rehearsal might be on friday now"]),
        ("Choir", CHOIR, ["the rehearsal isn't on friday"]),
        ("Clubs", CLUBS, ["judo moved to friday this week"]),
        ("Clubs", CLUBS, ["judo's moved from friday to wednesday"]),
        ("Clubs", CLUBS, ["the judo club's car has moved to friday"]),
        ("Fete", FETE, ["someone's doing the car park now"]),
        ("Verein", VEREIN, ["vielleicht ist die chorprobe jetzt freitags"]),
        ("Agenda", COURS, ["j'espère que le yoga passe au jeudi"]),
        ("Club", DEPORTE, ["ojalá el entrenamiento pase al jueves"]),
        ("習い事", NARAI, ["レッスンは今週だけ金曜になったよ"]),
        ("安排", KECHENG, ["钢琴课下周改到周五了"]),
        (
            "School run",
            ROTA,
            [
                "who's on the school run on friday?",
                "and wednesday",
                "we swapped. i do wednesday and gwen does thursday, can u change that",
            ],
        ),
        ("Dogs", DOGS, ["when does duke come?", "duke's 5 to 6 on friday now"]),
        ("Dogs", DOGS, ["when does duke come?", "duke's moved from friday to tuesday"]),
        ("Allotment plan", BEDS, ["sowed broad beans in bed 1 on saturday, update the plan pls"]),
    ],
)
async def test_what_is_open_or_of_another_changes_no_line(
    alice: Client, title: str, text: str, messages: list[str]
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    for message in messages:
        await say(message)
    assert await text_of(alice, where) == text


@pytest.mark.anyio
async def test_a_todo_of_the_same_name_is_meant_unless_the_note_was_told(alice: Client) -> None:
    await add(alice, "Dentist", dueDate="2026-11-27")
    clubs = "Dentist: Mon 9:00\nJudo: Wed 16:00\n"
    where = await note(alice, "Clubs", clubs)
    await Talk(alice).say("dentist's been moved to friday")
    assert await text_of(alice, where) == clubs
    say = Talk(alice).say
    await say("show me the note clubs")
    assert "“Mon”" in await say("dentist's been moved to friday")
    assert await text_of(alice, where) == clubs


@pytest.mark.parametrize(
    ("language", "message", "text", "wanted"),
    [
        ("en", "it's on saturday at 5pm now", "Tue 4pm", "Sat 5pm"),
        ("en", "it's at ten now", "at 9.30", "at 10.00"),
        ("de", "jetzt samstags um halb acht", "Mo 19 Uhr", "Sa 19:30 Uhr"),
        ("fr", "maintenant le mercredi à 18h", "mardi 17h30", "mercredi 18h"),
        ("ja", "日曜の午後4時半に変更", "土曜日 午後3時", "日曜日 午後4時半"),
        ("zh", "改到星期天六点", "周六下午5点", "周日下午6点"),
        ("en", "friday or saturday", "Tue 4pm", None),
        ("en", "on friday at 5 now", "Tuesdays", None),
        ("en", "it's at 5 on friday", "Tue 16:00-17:00", None),
    ],
)
def test_a_weekday_and_a_time_are_written_as_the_old_ones(
    language: Language, message: str, text: str, wanted: str | None
) -> None:
    said = days_times.said_in(message, NOW, language)
    moved = days_times.moved(text, said, NOW, language) if said else None
    assert (moved.text if moved else None) == wanted
