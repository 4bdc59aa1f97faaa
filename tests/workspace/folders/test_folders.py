"""Folders and who shares them."""

from typing import Any

import httpx2 as httpx
import pytest

from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


async def names(client: Client, query: str = "") -> list[str]:
    return [folder["name"] for folder in (await client.ok("GET", f"/os/folders{query}"))["folders"]]


async def test_general_is_there_from_the_beginning(alice: Client) -> None:
    body = await alice.ok("POST", "/init", json={})
    assert (body["initialized"], body["created"]) == (True, False)
    general = body["workspace"]["folders"][0]
    assert general == {
        "id": general["id"],
        "name": "General",
        "parentId": None,
        "icon": None,
        "fileCount": 0,
        "shared": False,
        "createdAt": "2026-11-21T09:30:00.000Z",
    }
    assert body["workspace"]["totalFiles"] == body["workspace"]["totalSizeBytes"] == 0


async def test_a_folder_is_made_once_and_found_again(alice: Client) -> None:
    first = await alice.ok("POST", "/os/folders", json={"name": "Work"})
    assert (first["mode"], first["path"], first["createdSegments"]) == ("name", "Work", ["Work"])
    again = await alice.ok("POST", "/os/folders", json={"name": "wORK"})
    assert (again["folder"], again["createdSegments"]) == (first["folder"], [])
    nested = await alice.ok("POST", "/os/folders", json={"path": "work/Plans/2026"})
    assert (nested["mode"], nested["path"], nested["createdSegments"]) == (
        "path",
        "Work/Plans/2026",
        ["Plans", "2026"],
    )
    below = await alice.ok(
        "POST", "/os/folders", json={"name": "Q1", "parentId": nested["folder"]["id"]}
    )
    assert (below["path"], below["folder"]["parentId"]) == (
        "Work/Plans/2026/Q1",
        nested["folder"]["id"],
    )


@pytest.mark.parametrize("spelling", ["Straße", "STRASSE", "strasse"])
async def test_sibling_names_are_compared_without_case(alice: Client, spelling: str) -> None:
    first = await alice.folder("Straße")
    assert await alice.folder(spelling) == first


