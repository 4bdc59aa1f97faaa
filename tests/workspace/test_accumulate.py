"""Bulk writing: paths, entries that are refused, versions, counts."""

import unicodedata
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.conftest import Client, Served
from tests.support.looping import through

pytestmark = pytest.mark.anyio


async def write(client: Client, **body: Any) -> Any:
    """Give the answer of a call of which at least one entry is applied."""
    return await client.ok("POST", "/accumulate", json=body)


async def paths_of(client: Client) -> dict[str, str]:
    """Give the text of every live note by its full path."""
    folders = {
        folder["id"]: folder for folder in (await client.ok("GET", "/os/folders"))["folders"]
    }
    found = {}
    for item in (await client.ok("GET", "/os/notes?recursive=true&limit=200"))["notes"]:
        segments, at = [item["title"]], item["folderId"]
        while at is not None:
            segments.insert(0, folders[at]["name"])
            at = folders[at]["parentId"]
        found["/".join(segments)] = (await client.ok("GET", f"/os/notes/{item['id']}"))["note"][
            "markdown"
        ]
    return found


async def folder_paths(client: Client) -> set[str]:
    folders = {
        folder["id"]: folder for folder in (await client.ok("GET", "/os/folders"))["folders"]
    }

    def path(folder: Any) -> str:
        above = folders.get(folder["parentId"])
        return folder["name"] if above is None else f"{path(above)}/{folder['name']}"

    return {path(folder) for folder in folders.values()}


async def test_one_call_writes_moves_to_the_trash_and_orders_folders(alice: Client) -> None:
    await write(
        alice,
        files=[
            {"path": "Old/gone.md", "content": "g"},
            {"path": "Old/Sub/x", "content": "xx"},
            {"path": "here.md", "content": "h"},
        ],
    )
    done = await write(
        alice,
        files=[{"path": "Work/Plan.md", "content": "äb"}],
        texts=[
            {"title": "Thought", "content": "t"},
            {"title": "Deep", "content": "d", "folder": "Work/Ideas"},
        ],
        delete=[{"path": "here.md"}],
        folders={"create": ["Empty/Below"], "delete": ["Old"]},
    )
    assert done == {
        "success": True,
        "created": 3,
        "updated": 0,
        "deleted": 3,
        "skipped": 0,
        "errors": [],
        "versions": [],
        "foldersCreated": ["Empty", "Empty/Below", "Work", "Work/Ideas"],
        "foldersDeleted": ["Old"],
        "workspace": {"totalFiles": 3, "totalSizeBytes": 5},
    }
    assert await paths_of(alice) == {
        "Work/Plan.md": "äb",
        "General/Thought": "t",
        "Work/Ideas/Deep": "d",
    }
    assert await folder_paths(alice) == {"General", "Empty", "Empty/Below", "Work", "Work/Ideas"}
    trash = (await alice.ok("GET", "/os/trash"))["items"]
    assert [(item["kind"], item["title"], item["path"]) for item in trash] == [
        ("folder", "Old", ""),
        ("note", "here.md", ""),
    ]


async def test_the_lists_are_applied_in_one_order(alice: Client) -> None:
    done = await write(
        alice,
        folders={"create": ["F"], "delete": ["f"]},
        delete=[{"path": "F/a"}],
        files=[{"path": "f/a", "content": "1"}],
        texts=[
            {"title": "a", "content": "2", "folder": "F"},
            {"title": "b", "content": "3", "folder": "F"},
        ],
    )
    assert (done["created"], done["updated"], done["deleted"], done["errors"]) == (2, 1, 2, [])
    assert (done["foldersCreated"], done["foldersDeleted"], done["workspace"]["totalFiles"]) == (
        ["F"],
        ["f"],
        0,
    )


async def test_titles_are_matched_exactly_and_folders_without_case(alice: Client) -> None:
    await write(alice, files=[{"path": "Straße/Caf\u00e9.md", "content": "1"}])
    done = await write(
        alice,
        files=[
            {"path": "STRASSE/Cafe\u0301.md", "content": "2"},
            {"path": "strasse/caf\u00e9.md", "content": "3"},
        ],
    )
    assert (done["created"], done["updated"], done["foldersCreated"]) == (1, 1, [])
    assert await paths_of(alice) == {"Straße/Caf\u00e9.md": "2", "Straße/caf\u00e9.md": "3"}


