"""`hearth note`, `todo`, `folder` and the others: beside a server, without one, on a terminal."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.commands.operations.command_index import command_of
from app.commands.operations.show_answer import show_answer
from tests.support.command_line import Running, done, environment, hearth, refused, start
from tests.support.terminal import terminal

ROOT = Path(__file__).parents[3]
HEAVY = ("sqlite3", "msgspec", "asyncio", "app.catalog", "rich", "prompt_toolkit")
TEXT = "# Tomatoes\r\nSow in *March*.\n\nÄpfel, 番茄\x0c without an end"


def test_a_note_goes_its_whole_way(home: Path) -> None:
    folder = done("folder", "add", "Way/Spring", data=home).strip()
    number = done(
        "note", "add", "Whole way", "--folder", "Way", "--content", "One", data=home
    ).strip()
    assert number.isdecimal()
    assert done("note", "show", "whole WAY", data=home) == "One"
    assert done("note", "show", "Way/Whole way", data=home) == "One"
    assert done("note", "show", number, data=home) == "One"
    done("note", "edit", number, "--title", "Whole", "--tag", "a", "--tag", "b", data=home)
    done("note", "move", "Whole", "--folder", "Way/Spring", data=home)
    rows = [line.split("\t") for line in done("note", "list", data=home).splitlines()]
    assert [[number, "Whole", "Way/Spring", "a,b"]] == [row[:4] for row in rows if row[0] == number]
    copy = done("note", "copy", "Whole", "--title", "Twin", data=home).strip()
    done("note", "pin", copy, data=home)
    answer = json.loads(done("note", "show", copy, "--json", data=home))
    assert answer["note"]["pinned"] is True
    done("note", "delete", "Whole", data=home)
    assert refused("note", "show", number, data=home) == "There is no such note."
    done("trash", "restore", "note", "whole", data=home)
    assert done("note", "show", "Whole", data=home) == "One"
    done("note", "move", "Whole", "--folder", "/", data=home)
    assert number in [str(note["id"]) for note in listed(home, "/")]
    assert {note["folderId"] for note in listed(home, "/")} == {None}
    assert {note["folderId"] for note in listed(home, "/", "--recursive")} >= {None, int(folder)}
    assert {note["folderId"] for note in listed(home, "Way")} == {int(folder)}


def listed(home: Path, folder: str, *options: str) -> list[dict[str, Any]]:
    """Give the notes that are listed of a folder."""
    told = done("note", "list", "--folder", folder, *options, "--json", data=home)
    return json.loads(told)["notes"]  # type: ignore[no-any-return]


def test_folders_are_told_by_their_paths_and_missing_links_by_their_names(home: Path) -> None:
    for folder in ("Home/Old", "Work/Old"):
        done("folder", "add", folder, data=home)
        done("note", "add", "Same", "--folder", folder, "--content", folder, data=home)
    rows = [line.split("\t") for line in done("note", "list", data=home).splitlines()]
    assert {row[2] for row in rows if row[1] == "Same"} == {"Home/Old", "Work/Old"}
    rows = [line.split("\t") for line in done("folder", "list", data=home).splitlines()]
    assert {"Home", "Home/Old", "Work/Old"} <= {row[1] for row in rows}
    names = [
        one["name"] for one in json.loads(done("folder", "list", "--json", data=home))["folders"]
    ]
    assert "Old" in names
    text = "See [[Home/Old/Same]], [[Nowhere]] and [x](hearth:note/999)."
    number = done("note", "add", "Leading", "--content", text, data=home).strip()
    rows = [line.split("\t") for line in done("note", "links", number, data=home).splitlines()]
    assert [row[1:] for row in rows] == [
        ["wiki", "Same", ""],
        ["wiki", "Nowhere", "missing"],
        ["note", "999", "missing"],
    ]


def test_answers_that_are_lists_or_empty_are_shown(home: Path) -> None:
    device = ("--device-id", "laptop", "--bridge-version", "1", "--adapter-version", "1")
    made = ("--runtime", "codex", *device, "--capability", "listSessions", "--json")
    registered = done("runtime", "register-endpoint", *made, data=home)
    id_ = json.loads(registered)["endpoint"]["endpointId"]
    assert done("runtime", "list-runtime-grants", data=home) == ""
    assert done("runtime", "list-runtime-grants", "--json", data=home) == "[]\n"
    assert done("api", "/local-agent/grants", data=home) == "[]\n"
    assert done("runtime", "poll-events", id_, data=home) == ""
    assert done("api", f"/local-realtime/poll?endpointId={id_}", data=home) == "[]\n"
    assert done("runtime", "beat-endpoint", id_, data=home) == ""
    assert done("api", "POST", f"/local-agent/endpoints/{id_}/heartbeat", data=home) == "{}\n"
    assert done("runtime", "remove-default-route", data=home) == ""
    assert done("api", "DELETE", "/local-agent/default-route", data=home) == "{}\n"


def test_a_list_of_rows_is_shown_as_a_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = command_of("runtime", "poll-events")
    assert made is not None
    row = {"cursor": "7", "type": "t", "endpointId": "e", "createdAt": "then", "data": {}}
    show_answer("runtime poll-events", made, [row])
    assert capsys.readouterr().out == "e\tt\tthen\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show_answer("runtime poll-events", made, [])
    assert capsys.readouterr().err == "Nothing found.\n"


def test_text_comes_in_and_goes_out_byte_for_byte(home: Path) -> None:
    number = done("note", "add", "--folder", "General", data=home, sent=TEXT).strip()
    found = json.loads(done("note", "show", number, "--json", data=home))["note"]
    assert found["title"] == "Tomatoes"
    shown = hearth("note", "show", number, data=home).stdout_bytes
    assert shown == found["markdown"].encode()
    done("note", "edit", number, data=home, sent="From a pipe\n")
    assert done("note", "show", number, data=home) == "From a pipe\n"
    done("note", "edit", number, "--content", "-", "--title", "Piped", data=home, sent="Again")
    assert done("note", "show", "Piped", data=home) == "Again"
    # a pipe with nothing in it takes no text away
    done("note", "edit", number, "--title", "Still", data=home, sent="")
    assert done("note", "show", "Still", data=home) == "Again"


def test_several_things_of_one_title_are_listed_and_none_is_taken(home: Path) -> None:
    numbers = [done("note", "add", "Twice", "--content", text, data=home).strip() for text in "ab"]
    ended = hearth("note", "delete", "twice", data=home)
    assert ended.exit_code == 2
    assert all(f"  {number}  Twice" in ended.stderr for number in numbers)
    assert "Error: 2 notes are called “twice”. Name one by its ID." in ended.stderr
    for number in numbers:
        assert done("note", "show", number, data=home) in "ab"


def test_a_title_that_there_is_not_names_what_is_like_it(home: Path) -> None:
    done("note", "add", "Potatoes", "--content", "x", data=home)
    ended = hearth("note", "show", "potat", data=home)
    assert ended.exit_code == 1
    assert "Potatoes" in ended.stderr
    assert ended.stderr.endswith("Error: There is no note called “potat”.\n")


def test_todos_change_and_lose_what_is_given_empty(home: Path) -> None:
    number = done("todo", "add", "Order seeds", "--due-date", "2099-12-01", data=home).strip()
    done("todo", "edit", "order seeds", "--priority", "3", data=home)
    todo = json.loads(done("todo", "show", number, "--json", data=home))["todo"]
    assert (todo["dueDate"], todo["priority"]) == ("2099-12-01", 3)
    done("todo", "edit", number, "--due-date", "", data=home)
    assert json.loads(done("todo", "show", number, "--json", data=home))["todo"]["dueDate"] is None
    done("todo", "done", "Order seeds", data=home)
    again = done("todo", "add", "Order seeds", data=home).strip()
    # the one that is still to be done
    done("todo", "delete", "Order seeds", data=home)
    assert refused("todo", "show", again, data=home) == "There is no such todo."
    assert json.loads(done("todo", "show", number, "--json", data=home))["todo"]["completed"]


def test_a_list_of_todos_leaves_out_what_is_done_unless_it_is_told(server: Running) -> None:
    number = done("todo", "add", "Long done", data=server.data).strip()
    done("todo", "complete", number, data=server.data)
    open_ = done("todo", "add", "Still open", data=server.data).strip()

    def listed(*words: str) -> set[str]:
        rows = done("todo", "list", "--limit", "200", *words, data=server.data).splitlines()
        return {row.split("\t")[0] for row in rows} & {number, open_}

    assert listed() == {open_}
    assert listed("--completed") == {number}
    assert listed("--all") == {number, open_}


def test_a_replacement_is_shown_before_it_is_done_and_can_be_taken_back(server: Running) -> None:
    number = done("note", "add", "Replaced", "--content", "one zebra", data=server.data).strip()
    shown = hearth("note", "replace", "zebra", "lion", data=server.data)
    assert shown.stdout == f"Replaced (note {number})\n-one zebra\n+one lion\n"
    assert shown.stderr == "Nothing is changed yet; --no-preview does it.\n"
    assert done("note", "show", number, data=server.data) == "one zebra"
    changed = hearth("note", "replace", "zebra", "lion", "--no-preview", data=server.data)
    assert done("note", "show", number, data=server.data) == "one lion"
    back = re.search("hearth (note undo-replace .*?)`", changed.stderr)
    assert back is not None
    done(*back[1].split(), data=server.data)
    assert done("note", "show", number, data=server.data) == "one zebra"


def test_versions_are_compared_and_restored(server: Running) -> None:
    number = done("note", "add", "Versions", "--content", "first\n", data=server.data).strip()
    done("note", "edit", number, "--content", "second\n", data=server.data)
    assert done("snapshot", "show", "Versions", "1", data=server.data) == "first\n"
    changes = done("snapshot", "diff", "Versions", "1", data=server.data)
    assert "-first\n+second\n" in changes
    done("snapshot", "restore", "Versions", "--seq", "1", data=server.data)
    assert done("note", "show", number, data=server.data) == "first\n"


def test_a_briefing_is_text_and_zero_is_a_number(server: Running) -> None:
    said = done("briefing", "make", data=server.data)
    assert "<" not in said
    assert "\n\n" in said
    assert done("heartbeat", "status", data=server.data).splitlines()[-1].endswith("runsToday\t0")


def test_a_list_of_nothing_is_nothing(server: Running) -> None:
    never = "zzzzqq after:2031-01-01"  # by meaning anything may be a little near
    for words in (("group", "list"), ("memory", "search", never), ("note", "grep", "zzzzqq")):
        assert done(*words, data=server.data) == ""


def test_files_keep_their_bytes(home: Path, tmp_path: Path) -> None:
    content = bytes(range(256)) * 300
    (tmp_path / "plan.bin").write_bytes(content)
    number = done("attachment", "add", str(tmp_path / "plan.bin"), data=home).strip()
    assert hearth("attachment", "download", "plan.bin", data=home).stdout_bytes == content
    done("attachment", "download", number, "-o", str(tmp_path / "back"), data=home)
    assert (tmp_path / "back").read_bytes() == content
    assert refused(
        "attachment", "download", number, "-o", str(tmp_path / "no" / "way"), data=home
    ).startswith("Cannot write")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "plan.bin"]
    done("attachment", "delete", number, data=home)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("note", "show"), 2, "Missing argument"),
        (("note", "frobnicate"), 2, "No such command 'frobnicate'."),
        (("note", "shwo", "1"), 2, "No such command 'shwo'. Did you mean show?"),
        (("ntoe",), 2, "No such command 'ntoe'. Did you mean note?"),
        (("todo", "add", "x", "--due-date", "2026-02-30"), 1, "dueDate"),
        (("todo", "add", "x", "--recurrence", "{"), 2, "--recurrence needs JSON"),
        (("todo", "add", "x", "--steps", "@/nowhere/at/all"), 2, "Cannot read /nowhere/at/all"),
        (("note", "list", "--folder", "No such place"), 1, "There is no folder called No such"),
        (
            ("note", "add", "x", "--content", "", "--folder", "New one"),
            1,
            "There is no folder called New one. `hearth folder add 'New one'` makes it.",
        ),
        (("note", "list", "--sort", "colour"), 2, "colour"),
        (("todo", "edit", "1"), 2, "Say what to change; `hearth todo edit --help`"),
        (("note", "list", "--limit", "many"), 2, "many"),
        (("note", "add", "x" * 256, "--content", ""), 1, "title"),
        (("note", "add"), 1, "There is no text, and so no title."),
        (("contact", "remove", "nobody"), 1, ""),
        (("snapshot", "show", "1", "last"), 2, "'SEQ': 'last' is not a valid integer."),
        (("briefing", "show", "abc"), 2, "Invalid value for 'ID': 'abc' is not a valid integer."),
    ],
)
def test_wrong_input_is_refused_in_words(
    server: Running, words: tuple[str, ...], code: int, said: str
) -> None:
    ended = hearth(*words, data=server.data)
    assert (ended.exit_code, ended.stdout) == (code, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "words", [("note", "show", "a\udcff"), ("note", "add", "a\udcff", "--content", "")]
)
def test_bytes_that_are_no_text_are_refused(home: Path, words: tuple[str, ...]) -> None:
    said = refused(*words, data=home, code=2)
    assert said == "The input holds bytes that are not UTF-8 text."


def test_json_fields_come_inline_and_from_files(server: Running, tmp_path: Path) -> None:
    (tmp_path / "steps.json").write_text('[{"title": "Fill the can"}]')
    number = done(
        "todo",
        "add",
        "Water",
        "--steps",
        f"@{tmp_path / 'steps.json'}",
        "--due-date",
        "2099-01-01",
        "--recurrence",
        '{"rule": "FREQ=DAILY"}',
        data=server.data,
    ).strip()
    todo = json.loads(done("todo", "show", number, "--json", data=server.data))["todo"]
    assert [step["title"] for step in todo["steps"]] == ["Fill the can"]
    assert todo["recurrence"]["rule"] == "FREQ=DAILY"


def test_with_several_users_one_is_asked_for_and_may_be_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    done("init", "--user", "ann", data=data)
    done("note", "add", "Mine", "--content", "", data=data)
    done("user", "add", "ben", data=data)
    assert refused("note", "list", data=data, code=2).startswith("There are several users.")
    assert done("note", "list", "--user", "ben", data=data) == ""
    assert "Mine" in done("note", "list", "--user", "ann", data=data)
    monkeypatch.setenv("HEARTH_USER", "ann")
    assert "Mine" in done("note", "list", data=data)
    assert refused("note", "list", "--user", "eve", data=data) == "There is no user called eve."


def test_a_command_beside_a_server_loads_little(server: Running) -> None:
    """What is not loaded takes no time: that a command answers at once rests on this."""
    probe = (
        "import sys\nfrom app.__main__ import hearth\n"
        f"hearth(['note', 'list', '--data', {str(server.data)!r}], standalone_mode=False)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.splitlines()[-1] == "[]"


def test_a_server_that_was_killed_is_not_asked(tmp_path: Path) -> None:
    running = start(tmp_path / "data", "--user", "ann")
    done("note", "add", "Kept", "--content", "", data=running.data)
    running.process.kill()
    running.process.wait(20)
    assert (running.data / "control.json").exists()
    assert "Kept" in done("note", "list", data=running.data)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
class TestTerminal:
    """What a person sees, and what they are asked."""

    def test_a_table_has_a_head_and_fits(self, server: Running) -> None:
        long = "Very " * 60
        done("folder", "add", "Wide", data=server.data)
        done("note", "add", long[:250], "--folder", "Wide", "--content", "x", data=server.data)
        with terminal("note", "list", "--folder", "Wide", "--data", str(server.data)) as window:
            assert window.end() == 0
        head, row = window.shown.splitlines()
        assert head.split()[:2] == ["ID", "TITLE"]
        assert b"\x1b[1m" in window.raw
        assert len(row) <= 100
        assert re.search("V?e?r?y?…", row)

    def test_commands_written_by_hand_have_the_same_tables(self, server: Running) -> None:
        with terminal("user", "list", "--data", str(server.data)) as window:
            assert window.end() == 0
        assert window.shown.splitlines()[0].split() == ["USER", "NAME", "SINCE"]
        assert "\t" not in window.shown
        assert done("user", "list", data=server.data).count("\t") == 2

    def test_a_part_of_a_list_says_of_how_many(self, server: Running) -> None:
        for title in ("Part one", "Part two"):
            done("note", "add", title, "--content", "", data=server.data)
        with terminal("note", "list", "--limit", "1", "--data", str(server.data)) as window:
            window.until("1 of ")
            window.until("--limit and --offset show others.")
            assert window.end() == 0

    def test_no_color_means_none(self, server: Running) -> None:
        arguments = ("folder", "list", "--data", str(server.data))
        with terminal(*arguments, NO_COLOR="1") as window:
            assert window.end() == 0
        assert b"\x1b" not in window.raw
        assert "General" in window.shown

    def test_what_goes_is_asked_for_first(self, server: Running) -> None:
        done("note", "add", "Precious", "--content", "x", data=server.data)
        arguments = ("note", "delete", "Precious", "--data", str(server.data))
        with terminal(*arguments) as window:
            window.until("Delete note “Precious”? [y/N]")
            window.type("\r")
            assert window.end() == 1
        assert done("note", "show", "Precious", data=server.data) == "x"
        with terminal(*arguments, "--yes") as window:
            window.until("Moved to the trash")
            assert window.end() == 0

    def test_hostile_text_does_not_steer(self, server: Running) -> None:
        done("note", "add", "Evil", "--content", "a\x1b]0;owned\x07b", data=server.data)
        with terminal("note", "show", "Evil", "--data", str(server.data)) as window:
            assert window.end() == 0
        assert b"\x1b]0;" not in window.raw
        assert "a]0;ownedb" in window.shown

    def test_a_file_is_not_thrown_at_the_terminal(self, server: Running, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes(b"\x1bc")
        number = done("attachment", "add", str(tmp_path / "x"), data=server.data).strip()
        arguments = ("attachment", "download", number, "--data", str(server.data))
        with terminal(*arguments) as window:
            window.until("Name one with --output")
            assert window.end() == 2
