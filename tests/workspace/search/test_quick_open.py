"""Quick open: what is found by what is typed, in which order, by whom, and what nothing typed
can break.
"""

import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.core.text import fold_name
from app.main import create_app
from app.migrations import STEPS, migrate
from app.settings import Settings
from app.workspace.index import name_index, name_text
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def find(client: Client, q: str, **params: Any) -> list[dict[str, Any]]:
    return list((await client.ok("GET", "/os/find", params={"q": q, **params}))["results"])


async def titles(client: Client, q: str, **params: Any) -> list[str]:
    return [found["title"] for found in await find(client, q, **params)]


async def todo(client: Client, title: str) -> int:
    return int(
        (await client.ok("POST", "/os/todos", status=201, json={"title": title}))["result"]["todo"][
            "id"
        ]
    )


async def share(
    served: Served, owner: Client, folder: int, other: Client, role: str = "viewer"
) -> None:
    await served.command("connect_users", username=owner.username, contact=other.username)
    await owner.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": other.username, "role": role}
    )


async def test_each_kind_is_found_by_its_name_in_the_next_request(alice: Client) -> None:
    folder = await alice.folder("Work/Projects")
    note = await alice.note("Projects of May", folderId=folder, tags=["Projects"])
    task = await todo(alice, "List projects")
    found = await find(alice, "projects")
    assert all(one.pop("score") > 0.5 for one in found)
    moment = "2026-11-21T09:30:00.000Z"
    assert found == [
        {
            "kind": "folder",
            "title": "Projects",
            "marks": [[0, 8]],
            "id": folder,
            "path": "Work/Projects",
        },
        {"kind": "tag", "title": "Projects", "marks": [[0, 8]], "name": "Projects"},
        {
            "kind": "note",
            "title": "Projects of May",
            "marks": [[0, 8]],
            "id": note["id"],
            "path": "Work/Projects",
            "updatedAt": moment,
        },
        {
            "kind": "todo",
            "title": "List projects",
            "marks": [[5, 13]],
            "id": task,
            "updatedAt": moment,
            "completed": False,
        },
    ]


FITS = [
    ("meet", "Meeting notes", [[0, 4]]),
    ("notes meeting", "Meeting notes", [[0, 7], [8, 13]]),
    ("NOT mee", "Meeting notes", [[0, 3], [8, 11]]),
    ("mn", "Meeting notes", [[0, 1], [8, 9]]),
    ("ecole", "À l'École", [[4, 9]]),
    ("ÉCOLE", "ecole", [[0, 5]]),
    ("strasse", "Große Straße", [[6, 12]]),
    ("grosse", "Große Straße", [[0, 5]]),
    ("e\u0301te\u0301", "Été", [[0, 3]]),
    ("記録", "会議記録 2026", [[2, 4]]),
    ("議", "会議記録", [[1, 2]]),
    ("会議記録東京大学日本", "会議記録東京大学日本語", [[0, 10]]),
    ("ภาษา", "เรียนภาษาไทย", [[5, 9]]),
    ("한국", "대한국민", [[1, 3]]),
    ("python入", "Python入門", [[0, 7]]),
    ("c notes", "C# notes", [[0, 1], [3, 8]]),
    ("a/b", "A/B test", [[0, 1], [2, 3]]),
    ("2026-05", "Report 2026-05-12", [[7, 11], [12, 14]]),
    ("🚀", "🚀 Launch", [[0, 1]]),
    ("пла", "Новый план", [[6, 9]]),
    ("שלום", "שלום עולם", [[0, 4]]),
    ("ガイド", "旅行ガイド", [[2, 5]]),
    ("???", "???", [[0, 3]]),
    ("ﬁle", "My files", [[3, 7]]),
]


@pytest.mark.parametrize(("q", "title", "marks"), FITS)
async def test_what_is_typed_finds_the_name_and_marks_it(
    alice: Client, q: str, title: str, marks: list[list[int]]
) -> None:
    await alice.note(title)
    await alice.note("Something else entirely")
    assert [(found["title"], found["marks"]) for found in await find(alice, q, kinds="note")] == [
        (title, marks)
    ]


