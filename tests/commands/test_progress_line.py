"""Long work of commands is seen at a terminal while it runs, and never in a pipe."""

from pathlib import Path

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


def test_a_terminal_shows_the_steps_and_takes_them_away(home: Path) -> None:
    assert hearth("backup", data=home).exit_code == 0
    with terminal("backup", "--prove", "--data", str(home)) as shown:
        shown.until("Proving the newest backup:")
        assert shown.end() == 0
    # the last line alone is left of what was written over itself
    left = shown.raw.split(b"\r\x1b[K")[-1].decode()
    assert left.startswith("Restored hearth-"), left


def test_every_step_has_words_in_both() -> None:
    assert sorted(STEPS) == sorted(
        name.rpartition(".")[2] for name, _ in words_of("en").of_parts("settings.work_step.")
    )
