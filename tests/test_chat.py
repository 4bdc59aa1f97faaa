"""Talking with one's own agent: streamed and whole answers, conversations, what is stored, and what is refused."""

import json
from typing import Any

import pytest

from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio


async def streamed(client: Client, message: str, **more: Any) -> list[dict[str, Any]]:
    response = await client.post("/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    return [json.loads(line) for line in response.text.splitlines()]


async def test_an_answer_streams_as_lines_that_end_with_one_completion(alice: Client) -> None:
    await alice.note("Leek soup", "Simmer the leeks for twenty minutes.")
    events = await streamed(alice, "simmer leeks")
    kinds = [event["type"] for event in events]
    assert kinds[-1] == "completion"
    assert kinds.count("completion") == 1
    assert kinds[0] == "tool-call-start"
    assert events[0]["toolName"] == "search_notes"
    assert "Leek soup" in "".join(event.get("textDelta", "") for event in events)
    told = events[-1]["metadata"]
    assert told["totalTokens"] == told["promptTokens"] + told["completionTokens"] > 0
    assert (told["model"], told["toolsUsed"]) == ("offline", ["search_notes"])
    kept = (await alice.ok("GET", f"/conversations/{told['conversationId']}"))["messages"]
    assert [message["role"] for message in kept] == ["user", "assistant"]
    assert kept[1]["id"] == told["messageId"]
    assert kept[1]["content"] == "".join(event.get("textDelta", "") for event in events)


async def test_an_answer_can_be_had_whole(alice: Client) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    body = await alice.ok("POST", "/chat", json={"message": "leeks", "stream": False})
    assert "Leek soup" in body["response"]
    assert "message" not in body
    assert body["toolsUsed"] == ["search_notes"]
    assert body["usage"]["totalTokens"] > 0
