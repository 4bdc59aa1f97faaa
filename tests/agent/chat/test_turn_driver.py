"""The two ways in which a turn is driven.

The offline brain straight and through the loop, which must not differ, and any other brain.
"""

import asyncio
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

from app.agent.chat import run_turn
from app.agent.chat.turn_driver import drive
from app.agent.models import rules_model
from app.agent.rules import rules
from app.agent.turn import library_history, live_turn, turn_history
from app.agent.turn.steps import Asked, Step
from app.core.database.data_dir import DATABASE, STOP
from app.main import create_app
from app.settings import Settings
from app.tools.approvals import tool_gate
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import World, settled, world

pytestmark = pytest.mark.anyio
__all__ = ["world"]

TALKS = [
    ["help"],
    ["hello", "how long do the leeks simmer?", "and the walrus?"],
    [
        "how long do the leeks simmer and where does the walrus live?",
        "find notes about leeks",
        "summarise Leek soup",
    ],
    [
        "todo: buy milk tomorrow at 5pm",
        "what are my todos?",
        "buy milk is done",
        "what are my todos?",
        "replan my todos",
    ],
    [
        "make a note: Heron\nStands in the lake.",
        "append to Heron: it is grey",
        "pin the note Heron",
        "move the note Heron to Nowhere",
    ],
    [
        "list my folders",
        "what is on today?",
        "list my notes",
        "delete all my notes",
        "write me a python script",
    ],
    [
        "Wie lange köcheln die Lauchstangen?",
        "Was steht heute an?",
        "待办事项有哪些？",
        "leeks " * 400,
    ],
    [
        "remember that the boiler's code is 4711",
        "what do you remember about the boiler?",
        "hello",
        "help",
        "the boiler's code?",
    ],
    ['what does "', "[x](hearth:note/1)", "\u202eevil", "....", "note 1?"],
]
SCOPES = [
    None,
    ["agent.chat:run"],
    ["agent.chat:run", "os.notes:read"],
    ["agent.chat:run", "os.notes:read", "os.todos:read"],
]


LEASE = b"""# Lease

The rent is 1,250 euros and is due on the first of each month.
Pets are allowed after asking the landlord.
"""


@dataclasses.dataclass
class Two:
    """Two servers with the same content.

    One drives the offline brain straight, the other through the loop.
    """

    straight: Served
    looped: Served


@pytest.fixture
async def two(
    migrated: Path, tmp_path: Path, settings: Settings, clock: MovableClock
) -> AsyncIterator[Two]:
    applications = []
    for name in ("straight", "looped"):
        (tmp_path / name).mkdir()
        shutil.copy(migrated, tmp_path / name / DATABASE)
        applications.append(create_app(settings, tmp_path / name, clock=clock))
    one, other = applications
    async with one.router.lifespan_context(one), other.router.lifespan_context(other):
        yield Two(Served(one, one.state.parts), Served(other, other.state.parts))


async def through_the_loop(
    turn: Any, _: None, prompt: Any, history: Any, *, now: Any, **more: Any
) -> Any:
    return await drive(turn, rules_model.OfflineModel(now), prompt, history, now=now, **more)


async def talked(
    served: Served,
    talk: list[str],
    scopes: list[str] | None,
    *,
    identity: str = "",
    file: bytes = b"",
    cap: int = 0,
) -> tuple[list[Any], list[Any]]:
    """Give what was streamed, and what stands in the tables then.

    A file is brought along by the first message.
    """
    alice = await served.person("alice")
    more: dict[str, Any] = {}
    if identity:
        await alice.note("USER.md", identity, folderId=await alice.folder("Memory/Self"))
        await alice.ok("PATCH", "/account/settings", json={"agentName": "Hugo"})
    if file:
        body = await alice.ok(
            "POST", "/os/attachments", status=201, params={"name": "lease.md"}, content=file
        )
        more = {"attachmentIds": [body["attachment"]["id"]]}
    if cap:
        limit = {"subject": "account", "metric": "tokens", "period": "month", "limit": cap}
        await alice.ok("POST", "/metering/caps", status=201, json=limit)
    await alice.note(
        "Leek soup",
        "# Soup\n\nSimmer the leeks for twenty minutes. Then serve.\n\n"
        + "More about leeks and salt. " * 100,
    )
    await alice.note("Walrus", "The walrus lives in the north.")
    await alice.ok(
        "POST",
        "/os/todos",
        status=201,
        json={"title": "Old thing", "dueDate": "2026-11-01T09:00:00Z"},
    )
    client = served.client(await served.key("alice", scopes))
    streams: list[Any] = []
    for message in talk:
        response = await client.post("/chat", json={"message": message, **more})
        events = [json.loads(line) for line in response.text.splitlines()]
        streams.append(in_order(events))
        more = {"conversationId": events[-1]["metadata"]["conversationId"]}
    await settled(served)
    return streams, stored(served)


