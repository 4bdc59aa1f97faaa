"""Searching what notes held before."""

from typing import Any

import pytest

from app.workspace.search.grep import re2_programs, snapshot_history
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio
GREP, SEARCH = "/os/notes/grep", "/os/notes/search"
WAYS = [(GREP, "pattern"), (SEARCH, "query")]


async def traces(client: Client, text: str, way: str = GREP, **more: Any) -> list[dict[str, Any]]:
    asked = {"pattern" if way == GREP else "query": text, "history": True, **more}
    found: list[dict[str, Any]] = (await client.ok("POST", way, json=asked))["history"]
    return found


async def edit(client: Client, note: Any, content: str) -> None:
    await client.ok("PATCH", f"/os/notes/{note['id']}", json={"content": content})


async def test_the_last_version_that_held_a_line_is_found_and_when_it_went(
    alice: Client, clock: MovableClock
) -> None:
    note = await alice.note("Diary", "first\nthe walrus sat\nlast")
    clock.forward(hours=1)
    await edit(alice, note, "first, edited\nthe walrus sat\nlast")
    clock.forward(hours=1)
    await edit(alice, note, "only this")
    gone = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["updatedAt"]
    clock.forward(hours=1)
    await edit(alice, note, "and this")
    body = await alice.ok(
        "POST", GREP, json={"pattern": "walrus", "history": True, "contextBefore": 1}
    )
    assert body["results"] == []
    assert body["historyComplete"] is True
    author = (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"][0]["author"]
    assert body["history"] == [
        {
            "noteId": note["id"],
            "title": "Diary",
            "seq": 2,
            "createdAt": gone,
            "author": author,
            "label": "auto: before edit",
            "live": False,
            "goneSince": gone,
            "matches": [
                {
                    "line": 2,
                    "column": 5,
                    "text": "the walrus sat",
                    "match": "walrus",
                    "before": ["first, edited"],
                    "after": [],
                }
            ],
        }
    ]


async def test_what_a_note_still_holds_is_marked_as_live(alice: Client) -> None:
    note = await alice.note("A", "walrus one")
    await edit(alice, note, "walrus two")
    never = await alice.note("B", "walrus")
    for way, _ in WAYS:
        found = await traces(alice, "walrus", way)
        assert [(one["noteId"], one["live"], one["goneSince"]) for one in found] == [
            (note["id"], True, None)
        ]
    assert len((await alice.ok("POST", GREP, json={"pattern": "walrus"}))["results"]) == 2
    assert never["snapshotCount"] == 0


@pytest.mark.parametrize(("way", "field"), WAYS)
async def test_without_history_nothing_is_said_of_it(alice: Client, way: str, field: str) -> None:
    await alice.note("A", "walrus")
    body = await alice.ok("POST", way, json={field: "walrus"})
    assert not {"history", "historyComplete"} & set(body)


async def test_what_a_saved_snapshot_held_is_gone_since_the_next_one(
    alice: Client, clock: MovableClock
) -> None:
    note = await alice.note("A", "walrus")
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "mine"})
    first = await traces(alice, "walrus")
    assert [(one["label"], one["live"]) for one in first] == [("mine", True)]
    clock.forward(hours=1)
    await edit(alice, note, "seal")
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "later"})
    (one,) = await traces(alice, "walrus")
    assert (one["label"], one["live"], one["goneSince"]) == (
        "auto: before edit",
        False,
        "2026-11-21T10:30:00.000Z",
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("walrus", True),
        ("WALRUSES", True),
        ("Café", True),
        ("cafe", True),
        ("über", True),
        ("uber walrus", True),
        ("walrus nowhere", False),
        ("alrus", False),
        ("москва", True),
        ("МОСКВЫ", True),
        ("入門", True),
        ("!!!", False),
        ("a" * 900, False),
    ],
)
async def test_words_are_found_in_snapshots_in_any_form(
    alice: Client, query: str, found: bool
) -> None:
    note = await alice.note("A", "The walrus sat über dem Café.\n\nМосква, Python入門")
    await edit(alice, note, "gone")
    assert bool(await traces(alice, query, SEARCH)) is found