NEAR = [
    ("meetnig", "Meeting"),
    ("meting", "Meeting"),
    ("meeeting", "Meeting"),
    ("neeting", "Meeting"),
    ("meetinh", "Meeting"),
    ("emeting", "Meeting"),
    ("palns", "Plans"),
    ("pkan", "Plan"),
    ("birthdya", "Birthday"),
    ("brithdya", "Birthday"),
    ("restarant", "Restaurant"),
    ("resturnat", "Restaurant"),
    ("architekture", "Architecture"),
    ("architcteure", "Architecture"),
    ("meetnig nots", "Meeting notes"),
    ("notes meetnig", "Meeting notes"),
    ("architektu", "Architecture"),
    ("über", "Uber"),
    ("geburtsatg", "Geburtstag"),
    ("проэкт", "Проект"),
]


@pytest.mark.parametrize(("q", "title"), NEAR)
async def test_a_near_miss_of_a_word_finds_it(alice: Client, q: str, title: str) -> None:
    await alice.note(title)
    await alice.note("Something else entirely")
    assert await titles(alice, q, kinds="note") == [title]


@pytest.mark.parametrize(
    ("q", "title"),
    [
        ("mte", "Met"),
        ("mtae", "Team"),
        ("mxxting", "Meeting"),
        ("brxxxday", "Birthday"),
        ("2025", "2026"),
        ("ting", "Meeting"),
        ("xmeetingx y", "Meeting"),
    ],
)
async def test_what_is_too_far_off_is_not_found(alice: Client, q: str, title: str) -> None:
    await alice.note(title)
    assert await titles(alice, q, kinds="note") == []


async def test_the_whole_name_comes_first_then_its_beginning_then_words_then_initials(
    alice: Client, clock: MovableClock
) -> None:
    for title in ("Plan", "Plans of May", "My plan", "My planning", "Pick lovely apple nectar"):
        await alice.note(title)
        clock.forward(days=1)
    assert await titles(alice, "plan", kinds="note") == [
        "Plan",
        "Plans of May",
        "My plan",
        "My planning",
        "Pick lovely apple nectar",
    ]


async def test_among_equals_a_pin_decides_and_then_the_last_change(
    alice: Client, clock: MovableClock
) -> None:
    notes = []
    for number in range(4):
        notes.append(await alice.note(f"Plan {number}"))
        clock.forward(days=10)
    await alice.ok("POST", f"/os/notes/{notes[0]['id']}/pin", json={"pinned": True})
    await alice.ok("PATCH", f"/os/notes/{notes[1]['id']}", json={"content": "changed"})
    assert await titles(alice, "plan", kinds="note") == ["Plan 0", "Plan 1", "Plan 3", "Plan 2"]


async def test_a_path_finds_what_lies_below_it(alice: Client) -> None:
    here = await alice.folder("Work/Alpha")
    await alice.note("Plan", folderId=here)
    await alice.note("Plan", folderId=await alice.folder("Home"))
    assert [found["path"] for found in await find(alice, "work/pl", kinds="note")] == ["Work/Alpha"]
    assert [found["path"] for found in await find(alice, "alpha/plan", kinds="note")] == [
        "Work/Alpha"
    ]
    assert [found["path"] for found in await find(alice, "work alp", kinds="folder")] == [
        "Work/Alpha"
    ]
    assert [found["path"] for found in await find(alice, "work/alp")] == ["Work/Alpha"]
    assert await titles(alice, "garden/plan") == []


async def test_nothing_typed_gives_what_changed_last(alice: Client, clock: MovableClock) -> None:
    first = await alice.note("First", tags=["tag"])
    for step in ("Second", "Third"):
        clock.forward(minutes=1)
        await alice.note(step)
    clock.forward(minutes=1)
    await todo(alice, "Fourth")
    clock.forward(minutes=1)
    await alice.ok("PATCH", f"/os/notes/{first['id']}", json={"content": "again"})
    assert await titles(alice, "") == ["First", "Fourth", "Third", "Second", "General", "tag"]
    assert await titles(alice, " ", limit=2, kinds="note,folder") == ["First", "Third"]
    assert (await find(alice, ""))[0]["marks"] == []


