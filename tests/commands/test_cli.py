"""The `hearth` command: alone and beside a running server, and how the server starts, refuses
and ends.
"""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import os
import queue
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from click.testing import CliRunner

from app import __main__ as program
from app.account.users import fit_username
from app.catalog import CATALOG
from app.commands.ask import door as asking
from app.commands.ask import locate_data
from app.core.database import data_dir
from app.interfaces.openapi import openapi_document
from app.settings import Settings
from app.upkeep.backups import encryption
from tests.conftest import ORIGIN, Served
from tests.support.cheap_age import cheap_age
from tests.support.command_line import Running, done, environment, hearth, refused, rest, start
from tests.support.fake_provider import FakeProvider, serving, whole
from tests.support.terminal import terminal

__all__ = ["cheap_age"]
ROOT = Path(program.__file__).parent.parent
KEY_LENGTH = len("hearth_sk_") + 40
numbers = itertools.count(1)


@pytest.fixture
def name() -> str:
    """A username that no other test uses."""
    return f"user-{next(numbers)}"


def names(data: Path) -> list[str]:
    return [
        row["username"] for row in json.loads(done("user", "list", "--json", data=data))["users"]
    ]


def identity(server: Running, key: str) -> httpx.Response:
    return httpx.get(f"{server.url}/api/v1/identity", headers={"Authorization": f"Bearer {key}"})


# Users and keys, alone and beside a server


def test_a_user_is_added_listed_renamed_and_deleted(home: Path, name: str) -> None:
    assert name in done("user", "add", name.upper(), "--name", "Some Body", data=home)
    assert f"\n{name}\tSome Body\t" in done("user", "list", data=home)
    done("user", "rename", name, f"{name}-new", data=home)
    assert f"{name}-new" in names(home)
    assert name not in names(home)
    assert (
        done("user", "delete", f"{name}-new", "--yes", data=home)
        == f"Deleted {name}-new with 0 notes.\n"
    )
    assert f"{name}-new" not in names(home)


def test_deleting_a_user_wants_the_name_typed_again(home: Path, name: str) -> None:
    done("user", "add", name, data=home)
    for typed in ("no\n", "\n\n", ""):
        assert hearth("user", "delete", name, data=home, sent=typed).exit_code == 1
    assert name in names(home)
    assert done("user", "delete", name, data=home, sent=f"{name}\n").endswith(
        f"Deleted {name} with 0 notes.\n"
    )
    assert name not in names(home)


def test_two_users_become_contacts(home: Path, name: str) -> None:
    done("user", "add", name, data=home)
    assert done("user", "connect", name, "ann", data=home) == f"{name} and ann are now contacts.\n"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("user add ann", "There is a user called ann already."),
        (
            "user add no!",
            "username must have 2 to 32 characters: a-z, 0-9, _ and -, the first a letter "
            "or digit, and not end in _coo.",
        ),
        ("user rename nobody someone", "There is no user called nobody."),
        ("user delete nobody", "There is no user called nobody."),
        ("user connect ann ann", "contact must be another user."),
        ("key create --user nobody", "There is no user called nobody."),
        (
            "key create --user ann --scope os.notes:eat",
            "scopes holds an unknown scope: os.notes:eat.",
        ),
        ("key list --user nobody", "There is no user called nobody."),
        ("key revoke 987654", "There is no key 987654."),
    ],
)
def test_a_refusal_is_the_same_sentence_alone_and_beside_a_server(
    home: Path, command: str, sentence: str
) -> None:
    assert refused(*command.split(), data=home) == sentence


def test_the_last_line_of_key_create_is_a_key_that_works_until_it_is_revoked(
    server: Running, name: str
) -> None:
    done("user", "add", name, data=server.data)
    key = done(
        "key", "create", "--user", name, "--scope", "os.notes:read", data=server.data
    ).splitlines()[-1]
    found = identity(server, key).json()
    assert found["profile"]["username"] == name
    assert found["scopes"] == ["os.notes:read"]
    done("key", "revoke", str(found["credential"]["id"]), data=server.data)
    assert identity(server, key).status_code == 401


