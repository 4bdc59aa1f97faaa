"""Notes: reading, writing, listing, copying, moving, pinning and deleting them."""

import asyncio
import base64

import pytest

from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def test_a_note_is_created_and_read_back(alice: Client) -> None:
    body = await alice.ok(
        "POST",
        "/os/notes",
        status=201,
        json={
            "title": "  Groceries ",
            "content": "- milk\n- bread",
            "tags": ["#home", "Home", "list"],
        },
    )
    made = body["result"]["note"]
    assert made == {
        "id": made["id"],
        "title": "Groceries",
        "folderId": None,
        "revision": 1,
        "createdAt": "2026-11-21T09:30:00.000Z",
    }
    note = (await alice.ok("GET", f"/os/notes/{made['id']}"))["note"]
    assert note["markdown"] == "- milk\n- bread"
    assert "<li>milk" in note["content"]
    assert note["tags"] == ["home", "list"]
    assert (note["folder"], note["pinned"], note["wordCount"], note["snapshotCount"]) == (
        None,
        False,
        2,
        0,
    )
    assert note["createdAt"] == note["updatedAt"] == "2026-11-21T09:30:00.000Z"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"content": "x"}, 422, "title"),
        ({"title": "x"}, 422, "content"),
        ({"title": "", "content": "x"}, 422, "title"),
        ({"title": "   ", "content": "x"}, 422, "title"),
        ({"title": "x" * 256, "content": "x"}, 422, "title"),
        ({"title": "a\nb", "content": "x"}, 422, "title"),
        ({"title": "a\u0000b", "content": "x"}, 422, "title"),
        ({"title": 5, "content": "x"}, 422, "title"),
        ({"title": None, "content": "x"}, 422, "title"),
        ({"title": "x", "content": 5}, 422, "content"),
        ({"title": "x", "content": "a\u0000b"}, 422, "content"),
        ({"title": "x", "content": "x", "tags": "home"}, 422, "tags"),
        ({"title": "x", "content": "x", "tags": [5]}, 422, "tags[0]"),
        ({"title": "x", "content": "x", "tags": ["a" * 65]}, 422, "tags"),
        ({"title": "x", "content": "x", "tags": [str(n) for n in range(51)]}, 422, "tags"),
        ({"title": "x", "content": "x", "folderId": "1"}, 422, "folderId"),
        ({"title": "x", "content": "x", "folderId": 999}, 404, "folderId"),
        ({"title": "x", "content": "x", "folderId": 2**53}, 422, "folderId"),
        ({"title": "x", "content": "x", "folderName": "Nowhere"}, 404, "folderName"),
    ],
)
async def test_a_bad_field_of_a_new_note_is_named(
    resident: Client, body: dict[str, object], status: int, field: str
) -> None:
    code = {422: "unprocessable", 404: "not_found"}[status]
    refused = await resident.refused("POST", "/os/notes", status, code, field=field, json=body)
    assert field in refused["message"] or status == 404
    assert (await resident.ok("GET", "/os/notes"))["totalNotes"] == 0


async def test_a_note_of_ten_mebibytes_is_taken_and_a_larger_one_refused(alice: Client) -> None:
    largest = "a" * (10 << 20)
    assert (await alice.note("Large", largest))["markdown"] == largest
    await alice.refused(
        "POST",
        "/os/notes",
        413,
        "payload_too_large",
        json={"title": "Larger", "content": largest + "a"},
    )
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\r\nb\r\n",
        "\ttabs\n\n\n",
        "emoji 👩‍👩‍👧 and \u202eright to left",
        "日本語のノート",
        "x" * 10_000,
        "<script>alert(1)</script>",
        "  lead",
    ],
)
async def test_markdown_is_kept_byte_for_byte(alice: Client, text: str) -> None:
    assert (await alice.note("Bytes", text))["markdown"] == text


