"""Grep: lines of notes by a text or a regular expression, with the trigram index and without."""

import asyncio
import re
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from app.core.database.tx import Tx
from app.errors import Invalid
from app.main import create_app
from app.settings import Settings
from app.workspace.index import trigram_index
from app.workspace.search.grep import re2_programs, text_scan
from tests.conftest import UNSYNCED, Client, Served
from tests.support import index_checks

pytestmark = pytest.mark.anyio


async def lines(client: Client, pattern: str, **more: Any) -> list[tuple[str, int, int, str, str]]:
    """Give title, line, column, text and match of every line that a grep finds."""
    body = await client.ok("POST", "/os/notes/grep", json={"pattern": pattern, **more})
    return [
        (note["title"], match["line"], match["column"], match["text"], match["match"])
        for note in body["results"]
        for match in note["matches"]
    ]


async def titles(client: Client, pattern: str, **more: Any) -> set[str]:
    return {row[0] for row in await lines(client, pattern, **more)}


async def test_a_line_is_found_with_its_place_and_those_around_it(alice: Client) -> None:
    note = await alice.note("Poem", "one\ntwo Two\nthree\nfour\ntwo")
    body = await alice.ok(
        "POST", "/os/notes/grep", json={"pattern": "TWO", "contextBefore": 2, "contextAfter": 1}
    )
    assert body == {
        "success": True,
        "results": [
            {
                "noteId": note["id"],
                "title": "Poem",
                "matches": [
                    {
                        "line": 2,
                        "column": 1,
                        "text": "two Two",
                        "match": "two",
                        "before": ["one"],
                        "after": ["three"],
                    },
                    {
                        "line": 5,
                        "column": 1,
                        "text": "two",
                        "match": "two",
                        "before": ["three", "four"],
                        "after": [],
                    },
                ],
            }
        ],
        "summary": {"notesScanned": 1, "notesMatched": 1},
        "truncated": False,
    }


@pytest.mark.parametrize(
    "pattern", ["f(*args, **kw)", "*args", "a|b", "# no head", "(*args", "1. one", "[x](y)"]
)
async def test_what_a_line_shows_is_found_though_its_marks_are_escaped(
    alice: Client, pattern: str
) -> None:
    text = "def f(\\*args, \\*\\*kw): **return** a\\|b\n\n\\# no head\n1\\. one [x\\](y) *z*"
    await alice.note("Code", text)
    found = [*await lines(alice, pattern), *await lines(alice, re.escape(pattern), mode="regex")]
    assert [(row[3], row[4].replace("\\", "")) for row in found] == [
        (next(line for line in text.split("\n") if row[4] in line), pattern) for row in found
    ]
    assert len(found) == 2
    assert [row[3][row[2] - 1 :].startswith(row[4]) for row in found] == [True, True]


@pytest.mark.parametrize("query", ['"args kw"', '"f *args"', "*args", '"no head one"'])
async def test_a_phrase_is_found_though_its_marks_are_escaped(alice: Client, query: str) -> None:
    note = await alice.note("Code", "old")
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "<p>f(*args, **kw) <b>x</b></p><p># no head<br>- one</p>"},
    )
    found = await alice.ok("POST", "/os/notes/search", json={"query": query})
    assert [hit["title"] for hit in found["results"]] == ["Code"]


