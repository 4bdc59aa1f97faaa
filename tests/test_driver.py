"""The two ways in which a turn is driven: the offline brain straight and through the loop, which must not differ, and any other brain."""

import dataclasses
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.function import FunctionModel

from app.agent import chat, offline, rules, running, straight
from app.agent.driver import drive
from app.agent.steps import Asked, Step
from app.core.place import DATABASE
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio

TALKS = [
    ["help"],
    ["hello", "how long do the leeks simmer?", "and the walrus?"],
    ["how long do the leeks simmer and where does the walrus live?", "find notes about leeks", "summarise Leek soup"],
    ["todo: buy milk tomorrow at 5pm", "what are my todos?", "buy milk is done", "what are my todos?", "replan my todos"],
    ["make a note: Heron\nStands in the lake.", "append to Heron: it is grey", "pin the note Heron", "move the note Heron to Nowhere"],
    ["list my folders", "what is on today?", "list my notes", "delete all my notes", "write me a python script"],
    ["Wie lange köcheln die Lauchstangen?", "Was steht heute an?", "待办事项有哪些？", "leeks " * 400],
    ['what does "', "[x](hearth:note/1)", "\u202eevil", "....", "note 1?"],
]
SCOPES = [None, ["agent.chat:run"], ["agent.chat:run", "os.notes:read"], ["agent.chat:run", "os.notes:read", "os.todos:read"]]


@dataclasses.dataclass
class Two:
    """Two servers with the same content: one drives the offline brain straight, the other through the loop."""

    straight: Served
    looped: Served


@pytest.fixture
async def two(migrated: Path, tmp_path: Path, settings: Settings, clock: MovableClock) -> AsyncIterator[Two]:
    applications = []
    for name in ("straight", "looped"):
        (tmp_path / name).mkdir()
        shutil.copy(migrated, tmp_path / name / DATABASE)
        applications.append(create_app(settings, tmp_path / name, clock=clock))
    one, other = applications
    async with one.router.lifespan_context(one), other.router.lifespan_context(other):
        yield Two(Served(one, one.state.parts), Served(other, other.state.parts))


async def through_the_loop(turn: Any, _: None, message: str, history: Any, *, now: Any, temperature: Any) -> Any:
    return await drive(turn, offline.OfflineModel(now), message, history, now=now, temperature=temperature)


async def talked(served: Served, talk: list[str], scopes: list[str] | None) -> tuple[list[Any], list[Any]]:
    """Give what was streamed, and what stands in the tables then."""
    alice = await served.person("alice")
    await alice.note("Leek soup", "# Soup\n\nSimmer the leeks for twenty minutes. Then serve.\n\n" + "More about leeks and salt. " * 100)
    await alice.note("Walrus", "The walrus lives in the north.")
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Old thing", "dueDate": "2026-11-01T09:00:00Z"})
    client = served.client(await served.key("alice", scopes))
    streams: list[Any] = []
    more: dict[str, Any] = {}
    for message in talk:
        response = await client.post("/chat", json={"message": message, **more})
        events = [json.loads(line) for line in response.text.splitlines()]
        streams.append(in_order(events))
        more = {"conversationId": events[-1]["metadata"]["conversationId"]}
    return streams, stored(served)


def in_order(events: list[dict[str, Any]]) -> list[Any]:
    """What was streamed, with the results of calls that ran side by side in the order of the calls and not of their ends."""
    parts = [list(group) for _, group in itertools.groupby(events, lambda event: event["type"])]
    return [event for part in parts for event in (sorted(part, key=lambda one: one["toolCallId"]) if "ok" in part[0] else part)]


def stored(served: Served) -> list[Any]:
    def rows(tx: Any) -> list[Any]:
        kept = [
            "SELECT role, sender_type, sender_label, content FROM messages ORDER BY id",
            "SELECT tool, call_id, arguments, outcome FROM turn_calls ORDER BY turn_id, id",
            "SELECT status, model, prompt_tokens, completion_tokens, error FROM turns ORDER BY id",
            "SELECT title, content FROM notes ORDER BY id",
        ]
        histories = [remembered(row[0]) for row in tx.all("SELECT history FROM turns ORDER BY id")]
        return [*([tuple(row) for row in tx.all(sql)] for sql in kept), histories]

    found: list[Any] = served.parts.quick(rows)
    return found


def remembered(history: bytes) -> list[Any]:
    """What a turn left for the next, without what is different in every run."""
    own = ("run_id", "conversation_id", "timestamp", "instructions", "model_id")
    entries = json.loads(ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_json(history)))
    while entries[-1]["state"] == "interrupted" or not entries[-1]["parts"] or entries[-1]["parts"][-1]["part_kind"] == "tool-call":
        entries.pop()  # what the loop keeps of a step that was stopped
    return [
        {key: value for key, value in entry.items() if key not in (*own, "parts")}
        | {"parts": [{key: value for key, value in part.items() if key not in own} for part in entry["parts"]]}
        for entry in entries
    ]


@pytest.mark.parametrize("scopes", SCOPES, ids=["everything", "chat", "notes", "reading"])
@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk[0][:20])
async def test_a_turn_does_not_differ_by_who_drives_it(two: Two, monkeypatch: pytest.MonkeyPatch, talk: list[str], scopes: list[str] | None) -> None:
    straightly = await talked(two.straight, talk, scopes)
    monkeypatch.setattr(chat, "drive", through_the_loop)
    looped = await talked(two.looped, talk, scopes)
    assert straightly == looped


