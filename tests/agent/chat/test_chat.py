"""Talking with one's own agent.

Streamed and whole answers, conversations, what is stored, and what is refused.
"""

import asyncio
import json
from typing import Any

import pytest

from app.account import users
from app.agent.chat import run_turn
from app.agent.turn import turn_rows
from app.core.database.tx import Tx
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


async def streamed(client: Client, message: str, **more: Any) -> list[dict[str, Any]]:
    response = await client.post("/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    return [json.loads(line) for line in response.text.splitlines()]


async def test_an_answer_streams_as_lines_that_end_with_one_completion(alice: Client) -> None:
    await alice.note("Leek soup", "Simmer the leeks for twenty minutes.")
    events = await streamed(alice, "how long do the leeks simmer?")
    kinds = [event["type"] for event in events]
    assert kinds[-1] == "completion"
    assert kinds.count("completion") == 1
    assert kinds[:4] == [
        "conversation-start",
        "tool-call-start",
        "tool-call-result",
        "tool-call-complete",
    ]
    call = {"toolCallId": events[1]["toolCallId"], "toolName": "search_notes"}
    assert events[1:4] == [
        {"type": "tool-call-start", **call},
        {"type": "tool-call-result", **call, "ok": True, "summary": "done"},
        {"type": "tool-call-complete", **call, "success": True, "result": {"summary": "done"}},
    ]
    assert "Leek soup" in "".join(event.get("textDelta", "") for event in events)
    told = events[-1]["metadata"]
    assert events[0] == {"type": "conversation-start", "conversationId": told["conversationId"]}
    assert told["totalTokens"] == told["promptTokens"] + told["completionTokens"] > 0
    assert (told["model"], told["toolsUsed"]) == ("offline", ["search_notes"])
    kept = (await alice.ok("GET", f"/conversations/{told['conversationId']}"))["messages"]
    assert [message["role"] for message in kept] == ["user", "assistant"]
    assert kept[1]["id"] == told["messageId"]
    assert kept[1]["content"] == "".join(event.get("textDelta", "") for event in events)


async def test_however_long_the_notes_are_the_rules_answer_and_go_on(alice: Client) -> None:
    for number in range(4):
        await alice.note(f"Leek soup {number}", f"Simmer the leeks, the {number}th time. " * 8_000)
    conversation = None
    for message in ("Hello, about leeks", "And more", "how long do leeks simmer?"):
        body = {
            "message": message,
            "stream": False,
            **({"conversationId": conversation} if conversation else {}),
        }
        conversation = (await alice.ok("POST", "/chat", json=body))["conversationId"]


async def test_an_answer_can_be_had_whole(alice: Client) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    body = await alice.ok("POST", "/chat", json={"message": "leeks", "stream": False})
    assert "Leek soup" in body["response"]
    assert "message" not in body
    assert body["toolsUsed"] == ["search_notes"]
    assert body["usage"]["totalTokens"] > 0


async def test_a_conversation_goes_on_where_it_stood(alice: Client) -> None:
    first = (await streamed(alice, "first words"))[-1]["metadata"]
    again = (await streamed(alice, "second words", conversationId=str(first["conversationId"])))[
        -1
    ]["metadata"]
    assert again["conversationId"] == first["conversationId"]
    assert again["messageId"] > first["messageId"]
    assert again["promptTokens"] > first["promptTokens"]
    listed = (await alice.ok("GET", "/conversations"))["conversations"]
    assert [
        (row["title"], row["type"], row["view"], row["contact"], row["messageCount"])
        for row in listed
    ] == [("first words", "direct", "me", None, 4)]
    assert [message["content"] for message in listed[0]["messages"][::2]] == [
        "first words",
        "second words",
    ]
    assert {message["senderType"] for message in listed[0]["messages"]} == {"agent"}


async def test_the_turn_ends_and_is_stored_when_whoever_asked_has_left(
    served: Served, alice: Client
) -> None:
    key = await served.key("alice")
    body = json.dumps({"message": "still there?"}).encode()
    heard: list[Any] = []
    gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not heard:
            heard.append("asked")
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        heard.append(message)
        gone.set()

    headers = [
        (b"host", b"127.0.0.1:8765"),
        (b"authorization", f"Bearer {key}".encode()),
        (b"content-length", b"%d" % len(body)),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/chat",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    await served.asgi(scope, receive, send)
    await served.parts.tasks.close(10)
    kept = (await alice.ok("GET", "/conversations"))["conversations"][0]["messages"]
    assert [message["role"] for message in kept] == ["user", "assistant"]
    assert kept[1]["content"]


async def test_a_conversation_of_another_is_not_found(alice: Client, bob: Client) -> None:
    mine = (await streamed(alice, "secret words"))[-1]["metadata"]["conversationId"]
    for method, path, body in (
        ("GET", f"/conversations/{mine}", None),
        ("DELETE", f"/conversations/{mine}", None),
        ("POST", f"/conversations/{mine}/read", {}),
        ("POST", "/chat", {"message": "x", "conversationId": mine}),
        ("POST", "/chat", {"message": "x", "conversationId": 999}),
    ):
        await bob.refused(
            method, path, 404, "not_found", **({} if body is None else {"json": body})
        )
    assert (await bob.ok("GET", "/conversations"))["conversations"] == []
    assert (await bob.ok("GET", "/conversations", params={"q": "secret"}))["messages"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "message"),
        ({"message": ""}, "message"),
        ({"message": "x" * 32_001}, "message"),
        ({"message": "a\0b"}, "message"),
        ({"message": "x", "userTimezone": "Mars/Base"}, "userTimezone"),
        ({"message": "x", "temperature": 3}, "temperature"),
        ({"message": "x", "conversationId": "one"}, "conversationId"),
        ({"message": "x", "stream": "yes"}, "stream"),
    ],
)
async def test_a_bad_field_is_refused_before_anything_is_stored(
    resident: Client, body: dict[str, Any], field: str
) -> None:
    await resident.refused("POST", "/chat", 400, "invalid_request", field=field, json=body)
    assert (await resident.ok("GET", "/conversations"))["conversations"] == []