async def test_without_a_match_the_results_are_empty(alice: Client) -> None:
    await alice.note("A", "x")
    await alice.note("B", "")
    body = await alice.ok("POST", "/os/notes/grep", json={"pattern": "zebra"})
    assert body == {
        "success": True,
        "results": [],
        "summary": {"notesScanned": 2, "notesMatched": 0},
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("text", "pattern", "mode", "rows"),
    [
        ("a.c\nabc", "a.c", "literal", [(1, 1, "a.c", "a.c")]),
        ("a.c\nabc", "a.c", "regex", [(1, 1, "a.c", "a.c"), (2, 1, "abc", "abc")]),
        (
            "x(y)[z]*+?^$|\\d",
            "(y)[z]*+?^$|\\d",
            "literal",
            [(1, 2, "x(y)[z]*+?^$|\\d", "(y)[z]*+?^$|\\d")],
        ),
        ("one\r\ntwo\r\n", "o$", "regex", [(2, 3, "two", "o")]),
        ("one\r\ntwo", "e", "literal", [(1, 3, "one", "e")]),
        ("one\rtwo", "^two$", "regex", [(2, 1, "two", "two")]),
        ("a\u2028b\nc", "c", "literal", [(2, 1, "c", "c")]),
        ("a\u2028b\r\nc", "b", "literal", [(1, 3, "a\u2028b", "b")]),
        ("a\x0cb\x85c\r\nd", "c|d", "regex", [(1, 5, "a\x0cb\x85c", "c"), (2, 1, "d", "d")]),
        ("a\n\nb\n", "^$", "regex", [(2, 1, "", "")]),
        ("a\r\n\r\nb\r\n", "^$", "regex", [(2, 1, "", "")]),
        ("", "^$", "regex", []),
        ("a\nb", "a\nb", "literal", []),
        ("a\nb", "a\\sb", "regex", []),
        ("a\nb", "(?s)a.b", "regex", []),
        ("🦊 Äpfel ärger", "ä", "literal", [(1, 3, "🦊 Äpfel ärger", "Ä")]),
        ("naïve über-größe", "\\w+-\\w+", "regex", [(1, 7, "naïve über-größe", "über-größe")]),
        ("tel ٣٤", "\\d+", "regex", [(1, 5, "tel ٣٤", "٣٤")]),
        ("Ωmega", "ωMEGA", "literal", [(1, 1, "Ωmega", "Ωmega")]),
        ("  lead and trail  ", "lead", "literal", [(1, 3, "  lead and trail  ", "lead")]),
        ("tab\there", "\t", "literal", [(1, 4, "tab\there", "\t")]),
        ("aXbX", "X", "literal", [(1, 2, "aXbX", "X")]),
        ("cat concat", "\\bcat$|at\\b", "regex", [(1, 2, "cat concat", "at")]),
        ("übern\nüber", "\\büber\\b", "regex", [(2, 1, "über", "über")]),
        ("🦊 ärgern", "\\Bgern\\b", "regex", [(1, 5, "🦊 ärgern", "gern")]),
        ("été 3 ½", "\\w+ \\d\\b", "regex", [(1, 1, "été 3 ½", "été 3")]),
        ("x²", "x\\d", "regex", []),
        ("naïve-é!", "[\\w-]+", "regex", [(1, 1, "naïve-é!", "naïve-é")]),
        ("12é", "[^\\W\\d]", "regex", [(1, 3, "12é", "é")]),
        ("é,a", "[\\W]\\w", "regex", [(1, 2, "é,a", ",a")]),
        ("a\u00a0b", "a\\sb", "regex", [(1, 1, "a\u00a0b", "a\u00a0b")]),
        ("a\u3000b", "a[\\s,]b", "regex", [(1, 1, "a\u3000b", "a\u3000b")]),
        ("a b", "a[^\\S]b", "regex", [(1, 1, "a b", "a b")]),
        ("x a\nb", "(?-m)^b", "regex", [(2, 1, "b", "b")]),
        ("x a\nb", "\\Ab\\z", "regex", [(2, 1, "b", "b")]),
        ("a+b", "\\Qa+b\\E", "regex", [(1, 1, "a+b", "a+b")]),
        ("abab", "(?P<pair>ab){2}", "regex", [(1, 1, "abab", "abab")]),
        ("aB", "a(?-i)b|c", "regex", []),
        (
            "\u212aelvin \u017fun",
            "kelvin sun",
            "literal",
            [(1, 1, "\u212aelvin \u017fun", "\u212aelvin \u017fun")],
        ),
        ("Straße", "STRASSE", "literal", []),
        ("ẞ", "ß", "literal", [(1, 1, "ẞ", "ẞ")]),
        ("a\n\nb", "a||b", "regex", [(1, 1, "a", "a"), (2, 1, "", ""), (3, 1, "b", "")]),
        ("😀😁", "😁", "literal", [(1, 2, "😀😁", "😁")]),
    ],
)
async def test_lines_are_counted_and_matched_as_they_stand(
    alice: Client, text: str, pattern: str, mode: str, rows: list[tuple[int, int, str, str]]
) -> None:
    await alice.note("N", text)
    assert await lines(alice, pattern, mode=mode) == [("N", *row) for row in rows]


