"""`hearth device` and `hearth delegation`: managed where the data lies, without a server."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.ask_operation import ask
from app.settings import Settings

LAPTOP = {
    "deviceId": "laptop-1",
    "runtime": "codex",
    "bridgeVersion": "1",
    "adapterVersion": "0.4",
    "capabilities": [],
}
SESSION = {
    "label": "garden",
    "state": "idle",
    "deliveryMode": "managed_stream",
    "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
    "allowInbound": True,
    "allowMidTurnSteer": False,
}


class Place:
    """A data directory with ann and ben, who are contacts."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.settings = Settings(data=data)
        for name in ("ann", "ben"):
            ask(self.settings, "add_user", username=name)
        ask(self.settings, "connect_users", username="ann", contact="ben")

    def run(self, *words: str, given: str | None = None) -> Result:
        command = [*words[:2], "--data", str(self.data), *words[2:]]
        return CliRunner().invoke(program.hearth, command, input=given)

    def ask(self, name: str, operation: str, **params: Any) -> Any:
        """Ask as a user."""
        return LocalClient(self.settings, name).ask(operation, **params)

    def reachable(self, name: str) -> tuple[str, str]:
        """Register a device of somebody's as their default route; give endpoint and session."""
        made = self.ask(name, "register_endpoint", **LAPTOP)["endpoint"]["endpointId"]
        session = self.ask(name, "begin_runtime_session", endpointId=made, **SESSION)
        route = {"endpointId": made, "sessionHandle": session["sessionHandle"]}
        self.ask(name, "put_default_route", **route)
        return made, session["sessionHandle"]

    def request(self, reply: tuple[str, str]) -> str:
        """Let ann ask ben for a grant, and give its id."""
        ben = self.ask("ben", "who_am_i")["principalId"]
        asked = self.ask(
            "ann",
            "request_grant",
            target={"kind": "person_default_runtime", "principalId": ben},
            replyEndpointId=reply[0],
            replySessionHandle=reply[1],
        )
        return str(asked["commSessionId"])


@pytest.fixture
def place(data: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("HEARTH_DURABILITY", "normal")
    return Place(data)


def test_a_device_is_described_let_in_listed_and_removed(place: Place) -> None:
    begun = ask(place.settings, "start_device_code", **LAPTOP, label="Ann’s laptop")
    assert begun["userCode"]
    lines = place.run("device", "approve", begun["userCode"], "--user", "ann", given="n\n")
    assert (lines.exit_code, "Nothing was decided" in lines.stderr) == (1, True)
    assert "laptop-1" in lines.stderr
    assert "Ann’s laptop" in lines.stderr
    approved = place.run("device", "approve", begun["userCode"], "--user", "ann", "--yes")
    assert approved.stdout == "The device is let in.\n"
    polled = ask(place.settings, "poll_device_code", pollToken=begun["pollToken"])
    assert polled["deviceToken"].startswith("hearth_dt_")
    listed = place.run("device", "list", "--user", "ann")
    assert "laptop-1" in listed.stdout
    assert "online" in listed.stdout
    (row,) = json.loads(place.run("device", "list", "--user", "ann", "--json").stdout)["endpoints"]
    assert place.run("device", "remove", row["endpointId"], "--user", "ben").exit_code == 1
    removed = place.run("device", "remove", row["endpointId"], "--user", "ann")
    assert removed.stdout == f"Removed {row['endpointId']}.\n"
    assert "laptop-1" not in place.run("device", "list", "--user", "ann").stdout


def test_a_device_is_turned_away_and_a_wrong_code_is_told(place: Place) -> None:
    begun = ask(place.settings, "start_device_code", **LAPTOP)
    denied = place.run("device", "deny", begun["userCode"], "--user", "ann")
    assert denied.stdout == "The device is turned away.\n"
    polled = ask(place.settings, "poll_device_code", pollToken=begun["pollToken"])
    assert polled["status"] == "denied"
    assert (
        place.run("device", "approve", begun["userCode"], "--user", "ann", "--yes").exit_code == 1
    )
    wrong = place.run("device", "approve", "0000-0000-0000", "--user", "ann", "--yes")
    assert (wrong.exit_code, "No device shows this code" in wrong.stderr) == (1, True)


def test_grants_are_listed_answered_and_ended(place: Place) -> None:
    mine = place.reachable("ann")
    place.reachable("ben")
    grant = place.request(mine)
    listed = place.run("delegation", "list", "--user", "ben").stdout
    assert f"{grant}\t@ann\tincoming\tpending" in listed
    assert "@ben\toutgoing" in place.run("delegation", "list", "--user", "ann").stdout
    assert place.run("delegation", "accept", grant, "--user", "ann").exit_code == 1
    accepted = place.run("delegation", "accept", grant, "--user", "ben")
    assert accepted.stdout.startswith("Accepted until ")
    ended = place.run("delegation", "revoke", grant, "--user", "ann")
    assert ended.stdout == f"Ended {grant}.\n"
    assert grant not in place.run("delegation", "list", "--user", "ben").stdout
    rows = json.loads(place.run("delegation", "list", "--user", "ben", "--all", "--json").stdout)
    assert [(row["status"], row["peer"]) for row in rows["grants"]] == [("revoked", "ann")]
    again = place.request(mine)
    declined = place.run("delegation", "decline", again, "--user", "ben")
    assert declined.stdout == f"Declined {again}.\n"


def test_trust_is_given_listed_and_taken_back(place: Place) -> None:
    given = place.run("delegation", "trust", "@ann", "--folder", "/srv", "--user", "ben")
    policy = given.stdout.split()[0]
    assert policy.startswith("ttp_")
    shown = place.run("delegation", "trusted", "--user", "ben").stdout
    assert f"{policy}\t@ann\tpending_ack\trun_command\t/srv" in shown
    taken = place.run("delegation", "untrust", policy, "--user", "ben")
    assert taken.stdout == f"Ended {policy}.\n"
    assert "revoked" in place.run("delegation", "trusted", "--user", "ben").stdout
    refused = place.run("delegation", "trust", "@eve", "--folder", "/srv", "--user", "ben")
    assert refused.exit_code == 1