async def test_an_unknown_model_is_answered_by_the_default_one(alice: Client) -> None:
    assert (await streamed(alice, "hello", model="some-model-of-the-hosted-service"))[-1][
        "metadata"
    ]["model"] == "offline"
    models = (await alice.ok("GET", "/chat/models"))["models"]
    assert {"name": "offline", "provider": "offline", "local": True, "default": True} in models


async def test_messages_are_found_by_their_words_and_marked_as_read(alice: Client) -> None:
    told = (await streamed(alice, "Where is the heron?"))[-1]["metadata"]
    await streamed(alice, "something else")
    found = await alice.ok("GET", "/conversations", params={"q": "herons"})
    assert found["summary"]["total"] == len(found["messages"]) >= 1
    assert found["messages"][-1]["conversationId"] == told["conversationId"]
    assert (await alice.ok("GET", "/conversations"))["conversations"][1]["unreadCount"] == 1
    assert (await alice.ok("POST", f"/conversations/{told['conversationId']}/read", json={}))[
        "unreadCount"
    ] == 0
    later = await alice.ok("GET", "/conversations", params={"afterMessageId": told["messageId"]})
    assert [row["title"] for row in later["conversations"]] == ["something else"]


async def test_a_conversation_is_read_page_by_page_and_deleted_for_good(
    served: Served, alice: Client
) -> None:
    told = (await streamed(alice, "one heron"))[-1]["metadata"]
    conversation = told["conversationId"]
    for text in ("two", "three"):
        await streamed(alice, text, conversationId=conversation)
    page = await alice.ok("GET", f"/conversations/{conversation}", params={"limit": 4})
    assert (len(page["messages"]), page["hasMore"]) == (4, True)
    rest = await alice.ok(
        "GET", f"/conversations/{conversation}", params={"before": page["messages"][0]["id"]}
    )
    assert (len(rest["messages"]), rest["hasMore"]) == (2, False)
    assert page["conversation"]["messageCount"] == 6
    await alice.ok("DELETE", f"/conversations/{conversation}")
    await alice.refused("GET", f"/conversations/{conversation}", 404, "not_found")
    assert (await alice.ok("GET", "/conversations", params={"q": "heron"}))["messages"] == []
    for table in ("conversations", "messages", "turns", "turn_calls", "conversation_members"):
        assert (
            served.parts.quick(lambda tx, name: tx.value(f"SELECT count(*) FROM {name}"), table)
            == 0
        )
    await served.parts.write(
        lambda tx: tx.run("INSERT INTO message_words (message_words) VALUES ('integrity-check')")
    )


async def test_a_namespace_that_is_off_is_not_offered_to_the_agent(alice: Client) -> None:
    await alice.ok("PUT", "/tools/namespaces", json={"disable": ["notes"]})
    await alice.note("Leeks", "Simmer.")
    used = (await streamed(alice, "how long do the leeks simmer?"))[-1]["metadata"]["toolsUsed"]
    assert not any("note" in tool for tool in used)


