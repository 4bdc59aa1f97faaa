"""Marks in hits by meaning, and phrases quoted in long texts."""

from typing import Any

import pytest

from app.workspace.search.ranking.nearest_sentence import mark_nearest_sentence
from app.workspace.search.ranking.query_language import loosen_phrases, parse_query
from tests.conftest import Client
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, settled, start

__all__ = ["impatient", "start"]

pytestmark = pytest.mark.anyio

TEXT = "# House\n\nThe roof leaks. The heater in the cellar is old. Dr. Ona comes on Friday."
PASTED = 'we sat long and spoke of "the sea wall" and of many old things besides'


def marked(query: str, text: str = TEXT, start: int = 0, end: int | None = None) -> list[str]:
    found = mark_nearest_sentence(
        parse_query(query), text, start, len(text) if end is None else end
    )
    return [found.text[at:to] for at, to in found.marks]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("heating system", ["The heater in the cellar is old."]),
        ("roofing", ["The roof leaks."]),
        ("zzzz", ["The roof leaks."]),
        ("celler", ["cellar"]),
        ("frday", ["Friday"]),
    ],
)
def test_the_nearest_sentence_or_the_mistyped_word_is_marked(query: str, shown: list[str]) -> None:
    assert marked(query) == shown


def test_marks_are_characters_of_the_snippet_and_end_with_it() -> None:
    text = "Ä 🌲 begins. " + "Über Öfen " * 60 + "."
    assert marked("beginning", text) == ["Ä 🌲 begins."]
    [long] = marked("übermorgen", text)
    assert long.startswith("Über Öfen")
    assert len(long) < 250
    assert marked("roof", TEXT, 25, len(TEXT)) == ["The heater in the cellar is old."]


@pytest.mark.parametrize("text", ["", "   ", "…", "#", "\n\n", "..."])
def test_a_passage_without_a_sentence_is_no_trouble(text: str) -> None:
    marked("roof", text)


async def test_hits_by_meaning_alone_are_marked(start: Start) -> None:
    async with start(FakeEmbedder(alike=["boat ship"])) as served:
        alice = await served.person("alice")
        note = await alice.note("Log", "Rain all day. A ship came in. Then fog.")
        await settled(served)
        body = await alice.ok("POST", "/os/notes/search", json={"query": "boats boat"})
        [hit] = body["results"]
        assert (hit["id"], hit["match"]) == (note["id"], "meaning")
        assert hit["marks"]
        assert all(0 <= at < to <= len(hit["snippet"]) for at, to in hit["marks"])


def test_only_phrases_in_long_texts_are_loosened() -> None:
    short = parse_query('old "sea wall"')
    assert loosen_phrases(short) is short
    title = parse_query('title:"sea wall" a b c d e f g h i')
    assert loosen_phrases(title) is title
    long = loosen_phrases(parse_query(PASTED))
    assert not long.demands
    assert {"sea", "wall"} <= set(long.words)
    assert long.text == parse_query(PASTED).text


async def ask(client: Client, **more: Any) -> Any:
    return await client.ok("POST", "/os/notes/search", json={"mode": "words", **more})


async def test_a_phrase_in_a_long_text_lifts_where_few_hold_it(alice: Client) -> None:
    exact = await alice.note("Walk", "We spoke along the sea wall.")
    other = await alice.note(
        "Talk", "We spoke long of many old things besides the wall of the sea."
    )
    body = await ask(alice, query=PASTED)
    assert [hit["id"] for hit in body["results"]] == [exact["id"], other["id"]]
    assert [one["id"] for one in body["result"]["results"]] == [exact["id"], other["id"]]
    assert body["results"][0]["score"] >= body["results"][1]["score"]
    assert "word for word" in body["notice"]
    assert [hit["id"] for hit in (await ask(alice, query=PASTED, limit=1))["results"]] == [
        exact["id"]
    ]


async def test_a_phrase_that_no_note_holds_is_said(alice: Client) -> None:
    other = await alice.note("Talk", "We spoke long of many old things besides.")
    body = await ask(alice, query=PASTED)
    assert [hit["id"] for hit in body["results"]] == [other["id"]]
    assert body["notice"].startswith("No note holds")
    body = await ask(alice, query='things "the sea wall"')
    assert (body["results"], body["notice"]) == ([], None)


async def test_a_phrase_that_three_notes_hold_is_demanded(alice: Client) -> None:
    exact = {
        (await alice.note("Walk", f"We spoke along the sea wall {day}."))["id"] for day in range(3)
    }
    await alice.note("Talk", "We spoke long of many old things besides the wall of the sea.")
    body = await ask(alice, query=PASTED)
    assert {hit["id"] for hit in body["results"]} == exact
    assert body["notice"] is None
