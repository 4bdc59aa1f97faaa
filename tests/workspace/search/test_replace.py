"""Replacing in many notes: preview, all or nothing, undo."""

from typing import Any

import pytest

from app.errors import Invalid
from app.workspace.index import trigram_index
from app.workspace.search.grep import (
    re2_programs,
    replace,
    replace_in_text,
    replacement_rows,
    text_scan,
)
from tests.conftest import Client, Served
from tests.support import index_checks

pytestmark = pytest.mark.anyio
REPLACE = "/os/notes/replace"


async def text_of(client: Client, note: Any) -> str:
    return str((await client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"])


async def test_a_preview_shows_what_would_change_and_changes_nothing(alice: Client) -> None:
    note = await alice.note("Plan", "one walrus\ntwo\nthree Walrus walrus\n")
    await alice.note("Other", "nothing")
    body = await alice.ok("POST", REPLACE, json={"pattern": "walrus", "replacement": "seal"})
    assert body == {
        "success": True,
        "preview": True,
        "notes": [
            {
                "noteId": note["id"],
                "title": "Plan",
                "revision": 1,
                "replacements": 3,
                "lines": [
                    {"line": 1, "before": "one walrus", "after": "one seal"},
                    {"line": 3, "before": "three Walrus walrus", "after": "three seal seal"},
                ],
            }
        ],
        "summary": {"notesChanged": 1, "linesChanged": 2, "replacements": 3},
        "truncated": False,
        "undo": None,
    }
    assert await text_of(alice, note) == "one walrus\ntwo\nthree Walrus walrus\n"
    assert (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["total"] == 0


async def test_a_replacement_keeps_a_snapshot_and_is_undone(alice: Client) -> None:
    first, second = await alice.note("A", "walrus one"), await alice.note("B", "walrus two")
    body = await alice.ok(
        "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", "preview": False}
    )
    assert [(note["noteId"], note["revision"]) for note in body["notes"]] == [
        (first["id"], 2),
        (second["id"], 2),
    ]
    assert (await text_of(alice, first), await text_of(alice, second)) == ("seal one", "seal two")
    assert [
        one["label"] for one in (await alice.ok("GET", f"/os/snapshots/{first['id']}"))["snapshots"]
    ] == ["auto: before replace"]
    await alice.ok("PATCH", f"/os/notes/{second['id']}", json={"content": "seal two, edited"})
    await alice.ok("PATCH", f"/os/notes/{first['id']}", json={"title": "A renamed"})
    undone = await alice.ok("POST", f"{REPLACE}/{body['undo']}/undo")
    assert undone["restored"] == [{"noteId": first["id"], "title": "A renamed", "revision": 4}]
    assert undone["skipped"] == [
        {"noteId": second["id"], "title": "B", "reason": "its text has changed since"}
    ]
    assert (await text_of(alice, first), await text_of(alice, second)) == (
        "walrus one",
        "seal two, edited",
    )
    assert (await alice.ok("POST", f"{REPLACE}/{body['undo']}/undo"))["restored"] == []


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "mode", "after"),
    [
        ("a.b axb", "a.b", "$1", "literal", "$1 axb"),
        ("John Smith", r"(\w+) (\w+)", "$2, $1", "regex", "Smith, John"),
        ("John Smith", r"(\w+) (\w+)", r"\2, \1", "regex", "Smith, John"),
        ("k=v", r"(?P<key>\w)=(?P<value>\w)", "${value}=${key}", "regex", "v=k"),
        ("5", r"\d", "$$$0", "regex", "$5"),
        ("a,b", ",", r"\n", "regex", "a\nb"),
        ("a,b", ",", r"\n", "literal", r"a\nb"),
        ("a b", " ", r"\t\\", "regex", "a\t\\b"),
        ("axb", "x*", "-", "regex", "-a-b-"),
        ("one\r\ntwo\rone\n", "one", "1", "literal", "1\r\ntwo\r1\n"),
        ("one\ntwo", "$", "!", "regex", "one!\ntwo!"),
        ("one\ntwo", "^", "> ", "regex", "> one\n> two"),
        ("über überall", r"\büber\b", "unter", "regex", "unter überall"),
        ("é a é", r"\b(\w)", "<$1>", "regex", "<é> <a> <é>"),
        ("é", r"\B", "-", "regex", "é"),
        ("Äpfel äpfel", "ä", "ae", "literal", "aepfel aepfel"),
        ("ab", "(a)|(b)", "[$1|$2]", "regex", "[a|][|b]"),
        ("gone", "gone", "", "literal", ""),
        ("🦊x", "x", "y", "literal", "🦊y"),
    ],
)
async def test_matches_are_replaced_as_they_stand(
    alice: Client, text: str, pattern: str, replacement: str, mode: str, after: str
) -> None:
    note = await alice.note("N", text)
    await alice.ok(
        "POST",
        REPLACE,
        json={"pattern": pattern, "replacement": replacement, "mode": mode, "preview": False},
    )
    assert await text_of(alice, note) == after


