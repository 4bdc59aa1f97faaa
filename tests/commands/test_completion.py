"""`hearth completion`: commands and options in bash, zsh and fish."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_cli import done, hearth

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
    ended = subprocess.run(
        [sys.executable, "-m", "app"],
        cwd=ROOT,
        env={
            **os.environ,
            "_HEARTH_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert {line.partition(",")[2] for line in ended.stdout.split()} == offered
    assert ended.stderr == ""
