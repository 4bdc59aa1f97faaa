"""Search by words and grep by lines."""

from typing import Any

import pytest

from app.workspace.index import word_index
from app.workspace.search.ranking import rank_by_words
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


async def found(client: Client, query: str, **more: Any) -> list[str]:
    """Give the titles of a search, best first."""
    return [
        hit["title"]
        for hit in (await client.ok("POST", "/os/notes/search", json={"query": query, **more}))[
            "results"
        ]
    ]


async def lines(client: Client, pattern: str, **more: Any) -> list[tuple[str, int, int, str, str]]:
    """Give title, line, column, text and match of every line that a grep finds."""
    body = await client.ok("POST", "/os/notes/grep", json={"pattern": pattern, **more})
    return [
        (note["title"], match["line"], match["column"], match["text"], match["match"])
        for note in body["results"]
        for match in note["matches"]
    ]


async def share(
    served: Served, owner: Client, other: Client, folder: int, role: str = "viewer"
) -> None:
    await served.command("connect_users", username=owner.username, contact=other.username)
    await owner.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": other.username, "role": role}
    )


async def test_a_hit_has_every_field_twice(alice: Client) -> None:
    folder = await alice.folder("Work")
    text = "The walrus sat. " + "x" * 3000
    note = await alice.note("Animals", text, folderId=folder)
    body = await alice.ok("POST", "/os/notes/search", json={"query": "walrus"})
    score = body["results"][0]["score"]
    assert score > 0
    assert body["results"] == [
        {
            "id": note["id"],
            "title": "Animals",
            "snippet": body["results"][0]["snippet"],
            "marks": [[4, 10]],
            "folderId": folder,
            "score": score,
            "updatedAt": note["updatedAt"],
            "match": "words",
        }
    ]
    assert body["result"] == {
        "results": [
            {
                "id": note["id"],
                "title": "Animals",
                "snippet": body["results"][0]["snippet"],
                "content": text[:2000],
            }
        ]
    }
    assert "walrus" in body["results"][0]["snippet"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("walrus", {"A", "B"}),
        ("WALRUS carpenter", {"A", "B"}),
        ("sail", {"B"}),
        ("cafe", {"B"}),
        ("CAFÉ", {"B"}),
        ("caf\u00e9", {"B"}),
        ("cafe\u0301", {"B"}),
        ("tagged", {"B"}),
        ("B", {"B"}),
        ("nowhere", set()),
        ("walrus nowhere", {"A", "B"}),
        ("москва", {"C"}),
        ("東京", {"C"}),
    ],
)
async def test_every_word_must_occur_in_any_form_in_title_tags_or_text(
    alice: Client, query: str, titles: set[str]
) -> None:
    await alice.note("A", "The walrus and the carpenter")
    await alice.note("B", "walrus, sailing past a cafe\u0301", tags=["tagged"])
    await alice.note("C", "Москва, 東京")
    assert set(await found(alice, query)) == titles


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '""',
        '"a',
        "'",
        "*",
        "a*",
        "a AND",
        "NOT a",
        "OR",
        "NEAR(a b)",
        "title:a",
        "(",
        ")",
        "-",
        "--",
        "^a",
        "a:b",
        "{a}",
        "\\",
        "%",
        "_",
        "\u0000",
        "a\u0000b",
        "🦊",
        "\u202e",
        "\ufeff",
        "\n",
        "   ",
        "+",
        "a" * 1000,
        "a " * 500,
        "े",
        "; DROP TABLE notes",
        "\U000e0041",
    ],
)
async def test_any_characters_may_be_searched_for(resident: Client, query: str) -> None:
    await resident.note("Other", "zebra")
    assert await found(resident, query) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": None}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x" * 1001}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "folderId": "5"}, "folderId"),
        ({"query": "x", "folderId": 1, "folderName": "General"}, "folderName"),
    ],
)
async def test_a_bad_search_names_its_field(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused(
        "POST", "/os/notes/search", 400, "invalid_request", field=field, json=body
    )


async def test_the_better_match_comes_first_and_of_equals_the_newer(alice: Client) -> None:
    await alice.note("one", "zebra " + "filler " * 50)
    await alice.note("two", "zebra")
    await alice.note("three", "zebra")
    await alice.note("Zebra", "about them")
    assert await found(alice, "zebra") == ["Zebra", "three", "two", "one"]
    scores = [
        hit["score"]
        for hit in (await alice.ok("POST", "/os/notes/search", json={"query": "zebra"}))["results"]
    ]
    assert scores == sorted(scores, reverse=True)


async def test_a_search_gives_ten_unless_told_and_fifty_at_most(alice: Client) -> None:
    entries = [{"path": f"n{number}", "content": "zebra"} for number in range(50)]
    await alice.ok("POST", "/accumulate", json={"files": entries})
    await alice.note("n50", "zebra")
    assert [
        len(await found(alice, "zebra", **more))
        for more in ({}, {"limit": 3}, {"limit": None}, {"limit": 10**30})
    ] == [10, 3, 10, 50]


async def test_a_search_stays_in_its_folder_and_those_below(alice: Client) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    for title, folder in (("in work", work), ("in below", below), ("in root", None)):
        await alice.note(title, "zebra", folderId=folder)
    assert set(await found(alice, "zebra")) == {"in work", "in below", "in root"}
    assert set(await found(alice, "zebra", folderId=work)) == {"in work", "in below"}
    assert set(await found(alice, "zebra", folderName="work/BELOW")) == {"in below"}
    for way in ("search", "grep"):
        asked = {"query": "zebra", "pattern": "zebra"}
        await alice.refused(
            "POST",
            f"/os/notes/{way}",
            404,
            "not_found",
            field="folderId",
            json={**asked, "folderId": 999},
        )
        await alice.refused(
            "POST",
            f"/os/notes/{way}",
            404,
            "not_found",
            field="folderName",
            json={**asked, "folderName": "Nowhere"},
        )
        await alice.folder("Other/Below")
        refused = await alice.refused(
            "POST",
            f"/os/notes/{way}",
            400,
            "invalid_request",
            field="folderName",
            json={**asked, "folderName": "below"},
        )
        assert sorted(match["path"] for match in refused["matches"]) == [
            "Other/Below",
            "Work/Below",
        ]


@pytest.mark.parametrize("way", ["search", "grep"])
async def test_only_readable_and_live_notes_are_found(
    served: Served, alice: Client, bob: Client, way: str
) -> None:
    async def titles(client: Client, **more: Any) -> set[str]:
        return (
            set(await found(client, "zebra", **more))
            if way == "search"
            else {row[0] for row in await lines(client, "zebra", **more)}
        )

    shared, secret = await alice.folder("Shared"), await alice.folder("Secret")
    below = await alice.folder("Shared/Below")
    await alice.note("hidden", "zebra", folderId=secret)
    await alice.note("root", "zebra")
    deep = await alice.note("deep", "zebra", folderId=below)
    await bob.note("bob's", "zebra")
    assert await titles(bob) == {"bob's"}
    await bob.refused(
        "POST",
        f"/os/notes/{way}",
        404,
        "not_found",
        json={"query": "zebra", "pattern": "zebra", "folderId": shared},
    )
    await share(served, alice, bob, shared)
    assert await titles(bob) == {"bob's", "deep"}
    assert await titles(bob, folderId=shared) == {"deep"}
    assert await titles(bob, folderName="Below") == {"deep"}
    await alice.ok("DELETE", f"/os/notes/{deep['id']}")
    assert await titles(bob) == {"bob's"}
    assert await titles(alice) == {"hidden", "root"}
    await alice.ok("POST", f"/os/trash/note/{deep['id']}/restore")
    assert await titles(bob) == {"bob's", "deep"}
    await alice.ok("DELETE", f"/os/folders/{shared}/share/bob")
    assert await titles(bob) == {"bob's"}
    async with served.client(
        await served.key("alice", ["os.notes:write", "os.memory:read"])
    ) as writer:
        refused = await writer.refused(
            "POST",
            f"/os/notes/{way}",
            403,
            "insufficient_scope",
            json={"query": "zebra", "pattern": "zebra"},
        )
    assert refused["scope"] == "os.notes:read"


async def test_an_index_entry_follows_its_note(alice: Client) -> None:
    note = await alice.note("First", "zebra", tags=["striped"])
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"title": "Second", "content": "giraffe", "tags": ["spotted"]},
    )
    for gone in ("first", "zebra", "striped"):
        assert await found(alice, gone) == []
    for there in ("second", "giraffe", "spotted"):
        assert await found(alice, there) == ["Second"]