async def test_a_retry_with_the_same_idempotency_key_makes_one_note(alice: Client) -> None:
    body = {"title": "Once", "content": "x"}
    first = await alice.post("/os/notes", json=body, headers={"Idempotency-Key": "k1"})
    again = await alice.post("/os/notes", json=body, headers={"Idempotency-Key": "k1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 1


async def test_a_note_of_another_owner_is_not_found(alice: Client, bob: Client) -> None:
    note = await alice.note()
    never = (await bob.request("GET", "/os/notes/999")).json()
    for method, path, body in (
        ("GET", f"/os/notes/{note['id']}", None),
        ("PATCH", f"/os/notes/{note['id']}", {"title": "Mine"}),
        ("DELETE", f"/os/notes/{note['id']}", None),
        ("POST", f"/os/notes/{note['id']}/copy", {}),
        ("POST", f"/os/notes/{note['id']}/move", {"folderId": None}),
        ("POST", f"/os/notes/{note['id']}/pin", {"pinned": True}),
        ("GET", f"/os/snapshots/{note['id']}", None),
        ("POST", f"/os/snapshots/{note['id']}", {}),
    ):
        assert await bob.refused(method, path, 404, "not_found", json=body) == never
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == note


async def test_an_edit_changes_what_is_given_and_keeps_the_state_before(
    alice: Client, clock: MovableClock
) -> None:
    note = await alice.note("Plan", "one", tags=["a"])
    clock.forward(minutes=1)
    edited = (await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "two"}))["note"]
    assert edited == {
        "id": note["id"],
        "title": "Plan",
        "folderId": None,
        "revision": 2,
        "updatedAt": "2026-11-21T09:31:00.000Z",
    }
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["markdown"], after["tags"], after["snapshotCount"], after["createdAt"]) == (
        "two",
        ["a"],
        1,
        note["createdAt"],
    )
    snapshot = (await alice.ok("GET", f"/os/snapshots/{note['id']}/seq/1"))["snapshot"]
    assert (snapshot["label"], snapshot["markdown"]) == ("auto: before edit", "one")


async def test_what_was_read_and_sent_back_unchanged_changes_nothing(alice: Client) -> None:
    text = (
        "# Title\r\n\r\n* one\r\n* two_three_four\r\n\r\n1) x\r\n\r\nC:\\new_dir\\_x &amp; <b>\r\n"
    )
    note = await alice.note("Same", text)
    for body in (
        {"content": note["content"]},
        {"content": text},
        {"title": "Same"},
        {"tags": []},
        {},
        {"content": note["content"], "contentFormat": "html"},
    ):
        await alice.ok("PATCH", f"/os/notes/{note['id']}", json=body)
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == note


async def test_html_that_was_edited_becomes_markdown(alice: Client) -> None:
    note = await alice.note("Page", "# Head\n\nfirst *word*")
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": note["content"].replace("word", "term")},
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"][
        "markdown"
    ] == "# Head\n\nfirst *term*"
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "<h2>New</h2><p>a <strong>b</strong></p><script>alert(1)</script>"},
    )
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert after["markdown"].split() == ["##", "New", "a", "**b**"]
    assert "script" not in after["content"]


async def test_content_format_says_how_content_is_read(alice: Client) -> None:
    note = await alice.note()
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "<p>kept</p>", "contentFormat": "markdown"},
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "<p>kept</p>"
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "a < b and *c*"})
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "a < b and *c*"
    await alice.refused(
        "PATCH",
        f"/os/notes/{note['id']}",
        400,
        "invalid_request",
        field="contentFormat",
        json={"contentFormat": "rtf"},
    )


async def test_html_that_is_said_to_be_html_is_read_so_even_when_it_is_what_is_stored(
    alice: Client,
) -> None:
    note = await alice.note("N", "a &amp; <b>c</b>")
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": note["markdown"]})
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == note
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": note["markdown"], "contentFormat": "html"},
    )
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["markdown"], after["revision"]) == ("a & **c**", 2)


