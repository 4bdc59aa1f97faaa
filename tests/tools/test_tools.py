"""Tools: what is offered, what a call gives, what is refused, and namespaces."""

from typing import Any

import jsonschema_rs
import pytest

from tests.conftest import BASE, Client, Served

pytestmark = pytest.mark.anyio

NAMED = {
    "notes": "search_notes grep_notes get_note_content list_folders list_notes create_note "
    "edit_note pin_note move_note copy_note create_folder "
    "list_snapshots save_snapshot restore_snapshot",
    "todos": "search_todos create_todo edit_todo complete_todo replan_todos",
    "memory": "memory_search memory_write",
    "network": "list_network search_contact share_agent",
    "messaging": "contact_agent send_message_to_human",
    "calendar": "briefing search_calendar_events",
}
"""The tools that the contract names, by namespace."""


async def called(client: Client, tool: str, **params: Any) -> Any:
    return (await client.ok("POST", "/tools", json={"tool": tool, "params": params}))["result"]


async def refused(client: Client, tool: str, **params: Any) -> Any:
    body = await client.refused(
        "POST", "/tools", 422, "unprocessable", json={"tool": tool, "params": params}
    )
    assert body["tool"] == tool
    assert body["result"]["isError"] is True
    assert body["result"]["content"][0]["text"] == body["message"]
    assert body["metadata"]["executionTimeMs"] >= 0
    return body


async def test_every_tool_the_contract_names_is_listed_with_a_valid_schema(alice: Client) -> None:
    body = await alice.ok("GET", "/tools")
    tools = {tool["name"]: tool for tool in body["tools"]}
    assert body["totalTools"] == len(tools)
    for namespace, names in NAMED.items():
        assert {tools[name]["namespace"] for name in names.split()} == {namespace}
    for tool in tools.values():
        jsonschema_rs.meta.validate(tool["parameters"])
        assert tool["parameters"]["type"] == "object"
        assert set(tool["parameters"]["required"]) <= set(tool["parameters"]["properties"])
        assert "$ref" not in str(tool["parameters"])
        assert (tool["source"], tool["approval"]) == ("native", False)
    assert tools["pin_note"]["parameters"]["required"] == ["noteId", "pinned"]
    assert (tools["search_notes"]["readWrite"], tools["create_note"]["readWrite"]) == (
        "read",
        "write",
    )
    assert tools["edit_note"]["scope"] == "os.notes:write"
    assert not [
        name
        for name in tools
        if "purge" in name
        or "key" in name
        or ("trash" in name and name not in ("trash_note", "restore_from_trash"))
        or ("share" in name and name != "share_agent")
    ]
    assert (body["usage"]["endpoint"], body["osEndpoints"]["index"]) == (
        f"POST {BASE}/tools",
        f"GET {BASE}/os",
    )


async def test_a_tool_gives_what_its_endpoint_gives(alice: Client) -> None:
    made = await called(alice, "create_note", title="Soup", content="Leeks", tags=["food"])
    found = await called(alice, "search_notes", query="leeks")
    assert [hit["id"] for hit in found["results"]] == [made["note"]["id"]]
    assert (await called(alice, "pin_note", noteId=made["note"]["id"], pinned=True))["note"][
        "pinned"
    ] is True
    read = await called(alice, "get_note_content", noteId=made["note"]["id"])
    assert read["note"] == (await alice.ok("GET", f"/os/notes/{made['note']['id']}"))["note"]
    todo = await called(alice, "create_todo", title="Cook", priority=4)
    assert (await called(alice, "complete_todo", id=todo["todo"]["id"]))["todo"][
        "completed"
    ] is True


async def test_an_edit_by_search_needs_exactly_one_note(alice: Client) -> None:
    one = await alice.note("Garden", "Beans")
    await alice.note("Garden shed", "Tools and beans")
    edited = await called(alice, "edit_note", search="garden", content="Peas")
    assert edited["note"]["id"] == one["id"]
    assert (await alice.ok("GET", f"/os/notes/{one['id']}"))["note"]["markdown"] == "Peas"
    assert (await called(alice, "edit_note", search="tools", title="Shed"))["note"][
        "title"
    ] == "Shed"
    await alice.note("More beans", "and more")
    body = await refused(alice, "edit_note", search="beans", content="gone")
    assert {row["title"] for row in body["candidates"]} == {"Shed", "More beans"}
    await refused(alice, "edit_note", search="turnips", content="gone")
    await refused(alice, "edit_note", content="gone")
    await refused(alice, "edit_note", noteId=one["id"], search="garden", content="gone")


@pytest.mark.parametrize(
    ("tool", "params", "field"),
    [
        ("create_note", {"title": "x"}, "content"),
        ("create_note", {"title": 5, "content": ""}, "title"),
        ("pin_note", {"noteId": "one", "pinned": True}, "noteId"),
        ("pin_note", {"id": 1, "pinned": True}, "noteId"),
        ("search_notes", {"query": ""}, "query"),
        ("search_todos", {"date": "someday"}, "date"),
    ],
)
async def test_bad_parameters_are_refused_by_their_name_as_the_tool_spells_it(
    resident: Client, tool: str, params: dict[str, Any], field: str
) -> None:
    body = await refused(resident, tool, **params)
    assert body["field"] == field
    assert field in body["message"]