async def test_of_several_notes_of_one_title_the_oldest_is_meant(alice: Client) -> None:
    first, second = await alice.note("Twin", "one"), await alice.note("Twin", "two")
    await alice.ok("POST", f"/os/notes/{first['id']}/pin", json={"pinned": True})
    await write(alice, files=[{"path": "Twin", "content": "new"}])
    assert (await alice.ok("GET", f"/os/notes/{first['id']}"))["note"]["markdown"] == "new"
    await write(alice, delete=[{"path": "Twin"}])
    assert [item["id"] for item in (await alice.ok("GET", "/os/notes"))["notes"]] == [second["id"]]


async def test_an_update_keeps_the_state_before_under_its_version(alice: Client) -> None:
    await write(alice, files=[{"path": "a.md", "content": "one"}])
    note = (await alice.ok("GET", "/os/notes"))["notes"][0]["id"]
    await alice.ok("PATCH", f"/os/notes/{note}", json={"content": "two"})
    await alice.ok("PATCH", f"/os/notes/{note}", json={"tags": ["kept"]})
    done = await write(
        alice,
        files=[
            {"path": "a.md", "content": "three", "message": "why\nand more"},
            {"path": "a.md", "content": "three"},
            {"path": "a.md", "content": "four", "message": None},
        ],
    )
    assert (done["updated"], done["skipped"], done["created"]) == (2, 1, 0)
    assert done["versions"] == [
        {"file": "a.md", "from": "v2", "to": "v3", "message": "why\nand more"},
        {"file": "a.md", "from": "v3", "to": "v4", "message": None},
    ]
    listed = (await alice.ok("GET", f"/os/snapshots/{note}"))["snapshots"]
    assert [(row["seq"], row["label"], row["message"]) for row in listed[:2]] == [
        (4, "v3", None),
        (3, "v2", "why\nand more"),
    ]
    kept = [
        (await alice.ok("GET", f"/os/snapshots/{note}/seq/{seq}"))["snapshot"]["markdown"]
        for seq in (3, 4)
    ]
    assert kept == ["two", "three"]
    after = (await alice.ok("GET", f"/os/notes/{note}"))["note"]
    assert (after["markdown"], after["tags"], after["revision"]) == ("four", ["kept"], 5)


