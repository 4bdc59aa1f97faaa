"""`hearth chat`: at a terminal and through pipes, beside a server and alone.

Hostile texts, escalations, leaving, refusals.
"""

import contextlib
import dataclasses
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.commands.chat import chat_history
from app.commands.chat.chat_history import KeptHistory
from app.commands.chat.chat_screen import settled_length
from app.commands.terminal.tables import format_table
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.core.database import data_dir
from tests.conftest import Client, Served
from tests.support.terminal import Terminal, terminal

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2066 \x00\x08&#27;[31m&#x9b;2Jend"
ASKED = "chat"
MODELS = {"models": [{"name": "offline", "provider": "offline", "local": True, "default": True}]}
COMPLETION = {
    "type": "completion",
    "metadata": {
        "promptTokens": 3,
        "completionTokens": 4,
        "totalTokens": 7,
        "conversationId": 5,
        "messageId": 9,
        "model": "offline",
        "toolsUsed": [],
        "citations": [],
    },
}
ESCALATION = {
    "id": 7,
    "status": "pending",
    "summary": f"Delete the note Plans {HOSTILE}",
    "toolName": "delete_note",
    "reason": "It deletes.",
    "risk": "high",
    "preview": {"kind": "diff", "text": f"- all of it {HOSTILE}\n+ nothing"},
    "failure": None,
}


def text(piece: str) -> dict[str, Any]:
    return {"type": "text-delta", "textDelta": piece}


def completed(**more: Any) -> dict[str, Any]:
    return {**COMPLETION, "metadata": {**COMPLETION["metadata"], **more}}


@dataclasses.dataclass
class Door:
    """A server that answers the command line as it was told, in this process, and keeps what it
    was asked.
    """

    data: Path
    answers: dict[str, Any]
    asked: list[tuple[str, dict[str, Any]]] = dataclasses.field(default_factory=list)
    go_on: threading.Event = dataclasses.field(default_factory=threading.Event)

    def of(self, name: str) -> list[dict[str, Any]]:
        """What was asked of one operation."""
        return [params for asked, params in self.asked if asked == name]


def serving(door: Door) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            name = self.path.rpartition("/")[2]
            params = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Authorization"] == "Control secret"
            door.asked.append(
                (self.path.removeprefix("/control/"), params)
                if name == "list_users"
                else (name, params)
            )
            answer = door.answers.get(name, {"message": f"There is no operation called {name}."})
            self.send_response(200 if name in door.answers else 404)
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for line in answer if isinstance(answer, list) else [answer]:
                    if line is WAIT:
                        door.go_on.wait(20)
                        continue
                    self.wfile.write(json.dumps(line).encode() + b"\n")
                    self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


WAIT = object()


@pytest.fixture
def door(data: Path) -> Iterator[Door]:
    """A data directory that this process owns and answers for."""
    told = Door(
        data,
        {
            "list_users": {"users": [{"username": "alice"}]},
            "list_models": MODELS,
            ASKED: [text("Well."), COMPLETION],
            "mark_read": {"unreadCount": 0},
        },
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), serving(told))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    with (
        data_dir.own_directory(data),
        data_dir.announce_server(data, pid=os.getpid(), url=url, token="secret"),
    ):
        yield told
    told.go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def alone(data: Path) -> Path:
    """A data directory with one user and no server."""
    assert hearth("user", "add", "alice", data=data).exit_code == 0
    return data


def hearth(*arguments: str, data: Path, sent: str | None = None) -> Result:
    return CliRunner().invoke(
        program.hearth,
        [*arguments, "--data", str(data)],
        input=sent,
        env={"HEARTH_DURABILITY": "normal"},
    )


@contextlib.contextmanager
def talking(data: Path, *arguments: str) -> Iterator[Terminal]:
    with terminal("chat", "--data", str(data), *arguments) as screen:
        screen.until("Ctrl-D to quit")
        screen.until("›")
        yield screen


# Through pipes.


