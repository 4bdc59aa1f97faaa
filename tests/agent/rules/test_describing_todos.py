"""What a message writes into the description of a todo, and that it can be read and taken back."""

import pytest

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.note_parts import description_words
from tests.agent.rules.test_at_once import note, text_of
from tests.conftest import Client
from tests.support.talks import Talk

OLD = "first line"


async def add(client: Client, title: str) -> int:
    fields = {"title": title, "description": OLD, "dueDate": "2030-05-06"}
    made = await client.ok("POST", "/os/todos", status=201, json=fields)
    return int(made["result"]["todo"]["id"])


async def description_of(client: Client, todo: int) -> str:
    read = await client.ok("GET", f"/os/todos/{todo}")
    return str(read["todo"]["description"])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "messages", "written"),
    [
        (
            "Order the jam jars",
            ["add to the jam jar todo that the lids must be red"],
            "the lids must be red",
        ),
        ("Call the dentist", ["note on the dentist task: bring the x-rays"], "bring the x-rays"),
        (
            "Call the dentist",
            ["when is the dentist due?", "put in the description that he is on floor 2"],
            "he is on floor 2",
        ),
        (
            "Zahnarzt anrufen",
            ["wann ist der zahnarzt?", "schreib da noch in die beschreibung: mail vom 2.11."],
            "mail vom 2.11.",
        ),
        (
            "Zahnarzt anrufen",
            ["schreib beim Zahnarzt dazu, dass er die Krankenkassenkarte braucht"],
            "dass er die Krankenkassenkarte braucht",
        ),
        (
            "Dentiste Timéo",
            [
                "c'est quand le dentiste de timéo ?",
                "et ajoute dans la description qu'il faut prendre la carte vitale",
            ],
            "il faut prendre la carte vitale",
        ),
        (
            "Llamar al dentista",
            ["añade a la tarea del dentista que hay que llevar la tarjeta"],
            "hay que llevar la tarjeta",
        ),
        (
            "そらの歯医者",
            ["歯医者のタスクのメモ欄に、保険証を持っていくって書いといて"],
            "保険証を持っていく",
        ),
        ("去邮局寄包裹", ["什么时候去邮局寄包裹", "顺便要买邮票,写到备注里"], "要买邮票"),
    ],
)
async def test_a_text_goes_after_the_description_and_is_taken_back(
    alice: Client, title: str, messages: list[str], written: str
) -> None:
    todo = await add(alice, title)
    await add(alice, "Wash the van")
    say = Talk(alice).say
    for message in messages:
        answer = await say(message)
    assert written in answer
    assert title in answer
    assert await description_of(alice, todo) == f"{OLD}\n{written}"
    await say({"そ": "元に戻して", "去": "撤销"}.get(title[0], "undo"))
    assert await description_of(alice, todo) == OLD


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "asks", "answer", "in_note"),
    [
        ("Tax return", "add to the tax return that a slip is missing", "the todo", False),
        ("Tax return", "add to the tax return that a slip is missing", "2", True),
        (
            "Steuererklärung",
            "schreib bei der Steuererklärung dazu, dass ein Beleg fehlt",
            "1",
            False,
        ),
        ("报税", "给报税补充一句：还差发票", "待办", False),
    ],
)
async def test_what_may_be_of_a_note_of_the_same_name_is_asked_about(
    alice: Client, title: str, asks: str, answer: str, *, in_note: bool
) -> None:
    todo = await add(alice, title)
    there = await note(alice, title, "in the drawer\n")
    say = Talk(alice).say
    asked = await say(asks)
    assert asked.count(title) >= 2
    assert await description_of(alice, todo) == OLD
    await say(answer)
    assert (await description_of(alice, todo) == OLD) is in_note
    assert (await text_of(alice, there) != "in the drawer\n") is in_note


@pytest.mark.anyio
async def test_what_a_description_says_is_told(alice: Client) -> None:
    await add(alice, "Call the dentist")
    say = Talk(alice).say
    assert OLD in await say("what's in the description of the dentist?")
    await say("add to the description that it is on floor 2")
    assert "> it is on floor 2" in await say("what does it say?")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("when is the dentist due?", "don't add to the description that he needs the card"),
        ("when is the dentist due?", "should I put in the description that he is ill?"),
        ("when is the dentist due?", "he wrote in the description that he is ill"),
        ("when is the dentist due?", "add to the description of the car that it is red"),
        ("show me the van log", "add to the description that it is red"),
        ("show me the van log", "put in my notes that the dentist is ill"),
        ("when is the dentist due?", "schreib bloß nicht in die Beschreibung, dass er krank ist"),
        ("when is the dentist due?", "n'ajoute rien dans la description"),
    ],
)
async def test_what_is_not_to_be_written_there_changes_no_description(
    alice: Client, first: str, message: str
) -> None:
    todo = await add(alice, "Call the dentist")
    await note(alice, "Van log", "- oil: May\n")
    say = Talk(alice).say
    await say(first)
    await say(message)
    assert await description_of(alice, todo) == OLD


@pytest.mark.parametrize(
    ("language", "message", "name", "text"),
    [
        ("en", "write in the description of the dentist not to eat", "dentist", "not to eat"),
        ("es", "apunta en la descripción del dentista no comer", "dentista", "no comer"),
        ("fr", "note sur la tâche dentiste : radios", "dentiste", "radios"),
        ("de", "in die Beschreibung vom Zahnarzt: Bild mitnehmen", "Zahnarzt", "Bild mitnehmen"),
        ("ja", "保険証を持っていくと歯医者の備考に書いて", "歯医者", "保険証を持っていく"),
        ("zh", "把带卡写到约牙医的备注里", "约牙医", "带卡"),
    ],
)
def test_the_text_is_as_it_was_typed(
    language: Language, message: str, name: str, text: str
) -> None:
    said = description_words.read(message, language)
    assert (said[0].name, said[0].text) == (name, text)


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("zh", "不要在牙医的备注里写带医保卡"),
        ("zh", "要不要在牙医的备注里写带卡？"),
        ("zh", "牙医的备注里写了带卡"),
        ("ja", "歯医者の備考に保険証って書かないで"),
        ("ja", "歯医者の備考に保険証って書いてある"),
        ("es", "puso en la descripción que hay que llevar la tarjeta"),
        ("fr", "il a noté dans la description qu'il faut la carte"),
        ("de", "vielleicht schreib ich das in die beschreibung"),
        ("en", "tell Ben to add the card to the description"),
    ],
)
def test_what_only_speaks_of_a_description_writes_nothing(language: Language, message: str) -> None:
    assert not [one for one in description_words.read(message, language) if not one.asks]
