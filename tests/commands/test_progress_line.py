"""Long work of commands is seen at a terminal while it runs, and never in a pipe."""

import io
import sys
from pathlib import Path

import pytest

from app.commands.terminal.progress_line import STEPS, ProgressLine
from app.interfaces.languages.words import words_of
from tests.support.command_line import hearth
from tests.support.terminal import terminal


def test_a_pipe_gets_no_progress(home: Path) -> None:
    made = hearth("backup", data=home)
    assert (made.exit_code, made.stderr) == (0, "")
    assert "checked" in made.stdout
    line = ProgressLine("Backing up:")
    line.show_step("copy", 1, 2)
    line.end()
    assert not line.is_wanted


def test_a_terminal_shows_the_steps_and_takes_them_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    line = ProgressLine("Backing up:")
    line.show_step("copy", 1_500_000, 6_000_000)
    line.end(gone=True)
    said = "Backing up: copying 1.5 MB of 6.0 MB"
    assert screen.getvalue() == f"\r{said}\x1b[K\r\x1b[K"


def test_only_what_came_of_it_is_left_at_a_terminal(home: Path) -> None:
    assert hearth("backup", data=home).exit_code == 0
    with terminal("backup", "--prove", "--data", str(home)) as shown:
        assert shown.end() == 0
    # A proof within a blink shows no step; of a longer one what was written over itself is gone.
    left = shown.raw.split(b"\r\x1b[K")[-1].decode()
    assert left.startswith("Restored hearth-"), left


def test_restoring_shows_how_far_it_is(alone: Path) -> None:
    backup = hearth("backup", data=alone).stdout.splitlines()[0]
    with terminal("restore", backup, "--data", str(alone)) as shown:
        assert shown.end() == 0
    steps, left = shown.raw.decode().rsplit("\r\x1b[K", 1)
    assert "Restoring: copying" in steps
    assert "Restoring: checking the copy" in steps
    assert left.startswith("Restored "), left


def test_every_step_has_words_in_both() -> None:
    assert sorted(STEPS) == sorted(
        name.rpartition(".")[2] for name, _ in words_of("en").of_parts("settings.work_step.")
    )
