"""The word index: kept in step with the notes, one for each owner, made anew when its rules
change, and proven.
"""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx, utc_now
from app.main import create_app
from app.migrations import STEPS, migrate
from app.settings import Settings
from app.workspace.index import spellings, word_index
from tests.conftest import Client, MovableClock, Served
from tests.support import index_checks

pytestmark = pytest.mark.anyio


async def results(client: Client, query: str, **more: Any) -> Any:
    return await client.ok("POST", "/os/notes/search", json={"query": query, **more})


async def found(client: Client, query: str, **more: Any) -> list[str]:
    return [hit["title"] for hit in (await results(client, query, **more))["results"]]


async def check(served: Served) -> list[str]:
    """Have the index compared with the notes, after all that waits has been indexed."""
    while served.parts.glance(word_index.any_waiting):
        await served.parts.write(word_index.index_waiting)
    return await served.parts.write(index_checks.word_damage)


def owners(served: Served) -> list[int]:
    return [
        row[0]
        for row in served.parts.quick(
            lambda tx: tx.all("SELECT owner_id FROM word_owners ORDER BY owner_id")
        )
    ]


async def test_the_index_follows_every_change_of_a_note(
    served: Served, alice: Client, bob: Client
) -> None:
    shared = await alice.folder("Shared")
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "editor"}
    )
    note = await alice.note(
        "One", "# Heading\nzebra 東京 straße\n- [ ] open", tags=["striped", "größe"]
    )
    assert await check(served) == []
    path = f"/os/notes/{note['id']}"
    await alice.ok("PATCH", path, json={"content": "giraffe cafe\u0301", "tags": []})
    await alice.ok("POST", f"{path}/copy", json={"title": "Copy"})
    await alice.ok("POST", f"/os/snapshots/{note['id']}/restore", json={"seq": 1})
    assert await check(served) == []
    own = await bob.note("Bob's", "okapi")
    assert await check(served) == []
    await bob.ok("POST", f"/os/notes/{own['id']}/move", json={"folderId": shared})
    assert await check(served) == []
    assert await found(alice, "okapi") == ["Bob's"]
    await alice.ok("DELETE", path)
    await alice.ok("DELETE", f"/os/trash/note/{note['id']}")
    assert await check(served) == []
    assert await found(alice, "giraffe") == ["Copy"]


async def test_a_note_that_waits_moves_to_another_owner(
    served: Served, alice: Client, bob: Client
) -> None:
    shared = await alice.folder("Shared")
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "editor"}
    )
    note = await bob.note("Bob's", "okapi")
    await bob.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": shared})
    assert await check(served) == []
    assert await found(alice, "okapi") == await found(bob, "okapi") == ["Bob's"]


async def test_an_index_that_differs_from_its_notes_is_seen(served: Served, alice: Client) -> None:
    note = await alice.note("One", "zebra")
    assert await check(served) == []
    await served.parts.write(
        lambda tx: tx.run("UPDATE notes SET content = 'giraffe' WHERE id = :id", id=note["id"])
    )
    assert "giraff" in str(await check(served))
    await served.parts.write(word_index.clear)
    assert await check(served) == []
    await served.parts.write(lambda tx: word_index.drop(tx, owners(served)[0]))
    assert await check(served) == ["1 note is in no index."]


async def test_what_others_write_changes_neither_results_nor_scores(
    alice: Client, bob: Client
) -> None:
    for title in ("one", "two", "three", "four"):
        await bob.note(title, f"{title} walrus and carpenter, number {len(title)}")
    before = [
        (await results(bob, query))["results"]
        for query in ("walrus two", "carp*", '"walrus and"', "-one")
    ]
    await alice.ok(
        "POST",
        "/accumulate",
        json={
            "files": [
                {"path": f"n{at}", "content": "walrus two carpenter " * at} for at in range(1, 51)
            ]
        },
    )
    assert [
        (await results(bob, query))["results"]
        for query in ("walrus two", "carp*", '"walrus and"', "-one")
    ] == before


async def test_what_others_keep_to_themselves_changes_no_score_of_what_they_share(
    served: Served, alice: Client, bob: Client
) -> None:
    shared = await alice.folder("Shared")
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "viewer"}
    )
    await alice.note("One", "walrus and carpenter", folderId=shared)
    await alice.note("Two", "walrus walrus", folderId=shared)
    await bob.note("Own", "carpenter")
    queries = ("walrus carpenter", "walrus", "carp*", '"walrus and"')
    before = [(await results(bob, query))["results"] for query in queries]
    assert [hit["title"] for hit in before[0]] == ["One", "Two", "Own"]
    await alice.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": f"n{at}", "content": "walrus two " * at} for at in range(1, 51)]},
    )
    assert [(await results(bob, query))["results"] for query in queries] == before


