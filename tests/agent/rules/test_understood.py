"""What is done about messages as their reader understood them: several changes, and corrections."""

from typing import Any

import pytest

from tests.conftest import Client
from tests.support.talks import Talk

THURSDAY, FRIDAY = "2026-11-26", "2026-11-27"


TITLES = ("Mend the hive stand", "Clean the extractor hood", "Order fondant")


async def begun(alice: Client) -> Talk:
    for title in TITLES:
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    return Talk(alice)


async def todos(client: Client) -> dict[str, dict[str, Any]]:
    rows = (await client.ok("GET", "/os/todos"))["result"]["todos"]
    return {row["title"]: row for row in rows}


@pytest.mark.anyio
async def test_a_change_is_made_of_another_thing_too(alice: Client) -> None:
    say = (await begun(alice)).say
    await say("move the hive stand to friday")
    await say("same for the extractor hood")
    found = await todos(alice)
    assert found["Mend the hive stand"]["dueDate"] == found["Clean the extractor hood"]["dueDate"]
    assert found["Order fondant"]["dueDate"] is None
    await say("undo")
    assert (await todos(alice))["Clean the extractor hood"]["dueDate"] is None


@pytest.mark.anyio
async def test_nothing_is_made_the_same_where_nothing_was_changed(alice: Client) -> None:
    say = (await begun(alice)).say
    await say("what's due today?")
    await say("same for the extractor hood")
    assert {row["dueDate"] for row in (await todos(alice)).values()} == {None}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("corrected", "due"),
    [("make that 10:30", "2026-12-24T10:30"), ("no, better on the 23rd", "2026-12-23")],
)
async def test_a_day_that_was_only_asked_about_is_corrected(
    alice: Client, corrected: str, due: str
) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Call the dentist"})
    say = Talk(alice).say
    asked = await say("I have to call the dentist on 24 December at 9")
    again = await say(corrected)
    assert (asked[-1], again[-1]) == ("?", "?")
    assert (await todos(alice))["Call the dentist"]["dueDate"] is None
    await say("yes")
    assert (await todos(alice))["Call the dentist"]["dueDate"].startswith(due)


@pytest.mark.anyio
async def test_a_note_gets_several_tags(alice: Client) -> None:
    made = await alice.note("Labor rates", "Flat fix: $15")
    say = Talk(alice).say
    await say("tag labor rates with money and prices")
    await say("yes")
    tags = (await alice.ok("GET", f"/os/notes/{made['id']}"))["note"]["tags"]
    assert tags == ["money", "prices"]


@pytest.mark.anyio
async def test_what_only_may_be_so_moves_nothing(alice: Client) -> None:
    await (await begun(alice)).say(
        "might have to move the hive stand to friday, waiting to hear from Rob"
    )
    assert (await todos(alice))["Mend the hive stand"]["dueDate"] is None


@pytest.mark.anyio
async def test_what_is_done_is_not_moved_by_what_follows(alice: Client) -> None:
    say = (await begun(alice)).say
    await say("the fondant is ordered")
    await say("mark order fondant as done")
    await say("courier's coming wed 8am, put it on here")
    rows = (await alice.ok("GET", "/os/todos", params={"completed": True}))["result"]["todos"]
    assert [(row["title"], row["dueDate"]) for row in rows] == [("Order fondant", None)]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "is_deleted"),
    [
        ("delete order fondant... no wait, leave it", False),
        ("delete order fondant, we don't need any", True),
    ],
)
async def test_what_a_message_takes_back_at_its_end_is_not_done(
    alice: Client, message: str, is_deleted: bool
) -> None:
    talk = await begun(alice)
    await talk.say(message)
    assert ("Order fondant" not in await todos(alice)) is is_deleted


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "price"),
    [
        ("in honey prices make the big jar 8.50, no wait, leave it", "8.00"),
        ("in honey prices make the big jar 8.50", "8.50"),
    ],
)
async def test_nor_is_a_line_of_a_note_changed_then(
    alice: Client, message: str, price: str
) -> None:
    made = await alice.note("Honey prices", "Small jar: £4.50\nBig jar: £8.00\n")
    await Talk(alice).say(message)
    text = (await alice.ok("GET", f"/os/notes/{made['id']}"))["note"]["markdown"]
    assert f"Big jar: £{price}" in text


@pytest.mark.anyio
async def test_each_of_two_things_gets_its_own_day(alice: Client) -> None:
    talk = await begun(alice)
    await talk.say("move the hive stand to friday, and the extractor hood to thursday")
    dues = {title: row["dueDate"] for title, row in (await todos(alice)).items()}
    assert dues == dict(zip(TITLES, (FRIDAY, THURSDAY, None), strict=True))


@pytest.mark.anyio
async def test_a_day_of_one_thing_is_never_given_to_another(alice: Client) -> None:
    talk = await begun(alice)
    await talk.say("mend the hive stand on friday, and order fondant on thursday")
    await talk.say("yes")
    await talk.say("yes")
    dues = {title: row["dueDate"] for title, row in (await todos(alice)).items()}
    assert dues == dict(zip(TITLES, (FRIDAY, None, THURSDAY), strict=True))


@pytest.mark.anyio
async def test_both_of_a_list_are_moved_at_once_and_all_of_a_longer_one_are_not(
    alice: Client,
) -> None:
    talk = await begun(alice)
    listed = await talk.say("list my todos")
    assert all(title in listed for title in TITLES)
    await talk.say("move both to friday")
    assert {row["dueDate"] for row in (await todos(alice)).values()} == {None}
    await alice.ok("POST", "/os/todos", status=201, json={"title": "A", "dueDate": "2020-01-01"})
    await alice.ok("POST", "/os/todos", status=201, json={"title": "B", "dueDate": "2020-01-02"})
    await talk.say("what's overdue?")
    await talk.say("move both to friday")
    rows = await todos(alice)
    assert rows["A"]["dueDate"] == rows["B"]["dueDate"] > "2026"
    assert rows["Order fondant"]["dueDate"] is None


@pytest.mark.anyio
async def test_a_number_in_a_name_that_chooses_is_no_day(alice: Client) -> None:
    for house in (12, 14):
        title = f"Smoke detectors house {house}"
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    say = Talk(alice).say
    await say("move the smoke detectors to 7 December")
    await say("the one in 14")
    dues = {title[-2:]: row["dueDate"] for title, row in (await todos(alice)).items()}
    assert dues["12"] is None
    assert dues["14"].endswith("-12-07")


@pytest.mark.anyio
async def test_what_follows_a_question_changes_nothing_spoken_of_before_it(alice: Client) -> None:
    talk = await begun(alice)
    await talk.say("move order fondant to friday")
    asked = await talk.say("I have to mend the hive stand on 24 December")
    assert asked.endswith("?")
    await talk.say("low priority")
    assert {row["priority"] for row in (await todos(alice)).values()} <= {0, 1}
    assert (await todos(alice))["Order fondant"]["priority"] == 0