def search(words: str) -> tuple[str, dict[str, Any]]:
    return "search_notes", {"query": words}


MISTAKEN = ("search_notes", {"query": "x", "limit": "many"})
NOWHERE = ("get_note_content", {"noteId": 999})
MADE = ("create_todo", {"title": "From a rule"})
SCRIPTS = {
    "a refusal": [Step(calls=(NOWHERE,)), Step("No such note.")],
    "a mistake": [Step(calls=(MISTAKEN,)), Step("That went wrong.")],
    "mistakes now and then": [Step(calls=(MISTAKEN,)), Step(calls=(search("leeks"),))] * 5,
    "mistakes without end": [Step(calls=(("search_notes", {"query": "x", "limit": f"{number} many"}),)) for number in range(5)],
    "two mistakes": [*(Step(calls=(("search_notes", {"query": "x", "limit": word}),)) for word in ("one", "two")), Step("Well.")],
    "the same call again": [Step(calls=(search("leeks"),)), Step(calls=(search("leeks"),)), Step("Enough.")],
    "steps without end": [Step(calls=(search(f"leeks {number}"),)) for number in range(20)],
    "calls without end": [Step(calls=tuple(search(f"leeks {step} {number}") for number in range(6))) for step in range(5)],
    "too much text": [Step("word " * 90_000, calls=(search("leeks"),)), Step("Never said.")],
    "text before a call": [Step("Let me see. ", calls=(search("leeks"),)), Step("There.")],
    "reading beside writing": [Step(calls=(search("leeks"), MADE, NOWHERE, search("walrus"))), Step("Done.")],
    "a false quote": [Step("> never written\n\n— [Leek soup](hearth:note/1)\n\nand “Simmer the leeks” [note 1]", calls=()), Step("")],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_a_turn_that_goes_wrong_does_not_differ_by_who_drives_it(two: Two, monkeypatch: pytest.MonkeyPatch, script: list[Step]) -> None:
    talks = []
    for served in (two.straight, two.looped):
        steps = iter(script)
        monkeypatch.setattr(rules, "next_step", lambda _, steps=steps: next(steps))
        talks.append(await talked(served, ["go"], None))
        monkeypatch.setattr(chat, "drive", through_the_loop)
    assert talks[0] == talks[1]


@pytest.mark.parametrize(("driven", "requests"), [(drive, 1), (through_the_loop, 3)])
async def test_a_brain_that_says_nothing_is_told_as_a_failure(served: Served, monkeypatch: pytest.MonkeyPatch, driven: Any, requests: int) -> None:
    seen: list[Asked] = []
    monkeypatch.setattr(rules, "next_step", lambda asked: seen.append(asked) or Step())
    monkeypatch.setattr(chat, "drive", driven)
    streams, tables = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]] == ["error", "completion"]
    assert streams[0][0]["message"] == running.UNUSABLE
    assert tables[2][0][0] == "failed"
    assert len(seen) == requests


async def test_a_brain_takes_up_a_conversation_that_began_offline(served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    await alice.note("Leek soup", "Simmer the leeks for twenty minutes.")
    begun = await alice.ok("POST", "/chat", json={"message": "how long do the leeks simmer?", "stream": False})
    heard: list[Any] = []

    async def brain(messages: Any, _: Any) -> AsyncIterator[str]:
        heard.extend(messages)
        yield "Twenty minutes, as I said."

    async def with_a_model(turn: Any, _: None, message: str, history: Any, **more: Any) -> Any:
        return await drive(turn, FunctionModel(stream_function=brain), message, history, **more)

    monkeypatch.setattr(chat, "drive", with_a_model)
    whole = {"message": "Really?", "stream": False, "conversationId": begun["conversationId"]}
    assert (await alice.ok("POST", "/chat", json=whole))["response"] == "Twenty minutes, as I said."
    kinds = [part.part_kind for entry in heard for part in entry.parts]
    assert kinds == ["user-prompt", "tool-call", "tool-return", "text", "user-prompt"]
    assert heard[3].parts[0].content == begun["response"]
    monkeypatch.setattr(chat, "drive", drive)
    back = await alice.ok("POST", "/chat", json={**whole, "message": "thanks"})
    assert back["usage"]["promptTokens"] > begun["usage"]["promptTokens"]


@pytest.mark.parametrize(
    ("args", "arguments"), [('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1}), ("", {}), (None, {}), ('{"a', {}), ("[1]", {}), ("null", {})]
)
def test_what_a_model_left_as_arguments_is_read_or_left_out(args: Any, arguments: dict[str, Any]) -> None:
    entry = {"parts": [{"part_kind": "tool-call", "tool_name": "x", "tool_call_id": "1", "args": args}]}
    assert [part.arguments for part in straight.parts_of(entry)] == [arguments]


def test_the_offline_brain_needs_no_library() -> None:
    code = "import sys, app.main, app.agent.straight; print([name for name in sys.modules if name.split('.')[0] == 'pydantic_ai'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_rules_are_loaded_by_the_first_turn_only() -> None:
    code = "import sys, app.main; print([name for name in sys.modules if name.startswith('app.agent.') and 'rules' in name])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
