"""The heartbeat through its endpoints: policy, schedule, checklist, runs, actions, undo."""

from typing import Any

import pytest

from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio


async def run(client: Client, **body: Any) -> Any:
    """Run the heartbeat now and give the result with the run, its actions and its receipt."""
    result = (await client.ok("POST", "/heartbeat/run", json=body))["result"]
    return {"result": result, **await client.ok("GET", f"/heartbeat/runs/{result['runId']}")}


async def todo(client: Client, title: str, **fields: Any) -> int:
    made = await client.ok("POST", "/os/todos", status=201, json={"title": title, **fields})
    return int(made["result"]["todo"]["id"])


async def checklist(client: Client, *lines: str) -> None:
    await client.ok(
        "PUT", "/heartbeat/instructions", json={"content": "".join(f"- {line}\n" for line in lines)}
    )


async def told(client: Client) -> list[str]:
    """Give what the heartbeat has said, oldest first."""
    found = await client.ok("GET", "/conversations?view=me&messageLimit=200")
    return [
        message["content"]
        for chat in found["conversations"]
        if chat["title"] == "Heartbeat"
        for message in chat["messages"]
    ]


async def test_a_heartbeat_begins_with_messages_alone_and_no_schedule(alice: Client) -> None:
    policy = await alice.ok("GET", "/heartbeat/policy")
    assert (policy["policy"], policy["tier"], policy["isDefault"], policy["updatedAt"]) == (
        "MESSAGES",
        "MESSAGES",
        True,
        None,
    )
    schedule = (await alice.ok("GET", "/heartbeat/schedule"))["schedule"]
    assert schedule == {
        "enabled": False,
        "everyMinutes": 30,
        "activeHours": None,
        "weekdays": [1, 2, 3, 4, 5, 6, 7],
        "timezone": "UTC",
        "nextRunAt": None,
    }
    status = await alice.ok("GET", "/heartbeat/status")
    assert (status["lastRun"], status["runsToday"], status["status"]["runsLast24h"]) == (None, 0, 0)


async def test_what_is_overdue_is_told_once_a_day(alice: Client, clock: MovableClock) -> None:
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    first = await run(alice)
    assert first["result"]["status"] == "completed"
    assert first["result"]["delivered"] is True
    assert [
        (action["type"], action["status"], action["target"]["kind"]) for action in first["actions"]
    ] == [("reminder", "executed", "todo")]
    assert await told(alice) == ["“Pay rent” is overdue since yesterday."]
    again = await run(alice)
    assert (again["actions"], again["result"]["suppressed"], again["result"]["delivered"]) == (
        [],
        True,
        False,
    )
    assert again["receipt"]["suppressed"][0]["rule"] == "overdue"
    assert "1 piece of news from the last few days was not repeated." in again["run"]["insights"]
    clock.forward(hours=25)
    assert (await run(alice))["result"]["delivered"] is True
    assert len(await told(alice)) == 2


async def test_news_about_the_same_todo_is_told_when_it_has_changed(alice: Client) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20")
    await run(alice)
    await alice.ok("PATCH", f"/os/todos/{number}", json={"dueDate": "2026-11-19"})
    assert (await run(alice))["result"]["delivered"] is True


async def test_a_todo_that_was_told_is_news_again_once_its_priority_is_raised(
    alice: Client,
) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20", priority=2)
    await run(alice)
    for priority, is_news in ((1, False), (2, False), (4, True), (3, False), (10, True)):
        await alice.ok("PATCH", f"/os/todos/{number}", json={"priority": priority})
        assert (await run(alice))["result"]["delivered"] is is_news, priority


async def test_a_todo_of_any_priority_from_5_up_has_top_priority(alice: Client) -> None:
    await checklist(alice, "todos of top priority")
    for priority in (4, 5, 7, 10):
        await todo(alice, f"of priority {priority}", priority=priority)
    named = {action["title"] for action in (await run(alice))["actions"]}
    assert named == {f"'of priority {priority}' has top priority." for priority in (5, 7, 10)}


async def test_a_run_with_nothing_to_do_says_nothing(alice: Client) -> None:
    done = await run(alice)
    assert (done["result"]["skipReason"], done["result"]["text"], done["actions"]) == (
        "nothing_due",
        "",
        [],
    )
    assert [item["outcome"] for item in done["run"]["items"]] == ["nothing"] * 4
    assert await told(alice) == []


async def test_the_first_run_writes_the_checklist_as_a_note(alice: Client) -> None:
    before = await alice.ok("GET", "/heartbeat/instructions")
    assert (before["isDefault"], before["noteId"]) == (True, None)
    await run(alice, dryRun=True)
    assert (await alice.ok("GET", "/heartbeat/instructions"))["noteId"] is None
    await run(alice)
    after = await alice.ok("GET", "/heartbeat/instructions")
    assert (after["isDefault"], after["instructions"]) == (True, before["instructions"])
    note = (await alice.ok("GET", f"/os/notes/{after['noteId']}"))["note"]
    assert (note["title"], note["folder"]["name"]) == ("HEARTBEAT.md", "Self")


