"""`hearth completion`: commands and options in bash, zsh and fish."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import done, hearth, rest, start

ROOT = Path(__file__).parents[2]
SHELLS = ("bash", "zsh", "fish")
CHECKS = {"bash": ["-n"], "zsh": ["-n"], "fish": ["--no-execute"]}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_one_that_its_shell_reads(shell: str, tmp_path: Path) -> None:
    script = done("completion", shell)
    assert f"_HEARTH_COMPLETE={shell}_complete" in script
    if (program := shutil.which(shell)) is not None:
        file = tmp_path / "script"
        file.write_text(script)
        subprocess.run([program, *CHECKS[shell], str(file)], check=True)


def test_a_shell_that_is_not_known_is_refused() -> None:
    ended = hearth("completion", "nushell")
    assert ended.exit_code == 2
    assert "nushell" in ended.stderr


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hearth no", {"note"}),
        ("hearth note mo", {"move"}),
        ("hearth note list --so", {"--sort"}),
        ("hearth note list --sort t", {"title"}),
        ("hearth key r", {"revoke", "rotate"}),
        ("hearth zzz", set()),
    ],
)
def test_words_are_completed(typed: str, offered: set[str]) -> None:
    assert completed(typed) == offered


def completed(typed: str, **environment: str) -> set[str]:
    """Return what bash is offered for the last word of a line."""
    ended = subprocess.run(
        [sys.executable, "-m", "app"],
        cwd=ROOT,
        env={
            **os.environ,
            "_HEARTH_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(shlex.split(typed)) - 1),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""
    return {line.partition(",")[2] for line in ended.stdout.splitlines()} - {""}


def test_titles_are_completed_while_a_server_runs(tmp_path: Path) -> None:
    running = start(tmp_path / "data", "--user", "ann")
    for title in ("Frost dates", "Frost $(cloth)", "Tools"):
        done("note", "add", title, "--content", "", data=running.data)
    done("folder", "add", "Frosty", data=running.data)
    place = {"HEARTH_DATA": str(running.data)}
    assert completed("hearth note show Fro", **place) == {"Frost\\ dates", "Frost\\ \\$\\(cloth\\)"}
    assert completed("hearth edit Frost\\ d", **place) == {"Frost\\ dates"}
    assert completed("hearth note move Tools --folder fro", **place) == {"Frosty"}
    assert running.end() == 0
    assert rest(running)[1] == ""
    assert completed("hearth note show Fro", **place) == set()
    assert completed("hearth note show Fro", HEARTH_DATA=str(tmp_path / "none")) == set()
