"""Snapshots: saving, reading, comparing and restoring versions of a note."""

import pytest

from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


async def test_a_snapshot_holds_the_note_as_it_was(alice: Client) -> None:
    note = await alice.note("Plan", "one\n*two*")
    saved = await alice.ok(
        "POST",
        f"/os/snapshots/{note['id']}",
        json={"label": "first", "message": "before the meeting"},
    )
    snapshot = saved["snapshot"]
    assert (snapshot["seq"], snapshot["label"], snapshot["message"], snapshot["title"]) == (
        1,
        "first",
        "before the meeting",
        "Plan",
    )
    assert snapshot["author"]["kind"] == "key"
    assert saved["result"] == {
        "versionId": snapshot["versionId"],
        "noteId": note["id"],
        "label": "first",
        "createdAt": snapshot["createdAt"],
    }
    by_seq = (await alice.ok("GET", f"/os/snapshots/{note['id']}/seq/1"))["snapshot"]
    by_id = (await alice.ok("GET", f"/os/snapshots/{note['id']}/{snapshot['versionId']}"))[
        "snapshot"
    ]
    assert by_seq == by_id == snapshot | {"content": note["content"], "markdown": note["markdown"]}
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["revision"] == 1


async def test_a_message_may_have_lines_and_a_label_may_not(alice: Client) -> None:
    path = f"/os/snapshots/{(await alice.note())['id']}"
    saved = await alice.ok(
        "POST", path, json={"label": " l ", "message": "why\nand more" + "x" * 488}
    )
    assert (saved["snapshot"]["label"], saved["snapshot"]["message"]) == (
        "l",
        "why\nand more" + "x" * 488,
    )
    for field, value in (
        ("label", "a\nb"),
        ("label", "x" * 201),
        ("message", "x" * 501),
        ("message", "a\u0000"),
        ("label", 5),
        ("message", 5),
    ):
        await alice.refused("POST", path, 400, "invalid_request", field=field, json={field: value})
    assert (await alice.ok("POST", path, json={"label": None, "message": None}))["snapshot"][
        "label"
    ] is None
    assert (await alice.ok("GET", path))["total"] == 2


async def test_numbers_count_from_one_and_are_listed_newest_first(alice: Client) -> None:
    note = await alice.note()
    for number in range(5):
        await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": str(number)})
    body = await alice.ok("GET", f"/os/snapshots/{note['id']}?limit=2&offset=1")
    assert ([row["seq"] for row in body["snapshots"]], body["total"]) == ([4, 3], 5)
    assert "markdown" not in body["snapshots"][0]


async def test_a_restore_brings_the_text_back_and_keeps_what_it_overwrote(alice: Client) -> None:
    note = await alice.note("Plan", "one", tags=["t"])
    await alice.ok("POST", f"/os/snapshots/{note['id']}")
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": "two", "title": "Later plan"}
    )
    restored = await alice.ok("POST", f"/os/snapshots/{note['id']}/restore", json={"seq": 1})
    assert restored == {
        "success": True,
        "note": {"id": note["id"], "title": "Later plan", "revision": 3},
        "restoredSeq": 1,
        "safetySeq": 3,
    }
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["markdown"], after["title"], after["tags"]) == ("one", "Later plan", ["t"])
    safety = (await alice.ok("GET", f"/os/snapshots/{note['id']}/seq/3"))["snapshot"]
    assert (safety["label"], safety["markdown"]) == ("auto: before restore", "two")
    by_version = await alice.ok(
        "POST", f"/os/snapshots/{note['id']}/restore", json={"versionId": safety["versionId"]}
    )
    assert by_version["restoredSeq"] == 3
    assert [
        hit["id"]
        for hit in (await alice.ok("POST", "/os/notes/search", json={"query": "two"}))["results"]
    ] == [note["id"]]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "seq"),
        ({"seq": 1, "versionId": 1}, 400, "seq"),
        ({"seq": 99}, 404, "seq"),
        ({"seq": "1"}, 400, "seq"),
        ({"seq": 0}, 400, "seq"),
        ({"versionId": 99}, 404, "versionId"),
    ],
)
async def test_a_restore_of_nothing_changes_nothing(
    alice: Client, body: dict[str, object], status: int, field: str
) -> None:
    note = await alice.note()
    code = {400: "invalid_request", 404: "not_found"}[status]
    await alice.refused(
        "POST", f"/os/snapshots/{note['id']}/restore", status, code, field=field, json=body
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == note


async def test_a_snapshot_of_another_note_is_not_found(alice: Client) -> None:
    one, other = await alice.note(), await alice.note()
    saved = (await alice.ok("POST", f"/os/snapshots/{one['id']}"))["snapshot"]
    await alice.refused(
        "GET", f"/os/snapshots/{other['id']}/{saved['versionId']}", 404, "not_found"
    )
    await alice.refused("GET", f"/os/snapshots/{other['id']}/seq/1", 404, "not_found")
    await alice.refused(
        "POST",
        f"/os/snapshots/{other['id']}/restore",
        404,
        "not_found",
        json={"versionId": saved["versionId"]},
    )


async def test_two_versions_are_compared_line_by_line(alice: Client) -> None:
    note = await alice.note("Diff", "a\nb\nc")
    await alice.ok("POST", f"/os/snapshots/{note['id']}")
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "a\nB\nc\nd"})
    body = await alice.ok("GET", f"/os/snapshots/{note['id']}/diff?from=1")
    assert (body["from"], body["to"], body["added"], body["removed"]) == ("1", "current", 2, 1)
    assert "-b\n+B" in body["diff"]
    assert (await alice.ok("GET", f"/os/snapshots/{note['id']}/diff?from=current&to=1"))[
        "added"
    ] == 1
    same = await alice.ok("GET", f"/os/snapshots/{note['id']}/diff?from=1&to=2")
    assert (same["diff"], same["added"], same["removed"]) == ("", 0, 0)
    await alice.refused(
        "GET", f"/os/snapshots/{note['id']}/diff", 400, "invalid_request", field="from"
    )
    await alice.refused(
        "GET", f"/os/snapshots/{note['id']}/diff?from=first", 400, "invalid_request", field="from"
    )
    await alice.refused("GET", f"/os/snapshots/{note['id']}/diff?from=9", 404, "not_found")