def test_one_answer_through_a_pipe_is_plain_text_and_is_kept(alone: Path) -> None:
    said = hearth("chat", "--message", "remind me to buy milk tomorrow", data=alone)
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith("Added: buy milk, due ")
    assert "\x1b" not in said.stdout
    again = json.loads(
        hearth(
            "chat", "--conversation", "1", "--json", data=alone, sent="what are my todos?\n"
        ).stdout
    )
    assert (again["conversationId"], again["model"], again["error"], again["escalations"]) == (
        1,
        "offline",
        None,
        [],
    )
    assert "buy milk" in again["response"]
    assert again["toolsUsed"] == ["search_todos"]
    assert again["usage"]["totalTokens"] > 0
    connection = sqlite3.connect(alone / data_dir.DATABASE)
    with contextlib.closing(connection):
        kept = connection.execute(
            "SELECT sender_type, content FROM messages WHERE role = 'user' ORDER BY id"
        ).fetchall()
    assert kept == [("human", "remind me to buy milk tomorrow"), ("human", "what are my todos?")]


def test_an_answer_through_a_pipe_names_its_sources_by_number(door: Door) -> None:
    one = {"noteId": 4, "title": "Leek\nsoup", "quote": "Simmer the leeks."}
    door.answers[ASKED] = [
        text("> Simmer"),
        text(" the leeks."),
        completed(citations=[one, {**one, "noteId": 5, "title": "Soups"}]),
    ]
    said = hearth("chat", "--message", "leeks?", "--model", "offline", data=door.data)
    assert (
        said.stdout
        == "> Simmer the leeks.\n\n[1] Leek soup (note 4): Simmer the leeks.\n[2] Soups "
        "(note 5): Simmer the leeks.\n"
    )
    assert door.of(ASKED) == [{"message": "leeks?", "model": "offline"}]


@pytest.mark.parametrize("arguments", [["--message", "x"], ["--message", "x", "--json"]])
def test_a_turn_that_failed_has_the_exit_code_1(door: Door, arguments: list[str]) -> None:
    door.answers[ASKED] = [
        text("Half"),
        {"type": "error", "error": "unavailable", "message": f"The model failed. {HOSTILE}"},
        COMPLETION,
    ]
    said = hearth("chat", *arguments, data=door.data)
    assert said.exit_code == 1
    assert "Half" in said.stdout
    assert "The model failed." in said.stderr
    assert "\x1b" not in said.output


def test_what_waits_is_told_on_stderr(door: Door) -> None:
    door.answers[ASKED] = [
        text("It waits."),
        {"type": "escalation", "escalationId": 7, "summary": "Delete Plans"},
        COMPLETION,
    ]
    said = hearth("chat", "--message", "delete plans", data=door.data)
    assert said.stderr == "Escalation 7 waits for your yes or no: Delete Plans\n"
    assert json.loads(hearth("chat", "--message", "delete plans", "--json", data=door.data).stdout)[
        "escalations"
    ] == [7]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([text("Half")], "The answer broke off"),
        ([text("Half"), []], "another program may listen there"),
    ],
    ids=["ended early", "no object"],
)
def test_a_stream_that_breaks_off_is_told(door: Door, lines: list[Any], told: str) -> None:
    door.answers[ASKED] = lines
    said = hearth("chat", "--message", "x", data=door.data)
    assert said.exit_code == 1
    assert told in said.stderr