def test_a_key_is_listed_without_its_secret(home: Path, name: str) -> None:
    done("user", "add", name, data=home)
    made = done("key", "create", "--user", name, "--label", "phone", "--expires", "30d", data=home)
    listed = done("key", "list", "--user", name, data=home)
    (found,) = json.loads(done("key", "list", "--user", name, "--json", data=home))["keys"]
    assert len(made) == KEY_LENGTH + 1
    assert made.strip() not in listed
    assert "phone" in listed
    assert (found["name"], found["scopes"], found["last4"]) == ("phone", ["*"], made.strip()[-4:])
    done("key", "revoke", str(found["id"]), data=home)
    assert "revoked" in done("key", "list", "--user", name, data=home)


def test_search_says_how_far_it_is(home: Path, name: str) -> None:
    done("user", "add", name, data=home)
    found = json.loads(done("search", "status", "--json", data=home))
    assert (found["words"], found["meaning"]["notes"], found["meaning"]["notesIndexed"]) == (
        {"waiting": 0},
        0,
        0,
    )
    assert done("search", "status", data=home).splitlines()[:3] == [
        "Words: every note is indexed",
        "Patterns: every note is indexed",
        f"Meaning: {found['meaning']['state']}; 0 of 0 notes, 0 passages",
    ]


def test_a_month_is_shown_and_caps_are_set_listed_and_removed(home: Path, name: str) -> None:
    done("user", "add", name, data=home)
    whose = ("--user", name)
    found = json.loads(done("usage", *whose, "--month", "2026-02", "--json", data=home))
    assert (found["month"], found["tokens"]["total"], found["closed"]) == ("2026-02", 0, True)
    assert done("usage", *whose, "--month", "2026-02", data=home).startswith(
        "2026-02: 0 tokens (0 asked, 0 answered, 0 reserved)\n"
    )
    made = done(
        "cap", "set", "account", "tokens", "month", "1000", "--warn", "90", *whose, data=home
    )
    again = done("cap", "set", "account", "tokens", "month", "2000", *whose, data=home)
    assert again == made.replace("1000", "2000")
    assert made.endswith(": at most 1000 tokens a month for the account, of which 0 are used.\n")
    heartbeat, account = json.loads(done("cap", "list", *whose, "--json", data=home))["caps"]
    assert (heartbeat["limit"], account["limit"], account["warnPercent"]) == (50_000, 2000, 90)
    listed = done("cap", "list", *whose, data=home)
    assert "tokens a day, the heartbeat" in listed
    assert "tokens a month, the account" in listed
    assert (
        done("cap", "remove", str(account["id"]), *whose, data=home)
        == f"Removed cap {account['id']}.\n"
    )
    assert len(json.loads(done("cap", "list", *whose, "--json", data=home))["caps"]) == 1
    done("cap", "set", "device", "tokens", "day", "5", "--id", "phone", *whose, data=home)
    assert "tokens a day, the device phone" in done("cap", "list", *whose, data=home)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("usage --user ann --month 2026-13", "month must be a month such as 2026-11."),
        ("usage --user nobody", "There is no user called nobody."),
        ("cap remove 987654 --user ann", "There is no cap 987654."),
        (
            "cap set account tokens day 5 --id x --user ann",
            "There is one account only, so subjectId must be left out.",
        ),
        (
            "cap set device devices month 5 --user ann",
            "Devices can be limited for the account and a month alone.",
        ),
    ],
)
def test_a_refused_cap_is_a_sentence(home: Path, command: str, sentence: str) -> None:
    assert refused(*command.split(), data=home) == sentence