async def test_what_stays_the_same_is_no_change(alice: Client) -> None:
    note = await alice.note("N", "same")
    body = await alice.ok(
        "POST", REPLACE, json={"pattern": "same", "replacement": "same", "preview": False}
    )
    assert (body["notes"], body["summary"]["replacements"]) == ([], 0)
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["revision"] == 1


async def test_only_the_notes_that_are_named_or_lie_there_are_changed(alice: Client) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    notes = [
        await alice.note(f"n{number}", "walrus", folderId=folder)
        for number, folder in enumerate((None, work, below))
    ]

    async def would_change(**more: Any) -> list[int]:
        body = await alice.ok(
            "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", **more}
        )
        return [note["noteId"] for note in body["notes"]]

    ids = [note["id"] for note in notes]
    assert await would_change() == ids
    assert await would_change(folderId=work) == ids[1:]
    assert await would_change(folderName="Below") == ids[2:]
    assert await would_change(noteIds=[ids[2], ids[0], ids[0]]) == [ids[0], ids[2]]
    assert await would_change(noteIds=ids[:2], folderId=work) == [ids[1]]
    assert await would_change(noteIds=[]) == []
    assert await would_change(revisions={str(ids[1]): 1}) == [ids[1]]
    assert await would_change(revisions={str(ids[1]): 1}, noteIds=ids[:1]) == []


async def test_with_revisions_nothing_is_changed_when_one_note_has_been(alice: Client) -> None:
    first, second = await alice.note("A", "walrus"), await alice.note("B", "walrus")
    shown = await alice.ok("POST", REPLACE, json={"pattern": "walrus", "replacement": "seal"})
    revisions = {str(note["noteId"]): note["revision"] for note in shown["notes"]}
    await alice.note("C", "walrus")
    await alice.ok("PATCH", f"/os/notes/{second['id']}", json={"content": "no more"})
    asked = {"pattern": "walrus", "replacement": "seal", "preview": False, "revisions": revisions}
    refused = await alice.refused(
        "POST", REPLACE, 409, "revision_conflict", field="revisions", json=asked
    )
    assert refused["noteIds"] == [second["id"]]
    assert await text_of(alice, first) == "walrus"
    revisions[str(second["id"])] = 2
    body = await alice.ok("POST", REPLACE, json=asked)
    assert [note["title"] for note in body["notes"]] == ["A"]


async def test_a_note_that_changes_meanwhile_is_computed_again(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await alice.note("A", "walrus")
    whole, edits = replace._find_changes, ["walrus, walrus"]

    async def late(*given: Any) -> replace.Changes:
        changes = await whole(*given)
        if edits:
            await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": edits.pop()})
        return changes

    monkeypatch.setattr(replace, "_find_changes", late)
    body = await alice.ok(
        "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", "preview": False}
    )
    assert body["summary"]["replacements"] == 2
    assert await text_of(alice, note) == "seal, seal"
    edits += [f"walrus {number}" for number in range(10)]
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "walrus"})
    await alice.refused(
        "POST",
        REPLACE,
        409,
        "conflict",
        json={"pattern": "walrus", "replacement": "seal", "preview": False},
    )
    assert "walrus" in await text_of(alice, note)


