"""The trash: what is deleted, restored, and gone for good."""

from typing import Any

import pytest

from app.workspace.index import word_index
from tests.conftest import Client, MovableClock, Served
from tests.support import index_checks

pytestmark = pytest.mark.anyio


async def items(client: Client, query: str = "") -> list[tuple[str, int]]:
    """Give kind and id of what lies in the trash, newest first."""
    body = await client.ok("GET", f"/os/trash{query}")
    return [(item["kind"], item["id"]) for item in body["items"]]


async def counts(client: Client) -> dict[str, Any]:
    """Give every count that the API tells.

    Notes and bytes of the workspace, notes of each folder and of the root, todos.
    """
    status = await client.ok("GET", "/os/status")
    notes = await client.ok("GET", "/os/notes?recursive=true&limit=200")
    assert notes["totalNotes"] == len(notes["notes"]) == status["contextCount"]
    for folder in status["folders"]:
        listed = await client.ok("GET", f"/os/notes?folderId={folder['id']}")
        assert listed["totalNotes"] == len(listed["notes"]) == folder["fileCount"]
    root = await client.ok("GET", "/os/notes")
    assert root["totalNotes"] == len(root["notes"])
    todos = (await client.ok("GET", "/os/todos"))["result"]
    assert todos["total"] == len(todos["todos"])
    return {
        "bytes": status["totalSizeBytes"],
        "root": root["totalNotes"],
        "todos": todos["total"],
        **{
            folder["name"]: folder["fileCount"]
            for folder in status["folders"]
            if folder["name"] != "General"
        },
    }


async def todo(client: Client, title: str = "A todo") -> int:
    body = await client.ok("POST", "/os/todos", status=201, json={"title": title})
    return int(body["result"]["todo"]["id"])


async def check_words(served: Served) -> None:
    """Have the word index compared with the notes it was made from."""
    await served.parts.write(word_index.index_waiting)
    assert await served.parts.write(index_checks.word_damage) == []


async def test_what_is_deleted_is_listed_with_its_place_its_deleter_and_its_end(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    folder = await alice.folder("Work/Plans")
    note, task = await alice.note("Plan", folderId=folder), await todo(alice, "Call")
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    clock.forward(minutes=1)
    await alice.ok("DELETE", f"/os/todos/{task}")
    assert await alice.ok("DELETE", f"/os/folders/{folder}") == {
        "success": True,
        "trashed": True,
        "notes": 0,
        "folders": 1,
    }
    body = await alice.ok("GET", "/os/trash")
    key = (await alice.ok("GET", "/identity"))["credential"]
    by = {"kind": "key", "id": str(key["id"]), "name": key["name"]}
    later = {
        "trashedAt": "2026-11-21T09:31:00.000Z",
        "trashedBy": by,
        "purgeAt": "2026-12-21T09:31:00.000Z",
    }
    assert (body["total"], body["items"]) == (
        3,
        [
            {"kind": "folder", "id": folder, "title": "Plans", "path": "Work", **later},
            {"kind": "todo", "id": task, "title": "Call", "path": "", **later},
            {
                "kind": "note",
                "id": note["id"],
                "title": "Plan",
                "path": "Work/Plans",
                **later,
                "trashedAt": "2026-11-21T09:30:00.000Z",
                "purgeAt": "2026-12-21T09:30:00.000Z",
            },
        ],
    )
    await alice.ok("PATCH", "/account/settings", json={"trashDays": 1})
    assert (await alice.ok("GET", "/os/trash"))["items"][0]["purgeAt"] == "2026-11-22T09:31:00.000Z"


async def test_the_list_is_narrowed_to_a_kind_and_comes_in_pages(alice: Client) -> None:
    for number in range(3):
        await alice.ok("DELETE", f"/os/notes/{(await alice.note(str(number)))['id']}")
    task = await todo(alice)
    await alice.ok("DELETE", f"/os/todos/{task}")
    assert [kind for kind, _ in await items(alice)] == ["todo", "note", "note", "note"]
    assert await items(alice, "?kind=todo") == [("todo", task)]
    assert await items(alice, "?kind=folder") == []
    page = await alice.ok("GET", "/os/trash?kind=note&limit=2&offset=1")
    assert ([item["title"] for item in page["items"]], page["total"]) == (["1", "0"], 3)
    assert len(await items(alice, "?limit=100000")) == 4


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("GET", "/os/trash?kind=snapshot", "kind"),
        ("GET", "/os/trash?limit=0", "limit"),
        ("GET", "/os/trash?offset=-1", "offset"),
        ("DELETE", "/os/trash?kind=notes", "kind"),
        ("DELETE", "/os/trash?olderThanDays=-1", "olderThanDays"),
        ("DELETE", "/os/trash?olderThanDays=x", "olderThanDays"),
        ("POST", "/os/trash/note/x/restore", "id"),
        ("POST", "/os/trash/page/1/restore", "kind"),
        ("DELETE", "/os/trash/page/1", "kind"),
    ],
)
async def test_a_bad_field_empties_nothing(
    alice: Client, method: str, path: str, field: str
) -> None:
    await alice.ok("DELETE", f"/os/notes/{(await alice.note())['id']}")
    await alice.refused(method, path, 400, "invalid_request", field=field)
    assert len(await items(alice)) == 1


