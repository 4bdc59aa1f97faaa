"""Questions for a time that has been, which the lines of a log or the rows of a table answer."""

from datetime import UTC, date, datetime

import pytest

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import past_times
from app.agent.turn.steps import Asked
from tests.agent.rules.test_at_once import add, note
from tests.conftest import Client, MovableClock
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""A Monday."""
METERS = (
    "| Datum | Strom kWh | Wasser m³ |\n|---|---|---|\n| 30.09.2026 | 7120 | 211 |\n"
    "| 15.10.2026 | 7188 | 214 |\n| 31.10.2026 | 7260 | 219 |\n"
)
SMOKER = (
    "- 2026-10-04: trout, 82 °C\n- 2026-10-18: eel, 91 °C, too dry\n"
    "- 2026-11-12: trout, 79 °C, just right\n"
)
BOILER = "- 2026-09-30: 1,4 bar\n- 2026-10-31: 1,2 bar\n"
DOG = (
    "- 03/03/2026 : vaccin, 18,4 kg, 52 €\n- 07/07/2026 : tique, 19,1 kg, 31 €\n"
    "- 05/11/2026 : dents, 19,6 kg, 140 €\n"
)
BEES = "- 2026-08-02: 越冬準備、蜜 4kg\n- 2026-10-19: 砂糖水をやった、重さ 21kg\n"
PIANO = "- 2026-11-09: 练习曲第三首\n- 2026-11-17: 奏鸣曲。作业:左手音阶\n"
BINS = "| 種類 | いつ |\n|---|---|\n| 生ごみ | 月曜 |\n| 紙 | 水曜 |\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "messages", "told"),
    [
        ("Zählerstände", METERS, ["stromzähler ende oktober?"], ["7260"]),
        ("Zählerstände", METERS, ["stromzähler ende oktober?", "und im september?"], ["7120"]),
        ("Zählerstände", METERS, ["was stand mitte oktober auf dem wasserzähler"], ["7188"]),
        ("Smoker log", SMOKER, ["show me the smoker log", "how hot was it on the 12th?"], ["79"]),
        (
            "Smoker log",
            SMOKER,
            ["what went into the smoker in october?", "and in november?"],
            ["2026-11-12"],
        ),
        ("Smoker log", SMOKER, ["what did we smoke last in the smoker?", "and before that?"], []),
        ("Smoker log", SMOKER, ["what was in the smoker in october?"], ["trout, 82", "eel, 91"]),
        (
            "Presión caldera",
            BOILER,
            ["enséñame presión caldera", "¿cuánto marcaba a finales de septiembre?"],
            ["1,4"],
        ),
        ("Filou véto", DOG, ["poids de filou en juillet ?"], ["19,1"]),
        ("Filou véto", DOG, ["poids de filou en juillet ?", "et le 5 ?"], ["19,6"]),
        ("ミツバチ", BEES, ["ミツバチの重さ、10月はいくつだった？"], ["21kg"]),
        ("钢琴课记录", PIANO, ["钢琴课上周的作业是什么"], ["左手音阶"]),
        ("ゴミ", BINS, ["紙ごみって何曜だったっけ"], ["| 紙 |"]),
    ],
)
async def test_the_lines_of_the_time_are_told(
    alice: Client, clock: MovableClock, title: str, text: str, messages: list[str], told: list[str]
) -> None:
    clock.now = NOW
    await note(alice, title, text)
    await add(alice, "Return the books", dueDate="2026-11-18", userTimezone="UTC")
    say = Talk(alice).say
    answer = ""
    for message in messages:
        answer = await say(message)
    quoted = [line for line in answer.splitlines() if line.startswith(">")]
    assert len(quoted) == max(len(told), 1)
    for line, part in zip(quoted, told, strict=False):
        assert part in line


@pytest.mark.anyio
async def test_the_time_before_is_told_again_and_again(alice: Client, clock: MovableClock) -> None:
    clock.now = NOW
    await note(alice, "Filou véto", DOG)
    say = Talk(alice).say
    assert "140 €" in await say("combien on a payé chez le véto la dernière fois pour filou ?")
    assert "31 €" in await say("et la fois d'avant ?")
    assert "52 €" in await say("et avant ça ?")
    assert ">" not in await say("et avant ça ?")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "what was in the smoker in july?",
        "and on the 7th?",
        "how hot was it at the end of november?",
        "what was the weather like on the 12th?",
        "what did Norman pay on the 12th?",
        "what's due in october?",
        "what do I have to do on the 12th?",
        "move the books to the end of october",
    ],
)
async def test_no_other_line_is_told(alice: Client, clock: MovableClock, message: str) -> None:
    clock.now = NOW
    await note(alice, "Smoker log", SMOKER)
    await add(alice, "Return the books", dueDate="2026-11-18", userTimezone="UTC")
    say = Talk(alice).say
    await say("when was the smoker used last?")
    answer = await say(message)
    assert not [line for line in answer.splitlines() if line.startswith(">")]


@pytest.mark.anyio
async def test_of_what_is_to_come_the_todos_are_told(alice: Client, clock: MovableClock) -> None:
    clock.now = NOW
    await note(alice, "Smoker log", SMOKER)
    await add(alice, "Return the books", dueDate="2026-11-26", userTimezone="UTC")
    say = Talk(alice).say
    await say("when was the smoker used last?")
    assert "Return the books" in await say("what's on thursday?")


@pytest.mark.parametrize(
    ("language", "text", "first", "last"),
    [
        ("en", "at the end of october", (2026, 10, 21), (2026, 10, 31)),
        ("en", "in october last year", (2025, 10, 1), (2025, 10, 31)),
        ("en", "on the 27th", (2026, 10, 27), (2026, 10, 27)),
        ("en", "on 13 november 2025", (2025, 11, 13), (2025, 11, 13)),
        ("de", "ende letzten monats", (2026, 10, 21), (2026, 10, 31)),
        ("de", "anfang mai", (2026, 5, 1), (2026, 5, 10)),
        ("de", "und am 6.11.?", (2026, 11, 6), (2026, 11, 6)),
        ("es", "a finales del mes pasado", (2026, 10, 21), (2026, 10, 31)),
        ("es", "y el viernes?", (2026, 11, 20), (2026, 11, 20)),
        ("fr", "fin août", (2026, 8, 21), (2026, 8, 31)),
        ("fr", "et le 12 ?", (2026, 11, 12), (2026, 11, 12)),
        ("ja", "先月末", (2026, 10, 21), (2026, 10, 31)),
        ("ja", "先週の金曜", (2026, 11, 20), (2026, 11, 20)),
        ("zh", "上个月底", (2026, 10, 21), (2026, 10, 31)),
        ("zh", "2025年10月", (2025, 10, 1), (2025, 10, 31)),
        ("zh", "上周五", (2026, 11, 20), (2026, 11, 20)),
    ],
)
def test_a_time_that_has_been_is_read(
    language: Language, text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    asked = Asked(text, (), frozenset(), NOW)
    found = past_times.read(asked, text, language)
    assert found
    assert (found.first, found.last) == (date(*first), date(*last))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "next friday"),
        ("en", "may I have it?"),
        ("en", "tomorrow"),
        ("de", "nächsten Oktober"),
        ("de", "übermorgen"),
        ("es", "la semana que viene"),
        ("fr", "sept pommes"),
        ("ja", "来月末"),
        ("zh", "上上个月"),
    ],
)
def test_other_times_have_not_been(language: Language, text: str) -> None:
    assert past_times.read(Asked(text, (), frozenset(), NOW), text, language) is None
