"""What whoever meets the terminal for the first time does wrong, or does in an odd terminal."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import done, hearth, refused
from tests.support.terminal import terminal

ROOT = Path(__file__).parents[2]
HEARTH = f"{sys.executable} -m app"


def in_shell(line: str, home: Path) -> "subprocess.CompletedProcess[str]":
    """Run a line of a shell, in which HEARTH stands for the program."""
    return subprocess.run(
        ["sh", "-c", line.replace("HEARTH", HEARTH)],
        cwd=ROOT,
        env={**os.environ, "HEARTH_DATA": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_mistyped_title_is_shown_what_it_may_have_meant(home: Path) -> None:
    done("todo", "add", "Water the roses", data=home)
    ended = hearth("todo", "complete", "Watr the roses", data=home)
    assert ended.exit_code == 1
    assert "Similar:" in ended.stderr
    assert "Water the roses" in ended.stderr
    assert "There is no todo called “Watr the roses”." in ended.stderr
    assert "Similar" not in hearth("todo", "complete", "Quite other", data=home).stderr


def test_no_number_is_called_so(home: Path) -> None:
    for words in (("serve", "--port", "abc"), ("todo", "list", "--limit", "x")):
        ended = hearth(*words)
        assert ended.exit_code == 2
        assert "is not a whole number." in ended.stderr


def test_the_first_command_says_how_to_start(tmp_path: Path) -> None:
    assert "Start with `hearth serve`" in refused("today", data=tmp_path / "none")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_said_in_a_sentence(alone: Path) -> None:
    done("todo", "add", "Any", data=alone)
    full = in_shell("HEARTH todo list >/dev/full", alone)
    assert full.returncode == 1
    assert full.stderr == "Error: The output could not be written: No space left on device.\n"
    closed = in_shell("HEARTH todo list >&-", alone)
    assert (closed.returncode, closed.stderr) == (0, "")


@pytest.mark.parametrize("columns", [24, 40, 80])
def test_a_table_fits_into_a_narrow_terminal(alone: Path, columns: int) -> None:
    done("todo", "add", "A title that is much longer than any narrow terminal", data=alone)
    with terminal("todo", "list", COLUMNS=str(columns), HEARTH_DATA=str(alone)) as shown:
        assert shown.end() == 0
    lines = shown.shown.splitlines()
    assert lines[0].startswith("ID")
    assert "TITLE" in lines[0]
    assert max(map(len, lines)) <= columns


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_itself_completes(alone: Path, tmp_path: Path) -> None:
    program = tmp_path / "hearth"
    program.write_text(f'#!/bin/sh\nexec {HEARTH} "$@"\n')
    program.chmod(0o700)
    found = subprocess.run(
        ["fish", "-c", "hearth completion fish | source; complete -C 'hearth note mo'"],
        cwd=ROOT,
        env={**os.environ, "HEARTH_DATA": str(alone), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.startswith("move\t"), found.stderr