async def test_counts_follow_a_note_through_its_life(served: Served, alice: Client) -> None:
    folder = await alice.folder("Work")
    note = await alice.note("A", "äb", folderId=folder, tags=["t"])
    await alice.note("B", "1234")
    steps = [
        (None, None, {"bytes": 7, "root": 1, "todos": 0, "Work": 1}),
        ("DELETE", f"/os/notes/{note['id']}", {"bytes": 4, "root": 1, "todos": 0, "Work": 0}),
        (
            "POST",
            f"/os/trash/note/{note['id']}/restore",
            {"bytes": 7, "root": 1, "todos": 0, "Work": 1},
        ),
        ("DELETE", f"/os/notes/{note['id']}", {"bytes": 4, "root": 1, "todos": 0, "Work": 0}),
        ("DELETE", f"/os/trash/note/{note['id']}", {"bytes": 4, "root": 1, "todos": 0, "Work": 0}),
    ]
    for method, path, expected in steps:
        if method is not None and path is not None:
            await alice.ok(method, path)
        assert await counts(alice) == expected
        await check_words(served)


async def test_a_note_comes_back_as_it_was(alice: Client) -> None:
    folder = await alice.folder("Work")
    note = await alice.note("A", "text", folderId=folder, tags=["t"])
    await alice.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "kept"})
    before = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    for path in (
        f"/os/notes/{note['id']}",
        f"/os/snapshots/{note['id']}",
        f"/os/snapshots/{note['id']}/seq/1",
        f"/os/snapshots/{note['id']}/diff?from=1",
    ):
        await alice.refused("GET", path, 404, "not_found")
    for path, body in (
        (f"/os/notes/{note['id']}/copy", {}),
        (f"/os/notes/{note['id']}/move", {"folderId": None}),
        (f"/os/notes/{note['id']}/pin", {"pinned": False}),
        (f"/os/snapshots/{note['id']}", {}),
        (f"/os/snapshots/{note['id']}/restore", {"seq": 1}),
    ):
        await alice.refused("POST", path, 404, "not_found", json=body)
    await alice.refused("DELETE", f"/os/notes/{note['id']}", 404, "not_found")
    assert (await alice.ok("GET", "/os/notes?tag=t&recursive=true"))["totalNotes"] == 0
    restored = await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    assert restored == {"success": True, "kind": "note", "id": note["id"], "folderId": folder}
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == before
    assert (await alice.ok("GET", "/os/notes?tag=t&recursive=true"))["totalNotes"] == 1
    assert await items(alice) == []
    await alice.refused("POST", f"/os/trash/note/{note['id']}/restore", 404, "not_found")


