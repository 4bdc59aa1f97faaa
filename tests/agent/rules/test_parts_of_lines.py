"""One of several things in a line of a note is taken off, and not the whole line."""

import pytest

from tests.agent.rules.test_at_once import note, text_of
from tests.conftest import Client
from tests.support.talks import Talk

GIFTS = "- Ben: thermos, head torch\n- Ann: kettle\n"
GESCHENKE = "- Malte: Thermoskanne, Stirnlampe\n- Tante Irmi: Teekanne\n"
TAILLES = "- Léo (8 ans) : vêtements 128, pointure 33\n- Capucine : vêtements 110, pointure 28"
REGALOS = "- Lupe: cafetera, lámina de setas\n- Mamá: manta\n"
LIKES = "- 好き：ほうじ茶、陶器\n- 靴：38\n"
GIFTS_ZH = "- 爸爸：围巾、茶叶\n- 妈妈：手套\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "text", "first", "message", "gone", "kept"),
    [
        ("Gifts", GIFTS, "show gifts", "take the head torch off", ", head torch", "- Ben: thermos"),
        (
            "Geschenkideen",
            GESCHENKE,
            "zeig die Geschenkideen",
            "die Stirnlampe kannst du streichen, hat er schon",
            ", Stirnlampe",
            "- Malte: Thermoskanne",
        ),
        (
            "Geschenkideen",
            GESCHENKE,
            "zeig die Geschenkideen",
            "streich bei Malte die Thermoskanne",
            "Thermoskanne",
            "- Malte: Stirnlampe",
        ),
        (
            "Geschenkideen",
            GESCHENKE,
            "zeig die Geschenkideen",
            "Thermoskanne und Stirnlampe raus",
            "Malte",
            "- Tante Irmi: Teekanne",
        ),
        (
            "Tailles des petits",
            TAILLES,
            "montre les tailles des petits",
            "enlève la pointure de Capucine",
            ", pointure 28",
            "- Capucine : vêtements 110",
        ),
        (
            "Regalos",
            REGALOS,
            "muestra regalos",
            "quita la cafetera",
            "cafetera",
            "- Lupe: lámina de setas",
        ),
        ("美咲の好み", LIKES, "美咲の好みを見せて", "陶器を消して", "陶器", "- 好き：ほうじ茶"),
        ("礼物", GIFTS_ZH, "打开礼物", "把茶叶去掉", "茶叶", "- 爸爸：围巾"),
    ],
)
async def test_only_the_part_that_is_named_is_taken_off(
    alice: Client, title: str, text: str, first: str, message: str, gone: str, kept: str
) -> None:
    where = await note(alice, title, text)
    say = Talk(alice).say
    await say(first)
    await say(message)
    after = await text_of(alice, where)
    assert gone not in after
    assert kept in after.split("\n")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "first", "message", "kept"),
    [
        ("- mouchoirs\n- compote\n", "liste papa", "enlève la compote il en a plein", False),
        ("- sopa\n- cordero\n", "lista de papá", "y quita el cordero q Lupe es vegetariana", False),
        ("- milk\n- eggs\n", "groceries", "take the milk powder off, we have plenty", True),
        ("- milk\n- eggs\n", "groceries", "if we still have milk take the milk off", True),
    ],
)
async def test_an_item_is_taken_off_whatever_the_reason(
    alice: Client, text: str, first: str, message: str, kept: bool
) -> None:
    where = await note(alice, first.capitalize(), text)
    say = Talk(alice).say
    await say({"groceries": "show groceries"}.get(first, f"montre la {first}"))
    await say(message)
    assert (await text_of(alice, where) == text) == kept