async def test_names_are_compared_in_one_unicode_form(alice: Client) -> None:
    assert await alice.folder("Caf\u00e9") == await alice.folder("Cafe\u0301")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "a", "path": "b"}, "path"),
        ({"name": "a/b"}, "name"),
        ({"name": "a\\b"}, "name"),
        ({"name": ".."}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "a\u0001"}, "name"),
        ({"path": "/a"}, "path"),
        ({"path": "a//b"}, "path"),
        ({"path": "a/"}, "path"),
        ({"path": "a/../b"}, "path"),
        ({"path": "a/./b"}, "path"),
        ({"path": "a\\b"}, "path"),
        ({"path": "a/\u0000/b"}, "path"),
        ({"path": "a/" + "x" * 256}, "path"),
        ({"path": "/".join("abcdefghijklmnopqrstuvwxyzABCDEFG")}, "path"),
        ({"path": ""}, "path"),
        ({"path": 5}, "path"),
        ({"name": "a", "parentId": "root"}, "parentId"),
    ],
)
async def test_a_hostile_name_or_path_is_refused(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused("POST", "/os/folders", 400, "invalid_request", field=field, json=body)
    assert await names(resident) == ["General"]


async def test_an_unknown_parent_is_not_found(alice: Client, bob: Client) -> None:
    foreign = await bob.folder("Bobs")
    for parent in (999, foreign):
        await alice.refused(
            "POST",
            "/os/folders",
            404,
            "not_found",
            field="parentId",
            json={"name": "x", "parentId": parent},
        )
        await alice.refused(
            "GET", f"/os/folders?parentId={parent}", 404, "not_found", field="parentId"
        )
    await alice.refused("GET", "/os/folders?parentId=top", 400, "invalid_request", field="parentId")


async def test_folders_are_listed_flat_in_the_root_or_below_one(alice: Client) -> None:
    work = await alice.folder("Work")
    await alice.folder("Work/Plans")
    await alice.folder("archive")
    assert await names(alice) == ["archive", "General", "Plans", "Work"]
    assert await names(alice, "?parentId=root") == ["archive", "General", "Work"]
    assert await names(alice, f"?parentId={work}") == ["Plans"]


async def test_a_folder_is_renamed_moved_and_given_an_icon(alice: Client) -> None:
    work, home = await alice.folder("Work"), await alice.folder("Home")
    plans = await alice.folder("Work/Plans")
    changed = (
        await alice.ok(
            "PATCH", f"/os/folders/{plans}", json={"name": "Ideas", "parentId": home, "icon": "💡"}
        )
    )["folder"]
    assert (changed["name"], changed["parentId"], changed["icon"]) == ("Ideas", home, "💡")
    assert (await alice.ok("PATCH", f"/os/folders/{plans}", json={"parentId": None, "icon": None}))[
        "folder"
    ]["parentId"] is None
    assert (await alice.ok("PATCH", f"/os/folders/{plans}", json={"name": "ideas"}))["folder"][
        "name"
    ] == "ideas"
    await alice.refused(
        "PATCH", f"/os/folders/{plans}", 409, "already_exists", json={"name": "WORK"}
    )
    await alice.ok("PATCH", f"/os/folders/{plans}", json={"parentId": work})
    await alice.refused(
        "PATCH",
        f"/os/folders/{work}",
        400,
        "invalid_request",
        field="parentId",
        json={"parentId": plans},
    )
    await alice.refused(
        "PATCH",
        f"/os/folders/{work}",
        400,
        "invalid_request",
        field="parentId",
        json={"parentId": work},
    )
    await alice.refused(
        "PATCH",
        f"/os/folders/{work}",
        400,
        "invalid_request",
        field="icon",
        json={"icon": "x" * 33},
    )


async def test_general_can_be_neither_renamed_nor_deleted(alice: Client) -> None:
    general = (await alice.ok("GET", "/os/folders"))["folders"][0]["id"]
    await alice.refused("PATCH", f"/os/folders/{general}", 403, "forbidden", json={"name": "Other"})
    await alice.refused("DELETE", f"/os/folders/{general}", 403, "forbidden")
    assert (await alice.ok("PATCH", f"/os/folders/{general}", json={"icon": "g"}))["folder"][
        "icon"
    ] == "g"


async def test_file_counts_follow_the_notes(alice: Client) -> None:
    work, home = await alice.folder("Work"), await alice.folder("Home")

    async def counts() -> tuple[int, ...]:
        listed = {
            folder["id"]: folder["fileCount"]
            for folder in (await alice.ok("GET", "/os/folders"))["folders"]
        }
        status = await alice.ok("GET", "/os/status")
        return listed[work], listed[home], status["contextCount"], status["totalSizeBytes"]

    note = await alice.note("A", "äb", folderId=work)
    await alice.note("B", "1234", folderId=work)
    assert await counts() == (2, 0, 2, 7)
    await alice.ok("POST", f"/os/notes/{note['id']}/move", json={"folderId": home})
    assert await counts() == (1, 1, 2, 7)
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "longer"})
    assert await counts() == (1, 1, 2, 10)
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert await counts() == (1, 0, 1, 4)
    await alice.ok("POST", f"/os/trash/note/{note['id']}/restore")
    assert await counts() == (1, 1, 2, 10)


async def connect(served: Served, one: Client, other: Client) -> None:
    await served.command("connect_users", username=one.username, contact=other.username)


async def test_a_folder_is_shared_only_with_contacts(
    served: Served, alice: Client, bob: Client
) -> None:
    work = await alice.folder("Work")
    share = {"username": "bob", "role": "viewer"}
    await alice.refused("POST", f"/os/folders/{work}/share", 409, "not_connected", json=share)
    await connect(served, alice, bob)
    made = (await alice.ok("POST", f"/os/folders/{work}/share", json=share))["share"]
    assert (made["username"], made["role"]) == ("bob", "viewer")
    again = (
        await alice.ok(
            "POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "editor"}
        )
    )["share"]
    assert again["role"] == "editor"
    assert [
        row["role"] for row in (await alice.ok("GET", f"/os/folders/{work}/share"))["shares"]
    ] == ["editor"]
    general = (await alice.ok("GET", "/os/folders"))["folders"][0]["id"]
    await alice.refused("POST", f"/os/folders/{general}/share", 400, "invalid_request", json=share)
    await alice.refused(
        "POST",
        f"/os/folders/{work}/share",
        400,
        "invalid_request",
        field="username",
        json={"username": "alice", "role": "viewer"},
    )
    await alice.refused(
        "POST",
        f"/os/folders/{work}/share",
        404,
        "not_found",
        field="username",
        json={"username": "nobody", "role": "viewer"},
    )
    await alice.refused(
        "POST",
        f"/os/folders/{work}/share",
        400,
        "invalid_request",
        field="role",
        json={"username": "bob", "role": "owner"},
    )


