"""Searching by words: what comes first, what operators ask for, and where the hits are in a
snippet.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.workspace.search import search
from app.workspace.search.ranking import allowed_notes, rank_by_words, rank_few, read_query
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def results(client: Client, query: str, **more: Any) -> list[dict[str, Any]]:
    return list(
        (await client.ok("POST", "/os/notes/search", json={"query": query, **more}))["results"]
    )


async def found(client: Client, query: str, **more: Any) -> list[str]:
    return [hit["title"] for hit in await results(client, query, **more)]


def marked(hit: dict[str, Any]) -> list[str]:
    return [hit["snippet"][start:end] for start, end in hit["marks"]]


async def fill(client: Client, number: int, content: str) -> None:
    await client.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": f"Fill/{at}", "content": content} for at in range(number)]},
    )


async def test_notes_with_every_word_come_before_those_with_some(alice: Client) -> None:
    await alice.note("Zebra zebra", "zebra zebra zebra")
    await alice.note("both", "x " * 200 + "zebra okapi")
    await alice.note("neither", "x")
    hits = await results(alice, "zebra okapi")
    assert [hit["title"] for hit in hits] == ["both", "Zebra zebra"]
    assert [hit["score"] >= 0.5 for hit in hits] == [True, False]


async def test_stop_words_alone_find_nothing_more(alice: Client) -> None:
    await alice.note("stop", "how to do this with the other")
    await alice.note("all", "how to store zebra")
    await alice.note("one", "zebra")
    assert await found(alice, "how to store the zebra") == ["all", "one"]
    assert await found(alice, "how to") == ["all", "stop"]


async def test_with_enough_notes_that_hold_every_word_there_are_no_others(alice: Client) -> None:
    for number in range(3):
        await alice.note(f"both{number}", "zebra okapi")
    await alice.note("one", "zebra")
    assert set(await found(alice, "zebra okapi", limit=3)) == {"both0", "both1", "both2"}
    assert (await found(alice, "zebra okapi", limit=4))[3] == "one"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"title": "okapi"}, {"content": "okapi"}),
        ({"content": "# okapi\nx"}, {"content": "okapi\nx"}),
        ({"tags": ["okapi"]}, {"content": "okapi"}),
    ],
)
async def test_title_headings_and_tags_count_more(
    alice: Client, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    base = {"title": "a title", "content": "some text here"}
    first = await alice.note(**{**base, **better})
    second = await alice.note(**{**base, **worse})
    for number in range(3):
        await alice.note(f"other {number}")
    assert [hit["id"] for hit in await results(alice, "okapi")] == [first["id"], second["id"]]


async def test_a_recent_change_and_a_pin_lift_a_note_a_little(
    alice: Client, clock: MovableClock
) -> None:
    old = await alice.note("old", "zebra here")
    pinned = await alice.note("pinned", "zebra here")
    await alice.ok("POST", f"/os/notes/{pinned['id']}/pin", json={"pinned": True})
    await alice.note("better", "zebra")
    await fill(alice, 5, "other")
    clock.forward(days=200)
    await alice.ok("PATCH", f"/os/notes/{old['id']}", json={"content": "zebra then"})
    assert await found(alice, "zebra") == ["pinned", "old", "better"] or await found(
        alice, "zebra"
    ) == ["better", "pinned", "old"]
    scores = {hit["title"]: hit["score"] for hit in await results(alice, "zebra")}
    clock.forward(days=200)
    later = {hit["title"]: hit["score"] for hit in await results(alice, "zebra")}
    assert later["old"] < scores["old"]
    assert later["pinned"] == pytest.approx(scores["pinned"], rel=0.01)
    assert later["pinned"] > later["old"]


async def test_a_note_with_the_rarest_word_is_ranked_however_old_it_is(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_by_words, "RANKED", 5)
    monkeypatch.setattr(rank_few, "MOST_NOTES", 2)
    await alice.note("old rare", "okapi")
    await alice.note("old both", "okapi zebra")
    await fill(alice, 20, "zebra")
    assert (await found(alice, "zebra okapi"))[:2] == ["old both", "old rare"]
    assert set((await found(alice, "zebra okapi nowhere"))[:2]) == {"old both", "old rare"}


@pytest.mark.parametrize("where", [{"title": "zebra"}, {"tags": ["zebra"]}, {"content": "# zebra"}])
async def test_a_common_word_is_ranked_where_it_is_prominent_though_newer_notes_have_it_too(
    alice: Client, monkeypatch: pytest.MonkeyPatch, where: dict[str, Any]
) -> None:
    monkeypatch.setattr(rank_by_words, "RANKED", 5)
    monkeypatch.setattr(rank_few, "MOST_NOTES", 2)
    note = await alice.ok(
        "POST", "/os/notes", status=201, json={"title": "Old", "content": "no animal", **where}
    )
    await fill(alice, 20, "the zebra stands among many others")
    await alice.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": f"Others/{at}", "content": "okapi"} for at in range(50)]},
    )
    hits = [hit["id"] for hit in await results(alice, "zebra")]
    assert hits[0] == note["result"]["note"]["id"]
    assert len(hits) == 6
    without = [hit["id"] for hit in await results(alice, "zebra -animal")]
    assert (hits[0] in without) == ("content" in where)


@pytest.mark.parametrize("ranked", [5, 2_000])
async def test_many_trashed_or_foreign_matches_hide_no_note(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch, ranked: int
) -> None:
    monkeypatch.setattr(rank_by_words, "RANKED", ranked)
    monkeypatch.setattr(rank_few, "MOST_NOTES", 2)
    folder = await alice.folder("Shared")
    await alice.note("shared", "zebra", folderId=folder)
    await fill(alice, 40, "zebra")
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "viewer"}
    )
    assert await found(bob, "zebra") == ["shared"]
    assert "shared" not in await found(alice, "zebra")
    await alice.ok("DELETE", f"/os/folders/{await alice.folder('Fill')}")
    assert await found(alice, "zebra") == ["shared"]


@pytest.mark.parametrize(("light", "size"), [(0, 1 << 18), (1_000, 1 << 18), (1_000, 0)])
async def test_a_search_finds_the_same_with_and_without_a_thread(
    alice: Client, monkeypatch: pytest.MonkeyPatch, light: int, size: int
) -> None:
    monkeypatch.setattr(rank_few, "MOST_NOTES", light)
    monkeypatch.setattr(rank_few, "MOST_BYTES", size)
    await alice.note("both", "zebra okapi")
    await alice.note("one", "zebra")
    await fill(alice, 3, "other")
    for _ in range(2):
        hits = await results(alice, "zebras okapi")
        assert [(hit["title"], hit["score"] >= 0.5, marked(hit)) for hit in hits] == [
            ("both", True, ["zebra", "okapi"]),
            ("one", False, ["zebra"]),
        ]


LIGHT_QUERIES = (
    "zebra",
    "zebra okapi",
    "okapi nowhere",
    "the zebra",
    "okapi the lion",
    "zebras okapi lion",
    "Okapi okapi zebra walrus",
    "the griffin unicorn",
    "nowhere",
)


@pytest.mark.parametrize("limit", [1, 6, 50])
async def test_few_notes_are_ranked_as_many_are(
    alice: Client, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    words = ["zebra", "okapi", "lion", "the", "walrus"]
    for folder, times in {"Gone": 3, "Zoo": 1}.items():
        files = [
            {
                "path": f"{folder}/{number}",
                "content": "other "
                + " ".join(
                    f"{word} " * (times * (number // 3**at % 3 - 1))
                    for at, word in enumerate(words)
                ),
            }
            for number in range(0, 243, 5)
        ]
        await alice.ok("POST", "/accumulate", json={"files": files})
    await alice.note("far down", "zebra okapi the lion" + " other" * 4_000)
    await alice.note("mythical", "a unicorn and the griffin")
    await alice.note("long", "walrus" + " other" * rank_few.MOST_OF_ONE)
    await alice.ok("DELETE", f"/os/folders/{await alice.folder('Gone')}")
    as_few = [await results(alice, query, limit=limit) for query in LIGHT_QUERIES]
    monkeypatch.setattr(rank_few, "MOST_NOTES", -1)
    assert [await results(alice, query, limit=limit) for query in LIGHT_QUERIES] == as_few
    assert all(len(found) >= min(limit, 16) for found in as_few[:2])


OPERATORS = [
    ('"last frost"', {"frost", "todo"}),
    ('"frost last"', set()),
    ('"last frosts" tomatoes', {"frost", "todo"}),
    ("tomato -frost", {"salad"}),
    ('tomato -"last frost"', {"salad"}),
    ("tomato -title:salad", {"frost", "todo"}),
    ("basil OR walrus", {"salad", "Animals"}),
    ("basil OR walrus tomato", {"salad"}),
    ("toma*", {"frost", "salad", "todo"}),
    ("wal*", {"Animals"}),
    ("w*", set()),
    ("title:salad", {"salad"}),
    ("title:tomato", set()),
    ("title:sal*", {"salad"}),
    ("tag:garden", {"frost", "todo"}),
    ("tag:#GARDEN tomato", {"frost", "todo"}),
    ("tag:gard*", {"frost", "todo"}),
    ("tag:gard", set()),
    ("tomato -tag:garden", {"salad"}),
    ("folder:Kitchen", {"salad", "deep"}),
    ("folder:kitchen/Below", {"deep"}),
    ('folder:"Kitchen/Below" tomato', set()),
    ("tomato -folder:kitchen", {"frost", "todo"}),
    ("folder:/", {"frost", "todo", "Animals"}),
    ("folder:nowhere tomato", set()),
    ("in:pinned", {"Animals"}),
    ("tomato in:pinned", set()),
    ("-in:pinned walrus", set()),
    ("is:todo", {"todo"}),
    ("is:todo tomato", {"todo"}),
    ("tomato -is:todo", {"frost", "salad"}),
    ("-is:todo -tomato", {"Animals", "deep"}),
    ("-tomato", {"Animals", "deep"}),
    ("updated:today", {"todo"}),
    ("updated:2026-11-21", {"todo"}),
    ("updated:2026-11 tomato", {"frost", "salad", "todo"}),
    ("before:2026-11-20 tomato", {"frost", "salad"}),
    ("after:2026-11-20 tomato", {"todo"}),
    ("after:last week tomato", {"todo"}),
    ("created:2025", set()),
    ("before:1900", set()),
]


@pytest.mark.parametrize(("query", "titles"), OPERATORS)
async def test_operators_ask_for_what_they_say(
    alice: Client, clock: MovableClock, query: str, titles: set[str]
) -> None:
    kitchen, below = await alice.folder("Kitchen"), await alice.folder("Kitchen/Below")
    clock.forward(days=-14)
    await alice.note("frost", "tomatoes after the last frost", tags=["Garden"])
    await alice.note("salad", "tomato, basil", folderId=kitchen)
    await alice.note("deep", "soup", folderId=below)
    animals = await alice.note("Animals", "walrus")
    await alice.ok("POST", f"/os/notes/{animals['id']}/pin", json={"pinned": True})
    clock.forward(days=14)
    await alice.note("todo", "- [ ] cover tomatoes before the last frost", tags=["garden"])
    assert set(await found(alice, query)) == titles


async def test_days_are_those_of_the_callers_zone(alice: Client, clock: MovableClock) -> None:
    clock.forward(hours=14)  # 23:30 of the 21st in UTC
    await alice.note("late", "zebra")
    assert await found(alice, "updated:2026-11-22") == []
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Asia/Tokyo"})
    assert await found(alice, "updated:2026-11-22") == ["late"]
    assert await found(alice, "zebra updated:today") == ["late"]


async def test_operators_see_only_what_the_caller_may_read(
    served: Served, alice: Client, bob: Client
) -> None:
    shared, secret = await alice.folder("Shared"), await alice.folder("Secret")
    for folder in (shared, secret, None):
        await alice.note(f"in {folder}", "- [ ] zebra", folderId=folder, tags=["wild"])
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "viewer"}
    )
    for query in (
        "zebra",
        "is:todo",
        "tag:wild",
        "updated:today",
        "-okapi",
        "folder:shared",
        "zeb*",
        "title:in",
        "-in:pinned",
    ):
        assert await found(bob, query) == [f"in {shared}"], query
    assert await found(bob, "folder:Secret zebra") == []
    assert await found(bob, "folder:/ zebra") == []


async def test_without_words_pinned_notes_come_first_then_the_newly_changed(
    alice: Client, clock: MovableClock
) -> None:
    for title in ("first", "second", "third"):
        note = await alice.note(title, tags=["x"])
        if title == "first":
            await alice.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
        clock.forward(hours=1)
    hits = await results(alice, "tag:x")
    assert [(hit["title"], hit["score"], hit["marks"]) for hit in hits] == [
        ("first", 0, []),
        ("third", 0, []),
        ("second", 0, []),
    ]


@pytest.mark.parametrize(
    ("content", "query", "hits"),
    [
        ("Planting tomatoes.", "plants tomato", ["Planting", "tomatoes"]),
        ("Le Café est ouvert", "cafe", ["Café"]),
        ("Le Cafe\u0301 est", "café", ["Cafe\u0301"]),
        ("a last frost, the last frosts", '"last frost"', ["last frost", "last frosts"]),
        ("東京都に行く", "京都", ["京都"]),
        ("Python入門の本", "Python入門", ["Python入門"]),
        ("ฉันกินข้าว", "กิน", ["กิน"]),
        ("서울에서", "서울", ["서울"]),
        ("שלום עולם", "עולם", ["עולם"]),
        ("die Straße", "strasse", ["Straße"]),
        ("tomatoes tomb atom", "toma*", ["tomatoes"]),
        ("a 🍅 b", "🍅", ["🍅"]),
        ("cat category concat", "cat", ["cat"]),
        ("nothing here", "title:words", []),
    ],
)
async def test_the_hits_are_marked_where_they_stand(
    alice: Client, content: str, query: str, hits: list[str]
) -> None:
    await alice.note("Words", content)
    await alice.note("Words", "filler\n" * 300 + content + "\nfiller" * 100)
    for hit in (shown := await results(alice, query)):
        assert marked(hit) == hits
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("mode", "told"), [("words", False), ("meaning", True), ("hybrid", True), (None, True)]
)
async def test_the_answer_says_what_ranked(alice: Client, mode: str | None, told: bool) -> None:
    await alice.note("one", "zebra")
    body = await alice.ok("POST", "/os/notes/search", json={"query": "zebra", "mode": mode})
    assert (len(body["results"]), body["mode"]) == (1, "words")
    assert (body["notice"] or "").startswith(search.WORDS_ALONE) == told
    await alice.refused(
        "POST",
        "/os/notes/search",
        400,
        "invalid_request",
        field="mode",
        json={"query": "zebra", "mode": "magic"},
    )


async def test_a_beginning_of_very_many_words_is_a_whole_word(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.note("one", "in 東 there")
    await alice.note("two", "inside 東京")
    assert set(await found(alice, "in*")) == set(await found(alice, "東")) == {"one", "two"}
    monkeypatch.setattr(read_query, "MOST_PAGES", -1)
    for query in ("in*", "東"):
        body = await alice.ok("POST", "/os/notes/search", json={"query": query})
        assert [hit["title"] for hit in body["results"]] == ["one"]
        assert "more letters" in body["notice"]


async def test_candidates_and_permission_for_other_rankings(
    served: Served, alice: Client, bob: Client
) -> None:
    shared = await alice.folder("Shared")
    ids = {}
    for title, content, folder in (
        ("a", "zebra okapi", shared),
        ("b", "zebra", None),
        ("c", "okapi frost", shared),
        ("d", "- [ ] zebra", shared),
    ):
        ids[title] = (await alice.note(title, content, folderId=folder))["id"]
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST", f"/os/folders/{shared}/share", json={"username": "bob", "role": "viewer"}
    )
    await found(alice, "zebra")
    ring = {name: await served.key(name) for name in ("alice", "bob")}
    callers = {
        name: served.asgi.front.credentials.ring.find_caller(secret)
        for name, secret in ring.items()
    }

    def ask(name: str, text: str) -> tuple[set[str], set[str]]:
        def both(tx: Any) -> tuple[set[int], set[int]]:
            query = read_query.read_query(tx, callers[name], text)
            return set(
                rank_by_words.raw_scores(tx, callers[name], query, limit=10)
            ), allowed_notes.allowed_among(tx, callers[name], query, [*ids.values(), 999])

        some, free = served.parts.quick(both)
        letters = {note_id: title for title, note_id in ids.items()}
        return {letters[one] for one in some}, {letters[one] for one in free}

    assert ask("alice", "zebra okapi") == ({"a", "b", "c", "d"}, {"a", "b", "c", "d"})
    assert ask("bob", "zebra okapi") == ({"a", "c", "d"}, {"a", "c", "d"})
    assert ask("alice", "zebra -okapi") == ({"b", "d"}, {"b", "d"})
    assert ask("alice", 'okapi "okapi frost"') == ({"c"}, {"c"})
    assert ask("alice", "zebra is:todo") == ({"d"}, {"d"})
    assert ask("alice", "zebra folder:/") == ({"b"}, {"b"})
    assert ask("alice", "-okapi") == (set(), {"b", "d"})
    await alice.ok("DELETE", f"/os/notes/{ids['a']}")
    assert ask("bob", "zebra okapi") == ({"c", "d"}, {"c", "d"})
    await alice.ok("DELETE", f"/os/folders/{shared}/share/bob")
    assert ask("bob", "zebra okapi") == (set(), set())


PIECES = [
    '"',
    "-",
    "title:",
    "tag:",
    "folder:",
    "in:pinned",
    "is:todo",
    "after:",
    "last week",
    " OR ",
    " AND ",
    "*",
    "東",
    " ",
    "a",
    "zebra",
    "\0",
]
ANY_QUERY = st.one_of(
    st.text(min_size=1, max_size=200),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join),
)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(query=ANY_QUERY)
async def test_any_query_is_answered(alice: Client, query: str) -> None:
    if not (await alice.get("/os/notes")).json()["notes"]:
        await alice.note("zebra", "zebra a 東京")
    response = await alice.post("/os/notes/search", json={"query": query})
    assert response.status_code == 200, query
    assert all(
        0 <= start < end <= len(hit["snippet"])
        for hit in response.json()["results"]
        for start, end in hit["marks"]
    )


@pytest.mark.parametrize(
    "query",
    [
        "ab " * 333,
        "東" * 1000,
        "a" * 1000,
        "-a " * 333,
        '"a" OR ' * 142,
        "tag:a " * 160,
        "ab* " * 250,
        "(" * 1000,
        "after:1d " * 110,
    ],
)
async def test_a_query_of_a_thousand_characters_is_answered(alice: Client, query: str) -> None:
    await alice.note("zebra", "ab 東東")
    distinct = " ".join(f"w{number}" for number in range(200))[:1000]
    for text in (query, distinct):
        assert (await alice.post("/os/notes/search", json={"query": text})).status_code == 200