async def test_an_equal_text_is_skipped_and_leaves_no_version(alice: Client) -> None:
    await write(alice, files=[{"path": "a.md", "content": "x\r\n"}])
    done = await write(alice, files=[{"path": "a.md", "content": "x\r\n"}])
    assert (done["skipped"], done["updated"], done["versions"]) == (1, 0, [])
    note = (await alice.ok("GET", "/os/notes"))["notes"][0]
    assert (note["revision"], (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["total"]) == (
        1,
        0,
    )


async def test_what_is_written_is_found_at_once(alice: Client) -> None:
    await write(
        alice,
        files=[{"path": "a.md", "content": "a walrus"}],
        texts=[{"title": "b", "content": "walrus too"}],
    )
    assert (
        len((await alice.ok("POST", "/os/notes/search", json={"query": "walrus"}))["results"]) == 2
    )
    assert (
        len((await alice.ok("POST", "/os/notes/grep", json={"pattern": "WALRUS"}))["results"]) == 2
    )
    await write(alice, files=[{"path": "a.md", "content": "a seal"}])
    assert [
        hit["title"]
        for hit in (await alice.ok("POST", "/os/notes/search", json={"query": "walrus"}))["results"]
    ] == ["b"]


HOSTILE = [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    "..",
    ".",
    "../a",
    "a/../b",
    "a/./b",
    "a\\b",
    "C:\\x",
    "\\\\host\\x",
    "a\u0000b",
    "a/\u0001",
    "a\n",
    "a\u007f",
    "a/\u0085",
    " ",
    "a/ /b",
    "a/ .. /b",
    "x" * 256,
    "a/" + "x" * 256,
    "/".join("x" * 33),
]


@through("numbered", [(repr(path[:60]), (number, path)) for number, path in enumerate(HOSTILE)])
@pytest.mark.parametrize("kind", ["files", "texts", "delete", "folders.create", "folders.delete"])
async def test_a_hostile_path_is_a_row_of_errors_and_the_others_are_applied(
    served: Served, kind: str, numbered: tuple[int, str]
) -> None:
    number, path = numbered
    alice = await served.person(f"alice{number}")
    body: dict[str, Any] = {
        "folders": {"create": ["Good"]},
        "files": [{"path": "Good/n", "content": "x"}],
    }
    index = 0
    match kind:
        case "files":
            body["files"].append({"path": path, "content": "x"})
            index = 1
        case "texts":
            body["texts"] = [{"title": "t", "content": "x", "folder": path}]
        case "delete":
            body["delete"] = [{"path": path}]
        case "folders.create":
            body["folders"]["create"].append(path)
            index = 1
        case _:
            body["folders"]["delete"] = [path]
    done = await write(alice, **body)
    assert [(row["kind"], row["index"], row["error"]) for row in done["errors"]] == [
        (kind, index, "invalid_request")
    ]
    assert set(done["errors"][0]) == {"kind", "index", "path", "error", "message"}
    assert (done["created"], done["foldersCreated"], done["deleted"]) == (1, ["Good"], 0)
    assert await paths_of(alice) == {"Good/n": "x"}
    assert await folder_paths(alice) == {"General", "Good"}


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ({"files": [{"path": "a", "content": "a\u0000b"}]}, ("files", 0, "a", "invalid_request")),
        (
            {"files": [{"path": "a", "content": "x", "message": "m" * 501}]},
            ("files", 0, "a", "invalid_request"),
        ),
        (
            {"files": [{"path": "a", "content": "x", "message": "\u0000"}]},
            ("files", 0, "a", "invalid_request"),
        ),
        ({"texts": [{"title": "  ", "content": "x"}]}, ("texts", 0, "  ", "invalid_request")),
        ({"texts": [{"title": "a\nb", "content": "x"}]}, ("texts", 0, "a\nb", "invalid_request")),
        (
            {"texts": [{"title": "x" * 256, "content": "x"}]},
            ("texts", 0, "x" * 256, "invalid_request"),
        ),
        ({"delete": [{"path": "nothing.md"}]}, ("delete", 0, "nothing.md", "not_found")),
        ({"delete": [{"path": "No folder/x"}]}, ("delete", 0, "No folder/x", "not_found")),
        ({"folders": {"delete": ["Nowhere"]}}, ("folders.delete", 0, "Nowhere", "not_found")),
        ({"folders": {"delete": ["gENERAL"]}}, ("folders.delete", 0, "gENERAL", "forbidden")),
    ],
)
async def test_a_call_of_which_every_entry_is_refused_is_unprocessable(
    resident: Client, body: dict[str, Any], row: tuple[Any, ...]
) -> None:
    refused = await resident.refused("POST", "/accumulate", 422, "unprocessable", json=body)
    assert [
        (error["kind"], error["index"], error["path"], error["error"])
        for error in refused["errors"]
    ] == [row]
    assert {
        name: refused[name] for name in ("created", "updated", "deleted", "skipped")
    } == dict.fromkeys(("created", "updated", "deleted", "skipped"), 0)
    assert (refused["versions"], refused["foldersCreated"], refused["foldersDeleted"]) == (
        [],
        [],
        [],
    )
    assert refused["workspace"] == {"totalFiles": 0, "totalSizeBytes": 0}
    assert await paths_of(resident) == {}


async def test_a_text_over_ten_mebibytes_is_refused_alone(alice: Client) -> None:
    largest = "ä" * (5 << 20)
    done = await write(
        alice,
        files=[
            {"path": "large", "content": largest + "a"},
            {"path": "largest", "content": largest},
        ],
    )
    assert [(row["index"], row["error"]) for row in done["errors"]] == [(0, "payload_too_large")]
    assert done["workspace"] == {"totalFiles": 1, "totalSizeBytes": 10 << 20}


async def test_the_same_deletion_twice_is_done_once(alice: Client) -> None:
    await write(alice, files=[{"path": "F/a", "content": "x"}])
    done = await write(
        alice, delete=[{"path": "F/a"}, {"path": "f/a"}], folders={"delete": ["F", "F"]}
    )
    assert [(row["kind"], row["index"], row["error"]) for row in done["errors"]] == [
        ("delete", 1, "not_found"),
        ("folders.delete", 1, "not_found"),
    ]
    assert (done["deleted"], done["foldersDeleted"]) == (1, ["F"])