@pytest.mark.parametrize(("sensitive", "rows"), [(None, [1, 2]), (False, [1, 2]), (True, [2])])
async def test_case_counts_only_when_it_is_asked_for(
    alice: Client, sensitive: bool | None, rows: list[int]
) -> None:
    await alice.note("N", "ABC\nabc")
    assert [row[1] for row in await lines(alice, "abc", caseSensitive=sensitive)] == rows
    assert [
        row[1] for row in await lines(alice, "a.c", mode="regex", caseSensitive=sensitive)
    ] == rows


async def test_a_long_line_is_given_whole(alice: Client) -> None:
    line = "x" * 200_000 + "needle" + "y" * 200_000
    await alice.note("N", f"first\n{line}\nlast")
    assert await lines(alice, "needle") == [("N", 2, 200_001, line, "needle")]


async def test_the_limit_counts_lines_and_says_that_there_are_more(alice: Client) -> None:
    await alice.note("A", "hit\n" * 3)
    await alice.note("B", "hit\n" * 3)

    async def counted(limit: int) -> tuple[list[int], bool]:
        body = await alice.ok("POST", "/os/notes/grep", json={"pattern": "hit", "limit": limit})
        return [len(note["matches"]) for note in body["results"]], body["truncated"]

    assert [await counted(limit) for limit in (1, 3, 4, 6, 7, 10**30)] == [
        ([1], True),
        ([3], True),
        ([3, 1], True),
        ([3, 3], False),
        ([3, 3], False),
        ([3, 3], False),
    ]
    await alice.note("C", "hit\n" * 1000)
    body = await alice.ok("POST", "/os/notes/grep", json={"pattern": "hit"})
    assert (sum(len(note["matches"]) for note in body["results"]), body["truncated"]) == (
        1000,
        True,
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "pattern"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": 5}, "pattern"),
        ({"pattern": "x" * 1001}, "pattern"),
        ({"pattern": "(", "mode": "regex"}, "pattern"),
        ({"pattern": "[z-a]", "mode": "regex"}, "pattern"),
        ({"pattern": "a**", "mode": "regex"}, "pattern"),
        ({"pattern": "(?=a)", "mode": "regex"}, "pattern"),
        ({"pattern": "(a)\\1", "mode": "regex"}, "pattern"),
        ({"pattern": "a{1001}", "mode": "regex"}, "pattern"),
        ({"pattern": "((a{100}){100}){100}", "mode": "regex"}, "pattern"),
        ({"pattern": "\0"}, "pattern"),
        ({"pattern": "a\\", "mode": "regex"}, "pattern"),
        ({"pattern": "x{2,1}", "mode": "regex"}, "pattern"),
        ({"pattern": "\\pL{900}" * 20, "mode": "regex"}, "pattern"),
        ({"pattern": "(" * 100 + ")" * 100, "mode": "regex"}, "pattern"),
        ({"pattern": "x", "mode": "glob"}, "mode"),
        ({"pattern": "x", "contextBefore": 21}, "contextBefore"),
        ({"pattern": "x", "contextBefore": -1}, "contextBefore"),
        ({"pattern": "x", "contextAfter": 21}, "contextAfter"),
        ({"pattern": "x", "contextAfter": "1"}, "contextAfter"),
        ({"pattern": "x", "caseSensitive": 1}, "caseSensitive"),
        ({"pattern": "x", "limit": 0}, "limit"),
        ({"pattern": "x", "folderId": 1, "folderName": "General"}, "folderName"),
    ],
)
async def test_a_bad_grep_names_its_field(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    refused = await resident.refused(
        "POST", "/os/notes/grep", 400, "invalid_request", field=field, json=body
    )
    assert field in refused["message"]


@pytest.mark.parametrize(
    "field",
    ["mode", "contextBefore", "contextAfter", "folderId", "folderName", "caseSensitive", "limit"],
)
async def test_null_is_as_left_out(alice: Client, field: str) -> None:
    await alice.note("N", "x")
    assert await lines(alice, "x", **{field: None}) == [("N", 1, 1, "x", "x")]


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "(x+x+)+y", "([a-z]+)*=", "^(\\w+\\s?)*$"]
)
async def test_patterns_that_run_wild_elsewhere_are_answered(alice: Client, pattern: str) -> None:
    await alice.note("N", "a" * 5000 + "!")
    assert isinstance(await lines(alice, pattern, mode="regex"), list)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("(?=a)", "look-ahead"),
        ("(?!a)", "look-ahead"),
        ("x(?<=a)", "look-behind"),
        ("(?<!a)x", "look-behind"),
        ("(a)\\1", "a back-reference"),
        ("(?P<n>a)(?P=n)", "a back-reference"),
        ("(?>a)", "an atomic group"),
        ("a++", "a possessive quantifier"),
        ("(?(1)a|b)", "a condition"),
        ("(?R)", "recursion"),
        ("(?#why)", "a comment"),
        ("a\\Z", "the escape \\Z"),
        ("\\Ca", "the escape \\C"),
    ],
)
async def test_what_other_engines_know_is_refused_by_its_name(
    resident: Client, pattern: str, name: str
) -> None:
    refused = await resident.refused(
        "POST",
        "/os/notes/grep",
        400,
        "invalid_request",
        field="pattern",
        json={"pattern": pattern, "mode": "regex"},
    )
    assert f"pattern holds {name}," in refused["message"]


