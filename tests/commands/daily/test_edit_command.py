"""`hearth edit`: what is written in the editor reaches the note or is kept, whatever happens."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Running, done, hearth, refused, rest, start
from tests.support.terminal import terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell as the editor")
ROOT = Path(__file__).parents[3]
TEXT = "# Frost\nfirst\nsecond\nthird"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("edited") / "data", "--user", "ann")
    yield running
    assert running.end() == 0
    assert rest(running)[1] == ""


@pytest.fixture
def note(server: Running) -> str:
    return done("note", "add", "Frost", "--content", TEXT, data=server.data).strip()


class Editor:
    """A shell script that stands for the editor of a person."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
        self.file = folder / "editor with space"
        self._data = data
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", shlex.quote(str(self.file)))
        self.does("true")

    def does(self, script: str) -> None:
        self.file.write_text(f"#!/bin/sh\nset -e\n{script}\n")
        self.file.chmod(0o700)

    def while_somebody_writes(self, note: str, theirs: str, script: str) -> None:
        """Edit while another program gives the note another text."""
        command = [sys.executable, "-m", "app", "note", "edit", note, "--data", str(self._data)]
        other = f"cd {shlex.quote(str(ROOT))} && {shlex.join([*command, '--content', theirs])}"
        self.does(f"({other}) > /dev/null\n{script}")


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Running) -> Editor:
    return Editor(tmp_path, monkeypatch, server.data)


def drafts(server: Running) -> list[Path]:
    return sorted((server.data / "drafts").glob("*/*.md"))


def text_of(server: Running, note: str) -> str:
    return done("note", "show", note, data=server.data)


def revision(server: Running, note: str) -> int:
    found = json.loads(done("note", "show", note, "--json", data=server.data))
    return int(found["note"]["revision"])


def test_what_is_written_is_saved_and_no_draft_stays(
    server: Running, note: str, editor: Editor
) -> None:
    editor.does('printf "\\nmore" >> "$1"')
    said = hearth("edit", note, data=server.data)
    assert (said.exit_code, said.stderr) == (0, f"Saved note {note}: Frost\n")
    assert text_of(server, note) == f"{TEXT}\nmore"
    assert drafts(server) == []


@pytest.mark.parametrize("script", ["true", 'echo >> "$1"'])
def test_nothing_is_saved_where_nothing_was_changed(
    server: Running, note: str, editor: Editor, script: str
) -> None:
    editor.does(script)
    before = revision(server, note)
    assert hearth("edit", note, data=server.data).stderr == "Nothing changed.\n"
    assert revision(server, note) == before
    assert drafts(server) == []


def test_the_file_is_called_as_the_note_and_is_its_owners_alone(
    server: Running, editor: Editor, tmp_path: Path
) -> None:
    number = done("note", "add", "../a/b: ü", "--content", "x", data=server.data).strip()
    editor.does(f'ls -l "$1" > {shlex.quote(str(tmp_path / "seen"))}')
    assert hearth("edit", number, data=server.data).exit_code == 0
    seen = (tmp_path / "seen").read_text()
    assert seen.startswith("-rw-------")
    assert seen.endswith(f"/drafts/ann-{number}/_a_b_ ü.md\n")


def test_a_change_elsewhere_meanwhile_is_merged(server: Running, note: str, editor: Editor) -> None:
    editor.while_somebody_writes(note, TEXT.replace("first", "FIRST"), 'sed -i s/third/THIRD/ "$1"')
    said = hearth("edit", note, data=server.data)
    assert said.exit_code == 0, said.output
    assert "-first\n  +FIRST" in said.stderr
    assert "Both changes are merged." in said.stderr
    assert text_of(server, note) == "# Frost\nFIRST\nsecond\nTHIRD"


def test_a_contradiction_saves_nothing_and_keeps_the_text_to_go_on_with(
    server: Running, note: str, editor: Editor
) -> None:
    theirs = TEXT.replace("second", "theirs")
    editor.while_somebody_writes(note, theirs, 'sed -i s/second/mine/ "$1"')
    ended = hearth("edit", note, data=server.data)
    assert ended.exit_code == 1
    (draft,) = drafts(server)
    assert f"Your text is kept in {draft}; `hearth edit {note}` goes on with it." in ended.stderr
    assert draft.read_text() == TEXT.replace("second", "mine")
    assert text_of(server, note) == theirs
    # on a terminal the person decides
    editor.does("true")
    with terminal("edit", note, "--data", str(server.data)) as window:
        window.until("Go on with it? [Y/n]")
        window.type("\r")
        window.until("Yours contradicts that in 1 place.")
        window.type("y\r")
        window.until(f"Saved note {note}")
        assert window.end() == 0
    assert text_of(server, note) == TEXT.replace("second", "mine")
    assert drafts(server) == []