async def test_an_edit_on_an_old_revision_is_refused(alice: Client) -> None:
    note = await alice.note("Race", "one")
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "two", "ifRevision": 1})
    refused = await alice.refused(
        "PATCH",
        f"/os/notes/{note['id']}",
        409,
        "revision_conflict",
        json={"content": "three", "ifRevision": 1},
    )
    assert refused["revision"] == 2
    assert refused["updatedAt"]
    await alice.refused("DELETE", f"/os/notes/{note['id']}?ifRevision=1", 409, "revision_conflict")
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "two"


async def test_edits_that_race_are_all_kept_as_snapshots(alice: Client) -> None:
    note = await alice.note("Race", "start")
    texts = [f"<p>text {number}</p>" for number in range(20)]
    await asyncio.gather(
        *[alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": text}) for text in texts]
    )
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["revision"], after["snapshotCount"]) == (21, 20)
    versions = [
        (await alice.ok("GET", f"/os/snapshots/{note['id']}/seq/{seq}"))["snapshot"]["markdown"]
        for seq in range(1, 21)
    ]
    assert sorted([*versions, after["markdown"]]) == sorted(
        ["start", *(f"text {number}" for number in range(20))]
    )


async def test_a_copy_is_a_new_note_without_snapshots(alice: Client) -> None:
    folder = await alice.folder("Work")
    note = await alice.note("Source", "text", folderId=folder, tags=["x"])
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "keep"})
    copied = (await alice.ok("POST", f"/os/notes/{note['id']}/copy"))["note"]
    assert copied == {"id": copied["id"], "title": "Source", "folderId": folder}
    copy = (await alice.ok("GET", f"/os/notes/{copied['id']}"))["note"]
    assert (copy["markdown"], copy["tags"], copy["snapshotCount"], copy["revision"]) == (
        "text",
        ["x"],
        0,
        1,
    )
    elsewhere = await alice.ok(
        "POST", f"/os/notes/{note['id']}/copy", json={"folderId": None, "title": "Other"}
    )
    assert (elsewhere["note"]["title"], elsewhere["note"]["folderId"]) == ("Other", None)
    named = await alice.ok("POST", f"/os/notes/{note['id']}/copy", json={"folderName": "general"})
    assert named["note"]["folderId"] != folder


async def test_a_move_changes_the_folder_and_not_the_time(
    alice: Client, clock: MovableClock
) -> None:
    note, folder = await alice.note(), await alice.folder("Work")
    clock.forward(hours=1)
    moved = (await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": folder}))[
        "note"
    ]
    assert moved == {"id": note["id"], "folderId": folder, "revision": 2}
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["updatedAt"], after["folder"]) == (
        note["updatedAt"],
        {"id": folder, "name": "Work"},
    )
    assert (await alice.ok("GET", f"/os/notes?folderId={folder}"))["totalNotes"] == 1
    assert (await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": None}))[
        "note"
    ]["folderId"] is None
    await alice.refused(
        "POST", f"/os/notes/{note['id']}/move", 400, "invalid_request", field="folderId", json={}
    )
    await alice.refused(
        "POST", f"/os/notes/{note['id']}/move", 404, "not_found", json={"folderId": 999}
    )


async def test_a_pin_comes_first_and_leaves_the_time(alice: Client, clock: MovableClock) -> None:
    old = await alice.note("Old")
    clock.forward(hours=1)
    await alice.note("New")
    pinned = (await alice.ok("POST", f"/os/notes/{old['id']}/pin", json={"pinned": True}))["note"]
    assert pinned == {"id": old["id"], "pinned": True, "revision": 2}
    assert [note["title"] for note in (await alice.ok("GET", "/os/notes"))["notes"]] == [
        "Old",
        "New",
    ]
    assert (await alice.ok("GET", f"/os/notes/{old['id']}"))["note"]["updatedAt"] == old[
        "updatedAt"
    ]
    assert (await alice.ok("POST", f"/os/notes/{old['id']}/pin", json={"pinned": True}))["note"][
        "revision"
    ] == 2
    for body in ({}, {"pinned": "true"}, {"pinned": 1}, {"pinned": None}):
        await alice.refused(
            "POST", f"/os/notes/{old['id']}/pin", 400, "invalid_request", field="pinned", json=body
        )