async def test_a_snippet_shows_the_words_where_they_stood(alice: Client) -> None:
    note = await alice.note(
        "A", "ä filler " * 100 + "then the walrus sat down " + "and more " * 100
    )
    await edit(alice, note, "gone")
    (one,) = await traces(alice, "walrus", SEARCH)
    assert "the walrus sat down" in one["snippet"]
    assert (one["snippet"][0], one["snippet"][-1]) == ("…", "…")
    assert len(one["snippet"]) <= snapshot_history.SNIPPET_CHARACTERS + 2


@pytest.mark.parametrize(("way", "_"), WAYS)
async def test_only_snapshots_of_readable_live_notes_are_searched(
    served: Served, alice: Client, bob: Client, way: str, _: str
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    shared, secret = await alice.folder("Shared"), await alice.folder("Secret")
    inside, hidden = (
        await alice.note("inside", "walrus", folderId=shared),
        await alice.note("hidden", "walrus", folderId=secret),
    )
    own = await bob.note("own", "walrus")
    for client, note in ((alice, inside), (alice, hidden), (bob, own)):
        await edit(client, note, "gone")
    assert {one["title"] for one in await traces(bob, "walrus", way)} == {"own"}
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "viewer"}
    )
    assert {one["title"] for one in await traces(bob, "walrus", way)} == {"own", "inside"}
    assert {one["title"] for one in await traces(bob, "walrus", way, folderId=shared)} == {"inside"}
    assert {one["title"] for one in await traces(alice, "walrus", way)} == {"inside", "hidden"}
    await alice.ok("DELETE", f"/os/notes/{inside['id']}")
    assert {one["title"] for one in await traces(bob, "walrus", way)} == {"own"}
    async with served.client(await served.key("bob", ["os.notes:read"])) as reader:
        asked = {"pattern": "walrus", "query": "walrus", "history": True}
        refused = await reader.refused("POST", way, 403, "insufficient_scope", json=asked)
    assert refused["scope"] == "os.snapshots:read"


async def test_of_a_note_only_the_newest_version_is_told_however_many_are_read_at_once(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_history, "FIRST_BATCH", 2)
    monkeypatch.setattr(snapshot_history, "LARGEST_BATCH", 2)
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", -1.0)
    notes = [await alice.note(f"n{number}", "walrus\r\n0") for number in range(7)]
    for turn in range(1, 4):
        for note in notes:
            await edit(alice, note, f"walrus\r\n{turn}" if turn < 3 else "gone")
    found = await traces(alice, r"^\d$", mode="regex")
    assert [(one["title"], one["seq"], one["matches"][0]["line"]) for one in found] == [
        (f"n{number}", 3, 2) for number in reversed(range(7))
    ]


async def test_a_limit_counts_lines_and_says_that_not_all_was_searched(alice: Client) -> None:
    for title in ("A", "B"):
        note = await alice.note(title, "walrus\n" * 3)
        await edit(alice, note, "gone")
    for limit, counts, complete in (
        (2, [2], False),
        (3, [3], False),
        (4, [3, 1], False),
        (7, [3, 3], True),
    ):
        body = await alice.ok(
            "POST", GREP, json={"pattern": "walrus", "history": True, "limit": limit}
        )
        assert ([len(one["matches"]) for one in body["history"]], body["historyComplete"]) == (
            counts,
            complete,
        )


async def test_a_search_whose_time_is_over_gives_what_it_has(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for title in ("A", "B"):
        note = await alice.note(title, "walrus")
        await edit(alice, note, "gone")
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", -1.0)

    class Spent(re2_programs.TimeBudget):
        """Time that is over after a few slices."""

        def end_slice(self) -> None:
            self.left -= 0.6
            self._require(self.left)

    monkeypatch.setattr(snapshot_history, "TimeBudget", Spent)
    body = await alice.ok("POST", SEARCH, json={"query": "walrus", "history": True})
    assert body["historyComplete"] is False
    assert [one["title"] for one in body["history"]] in ([], ["B"])


async def test_few_notes_among_many_are_searched_by_their_own_snapshots(
    alice: Client, bob: Client
) -> None:
    mine = await bob.note("mine", "walrus")
    await edit(bob, mine, "gone")
    for number in range(20):
        note = await alice.note(f"n{number}", "walrus")
        await edit(alice, note, "gone")
    assert [one["title"] for one in await traces(bob, "walrus")] == ["mine"]
    assert len(await traces(alice, "walrus")) == 20
