"""The titles of policy notes hold what opens the links.

Nothing that an agent tells, and no search, shows them to anybody, the owner included.
"""

import json
from typing import Any

import pytest

from app.errors import AppError
from app.tools.approvals import tool_gate
from tests.agent.heartbeat.test_heartbeat import checklist, run
from tests.conftest import Client, MovableClock, Served
from tests.support import guests
from tests.support.agents import CHAT, caller
from tests.support.moving import finished

pytestmark = pytest.mark.anyio
POLICY = "Frost is on 12 May. Say nothing of the leeks."
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/os/notes/search", {"query": "frost leeks policy"}),
    ("POST", "/os/notes/search", {"query": "Neighbours", "mode": "words"}),
    ("POST", "/os/notes/search", {"query": "frost", "history": True}),
    ("POST", "/os/notes/search", {"query": "frost", "folderName": "links"}),
    ("POST", "/os/notes/grep", {"pattern": "Frost"}),
    ("POST", "/os/notes/grep", {"pattern": "Frost", "history": True}),
    ("POST", "/os/notes/replace", {"pattern": "Frost", "replacement": "Snow"}),
    ("GET", "/os/find?q=neighbours", {}),
    ("GET", "/os/find", {}),
    ("GET", "/notes/summary?limit=20", {}),
    ("POST", "/briefing", {}),
    ("POST", "/os/memory/search", {"query": "frost leeks"}),
    ("POST", "/tools", {"tool": "search_notes", "params": {"query": "frost"}}),
    ("POST", "/tools", {"tool": "grep_notes", "params": {"pattern": "Frost"}}),
    ("POST", "/tools", {"tool": "list_notes", "params": {}}),
    ("POST", "/tools", {"tool": "list_notes", "params": {"folderName": "links"}}),
    ("POST", "/tools", {"tool": "briefing", "params": {}}),
    ("POST", "/tools", {"tool": "memory_search", "params": {"query": "frost leeks"}}),
    *(
        ("POST", "/chat", {"message": message, "stream": False})
        for message in (
            "when is the last frost?",
            "list my notes",
            "summarise the note Neighbours",
            "sum up my day",
            "which notes are in the folder links?",
            "what changed this week?",
            "find the note called Neighbours",
        )
    ),
]


async def secret(alice: Client) -> tuple[str, int]:
    """Make a link whose policy is pinned, tagged and was edited; give its token and the note."""
    await alice.note("Garden", "Frost kills beans.", tags=["cold"])
    made = await guests.link(alice, label="Neighbours", linkPolicy=POLICY)
    note = made["policyNoteId"]
    await alice.ok("PATCH", f"/os/notes/{note}", json={"tags": ["cold"]})
    await alice.ok("POST", f"/os/notes/{note}/pin", json={"pinned": True})
    await alice.ok("POST", f"/os/snapshots/{note}", json={})
    return made["token"], note


async def test_no_search_summary_briefing_or_tool_shows_a_policy_or_its_token(
    alice: Client,
) -> None:
    token, _ = await secret(alice)
    for method, path, body in ASKED:
        answer = await alice.request(method, path, **({"json": body} if method == "POST" else {}))
        assert answer.status_code == 200, (path, body, answer.text)
        assert token not in answer.text, (path, body, answer.text)
        assert "12 May" not in answer.text, (path, body)
    assert "Garden" in (await alice.post("/os/notes/search", json={"query": "frost"})).text


async def test_nothing_is_near_to_a_policy_but_for_who_looks_from_it(alice: Client) -> None:
    token, note = await secret(alice)
    garden = next(
        row["id"]
        for row in (await alice.ok("GET", "/os/notes"))["notes"]
        if row["title"] == "Garden"
    )
    assert token not in (await alice.get(f"/os/notes/{garden}/related")).text
    await alice.ok("GET", f"/os/notes/{note}/related")
    leeks = await alice.note("Leeks", "Water them.")
    assert token not in (await alice.get(f"/os/notes/{leeks['id']}/links")).text


async def test_no_tool_reads_or_changes_a_policy_and_its_owner_does(
    served: Served, alice: Client
) -> None:
    token, note = await secret(alice)
    calls = [
        ("get_note_content", {}),
        ("edit_note", {"content": "Tell all."}),
        ("pin_note", {"pinned": False}),
        ("copy_note", {}),
        ("list_snapshots", {}),
    ]
    for tool, more in calls:
        refused = await alice.post(
            "/tools", json={"tool": tool, "params": {"noteId": note, **more}}
        )
        assert refused.status_code == 422, refused.text
        assert token not in refused.text
        with pytest.raises(AppError):
            await tool_gate.use_tool(
                served.parts,
                caller(served, "alice", kind="session"),
                tool,
                {"noteId": note, **more},
                origin=CHAT,
            )
    assert (await alice.ok("GET", f"/os/notes/{note}"))["note"]["title"] == f"Neighbours_{token}"
    assert token in (await alice.get("/os/notes?folderName=links")).text
    assert token in (await alice.get("/os/notes?recursive=true")).text
    await alice.ok("PATCH", f"/os/notes/{note}", json={"content": "## Policy\n\nBe kind."})


async def test_a_heartbeat_tells_of_no_policy(alice: Client, clock: MovableClock) -> None:
    token, _ = await secret(alice)
    clock.forward(days=40)
    await checklist(
        alice,
        "pinned notes that are stale for 30 days",
        "every day at 00:01: daily briefing",
        "every day: write the weekly note",
    )
    done = await run(alice, tier="ACTIONS")
    assert token not in json.dumps(done)
    written = [
        action["target"]["id"] for action in done["actions"] if action["type"] == "note_create"
    ]
    for note in written:
        assert token not in (await alice.get(f"/os/notes/{note}")).text


async def test_the_report_of_an_export_masks_the_token(served: Served, alice: Client) -> None:
    token, note = await secret(alice)
    await alice.ok("DELETE", f"/os/notes/{note}")
    report = (await finished(alice, f"/export/{(await alice.ok('GET', '/export'))['job']['id']}"))[
        "report"
    ]
    names = [one["name"] for one in report["left"]]
    assert [name for name in names if "Neighbours_…" in name]
    assert not [name for name in names if token in name]
