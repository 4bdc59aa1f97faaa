"""Snippets of found notes: the place where the words stand together, in a few words."""

import pytest

from app.workspace.index.spellings import word_pattern
from app.workspace.search.ranking.snippets import MOST_CHARACTERS, WORDS, make_snippet
from tests.conftest import Client

pytestmark = pytest.mark.anyio
FILLER = "filler goes on and on here\n" * 400


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("A short note.", ["short"], "A short note."),
        ("", ["title"], ""),
        (" \n ", ["title"], ""),
        ("Only the title was found", ["title"], "Only the title was found"),
        (FILLER + "The cat sat.\n" + FILLER, ["cat"], "…The cat sat."),
        (
            "on\n" * 500 + "The black cats sat on a mat.\n",
            ["on", "cat"],
            "…The black cats sat on a mat.",
        ),
        (FILLER + "Sea. Le Café est ouvert", ["cafe"], "…Sea. Le Café est ouvert"),
        ("---\ntopic: cat\n---\n\nThe cat sat.", ["cat"], "The cat sat."),
        ("---\ntopic: cat\n---\n\nThe dog sat.", ["cat"], "---\ntopic: cat"),
        ("---\ntopic: cat\n---\n\nThe dog sat.", ["title"], "The dog sat."),
        ("---\ntopic: cat\n---\n" + FILLER + "The cat sat.", ["cat", "sat"], "…The cat sat."),
        (FILLER + "the memories leaked", ["memory", "LEAK"], "…the memories leaked"),
    ],
)
def test_a_snippet_shows_where_the_words_stand(text: str, words: list[str], shown: str) -> None:
    assert make_snippet(text, [word_pattern(word) for word in words]).text.startswith(shown)


@pytest.mark.parametrize(
    "text", [FILLER, "漢字" * 5000, "x" * 5000, "a\n" * 5000, "İstanbul " * 900]
)
@pytest.mark.parametrize("words", [["here"], ["漢字"], ["x", "y"], ["istanbul"]])
def test_a_snippet_is_short(text: str, words: list[str]) -> None:
    shown = make_snippet(text, [word_pattern(word) for word in words]).text
    assert len(shown) <= MOST_CHARACTERS + 2
    assert len(shown.split()) <= WORDS
    assert shown.endswith("…")


async def test_a_search_shows_the_passage(alice: Client) -> None:
    await alice.note("Long", FILLER + "Plant out after the last frost.\n" + FILLER)
    found = (await alice.ok("POST", "/os/notes/search", json={"query": "frosts planted"}))[
        "results"
    ]
    assert found[0]["snippet"].startswith("…Plant out after the last frost.")
