"""`hearth agent` for managed agents: from adding one to deleting it."""

import json
from pathlib import Path

import pytest

from tests.commands.test_agent_commands import hearth


@pytest.fixture
def place(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with the user ann."""
    monkeypatch.setenv("HEARTH_DURABILITY", "normal")
    assert hearth(data, "user", "add", "ann").exit_code == 0
    return data


def ok(place: Path, *words: str) -> str:
    done = hearth(place, "agent", *words)
    assert done.exit_code == 0, done.output
    return done.output


def refused(place: Path, code: int, text: str, *words: str) -> None:
    done = hearth(place, "agent", *words)
    assert (done.exit_code, text in done.output) == (code, True), done.output


def test_an_agent_is_added_asked_changed_and_deleted(place: Path, tmp_path: Path) -> None:
    assert ok(place, "list") == "There are no agents. Add one with `hearth agent add`.\n"
    persona = tmp_path / "persona.md"
    persona.write_text("Your name is Rosa.", "utf-8")
    options = ("--tools", "notes,todos", "--notes", "read", "--todos", "create")
    assert ok(place, "add", "scout", "--persona-file", str(persona), *options).startswith("Added")
    (row,) = ok(place, "list").splitlines()
    assert row.split("\t")[:5] == ["scout", "scout", "active", "private", "notes todos"]
    assert "Rosa" in ok(place, "show", "scout")
    assert "I am Rosa." in ok(place, "ask", "scout", "What can you do?")
    answer = json.loads(ok(place, "ask", "scout", "todo: water the beans", "--json"))
    assert answer["toolsUsed"] == ["create_todo"]
    ok(place, "edit", "scout", "--notes", "edit", "--monthly-tokens", "9000", "--name", "Rosa")
    ok(place, "wake", "scout", "--every", "60", "--task", "Which todos are overdue?")
    shown = ok(place, "show", "scout")
    for line in ("Notes:       edit", "Todos:       create", "9,000 tokens a month", "60 minutes"):
        assert line in shown
    ok(place, "edit", "scout", "--monthly-tokens", "none", "--tools", "none", "--todos", "none")
    ok(place, "wake", "scout", "--never")
    found = json.loads(ok(place, "show", "scout", "--json"))
    assert (found["budget"]["monthlyTokens"], found["namespaces"]) == (None, [])
    assert found["permissions"]["notesAccess"]["access"] == "edit"
    assert found["permissions"]["todoAccess"] == {"read": False, "create": False}
    ok(place, "pause", "scout")
    refused(place, 1, "paused by its owner", "ask", "scout", "hi")
    ok(place, "resume", "scout")
    assert ok(place, "delete", "scout", "--yes").startswith("Deleted scout.")
    refused(place, 1, "There is no agent called “scout”", "show", "scout")
    refused(place, 1, "There is no agent called “”.", "show", "")


def test_keys_of_an_agent_are_made_listed_and_revoked(place: Path) -> None:
    ok(place, "add", "scout")
    secret = ok(place, "key", "create", "scout", "--label", "bridge").splitlines()[-1]
    assert len(secret) == 50
    row = ok(place, "key", "list", "scout").splitlines()[0]
    assert row.split("\t")[:2] == ["1", "bridge"]
    assert "agent.message:send" in row
    assert "hearth key" not in hearth(place, "key", "list").output
    assert ok(place, "key", "revoke", "scout", "1") == "Revoked key 1.\n"
    assert "revoked" in ok(place, "key", "list", "scout")
    refused(place, 1, "do not come to", "key", "create", "scout", "--scope", "os.notes:read")


def test_what_is_wrong_is_told_in_a_sentence(place: Path) -> None:
    refused(place, 1, "handle must have", "add", "x")
    refused(place, 1, "There is no namespace called kitchen", "add", "scout", "--tools", "kitchen")
    refused(place, 1, "There is no folder called Nope", "add", "scout", "--folder", "Nope")
    refused(place, 1, "There is no model called m", "add", "scout", "--model", "m")
    refused(place, 1, "is taken", "add", "ann")
    refused(place, 2, "--monthly-tokens", "add", "scout", "--monthly-tokens", "-1")
    refused(
        place, 2, "either --persona", "add", "scout", "--persona", "a", "--persona-file", __file__
    )
    ok(place, "add", "scout")
    refused(place, 2, "at least one thing", "edit", "scout")
    refused(place, 2, "either --every or --never", "wake", "scout")
    refused(place, 1, "task must say", "wake", "scout", "--every", "30")
    refused(place, 1, "Aborted", "delete", "scout")
    assert "scout" in ok(place, "list")