def test_a_model_is_added_tested_chosen_and_removed(home: Path) -> None:
    with in_a_thread() as provider:
        provider.answers(
            whole(call=("get_weather", {"city": "Oslo"})),
            whole(call=("search_todos", {"q": "tax return"})),
            whole(call=("search_notes", {"query": "boiler"})),
            whole("Good evening!"),
            whole("It is -7 °C."),
        )
        shown = done(
            "model",
            "add",
            "tiny",
            "--url",
            provider.url,
            "--key-from",
            "-",
            "--context",
            "32000",
            data=home,
            sent="sk-canary\n",
        )
        assert "It is the default model." in shown
        assert shown.splitlines()[1:] == [
            f"Server: compatible at {provider.url}, serves tiny",
            "Context: 32,000 tokens",
            "Tool calls: work. The agent offers it at most eight tools for each message, "
            "chosen by what the message asks for.",
            "tiny works.",
        ]
        assert {
            asked.headers["authorization"]
            for asked in provider.asked
            if asked.path.startswith("/v1")
        } == {"Bearer sk-canary"}
    silent = hearth("model", "test", "tiny", data=home)
    assert (silent.exit_code, "cannot be reached" in silent.stdout) == (1, True)
    done(
        "model",
        "add",
        "far",
        "--provider",
        "openrouter",
        "--model",
        "vendor/model",
        "--key-from",
        "env:FAR_KEY",
        "--no-test",
        data=home,
    )
    listed = json.loads(done("model", "list", "--json", data=home))
    assert [(row["name"], row["key"], row["default"]) for row in listed["models"]] == [
        ("far", "env:FAR_KEY", False),
        ("tiny", "kept in the data directory", True),
    ]
    assert "sk-canary" not in done("model", "list", data=home) + json.dumps(listed)
    assert done("model", "default", "far", data=home) == "The default model is now far.\n"
    assert (
        refused("model", "default", "near", data=home)
        == "There is no model called near; `hearth model list` shows them all."
    )
    assert refused("model", "add", "far", "--provider", "openai", data=home).startswith(
        "There is a model called far already"
    )
    assert refused(
        "model",
        "add",
        "none",
        "--provider",
        "openai",
        "--key-from",
        "-",
        data=home,
        code=2,
        sent="",
    ) == ("No key was given on standard input.")
    done("model", "remove", "far", data=home)
    assert (
        done("model", "remove", "tiny", data=home)
        == "Removed tiny. The default model is offline.\n"
    )
    assert list(home.glob("model-key-*")) == []


@contextlib.contextmanager
def in_a_thread() -> Iterator[FakeProvider]:
    """A provider of models with an event loop of its own, since commands have theirs."""
    ready: queue.Queue[FakeProvider] = queue.Queue()
    ends = threading.Event()

    async def serve() -> None:
        async with serving() as provider:
            ready.put(provider)
            await asyncio.to_thread(ends.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        yield ready.get(timeout=20)
    finally:
        ends.set()
        thread.join()


def test_the_user_of_a_key_may_be_left_out_only_when_there_is_one(tmp_path: Path) -> None:
    done("init", "--user", "first", data=tmp_path)
    assert len(done("key", "create", data=tmp_path).splitlines()[-1]) == KEY_LENGTH
    done("user", "add", "second", data=tmp_path)
    assert "--user first or second" in refused("key", "create", data=tmp_path, code=2)
    for user in ("first", "second"):
        done("user", "delete", user, "--yes", data=tmp_path)
    assert "There are no users yet" in refused("key", "create", data=tmp_path)


# Setting up


def test_init_gives_a_key_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert len(done("init", "--user", "ada", data=data).splitlines()[-1]) == KEY_LENGTH
    again = hearth("init", "--user", "ada", data=data)
    assert (again.exit_code, again.stdout) == (0, "")
    assert "already set up" in again.stderr
    assert names(data) == ["ada"]


def test_init_leaves_a_directory_only_its_owner_can_read(tmp_path: Path) -> None:
    done("init", data=tmp_path / "data")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    assert modes == {"check.json": 0o600, "hearth.db": 0o600, "server.lock": 0o600}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_command_makes_no_database_where_there_is_none(tmp_path: Path) -> None:
    for command in (("user", "list"), ("key", "create"), ("user", "rename", "a1", "b1")):
        assert "There is no database in" in refused(*command, data=tmp_path / "typo")
    assert not (tmp_path / "typo").exists()


def test_migrate_names_the_steps_and_then_has_nothing_to_do(tmp_path: Path) -> None:
    assert done("migrate", data=tmp_path).startswith("Done: m001_accounts\n")
    assert done("migrate", data=tmp_path) == "The database is up to date.\n"


def test_after_a_command_that_wrote_and_failed_the_database_is_not_taken_for_damaged(
    tmp_path: Path,
) -> None:
    done("init", "--user", "ann", data=tmp_path)
    done("note", "add", "Frost dates", "--content", "12 May", data=tmp_path)
    assert "nope" in refused("tool", "call", "nope", data=tmp_path)  # its denial is audited
    assert "Frost dates" in done("note", "list", data=tmp_path)


def test_migrate_is_refused_beside_a_server(server: Running) -> None:
    assert f"in use by process {server.process.pid}" in refused("migrate", data=server.data)


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("migrate",), ("user", "list"), ("init",)]
)
def test_a_file_of_a_newer_version_is_refused(
    tmp_path: Path, migrated: Path, command: tuple[str, ...]
) -> None:
    shutil.copy(migrated, tmp_path / "hearth.db")
    with sqlite3.connect(tmp_path / "hearth.db") as connection:
        connection.execute(
            "UPDATE _sqlite_migrations SET name = 'm999_later' WHERE name = 'm001_accounts'"
        )
    connection.close()
    assert "was made by a newer Hearth (it holds m999_later)" in refused(*command, data=tmp_path)


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("migrate",), ("user", "list")])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "hearth.db").write_text("not a database " * 1000)
    assert refused(*command, data=tmp_path) == "Cannot use the database: file is not a database."


