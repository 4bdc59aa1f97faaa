"""The agent's memory: finding what was said, done and noted, and writing facts down."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.agent.memory import episode_sources, episodes, memory
from app.core.caller import Caller
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.errors import RateLimited
from app.main import create_app
from app.migrations import STEPS, migrate
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served
from tests.support.fake_embedder import FakeEmbedder
from tests.support.with_meaning import Start, impatient, settled, start, until

__all__ = ["impatient", "start"]

pytestmark = pytest.mark.anyio


async def say(client: Client, message: str, **more: Any) -> Any:
    return await client.ok("POST", "/chat", json={"message": message, "stream": False, **more})


async def found(client: Client, query: str, **more: Any) -> list[Any]:
    body = await client.ok("POST", "/os/memory/search", json={"query": query, **more})
    assert body["result"] == {"results": body["results"]}
    results: list[Any] = body["results"]
    return results


async def write(client: Client, status: int = 200, **params: Any) -> Any:
    response = await client.post("/tools", json={"tool": "memory_write", "params": params})
    assert response.status_code == status, response.text
    return response.json()["result" if status == 200 else "message"]


async def add(
    served: Served,
    client: Client,
    title: str,
    text: str,
    at: str,
    kind: episodes.Kind = "heartbeat",
) -> int:
    """Keep an episode as the rest of the program does."""
    user = user_of(served, client)
    return await served.parts.write(
        episodes.add,
        user,
        kind=kind,
        key=f"{title} {at}",
        title=title,
        text=text,
        at=at,
        path="heartbeat/runs/1",
    )


def user_of(served: Served, client: Client) -> int:
    return int(
        served.parts.glance(
            lambda tx: tx.value("SELECT id FROM users WHERE username = :name", name=client.username)
        )
    )


async def markdown(client: Client, note_id: int) -> str:
    return str((await client.ok("GET", f"/os/notes/{note_id}"))["note"]["markdown"])


async def test_a_turn_a_briefing_and_a_memory_note_are_found(alice: Client) -> None:
    talked = await say(alice, "The walrus sings at dawn")
    folder = await alice.folder("memory/Daily")
    note = await alice.note("2026-11-20", "- 10:00: The walrus arrived.", folderId=folder)
    await alice.note("Elsewhere", "A walrus too.")
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "Feed the walrus", "dueDate": "2026-11-20"}
    )
    briefed = (await alice.ok("POST", "/briefing", json={}))["id"]
    hits = {hit["kind"]: hit for hit in await found(alice, "walrus")}
    assert hits.keys() == {"conversation", "memory_note", "briefing"}
    assert hits["conversation"] == {
        "title": "The walrus sings at dawn",
        "snippet": hits["conversation"]["snippet"],
        "path": f"conversations/{talked['conversationId']}",
        "kind": "conversation",
        "conversationId": talked["conversationId"],
        "score": hits["conversation"]["score"],
        "at": "2026-11-21T09:30:00.000Z",
    }
    assert "walrus sings" in hits["conversation"]["snippet"]
    assert (hits["memory_note"]["path"], hits["memory_note"]["noteId"]) == (
        "memory/Daily/2026-11-20",
        note["id"],
    )
    assert "conversationId" not in hits["memory_note"]
    assert hits["briefing"]["path"] == f"briefings/{briefed}"
    assert "Feed the walrus" in hits["briefing"]["snippet"]
    assert "<" not in hits["briefing"]["snippet"]


async def test_nothing_of_another_is_found(served: Served, alice: Client, bob: Client) -> None:
    await say(alice, "The walrus sings")
    folder = await alice.folder("Memory")
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok("POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "admin"})
    await alice.note("Walrus", "walrus", folderId=folder)
    await add(served, alice, "Run", "walrus", "2026-11-21T09:00:00.000Z")
    assert await found(bob, "walrus") == []
    own = await say(bob, "My walrus")
    alone = await found(bob, "walrus")
    assert [hit["conversationId"] for hit in alone] == [own["conversationId"]]
    for number in range(5):
        await say(alice, f"walrus {number}")
    assert await found(bob, "walrus") == alone


async def test_what_is_older_fades_and_facts_do_not(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    for days, at in ((1, "2026-11-20"), (400, "2025-10-17"), (40, "2026-10-12")):
        await add(served, alice, f"Run {days}", "The boiler was repaired.", f"{at}T09:30:00.000Z")
    hits = await found(alice, "boiler")
    assert [hit["title"] for hit in hits] == ["Run 1", "Run 40", "Run 400"]
    factors = [hit["score"] / hits[0]["score"] for hit in hits]
    assert factors == pytest.approx([1, 0.4 + 0.6 * 0.5 ** (40 / 30), 0.4], abs=0.02)
    await write(alice, kind="long_term", content="The boiler was repaired.")
    before = {hit["title"]: hit["score"] for hit in await found(alice, "boiler")}
    clock.forward(days=900)
    after = {hit["title"]: hit["score"] for hit in await found(alice, "boiler")}
    assert after["MEMORY.md"] == before["MEMORY.md"]
    assert after["Run 1"] < before["Run 1"]


async def test_what_fits_well_is_found_however_old_it_is(served: Served, alice: Client) -> None:
    for number in range(30):
        await add(
            served,
            alice,
            f"Run {number}",
            "The boiler hums, the week goes on and so does the garden.",
            "2026-11-21T09:00:00.000Z",
        )
    await add(
        served,
        alice,
        "Old",
        "The boiler was repaired by Okafor, invoice 7741.",
        "2021-01-01T00:00:00.000Z",
    )
    assert (await found(alice, "who repaired the boiler, Okafor?"))[0]["title"] == "Old"


async def test_a_deleted_conversation_is_forgotten_and_its_words_with_it(
    served: Served, alice: Client
) -> None:
    talked = await say(alice, "The walrus sings")
    await say(alice, "The walrus sleeps")
    await alice.ok("DELETE", f"/conversations/{talked['conversationId']}")
    assert [hit["title"] for hit in await found(alice, "walrus")] == ["The walrus sleeps"]
    name = episodes.table_name(user_of(served, alice))
    count = f"SELECT count(*) FROM {name} WHERE {name} MATCH 'walrus'"
    assert served.parts.glance(lambda tx: tx.value(count)) == 1


async def test_an_episode_that_is_written_again_replaces_the_first(
    served: Served, alice: Client
) -> None:
    first = await add(served, alice, "Run", "walrus", "2026-11-21T09:00:00.000Z")
    assert (
        await served.parts.write(
            episodes.add,
            user_of(served, alice),
            kind="heartbeat",
            key="Run 2026-11-21T09:00:00.000Z",
            title="Run",
            text="badger",
            at="2026-11-21T09:00:00.000Z",
            path="heartbeat/runs/1",
        )
        == first
    )
    assert await found(alice, "walrus") == []
    assert len(await found(alice, "badger")) == 1


async def test_a_hidden_conversation_is_not_found(served: Served, alice: Client) -> None:
    talked = await say(alice, "The walrus sings")
    await served.parts.write(
        lambda tx: tx.run("UPDATE conversation_members SET hidden = 1").rowcount
    )
    assert await found(alice, "walrus") == []
    await say(alice, "more", conversationId=talked["conversationId"])
    assert len(await found(alice, "walrus")) == 2


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Crème brûlée für Ömer", "creme brulee"),
        ("我们讨论了锅炉的维修", "锅炉"),
        ("ボイラーを修理しました", "修理"),
        ("Ёжик в тумане", "ёжик"),
        ("party 🎉 tomorrow", "🎉"),
        ("naïve \u202e reversed", "reversed"),
        ("one | two ` three", '"two" -three*'),
    ],
)
async def test_any_script_is_found(alice: Client, text: str, query: str) -> None:
    await say(alice, text)
    assert [hit["kind"] for hit in await found(alice, query)] == ["conversation"]


@pytest.mark.parametrize(
    "query",
    [
        " ",
        "???",
        "nowhere",
        "the",
        "a" * 1000,
        "字" * 1000,
        "a b " * 250,
        '" OR AND -',
        "tag:x",
        "updated:1999",
        "\u0301",
    ],
)
async def test_an_odd_query_is_no_failure(resident: Client, query: str) -> None:
    await say(resident, "The walrus sings")
    assert isinstance(await found(resident, query), list)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "x" * 1001}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "maxResults": "many"}, "maxResults"),
    ],
)
async def test_a_bad_search_names_its_field(resident: Client, body: Any, field: str) -> None:
    await resident.refused(
        "POST", "/os/memory/search", 400, "invalid_request", field=field, json=body
    )


async def test_so_many_are_found_as_are_asked_for(served: Served, alice: Client) -> None:
    for number in range(60):
        await add(served, alice, f"Run {number}", "walrus", "2026-11-21T09:00:00.000Z")
    for more, number in (
        ({}, 10),
        ({"limit": 3}, 3),
        ({"maxResults": 4}, 4),
        ({"limit": 999}, 50),
        ({"limit": 2, "maxResults": 9}, 2),
    ):
        assert len(await found(alice, "walrus", **more)) == number


async def test_days_narrow_a_search_and_alone_list_the_newest(
    served: Served, alice: Client
) -> None:
    for at in ("2026-11-09", "2026-11-15", "2026-11-16", "2026-11-20"):
        await add(served, alice, at, "walrus", f"{at}T12:00:00.000Z")
    assert {hit["title"] for hit in await found(alice, 'walrus updated:"last week"')} == {
        "2026-11-09",
        "2026-11-15",
    }
    assert [hit["title"] for hit in await found(alice, 'updated:"last week"')] == [
        "2026-11-15",
        "2026-11-09",
    ]
    assert [hit["title"] for hit in await found(alice, "after:2026-11-16", limit=1)] == [
        "2026-11-20"
    ]
    assert [hit["title"] for hit in await found(alice, "-updated:2026-11 walrus")] == []


async def test_the_question_is_kept_of_a_turn_that_only_recalls(
    served: Served, alice: Client
) -> None:
    await say(alice, "The walrus sings")
    answer = await say(alice, "what did we talk about yesterday?")
    assert answer["toolsUsed"] == ["memory_search"]
    texts = served.parts.glance(
        lambda tx: [row[0] for row in tx.all("SELECT text FROM episodes ORDER BY id")]
    )
    assert texts[1] == "what did we talk about yesterday?"


async def test_a_turn_that_was_cut_off_is_remembered_by_its_question(start: Start) -> None:
    async with start(FakeEmbedder(None)) as server:
        alice = await server.person("alice")
        await say(alice, "The walrus sings")
        await server.parts.write(_cut_off)
        await alice.aclose()
    async with start(FakeEmbedder(None)) as server:
        alice = server.client(await server.key("alice"))
        assert [hit["snippet"] for hit in await found(alice, "walrus")] == ["The walrus sings"]
        await alice.aclose()


def _cut_off(tx: Tx) -> None:
    """Leave what a server leaves that is killed in the middle of a turn."""
    episodes.forget_conversation(tx, 1)
    tx.run("DELETE FROM messages WHERE role = 'assistant'")
    tx.run("UPDATE turns SET status = 'running', ended_at = NULL")


async def test_what_was_before_there_were_episodes_comes_in_while_nobody_writes(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_sources, "PAST_AT_ONCE", 2)
    talked = [await say(alice, f"The walrus sings {number}") for number in range(5)]
    await alice.ok("POST", "/briefing", json={})
    kept = served.parts.glance(
        lambda tx: [
            tuple(row)
            for row in tx.all(
                "SELECT kind, key, title, text, at, path FROM episodes ORDER BY kind, at, key"
            )
        ]
    )
    await served.parts.write(_without_episodes, [turn["conversationId"] for turn in talked])
    assert await found(alice, "walrus") == []
    await until(
        lambda: not served.parts.glance(lambda tx: tx.value("SELECT count(*) FROM past_episodes"))
    )
    again = served.parts.glance(
        lambda tx: [
            tuple(row)
            for row in tx.all(
                "SELECT kind, key, title, text, at, path FROM episodes ORDER BY kind, at, key"
            )
        ]
    )
    assert again == kept
    assert len(await found(alice, "walrus")) == 5


async def test_what_an_older_server_left_is_found_after_the_migration(
    tmp_path: Path, settings: Settings, clock: MovableClock
) -> None:
    before = tuple(step for step in STEPS if step.__name__ < "m013")
    migrate(tmp_path / DATABASE, steps=before)
    at = "2026-11-20T09:00:00.000Z"
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.executescript(
        f"""INSERT INTO users (uuid, username, name, created_at)
                VALUES ('u', 'alice', 'Alice', '{at}');
            INSERT INTO conversations (type, owner_id, title, created_at, updated_at)
                VALUES ('direct', 1, 'Zoo', '{at}', '{at}');
            INSERT INTO conversation_members (conversation_id, user_id, active_at)
                VALUES (1, 1, '{at}');
            INSERT INTO messages
                  (conversation_id, role, sender_type, sender_label, content, created_at)
                VALUES (1, 'user', 'human', '', 'Who sings?', '{at}'),
                (1, 'assistant', 'agent', '', 'The walrus.', '{at}');
            INSERT INTO turns (conversation_id, user_id, message_id, model, status, started_at)
                VALUES (1, 1, 1, 'other', 'completed', '{at}');
            INSERT INTO briefings (owner_id, time_duration, status_summary, todo_summary,
                calendar_summary, notes_summary, email_summary, suggestions, tokens, generated_at)
                VALUES (1, 'day', '<p>One walrus.</p>', '', '', '', '', '[]', 0, '{at}')"""
    )
    connection.close()
    assert migrate(tmp_path / DATABASE)
    asgi = create_app(settings, tmp_path, clock=clock, embedder=FakeEmbedder(None))
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        await until(
            lambda: (
                served.parts.glance(lambda tx: tx.value("SELECT count(*) FROM past_episodes")) == 0
            )
        )
        async with served.client(await served.key("alice")) as client:
            hits = {
                hit["kind"]: (hit["snippet"], hit["at"]) for hit in await found(client, "walrus")
            }
    assert hits == {
        "conversation": ("Who sings?\n\nThe walrus.", at),
        "briefing": ("One walrus.", at),
    }


def _without_episodes(tx: Tx, conversations: list[int]) -> None:
    for conversation in conversations:
        episodes.forget_conversation(tx, conversation)
    episodes._delete_where(tx, "kind = 'briefing'")
    tx.run(
        "INSERT INTO past_episodes (kind, below) VALUES ('conversation', 100), ('briefing', 100)"
    )


async def test_a_user_who_goes_takes_the_words_of_their_episodes_along(
    served: Served, alice: Client, bob: Client
) -> None:
    await say(alice, "The walrus sings")
    await say(bob, "The walrus sleeps")
    await served.command("delete_user", username="alice")

    def tables(tx: Tx) -> list[str]:
        return [
            row[0]
            for row in tx.all(
                "SELECT name FROM sqlite_master WHERE name GLOB 'episode_words_[0-9]*' "
                "AND sql LIKE 'CREATE VIRTUAL%'"
            )
        ]

    await until(lambda: len(served.parts.glance(tables)) == 1)
    assert len(await found(bob, "walrus")) == 1


async def test_episodes_are_found_by_what_they_mean(start: Start) -> None:
    embedder = FakeEmbedder(alike=["walrus seal"])
    async with start(embedder) as server:
        alice = await server.person("alice")
        await say(alice, "The walrus sings at dawn")
        await say(alice, "Taxes are due in spring")
        folder = await alice.folder("Memory")
        await alice.note("Zoo", "A walrus lives there.", folderId=folder)
        await alice.note("Not of the memory", "A walrus lives there.")
        await settled(server)
        hits = await found(alice, "seal")
        assert [hit["title"] for hit in hits][:2] == ["Zoo", "The walrus sings at dawn"]
        assert "walrus" in hits[0]["snippet"]
        assert await found(alice, "zzzzqq") == []
        talked = next(
            hit["conversationId"] for hit in hits if hit["title"].startswith("The walrus")
        )
        await alice.ok("DELETE", f"/conversations/{talked}")
        assert "The walrus sings at dawn" not in [
            hit["title"] for hit in await found(alice, "seal")
        ]
        await alice.aclose()


async def test_an_episode_is_found_by_its_words_until_it_has_its_vectors_which_a_restart_makes(
    start: Start,
) -> None:
    """Whatever ends the server between the turn and its vectors."""
    embedder = FakeEmbedder()
    embedder.open.clear()
    async with start(embedder) as server:
        alice = await server.person("alice")
        await say(alice, "The walrus sings")
        assert len(await found(alice, "walrus")) == 1
        await alice.aclose()
    assert embedder.asked == []
    async with start(FakeEmbedder(alike=["walrus seal"])) as server:
        await settled(server)
        alice = server.client(await server.key("alice"))
        assert [hit["title"] for hit in await found(alice, "seal")] == ["The walrus sings"]
        await alice.aclose()


async def test_another_model_takes_over_the_episodes_too(start: Start) -> None:
    async with start(FakeEmbedder("old")) as server:
        alice = await server.person("alice")
        await say(alice, "The walrus sings")
        await settled(server)
        await alice.aclose()
    async with start(FakeEmbedder("new", dimension=64)) as server:
        models = (
            "SELECT count(*) FROM episode_passages p "
            "JOIN embedding_models m ON m.id = p.model_id WHERE m.name = :name"
        )
        await until(lambda: server.parts.glance(lambda tx: tx.value(models, name="new")))
        await until(lambda: not server.parts.glance(lambda tx: tx.value(models, name="old")))
        alice = server.client(await server.key("alice"))
        assert len(await found(alice, "walrus")) == 1
        await alice.aclose()


@pytest.mark.parametrize(
    ("params", "path", "text"),
    [
        (
            {"kind": "daily", "content": "Met Ines."},
            "Memory/Daily/2026-11-21",
            "- 09:30: Met Ines.\n",
        ),
        (
            {"kind": "long_term", "content": "- Likes tea\r\n\nwithout sugar"},
            "Memory/Self/MEMORY.md",
            "- 2026-11-21: Likes tea\n  without sugar\n",
        ),
        (
            {"kind": "relationship", "content": "Plays chess", "username": "Ben"},
            "Memory/Relationships/ben.md",
            "- 2026-11-21: Plays chess\n",
        ),
    ],
)
async def test_a_fact_becomes_a_dated_line_of_its_note(
    alice: Client, params: Any, path: str, text: str
) -> None:
    done = await write(alice, **params)
    assert (done["written"], done["note"]["path"]) == (True, path)
    assert await markdown(alice, done["note"]["id"]) == text
    assert (await found(alice, params["content"]))[0]["noteId"] == done["note"]["id"]


async def test_a_day_is_one_of_the_users_zone(alice: Client) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Pacific/Kiritimati"})
    done = await write(alice, kind="daily", content="Late.")
    assert done["note"]["title"] == "2026-11-21"
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Pacific/Pago_Pago"})
    assert (await write(alice, kind="daily", content="Early."))["note"]["title"] == "2026-11-20"


async def test_facts_are_added_below_what_stands_there_with_a_snapshot_first(alice: Client) -> None:
    folder = await alice.folder("memory/self")
    note = await alice.note("MEMORY.md", "# Facts\n\nSome words.\n", folderId=folder)
    for fact in ("One", "Two"):
        assert (await write(alice, kind="long_term", content=fact))["note"][
            "path"
        ] == "memory/self/MEMORY.md"
    assert (
        await markdown(alice, note["id"])
        == "# Facts\n\nSome words.\n\n- 2026-11-21: One\n- 2026-11-21: Two\n"
    )
    labels = [
        row["label"] for row in (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]
    ]
    assert labels == ["auto: before memory write"] * 2


@pytest.mark.parametrize("again", ["Likes tea.", "likes  TEA", "- Likes tea", "Likes\ntea"])
async def test_a_fact_is_not_written_twice(alice: Client, clock: MovableClock, again: str) -> None:
    first = await write(alice, kind="long_term", content="Likes tea.")
    clock.forward(days=3)
    second = await write(alice, kind="long_term", content=again)
    assert (second["written"], second["note"]) == (False, first["note"])
    assert (await write(alice, kind="long_term", content="Likes tea with milk"))["written"] is True


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"kind": "relationship", "content": "x"}, "username"),
        ({"kind": "relationship", "content": "x", "username": "../up"}, "username"),
        ({"kind": "weekly", "content": "x"}, "kind"),
        ({"kind": "daily", "content": ""}, "content"),
        ({"kind": "daily", "content": " \n "}, "content"),
        ({"kind": "daily", "content": "x" * 4001}, "content"),
        ({"kind": "daily", "content": "nul \0"}, "content"),
        ({"kind": "daily"}, "content"),
        ({"content": "x"}, "kind"),
    ],
)
async def test_a_bad_fact_is_refused_and_nothing_is_made(
    alice: Client, params: Any, named: str
) -> None:
    assert named in await write(alice, 422, **params)
    assert (await alice.ok("GET", "/os/notes", params={"recursive": True}))["totalNotes"] == 0


async def test_a_note_that_is_full_takes_no_more(alice: Client) -> None:
    folder = await alice.folder("Memory/Self")
    note = await alice.note("MEMORY.md", "x" * (256 << 10), folderId=folder)
    assert "Memory/Self/MEMORY.md would become larger than 256 KiB" in await write(
        alice, 422, kind="long_term", content="more"
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["revision"] == 1


async def test_the_memory_needs_its_scopes(served: Served, alice: Client) -> None:
    async with served.client(await served.key("alice", ["os.notes:read"])) as reader:
        await reader.refused(
            "POST", "/os/memory/search", 403, "insufficient_scope", json={"query": "x"}
        )
        await reader.refused(
            "POST",
            "/tools",
            403,
            "insufficient_scope",
            json={"tool": "memory_write", "params": {"kind": "daily", "content": "x"}},
        )


async def test_a_heartbeat_writes_only_so_often(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    me = Caller(user=user_of(served, alice), user_id="", username="alice", kind="heartbeat")

    async def may(kind: memory.WriteKind) -> int:
        return await served.parts.read(memory.seconds_to_wait, me, kind)

    clock.now = clock.now.replace(hour=0, minute=0)
    for hour, kind in enumerate(["long_term"] * 3 + ["daily"] * 4):
        assert await may(kind) == 0
        await served.parts.call(me, "memory_write", {"kind": kind, "content": f"Fact {hour}"})
        assert await may("relationship") == 3600
        with pytest.raises(RateLimited) as refused:
            await served.parts.call(
                me,
                "memory_write",
                {"kind": "relationship", "username": "ben", "content": "Too soon"},
            )
        assert refused.value.details == {"retryAfter": 3600}
        clock.forward(hours=1)
    assert [await may(kind) for kind in ("daily", "long_term", "relationship")] == [
        17 * 3600,
        17 * 3600,
        0,
    ]
    assert (
        served.parts.glance(
            lambda tx: memory.count_writes(tx, me.user, by="heartbeat", since="2026")
        )
        == 7
    )
    assert (await write(alice, kind="daily", content="A person may."))["written"]
    clock.forward(hours=17)
    assert await may("daily") == 0


async def test_the_tool_finds_what_the_endpoint_finds(alice: Client) -> None:
    await say(alice, "The walrus sings")
    called = await alice.ok(
        "POST", "/tools", json={"tool": "memory_search", "params": {"query": "walrus", "limit": 1}}
    )
    assert called["result"]["results"] == await found(alice, "walrus", limit=1)
    tools = {tool["name"]: tool for tool in (await alice.ok("GET", "/tools"))["tools"]}
    assert {
        name: (tools[name]["namespace"], tools[name]["scope"])
        for name in ("memory_search", "memory_write")
    } == {
        "memory_search": ("memory", "os.memory:read"),
        "memory_write": ("memory", "os.notes:write"),
    }
