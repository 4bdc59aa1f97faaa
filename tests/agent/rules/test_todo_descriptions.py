"""What the description of a todo says is told where a question names that todo and asks for it."""

import pytest

from tests.conftest import Client
from tests.support.talks import Talk


async def add(client: Client, title: str, description: str) -> None:
    fields = {"title": title, "description": description}
    await client.ok("POST", "/os/todos", status=201, json=fields)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "description", "messages", "told"),
    [
        (
            "Order the jam jars",
            "150 jars of half a pound, from Kilner's",
            ["how many jam jars do we have to order?", "and from whom?"],
            "150 jars of half a pound, from Kilner's",
        ),
        (
            "Kuchenblech zu Erna bringen",
            "wohnt in der Bachgasse 4",
            ["wo muss das Kuchenblech zu Erna hin?"],
            "Bachgasse 4",
        ),
        (
            "Commander les bulbes",
            "80 tulipes, chez Daumas",
            ["combien de bulbes je dois commander ?", "chez qui ?"],
            "80 tulipes, chez Daumas",
        ),
        (
            "Encargar las sillas",
            "40 sillas, a Muebles Rioja",
            ["cuántas sillas había que encargar?", "¿y a quién?"],
            "40 sillas, a Muebles Rioja",
        ),
        ("订椅子", "一共40把，找老李", ["椅子要订多少把？"], "一共40把"),
        ("椅子を注文する", "40脚、リオ家具に", ["注文する椅子はいくつ？"], "40脚"),
    ],
)
async def test_the_description_of_the_todo_that_is_named_answers(
    alice: Client, title: str, description: str, messages: list[str], told: str
) -> None:
    await add(alice, title, description)
    await add(alice, "Wash the van", "3 buckets, ask Joe")
    say = Talk(alice).say
    for message in messages:
        answer = await say(message)
        assert told in answer
        assert title in answer


@pytest.mark.anyio
async def test_a_description_without_what_is_asked_for_is_not_told(alice: Client) -> None:
    await add(alice, "Order the jam jars", "before the fair, they are slow")
    answer = await Talk(alice).say("how many jam jars do we have to order?")
    assert "slow" not in answer


@pytest.mark.anyio
async def test_a_word_of_a_description_is_what_a_question_asks_for(alice: Client) -> None:
    await add(alice, "Parents' evening", "Room 14, Frau Weiss")
    assert "Room 14" in await Talk(alice).say("which room is the parents evening in?")
    assert "Room 14" not in await Talk(alice).say("which car takes us to the parents evening?")