async def _filled(alice: Client, clock: MovableClock) -> int:
    """Make 12 notes in a folder, each a minute after the other, the 3rd and the 9th pinned.

    Titles run against the time.
    """
    folder = await alice.folder("List")
    for number in range(12):
        clock.forward(minutes=1)
        note = await alice.note(
            f"{'aB'[number % 2]}{11 - number:02d}",
            str(number),
            folderId=folder,
            tags=["even"] if number % 2 == 0 else [],
        )
        if number in (3, 9):
            await alice.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    return folder


@pytest.mark.parametrize("sort", ["updatedAt", "createdAt", "title"])
@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_pages_of_a_list_make_the_whole_list_in_order(
    alice: Client, clock: MovableClock, sort: str, order: str
) -> None:
    folder = await _filled(alice, clock)
    whole = (
        await alice.ok("GET", f"/os/notes?folderId={folder}&sort={sort}&order={order}&limit=200")
    )["notes"]
    key = (lambda note: note["title"].lower()) if sort == "title" else (lambda note: note[sort])
    expected = sorted(whole, key=key, reverse=order == "desc")
    assert whole == sorted(expected, key=lambda note: not note["pinned"])
    paged = []
    for offset in range(0, 14, 5):
        page = await alice.ok(
            "GET", f"/os/notes?folderId={folder}&sort={sort}&order={order}&limit=5&offset={offset}"
        )
        assert (page["totalNotes"], page["limited"]) == (12, offset + 5 < 12)
        paged += page["notes"]
    assert paged == whole


async def test_a_list_has_no_text_and_says_where_it_is(alice: Client) -> None:
    folder = await alice.folder("Work")
    await alice.note("Here", "text", folderId=folder, tags=["x"])
    body = await alice.ok("GET", f"/os/notes?folderId={folder}")
    assert body["folder"] == {"id": folder, "name": "Work"}
    assert set(body["notes"][0]) == {
        "id",
        "title",
        "wordCount",
        "pinned",
        "tags",
        "createdAt",
        "updatedAt",
        "folderId",
        "revision",
    }
    assert (await alice.ok("GET", "/os/notes"))["folder"] == {"id": None, "name": "/"}


async def test_lists_are_narrowed_by_tag_and_widened_to_what_lies_below(
    alice: Client, clock: MovableClock
) -> None:
    folder = await _filled(alice, clock)
    below = await alice.folder("List/Below")
    await alice.note("Deep", folderId=below, tags=["EVEN"])
    assert (await alice.ok("GET", f"/os/notes?folderId={folder}&tag=even"))["totalNotes"] == 6
    assert (await alice.ok("GET", f"/os/notes?folderId={folder}&tag=%23Even&recursive=true"))[
        "totalNotes"
    ] == 7
    assert (await alice.ok("GET", f"/os/notes?folderId={folder}&recursive=true&limit=200"))[
        "totalNotes"
    ] == 13
    every = await alice.ok("GET", "/os/notes?recursive=1&limit=5")
    assert (every["totalNotes"], len(every["notes"]), every["limited"]) == (13, 5, True)
    assert (await alice.ok("GET", "/os/notes?tag=even"))["totalNotes"] == 0
    assert (await alice.ok("GET", "/os/notes?tag=even&recursive=true"))["totalNotes"] == 7
    assert (await alice.ok("GET", "/os/notes?tag=nothing&recursive=true"))["notes"] == []


