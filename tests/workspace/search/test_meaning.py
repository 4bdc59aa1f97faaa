"""Vectors of notes: made in the background, kept with the notes, read into matrices."""

import asyncio
import random
from typing import Any

import pytest

from app.core.embedder import EmbeddingFailed
from app.settings import Settings
from app.workspace.search.vectors import note_vectors, vector_maker, vector_matrices, vector_matrix
from app.workspace.search.vectors.vector_kinds import NOTES, TextQueue
from app.workspace.search.vectors.vector_maker import VectorMaker
from app.workspace.search.vectors.vector_matrix import Matrix
from tests.conftest import Client, Served
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, embedder, impatient, served, settled, start, until

__all__ = ["embedder", "impatient", "served", "start"]

pytestmark = pytest.mark.anyio


async def status(client: Client) -> Any:
    return (await client.ok("GET", "/os/search"))["meaning"]


def stored(served: Served, model: str = "fake") -> dict[int, bytes]:
    """Give the vectors of each note as the table has them."""
    sql = (
        "SELECT p.note_id, p.vectors "
        "FROM note_passages p JOIN embedding_models m ON m.id = p.model_id "
        "WHERE m.name = :model"
    )
    return {row[0]: row[1] for row in served.parts.glance(lambda tx: tx.all(sql, model=model))}


async def held(served: Served, owner: int) -> dict[int, bytes]:
    """Give the vectors of each note as the owner's matrix has them."""
    known = served.parts.part(VectorMaker)
    assert known.model is not None
    return (await known.matrices.matrices_of(served.parts, known.model, [owner]))[0].contents()


async def test_a_written_note_gets_its_vectors(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await alice.note("Walrus", "It swims.")
    await settled(served)
    assert embedder.asked == ["Walrus\nIt swims."]
    assert await status(alice) == {
        "model": "fake",
        "dimension": 96,
        "state": "ready",
        "reason": None,
        "notes": 1,
        "notesIndexed": 1,
        "passages": 1,
        "answering": "fake",
    }


async def test_only_what_changes_the_text_or_the_title_asks_for_new_vectors(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    note = await alice.note("Title", "Text")
    await settled(served)
    folder = await alice.folder("Elsewhere")
    await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": folder})
    await alice.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"tags": ["tag"]})
    await settled(served)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"title": "Other"})
    await until(lambda: len(embedder.asked) > 1)
    await settled(served)
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": "New", "contentFormat": "markdown"}
    )
    await until(lambda: len(embedder.asked) > 2)
    await settled(served)
    assert embedder.asked == ["Title\nText", "Other\nText", "Other\nNew"]


async def test_of_a_changed_note_only_the_changed_passages_are_embedded(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    sections = [f"# Part {number}\n\n{'Some words here. ' * 8}" for number in range(5)]
    note = await alice.note("Long", "\n\n".join(sections))
    await settled(served)
    assert len(embedder.asked) == 5
    sections[2] = "# Part 2\n\n" + "Other words there. " * 8
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "\n\n".join(sections), "contentFormat": "markdown"},
    )
    await until(lambda: len(embedder.asked) > 5)
    await settled(served)
    assert len(embedder.asked) == 6
    fresh = FakeEmbedder()
    assert stored(served)[note["id"]] == b"".join(
        await fresh.passages([*embedder.asked[:2], embedder.asked[5], *embedder.asked[3:5]])
    )


async def test_notes_written_without_a_model_get_vectors_once_there_is_one(
    start: Start, settings: Settings
) -> None:
    embedder = FakeEmbedder(None)
    async with start(embedder) as server:
        alice = await server.person("alice")
        await alice.note("A", "text")
        assert (await status(alice))["state"] == "off"
        assert (await status(alice))["reason"] == "There is no model."
        embedder.model = "fake"
        await until(lambda: stored(server))
        await settled(server)
        assert (await status(alice))["notesIndexed"] == 1
        await alice.aclose()
    assert embedder.closed