async def test_the_agent_can_do_no_more_than_its_credential(served: Served, alice: Client) -> None:
    await alice.note("Leeks", "Simmer.")
    chatter = served.client(await served.key("alice", ["agent.chat:run"]))
    assert (await streamed(chatter, "leeks"))[-1]["metadata"]["toolsUsed"] == []


async def test_a_turn_that_was_cut_off_is_closed_at_the_next_start(
    served: Served, alice: Client
) -> None:
    await streamed(alice, "hello")
    await served.parts.write(
        lambda tx: tx.run("UPDATE turns SET status = 'running', ended_at = NULL")
    )
    await served.parts.write(turn_rows.interrupt_all)
    assert served.parts.quick(lambda tx: tx.value("SELECT status FROM turns")) == "interrupted"


async def test_a_history_never_comes_without_its_taint(served: Served, alice: Client) -> None:
    conversation = (await streamed(alice, "hello"))[-1]["metadata"]["conversationId"]
    me = served.parts.quick(users.local_caller, "alice")

    def begin_many(tx: Tx) -> None:
        tx.run("UPDATE turns SET taint = 'web'")
        for _ in range(turn_rows.REMEMBERED_TURNS):
            turn_rows.begin(tx, me, conversation, message=1, model="offline")

    await served.parts.write(begin_many)
    assert len(served.parts.quick(turn_rows.recent_histories, conversation)) == 1
    assert served.parts.quick(turn_rows.recent_taint, conversation) == {"web"}


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("what only the log may say")


@pytest.mark.parametrize(
    "place",
    [
        "app.agent.rules.rules.next_step",
        "app.agent.models.model_or_rules.pick_brain",
        "app.agent.turn.live_turn.use_tool",
        "app.agent.turn.live_turn.json.dumps",
    ],
)
async def test_a_mistake_of_the_program_ends_its_turn_as_a_failed_one(
    served: Served,
    alice: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: str,
) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    with monkeypatch.context() as patch:
        patch.setattr(place, broken)
        events = await streamed(alice, "how long do the leeks simmer?")
        whole = await alice.refused(
            "POST",
            "/chat",
            500,
            "internal",
            json={"message": "how long do the leeks simmer?", "stream": False},
        )
    assert [event["type"] for event in events][-2:] == ["error", "completion"]
    assert [event["type"] for event in events].count("completion") == 1
    assert (events[-2]["error"], events[-2]["message"]) == ("internal", run_turn.MISTAKE)
    assert whole["message"] == run_turn.MISTAKE
    assert {event["toolCallId"] for event in events if "ok" in event} == {
        event["toolCallId"] for event in events if "toolName" in event
    }
    assert caplog.text.count("RuntimeError: what only the log may say") == 2
    caplog.clear()
    kept = (await alice.ok("GET", f"/conversations/{events[-1]['metadata']['conversationId']}"))[
        "messages"
    ]
    assert [message["content"] for message in kept] == [
        "how long do the leeks simmer?",
        run_turn.MISTAKE,
    ]
    rows = served.parts.quick(
        lambda tx: [tuple(row) for row in tx.all("SELECT status, model, error FROM turns")]
    )
    assert rows == [("failed", "offline", run_turn.MISTAKE)] * 2
    assert (await alice.ok("GET", "/metering/usage"))["tokens"]["reserved"] == 0
    assert (
        await streamed(alice, "hello", conversationId=events[-1]["metadata"]["conversationId"])
    )[-1]["type"] == "completion"


async def test_a_turn_that_cannot_be_stored_is_told_as_failed(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = turn_rows.end

    def breaking(*args: Any, status: str, **more: Any) -> None:
        if status == "completed":
            broken()
        end(*args, status=status, **more)

    monkeypatch.setattr(turn_rows, "end", breaking)
    events = await streamed(alice, "hello")
    assert [event["type"] for event in events] == [
        "conversation-start",
        "text-delta",
        "error",
        "completion",
    ]
    kept = (await alice.ok("GET", f"/conversations/{events[-1]['metadata']['conversationId']}"))[
        "messages"
    ]
    assert [message["role"] for message in kept] == ["user", "assistant"]


@pytest.mark.parametrize("id_", ["99999999999999999999", " 99 ", 99, "9007199254740991"])
async def test_a_conversation_that_is_not_there_is_not_found_however_it_is_written(
    resident: Client, id_: str | int
) -> None:
    await resident.refused(
        "POST", "/chat", 404, "not_found", json={"message": "hi", "conversationId": id_}
    )