@pytest.mark.parametrize("command", ["serve", "init", "user list", "settings", "migrate"])
def test_settings_that_cannot_be_used_are_all_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    bad = {
        "PORT": "99999",
        "DURABILITY": "some",
        "COLOUR": "red",
        "DATA": "",
        "ACCESS_LOG": "maybe",
    }
    for setting, value in bad.items():
        monkeypatch.setenv(f"HEARTH_{setting}", value)
    result = CliRunner().invoke(program.hearth, command.split())
    assert result.exit_code == 2
    assert all(f"HEARTH_{setting}: " in result.stderr for setting in bad)


def test_settings_shows_each_with_its_default_and_what_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEARTH_PORT", "9000")
    shown = done("settings")
    assert all(
        f"HEARTH_{field.name.upper()} (default " in shown for field in dataclasses.fields(Settings)
    )
    assert "HEARTH_PORT (default 8765, now 9000)" in shown
    assert "HEARTH_HOST (default 127.0.0.1)" in shown


def test_the_data_directory_is_the_one_named_then_the_checkouts_then_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert locate_data.data_directory(Settings(data=tmp_path / "named")) == tmp_path / "named"
    assert locate_data.data_directory(Settings()) == ROOT / "data"
    monkeypatch.setattr(locate_data, "CHECKOUT", tmp_path)
    assert locate_data.data_directory(Settings()).is_absolute()
    assert ROOT not in locate_data.data_directory(Settings()).parents


@pytest.mark.parametrize(
    ("login", "username"),
    [
        ("ada", "ada"),
        ("Ada Lovelace", "ada-lovelace"),
        ("Jürgen", "jurgen"),
        ("_www", "www"),
        ("x", "owner"),
        ("李", "owner"),
        ("", "owner"),
        ("a" * 40, "a" * 32),
        ("ada_coo", "ada"),
        ("_coo", "coo"),
        ("ada_coo_coo", "ada"),
        ("a.b@example.org", "a-b-example-org"),
    ],
)
def test_a_login_name_is_made_to_fit(login: str, username: str) -> None:
    assert fit_username(login) == username


# The API on the screen


def test_routes_fit_the_screen_and_leave_none_out() -> None:
    lines = done("routes").splitlines()
    assert max(map(len, lines)) <= 120
    assert [tuple(line.split()[:2]) for line in lines[1:]] == [
        (method, path) for method, path, _ in CATALOG.routes()
    ]
    assert [(row["method"], row["path"]) for row in json.loads(done("routes", "--json"))] == [
        (method, path) for method, path, _ in CATALOG.routes()
    ]


def test_openapi_is_the_document_that_is_served() -> None:
    assert json.loads(done("openapi")) == openapi_document(CATALOG, ORIGIN)