async def test_a_folder_is_found_by_name_or_path_and_ambiguity_is_told(alice: Client) -> None:
    one, two = await alice.folder("Work/Plans"), await alice.folder("Home/plans")
    refused = await alice.refused(
        "GET", "/os/notes?folderName=PLANS", 400, "invalid_request", field="folderName"
    )
    assert refused["matches"] == [
        {"id": one, "path": "Work/Plans"},
        {"id": two, "path": "Home/plans"},
    ]
    assert (await alice.ok("GET", "/os/notes?folderName=home/Plans"))["folder"]["id"] == two
    assert (await alice.ok("GET", "/os/notes?folderName=wORK"))["folder"]["name"] == "Work"
    await alice.refused("GET", "/os/notes?folderName=Nowhere", 404, "not_found", field="folderName")
    await alice.refused(
        "GET",
        f"/os/notes?folderName=Work&folderId={one}",
        400,
        "invalid_request",
        field="folderName",
    )


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("limit=1.5", "limit"),
        ("offset=-1", "offset"),
        ("sort=size", "sort"),
        ("order=up", "order"),
        ("recursive=yes", "recursive"),
        ("folderId=abc", "folderId"),
        ("folderId=-1", "folderId"),
        ("limit=", "limit"),
    ],
)
async def test_a_bad_filter_is_named(resident: Client, query: str, field: str) -> None:
    await resident.refused("GET", f"/os/notes?{query}", 400, "invalid_request", field=field)


async def test_a_limit_above_the_most_is_the_most(alice: Client) -> None:
    assert (await alice.ok("GET", "/os/notes?limit=100000"))["notes"] == []
    assert (await alice.ok("GET", f"/os/notes?limit={10**30}&unknown=1"))["notes"] == []


async def test_an_item_in_a_list_follows_every_change_of_its_note(alice: Client) -> None:
    note, folder = await alice.note("First"), await alice.folder("Work")

    async def item() -> dict[str, object]:
        lists = [
            await alice.ok("GET", path) for path in ("/os/notes", f"/os/notes?folderId={folder}")
        ]
        return next(found for body in lists for found in body["notes"])

    assert (await item())["title"] == "First"
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"title": "Second", "tags": ["t"]})
    assert ((await item())["title"], (await item())["tags"]) == ("Second", ["t"])
    await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": folder})
    assert (await item())["folderId"] == folder
    await alice.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    assert (await item())["pinned"] is True
    await alice.ok("PATCH", f"/os/folders/{folder}", json={"name": "Renamed"})
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["folder"]["name"] == "Renamed"


async def test_a_deleted_note_is_gone_from_everywhere_but_the_trash(alice: Client) -> None:
    note = await alice.note("Secret plan", "findme")
    assert await alice.ok("DELETE", f"/os/notes/{note['id']}") == {"success": True, "trashed": True}
    for method, path in (
        ("GET", f"/os/notes/{note['id']}"),
        ("DELETE", f"/os/notes/{note['id']}"),
        ("GET", f"/os/snapshots/{note['id']}"),
    ):
        await alice.refused(method, path, 404, "not_found")
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 0
    assert (await alice.ok("POST", "/os/notes/search", json={"query": "findme"}))["results"] == []
    assert (await alice.ok("POST", "/os/notes/grep", json={"pattern": "findme"}))["results"] == []
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 0


async def test_scopes_part_reading_from_writing(served: Served, alice: Client) -> None:
    note = await alice.note()
    reader = served.client(await served.key("alice", ["os.notes:read"]))
    await reader.ok("GET", f"/os/notes/{note['id']}")
    for method, path, body in (
        ("POST", "/os/notes", {}),
        ("PATCH", f"/os/notes/{note['id']}", {}),
        ("DELETE", f"/os/notes/{note['id']}", None),
    ):
        refused = await reader.refused(method, path, 403, "insufficient_scope", json=body)
        assert refused["scope"] == "os.notes:write"
    await reader.aclose()