@pytest.mark.parametrize(
    ("old", "new", "added", "removed"),
    [
        ("a\nb", "a\nb\nc", 1, 0),
        ("a\r\nb", "a\nb", 1, 1),
        ("a\u2028b\nc", "a\u2028x\nc", 1, 1),
        ("", "a", 1, 0),
        ("a\n", "", 0, 1),
        ("a\n\n", "a\n", 0, 1),
    ],
)
async def test_only_line_feeds_part_the_lines_of_a_difference(
    alice: Client, old: str, new: str, added: int, removed: int
) -> None:
    note = await alice.note("N", old)
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": new, "contentFormat": "markdown"}
    )
    body = await alice.ok("GET", f"/os/snapshots/{note['id']}/diff?from=1")
    assert (body["added"], body["removed"], body["diff"] != "") == (added, removed, True)
    await alice.refused(
        "GET", f"/os/snapshots/{note['id']}/diff?from=1&to=9", 404, "not_found", field="to"
    )


async def test_lines_that_look_like_diff_marks_are_counted_truly(alice: Client) -> None:
    note = await alice.note("Marks", "-- a\n++ b")
    await alice.ok("POST", f"/os/snapshots/{note['id']}")
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": "++ b", "contentFormat": "markdown"}
    )
    body = await alice.ok("GET", f"/os/snapshots/{note['id']}/diff?from=1")
    assert (body["added"], body["removed"]) == (0, 1)


async def test_automatic_snapshots_over_the_limit_go_and_labelled_ones_stay(
    served: Served, alice: Client
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"snapshotKeep": 10})
    note = await alice.note("Many", "0")
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "mine"})
    for number in range(15):
        await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": f"text {number}"})
    body = await alice.ok("GET", f"/os/snapshots/{note['id']}?limit=200")
    assert body["total"] == len(body["snapshots"]) == 11
    assert [row["seq"] for row in body["snapshots"]] == [*range(16, 6, -1), 1]
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["snapshotCount"] == 11


async def test_surplus_snapshots_go_after_the_limit_was_lowered_and_those_of_others_stay(
    served: Served, alice: Client, bob: Client
) -> None:
    notes = {}
    for person in (alice, bob):
        notes[person] = (await person.note("Many", "0"))["id"]
        await person.ok("POST", f"/os/snapshots/{notes[person]}", json={"label": "mine"})
        for number in range(14):
            await person.ok(
                "PATCH", f"/os/notes/{notes[person]}", json={"content": f"text {number}"}
            )
    assert (await served.command("prune_snapshots")).snapshots == 0
    await alice.ok("PATCH", "/account/settings", json={"snapshotKeep": 10})
    assert (await served.command("prune_snapshots")).snapshots == 4
    assert (await served.command("prune_snapshots")).snapshots == 0
    body = await alice.ok("GET", f"/os/snapshots/{notes[alice]}?limit=200")
    assert [row["seq"] for row in body["snapshots"]] == [*range(15, 5, -1), 1]
    assert (body["total"], (await bob.ok("GET", f"/os/snapshots/{notes[bob]}"))["total"]) == (
        11,
        15,
    )


async def test_reading_snapshots_needs_another_scope_than_saving_them(
    served: Served, alice: Client
) -> None:
    note = await alice.note()
    await alice.ok("POST", f"/os/snapshots/{note['id']}")
    reader = served.client(await served.key("alice", ["os.snapshots:read"]))
    await reader.ok("GET", f"/os/snapshots/{note['id']}")
    assert (await reader.refused("POST", f"/os/snapshots/{note['id']}", 403, "insufficient_scope"))[
        "scope"
    ] == "os.snapshots:write"
    await reader.aclose()


async def test_restoring_what_the_note_holds_already_makes_no_safety_copy(alice: Client) -> None:
    note = await alice.note("Plan", "one")
    await alice.ok("POST", f"/os/snapshots/{note['id']}", status=200)
    before = await alice.ok("GET", f"/os/snapshots/{note['id']}")
    restored = await alice.ok("POST", f"/os/snapshots/{note['id']}/restore", json={"seq": 1})
    assert (restored["safetySeq"], restored["note"]["revision"]) == (None, note["revision"])
    assert await alice.ok("GET", f"/os/snapshots/{note['id']}") == before
