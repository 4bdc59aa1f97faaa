"""Who drives a turn: the rules without any library, or the loop of a model."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.function import FunctionModel

from app.agent.chat import run_turn
from app.agent.chat.turn_driver import drive_turn
from app.agent.models import model_messages
from app.agent.rules import rules
from app.agent.turn import library_history, live_turn, turn_history
from app.agent.turn.steps import Asked, Step
from app.agent.turn.transcript import Part
from app.core.database.data_dir import STOP
from app.tools.approvals import tool_gate
from tests.conftest import Client, Served
from tests.support.agents import World, settled, world

pytestmark = pytest.mark.anyio
__all__ = ["world"]


async def talked(
    served: Served, talk: list[str], scopes: list[str] | None, *, cap: int = 0
) -> tuple[list[Any], list[Any]]:
    """Return what was streamed, and what stands in the tables then."""
    alice = await served.person("alice")
    more: dict[str, Any] = {}
    if cap:
        limit = {"subject": "account", "metric": "tokens", "period": "month", "limit": cap}
        await alice.ok("POST", "/metering/caps", status=201, json=limit)
    await alice.note("Leek soup", "# Soup\n\nSimmer the leeks for twenty minutes. Then serve.")
    await alice.note("Walrus", "The walrus lives in the north.")
    client = served.client(await served.key("alice", scopes))
    streams: list[Any] = []
    for message in talk:
        response = await client.post("/chat", json={"message": message, **more})
        events = [json.loads(line) for line in response.text.splitlines()]
        streams.append(events)
        more = {"conversationId": events[-1]["metadata"]["conversationId"]}
    await settled(served)
    return streams, stored(served)


def stored(served: Served) -> list[Any]:
    def rows(tx: Any) -> list[Any]:
        kept = [
            "SELECT role, sender_type, sender_label, content FROM messages ORDER BY id",
            "SELECT tool, call_id, arguments, outcome FROM turn_calls ORDER BY turn_id, id",
            "SELECT status, model, prompt_tokens, completion_tokens, error FROM turns ORDER BY id",
        ]
        return [[tuple(row) for row in tx.all(sql)] for sql in kept]

    found: list[Any] = served.parts.quick(rows)
    return found


def search(words: str) -> tuple[str, dict[str, Any]]:
    return "search_notes", {"query": words}


MISTAKEN = ("search_notes", {"query": "x", "limit": "many"})
NOWHERE = ("get_note_content", {"noteId": 999})
OUTSIDE = ("post_outside", {"text": "hello"})
MADE = ("create_todo", {"title": "From a rule"})
TOO_MUCH, LIMIT = live_turn.TOO_MUCH, "limit must be an integer, not a string."
NO_NOTE, UNSET_PIN = "There is no such note.", "pinned is required."


def stuck(why: str) -> str:
    return f"I stopped here: 3 calls in a row were refused, the last because: {why}"


SCRIPTS: dict[str, tuple[list[Step], str, list[str], str]] = {
    "a refusal": (
        [Step(calls=(NOWHERE,)), Step("No such note.")],
        "completed",
        [NO_NOTE],
        "No such note.",
    ),
    "mistakes now and then": (
        [Step(calls=(MISTAKEN,)), Step(calls=(search("leeks"),))] * 9,
        "failed",
        [LIMIT, "done"] * 8,
        TOO_MUCH,
    ),
    "mistakes without end": (
        [
            Step(calls=(("search_notes", {"query": "x", "limit": f"{number} many"}),))
            for number in range(5)
        ],
        "completed",
        [LIMIT] * 3,
        stuck(LIMIT),
    ),
    "two mistakes": (
        [
            *(
                Step(calls=(("search_notes", {"query": "x", "limit": word}),))
                for word in ("one", "two")
            ),
            Step("Well."),
        ],
        "completed",
        [LIMIT] * 2,
        "Well.",
    ),
    "the same call again": (
        [Step(calls=(search("leeks"),)), Step(calls=(search("leeks"),)), Step("Enough.")],
        "completed",
        ["done", "repeated"],
        "Enough.",
    ),
    "steps without end": (
        [Step(calls=(search(f"leeks {number}"),)) for number in range(20)],
        "failed",
        ["done"] * 16,
        TOO_MUCH,
    ),
    "calls without end": (
        [
            Step(calls=tuple(search(f"leeks {step} {number}") for number in range(6)))
            for step in range(7)
        ],
        "failed",
        ["done"] * 30,
        TOO_MUCH,
    ),
    "text before a call": (
        [Step("Let me see. ", calls=(search("leeks"),)), Step("There.")],
        "completed",
        ["done"],
        "Let me see. There.",
    ),
    "reading beside writing": (
        [Step(calls=(search("leeks"), MADE, NOWHERE, search("walrus"))), Step("Done.")],
        "completed",
        ["done", "done", NO_NOTE, "done"],
        "Done.",
    ),
    "three refusals": (
        [
            Step("Let me see. ", calls=(NOWHERE,)),
            *(Step(calls=(("get_note_content", {"noteId": 900 + n}),)) for n in range(5)),
        ],
        "completed",
        [NO_NOTE] * 3,
        f"Let me see. \n\n{stuck(NO_NOTE)}",
    ),
    "three refused writes at once": (
        [Step(calls=tuple(("pin_note", {"noteId": 900 + n}) for n in range(4)))],
        "completed",
        [UNSET_PIN] * 3,
        stuck(UNSET_PIN),
    ),
    "a refusal, a success and two refusals": (
        [
            Step(calls=(one,))
            for one in (NOWHERE, search("leeks"), NOWHERE, MISTAKEN, NOWHERE, NOWHERE)
        ],
        "completed",
        [NO_NOTE, "done", NO_NOTE, LIMIT, NO_NOTE],
        stuck(NO_NOTE),
    ),
    "a call that waits beside others": (
        [Step("I ask. ", calls=(search("leeks"), OUTSIDE, MADE)), Step("Done.")],
        "completed",
        ["done", "waits for the owner", "done"],
        "I ask. Done.",
    ),
    "words of others": (
        [Step(calls=(("read_outside", {}),)), Step(calls=(MADE, OUTSIDE)), Step("They waited.")],
        "completed",
        ["done", "waits for the owner", "waits for the owner"],
        "They waited.",
    ),
    "a false quote": (
        [
            Step(
                "> never written\n\n— [Leek soup](hearth:note/1)\n\nand “Simmer the leeks” [note 1]"
            )
        ],
        "completed",
        [],
        "\n\nand “Simmer the leeks” [note 1]",
    ),
}


@pytest.mark.parametrize(("script", "status", "outcomes", "text"), SCRIPTS.values(), ids=SCRIPTS)
async def test_a_turn_by_rules_ends_by_the_limits_of_all_turns(
    served: Served,
    monkeypatch: pytest.MonkeyPatch,
    world: World,
    script: list[Step],
    status: str,
    outcomes: list[str],
    text: str,
) -> None:
    steps = iter(script)
    monkeypatch.setattr(rules, "next_step", lambda _: next(steps))
    _, (messages, calls, turns, *_) = await talked(served, ["go"], None)
    assert (turns[0][0], messages[1][3], [call[3] for call in calls]) == (status, text, outcomes)


async def test_a_cap_without_room_stops_a_turn_by_rules(served: Served) -> None:
    streams, tables = await talked(served, ["how long do the leeks simmer?"], None, cap=1_150)
    assert [event["type"] for event in streams[0]][-2:] == ["error", "completion"]
    assert tables[2][0][0] == "failed"


STOPS = {
    "before a text": [Step(calls=(search("leeks"),)), Step("There it is. " * 20)],
    "before a call": [Step(calls=(search("leeks"),)), Step("More. ", calls=(MADE,))],
    "before anything": [Step("There it is.")],
}


@pytest.mark.parametrize("script", STOPS.values(), ids=STOPS)
async def test_a_stop_in_the_middle_ends_a_turn_by_rules(
    served: Served, monkeypatch: pytest.MonkeyPatch, script: list[Step]
) -> None:
    steps = list(script)

    def step(_: Asked) -> Step:
        if len(steps) == 1:
            (served.parts.store.path.parent / STOP).touch()
        return steps.pop(0)

    monkeypatch.setattr(rules, "next_step", step)
    streams, _ = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]][-2:] == ["error", "completion"]


async def test_a_stop_while_a_tool_works_ends_a_turn_by_rules(
    served: Served, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    steps = iter([Step(calls=(("unknown_effect", {"text": "x"}),)), Step("Never said.")])
    monkeypatch.setattr(rules, "next_step", lambda _: next(steps))
    use = tool_gate.use_tool

    async def stopping(*args: Any, **more: Any) -> Any:
        done = await use(*args, **more)
        (served.parts.store.path.parent / STOP).touch()
        return done

    monkeypatch.setattr(tool_gate, "use_tool", stopping)
    streams, _ = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]] == [
        "conversation-start",
        "tool-call-start",
        "escalation",
        "tool-call-result",
        "tool-call-complete",
        "error",
        "completion",
    ]


async def test_a_turn_by_rules_that_takes_too_long_is_stopped(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, timeout = asyncio.timeout(None), asyncio.timeout
    seconds = served.parts.settings.turn_seconds

    async def endless(*_: Any, **__: Any) -> None:
        limit.reschedule(0)
        await asyncio.Event().wait()

    calls = (search("leeks"),)
    monkeypatch.setattr(rules, "next_step", lambda _: Step("Let me see. ", calls=calls))
    monkeypatch.setattr(tool_gate, "use_tool", endless)
    monkeypatch.setattr(asyncio, "timeout", lambda one: limit if one == seconds else timeout(one))
    streams, _ = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]] == [
        "conversation-start",
        "text-delta",
        "tool-call-start",
        "tool-call-result",
        "tool-call-complete",
        "error",
        "completion",
    ]
    assert streams[0][-2]["message"] == live_turn.TOO_LONG


async def test_rules_that_say_nothing_are_told_as_a_failure(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "next_step", lambda _: Step())
    streams, tables = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]] == ["conversation-start", "error", "completion"]
    assert streams[0][1]["message"] == live_turn.UNUSABLE
    assert tables[2][0][0] == "failed"


async def test_a_brain_takes_up_a_conversation_that_began_offline(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.note("Leek soup", "Simmer the leeks for twenty minutes.")
    begun = await alice.ok(
        "POST", "/chat", json={"message": "how long do the leeks simmer?", "stream": False}
    )
    heard: list[Any] = []

    async def brain(messages: Any, _: Any) -> AsyncIterator[str]:
        heard.extend(messages)
        yield "Twenty minutes, as I said."

    async def with_a_model(turn: Any, _: None, message: Any, history: Any, **more: Any) -> Any:
        return await drive_turn(
            turn, FunctionModel(stream_function=brain), message, history, **more
        )

    monkeypatch.setattr(run_turn, "drive_turn", with_a_model)
    whole = {"message": "Really?", "stream": False, "conversationId": begun["conversationId"]}
    assert (await alice.ok("POST", "/chat", json=whole))["response"] == "Twenty minutes, as I said."
    kinds = [part.part_kind for entry in heard for part in entry.parts]
    assert kinds == ["user-prompt", "tool-call", "tool-return", "text", "user-prompt"]
    assert heard[3].parts[0].content == begun["response"]
    monkeypatch.setattr(run_turn, "drive_turn", drive_turn)
    back = await alice.ok("POST", "/chat", json={**whole, "message": "thanks"})
    assert back["usage"]["promptTokens"] > begun["usage"]["promptTokens"]


@pytest.mark.parametrize(
    ("args", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (None, {}),
        ('{"a', {}),
        ("[1]", {}),
        ("null", {}),
    ],
)
def test_what_a_model_left_as_arguments_is_read_or_left_out(
    args: Any, arguments: dict[str, Any]
) -> None:
    entry = {
        "parts": [{"part_kind": "tool-call", "tool_name": "x", "tool_call_id": "1", "args": args}]
    }
    assert [part.arguments for part in library_history.parts_of(entry)] == [arguments]


OLD = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "leeks?"}]},
    {
        "kind": "response",
        "parts": [
            {"part_kind": "text", "content": "Let me see."},
            {"part_kind": "tool-call", "tool_name": "look", "tool_call_id": "1", "args": "{}"},
        ],
    },
    {
        "kind": "request",
        "parts": [
            {
                "part_kind": "tool-return",
                "tool_name": "look",
                "tool_call_id": "1",
                "content": "No.",
                "outcome": "failed",
            }
        ],
    },
]
MESSAGES = [
    [Part("asked", "leeks?")],
    [Part("said", "Let me see."), Part("called", None, "look", "1", {})],
    [Part("refused", "No.", "look", "1")],
]


def test_a_history_is_read_alike_whoever_wrote_it() -> None:
    own = turn_history.encode(MESSAGES)
    library = ModelMessagesTypeAdapter.dump_json(model_messages.decode(own))
    for stored in (own, library, json.dumps(OLD).encode()):
        assert turn_history.decode(stored) == MESSAGES
        heard = list(model_messages.parts_of(model_messages.decode(stored)))
        assert heard == [part for message in MESSAGES for part in message]


def test_only_what_stands_before_the_model_library_knows_its_format() -> None:
    root = Path(model_messages.__file__).parents[2]
    knowing = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "part_kind" in path.read_text("utf-8")
    }
    assert knowing == {"agent/turn/library_history.py"}


def test_the_offline_brain_needs_no_library() -> None:
    code = (
        "import sys, app.main, app.agent.rules.rules_loop; print([name for name in "
        "sys.modules if name.split('.')[0] == 'pydantic_ai'])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_the_rules_are_loaded_by_the_first_turn_only() -> None:
    code = (
        "import sys, app.main; print([name for name in sys.modules if "
        "name.startswith('app.agent.rules.rules')])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
