"""A message's way through a bridge: in order, asked for, run once, whatever happens in between."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from app.commands.bridge.deliveries import INTERRUPTED, REFUSED, TOO_LATE, Result
from app.commands.bridge.home import Home
from app.commands.bridge.journal import Entry, Journal, find_answer, read_journal
from app.commands.bridge.run_bridge import Bridge
from app.commands.bridge.runtimes import Echo
from app.commands.terminal.command_group import Refused
from tests.commands.bridge.conftest import at_work, until
from tests.support.fake_hearth import FakeHearth, Lost

pytestmark = pytest.mark.anyio
ALLOWED = {"status": "allowed", "decision": "allow", "scope": "once"}


class Counting:
    """A runtime that asks before each run, and counts its runs."""

    name = "counting"

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def asks(self, entry: Entry) -> tuple[str, str]:
        return "run_command", "count"

    async def answer(self, entry: Entry, sender: str) -> Result:
        self.runs.append(entry.id)
        await self.gate.wait()
        return Result(f"{sender}: run {len(self.runs)}")


def state(home: Home, id_: str) -> str:
    entry = read_journal(home.journal)[1].get(id_)
    return entry.state if entry else ""


async def test_a_task_is_acknowledged_validated_run_and_answered(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.send("msg_1", "How are you?", correlationId="x")
    async with at_work(home, Echo()):
        await until(lambda: hearth.replies)
    reply = hearth.replies["reply:msg_1"]
    assert reply["payload"]["text"] == "@ann said: How are you?"
    assert (reply["replyTo"], reply["correlationId"]) == ("msg_1", "x")
    relevant = [path for _, path, _ in hearth.asked if re.search("messages|validate", path)]
    ack = "local-agent/messages/msg_1/ack"
    assert relevant == [ack, "local-agent/injections/validate", ack, "local-agent/messages"]
    first, second = hearth.said(ack)
    assert first == {"phase": "device_ack", "attemptId": "device_ack:msg_1", "retryable": False}
    assert second["phase"] == "runtime_ack"
    assert re.fullmatch("attempt_ack_[0-9a-f]{16}", second["attemptId"])
    assert second["runtimeAckId"]
    assert ("PUT", "local-agent/default-route") in [(how, path) for how, path, _ in hearth.asked]


async def test_a_run_waits_for_the_owner_and_what_they_say_holds(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.send("msg_1")
    runtime, said = Counting(), []
    async with at_work(home, runtime, said):
        await until(lambda: state(home, "msg_1") == "asking")
        await asyncio.sleep(0.05)
        assert runtime.runs == []
        assert hearth.phases("msg_1") == ["device_ack", "runtime_pending"]
        hearth.approval = ALLOWED
        await until(lambda: hearth.replies)
    assert runtime.runs == ["msg_1"]
    assert any("hearth bridge approvals" in line for line in said)
    asked = hearth.said("local-agent/tool-approvals")
    assert asked == [
        {
            "communicationSessionId": "comm_1",
            "sessionHandle": "rs_1",
            "messageId": "msg_1",
            "toolName": "run_command",
            "toolInputSummary": "count",
        }
    ]


@pytest.mark.parametrize(
    ("status", "why"), [("denied", REFUSED), ("expired", TOO_LATE), ("revoked", REFUSED)]
)
async def test_without_a_yes_nothing_runs_and_the_peer_hears(
    hearth: FakeHearth, home: Home, status: str, why: str
) -> None:
    hearth.approval = {"status": status, "decision": "deny", "scope": None}
    hearth.send("msg_1")
    runtime = Counting()
    async with at_work(home, runtime):
        await until(lambda: hearth.replies)
    assert runtime.runs == []
    assert hearth.phases("msg_1") == ["device_ack", "runtime_failed"]
    assert hearth.replies["reply:msg_1"]["payload"] == {
        "text": why,
        "source": "counting",
        "outcome": "failed",
    }


@pytest.mark.parametrize("number", range(1, 14))
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_killed_at_any_request_it_goes_on_and_runs_nothing_twice(
    hearth: FakeHearth, home: Home, number: int, moment: str
) -> None:
    def kill(now: int) -> None:
        if now == number:
            hearth.is_lost = True
            raise Lost

    setattr(hearth, moment, kill)
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    runtime = Counting()
    for _ in range(2):
        hearth.is_lost = False
        bridge = Bridge(home, runtime, None, lambda line: None)
        running = asyncio.create_task(bridge.run())
        try:
            await asyncio.sleep(0)
            await until(lambda at=running: at.done() or state(home, "msg_1") == "done")
        finally:
            running.cancel()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()
    assert hearth.replies["reply:msg_1"]["payload"]["text"] in ("@ann: run 1", INTERRUPTED)
    assert runtime.runs == ["msg_1"]


async def test_what_ran_when_the_bridge_was_killed_is_not_run_again(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    runtime = Counting()
    runtime.gate.clear()
    bridge = Bridge(home, runtime, None, lambda line: None)
    running = asyncio.create_task(bridge.run())
    await until(lambda: runtime.runs)
    bridge.stop()
    bridge.stop()  # at once
    await asyncio.wait([running])
    assert state(home, "msg_1") == "running"
    async with at_work(home, runtime):
        await until(lambda: hearth.replies)
    assert runtime.runs == ["msg_1"]
    assert hearth.replies["reply:msg_1"]["payload"]["text"] == INTERRUPTED


async def test_ending_waits_for_what_runs_and_leaves_the_rest(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    runtime, said = Counting(), []
    runtime.gate.clear()
    bridge = Bridge(home, runtime, None, said.append)
    running = asyncio.create_task(bridge.run())
    await until(lambda: runtime.runs)
    hearth.send("msg_2")
    await until(lambda: state(home, "msg_2"))
    bridge.stop()
    await asyncio.sleep(0.05)
    assert not running.done()
    runtime.gate.set()
    await running
    assert state(home, "msg_1") == "done"
    assert state(home, "msg_2") != "done"
    assert runtime.runs == ["msg_1"]
    async with at_work(home, runtime):
        await until(lambda: "reply:msg_2" in hearth.replies)
    assert runtime.runs == ["msg_1", "msg_2"]


async def test_a_message_that_is_not_valid_any_more_is_not_handed_over(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.valid = {"valid": False, "reason": "communication_session_revoked"}
    hearth.send("msg_1")
    runtime = Counting()
    async with at_work(home, runtime):
        await until(lambda: state(home, "msg_1") == "ended")
    assert (runtime.runs, hearth.phases("msg_1")) == ([], ["device_ack"])


async def test_a_message_that_ended_before_it_was_handed_over_is_not_run(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    hearth.status["msg_1"] = "revoked"
    runtime = Counting()
    async with at_work(home, runtime):
        await until(lambda: state(home, "msg_1") == "ended")
    assert runtime.runs == []


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("local-agent/messages/msg_1/ack", (403, "endpoint_not_owned")),
        ("local-agent/messages/msg_1/ack", (404, "not_found")),
        ("local-agent/messages/msg_1/ack", (409, "delivery_terminal")),
        ("local-agent/injections/validate", (409, "communication_session_expired")),
        ("local-agent/tool-approvals", (409, "quota_exceeded")),
        ("local-agent/tool-approvals/apr_1", (404, "not_found")),
        ("local-agent/messages", (409, "communication_session_revoked")),
        ("local-agent/messages", (413, "payload_too_large")),
    ],
)
async def test_a_refusal_ends_that_message_alone(
    hearth: FakeHearth, home: Home, path: str, refusal: tuple[int, str]
) -> None:
    hearth.refusals[path] = refusal
    hearth.send("msg_1")
    said: list[str] = []
    async with at_work(home, Counting(), said):
        if path != "local-agent/messages":
            await until(lambda: state(home, "msg_1") == "ended")
        hearth.approval = ALLOWED
        await until(lambda: state(home, "msg_1") == "ended")
        hearth.refusals.clear()
        hearth.send("msg_2")
        await until(lambda: "reply:msg_2" in hearth.replies)
    assert any(refusal[1] in line for line in said)
    assert "reply:msg_1" not in hearth.replies


async def test_the_same_dispatch_again_changes_nothing(hearth: FakeHearth, home: Home) -> None:
    hearth.approval = ALLOWED
    for _ in range(3):
        hearth.send("msg_1")
    runtime = Counting()
    async with at_work(home, runtime):
        await until(lambda: state(home, "msg_1") == "done")
        hearth.send("msg_1")
        await until(lambda: read_journal(home.journal)[0] == "4")
    assert (runtime.runs, len(hearth.replies)) == (["msg_1"], 1)


async def test_a_server_that_is_gone_is_waited_for_and_told_once(
    hearth: FakeHearth, home: Home
) -> None:
    said: list[str] = []
    hearth.is_gone = True
    async with at_work(home, Echo(), said):
        await until(lambda: said)
        await asyncio.sleep(0.1)
        hearth.is_gone = False
        hearth.send("msg_1")
        await until(lambda: hearth.replies)
        hearth.is_gone = True
        await asyncio.sleep(0.1)
        hearth.send("msg_2")
        hearth.is_gone = False
        await until(lambda: len(hearth.replies) == 2)
    assert sum("cannot be reached" in line for line in said) == 2
    assert sum("answers again" in line for line in said) == 2


@pytest.mark.parametrize("status", [500, 503, 429, 302])
async def test_a_server_in_trouble_is_asked_again(
    hearth: FakeHearth, home: Home, status: int
) -> None:
    hearth.refusals["local-agent/injections/validate"] = (status, "unavailable")
    hearth.send("msg_1")
    if status == 302:
        hearth._answer = _elsewhere(hearth._answer)  # type: ignore[method-assign]
    async with at_work(home, Echo()):
        await until(lambda: len(hearth.said("local-agent/injections/validate")) > 2)
        hearth.refusals.clear()
        await until(lambda: hearth.replies)


def _elsewhere(answer: Any) -> Any:
    def refuse(request: httpx.Request, path: str, body: Any) -> tuple[int, Any]:
        status, found = answer(request, path, body)
        return (status, "moved") if status == 302 else (status, found)

    return refuse


async def test_a_removed_device_ends_the_bridge_with_a_sentence(
    hearth: FakeHearth, home: Home
) -> None:
    bridge = Bridge(home, Echo(), None, lambda line: None)
    running = asyncio.create_task(bridge.run())
    await until(lambda: hearth.said("local-agent/default-route"))
    hearth.token = "another"
    with pytest.raises(Refused, match="Pair it again"):
        await running


async def test_answers_come_through_while_a_task_runs_and_a_bridge_without_runtime_takes_no_task(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.send("msg_1")
    hearth.send("msg_2", "the answer", replyTo="msg_0", correlationId="c")
    async with at_work(home, None):
        await until(lambda: state(home, "msg_2") == "done")
        await until(lambda: read_journal(home.journal)[0] == "2")
    assert state(home, "msg_1") == ""
    assert hearth.phases("msg_1") == []
    assert hearth.phases("msg_2") == ["device_ack", "runtime_ack"]


async def test_a_disk_that_takes_nothing_ends_the_bridge_before_anything_is_run(
    hearth: FakeHearth, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    runtime = Counting()
    change = Journal.change

    def full(self: Journal, entry: Entry, state: Any, **facts: str) -> None:
        if state == "running":
            raise OSError(28, "No space left on device")
        change(self, entry, state, **facts)

    monkeypatch.setattr(Journal, "change", full)
    with pytest.raises(Refused, match="No space left on device"):
        await Bridge(home, runtime, None, lambda line: None).run()
    assert runtime.runs == []


async def test_a_cursor_that_the_server_does_not_know_is_given_up(
    hearth: FakeHearth, home: Home
) -> None:
    home.journal.write_text('{"cursor":"900"}\n')
    stream = hearth.handle_async_request

    async def restored(request: httpx.Request) -> httpx.Response:
        if request.url.params.get("cursor") == "900":
            return httpx.Response(400, json={"error": "invalid_request", "message": "Too high."})
        return await stream(request)

    hearth.handle_async_request = restored  # type: ignore[method-assign]
    hearth.send("msg_1")
    async with at_work(home, Echo()):
        await until(lambda: hearth.replies)


def test_half_a_line_and_foreign_lines_of_a_journal_are_nothing(home: Home, tmp_path: Path) -> None:
    journal = Journal(home.journal)
    entry = journal.receive({"id": "msg_1", "payload": {}})
    journal.change(entry, "acked")
    journal.keep_cursor("7")
    journal.close()
    with home.journal.open("ab") as file:
        file.write(b'\xff{"cursor": 1}\n{"entry": {"envel')
    again = Journal(home.journal)
    assert (again.cursor, again.entries["msg_1"].state) == ("7", "acked")
    again.change(again.entries["msg_1"], "done")
    again.close()
    assert read_journal(home.journal)[1]["msg_1"].state == "done"
    assert home.journal.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("type_", ["grant.revoked", "grant.expired"])
async def test_the_end_of_a_grant_ends_what_runs_under_it(
    hearth: FakeHearth, home: Home, type_: str
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    hearth.send("msg_2", communicationSessionId="comm_2")
    hearth.send("msg_3")
    runtime = Counting()
    runtime.gate.clear()
    async with at_work(home, runtime):
        await until(lambda: runtime.runs == ["msg_1"])
        hearth.tell(type_, communicationSessionId="comm_1")
        await until(lambda: state(home, "msg_1") == state(home, "msg_3") == "ended")
        runtime.gate.set()
        await until(lambda: "reply:msg_2" in hearth.replies)
    assert runtime.runs == ["msg_1", "msg_2"]
    entry = read_journal(home.journal)[1]["msg_1"]
    assert entry.reason == f"communication_session_{type_.partition('.')[2]}"
    assert list(hearth.replies) == ["reply:msg_2"]


@pytest.mark.parametrize(
    ("place", "taken"), [("/srv", True), ("/srv/garden", True), ("/home", False), (None, False)]
)
async def test_a_policy_is_noted_where_it_is_about_the_folder_of_the_bridge(
    hearth: FakeHearth, home: Home, place: str | None, taken: bool
) -> None:
    policy = {"policyId": "ttp_1", "revision": 3, "canonicalFolder": place}
    hearth.tell("trusted_tool_policy.upserted", **policy)
    hearth.send("msg_1")
    bridge = Bridge(home, Echo(), "/srv/garden", lambda line: None)
    running = asyncio.create_task(bridge.run())
    await until(lambda: hearth.replies)
    bridge.stop()
    await running
    noted = hearth.said("local-agent/trusted-tool-policies/ttp_1/ack")
    assert noted == ([{"revision": 3, "canonicalFolder": place}] if taken else [])


QUESTION = {"turnId": "t", "type": "question", "expectsReply": True, "outcome": "respond"}


async def test_a_question_back_is_answered_by_a_runtime_and_shown_without_one(
    hearth: FakeHearth, home: Home
) -> None:
    more: dict[str, Any] = {"replyTo": "msg_0", "correlationId": "c", "collaborationTurn": QUESTION}
    hearth.send("msg_1", "Which one?", **more)
    async with at_work(home, Echo()):
        await until(lambda: state(home, "msg_1") == "done")
    assert find_answer(read_journal(home.journal)[1].values(), "c") is None
    turn = hearth.replies["reply:msg_1"]["collaborationTurn"]
    assert (turn["parentTurnId"], turn["expectsReply"], turn["outcome"]) == ("t", False, "respond")
    hearth.send("msg_2", "Which one?", **more)
    async with at_work(home, None):
        await until(lambda: state(home, "msg_2") == "done")
    found = find_answer(read_journal(home.journal)[1].values(), "c")
    assert found is not None
    assert found.id == "msg_2"


async def test_what_waits_for_its_turn_is_not_said_to_be_handed_over(
    hearth: FakeHearth, home: Home
) -> None:
    hearth.approval = ALLOWED
    hearth.send("msg_1")
    hearth.send("msg_2", communicationSessionId="comm_2")
    runtime = Counting()
    runtime.gate.clear()
    async with at_work(home, runtime):
        await until(lambda: runtime.runs and state(home, "msg_2") == "asking")
        await asyncio.sleep(0.03)
        assert "runtime_ack" not in hearth.phases("msg_2")
        runtime.gate.set()
        await until(lambda: len(hearth.replies) == 2)