def test_new_kinds_of_lines_are_passed_over(door: Door) -> None:
    door.answers[ASKED] = [{"type": "of the future", "x": 1}, text("Well."), COMPLETION]
    assert hearth("chat", "--message", "x", data=door.data).stdout == "Well.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--message", "x", "--conversation", "99"], 1, "There is no such conversation."),
        (["--message", "x", "--user", "nobody"], 1, "There is no user called nobody."),
        (["--message", "x", "--user", "../alice"], 1, "There is no user called ../alice."),
        (
            ["--message", "x", "--model", "gpt"],
            1,
            "There is no model called gpt. Available: offline.",
        ),
        (["--message", "x", "--conversation", "zero"], 2, "zero"),
        (["--message", "y" * 32_001], 1, "message"),
        ([], 1, "message"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_sentence(
    alone: Path, arguments: list[str], code: int, told: str
) -> None:
    said = hearth("chat", *arguments, data=alone, sent="")
    assert (said.exit_code, said.stdout) == (code, "")
    assert told in said.stderr
    assert "Traceback" not in said.stderr


def test_who_talks_must_be_said_when_there_are_several(alone: Path) -> None:
    hearth("user", "add", "bob", data=alone)
    assert hearth("chat", "--message", "help", data=alone).exit_code == 2
    assert hearth("chat", "--message", "help", "--user", "bob", data=alone).exit_code == 0


def test_the_libraries_of_the_terminal_are_not_loaded_for_a_pipe(alone: Path) -> None:
    code = (
        "import sys; from app.__main__ import hearth\n"
        f"hearth(['chat', '--message', 'help', '--data', {str(alone)!r}], standalone_mode=False)\n"
        "print([name for name in ('rich', 'prompt_toolkit', 'pydantic_ai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# At a terminal.


def test_a_talk_shows_the_answer_its_calls_and_sources_and_keeps_what_was_typed(door: Door) -> None:
    one = {"noteId": 4, "title": "Leek soup", "quote": "Simmer the leeks."}
    door.answers[ASKED] = [
        {"type": "tool-call-start", "toolCallId": "a", "toolName": "search_notes"},
        {"type": "tool-call-start", "toolCallId": "b", "toolName": "get_note"},
        {"type": "tool-call-result", "toolCallId": "a", "ok": True, "summary": "done"},
        {"type": "tool-call-result", "toolCallId": "b", "ok": False, "summary": "No such note."},
        text("> Simmer the "),
        text("leeks.\n\n— [Leek soup](hearth:note/4)\n\n**Bold** and `co"),
        text("de`"),
        completed(citations=[one]),
    ]
    with talking(door.data) as screen:
        screen.type("leeks?\r")
        screen.until("✓ search_notes")
        screen.until("✗ get_note: No such note.")
        screen.until("Simmer the leeks.")
        screen.until("— Leek soup (note 4)")
        screen.until("Bold and code")
        screen.until("1. Leek soup (note 4): “Simmer the leeks.”")
        screen.until("offline · conversation 5")
        screen.until("›")
        screen.type("and then?\r")
        screen.until("conversation 5")
        screen.until("›")
        screen.type("\x04")
        assert screen.end() == 0
    assert door.of(ASKED) == [{"message": "leeks?"}, {"message": "and then?", "conversationId": 5}]
    kept = door.data / ".chat-history-alice"
    assert kept.read_text("utf-8").splitlines() == ['"leeks?"', '"and then?"']
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with talking(door.data) as screen:
        screen.type("\x1b[A")
        screen.until("and then?")
        screen.type("\x1b[A")
        screen.until("leeks?")


def test_nothing_that_others_wrote_steers_the_terminal(door: Door) -> None:
    note = {"noteId": 4, "title": HOSTILE, "quote": HOSTILE}
    door.answers |= {
        "list_models": {
            "models": [
                {"name": f"offline{HOSTILE}", "provider": HOSTILE, "local": True, "default": True}
            ]
        },
        "list_conversations": {
            "conversations": [
                {"conversationId": 5, "updatedAt": "2026-11-21T09:30:00.000Z", "title": HOSTILE}
            ]
        },
        "read_conversation": {
            "hasMore": False,
            "messages": [
                {"senderLabel": HOSTILE, "createdAt": "2026-11-21T09:30", "content": HOSTILE}
            ],
        },
        "read_escalation": {"escalation": ESCALATION},
        "decide_escalation": {
            "escalation": {**ESCALATION, "status": "failed", "failure": {"message": HOSTILE}}
        },
        ASKED: [
            {"type": "tool-call-start", "toolCallId": "a", "toolName": HOSTILE},
            {"type": "tool-call-result", "toolCallId": "a", "ok": False, "summary": HOSTILE},
            text(
                f"{HOSTILE}\n\n```\n{HOSTILE}\n```\n\n[{HOSTILE}](hearth:note/1) "
                f"[x](http://a/{HOSTILE}) <b>{HOSTILE}</b> "
            ),
            text(f"<http://a.example/%1b[2J%9b31m%07>\n\n| {HOSTILE} |\n|-|"),
            {
                "type": "escalation",
                "escalationId": 7,
                "toolCallId": "a",
                "toolName": HOSTILE,
                "summary": HOSTILE,
            },
            {"type": "error", "error": "unavailable", "message": HOSTILE},
            completed(
                citations=[note], model=HOSTILE, fallback={"model": HOSTILE, "reason": HOSTILE}
            ),
        ],
    }
    with talking(door.data) as screen:
        screen.type("go\r")
        screen.until("Do it?")
        screen.type("y\r")
        screen.until("Escalation 7 is failed")
        screen.until("›")
        for command in ("/models", "/conversations", "/history", "/open 5", "/model"):
            screen.type(f"{command}\r")
            screen.until("end")
            screen.until("›")
        screen.type("/quit\r")
        assert screen.end() == 0
    shown = screen.raw.decode()
    assert len(re.findall("owned", shown)) > 10
    assert not re.search("[\x00\x07\x80-\x9f\u202e\u2066]", shown)
    assert not re.search(r"\x1b(?:\]|\[2J|\[31m\[)", shown)
    assert not re.search(r"\x1b(?![\[=>])", shown)


@pytest.mark.parametrize(
    ("typed", "decided", "told"),
    [
        ("y", [{"id": 7, "decision": "continue"}], "Escalation 7 is executed."),
        ("No", [{"id": 7, "decision": "stop"}], "Escalation 7 is executed."),
        ("l", [], "Escalation 7 is still waiting"),
        ("", [], "Escalation 7 is still waiting"),
        ("maybe\rlater", [], "Escalation 7 is still waiting"),
        ("\x03", [], "Escalation 7 is still waiting"),
        ("\x04", [], "Escalation 7 is still waiting"),
    ],
)
def test_what_waits_is_shown_exactly_and_asked_for(
    door: Door, typed: str, decided: list[Any], told: str
) -> None:
    door.answers |= {
        ASKED: [
            {
                "type": "escalation",
                "escalationId": 7,
                "toolCallId": "a",
                "toolName": "x",
                "summary": "x",
            },
            text("It waits."),
            COMPLETION,
        ],
        "read_escalation": {
            "escalation": {
                **ESCALATION,
                "summary": "Delete Plans",
                "preview": {"kind": "diff", "text": "- all of it\n+ nothing"},
            }
        },
        "decide_escalation": {"escalation": {**ESCALATION, "status": "executed"}},
    }
    with talking(door.data) as screen:
        screen.type("delete plans\r")
        screen.until("Waits for your yes: Delete Plans")
        screen.until("delete_note · risk high · It deletes.")
        screen.until("- all of it")
        screen.until("+ nothing")
        screen.until("Do it?")
        screen.type(typed if typed.startswith(("\x03", "\x04")) else f"{typed}\r")
        screen.until(told)
        screen.until("›")
        screen.type("\x04")
        assert screen.end() == 0
    assert door.of("decide_escalation") == decided


def test_a_decision_that_is_refused_is_told_and_the_talk_goes_on(door: Door) -> None:
    door.answers |= {
        "list_escalations": {"escalations": [ESCALATION]},
        "read_escalation": {"escalation": ESCALATION},
    }
    with talking(door.data) as screen:
        screen.type("/waiting\r")
        screen.until("Do it?")
        screen.type("y\r")
        screen.until("There is no operation called decide_escalation.")
        screen.until("›")
        screen.type("hello\r")
        screen.until("Well.")


def test_ctrl_c_leaves_a_turn_and_its_conversation_is_found_again(door: Door) -> None:
    said = [{"role": "user", "content": "slow"}, {"role": "assistant", "content": "Done."}]
    door.answers |= {
        ASKED: [text("Thinking"), WAIT, COMPLETION],
        "list_conversations": {"conversations": [{"conversationId": 8, "messages": said}]},
        "read_conversation": {
            "hasMore": True,
            "messages": [
                {"senderLabel": "Agent", "createdAt": "2026-11-21T09:30", "content": "Done."}
            ],
        },
    }
    with talking(door.data) as screen:
        screen.type("slow\r")
        screen.until("Thinking")
        screen.type("\x03")
        screen.until("Stopped watching; the turn continues.")
        screen.until("›")
        screen.type("\x03")
        screen.until("Press Ctrl-D to quit.")
        screen.until("›")
        screen.type("/history 1\r")
        screen.until("Done.")
    assert door.of("read_conversation") == [{"id": 8, "limit": 1}]


def test_ctrl_c_at_a_pipe_leaves_the_turn_too(door: Door) -> None:
    door.answers[ASKED] = [text("Thinking"), WAIT, COMPLETION]
    with terminal("chat", "--message", "slow", "--json", "--data", str(door.data)) as screen:
        while not door.of(ASKED):
            assert screen.process.poll() is None
        screen.type("\x03")
        screen.until("the turn goes on")
        assert screen.end() == 130


def test_one_message_at_a_terminal_is_shown_as_markdown(door: Door) -> None:
    door.answers[ASKED] = [
        text("# Title\n\n- one\n- two"),
        {"type": "error", "error": "x", "message": "It failed."},
        COMPLETION,
    ]
    with terminal("chat", "--message", "x", "--data", str(door.data)) as screen:
        screen.until(" • two")
        screen.until("It failed.")
        assert screen.end() == 1


def test_the_commands_of_a_talk(door: Door) -> None:
    door.answers |= {
        "list_models": {
            "models": [
                {"name": "qwen", "provider": "ollama", "local": False, "default": False},
                *MODELS["models"],
            ]
        },
        "list_conversations": {"conversations": []},
        "list_escalations": {"escalations": []},
        "read_conversation": {
            "hasMore": False,
            "messages": [
                {"senderLabel": "Alice", "createdAt": "2026-11-21T09:30", "content": "Before."}
            ],
        },
    }
    with talking(door.data, "--conversation", "3", "--model", "qwen") as screen:
        for typed, told in (
            ("/help", "Alt-Enter starts a new line."),
            ("/model", "qwen answers."),
            ("/model gpt", "There is no model called gpt. Available: offline, qwen."),
            ("/models", "qwen  ollama  elsewhere"),
            ("/conversations", "There are no conversations yet."),
            ("/open", "Usage: /open ID"),
            ("/waiting", "Nothing awaits your approval."),
            ("/nonsense", "Unknown command /nonsense. Type /help for a list."),
            ("hello", "Well."),
            ("/new", "starts a new conversation"),
            ("/history", "There are no messages yet."),
            ("/open 4", "Before."),
            ("/model offline", "offline answers."),
            ("again", "Well."),
        ):
            screen.type(f"{typed}\r")
            screen.until(told)
            screen.until("›")
        screen.type("/quit\r")
        assert screen.end() == 0
    assert door.of(ASKED) == [
        {"message": "hello", "conversationId": 3, "model": "qwen"},
        {"message": "again", "conversationId": 4, "model": "offline"},
    ]


def test_a_talk_without_a_server_is_held_in_the_database(alone: Path) -> None:
    with talking(alone) as screen:
        for typed, told in (
            ("remind me to buy milk tomorrow", "Added: buy milk"),
            ("what are my todos?", "buy milk"),
            ("/history", "Added: buy milk"),
        ):
            screen.type(f"{typed}\r")
            screen.until(told)
            screen.until("›")
        assert (
            hearth("user", "list", data=alone).exit_code == 0
        )  # between two turns the database is free for others
        screen.type("\x04")
        assert screen.end() == 0


# The parts.


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (HOSTILE, "]0;owned[2J31mevil &#27;[31m&#x9b;2Jend"),
        ("日本語　ひ\tmore\nlines", "日本語　ひ\tmore\nlines"),
        ("👩‍🚀 é ñ", "👩‍🚀 é ñ"),
        ("a\rb\x85c\u2028d\ud800e", "abcde"),
        (12, "12"),
        ("", ""),
        ("x\u2068שלום\x1b[2J\u2069y", "x\u2068שלום[2J\u2069y"),
        ("a\u2069b\u2068c\n\u2069\u202ed", "abc\nd"),
    ],
)
def test_a_text_is_made_harmless(given: object, left: str) -> None:
    assert strip_controls(given) == left