async def test_half_a_surrogate_pair_is_refused(alice: Client) -> None:
    response = await alice.post("/os/notes/grep", content=b'{"pattern": "\\ud800"}')
    assert response.status_code == 400


def without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re2_programs, "SECONDS", 0.0)
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", -1.0)


@pytest.mark.parametrize("text", ["short\n" * 600, "ab" * 600_000])
async def test_a_pattern_that_needs_too_long_is_refused(
    alice: Client, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    await alice.note("N", text)
    without_time(monkeypatch)
    refused = await alice.refused(
        "POST",
        "/os/notes/grep",
        400,
        "invalid_request",
        field="pattern",
        json={"pattern": "nowhere$", "mode": "regex"},
    )
    assert "2 seconds" in refused["message"]


def test_a_long_line_is_tried_in_pieces_before_it_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths = []

    def slow(text: bytes, start: int, end: int) -> None:
        """Search as a program that takes a second for each MiB."""
        lengths.append(end - start)

    monkeypatch.setattr(
        re2_programs,
        "time",
        SimpleNamespace(monotonic=lambda: sum(lengths) / (1 << 20), thread_time=lambda: 0.0),
    )
    slow_program = SimpleNamespace(search=slow, programsize=10)
    with pytest.raises(Invalid, match="2 seconds"):
        list(
            re2_programs._matching_lines(
                slow_program, b"x" * (10 << 20), re2_programs.TimeBudget(2.0)
            )
        )
    assert sum(lengths) <= 2 << 20
    lengths.clear()
    assert [
        place
        for place in re2_programs._matching_lines(
            slow_program, b"x" * (1 << 19), re2_programs.TimeBudget(2.0)
        )
        if place
    ] == []
    assert lengths[-1] == 1 << 19


def test_pieces_are_short_where_they_take_long_and_long_where_they_do_not() -> None:
    pace = re2_programs.TimeBudget(2.0)
    for _ in range(20):
        pace.learn(0.0, pace.piece)
    assert pace.piece == re2_programs.LONGEST_PIECE
    pace.learn(1.0, pace.piece)
    assert pace.piece == re2_programs.LONGEST_PIECE // 2
    for _ in range(20):
        pace.learn(1.0, pace.piece)
    assert pace.piece == re2_programs.SHORTEST_PIECE


async def test_another_request_is_answered_while_a_hostile_pattern_runs(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice of the grep is let on only after a request beside it was answered."""
    await alice.note("N", "aaaaaaaaaaaaaaaaaaaaaaaa bbbbb\n" * 4000)
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", -1.0)
    read, go_on, slices = served.parts.store.read, asyncio.Event(), 0

    async def watched(function: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal slices
        if getattr(function, "__name__", "") == "slice":
            slices += 1
            await go_on.wait()
            go_on.clear()
        return await read(function, *args, **kwargs)

    monkeypatch.setattr(served.parts.store, "read", watched)
    running = asyncio.ensure_future(
        alice.post("/os/notes/grep", json={"pattern": "(a+a+)+[^b]{9}(b|bb)+$", "mode": "regex"})
    )
    answered = 0
    while not running.done():
        await alice.ok("GET", "/os/notes/1")
        answered += 1
        go_on.set()
        await asyncio.sleep(0)
    assert (await running).status_code == 200
    assert slices > 1
    assert answered >= slices


async def test_a_grep_stops_when_its_client_has_left(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.note("N", "text\n" * 100)
    key = await served.key("alice")
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", -1.0)
    steps, begun, ended = 0, asyncio.Event(), asyncio.Event()

    async def for_ever(step: Any) -> None:
        nonlocal steps
        try:
            while True:
                steps += 1
                if steps == 3:
                    begun.set()
                await asyncio.sleep(0)
        finally:
            ended.set()

    monkeypatch.setattr(served.parts, "read_in_slices", for_ever)
    sent: list[Any] = []
    incoming = [{"type": "http.request", "body": b'{"pattern": "nowhere", "limit": 1}'}]

    async def receive() -> Any:
        if incoming:
            return incoming.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/os/notes/grep",
        "query_string": b"",
        "scheme": "http",
        "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"127.0.0.1:8765"), (b"authorization", b"Bearer " + key.encode())],
    }
    await served.asgi(scope, receive, send)
    await ended.wait()
    assert sent == []


async def settled(served: Served) -> None:
    """Index what waits, as idle moments would."""
    while await served.parts.write(trigram_index.do_idle_work):
        pass


@pytest.fixture
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the index however small the scope is."""
    monkeypatch.setattr(text_scan, "FEW", 0)


async def test_the_status_counts_the_callers_notes_that_wait_for_the_index(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await settled(served)
    monkeypatch.setattr(served.parts.store, "idle_work", [])
    for who, number in ((alice, 3), (bob, 2)):
        for at in range(number):
            await who.note(f"N{at}", "text")
    assert [(await who.ok("GET", "/os/search"))["patterns"] for who in (alice, bob)] == [
        {"waiting": 3},
        {"waiting": 2},
    ]
    assert (await served.command("search_progress")).patterns.waiting == 5
    await settled(served)
    assert (await alice.ok("GET", "/os/search"))["patterns"] == {"waiting": 0}


@pytest.mark.usefixtures("few_are_enough")
async def test_the_index_leaves_out_who_cannot_match_and_nobody_else(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.note("A", "the walrus sat")
    await alice.note("B", "the carpenter sat")
    await settled(served)
    looked: list[int] = []
    batch = text_scan.NoteWalk.next_batch

    def watched(walk: text_scan.NoteWalk, tx: Tx) -> text_scan.Batch:
        found = batch(walk, tx)
        looked.extend(found.ids())
        return found

    monkeypatch.setattr(text_scan.NoteWalk, "next_batch", watched)
    assert await titles(alice, "walrus") == {"A"}
    assert looked == [1]
    assert await titles(alice, "sat") == {"A", "B"}
    body = await alice.ok("POST", "/os/notes/grep", json={"pattern": "walrus"})
    assert body["summary"] == {"notesScanned": 2, "notesMatched": 1}


@pytest.mark.usefixtures("few_are_enough")
async def test_what_is_found_follows_every_change_before_the_index_does(
    served: Served, alice: Client
) -> None:
    note = await alice.note("N", "the old walrus")
    assert await titles(alice, "walrus") == {"N"}
    await settled(served)
    assert await titles(alice, "walrus") == {"N"}
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "the carpenter"})
    assert (await titles(alice, "walrus"), await titles(alice, "carpenter")) == (set(), {"N"})
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "the oysters"})
    await settled(served)
    assert (await titles(alice, "carpenter"), await titles(alice, "oysters")) == (set(), {"N"})
    assert await served.parts.write(index_checks.gram_damage) == []
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert await titles(alice, "oysters") == set()
    await alice.ok("DELETE", f"/os/trash/note/{note['id']}")
    await settled(served)
    assert await served.parts.write(index_checks.gram_damage) == []
    assert await served.parts.read(counted, "note_grams_idx") == 0


