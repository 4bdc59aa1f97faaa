"""What the heartbeat proposes.

Doing it by hand or in a later run, once, and what wins where two lines are about one thing.
"""

from typing import Any

import pytest

from tests.agent.heartbeat.test_heartbeat import checklist, run, todo, told
from tests.agent.heartbeat.test_heartbeat_model import provider
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import value
from tests.support.fake_provider import FakeProvider, calls, says

pytestmark = pytest.mark.anyio
__all__ = ["provider"]
PLAN = "Every Saturday: create a todo “Plan the week”"


async def proposed(client: Client, *lines: str) -> Any:
    """Give the one action that a run of the tier MESSAGES proposes for these lines."""
    await checklist(client, *lines)
    (action,) = (await run(client))["actions"]
    assert action["status"] == "proposed"
    return action


async def execute(client: Client, action: int) -> Any:
    return (await client.ok("POST", f"/heartbeat/actions/{action}/execute"))["action"]


async def titles(client: Client) -> list[str]:
    return [row["title"] for row in (await client.ok("GET", "/os/todos"))["result"]["todos"]]


async def test_a_proposal_is_done_once_when_its_owner_says_so(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    action = await proposed(alice, PLAN)
    clock.forward(minutes=5)
    done = await execute(alice, action["id"])
    assert (done["status"], done["executedAt"], done["result"]) == (
        "executed",
        "2026-11-21T09:35:00.000Z",
        {"id": done["target"]["id"]},
    )
    assert await titles(alice) == ["Plan the week"]
    refused = await alice.refused(
        "POST", f"/heartbeat/actions/{action['id']}/execute", 409, "already_decided"
    )
    assert refused["status"] == "executed"
    assert await titles(alice) == ["Plan the week"]
    assert value(served, "SELECT outcome FROM audit WHERE tool = 'heartbeat.todo_create'") == "done"
    undone = await alice.ok("POST", f"/heartbeat/runs/{action['runId']}/undo")
    assert (undone["undone"], undone["conflicts"]) == ([action["id"]], [])
    assert await titles(alice) == []


async def test_a_change_of_a_note_is_done_and_taken_back(alice: Client) -> None:
    note = await alice.note("Diary", "one\n")
    action = await proposed(alice, "every day: add “two” to the note Diary")
    assert action["type"] == "note_edit"
    done = await execute(alice, action["id"])
    assert (done["status"], done["target"]) == ("executed", {"kind": "note", "id": note["id"]})
    assert "two" in (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"]
    await alice.ok("POST", f"/heartbeat/runs/{action['runId']}/undo")
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "one\n"


async def test_what_cannot_be_done_any_more_has_failed_and_says_why(alice: Client) -> None:
    note = await alice.note("Diary", "one\n")
    action = await proposed(alice, "every day: add “two” to the note Diary")
    await alice.ok("PATCH", f"/os/notes/{note['id']}", json={"content": "mine\n"})
    done = await execute(alice, action["id"])
    assert (done["status"], done["result"]["error"], done["executedAt"]) == (
        "failed",
        "revision_conflict",
        None,
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "mine\n"
    await alice.refused(
        "POST", f"/heartbeat/actions/{action['id']}/execute", 409, "already_decided"
    )


async def test_a_message_that_was_proposed_is_sent(
    alice: Client, bob: Client, provider: FakeProvider
) -> None:
    await checklist(alice, "Look after the garden")
    provider.script = [
        calls(("send_message_to_human", {"to": "bob", "message": "Bring a rake."})),
        says("Done."),
    ]
    (action,) = (await run(alice))["actions"]
    assert (action["type"], action["status"]) == ("message_send", "proposed")
    assert (await execute(alice, action["id"]))["status"] == "executed"
    (thread,) = (await bob.ok("GET", "/conversations"))["conversations"]
    assert [(row["senderType"], row["content"]) for row in thread["messages"]] == [
        ("agent", "Bring a rake.")
    ]


async def test_nobody_does_by_a_proposal_what_they_may_not_do(
    served: Served, alice: Client, bob: Client
) -> None:
    action = await proposed(alice, PLAN)
    path = f"/heartbeat/actions/{action['id']}/execute"
    narrow = served.client(await served.key("alice", ["os.heartbeat:run"]))
    assert (await narrow.refused("POST", path, 403, "insufficient_scope"))[
        "scope"
    ] == "os.todos:write"
    reader = served.client(await served.key("alice", ["os.heartbeat:read", "os.todos:write"]))
    await reader.refused("POST", path, 403, "insufficient_scope")
    await bob.refused("POST", path, 404, "not_found")
    await alice.refused("POST", "/heartbeat/actions/999/execute", 404, "not_found")
    assert await titles(alice) == []
    assert (await execute(alice, action["id"]))["status"] == "executed"


async def test_what_was_only_tried_out_is_never_done(alice: Client) -> None:
    await checklist(alice, PLAN)
    (action,) = (await run(alice, dryRun=True))["actions"]
    refused = await alice.refused(
        "POST", f"/heartbeat/actions/{action['id']}/execute", 409, "already_decided"
    )
    assert "dryRun" in refused["message"]
    assert await titles(alice) == []


async def test_a_proposal_does_not_keep_a_later_run_from_doing_it(alice: Client) -> None:
    action = await proposed(alice, PLAN)
    assert (await run(alice))["actions"] == []
    done = await run(alice, tier="ACTIONS")
    assert [(one["type"], one["status"]) for one in done["actions"]] == [
        ("todo_create", "executed")
    ]
    assert await titles(alice) == ["Plan the week"]
    (before,) = (await alice.ok("GET", f"/heartbeat/runs/{action['runId']}"))["actions"]
    assert (before["status"], before["result"]) == (
        "executed",
        {"actionId": done["actions"][0]["id"], "runId": done["run"]["id"]},
    )
    await alice.refused(
        "POST", f"/heartbeat/actions/{action['id']}/execute", 409, "already_decided"
    )
    await alice.refused("POST", f"/heartbeat/runs/{action['runId']}/undo", 409, "nothing_to_undo")
    await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    assert await titles(alice) == []


async def test_a_wish_of_a_model_that_was_only_proposed_is_done_by_a_run_that_may(
    alice: Client, provider: FakeProvider
) -> None:
    await checklist(alice, "Look after the garden")
    wish = [calls(("create_todo", {"title": "Cut the hedge"})), says("Done.")]
    provider.script = [*wish]
    assert [one["status"] for one in (await run(alice))["actions"]] == ["proposed"]
    await alice.note("News", "It has grown.")
    provider.script = [*wish]
    assert [one["status"] for one in (await run(alice, tier="ACTIONS"))["actions"]] == ["executed"]
    assert await titles(alice) == ["Cut the hedge"]


async def test_what_waits_for_a_yes_is_not_done_beside_it(alice: Client) -> None:
    note = await alice.note("Diary", "one\n")
    action = await proposed(alice, "every day: add “two” to the note Diary")
    (asked,) = (await run(alice, tier="ACTIONS"))["actions"]
    assert asked["status"] == "awaiting_approval"
    for one in (action, asked):
        refused = await alice.refused(
            "POST", f"/heartbeat/actions/{one['id']}/execute", 409, "already_decided"
        )
        assert refused["escalationId"] == asked["escalationId"]
    await alice.ok(
        "POST", f"/escalations/{asked['escalationId']}/decision", json={"decision": "continue"}
    )
    (before,) = (await alice.ok("GET", f"/heartbeat/runs/{action['runId']}"))["actions"]
    assert (before["status"], before["result"]["actionId"]) == ("executed", asked["id"])
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"].count("two") == 1


@pytest.mark.parametrize("tier", ["MESSAGES", "ACTIONS"])
@pytest.mark.parametrize(
    "lines", [("overdue todos", "replan overdue todos"), ("replan overdue todos", "overdue todos")]
)
async def test_the_line_that_acts_wins_over_the_one_that_reminds(
    alice: Client, lines: tuple[str, str], tier: str
) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20")
    await checklist(alice, *lines)
    done = await run(alice, tier=tier)
    assert [one["type"] for one in done["actions"]] == ["todo_reschedule"]
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == (
        "2026-11-21" if tier == "ACTIONS" else "2026-11-20"
    )
    assert (await run(alice, tier=tier))["actions"] == []
    assert "overdue since" not in "".join(await told(alice))