def test_a_text_on_one_line_has_no_more_than_it_may() -> None:
    assert on_one_line("a\n\n b\tc", 80) == "a b c"
    assert on_one_line("x" * 100, 10) == "x" * 9 + "…"


def test_a_name_written_from_right_to_left_is_isolated_and_no_mark_in_it_ends_that() -> None:
    assert on_one_line("שלום", 80) == "\u2068שלום\u2069"
    assert on_one_line("\u2069\u202eשלום\u2069 1", 80) == "\u2068שלום 1\u2069"
    assert on_one_line("Zoë 東京 👩‍🚀", 80) == "Zoë 東京 👩‍🚀"
    assert (
        strip_controls(f"{on_one_line('שלום', 80)} · 12 tokens") == "\u2068שלום\u2069 · 12 tokens"
    )


def test_a_table_keeps_its_columns_and_its_terminal_whatever_stands_in_it() -> None:
    told = format_table([("A", "B"), ("שלום", "x"), ("\x1b[2Jab\u202e", "y\nz")])
    assert told == "A      B\n\u2068שלום\u2069   x\n[2Jab  y z"


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("", ""),
        ("one", ""),
        ("one\n\n", ""),
        ("one\n\ntwo", "one\n\n"),
        ("- a\n- b\n", ""),
        ("- a\n- b\n\nend", "- a\n- b\n\n"),
        ("a\n\n```\nb\n\nc", "a\n\n"),
        ("# T\ntext", "# T\n"),
        ("> a\n> b\n\nc\n\nd", "> a\n> b\n\nc\n\n"),
    ],
)
def test_what_is_settled_of_an_answer_is_all_but_its_last_block(written: str, whole: str) -> None:
    assert written[: settled_length(written)] == whole