async def test_actions_move_what_is_overdue_and_messages_only_propose_it(alice: Client) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20")
    await checklist(alice, "replan overdue todos")
    proposed = await run(alice)
    assert [(action["type"], action["status"]) for action in proposed["actions"]] == [
        ("todo_reschedule", "proposed")
    ]
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-20"


@pytest.mark.parametrize(("policy", "asked"), [("MESSAGES", "ACTIONS"), ("ACTIONS", "MESSAGES")])
async def test_a_run_of_another_tier_says_that_tier_wherever_it_is_shown(
    alice: Client, policy: str, asked: str
) -> None:
    await alice.ok("POST", "/heartbeat/policy", json={"tier": policy})
    done = await run(alice, tier=asked)
    (listed,) = (await alice.ok("GET", "/heartbeat/runs"))["runs"]
    assert [(one["policy"], one["tier"]) for one in (done["result"], done["run"], listed)] == [
        (asked, asked)
    ] * 3
    assert (await alice.ok("GET", "/heartbeat/policy"))["policy"] == policy


async def test_actions_do_what_can_be_taken_back_and_it_can(alice: Client) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20")
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(alice, "replan overdue todos", "Every Saturday: write the weekly note")
    done = await run(alice)
    assert [(action["type"], action["status"]) for action in done["actions"]] == [
        ("todo_reschedule", "executed"),
        ("note_create", "executed"),
    ]
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-21"
    note = done["actions"][1]["target"]["id"]
    undone = await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    assert undone["undone"] == [action["id"] for action in reversed(done["actions"])]
    assert undone["conflicts"] == []
    assert undone["run"]["undoneAt"] is not None
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-20"
    await alice.refused("GET", f"/os/notes/{note}", 404, "not_found")
    await alice.refused("POST", f"/heartbeat/runs/{done['run']['id']}/undo", 409, "nothing_to_undo")
    again = await alice.ok("POST", f"/heartbeat/runs/{undone['undoRunId']}/undo")
    assert len(again["undone"]) == 2
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-21"
    assert (await alice.ok("GET", f"/os/notes/{note}"))["note"]["title"] == "Week 47 of 2026"


async def test_a_change_of_a_note_waits_for_a_yes_and_a_run_never_waits(alice: Client) -> None:
    note = await alice.note("Groceries", "- milk\n")
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(alice, "Every Saturday: add eggs to the note Groceries")
    done = await run(alice)
    (action,) = done["actions"]
    assert (action["type"], action["status"], action["target"]) == (
        "note_edit",
        "awaiting_approval",
        {"kind": "note", "id": note["id"]},
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "- milk\n"
    waiting = (await alice.ok("GET", f"/escalations/{action['escalationId']}"))["escalation"]
    assert waiting["origin"] == {
        "kind": "heartbeat",
        "runId": done["run"]["id"],
        "actionId": action["id"],
    }
    assert waiting["requestedBy"]["kind"] == "heartbeat"
    assert waiting["target"] == {"kind": "note", "id": note["id"], "baseRevision": 1}
    assert "+- eggs" in waiting["preview"]["text"]
    await alice.ok(
        "POST", f"/escalations/{action['escalationId']}/decision", json={"decision": "continue"}
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"][
        "markdown"
    ] == "- milk\n- eggs\n"
    (after,) = (await alice.ok("GET", f"/heartbeat/runs/{done['run']['id']}"))["actions"]
    assert after["status"] == "executed"
    assert after["executedAt"] is not None
    undone = await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    assert undone["undone"] == [action["id"]]
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "- milk\n"
    await alice.ok("POST", f"/heartbeat/runs/{undone['undoRunId']}/undo")
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"][
        "markdown"
    ] == "- milk\n- eggs\n"


async def waiting(client: Client) -> tuple[int, Any]:
    """Let a run ask to unpin a note; give the run's id and the action."""
    note = await client.note("Old plan")
    await client.ok("POST", f"/os/notes/{note['id']}/pin", json={"pinned": True})
    await client.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(client, "Unpin notes that have not changed for 30 days")
    return note["id"], None


async def test_what_waits_because_of_a_run_waits_no_longer_once_the_run_is_undone(
    alice: Client, clock: MovableClock
) -> None:
    await waiting(alice)
    clock.forward(days=40)
    done = await run(alice)
    (action,) = done["actions"]
    undone = await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    assert (undone["undone"], undone["conflicts"]) == ([action["id"]], [])
    assert (await alice.ok("GET", "/escalations"))["pendingCount"] == 0
    path = f"/escalations/{action['escalationId']}"
    ended = (await alice.ok("GET", path))["escalation"]
    assert (ended["status"], ended["failure"]["error"]) == ("superseded", "grant_revoked")
    (after,) = (await alice.ok("GET", f"/heartbeat/runs/{done['run']['id']}"))["actions"]
    assert after["status"] == "undone"
    refused = await alice.post(f"{path}/decision", json={"decision": "continue"})
    assert refused.status_code == 409