async def test_a_folder_takes_all_below_it_along_and_brings_it_back(
    served: Served, alice: Client
) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    inside, deep, alone = (
        await alice.note("In", "a", folderId=work),
        await alice.note("Deep", "bb", folderId=below),
        await alice.note("Alone", "ccc", folderId=work),
    )
    await alice.ok("DELETE", f"/os/notes/{alone['id']}")
    assert await alice.ok("DELETE", f"/os/folders/{work}") == {
        "success": True,
        "trashed": True,
        "notes": 2,
        "folders": 2,
    }
    assert await counts(alice) == {"bytes": 0, "root": 0, "todos": 0}
    assert await items(alice) == [("folder", work), ("note", alone["id"])]
    for note in (inside, deep):
        await alice.refused("GET", f"/os/notes/{note['id']}", 404, "not_found")
    await alice.refused("GET", f"/os/notes?folderId={below}", 404, "not_found")
    await alice.refused("GET", "/os/notes?folderName=Below", 404, "not_found")
    assert (await alice.ok("POST", "/os/notes/grep", json={"pattern": "b"}))["results"] == []
    restored = await alice.ok("POST", f"/os/trash/folder/{work}/restore")
    assert restored == {"success": True, "kind": "folder", "id": work, "folderId": None}
    assert await counts(alice) == {"bytes": 3, "root": 0, "todos": 0, "Work": 1, "Below": 1}
    assert await items(alice) == [("note", alone["id"])]
    assert (await alice.ok("POST", f"/os/trash/note/{alone['id']}/restore"))["folderId"] == work
    assert await counts(alice) == {"bytes": 6, "root": 0, "todos": 0, "Work": 2, "Below": 1}
    await check_words(served)


async def test_a_restored_folder_says_which_folder_holds_it(alice: Client) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    await alice.ok("DELETE", f"/os/folders/{below}")
    assert (await alice.ok("POST", f"/os/trash/folder/{below}/restore"))["folderId"] == work