async def test_others_notes_are_changed_only_where_the_caller_may_write(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    read, write = await alice.folder("Read"), await alice.folder("Write")
    notes = [
        await alice.note(title, "walrus", folderId=folder)
        for title, folder in (("own", None), ("read", read), ("write", write))
    ]
    for folder, role in ((read, "viewer"), (write, "writer")):
        await alice.ok(
            "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": role}
        )
    asked = {"pattern": "walrus", "replacement": "seal", "preview": False}
    await bob.refused("POST", REPLACE, 403, "forbidden", json={**asked, "folderId": read})
    await bob.refused(
        "POST", REPLACE, 403, "forbidden", json={**asked, "noteIds": [notes[1]["id"]]}
    )
    await bob.refused(
        "POST", REPLACE, 404, "not_found", json={**asked, "noteIds": [notes[0]["id"]]}
    )
    body = await bob.ok("POST", REPLACE, json=asked)
    assert [note["title"] for note in body["notes"]] == ["write"]
    assert [await text_of(alice, note) for note in notes] == ["walrus", "walrus", "seal"]
    await alice.refused("POST", f"{REPLACE}/{body['undo']}/undo", 404, "not_found", field="undoId")
    await alice.ok("POST", f"/os/folders/{write}/share", json={"username": "bob", "role": "viewer"})
    assert (await bob.ok("POST", f"{REPLACE}/{body['undo']}/undo"))["skipped"][0][
        "reason"
    ] == "you may no longer write it"
    await alice.ok("DELETE", f"/os/folders/{write}/share/bob")
    gone = (await bob.ok("POST", f"{REPLACE}/{body['undo']}/undo"))["skipped"]
    assert gone == [
        {"noteId": notes[2]["id"], "title": None, "reason": "it is no longer there for you"}
    ]


async def test_who_may_not_read_may_not_replace(served: Served, alice: Client) -> None:
    await alice.note("N", "walrus")
    async with served.client(await served.key("alice", ["os.notes:write"])) as writer:
        refused = await writer.refused(
            "POST",
            REPLACE,
            403,
            "insufficient_scope",
            json={"pattern": "walrus", "replacement": "x"},
        )
    assert refused["scope"] == "os.notes:read"


async def test_a_note_in_the_trash_is_neither_changed_nor_restored(alice: Client) -> None:
    kept, binned = await alice.note("A", "walrus"), await alice.note("B", "walrus")
    await alice.ok("DELETE", f"/os/notes/{binned['id']}")
    body = await alice.ok(
        "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", "preview": False}
    )
    assert [note["noteId"] for note in body["notes"]] == [kept["id"]]
    await alice.ok("DELETE", f"/os/notes/{kept['id']}")
    assert [
        one["reason"]
        for one in (await alice.ok("POST", f"{REPLACE}/{body['undo']}/undo"))["skipped"]
    ] == ["it is in the trash"]


async def test_only_so_many_lines_are_shown(alice: Client) -> None:
    await alice.note("A", "walrus\n" * 5)
    await alice.note("B", "walrus\n" * 5)
    body = await alice.ok(
        "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", "limit": 7}
    )
    assert (
        [len(note["lines"]) for note in body["notes"]],
        body["truncated"],
        body["summary"]["linesChanged"],
    ) == ([5, 2], True, 10)
    assert (
        await alice.ok(
            "POST", REPLACE, json={"pattern": "walrus", "replacement": "seal", "limit": 10}
        )
    )["truncated"] is False


