"""The other ways in and out of an agent: tools of servers, MCP, files, keys of idempotency."""

import json
from typing import Any

import pytest

from tests.conftest import Client, MovableClock, Served
from tests.managed_agents.conftest import READS, WRITES, agent, agent_key, ask, change, send
from tests.support.mcp_server import listening
from tests.tools.mcp.conftest import add

pytestmark = pytest.mark.anyio


async def names(program: Client) -> list[str]:
    return [tool["name"] for tool in (await program.ok("GET", "/tools"))["tools"]]


async def test_tools_of_servers_are_lent_by_name_and_namespace(
    served: Served, alice: Client
) -> None:
    async with listening() as server:
        await add(alice, server.url)
        await served.command("trust_mcp_server", username="alice", name="plain", trusted=True)
        lent = {"toolAccess": {"allowedTools": ["plain__add", "plain__write"]}}
        made = await agent(alice, namespaces=["plain"], permissions=lent)
        async with await agent_key(served, alice, made, scopes=["tools:run"]) as program:
            assert await names(program) == ["plain__add", "plain__write"]
            call: dict[str, Any] = {"tool": "plain__add", "params": {"a": 2, "b": 3}}
            done = await program.ok("POST", "/tools", json=call)
            assert "5" in str(done["result"])
            write = {"tool": "plain__write", "params": {"text": "a poem"}}
            await program.refused("POST", "/tools", 403, "forbidden", json=write)
            echo = {"tool": "plain__echo", "params": {"text": "hi"}}
            refused = await program.post("/tools", json=echo)
            assert refused.status_code in (403, 422)
            await change(alice, made, namespaces=["notes"])
            await program.refused("POST", "/tools", 404, "not_found", json=call)
            assert await names(program) == []


async def test_an_agents_key_sees_its_tools_over_mcp(served: Served, alice: Client) -> None:
    note = await alice.note("Leeks", "Simmer the leeks.")
    made = await agent(alice, namespaces=["notes"], permissions=READS)
    scopes = ["os.notes:read", "os.snapshots:read"]
    async with await agent_key(served, alice, made, scopes=scopes) as program:
        program.headers["Accept"] = "application/json, text/event-stream"
        program.headers["MCP-Protocol-Version"] = "2025-06-18"

        async def rpc(method: str, **params: Any) -> Any:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = await program.post("/mcp", json=body)
            assert answer.status_code == 200, answer.text
            text = answer.text
            found = text.partition("data: ")[2] if text.startswith("event") else text
            return json.loads(found)

        listed = (await rpc("tools/list"))["result"]["tools"]
        assert "search_notes" in {tool["name"] for tool in listed}
        assert "create_note" not in {tool["name"] for tool in listed}
        read = await rpc("tools/call", name="get_note_content", arguments={"noteId": note["id"]})
        assert "Simmer the leeks." in str(read["result"])
        denied = await rpc(
            "tools/call", name="create_note", arguments={"title": "x", "content": ""}
        )
        assert denied.get("error") or denied["result"]["isError"]


async def test_a_file_that_its_owner_gives_it_is_read(served: Served, alice: Client) -> None:
    made = await agent(alice)
    file = await alice.ok(
        "POST", "/os/attachments?name=plan.txt", status=201, content=b"Plant beans on Friday."
    )
    number = file["attachment"]["id"]
    answer = await ask(alice, made, "Summarise the file", attachmentIds=[number])
    assert "beans" in answer["response"]
    async with served.client(await served.key("alice", ["agent.chat:run"])) as lesser:
        body = {"message": "read it", "attachmentIds": [number]}
        path = f"/managed-agents/{made['id']}/chat"
        await lesser.refused("POST", path, 403, "insufficient_scope", json=body)


async def test_an_agent_gets_no_answer_that_its_owner_got_under_the_same_key(
    served: Served, alice: Client, bob: Client
) -> None:
    made = await agent(alice)
    body = {"to": "bob", "message": "hello"}
    once = {"Idempotency-Key": "k"}
    first = await alice.post("/agent/message", json=body, headers=once)
    async with await agent_key(served, alice, made) as program:
        own = await program.post("/agent/message", json=body, headers=once)
        again = await program.post("/agent/message", json=body, headers=once)
    assert "idempotency-replayed" not in own.headers
    assert own.json()["messageId"] != first.json()["messageId"]
    assert again.headers["idempotency-replayed"] == "true"


async def test_credentials_of_agents_are_named_in_the_months_usage(
    served: Served, alice: Client, bob: Client
) -> None:
    one, two = await agent(alice, "one"), await agent(alice, "two", visibility="anyone")
    async with await agent_key(served, alice, one) as program:
        await send(program, "two", "hello")
    await send(bob, "two", "hello")
    rows = (await alice.ok("GET", "/metering/usage"))["byCredential"]
    found = {(row["kind"], row["name"]) for row in rows}
    assert found == {("managed_agent", "program"), ("agent", two["name"])}


async def test_a_key_ends_at_its_time_and_is_noted_when_used(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    made = await agent(alice, permissions=WRITES)
    async with await agent_key(served, alice, made, expiresIn="1h") as program:
        await program.ok("GET", "/identity")
        clock.forward(minutes=59)
        await program.ok("GET", "/identity")
        clock.forward(minutes=2)
        await program.refused("GET", "/identity", 401, "unauthorized")
    for write in served.parts.gathered:
        await write()
    (key,) = (await alice.ok("GET", f"/managed-agents/{made['id']}/keys"))["keys"]
    assert key["lastUsedAt"]


async def test_narrowed_permissions_narrow_the_keys_at_once(served: Served, alice: Client) -> None:
    made = await agent(alice, permissions=READS)
    async with await agent_key(
        served, alice, made, scopes=["os.notes:read", "os.todos:read"]
    ) as program:
        await program.ok("GET", "/os/notes")
        await change(alice, made, permissions={"todoAccess": {"read": True}})
        await program.refused("GET", "/os/notes", 403, "forbidden")
        await program.ok("GET", "/os/todos")
        assert (await program.ok("GET", "/identity"))["scopes"] == ["os.todos:read"]


async def test_an_owner_can_look_through_an_agents_eyes(alice: Client, bob: Client) -> None:
    made = await agent(alice, namespaces=["notes"], permissions=READS)

    async def explained(client: Client, operation: str) -> Any:
        query = {"caller": "agent:scout", "operation": operation}
        return await client.ok("GET", "/network/explain", params=query)

    listed = await explained(alice, "list_notes")
    assert (listed["allowed"], listed["caller"]["kind"]) == (True, "managed_agent")
    assert (await explained(alice, "list_keys"))["allowed"] is False
    query = {"caller": "agent:scout", "operation": "list_notes"}
    await bob.refused("GET", "/network/explain", 404, "not_found", params=query)
    await change(alice, made, status="paused")
    paused = await explained(alice, "list_notes")
    assert (paused["allowed"], paused["error"]) == (False, "forbidden")
