"""Searching by meaning, and by meaning and words together."""

from typing import Any

import pytest

from app.workspace.search.ranking import rank_by_meaning
from app.workspace.search.vectors import vector_maker
from tests.conftest import Client, MovableClock, Served
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, served, settled, start

__all__ = ["impatient", "served", "start"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(
        dimension=128, alike=["car automobile vehicle", "doctor physician surgery", "soup broth"]
    )


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the lists of candidates so short that a few notes go beyond them."""
    monkeypatch.setattr(rank_by_meaning, "CANDIDATES", 5)


async def found(client: Client, query: str, mode: str | None = None, **more: Any) -> list[str]:
    """Give the titles of a search, best first."""
    return [hit["title"] for hit in (await answer(client, query, mode, **more))["results"]]


async def answer(client: Client, query: str, mode: str | None = None, **more: Any) -> Any:
    return await client.ok("POST", "/os/notes/search", json={"query": query, "mode": mode, **more})


async def fill(served: Served, client: Client) -> None:
    await client.note("Garage", "the automobile needs oil")
    await client.note("Health", "physician on tuesday")
    await client.note("Kitchen", "broth with noodles")
    await settled(served)


@pytest.mark.parametrize("mode", ["meaning", "hybrid", None])
async def test_a_note_is_found_by_what_it_means(
    served: Served, alice: Client, mode: str | None
) -> None:
    await fill(served, alice)
    body = await answer(alice, "car", mode)
    assert (body["results"][0]["title"], body["mode"], body["notice"]) == (
        "Garage",
        mode or "hybrid",
        None,
    )
    assert body["results"][0]["score"] > 0.3
    assert await found(alice, "car", "words") == []


@pytest.mark.parametrize("mode", ["words", "meaning", "hybrid"])
async def test_a_score_is_absolute_and_says_by_what_a_note_was_found(
    served: Served, alice: Client, mode: str
) -> None:
    await fill(served, alice)
    best = (await answer(alice, "automobile", mode))["results"]
    wide = (await answer(alice, "broth automobile", mode))["results"]
    for hits in (best, wide):
        scores = [hit["score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
    kinds = {hit["title"]: hit["match"] for hit in wide}
    assert set(kinds.values()) <= ({mode} if mode != "hybrid" else {"words", "meaning", "both"}), (
        kinds
    )
    assert kinds["Kitchen"] == ("both" if mode == "hybrid" else mode)
    if mode == "hybrid":
        assert (await answer(alice, "car", mode))["results"][0]["match"] == "meaning"


async def test_what_ranks_first_of_poor_hits_has_no_full_score(
    served: Served, alice: Client
) -> None:
    await fill(served, alice)
    (first, *_) = (await answer(alice, "car", "hybrid"))["results"]
    assert first["score"] == (await answer(alice, "car", "meaning"))["results"][0]["score"] < 1


async def test_what_is_about_something_else_is_not_found(served: Served, alice: Client) -> None:
    await fill(served, alice)
    assert await found(alice, "zeppelin") == []


async def test_words_and_meaning_together_put_first_what_has_both(
    served: Served, alice: Client
) -> None:
    await alice.note("Both", "car automobile")
    await alice.note("Meaning", "automobile vehicle")
    await alice.note("Word", "car carpet tree moon river stone bread")
    await settled(served)
    # The word itself is surer than what is only near.
    assert await found(alice, "car") == ["Both", "Word", "Meaning"]


async def test_a_passage_shows_why_where_no_word_hits(served: Served, alice: Client) -> None:
    filler = "Green meadow, quiet water. " * 12
    await alice.note(
        "Long", f"# One\n\n{filler}\n\n# Two\n\n{'vehicle automobile ' * 8}\n\n# Three\n\n{filler}"
    )
    await settled(served)
    (hit,) = (await answer(alice, "car"))["results"]
    # The sentence that is nearest is marked.
    ((start, end),) = hit["marks"]
    assert hit["snippet"][start:end] == ("vehicle automobile " * 8).strip()


async def test_a_note_without_vectors_is_ranked_by_its_words(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await fill(served, alice)
    embedder.open.clear()
    await alice.note("New", "car car car")
    assert (await found(alice, "car"))[0] == "New"
    assert await found(alice, "automobile needs oil") == ["Garage"]
    assert "New" not in await found(alice, "car", "meaning")
    embedder.open.set()
    await settled(served)
    assert "New" in await found(alice, "car", "meaning")


async def test_vectors_of_an_older_text_do_not_count(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await fill(served, alice)
    embedder.open.clear()
    await alice.ok(
        "PATCH", "/os/notes/1", json={"content": "nothing of the kind", "contentFormat": "markdown"}
    )
    assert await found(alice, "car") == []
    assert await found(alice, "kind") == ["Garage"]
    embedder.open.set()


@pytest.mark.parametrize("query", ['"car"', "tag:car", "title:car", "in:pinned", "-car"])
async def test_phrases_and_operators_alone_rank_by_words(
    served: Served, alice: Client, query: str
) -> None:
    await fill(served, alice)
    body = await answer(alice, query)
    assert (body["mode"], body["notice"]) == ("words", None)


async def test_operators_hold_for_what_is_found_by_meaning_too(
    served: Served, alice: Client
) -> None:
    await fill(served, alice)
    await alice.note("Tagged", "another vehicle", tags=["mine"])
    await settled(served)
    assert set(await found(alice, "car")) == {"Garage", "Tagged"}
    assert await found(alice, "car tag:mine") == ["Tagged"]
    assert await found(alice, "car -tag:mine") == ["Garage"]
    assert await found(alice, "car -oil") == ["Tagged"]
    assert await found(alice, 'car "another vehicle"') == ["Tagged"]
    assert await found(alice, "car title:garage", "meaning") == ["Garage"]


async def test_a_folder_limits_what_is_found_by_meaning(
    served: Served, alice: Client, few: None
) -> None:
    folder = await alice.folder("Deep/Below")
    for number in range(20):
        await alice.note(f"Near {number}", "car car car")
    await alice.note("Inside", "an automobile that is blue", folderId=folder)
    await settled(served)
    assert await found(alice, "car", folderName="Deep") == ["Inside"]
    assert await found(alice, "vehicle", "meaning", folderId=folder) == ["Inside"]
    await alice.refused(
        "POST", "/os/notes/search", 404, "not_found", json={"query": "car", "folderId": 999}
    )


async def test_nothing_of_another_owner_is_found(
    served: Served, alice: Client, bob: Client
) -> None:
    await fill(served, alice)
    assert await found(bob, "car") == []
    assert await found(bob, "car", "meaning") == []


async def test_shares_count_from_when_they_are_given_until_they_are_taken(
    served: Served, alice: Client, bob: Client, few: None
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Shared")
    for number in range(12):
        await alice.note(f"Private {number}", "car car")
    await alice.note("Lent", "an automobile", folderId=folder)
    await settled(served)
    assert await found(bob, "car") == []
    await alice.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "viewer"}
    )
    assert await found(bob, "car") == ["Lent"]
    await alice.ok("DELETE", f"/os/folders/{folder}/share/bob")
    assert await found(bob, "car") == []


async def test_a_note_that_moves_into_a_shared_folder_is_its_owners(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Shared")
    await alice.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "editor"}
    )
    note = await bob.note("Given", "an automobile")
    await settled(served)
    assert (await found(bob, "car"), await found(alice, "car")) == (["Given"], [])
    await bob.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": folder})
    assert (await found(bob, "car"), await found(alice, "car")) == (["Given"], ["Given"])
    await alice.ok("DELETE", f"/os/folders/{folder}/share/bob")
    assert (await found(bob, "car"), await found(alice, "car")) == ([], ["Given"])


async def test_what_is_in_the_trash_is_not_found_until_it_is_back(
    served: Served, alice: Client
) -> None:
    folder = await alice.folder("Work")
    note = await alice.note("One", "an automobile")
    await alice.note("Two", "a vehicle", folderId=folder)
    await settled(served)
    assert set(await found(alice, "car")) == {"One", "Two"}
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    await alice.ok("DELETE", f"/os/folders/{folder}")
    assert await found(alice, "car") == []
    await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    await alice.ok("POST", f"/os/trash/folder/{folder}/restore")
    assert set(await found(alice, "car")) == {"One", "Two"}


async def test_recent_and_pinned_notes_are_lifted_a_little(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await alice.note("Old", "an automobile")
    clock.forward(days=400)
    await alice.note("Recent", "an automobile")
    await settled(served)
    assert await found(alice, "car", "meaning") == ["Recent", "Old"]
    await alice.ok("POST", "/os/notes/1/pin", json={"pinned": True})
    clock.forward(days=400)
    assert await found(alice, "car", "meaning") == ["Old", "Recent"]


async def test_without_a_model_words_rank_and_the_answer_says_so(start: Start) -> None:
    async with start(FakeEmbedder(None)) as server:
        alice = await server.person("alice")
        await alice.note("Word", "car")
        body = await answer(alice, "car", "meaning")
        assert ([hit["title"] for hit in body["results"]], body["mode"]) == (["Word"], "words")
        assert "There is no model." in body["notice"]
        await alice.aclose()


async def test_when_the_model_fails_words_rank_and_the_answer_says_so(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await fill(served, alice)
    embedder.failing = "The worker died."
    body = await answer(alice, "broth")
    assert ([hit["title"] for hit in body["results"]], body["mode"]) == (["Kitchen"], "words")
    assert "The worker died." in body["notice"]


async def test_while_many_notes_wait_for_vectors_the_answer_says_so(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    embedder.open.clear()
    for number in range(40):
        await alice.note(f"N{number}", "car")
    body = await answer(alice, "car")
    assert len(body["results"]) == 10
    assert "Not all notes" in body["notice"]
    embedder.open.set()
    await settled(served)
    assert (await answer(alice, "car"))["notice"] is None


async def test_a_search_that_is_refused_leaves_no_asking_behind(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_maker, "QUERY_SECONDS", 0.01)
    await fill(served, alice)
    await alice.refused(
        "POST", "/os/notes/search", 404, "not_found", json={"query": "car", "folderName": "Nowhere"}
    )
    assert await found(alice, "car") == ["Garage"]


@pytest.mark.parametrize(
    ("words", "near", "mixed"),
    [
        ({}, {}, {}),
        ({1: 4.0, 2: 2.0}, {}, {1: 1.0, 2: 0.5}),
        ({}, {1: 0.5, 2: 0.3}, {1: 0.7, 2: 0.0}),
        ({}, {1: 0.5}, {1: 0.7}),
        ({1: 4.0, 2: 2.0}, {2: 0.8, 3: 0.4}, {1: 1.0, 2: 0.85, 3: 0.0}),
        ({1: 0.0}, {1: 0.2}, {1: 0.7}),
    ],
)
def test_the_mix_is_of_both_measures_from_nought_to_one(
    words: dict[int, float], near: dict[int, float], mixed: dict[int, float]
) -> None:
    assert rank_by_meaning.mix_scores(words, near) == pytest.approx(mixed)
