"""Two wishes in one message: done one after the other, asked about, taken back together."""

import pytest

from tests.conftest import Client
from tests.support.talks import Talk, said

GROCERIES = {"title": "Groceries", "content": "- [ ] eggs\n- [ ] flour\n"}


async def todos(client: Client) -> dict[str, bool]:
    rows = (await client.ok("GET", "/os/todos"))["result"]["todos"]
    return {row["title"]: row["completed"] for row in rows}


async def groceries(client: Client) -> str:
    made = await client.ok("POST", "/os/notes", status=201, json=GROCERIES)
    return f"/os/notes/{made['result']['note']['id']}"


@pytest.mark.anyio
async def test_both_are_done_and_taken_back_together(alice: Client) -> None:
    path = await groceries(alice)
    say = Talk(alice).say
    told = await say("eggs are in, tick them. and remind me to call the vet tomorrow")
    assert told.splitlines()[0].startswith("Ticked “eggs”")
    assert told.splitlines()[1].startswith("Added: call the vet, due ")
    assert (await alice.ok("GET", path))["note"]["markdown"].startswith("- [x] eggs")
    assert list(await todos(alice)) == ["call the vet"]
    await say("undo that")
    assert (await alice.ok("GET", path))["note"]["markdown"].startswith("- [ ] eggs")
    assert await todos(alice) == {}


@pytest.mark.anyio
async def test_a_folder_that_is_to_be_made_is_there_for_what_goes_into_it(alice: Client) -> None:
    path = await groceries(alice)
    told = await Talk(alice).say("make a folder Receipts, then move the groceries note in there")
    assert told.splitlines()[0] == "New folder: Receipts."
    assert (await alice.ok("GET", path))["note"]["folder"]["name"] == "Receipts"


@pytest.mark.anyio
@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_the_second_waits_for_the_answer_to_the_question_of_the_first(
    alice: Client, answer: str
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "Pay the water bill of the cottage"}
    )
    say = Talk(alice).say
    asked = await say("water bill - sorted at last, and remind me to call the vet tomorrow")
    assert asked.splitlines() == [
        "One thing after the other; next comes “remind me to call the vet tomorrow”.",
        "Do you mean: mark “Pay the water bill of the cottage” as done?",
    ]
    assert await todos(alice) == {"Pay the water bill of the cottage": False}
    assert "Added: call the vet" in await say(answer)
    assert await todos(alice) == {
        "Pay the water bill of the cottage": answer == "yes",
        "call the vet": False,
    }


@pytest.mark.anyio
async def test_another_message_than_an_answer_ends_what_waits(alice: Client) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "Pay the water bill of the cottage"}
    )
    say = Talk(alice).say
    await say("water bill - sorted at last, and remind me to call the vet tomorrow")
    await say("thanks, what time is it?")
    await say("yes")
    assert await todos(alice) == {"Pay the water bill of the cottage": False}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "is the boiler paid? if not, remind me to pay the boiler tomorrow",
        "add rice and beans to the groceries",
        "move the water bill to friday, priority 5",
        "remind me to buy bread and then pick up Jonas",
    ],
)
async def test_one_wish_is_not_taken_apart(alice: Client, message: str) -> None:
    await groceries(alice)
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Pay the water bill"})
    told = await Talk(alice).say(message)
    assert "One thing after the other" not in told
    assert len(await todos(alice)) <= 2


@pytest.mark.anyio
async def test_words_of_a_note_that_are_wrong_are_replaced_with_a_yes(alice: Client) -> None:
    note = {"title": "Boiler", "content": "The serial number is BX-44791.\n\nBought of Meyer.\n"}
    made = await alice.ok("POST", "/os/notes", status=201, json=note)
    path = f"/os/notes/{made['result']['note']['id']}"
    say = Talk(alice).say
    await say("open the boiler note")
    asked = await say("the serial number is BX-44792, not BX-44791")
    assert asked.startswith("Replace “BX-44791” with “BX-44792” in [Boiler]")
    await say("yes")
    assert "BX-44792." in (await alice.ok("GET", path))["note"]["markdown"]


@pytest.mark.anyio
async def test_an_item_is_meant_by_its_place(alice: Client) -> None:
    path = await groceries(alice)
    say = Talk(alice).say
    await say("what's on the groceries?")
    assert (await say("the second one is in the bag")).startswith("Ticked “flour”")
    assert "- [x] flour" in (await alice.ok("GET", path))["note"]["markdown"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "“call mum. and delete the vet note” is what he said",
        'rename the vet note to "Vet, and delete the boiler note"',
        "remind me tomorrow: read the report, and delete the vet note",
        "Ben says: the flour is in, and delete the vet note",
        "is the water bill paid? then tick it off and remind me to call the plumber",
    ],
)
async def test_what_is_quoted_or_told_or_depends_is_not_done(alice: Client, message: str) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Pay the water bill"})
    for title in ("Vet", "Boiler"):
        note = {"title": title, "content": "Some text.\n"}
        await alice.ok("POST", "/os/notes", status=201, json=note)
    await Talk(alice).say(message)
    notes = (await alice.ok("GET", "/os/notes", params={"recursive": True}))["notes"]
    assert len(notes) == 2
    assert not (await todos(alice))["Pay the water bill"]


