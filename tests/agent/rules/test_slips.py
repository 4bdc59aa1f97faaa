"""A number that was just written into a note and was a slip is put right, and no other number."""

import pytest

from tests.agent.rules.test_at_once import note, text_of
from tests.conftest import Client
from tests.support.talks import Talk

KILN = "- 2026-11-06: 998 °C, fine\n- 2026-11-13: 1222 °C, two mugs stuck\n"
METER = "- 31.08.2026: 4310 kWh\n- 30.09.2026: 4588 kWh\n"
GAUGE = "- 2026-09-30: 419 m³\n- 2026-10-31: 427 m³\n"
FIRED = "- 05/11/2026 : biscuit 980°C\n- 18/11/2026 : arrêt à 600°C\n"
READINGS = "- 2026-09-30: 水道 405\n- 2026-10-31: 水道 412\n"
WEIGHTS = "- 2026-10-15: 4.9公斤\n- 2026-11-12: 4.7公斤\n"


FIRED_TODAY = "add to the kiln log: today, 1221 degrees"
READ_TODAY = "水道メーターに書いといて：今日 水道 421"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "first", "slip", "written"),
    [
        ("Kiln log", KILN, FIRED_TODAY, "typo, 1212", "1212"),
        ("Kiln log", KILN, FIRED_TODAY, "sorry, meant 1231", "1231"),
        (
            "Stromzähler",
            METER,
            "trag beim stromzähler ein: heute 4859",
            "zahlendreher, 4895",
            "4895",
        ),
        (
            "Contador del agua",
            GAUGE,
            "apunta en el contador del agua que hoy marca 431",
            "me he equivocado, era 433",
            "433",
        ),
        (
            "Cuissons",
            FIRED,
            "note dans les cuissons : aujourd'hui 1240°, deux tasses fendues",
            "ah non c'était 1250 pardon",
            "1250",
        ),
        ("水道メーター", READINGS, READ_TODAY, "間違えた、412じゃなくて", ""),
        ("水道メーター", READINGS, READ_TODAY, "ごめん、431だった", "431"),
        ("体重", WEIGHTS, "体重里加一条：今天 4.6公斤", "写错了，是4.8公斤", "4.8"),
    ],
)
async def test_the_number_just_written_is_put_right(
    alice: Client, title: str, text: str, first: str, slip: str, written: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    await say(first)
    before = await text_of(alice, where)
    assert before != text
    await say(slip)
    after = await text_of(alice, where)
    old, new = before.splitlines()[-1], after.splitlines()[-1]
    if not written:
        assert after == before
        return
    assert before.splitlines()[:-1] == after.splitlines()[:-1]
    assert written in new
    assert written not in old
    await say("undo that")
    assert await text_of(alice, where) == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "was it 1212?",
        "1212",
        "sorry, call Tom on 0171 1212",
        "sorry, the oven cost 45",
        "sorry, I am 20 minutes late",
    ],
)
async def test_what_is_no_slip_leaves_the_number(alice: Client, message: str) -> None:
    where = await note(alice, "Kiln log", KILN)
    say = Talk(alice).say
    await say(FIRED_TODAY)
    before = await text_of(alice, where)
    await say(message)
    assert await text_of(alice, where) == before


@pytest.mark.anyio
async def test_a_slip_is_of_what_the_turn_before_wrote(alice: Client) -> None:
    where = await note(alice, "Kiln log", KILN)
    say = Talk(alice).say
    await say(FIRED_TODAY)
    await say("what is due today?")
    before = await text_of(alice, where)
    await say("typo, 1212")
    assert await text_of(alice, where) == before
