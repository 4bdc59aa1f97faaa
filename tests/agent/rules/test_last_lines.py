"""Questions for the last time, which the newest line of a log answers alone."""

from datetime import UTC, date, datetime

import pytest

from app.agent.rules.passages import last_lines, note_lines, questions
from app.agent.rules.passages.answer_passages import Text
from tests.agent.rules.test_at_once import note
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
CHIMNEY = (
    "- 12.03.2025: chimney swept (Mr Cole), £70\n- 09.03.2026: chimney swept (Mr Cole), £78\n"
    "- 01.10.2026: new cowl fitted\n"
)
BOAT = (
    "- 2025-04-02: Rumpf gestrichen (Werft Lund), 640 €\n"
    "- 2026-04-09: Rumpf gestrichen (Werft Lund), 710 €\n- 2026-09-30: Mast gelegt\n"
)
TENSION = "| Fecha | Tensión |\n|---|---|\n| 2026-10-02 | 13,1 |\n| 2026-11-15 | 12,4 |\n"
BIKE = (
    "- 2026-05-03 : chaîne changée, 32 €\n- 2026-10-18 : chaîne changée, 35 €\n"
    "- 2026-11-02 : freins réglés\n"
)
TANK = "- 10月3日：水槽の水を半分換えた\n- 11月7日：水槽の水を3割換えた\n- 11月12日：餌を買った\n"
BALCONY = "- 2026-10-30：浇了一桶水\n- 2026-11-16：浇了半桶水\n- 2026-11-18：剪枝\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "line"),
    [
        ("Chimney", CHIMNEY, ["when was the chimney last swept?"], "09.03.2026"),
        (
            "Chimney",
            CHIMNEY,
            ["when did we last have the chimney swept?", "and what did it cost?"],
            "£78",
        ),
        ("Boot", BOAT, ["wann haben wir zuletzt den Rumpf gestrichen?"], "2026-04-09"),
        (
            "Boot",
            BOAT,
            ["wann wurde der Rumpf das letzte Mal gestrichen?", "und was hat das gekostet?"],
            "710 €",
        ),
        ("Tensión", TENSION, ["¿cuál fue mi última tensión?"], "12,4"),
        (
            "Vélo",
            BIKE,
            ["la chaîne a été changée quand la dernière fois ?", "et ça a coûté combien ?"],
            "35 €",
        ),
        ("水槽", TANK, ["前回水槽の水を換えたのはいつ？"], "11月7日"),
        ("阳台", BALCONY, ["上次浇水是哪天？"], "2026-11-16"),
        ("阳台", BALCONY, ["最近一次浇水是什么时候", "浇了多少"], "2026-11-16"),
    ],
)
async def test_the_newest_line_alone_is_told(
    alice: Client, clock: MovableClock, title: str, text: str, messages: list[str], line: str
) -> None:
    clock.now = NOW
    await note(alice, title, text)
    say = Talk(alice).say
    told = ""
    for message in messages:
        told = await say(message)
    quoted = [one for one in told.splitlines() if one.startswith(">")]
    assert len(quoted) == 1
    assert line in quoted[0]


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("when was it swept last?", True),
        ("what was the latest reading?", True),
        ("what did I do last week?", False),
        ("was hat letzte Woche gekostet?", False),
        ("was war der letzte Stand?", True),
        ("la última lectura", True),
        ("la última semana", False),
        ("le dernier relevé", True),
        ("lundi dernier", False),
        ("最後に換えたのは？", True),
        ("最近一次是哪天", True),
    ],
)
def test_the_last_of_days_is_no_last_time(message: str, *, asks: bool) -> None:
    assert last_lines.asks_last(message) is asks


def _newest(message: str, *texts: str) -> str:
    notes = [Text(at, "Log", text, whole=True) for at, text in enumerate(texts, 1)]
    read = questions.read_question(message)
    found = last_lines.newest(message, read, notes, NOW.date(), ())
    return notes[found.passage.order].content[found.passage.start :][:12] if found else ""


def test_what_is_not_surely_of_one_log_is_no_last_line() -> None:
    swept = "- 2026-03-09: swept\n- 2026-10-01: swept\n"
    assert _newest("when was it last swept?", swept) == "- 2026-10-01"
    assert _newest("when was it last swept?", swept, swept.replace("10-01", "10-08")) == ""
    assert _newest("what did the last repair of the boiler cost?", swept) == ""
    assert _newest("how long does it last once swept?", swept) == ""
    assert _newest("when was it last swept?", "- 2026-03-09: swept\n") == ""


def test_what_is_to_come_was_not_the_last() -> None:
    text = "- 2026-10-01: swept\n- 2026-11-02: swept\n- 2027-03-01: swept again\n"
    assert _newest("when was it last swept?", text) == "- 2026-11-02"


@pytest.mark.parametrize(
    ("row", "day"),
    [
        ("- 03.11.2025: x", date(2025, 11, 3)),
        ("- 3.11.25: x", date(2025, 11, 3)),
        ("- 24.12.: x", date(2025, 12, 24)),
        ("- 1.11.: x", date(2026, 11, 1)),
        ("- 11月7日：x", date(2026, 11, 7)),
        ("- 21/11: x", date(2026, 11, 21)),
        ("- 31.02.2026: x", None),
        ("- twice: x", None),
    ],
)
def test_the_day_of_a_line_without_a_year_is_the_last_of_that_date(
    row: str, day: date | None
) -> None:
    (line,) = note_lines.read(row)
    assert last_lines.day_of(line, NOW.date()) == day
