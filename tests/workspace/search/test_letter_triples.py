"""Words that are none: what the table says of real words and of runs of letters, and that a search
for such a run finds nothing while one for a word that no note holds finds by meaning.
"""

import random
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.embedding.model_file import open_model
from app.workspace.index.spellings import fold_in_place
from app.workspace.search.ranking import letter_triples
from app.workspace.search.ranking.query_language import parse_query
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, settled, start

__all__ = ["impatient", "start"]

pytestmark = pytest.mark.anyio

BEGINS_WORD = "\u2581"
FEWEST_WORDS = 3
WORDS = """
    dentist orthodontist otolaryngologist Zahnarzt Schwarzwälder Rechtsschutzversicherung Angst
    Donaudampfschifffahrt Zwetschgenknödel Pfingsten Strumpfhose aujourd'hui œuvre Wrocław
    Szczepański Brzęczyszczykiewicz Nguyễn Hjelmslev Tchaikovsky Khrushchev Mtskheta Yggdrasil
    rhythm syzygy lymph nginx kubectl PostgreSQL mysql https HTTPS RTX4090 XR-7741-QK WD-40 KX48213
    Qigong Xiaomi Przewalski knäckebröd höyrylaiva gyógyszertár 東京都 zzz qxz frsot gradne
""".split()
NONE = """
    zzzzqqq asdfghjkl sdkfjhsdf xkqzjv qqqqqq hjkhjkhjk Zxcvbnm wwwwwwww fghjkl bcdfghjk kjhgfd
""".split()


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_any_language_a_name_or_a_code_may_be_one(word: str) -> None:
    assert letter_triples.may_be_word(word)


@pytest.mark.parametrize("letters", NONE)
def test_a_run_of_letters_is_none(letters: str) -> None:
    assert not letter_triples.may_be_word(letters)


def test_most_letters_at_random_are_none_and_words_with_one_mistake_are_not() -> None:
    chance = random.Random(5)
    runs = ["".join(chance.choices(string.ascii_lowercase, k=8)) for _ in range(500)]
    assert sum(map(letter_triples.may_be_word, runs)) < 250
    words = [word for word in WORDS if word.isalpha() and word.islower() and len(word) > 4]
    mistyped = [
        word[:place] + chance.choice(string.ascii_lowercase) + word[place + 1 :]
        for word in words
        for place in range(len(word))
    ]
    wrong = [word for word in mistyped if not letter_triples.may_be_word(word)]
    assert len(wrong) <= len(mistyped) / 50


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("zzzzqqq", True),
        ("the zzzzqqq", True),
        ("zzzzqqq sdkfjhsdf", True),
        ("zzzzqqq garden", False),
        ("zzzzqqq 12", False),
        ("tag:garden", False),
        ("", False),
    ],
)
def test_a_query_holds_no_words_where_all_that_tell_something_are_none(
    text: str, none: bool
) -> None:
    assert letter_triples.holds_no_words(parse_query(text)) is none


def test_the_table_is_that_of_both_models_words(model_path: Path, multilingual_path: Path) -> None:
    with open_model(model_path) as file:
        words = {word for word in file.vocabulary if len(word) > 3}
    with open_model(multilingual_path) as file:
        words |= {
            fold_in_place(piece[1:])
            for piece in file.vocabulary
            if piece.startswith(BEGINS_WORD) and len(piece) > 4
        }
    words = {word for word in words if word.isascii() and word.isalpha()}
    counts = Counter(triple for word in words for triple in triples(word))
    known = {triple for triple, count in counts.items() if count >= FEWEST_WORDS}
    for first in range(27):
        for second in range(27):
            for third in range(27):
                triple = (first, second, third)
                assert letter_triples.is_known(*triple) == (triple in known), triple


def triples(word: str) -> set[tuple[int, int, int]]:
    letters = [0, *(ord(letter) - ord("a") + 1 for letter in word), 0]
    return set(zip(letters, letters[1:], letters[2:], strict=False))


async def test_what_is_no_word_finds_nothing_unless_a_note_holds_it(start: Start) -> None:
    async with start(FakeEmbedder(alike=["sea ocean zzzzqqq"])) as served:
        alice = await served.person("alice")
        await alice.note("Walrus", "It swims in the sea.")
        await settled(served)

        async def search(query: str) -> Any:
            return await alice.ok("POST", "/os/notes/search", json={"query": query})

        found = await search("zzzzqqq")
        assert (found["results"], found["mode"], found["notice"]) == ([], "hybrid", None)
        assert [hit["title"] for hit in (await search("ocean"))["results"]] == ["Walrus"]
        await alice.note("Code", "The word is zzzzqqq.")
        await settled(served)
        assert [hit["title"] for hit in (await search("zzzzqqq"))["results"]] == ["Code", "Walrus"]