async def test_what_lost_its_folder_comes_back_in_the_root(alice: Client) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    note = await alice.note("A", "x", folderId=work)
    for path in (f"/os/notes/{note['id']}", f"/os/folders/{below}", f"/os/folders/{work}"):
        await alice.ok("DELETE", path)
    assert (await alice.ok("POST", f"/os/trash/note/{note['id']}/restore"))["folderId"] is None
    assert (await alice.ok("POST", f"/os/trash/folder/{below}/restore"))["folderId"] is None
    after = (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert (after["folderId"], after["revision"], after["updatedAt"]) == (
        None,
        2,
        note["updatedAt"],
    )
    assert await counts(alice) == {"bytes": 1, "root": 1, "todos": 0, "Below": 0}
    assert (await alice.ok("POST", f"/os/trash/folder/{work}/restore"))["folderId"] is None
    assert await counts(alice) == {"bytes": 1, "root": 1, "todos": 0, "Below": 0, "Work": 0}


async def test_a_note_that_was_listed_in_a_folder_now_purged_is_listed_in_the_root(
    alice: Client,
) -> None:
    work = await alice.folder("Work")
    note = await alice.note("A", "x", folderId=work)
    assert (await alice.ok("GET", f"/os/notes?folderId={work}"))["notes"][0]["folderId"] == work
    for path in (f"/os/notes/{note['id']}", f"/os/folders/{work}", f"/os/trash/folder/{work}"):
        await alice.ok("DELETE", path)
    await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    listed = (await alice.ok("GET", "/os/notes"))["notes"]
    assert [(item["folderId"], item["revision"]) for item in listed] == [(None, 2)]


async def test_a_folder_whose_name_was_taken_comes_back_under_another(alice: Client) -> None:
    first = await alice.folder("Work")
    await alice.ok("DELETE", f"/os/folders/{first}")
    second = await alice.folder("WORK")
    await alice.ok("POST", f"/os/trash/folder/{first}/restore")
    await alice.ok("DELETE", f"/os/folders/{second}")
    third = await alice.folder("Work")
    await alice.ok("POST", f"/os/trash/folder/{second}/restore")
    names = {
        folder["id"]: folder["name"] for folder in (await alice.ok("GET", "/os/folders"))["folders"]
    }
    assert (names[first], names[third]) == ("Work (restored)", "Work")
    assert names[second].startswith("WORK (restored")
    assert len({name.casefold() for name in names.values()}) == len(names)


async def test_a_note_keeps_its_title_beside_one_of_the_same(alice: Client) -> None:
    note = await alice.note("Twin")
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    await alice.note("Twin")
    await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    assert [item["title"] for item in (await alice.ok("GET", "/os/notes"))["notes"]] == [
        "Twin",
        "Twin",
    ]


async def test_what_is_purged_is_gone_with_its_snapshots_and_words(
    served: Served, alice: Client
) -> None:
    work = await alice.folder("Work")
    note = await alice.note("Secret", "a peculiar word", folderId=work, tags=["t"])
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "an uncommon word"})
    task = await todo(alice)
    await alice.ok("DELETE", f"/os/folders/{work}")
    await alice.ok("DELETE", f"/os/todos/{task}")
    assert (await alice.ok("DELETE", f"/os/trash/folder/{work}"))["purged"] == {
        "notes": 1,
        "todos": 0,
        "folders": 1,
    }
    await alice.refused("DELETE", f"/os/trash/folder/{work}", 404, "not_found")
    await alice.refused("POST", f"/os/trash/folder/{work}/restore", 404, "not_found")
    assert (await alice.ok("DELETE", "/os/trash"))["purged"] == {
        "notes": 0,
        "todos": 1,
        "folders": 0,
    }
    assert (await alice.ok("DELETE", "/os/trash"))["purged"] == {
        "notes": 0,
        "todos": 0,
        "folders": 0,
    }
    await check_words(served)
    left = await served.parts.read(
        lambda tx: [
            tx.value(f"SELECT count(*) FROM {table}")
            for table in ("notes", "snapshots", "note_tags", "trash", "todos", "waiting_words")
        ]
    )
    assert left == [0, 0, 0, 0, 0, 0]
    assert (await alice.note("Next"))["id"] > note["id"]


async def test_a_purged_folder_leaves_what_was_deleted_before_it(
    served: Served, alice: Client
) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    note, deep = (
        await alice.note("A", "x", folderId=work),
        await alice.note("Deep", "yy", folderId=below),
    )
    for path in (
        f"/os/notes/{note['id']}",
        f"/os/folders/{below}",
        f"/os/folders/{work}",
        f"/os/trash/folder/{work}",
    ):
        await alice.ok("DELETE", path)
    assert await items(alice) == [("folder", below), ("note", note["id"])]
    for kind, id_ in await items(alice):
        assert (await alice.ok("POST", f"/os/trash/{kind}/{id_}/restore"))["folderId"] is None
    assert (await alice.ok("GET", f"/os/notes/{deep['id']}"))["note"]["folderId"] == below
    assert await counts(alice) == {"bytes": 3, "root": 1, "todos": 0, "Below": 1}
    await check_words(served)


async def test_the_trash_is_emptied_by_kind_and_age(alice: Client, clock: MovableClock) -> None:
    notes = [await alice.note(str(number)) for number in range(3)]
    task = await todo(alice)
    for note in notes:
        await alice.ok("DELETE", f"/os/notes/{note['id']}")
        clock.forward(days=1)
    await alice.ok("DELETE", f"/os/todos/{task}")
    assert (await alice.ok("DELETE", "/os/trash?olderThanDays=2"))["purged"] == {
        "notes": 2,
        "todos": 0,
        "folders": 0,
    }
    assert await items(alice) == [("todo", task), ("note", notes[2]["id"])]
    assert (await alice.ok("DELETE", "/os/trash?kind=todo"))["purged"] == {
        "notes": 0,
        "todos": 1,
        "folders": 0,
    }
    assert (await alice.ok("DELETE", "/os/trash?kind=note&olderThanDays=0"))["purged"] == {
        "notes": 1,
        "todos": 0,
        "folders": 0,
    }


