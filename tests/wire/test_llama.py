"""The agent with a genuine llama.cpp server, which runs a tiny model whose words are known.

See scripts/wire/parrot.py.
"""

import asyncio

import pytest

from app.agent.models.small_models import printed_calls
from app.catalog import CATALOG
from app.settings import Settings
from app.tools.registry import registry
from tests.conftest import Client, Served
from tests.wire.servers import Running
from tests.wire.talking import ask, listened, status_of_last_turn
from wire import parrot

pytestmark = pytest.mark.anyio
# so that these tools are among the few that a small model is offered
SEARCH = "Search my notes and todos, and add a todo."
ROUNDS = 3
TOOLS = registry.native_tools(CATALOG)
CANCELLED, REFUSED = "cancel task", "exceeds the available context size"
GREETING, CLOSING = parrot.TEXTS[parrot.GREETING], parrot.TEXTS[parrot.CLOSING]


@pytest.fixture
def settings(llama: Running) -> Settings:
    return Settings(
        durability="normal",
        rate_limit=0,
        failed_limit=0,
        model="parrot",
        model_provider="llamacpp",
        model_url=llama.url,
    )


async def test_words_stream_as_the_server_gives_them(served: Served, alice: Client) -> None:
    heard = await ask(served, alice, "Good day!")
    assert heard.text == GREETING
    assert len(heard.of("text-delta")) > 3
    told = heard.told
    assert (told["model"], told["toolsUsed"], "fallback" in told) == ("parrot", [], False)
    assert told["promptTokens"] > 100
    assert 10 < told["completionTokens"] < 100


async def test_a_tool_is_called_and_the_model_goes_on_with_what_it_gave(
    served: Served, alice: Client
) -> None:
    await alice.note("The lighthouse", "Its lamp is lit at dusk.")
    heard = await ask(served, alice, f"{SEARCH} play search")
    (begun,), (done,) = heard.of("tool-call-start"), heard.of("tool-call-result")
    assert (begun["toolName"], done["toolCallId"], done["ok"]) == (
        "search_notes",
        begun["toolCallId"],
        True,
    )
    assert heard.text == CLOSING
    again = await ask(
        served, alice, "And now? play greeting", conversationId=heard.told["conversationId"]
    )
    assert again.text == GREETING
    assert again.told["promptTokens"] > len("Its lamp is lit at dusk.")


async def test_words_before_a_call_are_heard_and_the_call_is_run(
    served: Served, alice: Client
) -> None:
    heard = await ask(served, alice, f"{SEARCH} play add")
    assert [event["toolName"] for event in heard.of("tool-call-start")] == ["create_todo"]
    assert heard.text.startswith("Let me write that down.")
    assert heard.text.endswith(CLOSING)
    assert "Mend the nets" in (await alice.get("/os/todos")).text


async def test_two_tools_are_called_side_by_side_each_once(served: Served, alice: Client) -> None:
    await alice.note("The harbour", "Boats lie there.")
    for _ in range(ROUNDS):
        heard = await ask(served, alice, f"{SEARCH} play both")
        calls, results = heard.of("tool-call-start"), heard.of("tool-call-result")
        assert [call["toolName"] for call in calls] == ["search_notes", "search_todos"]
        assert {done["toolCallId"] for done in results} == {call["toolCallId"] for call in calls}
        assert [done["ok"] for done in results] == [True, True], results
        assert (heard.text, heard.told["model"]) == (CLOSING, "parrot")


def test_what_the_parrot_calls_are_tools_with_their_own_fields() -> None:
    for name in ("search", "both", "add"):
        for call in printed_calls.calls_in(
            parrot.TEXTS[name].partition("\n")[2] if name == "add" else parrot.TEXTS[name], TOOLS
        ):
            assert set(call.arguments) <= set(
                TOOLS[call.name].descriptor.parameters["properties"]
            ), name


