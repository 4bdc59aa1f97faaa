"""Hearth over MCP: what its clients are offered, what they may do, and what they are refused."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from app.core.caller import SCOPES
from app.main import create_app
from app.tools.approvals import policy
from tests.conftest import BASE, ORIGIN, Client, MovableClock, Served, open_settings
from tests.interfaces.mcp.messages import (
    BOTH,
    LEGACY,
    MODERN,
    ask,
    call,
    message,
    modern,
    post,
    refused,
)
from tests.support.guests import link

pytestmark = pytest.mark.anyio
INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602
BIDI = "\u202eevil\u2066"


async def names(client: Client) -> set[str]:
    return {tool["name"] for tool in (await ask(client, "tools/list"))["tools"]}


@pytest.mark.parametrize("path", [f"{ORIGIN}/mcp", f"{BASE}/mcp", f"{ORIGIN}/mcp/"])
@pytest.mark.parametrize("version", [LEGACY, "2025-06-18"])
async def test_it_shakes_hands_at_both_addresses(alice: Client, path: str, version: str) -> None:
    greeting = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    answer = await post(alice, message("initialize", greeting), path=path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers["mcp-session-id"]
    result = answer.json()["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "hearth"
    assert result["capabilities"]["tools"] == {"listChanged": False}
    assert result["capabilities"]["resources"] == {"subscribe": False, "listChanged": False}


async def test_it_is_discovered_without_a_handshake(alice: Client) -> None:
    found = await ask(alice, "server/discover")
    assert found["supportedVersions"] == [MODERN]
    assert found["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    assert "search_notes" in found["instructions"]


async def test_every_tool_tells_what_it_takes_gives_and_may_do(alice: Client) -> None:
    await alice.ok("PUT", "/tools/namespaces", json={"enable": ["web"]})
    tools = {one["name"]: one for one in (await ask(alice, "tools/list"))["tools"]}
    listed = await alice.ok("GET", "/tools")
    assert set(tools) == {one["name"] for one in listed["tools"]}
    for one in tools.values():
        assert one["inputSchema"]["type"] == one["outputSchema"]["type"] == "object"
        jsonschema_rs.Draft202012Validator(one["outputSchema"])
        assert one["description"]
        assert one["title"]
    hints = {name: one["annotations"] for name, one in tools.items()}
    assert hints["search_notes"] == {"readOnlyHint": True, "openWorldHint": False}
    assert hints["create_note"]["destructiveHint"] is False
    assert hints["edit_note"]["destructiveHint"] is True
    assert hints["share_agent"]["destructiveHint"] is True
    assert hints["contact_agent"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "openWorldHint": True,
    }
    assert hints["read_url"]["readOnlyHint"] is False


async def test_what_tools_give_is_as_their_schemas_say(alice: Client) -> None:
    folder = await alice.folder("Garden")
    note = await alice.note("Beans", "They climb.", folderId=folder)
    todo = (await call(alice, "create_todo", title="Water"))["structuredContent"]["todo"]
    schemas = {
        one["name"]: one["outputSchema"] for one in (await ask(alice, "tools/list"))["tools"]
    }
    calls: dict[str, dict[str, Any]] = {
        "list_folders": {},
        "list_notes": {"folderId": folder},
        "get_note_content": {"noteId": note["id"]},
        "search_notes": {"query": "climb"},
        "grep_notes": {"pattern": "climb"},
        "create_note": {"title": "New", "content": "x"},
        "edit_note": {"noteId": note["id"], "content": "They climb high."},
        "list_snapshots": {"noteId": note["id"]},
        "save_snapshot": {"noteId": note["id"]},
        "search_todos": {},
        "complete_todo": {"id": todo["id"]},
        "briefing": {},
        "memory_search": {"query": "climb"},
        "list_network": {},
        "search_calendar_events": {},
        "search_contact": {"query": "bob"},
        "memory_write": {"kind": "daily", "content": "Sowed beans."},
        "send_message_to_human": {"message": "Done."},
    }
    for tool, arguments in calls.items():
        result = await call(alice, tool, **arguments)
        assert not result.get("isError"), (tool, result)
        jsonschema_rs.Draft202012Validator(schemas[tool]).validate(result["structuredContent"])
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


async def test_a_long_result_is_cut_and_says_so(alice: Client) -> None:
    note = await alice.note("Long", "word " * 60_000)
    result = await call(alice, "get_note_content", noteId=note["id"])
    assert result["structuredContent"]["truncated"] is True
    (schema,) = [
        one["outputSchema"]
        for one in (await ask(alice, "tools/list"))["tools"]
        if one["name"] == "get_note_content"
    ]
    jsonschema_rs.Draft202012Validator(schema).validate(result["structuredContent"])


async def test_a_credential_is_offered_what_it_may_call(served: Served, alice: Client) -> None:
    key = await served.key("alice", ["os.notes:read"])
    async with served.client(key) as reader:
        offered = await names(reader)
        assert "search_notes" in offered
        assert not offered & {"create_note", "search_todos", "memory_search", "list_snapshots"}
        result = await call(reader, "create_note", title="No", content="no")
        assert result["isError"] is True
        assert "os.notes:write" in result["content"][0]["text"]
        assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 0


async def test_a_namespace_that_is_off_is_neither_offered_nor_called(alice: Client) -> None:
    await alice.ok("PUT", "/tools/namespaces", json={"disable": ["todos"]})
    assert "search_todos" not in await names(alice)
    error = await refused(alice, "tools/call", {"name": "search_todos", "arguments": {}})
    assert error["code"] == INVALID_PARAMS
    assert "switched off" in error["message"]


async def test_what_is_done_says_by_what_and_stands_in_the_audit(
    served: Served, alice: Client
) -> None:
    note = await alice.note("Tea", "green")
    await call(alice, "edit_note", noteId=note["id"], content="black")
    found = await call(alice, "list_snapshots", noteId=note["id"])
    author = found["structuredContent"]["snapshots"][0]["author"]
    assert (author["kind"], author["name"]) == ("mcp", "test")
    rows = (await served.command("list_audit")).rows
    last = next(row for row in rows if row.tool == "edit_note")
    assert (last.event, last.origin) == ("call", "mcp")


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "no_such_tool"}, INVALID_PARAMS),
        ("tools/call", {"name": BIDI}, INVALID_PARAMS),
        ("tools/call", {"name": "add_user", "arguments": {"username": "eve"}}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://notes/99"}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://notes/0"}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://notes/-1"}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://notes/" + "9" * 400}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://notes/../folders/1"}, INVALID_PARAMS),
        ("resources/read", {"uri": "hearth://titles/"}, INVALID_PARAMS),
        ("resources/read", {"uri": "file:///etc/passwd"}, INVALID_PARAMS),
        ("resources/read", {"uri": "http://127.0.0.1:8765/mcp"}, INVALID_PARAMS),
        ("resources/list", {"cursor": "x"}, INVALID_PARAMS),
        ("resources/list", {"cursor": "99999999999"}, INVALID_PARAMS),
        ("prompts/get", {"name": "no_such_prompt"}, INVALID_PARAMS),
        ("prompts/get", {"name": "find_and_quote"}, INVALID_PARAMS),
        ("prompts/get", {"name": "find_and_quote", "arguments": {"question": " "}}, INVALID_PARAMS),
        ("prompts/get", {"name": "briefing", "arguments": {"x": "y"}}, INVALID_PARAMS),
        ("no/such/method", {}, NOT_FOUND),
    ],
)
async def test_what_is_not_there_is_refused_in_words(
    resident: Client, method: str, params: dict[str, Any], code: int
) -> None:
    error = await refused(resident, method, params)
    assert error["code"] == code
    assert error["message"]


async def test_another_owners_note_is_as_one_that_never_was(alice: Client, bob: Client) -> None:
    note = await bob.note("Secret", "of Bob")
    uri = f"hearth://notes/{note['id']}"
    error = await refused(alice, "resources/read", {"uri": uri})
    never = await refused(alice, "resources/read", {"uri": "hearth://notes/12345"})
    assert error["message"] == never["message"]
    assert "Secret" not in json.dumps(await ask(alice, "resources/list"))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"noteId": "x"},
        {"noteId": None},
        {"noteId": [1] * 5_000},
        {"noteId": {"a": {"b": {}}}},
        {"noteId": 2**70},
    ],
)
async def test_wrong_arguments_are_told_to_the_model(
    alice: Client, arguments: dict[str, Any]
) -> None:
    result = await call(alice, "get_note_content", **arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "noteId" in result["content"][0]["text"]


async def test_several_fitting_notes_are_asked_about_where_the_client_can_ask(
    alice: Client,
) -> None:
    first, second = await alice.note("Soup", "leek"), await alice.note("Soup", "pea")
    params = {"name": "edit_note", "arguments": {"search": "Soup", "content": "new"}}
    plain = await ask(alice, "tools/call", params)
    assert plain["isError"] is True
    assert "Several notes fit" in plain["content"][0]["text"]
    asked = await ask(alice, "tools/call", params, can={"elicitation": {}})
    assert asked["resultType"] == "input_required"
    choices = asked["inputRequests"]["which"]["params"]["requestedSchema"]["properties"]["noteId"]
    assert {one["const"] for one in choices["oneOf"]} == {str(first["id"]), str(second["id"])}
    chosen = {"which": {"action": "accept", "content": {"noteId": str(second["id"])}}}
    again = {**params, "inputResponses": chosen}
    done = await ask(alice, "tools/call", again, can={"elicitation": {}})
    assert done["structuredContent"]["note"]["id"] == second["id"]
    assert (await alice.ok("GET", f"/os/notes/{first['id']}"))["note"]["markdown"] == "leek"
    declined = {**params, "inputResponses": {"which": {"action": "decline"}}}
    assert (await ask(alice, "tools/call", declined))["isError"] is True


@pytest.mark.parametrize("decision", ["continue", "stop"])
async def test_a_call_that_waits_says_so_and_is_asked_again(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, decision: str
) -> None:
    monkeypatch.setitem(policy.TABLE["direct"], "W", "ask")  # type: ignore[index]
    arguments = {"title": "Plan", "content": "…"}
    waiting = await call(alice, "create_note", **arguments)
    assert not waiting.get("isError")
    assert waiting["structuredContent"]["status"] == "awaiting_approval"
    assert "owner's yes" in waiting["content"][0]["text"]
    number = waiting["structuredContent"]["escalationId"]
    again = await call(alice, "create_note", **arguments)
    assert again["structuredContent"]["escalationId"] == number
    asked = (await alice.ok("GET", f"/escalations/{number}"))["escalation"]
    assert asked["origin"]["kind"] == "mcp"
    assert asked["requestedBy"]["kind"] == "mcp"
    said = {"username": "alice", "id": number, "decision": decision}
    await served.command("settle_escalation", **said)
    for _ in range(2):
        told = await call(alice, "create_note", **arguments)
        if decision == "continue":
            assert told["structuredContent"]["note"]["title"] == "Plan"
        else:
            assert told["isError"] is True
            assert "said no" in told["content"][0]["text"]
    made = (await alice.ok("GET", "/os/notes"))["totalNotes"]
    assert made == (1 if decision == "continue" else 0)
    other = await call(alice, "create_note", title="Other", content="…")
    assert other["structuredContent"]["status"] == "awaiting_approval"


async def test_notes_and_folders_are_resources(alice: Client) -> None:
    folder = await alice.folder("Garden")
    note = await alice.note(f"Beans {BIDI}", "They **climb**.", folderId=folder)
    listed = (await ask(alice, "resources/list"))["resources"]
    named = {one["uri"]: one["name"] for one in listed}
    assert named[f"hearth://folders/{folder}"] == "Garden"
    assert named[f"hearth://notes/{note['id']}"] == "Beans  evil"
    await alice.note('Say "Hi" to C++', "They **climb**.")
    for uri in (f"hearth://notes/{note['id']}", "hearth://titles/say%20%22hi%22%20to%20C%2B%2B"):
        (read,) = (await ask(alice, "resources/read", {"uri": uri}))["contents"]
        assert (read["mimeType"], read["text"]) == ("text/markdown", "They **climb**.")
    inside = await ask(alice, "resources/read", {"uri": f"hearth://folders/{folder}"})
    held = json.loads(inside["contents"][0]["text"])
    assert [one["uri"] for one in held["notes"]] == [f"hearth://notes/{note['id']}"]
    templates = (await ask(alice, "resources/templates/list"))["resourceTemplates"]
    assert {one["uriTemplate"] for one in templates} == {
        "hearth://notes/{noteId}",
        "hearth://titles/{title}",
        "hearth://folders/{folderId}",
    }


async def test_resources_come_in_pages_each_note_once(alice: Client) -> None:
    for number in range(230):
        await call(alice, "create_note", title=f"Note {number}", content="x")
    cursor, uris = {}, []
    while True:
        page = await ask(alice, "resources/list", cursor)
        uris += [one["uri"] for one in page["resources"] if "/notes/" in one["uri"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert len(uris) == len(set(uris)) == 230


async def test_titles_are_completed(alice: Client) -> None:
    await alice.note("Minestrone")
    params = {
        "ref": {"type": "ref/resource", "uri": "hearth://titles/{title}"},
        "argument": {"name": "title", "value": "mine"},
    }
    assert (await ask(alice, "completion/complete", params))["completion"]["values"] == [
        "Minestrone"
    ]
    params["ref"] = {"type": "ref/prompt", "name": "briefing"}
    assert (await ask(alice, "completion/complete", params))["completion"]["values"] == []


async def test_prompts_hold_what_they_are_about(served: Served, alice: Client) -> None:
    await alice.note("Beans", "They climb.")
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Sow", "dueDate": "2026-11-20"})
    found = (await ask(alice, "prompts/list"))["prompts"]
    assert [one["name"] for one in found] == ["briefing", "weekly_review", "find_and_quote"]
    for name in ("briefing", "weekly_review"):
        text = json.dumps((await ask(alice, "prompts/get", {"name": name}))["messages"])
        assert "Sow" in text
        assert "Beans" in text
    quoted = {"name": "find_and_quote", "arguments": {"question": "climb"}}
    messages = (await ask(alice, "prompts/get", quoted))["messages"]
    assert messages[1]["content"]["resource"]["uri"].startswith("hearth://notes/")
    key = await served.key("alice", ["os.todos:read"])
    async with served.client(key) as some:
        text = json.dumps((await ask(some, "prompts/get", {"name": "briefing"}))["messages"])
        assert "Sow" in text
        assert "Beans" not in text
        assert (await ask(some, "resources/list"))["resources"] == []
        error = await refused(some, "prompts/get", quoted)
        assert error["data"]["scope"] == "os.notes:read"


@pytest.mark.parametrize("path", [f"{ORIGIN}/mcp", f"{BASE}/mcp"])
async def test_a_client_without_a_credential_is_told_where_to_read_on(
    served: Served, path: str
) -> None:
    body, headers = modern("tools/list")
    async with served.client() as nobody, served.client("hearth_sk_wrong") as wrong:
        for client, more in ((nobody, False), (wrong, True)):
            answer = await post(client, body, headers, path)
            assert answer.status_code == 401
            challenge = answer.headers["www-authenticate"]
            assert ("invalid_token" in challenge) is more
            where = challenge.partition('resource_metadata="')[2].partition('"')[0]
            page = await nobody.get(where)
            assert page.status_code == 200
            assert path.startswith(page.json()["resource"])


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
async def test_other_methods_are_refused(alice: Client, method: str) -> None:
    answer = await alice.request(method, "/mcp", headers=BOTH)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"\xff", 400, -32700),
        (b"", 400, INVALID_REQUEST),
        (b"[]", 400, INVALID_REQUEST),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, INVALID_REQUEST),
        (b"3", 400, INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', 400, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 400, INVALID_REQUEST),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 400, -32700),
    ],
)
async def test_what_is_no_message_is_refused(
    resident: Client, body: bytes, status: int, code: int
) -> None:
    answer = await post(resident, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Accept": "text/html"}, 406),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"MCP-Protocol-Version": MODERN}, 400),
        ({"Mcp-Session-Id": "x" * 200}, 400),
        ({"Content-Length": "999999999"}, 413),
    ],
)
async def test_headers_that_no_client_sends_are_refused(
    alice: Client, headers: dict[str, str], status: int
) -> None:
    answer = await post(alice, message("tools/list"), {"MCP-Protocol-Version": LEGACY, **headers})
    assert answer.status_code == status, answer.text


async def test_an_unknown_revision_is_told_which_there_are(alice: Client) -> None:
    body, headers = modern("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"
    answer = await post(alice, body, {**headers, "MCP-Protocol-Version": "2031-01-01"})
    assert answer.status_code == 400
    assert answer.json()["error"]["data"]["supported"] == [MODERN]


async def test_notifications_are_accepted_without_an_answer(alice: Client) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/x"):
        answer = await post(alice, {"jsonrpc": "2.0", "method": method})
        assert (answer.status_code, answer.content) == (202, b"")


async def test_a_failure_inside_shows_nothing_of_it(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("SELECT secret")

    monkeypatch.setattr(served.parts, "call", fail)
    error = await refused(alice, "tools/list")
    assert error["code"] == -32603
    assert "SELECT" not in json.dumps(error)


async def test_requests_count_against_the_rate_of_the_credential(alice: Client) -> None:
    body, headers = modern("tools/list")
    answer = await post(alice, body, headers)
    assert answer.headers["x-request-id"]
    assert answer.headers["cache-control"] == "no-store"


def test_every_scope_of_a_tool_is_one_that_there_is() -> None:
    from app.catalog import CATALOG

    tools = [found for found in CATALOG.operations.values() if found.tool]
    assert {scope for found in tools for scope in found.scopes} <= set(SCOPES)


async def test_what_opens_a_link_is_no_resource(alice: Client) -> None:
    made = await link(alice, label="Visitors")
    shown = [
        await ask(alice, "resources/list"),
        await ask(alice, "resources/read", {"uri": "hearth://folders/root"}),
        await ask(
            alice,
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "hearth://titles/{title}"},
                "argument": {"name": "title", "value": "visitors"},
            },
        ),
    ]
    folders = shown[0]["resources"]
    shown += [
        await ask(alice, "resources/read", {"uri": one["uri"]})
        for one in folders
        if "/folders/" in one["uri"]
    ]
    assert made["token"] not in json.dumps(shown)
    await refused(alice, "resources/read", {"uri": f"hearth://notes/{made['policyNoteId']}"})


async def test_an_application_is_told_which_scope_it_must_ask_for(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await served.key("alice", ["os.notes:read"])
    ring = served.asgi.front.credentials.ring
    found = ring.find_caller(key)
    assert found is not None
    granted = dataclasses.replace(found, kind="oauth")
    monkeypatch.setattr(ring, "find_caller", lambda _: granted)
    async with served.client(key) as application:
        offered = await names(application)
        assert "create_note" not in offered
        params = {"name": "create_note", "arguments": {"title": "x", "content": ""}}
        answer = await post(application, *modern("tools/call", params))
        assert answer.status_code == 403
        challenge = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope", scope="os.notes:write"' in challenge
        assert "resource_metadata=" in challenge


async def test_the_access_log_names_the_way_in(data: Path, clock: MovableClock) -> None:
    settings = dataclasses.replace(open_settings(), access_log=True)
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice = await served.person("alice")
        await ask(alice, "tools/list")
        await alice.aclose()
    line = json.loads((data / "access.log").read_text("utf-8").splitlines()[-1])
    assert (line["method"], line["route"], line["status"]) == ("POST", "/mcp", 200)
    assert line["user"] == "alice"


async def test_a_page_that_is_allowed_may_send_mcps_headers(data: Path) -> None:
    page = "https://inspector.example"
    settings = dataclasses.replace(open_settings(), cors_origins=(page,))
    asgi = create_app(settings, data)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice = await served.person("alice")
        before = await alice.options("/mcp", headers={"Origin": page})
        assert before.status_code == 204
        allowed = before.headers["access-control-allow-headers"].lower()
        for name in ("mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"):
            assert name in allowed
        body, headers = modern("tools/list")
        answer = await post(alice, body, {**headers, "Origin": page})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == page
        assert "mcp-session-id" in answer.headers["access-control-expose-headers"].lower()
        await alice.aclose()


async def test_a_long_note_is_read_whole_as_a_resource(alice: Client) -> None:
    text = "leek " * 100_000
    note = await alice.note("Long", text)
    (read,) = (await ask(alice, "resources/read", {"uri": f"hearth://notes/{note['id']}"}))[
        "contents"
    ]
    assert read["text"] == text
    quoted = {"name": "find_and_quote", "arguments": {"question": "leek"}}
    messages = (await ask(alice, "prompts/get", quoted))["messages"]
    assert len(messages[1]["content"]["resource"]["text"]) < 25_000


async def test_agents_that_are_stopped_are_told_so(served: Served, alice: Client) -> None:
    note = await alice.note("Tea")
    await served.command("stop_agents")
    result = await call(alice, "list_folders")
    assert result["isError"] is True
    for method, params in (
        ("resources/read", {"uri": f"hearth://notes/{note['id']}"}),
        ("resources/list", {}),
        ("prompts/get", {"name": "briefing"}),
    ):
        error = await refused(alice, method, params)
        assert error["message"] == result["content"][0]["text"]
