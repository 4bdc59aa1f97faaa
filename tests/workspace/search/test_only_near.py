"""Notes that are only near: what they must hold for that, and what they never stand above."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.workspace.search.ranking import rank_by_meaning
from app.workspace.search.vectors.vector_maker import VectorMaker
from tests.conftest import Client, Served
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, settled, start

__all__ = ["impatient", "start"]

pytestmark = pytest.mark.anyio


async def found(client: Client, query: str, **more: Any) -> list[tuple[str, str]]:
    """Give what a search finds, best first: the title, and by what it was found."""
    hits = await client.ok("POST", "/os/notes/search", json={"query": query, **more})
    return [(hit["title"], hit["match"]) for hit in hits["results"]]


async def indexed(server: Served, client: Client) -> Any:
    await settled(server)
    return (await client.ok("GET", "/os/search"))["meaning"]


@pytest.mark.parametrize("content", ["", "---\n\n![](/os/attachments/1)"])
async def test_a_note_without_text_is_near_to_nothing(start: Start, content: str) -> None:
    async with start(FakeEmbedder(alike=["hollow empty"])) as server:
        alice = await server.person("alice")
        await alice.note("Empty", content)
        await alice.note("Full", "An empty cup.")
        status = await indexed(server, alice)
        assert (status["notesIndexed"], status["passages"]) == (2, 1)
        assert await found(alice, "hollow") == [("Full", "meaning")]
        assert ("Empty", "words") in await found(alice, "empty")
        await alice.aclose()


async def test_a_title_that_had_a_vector_is_let_go_at_the_next_start(
    start: Start, data: Path
) -> None:
    embedder = FakeEmbedder(alike=["hollow empty"])
    async with start(embedder) as server:
        alice = await server.person("alice")
        await alice.note("Empty", "empty")
        await indexed(server, alice)
        assert await found(alice, "hollow") == [("Empty", "meaning")]
        key = alice.key
        await alice.aclose()
    with sqlite3.connect(data / "hearth.db") as db:  # as earlier versions left it
        db.execute("UPDATE notes SET content = '', size = 0, word_count = 0")
        db.execute("UPDATE note_passages SET spans = zeroblob(16)")
    db.close()
    async with start(embedder) as server:
        alice = server.resident("alice", key)
        assert (await indexed(server, alice))["passages"] == 0
        assert await found(alice, "hollow") == []
        await alice.aclose()


async def test_a_model_is_asked_for_its_dimension_where_no_note_has_text(start: Start) -> None:
    embedder = FakeEmbedder()
    embedder.dimension = None
    async with start(embedder) as server:
        alice = await server.person("alice")
        await alice.note("Empty", "")
        assert (await indexed(server, alice))["notesIndexed"] == 1
        assert server.parts.part(VectorMaker).answering is not None
        await alice.aclose()


async def test_a_beginning_stands_above_what_is_only_near(start: Start) -> None:
    async with start(FakeEmbedder(alike=["kitch plumber"])) as server:
        alice = await server.person("alice")
        await alice.note("Plumber", "plumber")
        await alice.note("Kitchen renovation", "The new worktop.")
        await alice.note("Rooms", "Below the kitchens is the cellar.")
        await settled(server)
        for query in ("kitch", "the kitch"):
            hits = await found(alice, query)
            assert {hits[0], hits[1]} == {("Kitchen renovation", "words"), ("Rooms", "words")}
        assert (await found(alice, "kitch"))[2:] == [("Plumber", "meaning")]
        assert [title for title, _ in await found(alice, "kitch", mode="words")] == [
            title for title, _ in hits[:2]
        ]
        answer = await alice.ok("POST", "/os/notes/search", json={"query": "kitch"})
        assert answer["mode"] == "hybrid"
        scores = [hit["score"] for hit in answer["results"]]
        assert scores == sorted(scores, reverse=True)
        assert await found(alice, "kitch", mode="meaning") == [("Plumber", "meaning")]
        await alice.aclose()


@pytest.mark.parametrize(
    "query", ["ki", "kitch worktap", '"kitch"', "kitch -worktop", "title:kitch"]
)
async def test_a_beginning_is_asked_for_as_strictly_as_the_rest(
    served: Served, alice: Client, query: str
) -> None:
    await alice.note("Kitchen renovation", "The new worktop.")
    assert await found(alice, query) == []


async def test_a_word_that_stands_somewhere_is_no_beginning(served: Served, alice: Client) -> None:
    await alice.note("Cat", "It purrs.")
    await alice.note("Catalogue", "Of seeds.")
    assert await found(alice, "cat") == [("Cat", "words")]


async def test_what_is_far_behind_the_nearest_is_no_result(start: Start) -> None:
    async with start(FakeEmbedder(alike=["sea ocean"])) as server:
        alice = await server.person("alice")
        await alice.note("Ocean", "ocean")
        await alice.note("Far", "An ocean, a train, a violin, a market, a lamp, and two bridges.")
        await settled(server)
        near = await alice.ok("POST", "/os/notes/search", json={"query": "sea", "mode": "meaning"})
        first, second = (hit["score"] for hit in near["results"])
        assert rank_by_meaning.LEAST < second < rank_by_meaning.FLOOR * first
        assert await found(alice, "sea") == [("Ocean", "meaning")]
        await alice.aclose()