@pytest.mark.parametrize("shared", ["Team", "Team/Below"])
async def test_a_shared_folder_is_not_deleted_nor_one_that_holds_it(
    served: Served, alice: Client, bob: Client, shared: str
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok(
        "POST",
        f"/os/folders/{await alice.folder(shared)}/share",
        json={"username": "bob", "role": "viewer"},
    )
    refused = await alice.refused(
        "POST", "/accumulate", 422, "unprocessable", json={"folders": {"delete": ["Team"]}}
    )
    assert [row["error"] for row in refused["errors"]] == ["forbidden"]
    assert await folder_paths(alice) >= {"Team"}


async def team(served: Served, alice: Client, bob: Client, role: str) -> int:
    """Let alice share a folder with bob, in this role."""
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Private/Team")
    await alice.ok("POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": role})
    return folder


async def test_what_is_written_below_a_shared_folder_lies_there_and_makes_no_twin(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await team(served, alice, bob, "editor")
    done = await write(
        bob,
        files=[
            {"path": "team/x.md", "content": "one"},
            {"path": "Team/New/y.md", "content": "deep"},
        ],
        texts=[{"title": "T", "content": "t", "folder": "Team"}],
        folders={"create": ["Team/Made", "Team"]},
    )
    assert (done["created"], done["errors"], done["foldersCreated"]) == (
        3,
        [],
        ["Team/Made", "Team/New"],
    )
    own = {
        row["name"] for row in (await bob.ok("GET", "/os/folders"))["folders"] if "owner" not in row
    }
    assert own == {"General"}
    found = {
        path: text for path, text in (await paths_of(alice)).items() if path.startswith("Private")
    }
    assert found == {
        "Private/Team/x.md": "one",
        "Private/Team/New/y.md": "deep",
        "Private/Team/T": "t",
    }
    changed = await write(bob, files=[{"path": "Team/x.md", "content": "two"}])
    assert (changed["updated"], [row["from"] for row in changed["versions"]]) == (1, ["v1"])
    assert (await paths_of(alice))["Private/Team/x.md"] == "two"
    made = await bob.ok("POST", "/os/folders", json={"path": "Team/Made"})
    assert (made["createdSegments"], made["folder"]["parentId"], made["path"]) == (
        [],
        folder,
        "Team/Made",
    )


@pytest.mark.parametrize(
    ("role", "created", "changed"),
    [("viewer", False, False), ("writer", False, True), ("editor", True, True)],
)
async def test_in_a_shared_folder_the_role_decides(
    served: Served, alice: Client, bob: Client, role: str, created: bool, changed: bool
) -> None:
    folder = await team(served, alice, bob, role)
    await alice.note("old", "one", folderId=folder)
    for path, allowed in (("Team/new", created), ("Team/New/new", created), ("Team/old", changed)):
        body = (
            await bob.post("/accumulate", json={"files": [{"path": path, "content": "two"}]})
        ).json()
        assert [row["error"] for row in body["errors"]] == ([] if allowed else ["forbidden"]), path
    for body in ({"delete": [{"path": "Team/old"}]}, {"folders": {"delete": ["Team"]}}):
        refused = await bob.refused("POST", "/accumulate", 422, "unprocessable", json=body)
        assert [row["error"] for row in refused["errors"]] == ["forbidden"]
    assert await folder_paths(bob) == {"General"} | ({"Team", "Team/New"} if created else {"Team"})


async def test_a_folder_of_ones_own_and_the_agents_memory_come_before_what_is_shared(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    for name in ("Memory", "Workspace", "Notes"):
        folder = await alice.folder(f"For bob/{name}")
        await alice.ok(
            "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "editor"}
        )
    mine = await bob.ok("POST", "/os/folders", json={"name": "Notes"})
    await write(
        bob,
        files=[
            {"path": f"{name}/x", "content": "mine"}
            for name in ("Memory/Self", "Workspace/links", "Notes")
        ],
    )
    assert not [path for path in await paths_of(alice) if path.startswith("For bob")]
    assert len((await bob.ok("GET", f"/os/notes?folderId={mine['folder']['id']}"))["notes"]) == 1


async def test_of_two_shared_folders_of_one_name_none_is_guessed(
    served: Served, alice: Client, bob: Client
) -> None:
    await team(served, alice, bob, "editor")
    twin = await alice.folder("Other/Team")
    await alice.ok("POST", f"/os/folders/{twin}/share", json={"username": "bob", "role": "editor"})
    refused = await bob.refused(
        "POST",
        "/accumulate",
        422,
        "unprocessable",
        json={"files": [{"path": "Team/x", "content": "one"}]},
    )
    assert [row["error"] for row in refused["errors"]] == ["invalid_request"]
    await bob.refused(
        "POST", "/os/folders", 400, "invalid_request", field="path", json={"path": "Team/x"}
    )


ENTRIES = {
    "files": {"path": "p", "content": "c"},
    "texts": {"title": "t", "content": "c"},
    "delete": {"path": "p"},
}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "files"),
        (
            {"files": [], "texts": [], "delete": [], "folders": {"create": [], "delete": []}},
            "files",
        ),
        ({"files": None, "texts": None, "delete": None, "folders": None}, "files"),
        ({"folders": {"create": None}, "unknown": [1]}, "files"),
        ({"files": [ENTRIES["files"]] * 51}, "files"),
        ({"files": [ENTRIES["files"]] * 25, "texts": [ENTRIES["texts"]] * 26}, "files"),
        ({"delete": [ENTRIES["delete"]] * 201}, "delete"),
        ({"folders": {"create": ["f"] * 201}}, "folders.create"),
        ({"folders": {"delete": ["f"] * 201}}, "folders.delete"),
        ({"files": {}}, "files"),
        ({"files": ["p"]}, "files[0]"),
        ({"files": [ENTRIES["files"], None]}, "files[1]"),
        ({"files": [ENTRIES["files"]] * 3 + [{"path": "p"}]}, "files[3].content"),
        ({"files": [ENTRIES["files"]] * 3 + [{"path": "p", "content": 5}]}, "files[3].content"),
        ({"files": [{"content": "c"}]}, "files[0].path"),
        ({"files": [{"path": None, "content": "c"}]}, "files[0].path"),
        ({"files": [{"path": "p", "content": "c", "message": 5}]}, "files[0].message"),
        ({"texts": [{"content": "c"}]}, "texts[0].title"),
        ({"texts": [{"title": "t", "content": None}]}, "texts[0].content"),
        ({"texts": [{"title": "t", "content": "c", "folder": 5}]}, "texts[0].folder"),
        ({"delete": ["p"]}, "delete[0]"),
        ({"delete": [{}]}, "delete[0].path"),
        ({"folders": []}, "folders"),
        ({"folders": {"create": [5]}}, "folders.create[0]"),
        ({"folders": {"delete": "f"}}, "folders.delete"),
    ],
)
async def test_a_call_that_is_wrong_as_a_whole_changes_nothing(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    refused = await resident.refused(
        "POST", "/accumulate", 400, "invalid_request", field=field, json=body
    )
    assert field in refused["message"]
    assert await paths_of(resident) == {}


async def test_fifty_writes_and_two_hundred_of_each_other_list_are_taken(alice: Client) -> None:
    done = await write(
        alice,
        files=[{"path": f"f{number}", "content": ""} for number in range(25)],
        texts=[{"title": f"t{number}", "content": ""} for number in range(25)],
        delete=[{"path": "f0"}] * 200,
        folders={
            "create": [f"d{number}" for number in range(200)],
            "delete": [f"d{number}" for number in range(200)],
        },
    )
    assert (done["created"], done["deleted"], len(done["errors"]), len(done["foldersDeleted"])) == (
        50,
        1,
        199,
        200,
    )
    assert done["workspace"]["totalFiles"] == 49


async def test_the_limit_of_entries_is_named(alice: Client) -> None:
    refused = await alice.refused(
        "POST", "/accumulate", 400, "invalid_request", json={"files": [ENTRIES["files"]] * 51}
    )
    assert "50" in refused["message"]


async def test_unknown_fields_of_entries_are_ignored(alice: Client) -> None:
    done = await write(
        alice, files=[{"path": "a", "content": "x", "mode": 7}], folders={"rename": ["b"]}
    )
    assert done["created"] == 1


async def test_writing_in_bulk_needs_the_scope_of_notes(served: Served, alice: Client) -> None:
    async with served.client(
        await served.key("alice", ["os.notes:read", "os.todos:write"])
    ) as reader:
        refused = await reader.refused(
            "POST", "/accumulate", 403, "insufficient_scope", json={"files": [ENTRIES["files"]]}
        )
    assert refused["scope"] == "os.notes:write"


SANE = st.sampled_from(
    [
        "a",
        "B",
        "b",
        "Straße",
        "STRASSE",
        "caf\u00e9",
        "cafe\u0301",
        "x.md",
        "General",
        "general",
        "日本",
        "🦊",
        " padded ",
        "CON",
        "a:b",
    ]
)
BAD = st.sampled_from(["", " ", ".", "..", "a\\b", "\u0000", "\u001f", "x" * 256, "a\u2028b"])
SEGMENTS = st.lists(
    st.one_of(SANE, SANE, SANE, BAD, st.text(max_size=8).filter(lambda text: "/" not in text)),
    min_size=1,
    max_size=5,
)
PATHS = SEGMENTS.map("/".join)


def expected(path: str) -> list[str] | None:
    """Give the segments under which a path is kept, or None where the contract refuses it."""
    segments = [unicodedata.normalize("NFC", segment).strip() for segment in path.split("/")]
    hostile = any(unicodedata.category(mark) in ("Cc", "Zl", "Zp") or mark == "\\" for mark in path)
    return (
        None
        if hostile
        or len(segments) > 32
        or any(not 1 <= len(segment) <= 255 or segment in (".", "..") for segment in segments)
        else segments
    )


def fold(name: str) -> str:
    for _ in range(3):
        name = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    return name


async def check_entries(client: Client, writes: list[str], folders: list[str]) -> None:
    """Write these paths into an empty workspace and compare everything with what the paths say."""
    response = await client.post(
        "/accumulate",
        json={
            "files": [{"path": path, "content": str(n)} for n, path in enumerate(writes)],
            "folders": {"create": folders},
        },
    )
    body = response.json()
    if not writes and not folders:
        assert response.status_code == 400
        return
    refused = [("folders.create", n) for n, path in enumerate(folders) if expected(path) is None]
    refused += [("files", n) for n, path in enumerate(writes) if expected(path) is None]
    assert [(row["kind"], row["index"]) for row in body["errors"]] == refused
    assert response.status_code == (422 if len(refused) == len(writes) + len(folders) else 200)
    notes: dict[tuple[str, ...], str] = {}
    places = {("general",)}
    for segments in filter(None, map(expected, folders)):
        places |= {tuple(map(fold, segments[: depth + 1])) for depth in range(len(segments))}
    for number, segments in enumerate(map(expected, writes)):
        if segments is not None:
            places |= {tuple(map(fold, segments[:depth])) for depth in range(1, len(segments))}
            notes[(*map(fold, segments[:-1]), segments[-1])] = str(number)
    found = {
        (*map(fold, path.split("/")[:-1]), path.split("/")[-1]): text
        for path, text in (await paths_of(client)).items()
    }
    assert found == notes
    assert {tuple(map(fold, path.split("/"))) for path in await folder_paths(client)} == places
    assert body["created"] + body["updated"] + body["skipped"] == len(writes) - sum(
        kind == "files" for kind, _ in refused
    )
    assert body["created"] == len(notes) == body["workspace"]["totalFiles"]
    status = await client.ok("GET", "/os/status")
    assert (status["contextCount"], status["totalSizeBytes"]) == (
        len(notes),
        sum(map(len, notes.values())),
    )
    assert sum(folder["fileCount"] for folder in status["folders"]) == sum(
        len(key) > 1 for key in notes
    )


@given(writes=st.lists(PATHS, max_size=8), folders=st.lists(PATHS, max_size=3))
@hypothesis_settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_every_entry_becomes_exactly_what_its_path_says_or_a_row_of_errors(
    served: Served, writes: list[str], folders: list[str]
) -> None:
    username = f"u{len((await served.command('list_users')).users)}"
    client = await served.person(username)
    try:
        await check_entries(client, writes, folders)
    finally:
        await client.aclose()


@pytest.mark.parametrize("title", [".", "..", " .. "])
async def test_no_note_is_written_that_no_path_can_name(alice: Client, title: str) -> None:
    body = {"texts": [{"title": title, "content": "x"}, {"title": "fine", "content": "x"}]}
    done = await alice.ok("POST", "/accumulate", json=body)
    assert (done["created"], [row["error"] for row in done["errors"]]) == (1, ["invalid_request"])