async def test_the_days_of_the_setting_end_a_stay_in_the_trash(
    served: Served, alice: Client, bob: Client, clock: MovableClock
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"trashDays": 3})
    kept = await bob.note("Bob's")
    await bob.ok("DELETE", f"/os/notes/{kept['id']}")
    work = await alice.folder("Work")
    note, task = await alice.note("A", "peculiar", folderId=work), await todo(alice)
    await alice.ok("DELETE", f"/os/folders/{work}")
    clock.forward(days=1)
    await alice.ok("DELETE", f"/os/todos/{task}")
    expected = [
        (("todo", task), ("folder", work)),
        (("todo", task), ("folder", work)),
        (("todo", task),),
        (),
    ]
    for hours, left in zip((24, 23, 1, 24), expected, strict=True):
        clock.forward(hours=hours)
        await served.command("purge_expired_trash")
        assert await items(alice) == list(left)
    assert await items(bob) == [("note", kept["id"])]
    await alice.refused("POST", f"/os/trash/note/{note['id']}/restore", 404, "not_found")
    await check_words(served)


@pytest.mark.parametrize(
    ("scopes", "seen", "touched"),
    [
        (["os.notes:read"], {"note", "folder"}, set()),
        (["os.todos:read"], {"todo"}, set()),
        (["os.notes:read", "os.todos:read"], {"note", "folder", "todo"}, set()),
        (
            ["os.notes:read", "os.notes:write", "os.todos:read"],
            {"note", "folder", "todo"},
            {"note", "folder"},
        ),
        (["os.todos:read", "os.todos:write"], {"todo"}, {"todo"}),
        (["os.notes:write", "os.todos:read"], {"todo"}, {"note", "folder"}),
    ],
)
async def test_a_kind_is_seen_and_touched_only_with_its_scope(
    served: Served, alice: Client, scopes: list[str], seen: set[str], touched: set[str]
) -> None:
    made = {
        "note": (await alice.note())["id"],
        "folder": await alice.folder("Work"),
        "todo": await todo(alice),
    }
    for kind, id_ in made.items():
        await alice.ok("DELETE", f"/os/{kind}s/{id_}")
    async with served.client(await served.key("alice", scopes)) as narrow:
        assert {kind for kind, _ in await items(narrow)} == seen
        assert (await narrow.ok("GET", "/os/trash"))["total"] == len(seen)
        for kind, id_ in made.items():
            area = "todos" if kind == "todo" else "notes"
            if kind not in seen:
                assert (
                    await narrow.refused("GET", f"/os/trash?kind={kind}", 403, "insufficient_scope")
                )["scope"] == f"os.{area}:read"
            if kind not in touched:
                for method, path in (
                    ("POST", f"/os/trash/{kind}/{id_}/restore"),
                    ("DELETE", f"/os/trash/{kind}/{id_}"),
                    ("DELETE", f"/os/trash?kind={kind}"),
                ):
                    refused = await narrow.refused(method, path, 403, "insufficient_scope")
                    assert refused["scope"] == f"os.{area}:write" or not touched
        if touched:
            purged = (await narrow.ok("DELETE", "/os/trash"))["purged"]
            assert purged == {
                f"{kind}s": int(kind in touched) for kind in ("note", "todo", "folder")
            }
    assert {kind for kind, _ in await items(alice)} == set(made) - touched