def test_what_was_typed_is_kept_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_history, "MOST", 3)
    file = tmp_path / "kept"
    for word in ("one", "two\nlines", "three", "four", "five", "six", "seven"):
        KeptHistory(file).store_string(word)
    file.write_text(file.read_text("utf-8") + '"half', "utf-8")
    assert list(KeptHistory(file).load_history_strings()) == ["seven", "six", "five"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_was_typed_need_not_be_kept(tmp_path: Path) -> None:
    kept = KeptHistory(tmp_path / "missing" / "kept")
    kept.store_string("one")
    assert list(kept.load_history_strings()) == []


# The door for a user.


@pytest.mark.anyio
async def test_only_the_token_opens_the_door_of_a_user(served: Served, alice: Client) -> None:
    url = "http://127.0.0.1:8765/control/as"
    right = {"Authorization": "Control control-token"}
    for headers in (
        {},
        {"Authorization": "Control guess"},
        {"Authorization": f"Bearer {await served.key('alice')}"},
    ):
        assert (
            await served.client().post(f"{url}/alice/list_models", json={}, headers=headers)
        ).status_code == 404
    assert (await served.client().post(f"{url}/alice/list_models", json={}, headers=right)).json()[
        "models"
    ][0]["name"] == "offline"
    assert (
        await served.client().post(f"{url}/nobody/list_models", json={}, headers=right)
    ).status_code == 404
    assert (
        await served.client().post(f"{url}/alice/list_users", json={}, headers=right)
    ).status_code == 404  # the operator's alone
    streamed = await served.client().post(
        f"{url}/alice/chat", json={"message": "help"}, headers=right
    )
    assert [json.loads(line)["type"] for line in streamed.text.splitlines()][-1] == "completion"
    mine = (await alice.ok("GET", "/conversations"))["conversations"]
    assert [message["senderType"] for message in mine[0]["messages"]] == ["human", "agent"]