def in_order(events: list[dict[str, Any]]) -> list[Any]:
    """What was streamed, with the results of calls that ran side by side in the order of the
    calls and not of their ends.
    """
    ended = ("escalation", "tool-call-result", "tool-call-complete")
    runs = [list(run) for _, run in itertools.groupby(events, lambda one: one["type"] in ended)]
    return [
        event
        for run in runs
        for event in (
            sorted(run, key=lambda one: one["toolCallId"]) if run[0]["type"] in ended else run
        )
    ]


def stored(served: Served) -> list[Any]:
    def rows(tx: Any) -> list[Any]:
        kept = [
            "SELECT role, sender_type, sender_label, content FROM messages ORDER BY id",
            "SELECT tool, call_id, arguments, outcome FROM turn_calls ORDER BY turn_id, id",
            "SELECT status, model, prompt_tokens, completion_tokens, error FROM turns ORDER BY id",
            "SELECT title, content FROM notes ORDER BY id",
            "SELECT feature, model, prompt, completion, settled_at IS NULL FROM token_uses "
            "ORDER BY id",
            "SELECT event, tool, outcome, origin, taint FROM audit ORDER BY tool, outcome, id",
            "SELECT kind, tool, origin, status, summary, reason FROM escalations ORDER BY id",
        ]
        histories = [remembered(row[0]) for row in tx.all("SELECT history FROM turns ORDER BY id")]
        return [*([tuple(row) for row in tx.all(sql)] for sql in kept), histories]

    found: list[Any] = served.parts.quick(rows)
    return found


def remembered(history: bytes) -> list[Any]:
    """What a turn left for the next, without what the library keeps of a step that was stopped."""
    messages = [list(message) for message in turn_history.decode(history)]
    states = [""] * len(messages)
    if not turn_history.is_own(history):
        entries = ModelMessagesTypeAdapter.validate_json(history)
        states = [getattr(entry, "state", "") for entry in entries]
    while states[-1] == "interrupted" or not messages[-1] or messages[-1][-1].kind == "called":
        messages.pop(), states.pop()
    return messages


@pytest.mark.parametrize("scopes", SCOPES, ids=["everything", "chat", "notes", "reading"])
@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk[0][:20])
async def test_a_turn_does_not_differ_by_who_drives_it(
    two: Two, monkeypatch: pytest.MonkeyPatch, talk: list[str], scopes: list[str] | None
) -> None:
    straightly = await talked(two.straight, talk, scopes)
    monkeypatch.setattr(run_turn, "drive", through_the_loop)
    looped = await talked(two.looped, talk, scopes)
    assert straightly == looped


MORE_TALKS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "identity": (
        ["hello", "help", "how long do the leeks simmer?"],
        {"identity": "Call me Ines. Answer in German. Be brief."},
    ),
    "memory": (
        ["remember that the code is 4711", "what do you remember of the code?", "hello"],
        {"identity": "Call me Ines."},
    ),
    "file": (
        [
            "summarise the attached",
            "how high is the rent?",
            "what does the attached file say about pets?",
        ],
        {"file": LEASE},
    ),
    "long file": (
        ["when is the rent due?", "summarise the attached"],
        {"file": LEASE + b"Words without end. " * 9_000},
    ),
    "strange file": (["summarise the attached"], {"file": b"\x00\xff\x00"}),
    "cap": (["how long do the leeks simmer?", "and the walrus?"], {"cap": 100_000}),
    "cap and file": (
        ["summarise the attached", "how long do the leeks simmer?"],
        {"cap": 1_000_000, "file": LEASE},
    ),
    "narrow cap": (["how long do the leeks simmer?"], {"cap": 1_150}),
}