def test_marks_of_a_conflict_never_reach_the_note(
    server: Running, note: str, editor: Editor
) -> None:
    theirs = TEXT.replace("second", "theirs")
    editor.while_somebody_writes(note, theirs, 'sed -i s/second/mine/ "$1"')
    assert hearth("edit", note, data=server.data).exit_code == 1
    editor.does("true")
    with terminal("edit", note, "--data", str(server.data)) as window:
        window.until("Go on with it?")
        window.type("\r")
        window.until("contradicts")
        window.type("e\r")
        window.until("still marks of a conflict")
        assert window.end() == 1
    assert hearth("edit", note, data=server.data).exit_code == 1
    assert text_of(server, note) == theirs
    editor.does('printf "# Frost\\nboth" > "$1"')
    assert hearth("edit", note, data=server.data).exit_code == 0
    assert text_of(server, note) == "# Frost\nboth"
    assert drafts(server) == []


def test_an_editor_that_fails_after_writing_loses_nothing(
    server: Running, note: str, editor: Editor
) -> None:
    editor.does('echo precious >> "$1"; exit 3')
    ended = hearth("edit", note, data=server.data)
    assert ended.exit_code == 1
    assert "ended with 3. Your text is kept in" in ended.stderr
    assert drafts(server)[0].read_text() == f"{TEXT}precious\n"
    editor.does("true")
    assert hearth("edit", note, data=server.data).exit_code == 0
    assert text_of(server, note) == f"{TEXT}precious\n"


def test_a_note_that_is_deleted_meanwhile_leaves_the_text(
    server: Running, note: str, editor: Editor
) -> None:
    command = [sys.executable, "-m", "app", "note", "delete", note, "--data", str(server.data)]
    editor.does(f'echo precious >> "$1"; cd {shlex.quote(str(ROOT))}; {shlex.join(command)}')
    ended = hearth("edit", note, data=server.data)
    assert ended.exit_code == 1
    assert "There is no such note. Your text is kept in" in ended.stderr
    assert "precious" in drafts(server)[0].read_text()


def test_a_server_that_stops_meanwhile_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = start(tmp_path / "data", "--user", "ann")
    number = done("note", "add", "Frost", "--content", TEXT, data=running.data).strip()
    editor = Editor(tmp_path, monkeypatch, running.data)
    editor.does(f'echo more >> "$1"; kill -9 {running.process.pid}; sleep 0.2')
    said = hearth("edit", number, data=running.data)
    running.process.wait(20)
    # the database is there without it
    assert said.exit_code == 0, said.output
    assert done("note", "show", number, data=running.data) == f"{TEXT}more\n"


def test_a_note_is_edited_once_at_a_time(
    server: Running, note: str, editor: Editor, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "app", "edit", note, "--data", str(server.data)]
    said = shlex.quote(str(tmp_path / "said"))
    editor.does(
        f"cd {shlex.quote(str(ROOT))}; EDITOR=true {shlex.join(command)} 2> {said} || true\n"
        'echo mine >> "$1"'
    )
    assert hearth("edit", note, data=server.data).exit_code == 0
    assert "Error: This note is being edited already" in (tmp_path / "said").read_text()
    assert text_of(server, note) == f"{TEXT}mine\n"
    assert hearth("edit", note, data=server.data).exit_code == 0


def test_an_editor_that_there_is_not_is_said(
    server: Running, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "/no/such/editor")
    assert refused("edit", note, data=server.data).startswith(
        "Cannot run the editor /no/such/editor"
    )
    assert f"ann-{note}" not in [one.parent.name for one in drafts(server)]


def test_a_new_note_is_written_in_the_editor_on_a_terminal(server: Running, editor: Editor) -> None:
    editor.does('printf "# From the editor\\ntext" > "$1"')
    with terminal("note", "add", "--data", str(server.data)) as window:
        window.until("Added note")
        assert window.end() == 0
    assert done("note", "show", "From the editor", data=server.data) == "# From the editor\ntext"


@pytest.mark.parametrize(
    ("words", "script", "why"),
    [
        (("--folder", "No such"), 'echo precious > "$1"', "There is no folder called No such"),
        ((), 'echo precious > "$1"; exit 4', "ended with 4"),
    ],
)
def test_a_new_note_that_is_refused_leaves_its_text(
    server: Running, editor: Editor, words: tuple[str, ...], script: str, why: str
) -> None:
    before = set(drafts(server))
    editor.does(script)
    with terminal("note", "add", "Kept", *words, "--data", str(server.data)) as window:
        window.until(why)
        window.until("Your text is kept in")
        assert window.end() == 1
    (draft,) = set(drafts(server)) - before
    assert draft.read_text() == "precious\n"
    assert draft.name == "Kept.md"
