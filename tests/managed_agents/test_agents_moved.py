"""Managed agents in exports and imports: they come along whole, and paused."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from app.portability.exports.exporter import write_export
from app.portability.formats.formats import open_import
from app.portability.imports.importer import Importer
from tests.conftest import Client, Served
from tests.managed_agents.conftest import agent
from tests.support.moving import files, person, plant, read_in, write_out

pytestmark = pytest.mark.anyio


async def test_agents_come_back_paused_and_are_exported_as_they_were(
    served: Served, alice: Client, bob: Client, tmp_path: Path
) -> None:
    folder = await alice.folder("Garden/Beds")
    made = await agent(
        alice,
        persona="You are Scout.",
        description="Beds",
        namespaces=["notes", "todos"],
        permissions={
            "notesAccess": {"scope": "folders", "folderIds": [folder], "access": "write"},
            "todoAccess": {"read": True},
        },
        visibility="contacts",
        budget={"monthlyTokens": 5000, "perReplyTokens": 900},
    )
    await agent(alice, "plain")
    wake = {"everyMinutes": 60, "task": "Which todos are overdue?"}
    await served.command("set_agent_wake", username="alice", handle="scout", **wake)
    out = tmp_path / "out"
    write_out(served, "alice", out)
    kept = json.loads((out / "agents.json").read_text())
    assert kept[0]["permissions"]["notesAccess"] == {
        "scope": "folders",
        "access": "write",
        "folders": [["Garden", "Beds"]],
    }
    assert "secret" not in (out / "agents.json").read_text()
    # the handles are free again once their owner is gone for long enough
    await alice.ok("DELETE", f"/managed-agents/{made['id']}")
    (plain,) = (await alice.ok("GET", "/managed-agents"))["agents"]
    await alice.ok("DELETE", f"/managed-agents/{plain['id']}")
    served.parts.clock.forward(days=31)  # type: ignore[attr-defined]
    report = await read_in(served, "bob", out)
    assert sorted(line.name for line in report.left if "paused" in line.reason) == [
        "agent plain",
        "agent scout",
    ]
    scout, _ = (await bob.ok("GET", "/managed-agents"))["agents"]
    same = ("persona", "description", "namespaces", "visibility", "budget", "name", "handle")
    assert {name: scout[name] for name in same} == {name: made[name] for name in same}
    assert scout["status"] == "paused"
    (number,) = scout["permissions"]["notesAccess"]["folderIds"]
    folders = (await bob.ok("GET", "/os/folders"))["folders"]
    assert next(one["name"] for one in folders if one["id"] == number) == "Beds"
    assert (await served.command("agent_wake", username="bob", handle="scout")).every_minutes == 60
    again = tmp_path / "again"
    write_out(served, "bob", again)
    assert files(again)["agents.json"] == files(out)["agents.json"]
    repeated = await read_in(served, "bob", out)
    assert not [line for line in repeated.left if line.name.startswith("agent ")]
    assert (await bob.ok("GET", "/managed-agents"))["total"] == 2


HOSTILE: list[dict[str, Any]] = [
    {},
    {"handle": "alice", "name": "N"},
    {"handle": "root_coo", "name": "N"},
    {"handle": 5, "name": 7},
    {"handle": "ok-1", "name": "N", "permissions": "all", "namespaces": ["kitchen"], "wake": 1},
    {
        "handle": "ok-2",
        "name": "N",
        "status": "active",
        "visibility": "anyone",
        "permissions": {"notesAccess": {"scope": "folders", "folders": [["Not"], 1, []]}},
        "budget": {"monthlyTokens": -1},
        "wake": {"everyMinutes": 1, "task": ""},
    },
]


async def test_what_an_archive_says_of_agents_gives_nobody_a_right_at_once(
    served: Served, alice: Client, bob: Client, tmp_path: Path
) -> None:
    tree = plant(
        tmp_path / "tree",
        {"hearth.json": '{"format": "hearth", "version": 1}', "agents.json": json.dumps(HOSTILE)},
    )
    report = await read_in(served, "bob", tree, dry_run=True)
    assert (await bob.ok("GET", "/managed-agents"))["total"] == 0
    report = await read_in(served, "bob", tree)
    told = {(line.name, line.reason) for line in report.left}
    assert ("agent ok-2", "there is no folder Not") in told
    assert any(name == "agent alice" and "taken" in reason for name, reason in told)
    one, two = (await bob.ok("GET", "/managed-agents"))["agents"]
    assert (one["handle"], one["status"], one["namespaces"]) == ("ok-1", "paused", [])
    assert (two["handle"], two["status"]) == ("ok-2", "paused")
    assert two["permissions"]["notesAccess"]["folderIds"] == []
    body = {"to": "ok-2", "message": "hi"}
    await alice.refused("POST", "/agent/message", 409, "agent_paused", json=body)
    broken = plant(
        tmp_path / "broken",
        {"hearth.json": '{"format": "hearth", "version": 1}', "agents.json": "[1"},
    )
    report = await read_in(served, "bob", broken)
    assert any(line.name == "agents.json" for line in report.left)


async def test_without_the_scope_agents_neither_go_nor_come(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await agent(alice)
    out = tmp_path / "out"
    write_out(served, "alice", out)
    lesser = dataclasses.replace(
        person(served, "alice"), scopes=("os.notes:read", "os.notes:write")
    )
    report = write_export(served.parts.store, lesser, tmp_path / "less", tell=lambda *_: None)
    assert not (tmp_path / "less" / "agents.json").exists()
    assert ("agents", "the credential may not read them") in {
        (line.name, line.reason) for line in report.left
    }
    importer = Importer(
        served.parts, lesser, open_import(out, None), name="out", into=None, dry_run=False
    )
    told = await importer.run(lambda *_: None)
    assert any("agents:manage" in line.reason or "agents:manage" in line.name for line in told.left)