async def test_a_common_word_of_others_hides_no_note(
    alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_by_words, "RANKED", 5)
    await bob.note("mine", "zebra")
    folder = await alice.folder("Old")
    await alice.note("old", "zebra", folderId=folder)
    await alice.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": f"n{number}", "content": "zebra"} for number in range(20)]},
    )
    assert await found(bob, "zebra") == ["mine"]
    assert await found(alice, "zebra", folderId=folder) == ["old"]


async def test_a_long_run_of_new_notes_is_found_whole(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While writes never pause, those that wait to be indexed stay few.

    Whoever searches finds all.
    """
    monkeypatch.setattr(word_index, "BATCH", 8)
    monkeypatch.setattr(word_index, "MOST_WAITING", 20)
    for first in range(0, 100, 50):
        files = [
            {"path": f"run/{number}.md", "content": f"needle number{number}"}
            for number in range(first, first + 50)
        ]
        await alice.ok("POST", "/accumulate", json={"files": files})
    waiting = served.parts.glance(lambda tx: tx.value("SELECT count(*) FROM waiting_words"))
    assert waiting <= 30
    for number in (0, 57, 99):
        found = await alice.ok("POST", "/os/notes/search", json={"query": f"number{number}"})
        assert [hit["title"] for hit in found["results"]] == [f"{number}.md"]