async def test_a_new_name_is_found_and_the_old_one_no_more(alice: Client) -> None:
    note, folder, task = (
        await alice.note("Oldname", tags=["Oldname"]),
        await alice.folder("Oldname"),
        await todo(alice, "Oldname"),
    )
    assert len(await titles(alice, "oldname")) == 4
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"title": "Newname", "tags": ["Newname"]}
    )
    await alice.ok("PATCH", f"/os/folders/{folder}", json={"name": "Newname"})
    await alice.ok("PATCH", f"/os/todos/{task}", json={"title": "Newname"})
    assert (await titles(alice, "oldname"), await titles(alice, "newname")) == ([], ["Newname"] * 4)


async def test_what_is_in_the_trash_is_not_found_until_it_is_back(alice: Client) -> None:
    folder = await alice.folder("Plan")
    note = await alice.note("Plan", folderId=folder, tags=["Plan"])
    task = await todo(alice, "Plan")
    await alice.ok("DELETE", f"/os/todos/{task}")
    await alice.ok("DELETE", f"/os/folders/{folder}")
    assert (await titles(alice, "plan"), await titles(alice, "", kinds="note,tag,todo")) == ([], [])
    await alice.folder("Plan")
    await alice.ok("POST", f"/os/trash/folder/{folder}/restore")
    assert sorted(await titles(alice, "plan")) == ["Plan", "Plan", "Plan", "Plan (restored)"]
    assert [found["id"] for found in await find(alice, "plan restored")] == [folder]
    await alice.ok("POST", f"/os/trash/todo/{task}/restore")
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert sorted(found["kind"] for found in await find(alice, "plan")) == [
        "folder",
        "folder",
        "todo",
    ]


async def test_what_is_purged_leaves_no_name_behind(
    served: Served, alice: Client, data: Path
) -> None:
    for title in ("Kept", "Plan"):
        await alice.note(
            title, folderId=await alice.folder(f"{title} folder"), tags=[f"{title} tag"]
        )
        await todo(alice, f"{title} todo")
    before = len(await find(alice, "kept"))
    for found in await find(alice, "plan", kinds="todo,note,folder"):
        await alice.ok("DELETE", f"/os/{found['kind']}s/{found['id']}")
    await alice.ok("DELETE", "/os/trash")
    assert (await titles(alice, "plan"), len(await find(alice, "kept"))) == ([], before)
    assert occurrences(data, "plan") == 0
    await served.command("delete_user", username="alice")
    assert occurrences(data, "") == 0


def terms(data: Path) -> dict[str, int]:
    """Give what the index holds: each token with the number of names that have it."""
    connection = sqlite3.connect(data / DATABASE)
    try:
        connection.execute("INSERT INTO name_index (name_index) VALUES ('integrity-check')")
        connection.execute(
            "CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, name_index, row)"
        )
        return dict(connection.execute("SELECT term, doc FROM terms"))
    finally:
        connection.close()


def occurrences(data: Path, begin: str) -> int:
    """Count the words that begin so in the names that the index holds."""
    return sum(1 for term in terms(data) if term[5] in "nfdt" and term[6:].startswith(begin))


async def test_a_tag_is_found_as_long_as_a_note_has_it(alice: Client) -> None:
    one, two = await alice.note("One", tags=["Garden"]), await alice.note("Two", tags=["garden"])
    assert await find(alice, "gard") == [
        {"kind": "tag", "title": "Garden", "name": "Garden", "marks": [[0, 4]], "score": 0.85}
    ]
    await alice.ok("PATCH", f"/os/notes/{one['id']}", json={"tags": []})
    assert await titles(alice, "gard") == ["Garden"]
    await alice.ok("PATCH", f"/os/notes/{two['id']}", json={"tags": []})
    assert await titles(alice, "gard") == []


async def test_a_completed_todo_comes_after_an_open_one(alice: Client) -> None:
    done = await todo(alice, "Water plants")
    still_open = await todo(alice, "Water flowers")
    await alice.ok("POST", f"/os/todos/{done}/complete")
    assert [(found["id"], found["completed"]) for found in await find(alice, "water")] == [
        (still_open, False),
        (done, True),
    ]