async def test_a_no_leaves_everything_as_it_is(alice: Client, clock: MovableClock) -> None:
    number, _ = await waiting(alice)
    clock.forward(days=40)
    done = await run(alice)
    (action,) = done["actions"]
    await alice.ok(
        "POST", f"/escalations/{action['escalationId']}/decision", json={"decision": "stop"}
    )
    (after,) = (await alice.ok("GET", f"/heartbeat/runs/{done['run']['id']}"))["actions"]
    assert after["status"] == "undone"
    assert (await alice.ok("GET", f"/os/notes/{number}"))["note"]["pinned"] is True
    await alice.refused("POST", f"/heartbeat/runs/{done['run']['id']}/undo", 409, "nothing_to_undo")


async def test_a_pin_that_was_taken_away_comes_back_and_the_text_stays(
    alice: Client, clock: MovableClock
) -> None:
    number, _ = await waiting(alice)
    await alice.ok("PATCH", f"/os/notes/{number}", json={"content": "Newer words."})
    clock.forward(days=40)
    done = await run(alice)
    await alice.ok(
        "POST",
        f"/escalations/{done['actions'][0]['escalationId']}/decision",
        json={"decision": "continue"},
    )
    assert (await alice.ok("GET", f"/os/notes/{number}"))["note"]["pinned"] is False
    await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    note = (await alice.ok("GET", f"/os/notes/{number}"))["note"]
    assert (note["pinned"], note["markdown"]) == (True, "Newer words.")


async def test_what_waits_is_superseded_when_the_tier_behind_it_is_gone(
    alice: Client, clock: MovableClock
) -> None:
    await waiting(alice)
    clock.forward(days=40)
    done = await run(alice)
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "MESSAGES"})
    path = f"/escalations/{done['actions'][0]['escalationId']}/decision"
    await alice.refused("POST", path, 409, "grant_revoked", json={"decision": "continue"})


async def test_what_has_changed_since_is_a_conflict_and_the_rest_is_taken_back(
    alice: Client,
) -> None:
    first, second = [
        await todo(alice, title, dueDate="2026-11-20") for title in ("Pay rent", "Call Ann")
    ]
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(alice, "replan overdue todos")
    done = await run(alice)
    await alice.ok("PATCH", f"/os/todos/{first}", json={"title": "Pay the rent"})
    undone = await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    by_todo = {action["target"]["id"]: action["id"] for action in done["actions"]}
    assert undone["undone"] == [by_todo[second]]
    assert undone["conflicts"] == [{"actionId": by_todo[first], "reason": "changed_since"}]
    assert (await alice.ok("GET", f"/os/todos/{first}"))["todo"]["dueDate"] == "2026-11-21"
    assert (await alice.ok("GET", f"/os/todos/{second}"))["todo"]["dueDate"] == "2026-11-20"


async def test_what_was_said_cannot_be_taken_back(alice: Client) -> None:
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    done = await run(alice)
    undone = await alice.ok("POST", f"/heartbeat/runs/{done['run']['id']}/undo")
    assert (undone["undone"], [conflict["reason"] for conflict in undone["conflicts"]]) == (
        [],
        ["not_reversible"],
    )
    assert undone["run"]["undoneAt"] is None


async def test_taking_back_needs_the_right_to_change_what_was_changed(
    served: Served, alice: Client
) -> None:
    await todo(alice, "Pay rent", dueDate="2026-11-20")
    await alice.ok("POST", "/heartbeat/policy", json={"tier": "ACTIONS"})
    await checklist(alice, "replan overdue todos")
    done = await run(alice)
    narrow = served.client(await served.key("alice", ["os.heartbeat:run", "os.todos:read"]))
    await narrow.refused(
        "POST", f"/heartbeat/runs/{done['run']['id']}/undo", 403, "insufficient_scope"
    )
    await narrow.aclose()


async def test_a_run_never_does_what_its_beginner_could_not_do(
    served: Served, alice: Client
) -> None:
    number = await todo(alice, "Pay rent", dueDate="2026-11-20")
    await checklist(
        alice, "replan overdue todos", "overdue todos", "Every Saturday: write the weekly note"
    )
    narrow = served.client(
        await served.key("alice", ["os.heartbeat:run", "os.heartbeat:read", "os.todos:read"])
    )
    done = await run(narrow, tier="ACTIONS")
    assert {action["type"]: action["status"] for action in done["actions"]} == {
        "todo_reschedule": "proposed",
        "note_create": "proposed",
    }
    assert (await alice.ok("GET", f"/os/todos/{number}"))["todo"]["dueDate"] == "2026-11-20"
    await narrow.aclose()