async def test_a_share_ends_by_either_side(served: Served, alice: Client, bob: Client) -> None:
    await connect(served, alice, bob)
    work = await alice.folder("Work")
    for ender in (alice, bob):
        await alice.ok(
            "POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "viewer"}
        )
        await bob.ok("GET", f"/os/notes?folderId={work}")
        await ender.ok("DELETE", f"/os/folders/{work}/share/bob")
        await bob.refused("GET", f"/os/notes?folderId={work}", 404, "not_found")
    await alice.refused("DELETE", f"/os/folders/{work}/share/bob", 404, "not_found")


ALLOWED = {
    "list": "viewer",
    "read": "viewer",
    "search": "viewer",
    "grep": "viewer",
    "copy out": "viewer",
    "snapshots": "viewer",
    "edit": "writer",
    "pin": "writer",
    "save snapshot": "writer",
    "restore": "writer",
    "create": "editor",
    "subfolder": "editor",
    "copy in": "editor",
    "move in": "editor",
    "move out": "admin",
    "delete": "admin",
    "rename": "admin",
    "share": "admin",
    "delete subfolder": "admin",
    "delete shared": "owner",
    "move shared": "owner",
}
RANKS = ["viewer", "writer", "editor", "admin", "owner"]


@pytest.mark.parametrize("role", RANKS[:4])
async def test_a_role_allows_what_the_table_says(
    served: Served, alice: Client, bob: Client, role: str
) -> None:
    await connect(served, alice, bob)
    await served.person("carol")
    await served.command("connect_users", username="bob", contact="carol")
    wrong = {}
    for action, least in ALLOWED.items():
        response = await _act_in_shared_folder(alice, bob, role, action)
        told = (response.status_code, response.json().get("error"), response.json().get("role"))
        allowed = RANKS.index(role) >= RANKS.index(least)
        if not (response.is_success if allowed else told == (403, "forbidden", role)):
            wrong[action] = response.text
    assert wrong == {}


async def _act_in_shared_folder(
    alice: Client, bob: Client, role: str, action: str
) -> httpx.Response:
    """Let Bob do something in a fresh folder in which he has a role, and give the answer."""
    work = await alice.folder(f"Work to {action}")
    below = await alice.folder(f"Work to {action}/Below")
    note = await alice.note("Shared", "findme", folderId=below)
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={})
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": role})
    own = await bob.note("Bobs own")
    id_ = note["id"]
    method, path, body = {
        "list": ("GET", f"/os/notes?folderId={below}", None),
        "read": ("GET", f"/os/notes/{id_}", None),
        "search": ("POST", "/os/notes/search", {"query": "findme", "folderId": work}),
        "grep": ("POST", "/os/notes/grep", {"pattern": "findme", "folderId": work}),
        "copy out": ("POST", f"/os/notes/{id_}/copy", {"folderId": None}),
        "snapshots": ("GET", f"/os/snapshots/{id_}/seq/1", None),
        "edit": ("PATCH", f"/os/notes/{id_}", {"content": "changed"}),
        "pin": ("POST", f"/os/notes/{id_}/pin", {"pinned": True}),
        "save snapshot": ("POST", f"/os/snapshots/{id_}", {}),
        "restore": ("POST", f"/os/snapshots/{id_}/restore", {"seq": 1}),
        "create": ("POST", "/os/notes", {"title": "New", "content": "x", "folderId": below}),
        "subfolder": ("POST", "/os/folders", {"name": "New", "parentId": work}),
        "copy in": ("POST", f"/os/notes/{own['id']}/copy", {"folderId": below}),
        "move in": ("POST", f"/os/notes/{own['id']}/move", {"folderId": below}),
        "move out": ("POST", f"/os/notes/{id_}/move", {"folderId": None}),
        "delete": ("DELETE", f"/os/notes/{id_}", None),
        "rename": ("PATCH", f"/os/folders/{below}", {"name": "Renamed"}),
        "share": ("POST", f"/os/folders/{below}/share", {"username": "carol", "role": "viewer"}),
        "delete subfolder": ("DELETE", f"/os/folders/{below}", None),
        "delete shared": ("DELETE", f"/os/folders/{work}", None),
        "move shared": ("PATCH", f"/os/folders/{work}", {"parentId": below}),
    }[action]
    return await bob.request(method, path, json=body)