async def test_a_restart_takes_up_what_is_missing_newest_first(start: Start) -> None:
    async with start(FakeEmbedder(None)) as server:
        alice = await server.person("alice")
        for number in range(40):
            await alice.note(f"N{number}", "text")
        await alice.aclose()
    embedder = FakeEmbedder()
    async with start(embedder) as server:
        await until(lambda: len(stored(server)) == 40)
        await settled(server)
    assert embedder.asked == [f"N{number}\ntext" for number in reversed(range(40))]
    again = FakeEmbedder()
    async with start(again) as server:
        await settled(server)
    assert again.asked == []
    assert again.woken == 1  # what answers a search is ready before the first one


@pytest.mark.parametrize("on_battery", [False, True])
async def test_after_a_restart_the_first_search_is_answered_by_meaning(
    start: Start, monkeypatch: pytest.MonkeyPatch, *, on_battery: bool
) -> None:
    async with start(FakeEmbedder()) as server:
        alice = await server.person("alice")
        await alice.note("A", "text")
        await settled(server)
        key = await server.key("alice")
        await alice.aclose()
    monkeypatch.setattr("app.main.on_battery", lambda: on_battery)
    async with start(FakeEmbedder()) as server:
        alice = server.client(key)
        found = await alice.ok("POST", "/os/notes/search", json={"query": "text"})
        assert (found["mode"], found["notice"]) == ("hybrid", None)
        await alice.aclose()


