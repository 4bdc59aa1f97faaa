"""`hearth add`, `today`, `find`, `ask`, `inbox`, `log`, `status`, `open` and `login`."""

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2 as httpx
import pytest

from app.commands.daily import open_browser
from app.commands.daily.find import Hit, list_hits
from app.commands.terminal import browser
from tests.support.command_line import Running, done, hearth, refused
from tests.support.terminal import terminal

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
LINK = re.compile(r"http://[\w.:]+/auth/sign-in#code=((?:\w{4}-){2}\w{4})\n")


def day(plus: int) -> str:
    return (datetime.now(UTC) + timedelta(days=plus)).date().isoformat()


def test_a_todo_is_added_as_it_is_said(home: Path) -> None:
    number = done("add", "buy", "milk", "tomorrow", "p1", data=home).strip()
    todo = json.loads(done("todo", "show", number, "--json", data=home))["todo"]
    assert (todo["title"], todo["dueDate"], todo["priority"]) == ("buy milk", day(1), 5)


@pytest.mark.parametrize(
    ("zone", "offset"),
    [
        ("Asia/Kathmandu", "+05:45"),
        (":Asia/Kathmandu", "+05:45"),
        ("UTC", "+00:00"),
        ("Mars/Olympus", "+00:00"),
        ("../../etc/passwd", "+00:00"),
    ],
)
def test_times_are_meant_where_somebody_types(
    server: Running, monkeypatch: pytest.MonkeyPatch, zone: str, offset: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    answer = json.loads(
        done("add", "-n", "call on 2099-12-01 at 17:00", "--json", data=server.data)
    )
    assert answer["read"]["dueDate"] == f"2099-12-01T17:00{offset}"


def test_a_day_without_a_time_is_told_without_one(home: Path) -> None:
    said = done("add", "-n", "pay the rent on 2099-03-12", data=home)
    assert said.startswith("Would add: pay the rent, due Thursday, 12 March 2099\n")


def test_a_due_date_is_read_as_it_is_in_a_new_todo(home: Path) -> None:
    number = done("todo", "add", "Prune", "--due-date", "tomorrow", data=home).strip()

    def due() -> str | None:
        return json.loads(done("todo", "show", number, "--json", data=home))["todo"]["dueDate"]

    assert due() == day(1)
    done("todo", "edit", number, "--due-date", "the day after tomorrow at 17:00", data=home)
    assert due() == f"{day(2)}T17:00:00.000Z"
    done("todo", "edit", number, "--due-date", "", data=home)
    assert due() is None
    for wrong in ("whenever", "every friday", "call mum tomorrow", "2027-02-31"):
        assert "dueDate" in refused("todo", "edit", number, "--due-date", wrong, data=home)
    assert due() is None


def test_what_would_be_recognised_can_be_asked_and_left_alone(home: Path) -> None:
    before = done("todo", "list", data=home)
    said = done("add", "-n", "Call mum every friday at 5pm", data=home)
    assert said.startswith("Would add: Call mum, due ")
    assert re.search(r"due Friday, \d+ \w+ \d{4} at 17:00, every Friday\n", said)
    assert "Recognised “every friday”, “at 5pm”." in said
    left = json.loads(
        done("add", "-n", "read 1984 tomorrow", "--ignore", "date", "--json", data=home)
    )
    assert left["read"]["title"] == "read 1984 tomorrow"
    assert left["todo"] is None
    assert done("todo", "list", data=home) == before


def test_each_line_of_a_pipe_is_a_todo(home: Path) -> None:
    numbers = done("add", data=home, sent="one\n\n  two tomorrow \n").split()
    titles = [
        json.loads(done("todo", "show", number, "--json", data=home))["todo"]["title"]
        for number in numbers
    ]
    assert titles == ["one", "two"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "Say what there is to do"),
        (("",), 1, "text must"),
        (("x" * 2001,), 1, "text must"),
        (("pay rent on 31 February",), 1, "There is no day “31 February”."),
    ],
)
def test_what_is_no_todo_is_refused(
    home: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    before = done("todo", "list", data=home)
    assert said in refused("add", *words, data=home, code=code)
    assert done("todo", "list", data=home) == before


def test_today_shows_what_is_late_and_what_is_due(server: Running) -> None:
    data = server.data
    done("todo", "add", "Very late", "--due-date", day(-3), data=data)
    done("todo", "add", "Just right", "--due-date", day(0), data=data)
    done("todo", "add", "Far away", "--due-date", day(9), data=data)
    said = done("today", data=data)
    overdue, due = said.split("Today\n")
    assert "Very late" in overdue
    assert day(-3) in overdue
    assert "Just right" in due
    assert "Far away" not in said
    found = json.loads(done("today", "--json", data=data))
    assert [todo["title"] for todo in found["overdue"]] == ["Very late"]
    assert "Just right" in [todo["title"] for todo in found["today"]]


def test_a_day_without_anything_says_so(tmp_path: Path) -> None:
    done("init", "--user", "ann", data=tmp_path / "data")
    assert done("today", data=tmp_path / "data") == "Nothing is due today.\n"
    assert done("inbox", data=tmp_path / "data") == "Nothing waits for you.\n"


def test_find_finds_notes_and_todos_and_lines(home: Path) -> None:
    note = done("note", "add", "Weather", "--content", "> **Frost** on\n12 May", data=home).strip()
    todo = done("todo", "add", "Frost cloth", data=home).strip()
    rows = [line.split("\t") for line in done("find", "frost", data=home).splitlines()]
    assert ["todo", todo, "Frost cloth"] in [row[:3] for row in rows]
    assert ["note", note, "Weather"] in [row[:3] for row in rows]
    assert ["note", note, "Weather", "", "Frost on 12 May"] in [row[:5] for row in rows]
    assert {row[5] for row in rows} <= {"", "words", "both"}
    lines = done("find", "-e", r"\d+ May", data=home)
    assert f"note\t{note}\tWeather\t2\t12 May" in lines
    assert refused("find", "-e", "(", data=home)
    assert done("find", "zzzzqqqq", data=home) == ""


def test_what_is_only_near_in_meaning_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    list_hits([Hit("note", 1, "Walrus", "It swims", match=match) for match in ("both", "meaning")])
    assert [line.split("  ")[1:] for line in capsys.readouterr().out.splitlines()] == [
        ["Walrus", "note 1"],
        [" It swims"],
        ["Walrus", "note 1", "near in meaning"],
        [" It swims"],
    ]


@on_posix
def test_what_is_found_can_be_opened(server: Running) -> None:
    done("note", "add", "Opened", "--content", "The whole text of it", data=server.data)
    with terminal("find", "opened", "--data", str(server.data), PAGER="cat") as window:
        window.until("Open which?")
        window.type("1\r")
        window.until("The whole text of it")
        assert window.end() == 0
    with terminal("find", "opened", "--data", str(server.data)) as window:
        window.until("Open which?")
        window.type("99\r")
        window.until("There is no number 99 in the list.")
        assert window.end() == 2


def test_ask_answers_with_what_is_piped_below_the_question(home: Path) -> None:
    said = done("ask", "add", "water the roses", "to my todos", data=home)
    assert "water the roses" in said.lower()
    assert "water the roses" in done("todo", "list", data=home).lower()
    assert done("ask", data=home, sent="How many todos do I have?\n")
    assert refused("ask", data=home, code=2).startswith("Ask something")


def test_an_answer_that_was_shown_is_read_and_can_be_taken_back(home: Path) -> None:
    assert done("ask", "add buy lamps to my todos", data=home).startswith("Added")
    assert "buy lamps" not in done("inbox", data=home)
    assert "buy lamps" in done("ask", "-c", "undo that", data=home)
    assert "buy lamps" not in done("todo", "list", data=home)


def test_log_tells_what_agents_did_for_this_user(home: Path) -> None:
    done("ask", "add buy candles to my todos", data=home)
    rows = [line.split("\t") for line in done("log", data=home).splitlines()]
    assert any(row[2:4] == ["did", "create_todo"] for row in rows)
    done("user", "add", f"other{len(rows)}", data=home)
    assert done("log", "--user", f"other{len(rows)}", data=home) == ""
    done("user", "delete", f"other{len(rows)}", "--yes", data=home)


def test_inbox_shows_who_asks_and_answers(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done("init", "--user", "ann", data=data)
    done("user", "add", "ben", data=data)
    done("contact", "request", "ann", "--note", "It is Ben", "--user", "ben", data=data)
    said = done("inbox", "--user", "ann", data=data)
    assert "@ben" in said
    assert "It is Ben" in said
    command = re.search("hearth (request answer .*)", said)
    assert command is not None
    done(*command[1].split(), "--user", "ann", data=data)
    assert "ben" in done("contact", "list", "--user", "ann", data=data)
    done("message", "send", "ann", "Hello Ann", "--user", "ben", data=data)
    assert "Hello Ann" in done("inbox", "--user", "ann", data=data)


def test_status_tells_how_everything_stands(home: Path, server: Running) -> None:
    said = done("status", data=home)
    assert (server.url in said) == (home == server.data)
    assert ("not running" in said) == (home != server.data)
    assert f"Data      {home}" in said
    found = json.loads(done("status", "--json", data=home))
    assert found["user"] == "ann"
    assert found["workspace"]["database"]["state"] == "writable"


def sign_in(link: str) -> int:
    """Give how the sign-in page answers to the code of a link."""
    origin, code = link.split("/auth/sign-in#code=")
    answer = httpx.post(
        f"{origin}/api/auth/sign-in", json={"code": code.strip()}, headers={"Origin": origin}
    )
    return answer.status_code


@pytest.mark.parametrize("words", [("login",), ("open", "--print")])
def test_a_link_signs_a_browser_in_once(server: Running, words: tuple[str, ...]) -> None:
    said = hearth(*words, data=server.data)
    assert LINK.fullmatch(said.stdout)
    assert said.stderr.startswith("Signs ann in, once and until ")
    assert sign_in(said.stdout) < 300
    assert sign_in(said.stdout) == 401


def test_a_link_can_be_for_another_address(server: Running) -> None:
    said = done("login", "--origin", "https://hearth.example.org/", data=server.data)
    assert said.startswith("https://hearth.example.org/auth/sign-in#code=")


def test_open_opens_the_browser_where_there_is_a_display(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_browser.webbrowser, "open", lambda link: opened.append(link) or True)
    monkeypatch.setattr(open_browser, "can_open_browser", lambda: True)
    said = hearth("open", data=server.data)
    assert (said.stdout, said.stderr) == ("", "Opened Hearth in the browser, for ann.\n")
    assert LINK.fullmatch(opened[0] + "\n")


@pytest.mark.parametrize(
    ("platform", "environment", "can"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ":10", "SSH_CONNECTION": "a b"}, False),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "a b"}, False),
        ("win32", {}, True),
    ],
)
def test_a_browser_is_opened_only_where_somebody_sees_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], can: bool
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(browser.sys, "platform", platform)
    assert browser.can_open_browser() is can