async def test_the_trash_of_another_owner_is_not_there(alice: Client, bob: Client) -> None:
    note = await alice.note()
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert await items(bob) == []
    never = await bob.refused("POST", "/os/trash/note/999/restore", 404, "not_found")
    assert (
        await bob.refused("POST", f"/os/trash/note/{note['id']}/restore", 404, "not_found") == never
    )
    assert await bob.refused("DELETE", f"/os/trash/note/{note['id']}", 404, "not_found") == never
    await bob.refused("POST", f"/os/trash/todo/{note['id']}/restore", 404, "not_found")
    assert (await bob.ok("DELETE", "/os/trash"))["purged"] == {"notes": 0, "todos": 0, "folders": 0}
    assert await items(alice) == [("note", note["id"])]


async def test_what_another_deletes_in_a_shared_folder_lies_in_the_owners_trash(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    work = await alice.folder("Work")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "admin"})
    note = await alice.note("Shared", folderId=work)
    await bob.ok("DELETE", f"/os/notes/{note['id']}")
    assert (await items(bob), await items(alice)) == (
        [("note", note["id"])],
        [("note", note["id"])],
    )
    assert (await alice.ok("GET", "/os/trash"))["items"][0]["trashedBy"]["id"] == str(
        (await bob.ok("GET", "/identity"))["credential"]["id"]
    )
    await alice.ok("DELETE", f"/os/folders/{work}")
    assert [folder["name"] for folder in (await bob.ok("GET", "/os/folders"))["folders"]] == [
        "General"
    ]
    await alice.ok("POST", f"/os/trash/folder/{work}/restore")
    await bob.ok("GET", f"/os/notes?folderId={work}")


async def test_an_admin_sees_and_brings_back_what_they_deleted_of_anothers(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    work, below = await alice.folder("Secret/Work"), await alice.folder("Secret/Work/Below")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "admin"})
    note, deep = (
        await alice.note("Plan", "words", folderId=work),
        await alice.note("Deep", "words", folderId=below),
    )
    theirs = await alice.note("Hers", folderId=work)
    await bob.ok("DELETE", f"/os/notes/{note['id']}")
    await bob.ok("DELETE", f"/os/folders/{below}")
    await alice.ok("DELETE", f"/os/notes/{theirs['id']}")
    seen = await bob.ok("GET", "/os/trash")
    assert [(item["kind"], item["id"], item["path"]) for item in seen["items"]] == [
        ("folder", below, "Work"),
        ("note", note["id"], "Work"),
    ]
    assert seen["total"] == 2
    assert [
        (item["id"], item["path"])
        for item in (await bob.ok("GET", f"/os/trash?folderId={below}"))["items"]
    ] == [(deep["id"], "Work/Below")]
    await bob.refused("DELETE", f"/os/trash/note/{note['id']}", 403, "forbidden")
    assert (await bob.ok("DELETE", "/os/trash"))["purged"] == {"notes": 0, "todos": 0, "folders": 0}
    await bob.refused("POST", f"/os/trash/note/{theirs['id']}/restore", 404, "not_found")
    assert (await bob.ok("POST", f"/os/trash/note/{note['id']}/restore"))["folderId"] == work
    assert (await bob.ok("POST", f"/os/trash/folder/{below}/restore"))["folderId"] == work
    for one in (note, deep):
        assert (await alice.ok("GET", f"/os/notes/{one['id']}"))["note"]["markdown"] == "words"
    assert await items(bob) == []
    assert await counts(alice) == {
        "bytes": 10,
        "root": 0,
        "todos": 0,
        "Secret": 0,
        "Work": 1,
        "Below": 1,
    }


async def test_who_is_no_admin_any_more_sees_and_restores_nothing_of_anothers(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    work = await alice.folder("Work")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "admin"})
    note = await alice.note("Plan", folderId=work)
    await bob.ok("DELETE", f"/os/notes/{note['id']}")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "editor"})
    assert await items(bob) == []
    await bob.refused("POST", f"/os/trash/note/{note['id']}/restore", 404, "not_found")