@pytest.mark.parametrize("q", ["secret", "secrte", "sn", "s", "", "folder/secret", "Secret name"])
async def test_nothing_of_another_owner_is_found(alice: Client, bob: Client, q: str) -> None:
    await bob.note("Secret name", folderId=await bob.folder("Secret folder"), tags=["secret"])
    await todo(bob, "Secret todo")
    assert await titles(alice, q) == (["General"] if not q else [])


async def test_a_word_of_another_owner_is_no_near_miss(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Shared")
    await alice.note("Recipes", folderId=folder)
    await alice.note("Recipients")
    await share(served, alice, folder, bob)
    assert await titles(bob, "recpies") == ["Recipes"]
    assert await titles(bob, "recipiants") == []


async def test_shared_folders_are_found_with_what_lies_in_them_and_nothing_beside(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.folder("Private/Shared/Below")
    folder = (await find(alice, "shared", kinds="folder"))[0]["id"]
    await alice.note("Shared plan", folderId=folder, tags=["shared-tag"])
    await alice.note("Shared nothing")
    await todo(alice, "Shared todo")
    await share(served, alice, folder, bob)
    found = await find(bob, "shared")
    assert [(one["kind"], one["title"], one["path"]) for one in found] == [
        ("folder", "Shared", "Shared"),
        ("note", "Shared plan", "Shared"),
    ]
    assert [one["path"] for one in await find(bob, "below")] == ["Shared/Below"]
    assert await titles(bob, "private") == []
    assert await titles(bob, "", kinds="note") == ["Shared plan"]


async def test_a_note_moved_to_another_owner_is_theirs(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Shared")
    await share(served, alice, folder, bob, "editor")
    note = await bob.note("Travelling", tags=["luggage"])
    await titles(bob, "travelling")
    await bob.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": folder})
    assert (await titles(alice, "travelling"), await titles(alice, "luggage")) == (
        ["Travelling"],
        ["luggage"],
    )
    await alice.ok("DELETE", f"/os/folders/{folder}/share/bob")
    assert (await titles(bob, "travelling"), await titles(bob, "luggage")) == ([], [])


async def test_todos_need_their_own_scope(served: Served, alice: Client) -> None:
    await alice.note("Plan")
    await todo(alice, "Plan")
    async with served.client(await served.key("alice", ["os.notes:read"])) as reader:
        assert [found["kind"] for found in await find(reader, "plan")] == ["note"]
        assert [found["kind"] for found in await find(reader, "paln")] == ["note"]
        assert [found["kind"] for found in await find(reader, "", kinds="note,todo")] == ["note"]
        await reader.refused("GET", "/os/find?q=plan&kinds=todo", 403, "insufficient_scope")
    async with served.client(await served.key("alice", ["os.todos:read"])) as other:
        await other.refused("GET", "/os/find?q=plan", 403, "insufficient_scope")


@pytest.mark.parametrize("kinds", ["notes", "note,", ",", "note folder", "todo;tag"])
async def test_an_unknown_kind_is_refused(resident: Client, kinds: str) -> None:
    await resident.refused(
        "GET", "/os/find", 400, "invalid_request", field="kinds", params={"kinds": kinds}
    )


HOSTILE = [
    '"',
    "'",
    "*",
    "AND",
    "AND OR NOT",
    "a*b",
    "NEAR(a b)",
    "note:x",
    "col : x",
    "-x",
    "(",
    ")",
    "^",
    "\\",
    "%",
    "_",
    "a\0b",
    "\0",
    "🚀" * 200,
    "[[",
    "//",
    "/",
    "a/",
    "/a",
    "a" * 1000,
    "a " * 500,
    "会" * 1000,
    "ab cd " * 160,
    "e\u0301" * 500,
    "\u202eabc",
    "'; DROP TABLE notes; --",
    "·",
    "00001nplan",
    "ﷺ" * 100,
    "İ" * 300,
]


@pytest.mark.parametrize("q", HOSTILE, ids=range(len(HOSTILE)))
async def test_anything_typed_is_answered(resident: Client, q: str) -> None:
    await resident.note("Plan", tags=["t"])
    assert [
        found["title"]
        for found in await find(resident, q)
        if found["title"] == "Plan" and "plan" in q
    ] == []


async def test_too_much_typed_is_refused(alice: Client) -> None:
    await alice.refused(
        "GET", "/os/find", 400, "invalid_request", field="q", params={"q": "a" * 1001}
    )


@pytest.mark.parametrize(
    "title",
    [
        "?",
        "a" * 255,
        "会" * 255,
        "🚀" * 255,
        "ﷺ" * 255,
        "x-" * 127,
        "a b " * 63 + "abc",
        "İ",
        "'\"*",
        "0",
    ],
)
async def test_a_thing_is_found_by_its_whole_name_whatever_that_is(
    alice: Client, title: str
) -> None:
    note = await alice.note(title)
    await alice.note("Another")
    assert [found["id"] for found in await find(alice, title, kinds="note")] == [note["id"]]


async def test_the_index_is_made_of_what_was_there_before_and_survives_restarts(
    tmp_path: Path, settings: Settings, clock: MovableClock
) -> None:
    migrate(tmp_path / DATABASE, steps=STEPS[:2])
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        connection.execute(
            "INSERT INTO users (id, uuid, username, name, created_at) "
            "VALUES (1, 'u', 'ann', 'Ann', '2026-01-01T00:00:00.000Z')"
        )
        for number in range(3 * name_index.IDLE_BATCH):
            connection.execute(
                """INSERT INTO notes
                    (owner_id, title, tags, word_count, size, created_at, updated_at, content)
                   VALUES (1, ?, '["old"]', 1, 8, '2026-01-01T00:00:00.000Z',
                     '2026-01-01T00:00:00.000Z', 'x')""",
                (f"Number {number}",),
            )
            connection.execute(
                "INSERT INTO note_tags (owner_id, tag_key, note_id) VALUES (1, 'old', ?)",
                (number + 1,),
            )
    connection.close()
    migrate(tmp_path / DATABASE)
    for q, wanted in (("number 191", "Number 191"), ("old", "old"), ("nmuber 7", "Number 7")):
        asgi = create_app(settings, tmp_path, clock=clock)
        async with asgi.router.lifespan_context(asgi):
            served = Served(asgi, asgi.state.parts)
            async with served.client(await served.key("ann")) as ann:
                await served.parts.write(name_index.do_idle_work)
                assert (await titles(ann, q))[0] == wanted


async def test_tokens_of_another_form_are_made_anew(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await alice.note("Plan", tags=["t"])
    assert await titles(alice, "plan") == ["Plan"]
    monkeypatch.setattr(name_index, "_FORMAT", name_index._FORMAT + 1)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"title": "Scheme"})
    assert (
        await titles(alice, "plan"),
        await titles(alice, "scheme"),
        await titles(alice, "t", kinds="tag"),
    ) == ([], ["Scheme"], ["t"])
    assert not served.parts.glance(name_index.any_waiting)


async def test_after_any_changes_the_index_is_the_one_that_would_be_made_anew(
    served: Served, alice: Client, bob: Client, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await alice.folder("Shared")
    await share(served, alice, folder, bob, "admin")
    notes = [
        await bob.note(f"Note {number} über 会議", tags=["t", f"tag {number}"])
        for number in range(4)
    ]
    tasks = [await todo(bob, f"Todo {number}") for number in range(3)]
    await find(bob, "n")
    await bob.ok(
        "PATCH", f"/os/notes/{notes[0]['id']}", json={"title": "Other name", "tags": ["u"]}
    )
    await bob.ok("POST", f"/os/notes/{notes[1]['id']}/move", json={"folderId": folder})
    await bob.ok("DELETE", f"/os/notes/{notes[2]['id']}")
    await bob.ok("DELETE", f"/os/trash/note/{notes[2]['id']}")
    await bob.ok("PATCH", f"/os/todos/{tasks[0]}", json={"title": "Task"})
    await bob.ok("DELETE", f"/os/todos/{tasks[1]}")
    await bob.ok("DELETE", f"/os/trash/todo/{tasks[1]}")
    await alice.ok("PATCH", f"/os/folders/{folder}", json={"name": "Common"})
    await find(bob, "n")
    kept = terms(data)
    monkeypatch.setattr(name_index, "_FORMAT", name_index._FORMAT + 1)
    await find(bob, "n")
    assert terms(data) == kept
    assert len(kept) > 30


async def test_near_misses_are_found_among_thousands_of_words(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words in full blocks are found like those in the last, which is not full."""
    spelled = [
        "".join(
            "bdgklmnprst"[number // 11**place % 11] + "aeiou"[(number + place) % 5]
            for place in range(4)
        )
        for number in range(2_500)
    ]
    for start in range(0, len(spelled), 50):
        await alice.ok(
            "POST",
            "/accumulate",
            json={
                "files": [{"path": word, "content": "x"} for word in spelled[start : start + 50]]
            },
        )
    for word in (spelled[0], spelled[name_index.BLOCK - 1], spelled[name_index.BLOCK], spelled[-1]):
        assert word in await titles(alice, word[:3] + "x" + word[3:], limit=50)
    assert served.parts.glance(lambda tx: tx.value("SELECT count(*) FROM name_letters")) == 1


words_ = st.text(alphabet="abcdeé", min_size=8, max_size=10)


def changed(word: str, edit: tuple[int, int, str]) -> str:
    """Make one edit: add, drop or change a letter, or swap two."""
    kind, place, letter = edit
    at = place % (len(word) - 1)
    before, here, after, rest = word[:at], word[at], word[at + 1], word[at + 2 :]
    return before + [letter + here + after, after, letter + after, after + here][kind] + rest


one_edit = st.tuples(st.integers(0, 3), st.integers(0, 20), st.sampled_from("abcxyz"))


@given(words_, st.lists(one_edit, max_size=2))
def test_no_near_miss_is_lost_on_the_way(word: str, edits: list[tuple[int, int, str]]) -> None:
    typed = word
    for edit in edits:
        typed = changed(typed, edit)
    most = len(edits)
    distance = name_text.edit_distance(typed, word, 4)
    assert distance is not None
    if distance <= most:
        held, own = name_text.letter_bits(word), name_text.letter_bits(typed)
        assert (own & ~held).bit_count() <= most
        assert (held & ~own).bit_count() <= most
        spans = [
            (piece, max(0, at - most), at + len(piece) + most)
            for piece, at in name_text.exact_pieces(typed, most)
        ]
        assert any(word.find(piece, start, end) >= 0 for piece, start, end in spans)


@given(st.text(max_size=60))
def test_folding_a_folded_name_changes_nothing_and_every_character_has_its_place(name: str) -> None:
    plain = name_text.fold_name(name)
    places = name_text.folded_positions(name)
    assert len(places) == len(plain) + 1
    assert all(first <= second for first, second in pairwise(places))
    assert name_text.fold_name(fold_name(name)) == name_text.fold_name(fold_name(fold_name(name)))


@given(st.text(max_size=60))
def test_the_index_holds_every_word_of_a_name_by_which_it_may_be_asked_for(name: str) -> None:
    own = name_text.split_words(name_text.fold_name(name))
    held = name_text.name_tokens(own)
    assert all(
        any(token.startswith(asked) for token in held) for asked in name_text.asked_tokens(own)
    )
    if own:
        assert name_text.fit_score(own, own) == name_text.EXACT


async def test_names_are_separated_by_owner_before_any_is_read(
    served: Served, alice: Client, bob: Client
) -> None:
    await bob.note("Plan")
    await titles(alice, "plan")

    def own(tx: Tx) -> int:
        return len(
            tx.all(
                "SELECT 1 FROM name_index WHERE name_index MATCH :match",
                match=f'"{name_index.token_prefix(1, "n")}plan"',
            )
        )

    assert served.parts.glance(own) == 0
    assert name_index.token_prefix(1, "n")[:5] != name_index.token_prefix(2, "n")[:5]
    assert len({name_index.token_prefix(number, "n") for number in range(5_000)}) == 5_000
    assert {len(name_index.token_prefix(number, "n")) for number in (1, 36, 36**4, 36**5 - 1)} == {
        6
    }