@pytest.mark.parametrize("play", ["wrong", "unknown"])
async def test_a_call_that_cannot_be_does_no_harm(served: Served, alice: Client, play: str) -> None:
    """The server itself holds a call to the tools and fields that it was told of, so what comes
    is a call that can be, or words.
    """
    heard = await ask(served, alice, f"{SEARCH} play {play}")
    offered = {tool["name"] for tool in (await alice.ok("GET", "/tools"))["tools"]}
    assert {event["toolName"] for event in heard.of("tool-call-start")} <= offered
    again = await ask(served, alice, "play greeting", conversationId=heard.told["conversationId"])
    assert again.text == GREETING


async def test_an_answer_without_end_is_bounded(served: Served, alice: Client) -> None:
    heard = await ask(served, alice, "play endless")
    assert heard.text.startswith(parrot.TEXTS[parrot.ENDLESS])
    assert len(heard.text) < 5_000
    (error,) = heard.of("error")
    assert "broke off" in error["message"]


async def test_a_message_longer_than_the_window_is_answered_by_the_rules(
    served: Served, alice: Client
) -> None:
    await alice.note("Tides", "High water at noon.")
    heard = await ask(
        served, alice, "tides " + "wave upon wave " * 2_000
    )  # every letter is a token here
    assert heard.told["model"] == "offline"
    assert "longer than parrot can read" in heard.told["fallback"]["reason"]
    assert (await ask(served, alice, "Good day!")).text == GREETING


async def test_a_conversation_longer_than_the_window_is_shortened(
    served: Served, alice: Client, llama: Running
) -> None:
    conversation, refused = None, llama.said().count(REFUSED)
    for length in (
        15_000,
        15_000,
        15_000,
        30_000,
    ):  # four letters a token, and the tools beside them
        heard = await ask(served, alice, "Good day! " + "w" * length, conversationId=conversation)
        conversation = heard.told["conversationId"]
        assert heard.text == GREETING
        assert "fallback" not in heard.told
    assert llama.said().count(REFUSED) == refused + 1
    assert heard.told["promptTokens"] < parrot.WINDOW // 2


async def test_the_server_stops_when_hearth_ends(
    served: Served, alice: Client, llama: Running
) -> None:
    before = llama.said().count(CANCELLED)
    speaking = asyncio.Event()
    turn = asyncio.create_task(listened(served, "alice", "play endless", speaking))
    await speaking.wait()
    await served.parts.tasks.close(0)
    heard = await turn
    assert [event["type"] for event in heard.events[-2:]] == ["error", "completion"]
    assert status_of_last_turn(served) == "interrupted"
    stored = (await alice.ok("GET", f"/conversations/{heard.told['conversationId']}"))["messages"]
    assert stored[-1]["content"] == heard.text
    await asyncio.to_thread(llama.says, CANCELLED, before + 1)


async def test_a_turn_goes_on_when_whoever_asked_has_left(served: Served, alice: Client) -> None:
    heard = await listened(served, "alice", "play endless", asyncio.Event(), leaves=True)
    assert heard.of("completion") == []
    await served.parts.tasks.close(60)
    (row,) = (await alice.ok("GET", "/conversations"))["conversations"]
    assert len(row["messages"][-1]["content"]) > len(heard.text)
    assert status_of_last_turn(served) == "failed"  # cut off, since it went in circles


async def test_a_model_that_is_offered_no_tools_leaves_what_the_rules_found_as_they_say_it(
    served: Served, alice: Client, llama: Running
) -> None:
    await alice.note("The lighthouse", "Its lamp is lit at dusk.")
    await served.command(
        "add_model", name="plain", provider="llamacpp", url=llama.url, model="parrot", tools="none"
    )
    heard = await ask(served, alice, "When is the lighthouse lit?", model="plain")
    assert heard.text.startswith("> Its lamp is lit at dusk.")
    assert "search_notes" in heard.told["toolsUsed"]
    assert (heard.told["model"], "fallback" in heard.told) == ("offline", False)
