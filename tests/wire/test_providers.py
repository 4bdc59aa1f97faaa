"""Every wire that Hearth speaks, against an independent simulator of providers.

Answers, calls, refusals, and streams that break.
"""

import asyncio
import json
from typing import Any

import pytest

from app.agent.models import guarded_model
from app.settings import Settings
from tests.conftest import Client, Served
from tests.wire.replies import BROKEN_OFF, KEY, LONG
from tests.wire.servers import Simulator
from tests.wire.talking import ask, listened, status_of_last_turn

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings(
        "ignore:FUNCTION_CALL is not a valid FinishReason"
    ),  # an invention of the simulator's
]

PATHS = {
    "openai": "/v1/chat/completions",
    "openrouter": "/v1/chat/completions",
    "ollama": "/v1/chat/completions",
    "llamacpp": "/v1/chat/completions",
    "lmstudio": "/v1/chat/completions",
    "compatible": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "google": "/v1beta/models/heron-1:streamGenerateContent",
}
MODEL = "heron-1"
every_provider = pytest.mark.parametrize("provider", PATHS)
every_wire = pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])


@pytest.fixture
def settings(simulator: Simulator, provider: Any) -> Settings:
    return Settings(
        durability="normal",
        rate_limit=0,
        failed_limit=0,
        model=MODEL,
        model_provider=provider,
        model_url=simulator.url,
        model_key=KEY,
    )


def statuses(simulator: Simulator, words: str) -> list[int]:
    return [entry["response"]["status"] for entry in simulator.requests(words)]


def arguments(served: Served) -> list[str]:
    return served.parts.quick(
        lambda tx: [row[0] for row in tx.all("SELECT arguments FROM turn_calls")]
    )


@every_provider
async def test_an_answer_comes_with_what_it_cost(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"hello {provider}")
    assert heard.text == "Good morning to you too."
    assert len(heard.of("text-delta")) > 1
    told = heard.told
    assert (
        told["model"],
        told["promptTokens"],
        told["completionTokens"],
        told["toolsUsed"],
        "fallback" in told,
    ) == (MODEL, 41, 7, [], False)
    (request,) = simulator.requests(f"hello {provider}")
    assert request["path"].partition("?")[0] == PATHS[provider]


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "gpt-5"),
        ("openai", "gpt-4.1"),
        ("anthropic", "claude-opus-4-7"),
        ("google", "gemini-2.5-pro"),
    ],
)
async def test_a_model_that_the_libraries_know_is_asked_without_a_warning(
    served: Served, alice: Client, simulator: Simulator, provider: Any, name: str
) -> None:
    await served.command("add_model", name=name, provider=provider, url=simulator.url, secret=KEY)
    heard = await ask(served, alice, f"hello {name}", model=name, temperature=0.7)
    assert (heard.text, heard.told["model"], "fallback" in heard.told) == (
        "Good morning to you too.",
        name,
        False,
    )


