"""Notes that are about the same as a note."""

from typing import Any

import pytest

from tests.conftest import Client, Served
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, served, settled, start

__all__ = ["impatient", "served", "start"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(dimension=128, alike=["car automobile vehicle", "soup broth"])


async def related(client: Client, note: int, **params: Any) -> tuple[list[str], str]:
    """Give the titles, nearest first, and by what they were found."""
    body = await client.ok("GET", f"/os/notes/{note}/related", params=params)
    return [one["title"] for one in body["results"]], body["basis"]


async def test_related_notes_are_those_that_mean_the_same(served: Served, alice: Client) -> None:
    note = await alice.note("Garage", "the automobile")
    near = await alice.note("Street", "many vehicle car vehicle")
    await alice.note("Kitchen", "broth with noodles")
    await settled(served)
    body = await alice.ok("GET", f"/os/notes/{note['id']}/related")
    assert body["basis"] == "meaning"
    (found,) = body["results"]
    assert found == {
        "id": near["id"],
        "title": "Street",
        "folderId": None,
        "score": found["score"],
        "updatedAt": near["updatedAt"],
        "snippet": "many vehicle car vehicle",
    }
    assert 0.2 < found["score"] < 1


async def test_a_long_note_is_related_by_all_it_says(served: Served, alice: Client) -> None:
    note = await alice.note(
        "Diary", f"# Drive\n\n{'automobile ' * 15}\n\n# Dinner\n\n{'broth ' * 30}"
    )
    await alice.note("Street", "car vehicle")
    await alice.note("Menu", "soup soup")
    await settled(served)
    titles, basis = await related(alice, note["id"])
    assert (set(titles), basis) == ({"Street", "Menu"}, "meaning")


async def test_without_vectors_rare_words_and_tags_relate(start: Start) -> None:
    async with start(FakeEmbedder(None)) as server:
        alice = await server.person("alice")
        for number in range(8):
            await alice.note(f"Common {number}", "the weather was fine")
        note = await alice.note("Whale", "the narwhal and the weather", tags=["sea"])
        await alice.note("Horn", "a narwhal has a tusk")
        await alice.note("Ship", "sails", tags=["Sea"])
        titles, basis = await related(alice, note["id"], limit=2)
        assert (set(titles), basis) == ({"Horn", "Ship"}, "words")
        assert "Whale" not in (await related(alice, note["id"], limit=50))[0]
        await alice.aclose()


async def test_a_note_that_has_no_vectors_yet_is_related_by_words(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await alice.note("Horn", "a narwhal has a tusk")
    await settled(served)
    embedder.open.clear()
    note = await alice.note("Whale", "narwhal")
    assert await related(alice, note["id"]) == (["Horn"], "words")
    embedder.open.set()


@pytest.mark.parametrize("model", ["fake", None])
async def test_only_what_the_caller_may_read_is_related(start: Start, model: str | None) -> None:
    async with start(FakeEmbedder(model, dimension=128)) as server:
        alice, bob = await server.person("alice"), await server.person("bob")
        await server.command("connect_users", username="alice", contact="bob")
        folder = await alice.folder("Shared")
        await alice.ok(
            "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "viewer"}
        )
        mine = await bob.note("Mine", "narwhal tusk")
        await bob.note("Twin", "narwhal tusk")
        lent = await alice.note("Lent", "narwhal tusk", folderId=folder)
        private = await alice.note("Private", "narwhal tusk")
        gone = await bob.note("Gone", "narwhal tusk")
        await bob.ok("DELETE", f"/os/notes/{gone['id']}")
        if model is not None:
            await settled(server)
        assert set((await related(bob, mine["id"]))[0]) == {"Lent", "Twin"}
        assert set((await related(bob, lent["id"]))[0]) == {"Mine", "Twin"}
        assert set((await related(alice, lent["id"]))[0]) == {"Private"}
        for note in (private["id"], gone["id"], 999):
            await bob.refused("GET", f"/os/notes/{note}/related", 404, "not_found")
        await alice.aclose()
        await bob.aclose()


@pytest.mark.parametrize("text", ["", "a", '" AND OR NOT', "x" * 100_000, "\u202e🦊", "東京 東京"])
@pytest.mark.parametrize("model", ["fake", None])
async def test_any_text_has_related_notes_or_none(
    start: Start, model: str | None, text: str
) -> None:
    async with start(FakeEmbedder(model)) as server:
        alice = await server.person("alice")
        await alice.note("Other", "zebra 東京")
        note = await alice.note("N", text, tags=["t"])
        if model is not None:
            await settled(server)
        has_vectors = model is not None and any(map(str.isalnum, text))
        assert (await related(alice, note["id"]))[1] == ("meaning" if has_vectors else "words")
        await alice.aclose()


@pytest.mark.parametrize("limit", ["0", "-1", "x"])
async def test_a_bad_limit_is_refused(served: Served, alice: Client, limit: str) -> None:
    await alice.note()
    await alice.refused(
        "GET", f"/os/notes/1/related?limit={limit}", 400, "invalid_request", field="limit"
    )