@pytest.mark.parametrize(("talk", "more"), MORE_TALKS.values(), ids=MORE_TALKS)
async def test_what_is_told_brought_along_and_counted_does_not_differ_by_who_drives(
    two: Two, monkeypatch: pytest.MonkeyPatch, talk: list[str], more: dict[str, Any]
) -> None:
    straightly = await talked(two.straight, talk, None, **more)
    monkeypatch.setattr(run_turn, "drive", through_the_loop)
    assert straightly == await talked(two.looped, talk, None, **more)


def search(words: str) -> tuple[str, dict[str, Any]]:
    return "search_notes", {"query": words}


MISTAKEN = ("search_notes", {"query": "x", "limit": "many"})
NOWHERE = ("get_note_content", {"noteId": 999})
OUTSIDE = ("post_outside", {"text": "hello"})
MADE = ("create_todo", {"title": "From a rule"})
SCRIPTS = {
    "a refusal": [Step(calls=(NOWHERE,)), Step("No such note.")],
    "a mistake": [Step(calls=(MISTAKEN,)), Step("That went wrong.")],
    "mistakes now and then": [Step(calls=(MISTAKEN,)), Step(calls=(search("leeks"),))] * 5,
    "mistakes without end": [
        Step(calls=(("search_notes", {"query": "x", "limit": f"{number} many"}),))
        for number in range(5)
    ],
    "two mistakes": [
        *(
            Step(calls=(("search_notes", {"query": "x", "limit": word}),))
            for word in ("one", "two")
        ),
        Step("Well."),
    ],
    "the same call again": [
        Step(calls=(search("leeks"),)),
        Step(calls=(search("leeks"),)),
        Step("Enough."),
    ],
    "steps without end": [Step(calls=(search(f"leeks {number}"),)) for number in range(20)],
    "calls without end": [
        Step(calls=tuple(search(f"leeks {step} {number}") for number in range(6)))
        for step in range(5)
    ],
    "text before a call": [Step("Let me see. ", calls=(search("leeks"),)), Step("There.")],
    "reading beside writing": [
        Step(calls=(search("leeks"), MADE, NOWHERE, search("walrus"))),
        Step("Done."),
    ],
    "three refusals": [
        Step("Let me see. ", calls=(NOWHERE,)),
        *(Step(calls=(("get_note_content", {"noteId": 900 + n}),)) for n in range(5)),
    ],
    "three refusals at once": [
        Step(
            "Let me see. ", calls=tuple(("get_note_content", {"noteId": 900 + n}) for n in range(3))
        )
    ],
    "three refused writes at once": [
        Step(calls=tuple(("pin_note", {"noteId": 900 + n}) for n in range(4)))
    ],
    "a refusal, a success and two refusals": [
        Step(calls=(one,))
        for one in (NOWHERE, search("leeks"), NOWHERE, MISTAKEN, NOWHERE, NOWHERE)
    ],
    "a call that waits": [Step("I ask. ", calls=(OUTSIDE,)), Step("I asked you.")],
    "a call that waits beside others": [
        Step(calls=(search("leeks"), OUTSIDE, MADE)),
        Step("Done."),
    ],
    "words of others": [
        Step(calls=(("read_outside", {}),)),
        Step(calls=(MADE, OUTSIDE)),
        Step("They waited."),
    ],
    "a false quote": [
        Step(
            "> never written\n\n— [Leek soup](hearth:note/1)\n\nand “Simmer the leeks” [note 1]",
            calls=(),
        ),
        Step(""),
    ],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_a_turn_that_goes_wrong_does_not_differ_by_who_drives_it(
    two: Two, monkeypatch: pytest.MonkeyPatch, world: World, script: list[Step]
) -> None:
    talks = []
    for served in (two.straight, two.looped):
        steps = iter(script)
        monkeypatch.setattr(rules, "next_step", lambda _, steps=steps: next(steps))
        talks.append(await talked(served, ["go"], None))
        monkeypatch.setattr(run_turn, "drive", through_the_loop)
    assert talks[0] == talks[1]


STOPS = {
    "before a text": [Step(calls=(search("leeks"),)), Step("There it is. " * 20)],
    "before a call": [Step(calls=(search("leeks"),)), Step("More. ", calls=(MADE,))],
    "before anything": [Step("There it is.")],
}


@pytest.mark.parametrize("script", STOPS.values(), ids=STOPS)
async def test_a_stop_in_the_middle_does_not_differ_by_who_drives(
    two: Two, monkeypatch: pytest.MonkeyPatch, script: list[Step]
) -> None:
    talks = []
    for served in (two.straight, two.looped):
        steps = list(script)

        def step(
            _: Asked,
            steps: list[Step] = steps,
            switch: Path = served.parts.store.path.parent / STOP,
        ) -> Step:
            if len(steps) == 1:
                switch.touch()
            return steps.pop(0)

        monkeypatch.setattr(rules, "next_step", step)
        talks.append(await talked(served, ["go"], None))
        monkeypatch.setattr(run_turn, "drive", through_the_loop)
    assert talks[0] == talks[1]
    assert [event["type"] for event in talks[0][0][0]][-2:] == ["error", "completion"]


async def test_a_stop_while_a_tool_works_does_not_differ_by_who_drives(
    two: Two, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    script, talks = [Step(calls=(("unknown_effect", {"text": "x"}),)), Step("Never said.")], []
    for served in (two.straight, two.looped):
        steps = iter(script)
        monkeypatch.setattr(rules, "next_step", lambda _, steps=steps: next(steps))
        use = tool_gate.use

        async def stopping(*args: Any, served: Served = served, use: Any = use, **more: Any) -> Any:
            done = await use(*args, **more)
            (served.parts.store.path.parent / STOP).touch()
            return done

        with monkeypatch.context() as patch:
            patch.setattr(tool_gate, "use", stopping)
            talks.append(await talked(served, ["go"], None))
        monkeypatch.setattr(run_turn, "drive", through_the_loop)
    assert talks[0] == talks[1]
    assert [event["type"] for event in talks[0][0][0]] == [
        "conversation-start",
        "tool-call-start",
        "escalation",
        "tool-call-result",
        "tool-call-complete",
        "error",
        "completion",
    ]


async def test_a_turn_that_takes_too_long_does_not_differ_by_who_drives(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = []
    for served in (two.straight, two.looped):
        limit, timeout, seconds = (
            asyncio.timeout(None),
            asyncio.timeout,
            served.parts.settings.turn_seconds,
        )

        async def endless(*_: Any, limit: asyncio.Timeout = limit, **__: Any) -> None:
            limit.reschedule(0)
            await asyncio.Event().wait()

        monkeypatch.setattr(
            rules, "next_step", lambda _: Step("Let me see. ", calls=(search("leeks"),))
        )
        with monkeypatch.context() as patch:
            patch.setattr(tool_gate, "use", endless)
            patch.setattr(
                asyncio,
                "timeout",
                lambda one, limit=limit, timeout=timeout, seconds=seconds: (
                    limit if one == seconds else timeout(one)
                ),
            )
            talks.append(await talked(served, ["go"], None))
        monkeypatch.setattr(run_turn, "drive", through_the_loop)
    assert talks[0] == talks[1]
    assert [event["type"] for event in talks[0][0][0]] == [
        "conversation-start",
        "text-delta",
        "tool-call-start",
        "tool-call-result",
        "tool-call-complete",
        "error",
        "completion",
    ]
    assert talks[0][0][0][-2]["message"] == live_turn.TOO_LONG


@pytest.mark.parametrize(("driven", "requests"), [(drive, 1), (through_the_loop, 3)])
async def test_a_brain_that_says_nothing_is_told_as_a_failure(
    served: Served, monkeypatch: pytest.MonkeyPatch, driven: Any, requests: int
) -> None:
    seen: list[Asked] = []
    monkeypatch.setattr(rules, "next_step", lambda asked: seen.append(asked) or Step())
    monkeypatch.setattr(run_turn, "drive", driven)
    streams, tables = await talked(served, ["go"], None)
    assert [event["type"] for event in streams[0]] == ["conversation-start", "error", "completion"]
    assert streams[0][1]["message"] == live_turn.UNUSABLE
    assert tables[2][0][0] == "failed"
    assert len(seen) == requests


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
        return await drive(turn, FunctionModel(stream_function=brain), message, history, **more)

    monkeypatch.setattr(run_turn, "drive", with_a_model)
    whole = {"message": "Really?", "stream": False, "conversationId": begun["conversationId"]}
    assert (await alice.ok("POST", "/chat", json=whole))["response"] == "Twenty minutes, as I said."
    kinds = [part.part_kind for entry in heard for part in entry.parts]
    assert kinds == ["user-prompt", "tool-call", "tool-return", "text", "user-prompt"]
    assert heard[3].parts[0].content == begun["response"]
    monkeypatch.setattr(run_turn, "drive", drive)
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
