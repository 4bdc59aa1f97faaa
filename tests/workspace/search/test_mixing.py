"""How words and meaning are mixed: what a note holds to the letter is not outranked by nearness."""

import pytest

from app.workspace.search.ranking import rank_by_meaning, word_shares
from app.workspace.search.ranking.query_language import parse_query
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


def test_all_words_outrank_nearness_and_nearness_decides_between_equals() -> None:
    mixed = rank_by_meaning.mix_with_shares(
        {1: 1.0, 2: 0.3, 3: 0.3, 4: 0.0},
        {1: 2.0, 2: 9.0, 3: 9.0},
        {1: 0.2, 2: 0.8, 3: 0.7, 4: 0.75},
    )
    assert sorted(mixed, key=lambda note: -mixed[note]) == [1, 2, 3, 4]
    assert all(0 <= score <= 1 for score in mixed.values())


def test_a_note_without_vectors_is_ranked_by_its_words_alone() -> None:
    mixed = rank_by_meaning.mix_with_shares({1: 1.0, 2: 1.0}, {1: 3.0, 2: 3.0}, {2: 0.0})
    assert mixed[1] == pytest.approx(1.0)
    assert mixed[2] == pytest.approx(rank_by_meaning.EVERY_WORD)
    assert rank_by_meaning.mix_with_shares({}, {}, {}) == {}


@pytest.mark.parametrize("most", [word_shares.MOST_READ, 3])
async def test_a_rare_word_is_most_of_what_a_query_says(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(word_shares, "MOST_READ", most)  # a longer list is not read whole
    for number in range(8):
        await alice.note(f"Policy {number}", "The policy number must be told at every call.")
    rare = await alice.note("Letter", "Policy number KX-48213.")
    # Indexes what was just written.
    await alice.ok("POST", "/os/notes/search", json={"query": "policy"})
    query = parse_query("policy number 48213")
    owners = served.parts.glance(
        lambda tx: dict(map(tuple, tx.all("SELECT id, owner_id FROM notes WHERE id < 10")))
    )
    assert len(owners) == 9
    found = await served.parts.read(word_shares.word_shares, query, owners)
    assert found[rare["id"]] == pytest.approx(1.0)
    assert all(share < 0.5 for note, share in found.items() if note != rare["id"])