def test_every_command_explains_itself() -> None:
    for command in program.hearth.commands:
        assert done(command, "--help").startswith(f"Usage: hearth {command}")
    assert done("--version").startswith("hearth ")
    assert hearth("no-such-command").exit_code == 2


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    command = [sys.executable, "-m", "app", "openapi"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


# Starting


def test_the_first_start_alone_writes_a_key_that_works_into_a_file_for_its_owner(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    first = start(data, "--user", "ada")
    assert first.process.stdout is not None
    said = "".join(first.process.stdout.readline() for _ in range(2))
    file = data / "first-key"
    key = file.read_text("ascii").strip()
    assert file.stat().st_mode & 0o777 == 0o600
    assert identity(first, key).json()["profile"]["username"] == "ada"
    folders = httpx.get(
        f"{first.url}/api/v1/os/folders", headers={"Authorization": f"Bearer {key}"}
    ).json()["folders"]
    assert [folder["name"] for folder in folders] == ["General"]
    assert first.end() == 0
    said += "".join(rest(first))
    assert f'The API key for the user "ada" is in {file}.' in said
    assert "hearth_sk_" not in said
    file.unlink()
    second = start(data, "--user", "eve")
    assert identity(second, key).status_code == 200
    assert second.end() == 0
    said, warned = rest(second)
    assert said == ""
    assert warned.startswith("There is a user already, ada, and --user is for the first start")
    assert names(data) == ["ada"]


def test_a_terminal_shows_the_first_key_and_no_file_holds_it(tmp_path: Path) -> None:
    with terminal(
        "serve", "--data", str(tmp_path / "data"), "--port", "0", "--user", "ada", "--no-open"
    ) as screen:
        link = screen.until("not shown again.")
        assert re.search(r"http://127.0.0.1:\d+/auth/sign-in#code=(\w{4}-){2}\w{4}\b", link)
        screen.until("hearth_sk_")
        assert not (tmp_path / "data" / "first-key").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a script as the browser")
@pytest.mark.parametrize("opens", [True, False])
def test_the_first_start_alone_opens_the_browser_unless_it_is_told_not_to(
    tmp_path: Path, opens: bool
) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o700)
    data = str(tmp_path / "data")
    more = () if opens else ("--no-open",)
    display = {"DISPLAY": ":0", "BROWSER": str(browser), "SSH_CONNECTION": ""}
    for _ in range(2):
        with terminal("serve", "--data", data, "--port", "0", *more, **display) as screen:
            screen.until("Hearth is at")
            time.sleep(0.5)
            screen.type("\x03")
            assert screen.end() == 0
    links = opened.read_text().splitlines() if opened.exists() else []
    assert len(links) == int(opens)
    assert all("/auth/sign-in#code=" in link for link in links)


def test_a_name_that_cannot_be_a_user_ends_the_first_start(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "app",
        "serve",
        "--data",
        str(tmp_path),
        "--port",
        "0",
        "--user",
        "A B",
    ]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Error: username must have 2 to 32 characters")
    assert names(tmp_path) == []


@pytest.mark.parametrize("same_port", [True, False])
def test_a_second_server_is_refused_and_changes_nothing(server: Running, same_port: bool) -> None:
    before = sorted(
        (path.name, path.stat().st_mtime_ns)
        for path in server.data.iterdir()
        if path.name != "access.log"
    )
    port = str(server.port) if same_port else "0"
    assert f"is in use by process {server.process.pid}." in refused(
        "serve", "--port", port, data=server.data
    )
    assert (
        sorted(
            (path.name, path.stat().st_mtime_ns)
            for path in server.data.iterdir()
            if path.name != "access.log"
        )
        == before
    )
    assert httpx.get(f"{server.url}/healthz").status_code == 200


def test_a_taken_port_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert refused("serve", "--port", str(port), data=tmp_path / "data") == (
            f"Port {port} on 127.0.0.1 is in use by another program. Choose another with --port."
        )
    assert not (tmp_path / "data").exists()


def test_a_start_waits_for_a_command_at_work(tmp_path: Path) -> None:
    working = threading.Event()

    def work() -> None:
        with data_dir.own_directory(tmp_path):
            working.set()
            time.sleep(0.3)

    command = threading.Thread(target=work)
    command.start()
    working.wait()
    assert done("migrate", data=tmp_path).startswith("Done: ")
    command.join()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_address_that_others_can_reach_wants_to_be_allowed(tmp_path: Path, host: str) -> None:
    assert "--allow-remote" in refused(
        "serve", "--host", host, "--port", "0", data=tmp_path / "data", code=2
    )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("host", ["x" * 70, ""])
def test_a_host_that_is_no_address_is_refused(tmp_path: Path, host: str) -> None:
    assert "is not an address or name of this machine" in refused(
        "serve", "--host", host, data=tmp_path / "data", code=2
    )


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    result = hearth(
        "serve", "--host", "192.0.2.1", "--port", "0", "--allow-remote", data=tmp_path / "data"
    )
    assert result.exit_code == 1
    assert "Cannot listen on 192.0.2.1" in result.stderr
    assert not (tmp_path / "data").exists()


def test_an_allowed_remote_address_is_explained_and_answers_commands(tmp_path: Path) -> None:
    server = start(
        tmp_path, "--host", "0.0.0.0", "--allow-remote", HEARTH_ALLOWED_HOSTS="hearth.example.org"
    )
    assert server.url.startswith("http://127.0.0.1:")
    assert len(names(tmp_path)) == 1
    assert (
        httpx.get(f"{server.url}/healthz", headers={"Host": "hearth.example.org"}).status_code
        == 200
    )
    assert (
        httpx.get(f"{server.url}/healthz", headers={"Host": "evil.example.org"}).status_code == 403
    )
    assert server.end() == 0
    _, warned = rest(server)
    assert "plain HTTP" in warned
    assert "list the host names in use in HEARTH_ALLOWED_HOSTS (now: hearth.example.org)" in warned


# Ending


def half_sent(server: Running, key: str) -> socket.socket:
    """Give a connection whose request the server is reading.

    Its headers are there, its body is not.
    """
    connection = socket.create_connection(("127.0.0.1", server.port), 20)
    head = (
        "POST /api/v1/os/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        f"{key}\r\nContent-Length: 31\r\nExpect: 100-continue\r\n\r\n"
    )
    connection.sendall(head.encode())
    assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
    return connection


def wait_until_closed(port: int) -> None:
    """Wait until nobody listens at the port any more."""
    for _ in range(2000):
        try:
            socket.create_connection(("127.0.0.1", port), 20).close()
        except OSError:
            return
        time.sleep(0.005)
    pytest.fail("the server still listens")


def fresh_server(data: Path) -> tuple[Running, str]:
    key = done("init", "--user", "ada", data=data).splitlines()[-1]
    return start(data), key


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_a_request_finish_and_leaves_the_database_closed(
    tmp_path: Path, number: int
) -> None:
    server, key = fresh_server(tmp_path)
    with half_sent(server, key) as connection:
        server.process.send_signal(number)
        wait_until_closed(server.port)
        connection.sendall(b'{"title":"Last","content":"1"} ')
        assert connection.recv(100_000).startswith(b"HTTP/1.1 201 ")
    assert server.process.wait(20) == 0
    assert rest(server) == ("", "")
    left = {path.name for path in tmp_path.iterdir()} - {"access.log", "reserve"}
    assert left == {"check.json", "hearth.db", "server.lock"}


def test_a_second_interrupt_ends_the_server_at_once(tmp_path: Path) -> None:
    server, key = fresh_server(tmp_path)
    with half_sent(server, key):
        server.process.send_signal(signal.SIGINT)
        wait_until_closed(server.port)
        assert server.end(signal.SIGINT) == 130
    assert rest(server) == ("", "")
    assert names(tmp_path) == ["ada"]


def test_after_a_killed_server_commands_work_and_the_next_start_goes_on(tmp_path: Path) -> None:
    server, key = fresh_server(tmp_path)
    assert server.end(signal.SIGKILL) == -signal.SIGKILL
    rest(server)
    assert (tmp_path / "control.json").exists()
    assert names(tmp_path) == ["ada"]
    again = start(tmp_path)
    assert identity(again, key).status_code == 200
    assert again.end() == 0
    assert rest(again) == ("", "")


@pytest.mark.anyio
async def test_a_request_that_an_ending_server_gives_up_is_told_so(served: Served) -> None:
    sent: list[Any] = []
    reading = asyncio.Event()

    async def receive() -> Any:
        reading.set()
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    key = await served.person("ada")
    headers = [(b"host", b"localhost"), (b"authorization", key.headers["authorization"].encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/os/notes",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
    }
    request = asyncio.create_task(served.asgi(scope, receive, send))
    await reading.wait()
    request.cancel()
    await request
    await key.aclose()
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["error"] == "unavailable"


# The door for commands


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "pid", [1, os.getpid()], ids=["of another process", "of a server that has stopped listening"]
)
def test_a_stale_door_is_a_sentence(tmp_path: Path, pid: int) -> None:
    done("init", data=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with (
        data_dir.own_directory(tmp_path),
        data_dir.announce_server(tmp_path, pid=pid, url=f"http://127.0.0.1:{port}", token="t"),
    ):
        sentence = refused("user", "list", data=tmp_path)
    assert f"is in use by process {os.getpid()}." in sentence
    assert "does not answer commands" in sentence


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "belongs to another data directory"),
        (b"nonsense", "belongs to another data directory"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n<p>", "another program may listen there"),
        (b"HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n[]", "another program may listen there"),
    ],
)
def test_a_stranger_at_the_door_is_a_sentence(tmp_path: Path, answer: bytes, told: str) -> None:
    done("init", data=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as stranger:

        def respond() -> None:
            connection, _ = stranger.accept()
            with connection:
                connection.recv(100_000)
                connection.sendall(answer)

        thread = threading.Thread(target=respond)
        thread.start()
        url = f"http://127.0.0.1:{stranger.getsockname()[1]}"
        with (
            data_dir.own_directory(tmp_path),
            data_dir.announce_server(tmp_path, pid=os.getpid(), url=url, token="t"),
        ):
            assert told in refused("user", "list", data=tmp_path)
        thread.join()


def test_the_door_wants_its_token(server: Running) -> None:
    found: Any = data_dir.read_announcement(server.data)
    assert (
        httpx.post(
            f"{found.url}/control/list_users", headers={"Authorization": "Control guess"}, json={}
        ).status_code
        == 404
    )
    assert (
        httpx.post(
            f"{found.url}/control/list_users",
            headers={"Authorization": f"Control {found.token}"},
            json={},
        ).status_code
        == 200
    )
    assert stat.S_IMODE((server.data / "control.json").stat().st_mode) == 0o600


def test_a_server_leaves_checkpoints_to_another_program_and_says_what_that_needs(
    tmp_path: Path,
) -> None:
    running = start(tmp_path / "data", "--external-checkpoints", "--user", "first")
    assert running.end() == 0
    assert ("Before 3.51.3" in rest(running)[1]) == (sqlite3.sqlite_version_info < (3, 51, 3))
    assert (tmp_path / "data" / (data_dir.DATABASE + "-wal")).stat().st_size > 0
    assert "first" in done("user", "list", data=tmp_path / "data")


def test_backups_are_made_listed_and_proven_beside_a_server_and_without_one(
    home: Path, tmp_path: Path
) -> None:
    made = done("backup", data=home)
    assert "checked." in made
    path = Path(made.splitlines()[0])
    assert path.parent == home / "backups"
    assert "and read back 0 notes correctly" in done("backup", "--prove", data=home)
    listed = json.loads(done("backup", "--list", "--json", data=home))["backups"]
    assert (listed[0]["file"], listed[0]["trouble"], listed[0]["proof"][:9]) == (
        str(path),
        None,
        "restored ",
    )
    assert path.name in done("backup", "--list", data=home)
    assert Path(done("backup", str(tmp_path), data=home).splitlines()[0]).parent == tmp_path
    assert json.loads(done("doctor", "--json", data=home))["well"] is True
    assert "notes" in done("storage", data=home)


@pytest.mark.usefixtures("cheap_age")
def test_a_passphrase_comes_from_a_file_or_the_terminal_and_never_from_the_command(
    alone: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "passphrase"
    secret.write_text("a passphrase of a file\n", "utf-8")
    for options, sent, passphrase in (
        (("--passphrase-file", str(secret)), None, "a passphrase of a file"),
        (("--encrypt",), "a typed passphrase\na typed passphrase\n", "a typed passphrase"),
    ):
        target = tmp_path / "sealed.age"
        assert "encrypted" in done("backup", str(target), *options, data=alone, sent=sent)
        encryption.unseal(target, tmp_path / "opened", passphrase)
        assert (tmp_path / "opened").read_bytes().startswith(b"SQLite format 3")
        target.unlink()
    assert hearth("backup", "--passphrase-file", str(tmp_path / "none"), data=alone).exit_code == 2
    (tmp_path / "empty").touch()
    assert hearth("backup", "--passphrase-file", str(tmp_path / "empty"), data=alone).exit_code == 2
