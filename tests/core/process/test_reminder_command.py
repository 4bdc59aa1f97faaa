"""The program that tells of a todo: what it is told, and how it is ended."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from app.core.process import reminder_command
from app.core.process.reminder_command import Failed, Reminder

pytestmark = pytest.mark.anyio

NOTES = """
import json, os, pathlib, sys
told = {name: value for name, value in os.environ.items() if name.startswith("HEARTH_")}
told |= {"words": sys.argv[2:], "input": sys.stdin.read()}
pathlib.Path(sys.argv[1]).write_text(json.dumps(told))
"""
TITLES = [
    "--help",
    "-x $(touch here) `touch here` ; touch here",
    "{title} %s $HEARTH_MODEL_KEY",
    "@/etc/passwd",
    "'\"\\' 猫砂 \u202e",
]


def reminder(title: str = "Oven") -> Reminder:
    return Reminder(title, "2026-11-21 15:00", "15:00", "alice", "http://127.0.0.1:8765/todos/1")


@pytest.mark.parametrize("title", TITLES)
async def test_a_title_is_told_as_it_is_and_never_becomes_a_word_of_the_command(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_MODEL_KEY", "secret")
    monkeypatch.chdir(tmp_path)
    told, here = tmp_path / "told", tmp_path / "here"
    command = [sys.executable, "-c", NOTES, str(told), "{title}", "$HEARTH_REMIND_TITLE"]
    await reminder_command.run_command(command, reminder(title))
    assert json.loads(told.read_text()) == {
        "HEARTH_REMIND_TITLE": title,
        "HEARTH_REMIND_DUE": "2026-11-21 15:00",
        "HEARTH_REMIND_USER": "alice",
        "HEARTH_REMIND_URL": "http://127.0.0.1:8765/todos/1",
        "words": ["{title}", "$HEARTH_REMIND_TITLE"],
        "input": f"15:00 {title}\n",
    }
    assert not here.exists()


async def test_what_hangs_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 600 & echo $! $$ > {pids}; sleep 600"
    with pytest.raises(Failed, match=r"longer than 0\.5 seconds and was ended"):
        await reminder_command.run_command(["sh", "-c", script], reminder(), seconds=0.5)
    async with asyncio.timeout(30):  # what is killed ends when the system comes to it
        while any(_runs(int(pid)) for pid in pids.read_text().split()):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    """A process that has ended may wait for its parent to notice."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


async def test_what_it_leaves_running_is_not_waited_for() -> None:
    await reminder_command.run_command(["sh", "-c", "sleep 5 & exit 0"], reminder(), seconds=3)


async def test_why_it_failed_is_told_by_its_last_line() -> None:
    script = "echo first >&2; printf 'no \\033[31mhost\\n' >&2; exit 6"
    with pytest.raises(Failed) as failed:
        await reminder_command.run_command(["sh", "-c", script], reminder())
    assert str(failed.value) == "it ended with exit code 6: no  [31mhost"
    assert failed.value.cause == "it ended with exit code 6"
    with pytest.raises(Failed, match="cannot be started"):
        await reminder_command.run_command(["/no/such/program"], reminder())


@pytest.mark.skipif(sys.platform != "linux", reason="notify-send is for Linux")
def test_the_desktop_is_told_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "notify-send"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reminder_command.desktop_command(reminder()) is None
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert reminder_command.desktop_command(reminder("--help")) == [
        str(program),
        "--app-name=Hearth",
        "--",
        "--help",
        "15:00",
    ]
    program.unlink()
    assert reminder_command.desktop_command(reminder()) is None


def test_on_a_mac_a_title_is_an_argument_and_no_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    title = '-e" & do shell script "true'
    command = reminder_command.desktop_command(reminder(title))
    assert command is not None
    assert title not in command[2]
    # the first word after the script is ours, so that none after it is read as an option
    assert command[3:] == ["Hearth", title, "15:00"]