async def test_with_a_user_their_index_goes(served: Served, alice: Client, bob: Client) -> None:
    await alice.note("One", "zebra")
    await bob.note("Two", "zebra")
    assert await check(served) == []
    assert len(owners(served)) == 2
    await served.command("delete_user", username="bob")
    assert len(owners(served)) == 1
    tables = served.parts.quick(
        lambda tx: tx.value(
            "SELECT count(*) FROM sqlite_master WHERE name LIKE 'note\\_words\\__' ESCAPE '\\'"
        )
    )
    assert tables == 1
    assert await check(served) == []


async def test_the_index_is_made_anew_when_its_rules_have_changed(
    data: Path, settings: Settings, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = create_app(settings, data, clock=clock)
    async with first.router.lifespan_context(first):
        served = Served(first, first.state.parts)
        ann = await served.person("ann")
        await ann.ok(
            "POST",
            "/accumulate",
            json={
                "files": [
                    {"path": f"n{number}", "content": f"zebra number{number}"}
                    for number in range(20)
                ]
            },
        )
        assert await check(served) == []
        await ann.aclose()
    for module in (word_index, spellings):
        monkeypatch.setattr(module, "FORMAT", spellings.FORMAT + 1)
    again = create_app(settings, data, clock=clock)
    async with again.router.lifespan_context(again):
        served = Served(again, again.state.parts)
        assert served.parts.glance(word_index.is_stale)
        await served.parts.write(word_index.index_waiting, 5)
        assert await served.parts.write(index_checks.word_damage) == []
        client = served.client(await served.key("ann"))
        await client.ok("PATCH", "/os/notes/3", json={"content": "okapi"})
        await client.ok("PATCH", "/os/notes/19", json={"content": "okapi"})
        await client.note("New", "okapi")
        assert set(await found(client, "okapi")) == {"n2", "n18", "New"}
        assert await check(served) == []
        assert len(await found(client, "zebra", limit=50)) == 18
        await client.aclose()


async def test_while_older_notes_are_missing_the_answer_says_so(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        await alice.note(f"n{number}", "zebra")
    index_waiting = word_index.index_waiting

    def one_for_a_search(tx: Tx, *in_an_idle_moment: int) -> None:
        if not in_an_idle_moment:
            index_waiting(tx, 1)

    monkeypatch.setattr("app.workspace.search.search.CATCH_UP_STEPS", 2)
    monkeypatch.setattr(word_index, "index_waiting", one_for_a_search)
    await served.parts.write(word_index.clear)
    body = await results(alice, "zebra", mode="words")
    assert [hit["title"] for hit in body["results"]] == ["n3", "n2"]
    assert "made anew" in body["notice"]
    await alice.note("new", "zebra")
    body = await results(alice, "zebra", mode="words")
    assert [hit["title"] for hit in body["results"]] == ["new", "n3", "n2", "n1"]
    body = await results(alice, "zebra", mode="words")
    assert len(body["results"]) == 5
    assert body["notice"] is None


def test_the_step_that_makes_the_index_works_on_a_filled_database(tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    migrate(path, steps=STEPS[:2])
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.execute(
        "INSERT INTO users (uuid, username, name, created_at) VALUES ('u', 'ann', 'Ann', 't')"
    )
    for number in range(3):
        connection.execute(
            """INSERT INTO notes (owner_id, title, tags, word_count, size, created_at, updated_at,
                 content)
               VALUES (1, ?, '[]', 1, 5, 't', 't', 'zebra')""",
            (f"n{number}",),
        )
        connection.execute("INSERT INTO waiting_words VALUES (?)", (number + 1,))
    connection.commit()
    assert migrate(path) == [step.__name__ for step in STEPS[2:]]
    tx = Tx(connection, utc_now())
    while word_index.any_waiting(tx):
        word_index.index_waiting(tx, 2)
    assert index_checks.word_damage(tx) == []
    assert tx.value("SELECT count(*) FROM note_words_1 WHERE note_words_1 MATCH 'zebra'") == 3
    connection.close()
