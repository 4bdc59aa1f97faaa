"""Decisions in a chat: only the owner's credential decides, and who asked may only take back."""

from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.rules import decisions
from app.core.caller import Kind
from app.core.operation import Taint
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import Client, Served
from tests.support.agents import CHAT, caller, value
from tests.support.talks import said

WEB: frozenset[Taint] = frozenset({"web"})


async def waiting(served: Served, credential: int, title: str) -> None:
    """Let an agent with a key ask for a todo that words of others are behind."""
    me = caller(served, "alice", kind="key", credential=credential)
    done = await tool_gate.use_tool(
        served.parts, me, "create_todo", {"title": title}, origin=CHAT, taint=WEB
    )
    assert isinstance(done, tool_gate.Waiting)


def status(served: Served, id_: int = 1) -> str:
    return str(value(served, f"SELECT status FROM escalations WHERE id = {id_}"))


@pytest.mark.anyio
async def test_an_owner_decides_in_a_chat_what_another_key_asked_for(
    served: Served, alice: Client
) -> None:
    asker = await served.command("issue_key", username="alice", name="agent")
    await waiting(served, asker.key.id, "water the ferns")
    await waiting(served, asker.key.id, "sell the house")
    told = await said(alice, "is anything waiting for my approval?")
    assert told["response"].startswith("Waiting for your yes or no (2):\n1. ")
    talk = told["conversationId"]
    answer = await said(alice, "approve the one about the ferns", talk)
    assert status(served, 1) == "executed"
    assert "ferns" in answer["response"]
    assert "decide_escalation" not in answer["toolsUsed"]
    await said(alice, "no to the other one", talk)
    assert status(served, 2) in ("pending", "stopped")
    await said(alice, "reject the house", talk)
    assert status(served, 2) == "stopped"
    todos = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert [todo["title"] for todo in todos] == ["water the ferns"]


@pytest.mark.anyio
async def test_who_asked_does_not_decide_but_takes_back_in_that_chat(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.ok("POST", "/network/request", json={"to": "bob"})
    (request,) = (await bob.ok("GET", "/network/requests"))["incoming"]
    accepted = await said(bob, "accept alice's request")
    assert "Yes said" in accepted["response"]
    assert request["from"]["username"] == "alice"
    assert (await bob.ok("GET", "/network/contacts"))["total"] == 1
    made = await said(alice, "tell bob that the soup is ready")
    talk = made["conversationId"]
    answer = await said(alice, "yes", talk)
    assert status(served) == "pending"
    assert "hearth escalation" in answer["response"]
    # Another chat of the same key asked for nothing.
    await said(alice, "reject the message about the soup")
    assert status(served) == "pending"
    await said(alice, "no, don't send it", talk)
    assert status(served) == "superseded"
    assert "the soup" not in str(await bob.ok("GET", "/conversations"))


@pytest.mark.parametrize(
    ("kind", "origin", "may"),
    [
        ("key", "chat", True),
        ("session", "chat", True),
        ("operator", "chat", True),
        ("device", "chat", False),
        ("managed_agent", "chat", False),
        ("guest", "guest", False),
        ("peer", "rpc", False),
        ("heartbeat", "heartbeat", False),
        ("key", "mcp", False),
    ],
)
def test_only_owners_are_offered_decisions(kind: Kind, origin: Any, may: bool) -> None:
    me = SimpleNamespace(kind=kind, agent=None, may=lambda scopes: True)
    turn: Any = SimpleNamespace(me=me, origin=Origin(origin), interceptor=None)
    assert (decisions.offered(turn) == frozenset(decisions.SCOPES)) is may
    me.may = lambda scopes: False
    assert decisions.offered(turn) == frozenset()


@pytest.mark.anyio
async def test_no_tool_decides(alice: Client) -> None:
    names = {tool["name"] for tool in (await alice.ok("GET", "/tools"))["tools"]}
    assert names.isdisjoint(decisions.SCOPES)
    body = {"tool": "decide_escalation", "params": {"id": 1, "decision": "continue"}}
    await alice.refused("POST", "/tools", 404, "not_found", json=body)


@pytest.mark.anyio
async def test_folders_are_renamed_deleted_and_brought_back(alice: Client) -> None:
    await alice.ok("POST", "/os/folders", json={"name": "Garden"})
    await alice.note("Roses", "Cut them in March.", folderName="Garden")
    renamed = await said(alice, "rename the Garden folder to Allotment")
    talk = renamed["conversationId"]
    assert renamed["response"] == "“Garden” is now called “Allotment”."
    assert "Roses" in (await said(alice, "what's in there?", talk))["response"]
    gone = (await said(alice, "get rid of the allotment folder", talk))["response"]
    assert gone.startswith("In the trash: Allotment.")
    assert (await alice.ok("GET", "/os/notes?recursive=true"))["totalNotes"] == 0
    await said(alice, "oops, bring it back", talk)
    assert (await alice.ok("GET", "/os/notes?recursive=true"))["totalNotes"] == 1
    missing = (await said(alice, "delete the folder Cellar", talk))["response"]
    assert missing == "There is no folder called “Cellar”, so I changed nothing."