def counted(tx: Tx, table: str) -> int:
    return int(tx.value(f"SELECT count(*) FROM {table}"))


@pytest.mark.usefixtures("few_are_enough")
async def test_a_long_text_is_found_without_the_index(served: Served, alice: Client) -> None:
    note = await alice.note("Long", "walrus " * 40_000)
    await alice.note("Short", "walrus")
    await settled(served)
    assert await titles(alice, "walrus") == {"Long", "Short"}
    assert await served.parts.read(counted, "waiting_grams") == 1
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "carpenter"})
    await settled(served)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "oyster " * 40_000})
    await settled(served)
    assert (await titles(alice, "carpenter"), await titles(alice, "oyster")) == (set(), {"Long"})
    assert await served.parts.write(index_checks.gram_damage) == []


async def test_the_index_is_emptied_and_filled_by_its_setting(
    served: Served, alice: Client
) -> None:
    await alice.note("N", "the walrus")
    await settled(served)
    assert (
        await served.parts.read(counted, "note_grams_idx") > 0,
        await served.parts.read(counted, "waiting_grams"),
    ) == (True, 0)
    await served.parts.write(trigram_index.clear_some)
    assert (
        await served.parts.read(counted, "note_grams_idx"),
        await served.parts.read(counted, "waiting_grams"),
    ) == (0, 1)
    await settled(served)
    await served.parts.write(trigram_index.rebuild)
    assert (
        await served.parts.read(counted, "note_grams_idx"),
        await served.parts.read(counted, "waiting_grams"),
    ) == (0, 1)
    await settled(served)
    assert await served.parts.write(index_checks.gram_damage) == []