async def test_a_note_of_another_is_refused_as_one_that_is_not_there(
    alice: Client, bob: Client
) -> None:
    note = await bob.note("Secret")
    body = await refused(alice, "get_note_content", noteId=note["id"])
    assert "Secret" not in str(body)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tool": 5},
        {"tool": ""},
        {"tool": None},
        {"tool": "search_notes", "params": []},
        {"tool": "search_notes", "params": "x"},
    ],
)
async def test_a_call_that_is_no_call_is_invalid(resident: Client, body: Any) -> None:
    await resident.refused("POST", "/tools", 400, "invalid_request", json=body)


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "create_key",
        "issue_key",
        "call_tool",
        "purge_from_trash",
        "delete_user",
        "../notes",
    ],
)
async def test_what_is_no_tool_is_not_found(resident: Client, name: str) -> None:
    await resident.refused("POST", "/tools", 404, "not_found", json={"tool": name})


async def test_a_tool_needs_the_scope_of_its_endpoint(served: Served, alice: Client) -> None:
    reader = served.client(await served.key("alice", ["os.notes:read"]))
    await called(reader, "search_notes", query="x")
    for tool, params in (
        ("create_note", {"title": "x", "content": ""}),
        ("edit_note", {"search": "x"}),
        ("search_todos", {}),
    ):
        body = await reader.refused(
            "POST", "/tools", 403, "insufficient_scope", json={"tool": tool, "params": params}
        )
        assert body["scope"]
    writer = served.client(await served.key("alice", ["os.notes:write"]))
    await alice.note("x")
    body = await writer.refused(
        "POST",
        "/tools",
        403,
        "insufficient_scope",
        json={"tool": "edit_note", "params": {"search": "x", "content": "y"}},
    )
    assert body["scope"] == "os.notes:read"


async def test_a_result_of_megabytes_is_cut_and_says_so(alice: Client) -> None:
    note = await alice.note("Long", "é" * 300_000)
    result = await called(alice, "get_note_content", noteId=note["id"])
    assert result["truncated"] is True
    assert len(result["text"]) > 10_000
    assert "bytes" in result["message"]


async def test_a_namespace_is_switched_off_for_one_credential_alone(
    served: Served, alice: Client
) -> None:
    other = served.client(await served.key("alice"))
    body = await alice.ok("PUT", "/tools/namespaces", json={"disable": ["todos"]})
    rows = {row["namespace"]: row for row in body["namespaces"]}
    assert (rows["todos"]["enabled"], rows["notes"]["enabled"]) == (False, True)
    assert body["summary"] == {"total": len(rows), "enabled": len(rows) - 2, "disabled": 2}
    assert not rows["web"]["enabled"]
    assert (await alice.ok("GET", "/tools/namespaces"))["namespaces"] == body["namespaces"]
    assert "todos" not in {tool["namespace"] for tool in (await alice.ok("GET", "/tools"))["tools"]}
    refusal = await alice.refused(
        "POST", "/tools", 404, "not_found", json={"tool": "create_todo", "params": {"title": "x"}}
    )
    assert "todos" in refusal["message"]
    await called(other, "create_todo", title="x")
    await alice.ok("PUT", "/tools/namespaces", json={"namespaces": {"todos": True}})
    await called(alice, "create_todo", title="x")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "enable"),
        ({"enable": []}, "enable"),
        ({"namespaces": {}}, "namespaces"),
        ({"enable": ["notes"], "disable": ["notes"]}, "disable"),
        ({"enable": ["nothing"]}, "enable"),
        ({"disable": ["notes", "nothing"]}, "disable"),
        ({"namespaces": {"nothing": True}}, "namespaces"),
        ({"enable": ["notes"], "namespaces": {"notes": True}}, "namespaces"),
        ({"namespaces": {"notes": "on"}}, "namespaces.notes"),
    ],
)
async def test_a_bad_choice_of_namespaces_changes_nothing(
    resident: Client, body: Any, field: str
) -> None:
    before = await resident.ok("GET", "/tools/namespaces")
    await resident.refused("PUT", "/tools/namespaces", 400, "invalid_request", json=body)
    assert (await resident.ok("GET", "/tools/namespaces")) == before


async def test_a_parameter_that_a_tool_does_not_have_is_ignored_as_in_a_body(alice: Client) -> None:
    await alice.note("Garden", "The rake is red.")
    found = await called(alice, "search_notes", query="rake", colour="red")
    assert [row["title"] for row in found["results"]] == ["Garden"]


@pytest.mark.parametrize("parent", [1, "1", "root", None])
async def test_a_folder_is_named_by_its_id_as_a_number_too(
    alice: Client, parent: int | str | None
) -> None:
    await alice.ok("POST", "/os/folders", json={"path": "Garden/Tools"})
    folders = (await called(alice, "list_folders", parentId=parent))["folders"]
    by_number = {
        row["name"]
        for row in (
            await alice.ok(
                "GET", "/os/folders", params={} if parent is None else {"parentId": parent}
            )
        )["folders"]
    }
    assert {row["name"] for row in folders} == by_number