async def test_what_a_killed_server_left_undone_is_found_again(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that ends between two steps leaves nothing half.

    The note has all of its vectors or is still to be done.
    """
    embedder = FakeEmbedder()
    embedder.open.clear()
    async with start(embedder) as server:
        alice = await server.person("alice")
        await alice.note("A", "text " * 200)
        await until(lambda: server.parts.part(VectorMaker).state[0] == "indexing")
        await alice.aclose()
    assert embedder.asked == []
    async with start(FakeEmbedder()) as server:
        await settled(server)
        assert len(stored(server)[1]) == 96 * len(
            note_vectors.unpack_spans(
                server.parts.glance(lambda tx: tx.value("SELECT spans FROM note_passages"))
            )
        )


async def test_a_note_that_changes_while_it_is_embedded_is_embedded_again(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    embedder.open.clear()
    note = await alice.note("A", "old")
    await until(lambda: served.parts.part(VectorMaker).state[0] == "indexing")
    await asyncio.sleep(0.02)
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": "new", "contentFormat": "markdown"}
    )
    embedder.open.set()
    await until(lambda: embedder.asked[-1:] == ["A\nnew"])
    await settled(served)
    assert stored(served) == {note["id"]: (await FakeEmbedder().passages(["A\nnew"]))[0]}


async def test_a_note_that_goes_while_it_is_embedded_leaves_nothing(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    embedder.open.clear()
    note = await alice.note("A", "text")
    await until(lambda: served.parts.part(VectorMaker).state[0] == "indexing")
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    await alice.ok("DELETE", f"/os/trash/note/{note['id']}")
    embedder.open.set()
    await settled(served)
    assert stored(served) == {}


async def test_a_failing_model_is_asked_again_later_and_nothing_is_lost(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    embedder.failing = "The model has gone."
    for number in range(5):
        await alice.note(f"N{number}", "text")
    known = served.parts.part(VectorMaker)
    await until(lambda: known.state[0] == "failing")
    assert (await status(alice))["reason"] == "The model has gone."
    embedder.failing = None
    await settled(served)
    assert len(stored(served)) == 5


async def test_a_maker_that_is_woken_as_it_is_stopped_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_maker, "LOOK_SECONDS", 60.0)
    await settled(served)
    known = served.parts.part(VectorMaker)
    await until(lambda: known._wake._waiters)
    known._wake.set()
    stopping = asyncio.ensure_future(known.stop())
    done, _ = await asyncio.wait({stopping}, timeout=2)
    assert done


async def test_a_note_that_no_model_takes_does_not_hold_up_the_others(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    embedder.refused = "poison"
    embedder.open.clear()
    for number in range(6):
        await alice.note(f"N{number}", "poison" if number == 3 else "text")
    embedder.open.set()
    await until(lambda: len(stored(served)) == 5)
    await settled(served)
    assert (await status(alice))["notesIndexed"] == 5
    embedder.refused = None
    await alice.ok("PATCH", "/os/notes/4", json={"content": "better", "contentFormat": "markdown"})
    await until(lambda: len(stored(served)) == 6)


async def test_an_unexpected_failure_is_said_and_passes(
    served: Served,
    alice: Client,
    embedder: FakeEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(texts: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(embedder, "passages", broken)
    await alice.note("A", "text")
    await until(lambda: served.parts.part(VectorMaker).state[0] == "failing")
    monkeypatch.undo()
    await until(lambda: stored(served))
    assert "ZeroDivisionError" in caplog.text


async def test_a_vector_of_another_length_is_refused(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await alice.note("A", "text")
    await settled(served)
    embedder._size = 95
    embedder.dimension = 96

    async def shorter(texts: Any) -> list[bytes]:
        return [embedder._int8(text) for text in texts]

    embedder.passages = shorter  # type: ignore[method-assign]
    await alice.note("B", "text")
    await until(lambda: served.parts.part(VectorMaker).state[0] == "failing")
    assert "96" in (await status(alice))["reason"]
    assert len(stored(served)) == 1


async def test_a_model_that_tells_its_dimension_late_is_waited_for(start: Start) -> None:
    embedder = FakeEmbedder()
    embedder.dimension = None
    async with start(embedder) as server:
        alice = await server.person("alice")
        await alice.note("A", "text")
        await until(lambda: stored(server))
        await settled(server)
        assert (await status(alice))["dimension"] == 96
        await alice.aclose()


async def test_on_battery_the_work_pauses_and_then_goes_on(
    start: Start, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(embedder) as server:
        known = server.parts.part(VectorMaker)
        monkeypatch.setattr(known, "_on_battery", lambda: True)
        alice = await server.person("alice")
        await alice.note("A", "text")
        await until(lambda: known.state[0] == "paused")
        assert "battery" in (await status(alice))["reason"]
        assert embedder.asked == []
        monkeypatch.setattr(known, "_on_battery", lambda: False)
        await until(lambda: stored(server))
        await alice.aclose()


async def test_another_model_is_indexed_while_the_old_one_answers_and_then_the_old_goes(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_maker, "STEP", 2)
    async with start(FakeEmbedder("old")) as server:
        alice = await server.person("alice")
        for number in range(5):
            await alice.note(f"N{number}", "text")
        await until(lambda: len(stored(server, "old")) == 5)
        await settled(server)
        key = await server.key("alice")
        await alice.aclose()
    new, old = FakeEmbedder("new", dimension=64), FakeEmbedder("old")
    new.open.clear()
    async with start(new, former={"old": old}) as server:
        alice = server.client(key)
        await until(lambda: server.parts.part(VectorMaker).answering)
        found = await status(alice)
        assert (found["model"], found["answering"], found["state"]) == ("new", "old", "indexing")
        assert len(stored(server, "old")) == 5
        assert await server.parts.part(VectorMaker).query("text") == await old.query("text")
        new.open.set()
        await until(lambda: not stored(server, "old"))
        assert old.closed
        assert await server.parts.part(VectorMaker).query("text") == await new.query("text")
        assert len(stored(server, "new")) == 5
        await settled(server)
        found = await status(alice)
        assert (found["model"], found["answering"], found["dimension"], found["notesIndexed"]) == (
            "new",
            "new",
            64,
            5,
        )
        await alice.aclose()


async def test_without_a_way_to_ask_the_old_model_the_new_one_answers_as_far_as_it_is(
    start: Start,
) -> None:
    async with start(FakeEmbedder("old")) as server:
        alice = await server.person("alice")
        await alice.note("A", "text")
        await settled(server)
        await alice.aclose()
    new = FakeEmbedder("new")
    new.open.clear()
    async with start(new) as server:
        await until(lambda: server.parts.part(VectorMaker).answering)
        assert server.parts.part(VectorMaker).answering == server.parts.part(VectorMaker).model
        assert stored(server, "old")


async def test_a_query_that_no_model_answers_soon_is_given_up(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_maker, "QUERY_SECONDS", 0.001)
    embedder = FakeEmbedder()

    async def never(text: str) -> bytes:
        await asyncio.Event().wait()
        return b""

    monkeypatch.setattr(embedder, "query", never)
    async with start(embedder) as server:
        with pytest.raises(EmbeddingFailed, match="does not answer"):
            await server.parts.part(VectorMaker).query("text")


async def test_going_back_to_a_model_keeps_what_it_had(start: Start) -> None:
    async with start(FakeEmbedder("old")) as server:
        alice = await server.person("alice")
        await alice.note("A", "text")
        await until(lambda: stored(server, "old"))
        await settled(server)
        await alice.aclose()
    new = FakeEmbedder("new")
    new.open.clear()
    async with start(new) as server:
        await until(lambda: server.parts.part(VectorMaker).answering)
    again = FakeEmbedder("old")
    async with start(again) as server:
        await settled(server)
        assert again.asked == []
        assert stored(server, "old")


async def test_a_purged_note_takes_its_vectors_along(served: Served, alice: Client) -> None:
    note = await alice.note("A", "text")
    await settled(served)
    assert list(await held(served, 1)) == [note["id"]]
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert await held(served, 1) == {}
    assert list(stored(served)) == [note["id"]]
    await alice.ok("DELETE", f"/os/trash/note/{note['id']}")
    assert stored(served) == {}


async def test_the_status_counts_only_the_callers_notes(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.note("A", "text")
    await bob.note("B", "text")
    await bob.note("C", "text")
    await settled(served)
    assert [(await status(who))["notesIndexed"] for who in (alice, bob)] == [1, 2]
    assert (await served.command("search_progress")).meaning.notes_indexed == 3


async def test_the_status_counts_a_changed_note_as_not_yet_done(
    served: Served, alice: Client, embedder: FakeEmbedder
) -> None:
    await alice.note("A", "text")
    await settled(served)
    embedder.open.clear()
    await alice.ok("PATCH", "/os/notes/1", json={"content": "other", "contentFormat": "markdown"})
    found = await status(alice)
    assert (found["state"], found["notes"], found["notesIndexed"]) == ("indexing", 1, 0)
    embedder.open.set()


async def test_what_many_changes_ask_for_while_older_notes_are_looked_up_is_not_lost() -> None:
    class Reading:
        """An app that reads, and in which many notes are written before the first answer is
        heard.
        """

        def __init__(self) -> None:
            self.queue = TextQueue(NOTES)
            self.rows: list[int] = []

        async def read(
            self, function: object, model: int, below: int, *, step: int
        ) -> tuple[list[int], int]:
            seen = [id_ for id_ in self.rows if id_ < below]
            if not self.rows:
                self.rows = [9, 8, 7]
                self.queue.look_through_all()
            return seen, 0

    app: Any = Reading()
    assert await app.queue.take_older(app, 1, 16) == [9, 8, 7]
    assert await app.queue.take_older(app, 1, 16) == []


async def test_many_changes_are_waited_for_until_the_last(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing says "ready" while what it was woken for is still to be done, and nothing waits
    for the next look.
    """
    embedder = FakeEmbedder()
    async with start(embedder) as server:
        alice = await server.person("alice")
        await settled(server)
        monkeypatch.setattr(vector_maker, "LOOK_SECONDS", 1000.0)
        await alice.note("A", "text")
        await settled(server)
        monkeypatch.setattr(vector_maker, "QUIET_SECONDS", 0.05)
        await alice.post(
            "/accumulate",
            json={
                "files": [
                    {"path": f"Own/{number}", "content": f"many {number}"} for number in range(9)
                ]
            },
        )
        await settled(server)
        assert len(stored(server)) == 10
        await alice.aclose()


@pytest.mark.parametrize("seed", range(4))
async def test_a_matrix_is_always_what_the_table_has(
    served: Served, alice: Client, bob: Client, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens in whatever order, and whenever somebody searches meanwhile."""
    chance = random.Random(seed)
    monkeypatch.setattr(vector_matrices, "MOST_CHANGED", chance.choice([3, 1000]))
    await served.command("connect_users", username="alice", contact="bob")
    folder = await bob.folder("Shared")
    await bob.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "alice", "role": "editor"}
    )
    place = await alice.folder("Own")
    ids = [(await alice.note("First", "word"))["id"]]
    await settled(served)  # a matrix has rows of a model, which the first vectors make known
    for step in range(60):
        note = chance.choice(ids) if ids else 0
        what = chance.choice(
            [
                "new",
                "change",
                "move",
                "away",
                "trash",
                "restore",
                "purge",
                "many",
                "folder",
                "search",
            ]
        )
        if what == "new" or not note:
            ids.append(
                (
                    await alice.note(
                        f"N{step}",
                        "word " * chance.randrange(1, 120),
                        folderId=chance.choice([None, place, folder]),
                    )
                )["id"]
            )
        elif what == "change":
            await alice.patch(
                f"/os/notes/{note}",
                json={
                    "content": f"changed {step} " * chance.randrange(60),
                    "contentFormat": "markdown",
                },
            )
        elif what == "move":
            await alice.post(f"/os/notes/{note}/move", json={"folderId": folder})
        elif what == "away":
            await alice.post(f"/os/notes/{note}/move", json={"folderId": place})
        elif what == "trash":
            await alice.delete(f"/os/notes/{note}")
        elif what == "restore":
            await alice.post(f"/os/trash/note/{note}/restore")
        elif what == "purge":
            await alice.delete(f"/os/trash/note/{note}")
        elif what == "many":
            await alice.post(
                "/accumulate",
                json={
                    "files": [
                        {"path": f"Own/{step}-{number}", "content": f"many {number}"}
                        for number in range(9)
                    ]
                },
            )
        elif what == "folder":
            await alice.delete(f"/os/folders/{place}")
            await alice.post(f"/os/trash/folder/{place}/restore")
        else:
            await held(served, chance.choice([1, 2]))
    await settled(served)
    table = stored(served)
    rows = served.parts.glance(
        lambda tx: tx.all("SELECT id, owner_id FROM notes WHERE trash_id IS NULL")
    )
    assert rows
    for owner in (1, 2):
        assert await held(served, owner) == {
            row[0]: table[row[0]] for row in rows if row[1] == owner
        }


async def test_a_search_that_is_given_up_leaves_the_matrix_whole(
    served: Served, alice: Client
) -> None:
    for number in range(5):
        await alice.note(f"N{number}", "text")
    await settled(served)
    known = served.parts.part(VectorMaker)
    assert known.model is not None
    asking = asyncio.ensure_future(known.matrices.matrices_of(served.parts, known.model, [1]))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(await held(served, 1)) == 5


async def test_matrices_that_were_not_used_for_longest_go_first(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.note("A", "text")
    await bob.note("B", "text")
    await settled(served)
    await held(served, 1)
    monkeypatch.setattr(vector_matrices, "MOST_BYTES", 1)
    assert list(await held(served, 2)) == [2]
    assert list(served.parts.part(VectorMaker).matrices._held) == [2]
    assert list(await held(served, 1)) == [1]


def directions(number: int, dimension: int = 32, seed: int = 1) -> list[bytes]:
    chance = random.Random(seed)
    return [bytes(chance.randrange(256) for _ in range(dimension)) for _ in range(number)]


def query(seed: int, dimension: int = 32) -> bytes:
    from app.core.process.numpy_setup import numpy as np

    vector = np.array(
        [random.Random(seed).gauss(0, 1 / (1 + place)) for place in range(dimension)], np.float32
    )
    return bytes((vector / np.linalg.norm(vector)).astype(np.float32).tobytes())


def test_an_empty_matrix_finds_nothing() -> None:
    empty = Matrix(32)
    assert empty.nearness(query(1)).nearest(10) == {}
    empty.load([])
    empty.replace([1], [])
    assert empty.nearness(query(1)).nearest(10) == {}
    assert empty.nearness(query(1)).of_notes([1, 2]) == {}
    assert empty.mean_direction(1) is None


def test_a_notes_best_passage_counts_and_is_told() -> None:
    from app.core.process.numpy_setup import numpy as np

    made = Matrix(4)
    made.load([(7, bytes([1, 127, 0, 0, 127, 0, 0, 0])), (9, bytes([0, 0, 127, 0]))])
    asked = np.array([1, 0, 0, 0], np.float32).tobytes()
    found = made.nearness(asked).nearest(10)
    assert (list(found), found[7].ordinal, round(found[7].score, 3)) == ([7, 9], 1, 1.0)
    assert made.nearness(asked).of_notes([9, 8, -1, 1 << 60])[9].score == 0
    assert np.frombuffer(made.mean_direction(7) or b"", np.float32).tolist() == pytest.approx(
        [0.71, 0.70, 0, 0], abs=0.01
    )


@pytest.mark.parametrize("large", [20_000, 100])
def test_a_large_matrix_finds_what_a_small_one_finds(
    monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    from app.core.process.numpy_setup import numpy as np

    monkeypatch.setattr(vector_matrix, "LARGE", large)
    monkeypatch.setattr(vector_matrix, "CHOSEN", 300)
    chance = np.random.default_rng(5)
    rows = chance.standard_normal((1000, 32)) / (1 + np.arange(32))
    rows = np.rint(rows * 127 / np.abs(rows).max(axis=1, keepdims=True)).astype(np.int8)
    made = Matrix(32)
    made.load((note, rows[note - 1].tobytes()) for note in range(1, 900))
    made.replace([5], [(note, rows[note - 1].tobytes()) for note in range(900, 1001)])
    for seed in range(5):
        asked = np.frombuffer(query(seed), np.float32)
        exact = rows @ asked / np.linalg.norm(rows.astype(np.float32), axis=1)
        best = [int(place) + 1 for place in np.argsort(-exact) if place != 4][:10]
        found = made.nearness(query(seed)).nearest(10)
        assert len(set(found) & set(best)) >= 9
        assert all(abs(near.score - exact[note - 1]) < 0.02 for note, near in found.items())


@pytest.mark.parametrize("sampled", ["any", "the nearest", "the farthest"])
def test_the_nearest_of_many_rows_are_those_of_all_whatever_a_sample_tells(
    monkeypatch: pytest.MonkeyPatch, sampled: str
) -> None:
    from app.core.process.numpy_setup import numpy as np

    monkeypatch.setattr(vector_matrix, "SAMPLE", 100)
    asked = np.frombuffer(query(1), np.float32)
    rows = np.stack([np.frombuffer(vector, np.int8) for vector in directions(1000)])
    near = rows @ asked / np.linalg.norm(rows.astype(np.float32), axis=1)
    if sampled != "any":
        order = np.argsort(near if sampled == "the farthest" else -near)
        places = np.concatenate([np.arange(5, 1000, 10), np.delete(np.arange(1000), np.s_[5::10])])
        rows[places], near[places] = rows[order], near[order]
    made = Matrix(32)
    made.load((note + 1, row.tobytes()) for note, row in enumerate(rows))
    best = [int(place) + 1 for place in np.argsort(-near)[:20]]
    assert list(made.nearness(query(1)).nearest(20)) == best


def test_rows_that_are_gone_are_never_found_and_at_last_make_room() -> None:
    made = Matrix(32)
    vectors_ = directions(100)
    made.load((note, vectors_[note - 1]) for note in range(1, 101))
    size = made.size
    made.replace(range(1, 21), [])
    assert made.size == size
    assert set(made.nearness(query(1)).nearest(1000)) == set(range(21, 101))
    made.replace(range(21, 51), [(200, vectors_[0] + vectors_[1])])
    assert made.size < size
    assert made.contents() == {note: vectors_[note - 1] for note in range(51, 101)} | {
        200: vectors_[0] + vectors_[1]
    }
    assert made.passages == 52
