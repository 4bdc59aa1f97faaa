"""The commands about agents.

Stopping them, deciding what they ask for, and the record of what they did.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.core.caller import Caller
from app.core.database import integrity
from app.core.database.data_dir import DATABASE, STOP
from app.core.database.tx import Tx, utc_now
from app.tools.approvals import escalation_rows
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.change_preview import Preview


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def place(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with the user ann."""
    monkeypatch.setenv("HEARTH_DURABILITY", "normal")
    assert hearth(data, "user", "add", "ann").exit_code == 0
    return data


def hearth(data: Path, *words: str) -> Result:
    return CliRunner().invoke(program.hearth, [*words, "--data", str(data)])


def raised(data: Path, title: str) -> None:
    """Let ann's heartbeat ask for a todo."""
    connection = sqlite3.connect(data / DATABASE)
    connection.row_factory = sqlite3.Row
    tx = Tx(connection, utc_now())
    me = Caller(user=1, user_id="u", username="ann", kind="heartbeat")
    escalation_rows.raise_(
        tx,
        me,
        kind="tool_call",
        origin=Origin("heartbeat", tier="ACTIONS"),
        tool="create_todo",
        arguments={"title": title},
        summary=f"todo {title}",
        reason="It asks.",
        preview=Preview("text", f"title: {title}"),
    )
    connection.commit()
    connection.close()
    integrity.forget_records(data / DATABASE)


def rows(data: Path, sql: str) -> list[Any]:
    connection = sqlite3.connect(data / DATABASE)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_agents_are_stopped_and_started(place: Path) -> None:
    assert "Agents are running." in hearth(place, "agent", "status").output
    assert hearth(place, "agent", "stop", "--reason", "too eager").exit_code == 0
    assert (place / STOP).stat().st_mode & 0o077 == 0
    assert "too eager" in hearth(place, "agent", "status").output
    state = json.loads(hearth(place, "agent", "status", "--json").output)
    assert (state["stopped"], state["byFile"], state["reason"]) == (True, True, "too eager")
    assert hearth(place, "agent", "start").exit_code == 0
    assert not (place / STOP).exists()
    assert "Agents are running." in hearth(place, "agent", "status").output


def test_a_file_alone_stops_them(place: Path) -> None:
    (place / STOP).touch()
    assert hearth(place, "agent", "status").output == "Agents are stopped.\n"
    assert hearth(place, "agent", "start").exit_code == 0
    assert not (place / STOP).exists()


def test_what_waits_is_listed_shown_and_decided(place: Path) -> None:
    raised(place, "Pay")
    raised(place, "Play")
    listed = hearth(place, "escalation", "list")
    assert "todo Pay" in listed.output
    assert [
        row["id"]
        for row in json.loads(hearth(place, "escalation", "list", "--json").output)["escalations"]
    ] == [2, 1]
    assert "title: Pay" in hearth(place, "escalation", "show", "1").output
    assert (
        hearth(place, "escalation", "continue", "1", "--note", "yes", "--remember", "tool").output
        == "Escalation 1 is executed.\n"
    )
    assert (
        hearth(place, "escalation", "stop", "2", "--user", "ann").output
        == "Escalation 2 is stopped.\n"
    )
    assert rows(place, "SELECT title FROM todos") == [("Pay",)]
    assert rows(place, "SELECT note FROM escalations ORDER BY id") == [("yes",), (None,)]
    again = hearth(place, "escalation", "continue", "2")
    assert (again.exit_code, "decided already" in again.output) == (1, True)
    assert hearth(place, "escalation", "show", "3").exit_code == 1


def test_what_an_agent_wrote_cannot_steer_the_terminal(place: Path) -> None:
    raised(place, "Pay\x1b[2K\x1b]0;harmless\x07\u202e\nall")
    for words in (("list",), ("show", "1")):
        output = hearth(place, "escalation", *words).output
        assert not set(output) & {"\x1b", "\x07", "\u202e"}


def test_the_record_is_listed_and_checked(place: Path) -> None:
    raised(place, "Pay")
    hearth(place, "escalation", "continue", "1")
    whole = json.loads(hearth(place, "audit", "verify", "--json").output)
    assert (whole["intact"], whole["rows"]) == (True, 3)
    assert [
        row["event"] for row in json.loads(hearth(place, "audit", "list", "--json").output)["rows"]
    ] == ["call", "decision", "proposal"]
    assert len(hearth(place, "audit", "list", "--limit", "1").output.splitlines()) == 1
    assert hearth(place, "audit", "verify", "--head", whole["head"]).exit_code == 0
    assert hearth(place, "audit", "verify", "--head", "0" * 64).exit_code == 1
    connection = sqlite3.connect(place / DATABASE)
    connection.executescript(
        "DROP TRIGGER audit_refuses_update; UPDATE audit SET outcome = 'stop' WHERE id = 2;"
    )
    connection.close()
    integrity.forget_records(place / DATABASE)
    broken = hearth(place, "audit", "verify")
    assert (broken.exit_code, "Row 2" in broken.output) == (1, True)