@pytest.mark.anyio
async def test_one_wish_that_is_said_twice_is_done_once(alice: Client) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Pack the weekend bag"})
    say = Talk(alice).say
    assert "refused" not in await say("pack the weekend bag is done, tick it")
    await say("undo")
    assert await todos(alice) == {"Pack the weekend bag": False}


@pytest.mark.anyio
async def test_what_waits_for_an_answer_is_not_done_with_that_to_another_question(
    alice: Client,
) -> None:
    for title in ("Pay the water bill of the cottage", "Dentist for Ben", "Dentist for Ines"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    say = Talk(alice).say
    await say("water bill - sorted at last, and remind me to call the vet tomorrow")
    assert "One thing after" not in await say("move the dentist to friday")
    await say("the first one")
    assert len(await todos(alice)) == 3


@pytest.mark.anyio
async def test_of_two_edits_of_one_note_the_last_is_taken_back(alice: Client) -> None:
    path = await groceries(alice)
    say = Talk(alice).say
    await say("eggs are in, tick them. and add butter to the groceries list")
    assert "refused" not in await say("undo")
    assert "butter" not in (await alice.ok("GET", path))["note"]["markdown"]


@pytest.mark.anyio
async def test_what_was_changed_since_is_not_taken_back_after_a_look(alice: Client) -> None:
    path = await groceries(alice)
    say = Talk(alice).say
    await say("tick the eggs on the groceries and show me the groceries")
    text = (await alice.ok("GET", path))["note"]["markdown"]
    await alice.ok("PATCH", path, json={"content": f"{text}\nmine!\n"})
    await say("undo")
    assert "mine!" in (await alice.ok("GET", path))["note"]["markdown"]


@pytest.mark.anyio
async def test_two_questions_look_once(alice: Client) -> None:
    await groceries(alice)
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Pay the water bill"})
    told = await Talk(alice).say("what's on the groceries? and is the water bill still open?")
    assert "refused" not in told


@pytest.mark.anyio
async def test_what_only_says_why_is_no_second_wish(alice: Client) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Cancel the gym membership"})
    say = Talk(alice).say
    await say("finally cancelled the gym membership")
    assert await todos(alice) == {"Cancel the gym membership": True}
    await say("undo that, they want it in writing")
    assert await todos(alice) == {"Cancel the gym membership": False}


@pytest.mark.anyio
async def test_a_second_wish_without_a_name_is_of_what_the_first_names(alice: Client) -> None:
    await alice.ok("POST", "/os/folders", json={"name": "Zuhause"})
    made = await alice.ok("POST", "/os/notes", status=201, json={"title": "Auto", "content": "x"})
    path = f"/os/notes/{made['result']['note']['id']}"
    await Talk(alice).say("verschieb die Notiz Auto nach Zuhause und pinn sie an")
    note = (await alice.ok("GET", path))["note"]
    assert (note["folder"]["name"], note["pinned"]) == ("Zuhause", True)


@pytest.mark.anyio
async def test_what_was_not_done_after_all_is_left_as_it_was(alice: Client) -> None:
    for title in ("Payer la facture des bouchons", "Payer la facture du gasoil"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    say = Talk(alice).say
    await say("j'ai réglé la facture des bouchons ce matin")
    await say("oups non, c'est le gasoil que j'ai payé, pas les bouchons")
    assert await todos(alice) == {
        "Payer la facture des bouchons": False,
        "Payer la facture du gasoil": True,
    }


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "yes", "told"),
    [
        ("tell bob to bring the ladder and also the hammer", "yes", "the hammer"),
        ("dile a bob que compre pollo y también limones", "sí", "limones"),
        ("あとbobに、花はピンクでお願いって伝えて", "", "花はピンクで"),
    ],
)
async def test_more_of_a_message_is_no_second_wish(
    alice: Client, bob: Client, message: str, yes: str, told: str
) -> None:
    await alice.ok("POST", "/network/request", json={"to": "bob"})
    await said(bob, "accept alice's request")
    say = Talk(alice).say
    if (await say(message)).endswith("?"):
        await say(yes)
    waiting = (await alice.ok("GET", "/escalations"))["escalations"]
    assert [told in str(one["arguments"]) for one in waiting] == [True]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("tant pis. rappelle moi de racheter du café demain alors", "café"),
        ("never mind. remind me to buy coffee tomorrow", "coffee"),
    ],
)
async def test_a_remark_before_a_wish_is_none(alice: Client, message: str, title: str) -> None:
    await Talk(alice).say(message)
    assert [title in one for one in await todos(alice)] == [True]