async def test_a_note_that_the_index_has_lost_is_told(served: Served, alice: Client) -> None:
    await alice.note("A", "the walrus")
    await alice.note("B", "no")
    await settled(served)

    def spoil(tx: Tx) -> None:
        tx.run(
            "INSERT INTO note_grams (note_grams, rowid, content) VALUES ('delete', 1, 'the walrus')"
        )

    await served.parts.write(spoil)
    assert await served.parts.write(index_checks.gram_damage) == [1]


async def test_without_the_index_the_same_is_found(data: Any, clock: Any) -> None:
    asgi = create_app(
        Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, grep_index=False),
        data,
        clock=clock,
    )
    async with asgi.router.lifespan_context(asgi):
        alice = await Served(asgi, asgi.state.parts).person("alice")
        for title, text in (
            ("A", "the walrus 100%"),
            ("B", "WALRUS_x"),
            ("C", "wal\\rus"),
            ("D", "\u212aing \u017fits"),
        ):
            await alice.note(title, text)
        assert await titles(alice, "walrus") == {"A", "B"}
        assert await titles(alice, "0%") == {"A"}
        assert await titles(alice, "s_") == {"B"}
        assert await titles(alice, "\\r") == {"C"}
        assert await titles(alice, "king sit") == {"D"}
        assert await titles(alice, "WAL", caseSensitive=True) == {"B"}
        await alice.aclose()


@pytest.mark.parametrize("few", [0, 10**9])
async def test_notes_scanned_are_those_in_scope_however_they_are_found(
    served: Served, alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(text_scan, "FEW", few)
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    for number, folder in enumerate((None, work, work, below)):
        await alice.note(f"n{number}", "zebra", folderId=folder)
    for number in range(20):
        await bob.note(f"b{number}", "zebra")
    await settled(served)

    async def summary(client: Client, **more: Any) -> tuple[int, int]:
        body = await client.ok("POST", "/os/notes/grep", json={"pattern": "zebra", **more})
        return body["summary"]["notesScanned"], body["summary"]["notesMatched"]

    assert await summary(alice) == (4, 4)
    assert await summary(alice, folderId=work) == (3, 3)
    assert await summary(alice, folderId=below) == (1, 1)
    assert await summary(alice, limit=2) == (2, 2)
    assert await summary(bob) == (20, 20)
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "viewer"})
    assert await summary(bob) == (23, 23)
    assert await summary(bob, limit=3) == (3, 3)


async def test_many_notes_are_read_in_two_lanes_and_found_in_order(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_scan, "WORTH_HALVING", 4)
    monkeypatch.setattr(text_scan, "FIRST_BATCH", 2)
    monkeypatch.setattr(text_scan, "LARGEST_BATCH", 2)
    monkeypatch.setattr(re2_programs, "SLICE_SECONDS", 0.0)
    threads: set[int] = set()
    batch = text_scan.NoteWalk.next_batch

    def watched(walk: text_scan.NoteWalk, tx: Tx) -> text_scan.Batch:
        threads.add(threading.get_ident())
        return batch(walk, tx)

    monkeypatch.setattr(text_scan.NoteWalk, "next_batch", watched)
    names = [f"n{number:02}" for number in range(40)]
    await alice.ok(
        "POST",
        "/accumulate",
        json={"files": [{"path": name, "content": f"zebra {name}"} for name in names]},
    )
    for limit in (1000, 40, 39, 3):
        found = [row[0] for row in await lines(alice, "zebra n\\d+", mode="regex", limit=limit)]
        assert found == names[:limit]
    assert len(threads) > 1