@pytest.mark.parametrize("words", [("open",), ("login",)])
def test_without_a_server_there_is_nothing_to_open(alone: Path, words: tuple[str, ...]) -> None:
    assert refused(*words, data=alone) == (
        "The server is not running. Start it with `hearth serve`."
    )


def test_without_a_database_it_says_how_to_begin(tmp_path: Path) -> None:
    assert "hearth init" in refused("today", data=tmp_path / "none")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/os/todos", "-f", "limit=1"), '"total"'),
        (("/os/todos?q=no+such+todo&limit=1",), '"total": 0'),
        (("GET", "/api/v1/os/notes"), '"notes"'),
        (("get", "/identity"), '"ann"'),
        (("POST", "/os/todos", "-f", "title=By the API", "-f", "priority=2"), '"priority": 2'),
    ],
)
def test_the_raw_door_answers_with_json(home: Path, words: tuple[str, ...], said: str) -> None:
    answer = done("api", *words, data=home)
    assert isinstance(json.loads(answer), dict)
    assert said in answer


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/nowhere",), "There is no endpoint /nowhere."),
        (("PUT", "/os/notes"), "/os/notes has no PUT, but GET and POST."),
        (("GET", "/a", "b"), "Say a method and a path"),
        (("/os/notes", "-f", "limit"), "--field needs NAME=VALUE"),
        (("/os/notes", "--input", "/nowhere"), "--input needs a file"),
    ],
)
def test_the_raw_door_says_what_is_wrong(
    server: Running, words: tuple[str, ...], said: str
) -> None:
    assert said in refused("api", *words, data=server.data, code=2)


def test_the_raw_door_takes_fields_from_a_pipe(server: Running) -> None:
    sent = json.dumps({"title": "Piped fields", "content": "x"})
    answer = done("api", "POST", "/os/notes", "--input", "-", data=server.data, sent=sent)
    number = json.loads(answer)["note"]["id"]
    assert json.loads(done("api", f"/os/notes/{number}", data=server.data))["note"]["title"] == (
        "Piped fields"
    )