@every_provider
async def test_a_tool_is_called_and_its_result_goes_back(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    await alice.note("The heron", "The heron came back on the ninth.")
    heard = await ask(served, alice, f"heron {provider}")
    (begun,), (done,) = heard.of("tool-call-start"), heard.of("tool-call-result")
    assert (begun["toolName"], done["toolCallId"], done["ok"]) == (
        "search_notes",
        begun["toolCallId"],
        True,
    )
    assert heard.text == "There is one note about it."
    assert (
        heard.told["toolsUsed"],
        heard.told["promptTokens"],
        heard.told["completionTokens"],
    ) == (["search_notes"], 82, 14)
    first, second = simulator.requests(f"heron {provider}")
    assert "ninth" not in json.dumps(first["body"])
    assert "ninth" in json.dumps(second["body"])


@every_provider
async def test_calls_that_come_together_are_all_run(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"puffin {provider}")
    begun, done = heard.of("tool-call-start"), heard.of("tool-call-result")
    assert [event["toolName"] for event in begun] == ["search_notes", "create_todo"]
    assert sorted(event["toolCallId"] for event in begun) == sorted(
        event["toolCallId"] for event in done
    )
    assert len({event["toolCallId"] for event in begun}) == 2
    assert heard.text == "Both are done."
    assert "Count the puffins" in (await alice.get("/os/todos")).text
    assert len(simulator.requests(f"puffin {provider}")) == 2


@every_wire
@pytest.mark.parametrize("words", ["stranger", "gibberish"])
async def test_a_call_that_cannot_be_is_told_to_the_model(
    served: Served, alice: Client, simulator: Simulator, provider: str, words: str
) -> None:
    heard = await ask(served, alice, f"{words} {provider}")
    assert [event["ok"] for event in heard.of("tool-call-result")] == [False]
    assert heard.text in ("There is no such tool.", "I could not search.")
    assert statuses(simulator, f"{words} {provider}") == [200, 200]


@every_wire
async def test_a_model_that_goes_round_in_circles_is_stopped(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"again and again {provider}")
    assert [event["ok"] for event in heard.of("tool-call-result")][:2] == [True, False]
    assert (heard.told["model"], heard.told["fallback"]["model"]) == ("offline", MODEL)
    assert 1 < len(simulator.requests(f"again and again {provider}")) <= 4
    assert (
        await ask(served, alice, f"hello {provider}", conversationId=heard.told["conversationId"])
    ).text == "Good morning to you too."


@every_wire
async def test_a_busy_provider_is_asked_once_more_when_it_says(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"busy once {provider}")
    assert heard.text == "Now there is time."
    assert "fallback" not in heard.told
    refused, answered = simulator.requests(f"busy once {provider}")
    assert (refused["response"]["status"], answered["response"]["status"]) == (429, 200)
    assert (
        answered["timestamp"] - refused["timestamp"] >= 900
    )  # milliseconds; it asked for a second


@every_wire
async def test_a_conversation_that_is_too_long_is_shortened_once(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    conversation = None
    for number in range(4):
        heard = await ask(
            served,
            alice,
            f"hello {provider} {number} " + "and the wind blows " * 300,
            conversationId=conversation,
        )
        conversation = heard.told["conversationId"]
    heard = await ask(served, alice, f"too long {provider}", conversationId=conversation)
    assert heard.text == "Now it fits."
    assert "fallback" not in heard.told
    refused, answered = (
        len(json.dumps(request["body"])) for request in simulator.requests(f"too long {provider}")
    )
    assert answered < refused


@every_wire
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("busy for long", [429]),
        ("away", [503, 503, 503]),
        ("no entry", [401]),
        ("babble", [200]),
        ("hang up", [0]),
        ("much too big", None),
    ],
)
async def test_the_rules_answer_for_a_provider_that_gives_nothing(
    served: Served,
    alice: Client,
    simulator: Simulator,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    words: str,
    asked: list[int] | None,
) -> None:
    monkeypatch.setattr(guarded_model, "USUAL_WAIT_SECONDS", 0.05)
    await alice.note("Leek soup", "Simmer the leeks.")
    heard = await ask(served, alice, f"how do I simmer the leeks? {words} {provider}")
    assert "Leek soup" in heard.text
    told = heard.told
    assert (told["model"], told["fallback"]["model"]) == ("offline", MODEL)
    assert told["fallback"]["reason"].endswith(".")
    assert heard.errors == []
    assert statuses(simulator, f"{words} {provider}") == (asked or [400, 400])
    again = await ask(served, alice, f"hello {provider}", conversationId=told["conversationId"])
    assert (again.text, again.told["model"]) == ("Good morning to you too.", MODEL)


@pytest.mark.parametrize(
    "provider", ["openai", "anthropic"]
)  # Google's wire gives a call in one piece
async def test_a_call_that_broke_off_is_not_run(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"half a call {provider}")
    assert (heard.told["model"], heard.errors) == ("offline", [])
    assert not any("Gannets" in call for call in arguments(served))
    assert statuses(simulator, f"half a call {provider}") == [200]


@every_wire
async def test_what_came_before_a_connection_broke_is_kept(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    heard = await ask(served, alice, f"break off {provider}")
    assert 0 < len(heard.text) <= BROKEN_OFF["truncateAfterChunks"] * BROKEN_OFF["chunkSize"]
    assert LONG.startswith(heard.text)
    assert [event["error"] for event in heard.errors] == ["unavailable"]
    again = await ask(
        served, alice, f"hello {provider}", conversationId=heard.told["conversationId"]
    )
    assert again.text == "Good morning to you too."
    assert (
        len(simulator.requests(f"break off {provider}")) == 2
    )  # the turn itself, and the next one that remembers it


@every_wire
async def test_a_turn_that_is_not_streamed_ends_in_the_same_ways(
    served: Served, alice: Client, provider: str
) -> None:
    whole = await alice.ok("POST", "/chat", json={"message": f"hello {provider}", "stream": False})
    assert (whole["response"], whole["usage"]["totalTokens"]) == ("Good morning to you too.", 48)
    broken = await alice.refused(
        "POST",
        "/chat",
        503,
        "unavailable",
        json={"message": f"break off {provider}", "stream": False},
    )
    assert KEY not in json.dumps(broken)


@every_wire
async def test_a_server_that_ends_in_mid_stream_keeps_what_was_said(
    served: Served, alice: Client, simulator: Simulator, provider: str
) -> None:
    begun = asyncio.Event()
    turn = asyncio.create_task(listened(served, "alice", f"slowly {provider}", begun))
    await begun.wait()
    await served.parts.tasks.close(0)
    heard = await turn
    assert [event["error"] for event in heard.errors] == ["unavailable"]
    assert heard.events[-1]["type"] == "completion"
    assert 0 < len(heard.text) < len(LONG)
    assert status_of_last_turn(served) == "interrupted"
    stored = (await alice.ok("GET", f"/conversations/{heard.told['conversationId']}"))["messages"]
    assert stored[-1]["content"] == heard.text
    again = await ask(
        served, alice, f"hello {provider}", conversationId=heard.told["conversationId"]
    )
    assert again.text == "Good morning to you too."
    assert heard.text in json.dumps(simulator.requests(f"hello {provider}")[-1]["body"])