async def test_too_many_notes_or_bytes_are_refused_whole(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [await alice.note(f"n{number}", "walrus") for number in range(3)]
    monkeypatch.setattr(replace, "MOST_NOTES", 2)
    asked = {"pattern": "walrus", "replacement": "seal", "preview": False}
    await alice.refused("POST", REPLACE, 400, "invalid_request", field="pattern", json=asked)
    shown = await alice.ok("POST", REPLACE, json={**asked, "preview": True})
    assert (len(shown["notes"]), shown["truncated"]) == (2, True)
    monkeypatch.setattr(replace, "MOST_NOTES", 3)
    monkeypatch.setattr(replace, "MOST_BYTES", 17)
    await alice.refused("POST", REPLACE, 413, "payload_too_large", json=asked)
    assert [await text_of(alice, note) for note in notes] == ["walrus"] * 3
    monkeypatch.setattr(replace, "MOST_BYTES", 18)
    assert (await alice.ok("POST", REPLACE, json=asked))["summary"]["notesChanged"] == 3


async def test_a_text_that_would_grow_too_large_is_refused(alice: Client) -> None:
    note = await alice.note("N", "x" * 20_000)
    asked = {"pattern": "x", "replacement": "y" * 1000, "preview": False}
    await alice.refused("POST", REPLACE, 413, "payload_too_large", field="replacement", json=asked)
    assert await text_of(alice, note) == "x" * 20_000


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"pattern": "x"}, "replacement"),
        ({"replacement": "x"}, "pattern"),
        ({"pattern": "(", "replacement": "", "mode": "regex"}, "pattern"),
        ({"pattern": "(x)", "replacement": "$2", "mode": "regex"}, "replacement"),
        ({"pattern": "(x)", "replacement": "${name}", "mode": "regex"}, "replacement"),
        ({"pattern": "x", "replacement": "\\d", "mode": "regex"}, "replacement"),
        ({"pattern": "x", "replacement": "\\", "mode": "regex"}, "replacement"),
        ({"pattern": "x", "replacement": "a\0"}, "replacement"),
        ({"pattern": "x", "replacement": "y" * 10_001}, "replacement"),
        ({"pattern": "x", "replacement": "", "noteIds": ["a"]}, "noteIds[0]"),
        ({"pattern": "x", "replacement": "", "noteIds": [1] * 1001}, "noteIds"),
        ({"pattern": "x", "replacement": "", "revisions": {"a": 1}}, "revisions"),
        ({"pattern": "x", "replacement": "", "preview": "no"}, "preview"),
    ],
)
async def test_a_bad_replacement_names_its_field(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused("POST", REPLACE, 400, "invalid_request", field=field, json=body)


def test_a_replacement_that_would_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replace_in_text, "MOST_REPLACEMENTS", 10)
    program = re2_programs.compile_program("x", "literal", case_sensitive=True, groups=True)
    with pytest.raises(Invalid, match="more than 10 times"):
        replace_in_text.replace_matches(program, ["y"], "x" * 11, _begun())
    assert replace_in_text.replace_matches(program, ["y"], "x" * 10, _begun()).content == "y" * 10


def _begun() -> re2_programs.TimeBudget:
    pace = re2_programs.TimeBudget(60.0)
    pace.begin_slice()
    return pace


async def test_the_index_knows_the_new_text(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_scan, "FEW", 0)
    await alice.note("N", "the walrus")

    async def settled() -> None:
        while await served.parts.write(trigram_index.do_idle_work):
            pass

    await settled()
    await alice.ok(
        "POST", REPLACE, json={"pattern": "walrus", "replacement": "carpenter", "preview": False}
    )
    for _ in range(2):
        for pattern, count in (("walrus", 0), ("carpenter", 1)):
            assert (
                len(
                    (await alice.ok("POST", "/os/notes/grep", json={"pattern": pattern}))["results"]
                )
                == count
            )
        await settled()
    assert await served.parts.write(index_checks.gram_damage) == []
    body = await alice.ok("POST", "/os/notes/search", json={"query": "carpenter"})
    assert [hit["title"] for hit in body["results"]] == ["N"]


async def test_only_the_newest_replacements_can_be_undone(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacement_rows, "KEPT", 2)
    await alice.note("N", "a")
    undo = []
    for before, after in ("ab", "bc", "cd"):
        body = await alice.ok(
            "POST", REPLACE, json={"pattern": before, "replacement": after, "preview": False}
        )
        undo.append(body["undo"])
    await alice.refused("POST", f"{REPLACE}/{undo[0]}/undo", 404, "not_found", field="undoId")
    assert (await alice.ok("POST", f"{REPLACE}/{undo[1]}/undo"))["restored"] == []
    assert len((await alice.ok("POST", f"{REPLACE}/{undo[2]}/undo"))["restored"]) == 1