async def test_a_trashed_folder_shows_what_is_in_it_and_one_note_of_it_comes_back(
    served: Served, alice: Client, bob: Client
) -> None:
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    near, deep, alone = (
        await alice.note("Near", "a", folderId=work),
        await alice.note("Deep", "bb", folderId=below),
        await alice.note("Alone", folderId=work),
    )
    await alice.ok("DELETE", f"/os/notes/{alone['id']}")
    await alice.ok("DELETE", f"/os/folders/{work}")
    inside = await alice.ok("GET", f"/os/trash?folderId={work}")
    assert [
        (item["kind"], item["id"], item["title"], item["path"]) for item in inside["items"]
    ] == [
        ("folder", below, "Below", "Work"),
        ("note", deep["id"], "Deep", "Work/Below"),
        ("note", near["id"], "Near", "Work"),
    ]
    assert (inside["total"], inside["items"][0].keys()) == (
        3,
        (await alice.ok("GET", "/os/trash"))["items"][0].keys(),
    )
    assert await items(alice, f"?folderId={below}") == [("note", deep["id"])]
    assert await items(alice, f"?folderId={work}&kind=folder") == [("folder", below)]
    assert await items(alice, f"?folderId={work}&limit=1&offset=2") == [("note", near["id"])]
    await bob.refused("GET", f"/os/trash?folderId={work}", 404, "not_found")
    await alice.refused("DELETE", f"/os/trash/note/{deep['id']}", 404, "not_found")
    refused = await alice.refused("POST", f"/os/trash/folder/{below}/restore", 422, "unprocessable")
    assert "Work" in refused["message"]
    assert await alice.ok("POST", f"/os/trash/note/{deep['id']}/restore") == {
        "success": True,
        "kind": "note",
        "id": deep["id"],
        "folderId": None,
    }
    assert await counts(alice) == {"bytes": 2, "root": 1, "todos": 0}
    assert await items(alice) == [("folder", work), ("note", alone["id"])]
    await alice.ok("POST", f"/os/trash/folder/{work}/restore")
    assert await counts(alice) == {"bytes": 3, "root": 1, "todos": 0, "Work": 1, "Below": 0}
    await check_words(served)


async def test_a_note_of_the_same_number_as_its_trashed_folder_comes_back_alone(
    alice: Client,
) -> None:
    folder = await alice.folder("Numbers")
    ids = [(await alice.note(folderId=folder))["id"] for _ in range(folder + 1)]
    assert folder in ids
    await alice.ok("DELETE", f"/os/folders/{folder}")
    await alice.ok("POST", f"/os/trash/note/{folder}/restore")
    assert await items(alice) == [("folder", folder)]
    await alice.ok("POST", f"/os/trash/folder/{folder}/restore")
    assert (await alice.ok("GET", f"/os/notes?folderId={folder}"))["totalNotes"] == len(ids) - 1


async def test_bringing_a_folder_back_counts_as_a_change_of_the_workspace(
    alice: Client, clock: MovableClock
) -> None:
    work = await alice.folder("Work")
    await alice.ok("DELETE", f"/os/folders/{work}")
    clock.forward(hours=1)
    await alice.ok("POST", f"/os/trash/folder/{work}/restore")
    assert (await alice.ok("GET", "/os/status"))["lastSyncedAt"] == "2026-11-21T10:30:00.000Z"


async def test_the_body_of_a_delete_narrows_it_and_a_malformed_one_deletes_nothing(
    alice: Client,
) -> None:
    note = (await alice.note())["id"]
    todo = (await alice.ok("POST", "/os/todos", status=201, json={"title": "T"}))["result"]["todo"][
        "id"
    ]
    await alice.ok("DELETE", f"/os/notes/{note}")
    await alice.ok("DELETE", f"/os/todos/{todo}")
    for body in (b"[1", b'"x"', b'{"kind": "lamp"}'):
        await alice.refused("DELETE", "/os/trash", 400, "invalid_request", content=body)
    assert (await alice.ok("DELETE", "/os/trash", json={"kind": "note"}))["purged"]["notes"] == 1
    assert [row["kind"] for row in (await alice.ok("GET", "/os/trash"))["items"]] == ["todo"]