async def test_number_signs_before_a_tag_are_dropped_and_a_tag_no_search_can_ask_for_is_refused(
    alice: Client,
) -> None:
    note = await alice.note(tags=["##work", "# home"])
    assert note["tags"] == ["work", "home"]
    for asked in ("work", "#work", "##work"):
        assert len((await alice.ok("GET", "/os/notes", params={"tag": asked}))["notes"]) == 1
    for query in ("tag:work", 'tag:"##work"'):
        found = await alice.ok("POST", "/os/notes/search", json={"query": query})
        assert [one["id"] for one in found["results"]] == [note["id"]]
    path = f"/os/notes/{note['id']}"
    for bad in ('a"b', "##", "#"):
        await alice.refused(
            "PATCH", path, 400, "invalid_request", field="tags", json={"tags": [bad]}
        )


async def test_a_folder_id_may_be_written_as_a_number_with_a_point(alice: Client) -> None:
    folder = await alice.folder("A")
    body = f'{{"title": "x", "content": "y", "folderId": {folder}.0}}'
    made = await alice.ok(
        "POST", "/os/notes", status=201, content=body, headers={"Content-Type": "application/json"}
    )
    assert (await alice.ok("GET", f"/os/notes/{made['result']['note']['id']}"))["note"][
        "folderId"
    ] == folder
    wrong = body.replace(".0", ".5")
    await alice.refused("POST", "/os/notes", 422, "unprocessable", field="folderId", content=wrong)


PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


async def test_a_picture_pasted_as_data_becomes_an_attachment(alice: Client) -> None:
    note = await alice.note("Trip", "before")
    html = (
        f'<p>before</p><p><img alt="map" src="data:image/png;base64,{PNG}"> '
        """<img src='data:image/svg+xml;utf8,<svg a="b"/>'></p>"""
    )
    done = await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": html})
    assert "notice" not in done
    text = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"]
    assert text == "before\n\n![map](/os/attachments/1) ![](/os/attachments/2)"
    files = (await alice.ok("GET", "/os/attachments"))["attachments"]
    assert [(file["name"], file["mediaType"]) for file in files] == [
        ("pasted picture.svg", "image/svg+xml"),
        ("pasted picture.png", "image/png"),
    ]
    assert (await alice.get("/os/attachments/1")).content == base64.b64decode(PNG)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": html})
    assert (await alice.ok("GET", "/os/attachments"))["total"] == 2


async def test_no_attachment_stays_of_a_refused_edit(alice: Client, bob: Client) -> None:
    note = await alice.note("Trip", "before")
    change = {"content": f'<p><img src="data:image/png;base64,{PNG}"></p>', "ifRevision": 7}
    await alice.refused("PATCH", f"/os/notes/{note['id']}", 409, "revision_conflict", json=change)
    await bob.refused("PATCH", f"/os/notes/{note['id']}", 404, "not_found", json=change)
    for client in (alice, bob):
        assert (await client.ok("GET", "/os/attachments"))["total"] == 0


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("<p>one</p><p><u>two</u> e<sup>xy</sup></p>", "underline, superscript"),
        ('<p>one</p><p>two<img src="data:image/png;base64,!!" alt=""></p>', "pictures"),
        ("<p>one</p><p><strong>two:</strong>three</p>", "bold type on punctuation beside a letter"),
        ("<p>one</p><table><tr><td>a<br>b</td></tr></table>", "line breaks in cells"),
    ],
)
async def test_the_answer_says_what_of_the_html_was_not_kept(
    alice: Client, html: str, told: str
) -> None:
    note = await alice.note("Plan", "one\n\ntwo")
    assert (
        told
        in (await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": html}))["notice"]
    )
    plain = await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "<p>one</p><p><strong>two</strong></p>"},
    )
    assert "notice" not in plain