async def test_a_shared_folder_shows_its_owner_and_what_is_made_there_is_the_owners(
    served: Served, alice: Client, bob: Client
) -> None:
    await connect(served, alice, bob)
    work = await alice.folder("Work")
    below = await alice.folder("Work/Below")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "editor"})
    shared = {folder["name"]: folder for folder in (await bob.ok("GET", "/os/folders"))["folders"]}
    assert (shared["Work"]["id"], shared["Work"]["role"], shared["Work"]["shared"]) == (
        work,
        "editor",
        True,
    )
    assert shared["Below"]["owner"]["username"] == "alice"
    assert "role" not in shared["General"]
    assert await names(bob, "?parentId=root") == ["General", "Work"]
    made = (
        await bob.ok(
            "POST",
            "/os/notes",
            status=201,
            json={"title": "By Bob", "content": "findme", "folderId": below},
        )
    )["result"]["note"]
    assert (await alice.ok("GET", f"/os/notes/{made['id']}"))["note"]["title"] == "By Bob"
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 1
    assert (await bob.ok("GET", "/os/status"))["contextCount"] == 0
    assert [
        hit["id"]
        for hit in (await bob.ok("POST", "/os/notes/search", json={"query": "findme"}))["results"]
    ] == [made["id"]]
    own = {folder["name"]: folder for folder in (await alice.ok("GET", "/os/folders"))["folders"]}
    assert (own["Work"]["shared"], "role" in own["Work"]) == (True, False)


async def test_of_several_roles_the_highest_holds(
    served: Served, alice: Client, bob: Client
) -> None:
    await connect(served, alice, bob)
    work, below = await alice.folder("Work"), await alice.folder("Work/Below")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "admin"})
    await alice.ok("POST", f"/os/folders/{below}/share", json={"username": "bob", "role": "viewer"})
    note = await alice.note("Deep", folderId=below)
    await bob.ok("PATCH", f"/os/notes/{note['id']}", json={"title": "Edited by an admin"})


async def test_a_strangers_folder_is_not_found(alice: Client, bob: Client) -> None:
    work = await alice.folder("Work")
    never = (await bob.request("DELETE", "/os/folders/999")).json()
    for method, path, body in (
        ("DELETE", f"/os/folders/{work}", None),
        ("PATCH", f"/os/folders/{work}", {"name": "x"}),
        ("GET", f"/os/folders/{work}/share", None),
        ("POST", f"/os/folders/{work}/share", {"username": "alice", "role": "viewer"}),
    ):
        assert await bob.refused(method, path, 404, "not_found", json=body) == never


async def test_what_lies_above_a_shared_folder_is_not_told(
    served: Served, alice: Client, bob: Client
) -> None:
    await connect(served, alice, bob)
    work = await alice.folder("Private/Work")
    await alice.ok("POST", f"/os/folders/{work}/share", json={"username": "bob", "role": "editor"})
    made = await bob.ok("POST", "/os/folders", json={"path": "Plans/2026", "parentId": work})
    assert made["path"] == "Work/Plans/2026"
    own = await bob.folder("Plans")
    refused = await bob.refused(
        "GET", "/os/notes?folderName=plans", 400, "invalid_request", field="folderName"
    )
    assert refused["matches"] == [
        {"id": made["folder"]["parentId"], "path": "Work/Plans"},
        {"id": own, "path": "Plans"},
    ]
    assert (await bob.ok("GET", "/os/notes?folderName=work/plans"))["folder"]["id"] == made[
        "folder"
    ]["parentId"]
    await bob.refused("GET", "/os/notes?folderName=Private/Work/Plans", 404, "not_found")
    assert (await alice.ok("GET", "/os/notes?folderName=Private/Work/Plans"))["folder"][
        "id"
    ] == made["folder"]["parentId"]


async def test_a_long_path_names_a_folder_wherever_its_name_does(alice: Client) -> None:
    path = f"{'a' * 150}/{'b' * 150}"
    folder = await alice.folder(path)
    made = await alice.note("Deep", "In the cellar.", folderName=path)
    assert made["folderId"] == folder
    assert [
        row["title"]
        for row in (await alice.ok("GET", "/os/notes", params={"folderName": path}))["notes"]
    ] == ["Deep"]
    found = await alice.ok("POST", "/os/notes/search", json={"query": "cellar", "folderName": path})
    assert [row["title"] for row in found["results"]] == ["Deep"]
