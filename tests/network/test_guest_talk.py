"""What guests of a link talk about with the rules: what the link opens, and nothing besides."""

import pytest

from tests.conftest import Client, Served
from tests.support.guests import ask, link

pytestmark = pytest.mark.anyio


async def answered(guest: Client, made: dict[str, object], *messages: str) -> list[str]:
    """Ask one after another in one session and give the answers."""
    answers: list[str] = []
    session: dict[str, str] = {}
    for message in messages:
        told = await ask(guest, made, message, **session)
        session = {"sessionKey": told["sessionKey"]}
        answers.append(told["response"])
    return answers


async def test_a_guest_refers_to_what_was_shown_to_them(alice: Client, stranger: Client) -> None:
    garden = await alice.folder("Garden")
    await alice.note(
        "Roses", "The roses came from Dover. They were planted in May.", folderId=garden
    )
    made = await link(alice, scope="folders", folderIds=[garden])
    first, then = await answered(
        stranger, made, "where did the roses come from?", "when were they planted?"
    )
    assert "Dover" in first
    assert "May" in then


async def test_a_guest_refers_to_nothing_of_the_owner(alice: Client, stranger: Client) -> None:
    garden = await alice.folder("Garden")
    await alice.note("Roses", "The roses came from Dover.", folderId=garden)
    await alice.note("Safe", "The safe code is 4711. It was bought in Oslo.")
    await alice.ok("POST", "/chat", json={"message": "what is the safe code?", "stream": False})
    made = await link(alice, scope="folders", folderIds=[garden])
    for told in await answered(
        stranger,
        made,
        "where was it bought?",
        "show it",
        "the first one",
        "what is the code of the safe?",
        "undo that",
        "yes",
        "show me the note Safe",
        "delete it",
    ):
        assert "Oslo" not in told, told
        assert "4711" not in told, told
        assert "hearth:note/2" not in told, told


async def test_what_a_guest_was_shown_is_out_of_reach_once_the_link_is_narrowed(
    alice: Client, stranger: Client
) -> None:
    await alice.note("Duchess", "The emerald lies under the stairs. It was bought in Paris.")
    made = await link(alice)
    told = await ask(stranger, made, "where is the emerald?")
    assert "stairs" in told["response"]
    await alice.ok(
        "PATCH",
        f"/os/share/{made['id']}",
        json={"scope": "folders", "folderIds": [await alice.folder("Empty")]},
    )
    for message in ("where was it bought?", "show it", "show me the note Duchess"):
        told = await ask(stranger, made, message, sessionKey=told["sessionKey"])
        assert "Paris" not in told["response"]
        assert "stairs" not in told["response"]


async def test_a_guest_lists_and_creates_where_the_link_allows_it(
    alice: Client, stranger: Client
) -> None:
    garden = await alice.folder("Garden")
    await alice.note("Roses", "From Dover.", folderId=garden)
    await alice.note("Safe", "4711")
    reads = await link(alice, scope="folders", folderIds=[garden])
    writes = await link(alice, scope="folders", folderIds=[garden], notesAccess="write")
    listed, shown = await answered(
        stranger, reads, "list the notes in the folder Garden", "show the note Roses"
    )
    assert "Roses" in listed
    assert "Safe" not in listed
    assert "From Dover." in shown
    refused, *_ = await answered(stranger, reads, "make a note: Bees: they are fine")
    made, *_ = await answered(
        stranger, writes, "make a note in the folder Garden: Bees: they are fine"
    )
    assert "may not" in refused
    assert "Bees" in made
    found = await alice.ok("POST", "/os/notes/search", json={"query": "Bees"})
    assert [one["title"] for one in found["results"]] == ["Bees: they are fine"]


async def test_others_are_not_shown_what_only_nears_by_meaning(
    served: Served, alice: Client, stranger: Client
) -> None:
    garden = await alice.folder("Garden")
    await alice.note("Roses", "From Dover.", folderId=garden)
    made = await link(alice, scope="folders", folderIds=[garden])
    (told,) = await answered(stranger, made, "which bank has the mortgage?")
    assert "Roses" not in told
