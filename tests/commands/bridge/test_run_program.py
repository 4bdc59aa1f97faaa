"""A program that is run with a prompt: within limits, with what it wrote, and ended as a whole."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from app.commands.bridge.deliveries import Result
from app.commands.bridge.journal import Entry
from app.commands.bridge.prompt import MOST_PAYLOAD, fit_payload, write_prompt
from app.commands.bridge.run_program import MOST_OUTPUT, Ended, Program, run_program
from app.commands.bridge.runtimes import Command
from tests.commands.bridge.conftest import until
from tests.support.serving import ROOT

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.name != "posix", reason="the programs are a shell's"),
]


async def ran(script: str, prompt: str = "", *, seconds: float = 10.0, most: int = 1_000) -> Ended:
    return await run_program(Program(("sh", "-c", script), Path("/"), seconds, most), prompt)


def is_running(pid: int) -> bool:
    """Say whether a process is there, and not only what is left for its parent to look at."""
    try:
        os.kill(pid, 0)
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return True  # where there is no /proc, the signal alone tells


async def test_a_program_reads_the_prompt_and_writes_the_answer(tmp_path: Path) -> None:
    program = Program(("sh", "-c", "cat; pwd"), tmp_path, 10, 1_000)
    assert (await run_program(program, "Grüße\n")).output == f"Grüße\n{tmp_path}"


async def test_hearths_own_variables_are_not_for_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEARTH_KEY", "secret")
    monkeypatch.setenv("OTHER_KEY", "theirs")
    ended = await ran("env", most=100_000)
    assert "secret" not in ended.output
    assert "OTHER_KEY=theirs" in ended.output


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("exit 3", "It ended with exit code 3."),
        ("kill -KILL $$", "It was ended by SIGKILL."),
        ("kill -SEGV $$", "It was ended by SIGSEGV."),
    ],
)
async def test_how_it_failed_is_told(script: str, trouble: str) -> None:
    ended = await ran(f"cat > /dev/null; echo out; echo err >&2; {script}", "words")
    assert ended == Ended("out", trouble, "err")


async def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    ended = await ran(f"echo begun; sleep 60 & echo $! > {pid}; wait", seconds=0.3)
    assert ended == Ended("begun", "It took longer than 0.3 seconds and was ended.")
    await until(lambda: not is_running(int(pid.read_text())))


async def test_what_it_leaves_behind_is_ended_and_not_waited_for(tmp_path: Path) -> None:
    ended = await ran("sleep 60 & echo done")
    assert ended == Ended("done")


async def test_one_that_writes_without_end_is_ended() -> None:
    ended = await ran("yes", most=10)
    assert ended.trouble == f"It wrote more than {MOST_OUTPUT >> 20} MiB and was ended."
    assert ended.output.startswith("y\ny\ny\ny\ny\n[cut: ")


async def test_one_that_reads_nothing_and_one_that_hears_nothing_are_fine() -> None:
    assert (await ran("echo fine", "x" * 2_000_000)).output == "fine"
    assert (await ran("exec >&-; exit 0")).trouble == ""


async def test_what_steers_a_terminal_does_not_pass() -> None:
    script = r"printf '\033[31mred\033[0m \033]0;title\007\033[2Jline\r\nnext\a\000\377 end'"
    assert (await ran(script)).output == "red line\nnext\ufffd end"


async def test_a_program_that_is_not_there_is_told() -> None:
    ended = await run_program(Program(("/no/such",), Path("/"), 5, 100), "")
    assert ended.trouble == "It ended with exit code 127."
    ended = await run_program(Program(("true",), Path("/no/such"), 5, 100), "")
    assert "could not be started" in ended.trouble


async def test_a_run_that_is_cancelled_ends_the_program(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    running = asyncio.create_task(ran(f"echo $$ > {pid}; sleep 60"))
    await until(lambda: pid.exists() and pid.read_text().strip())
    running.cancel()
    await asyncio.wait([running])
    await until(lambda: not is_running(int(pid.read_text())))


async def test_a_run_that_is_cancelled_while_it_starts_ends_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, pid = asyncio.create_subprocess_exec, tmp_path / "pid"

    async def start_slowly(*command: str, **how: Any) -> asyncio.subprocess.Process:
        process = await start(*command, **how)
        await until(lambda: pid.exists() and pid.read_text().strip())
        await asyncio.sleep(0.1)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_slowly)
    running = asyncio.create_task(ran(f"echo $$ > {pid}; exec sleep 60"))
    await until(lambda: pid.exists() and pid.read_text().strip())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: not is_running(int(pid.read_text())))


async def test_the_peer_hears_that_it_failed_but_not_its_errors() -> None:
    said: list[str] = []
    runtime = Command(Program((sys.executable, "-c", "1/0"), Path("/"), 10, 100), said.append)
    entry = Entry({"id": "m", "payload": {"task": "Divide"}}, "")
    result = await runtime.answer(entry, "@ann")
    assert result == Result(
        "The program that should do this failed. It ended with exit code 1.", "failed"
    )
    assert "ZeroDivisionError" in said[0]


def test_the_owner_sees_what_would_run() -> None:
    runtime = Command(Program(("claude", "-p"), Path("/srv"), 10, 100), print)
    tool, summary = runtime.asks(Entry({"id": "m", "payload": {"text": "x" * 9_000}}, ""))
    assert (tool, len(summary)) == ("run_command", 4_000)
    assert summary.startswith("claude -p\nin /srv\n\nxxx")


@pytest.mark.parametrize("mark", ["x", "\n", "ä", "\u2028", '"'])
def test_an_answer_fits_into_a_message_whatever_it_is_made_of(mark: str) -> None:
    import msgspec

    whole = fit_payload(mark * 100, "command", "respond")
    assert whole["text"] == mark * 100
    cut = fit_payload(mark * (64 << 10), "command", "respond")
    assert MOST_PAYLOAD // 2 < len(msgspec.json.encode(cut)) <= MOST_PAYLOAD
    assert cut["text"].endswith("[cut]")


def test_the_prompt_says_who_asks_and_keeps_apart_what_others_wrote() -> None:
    item = {"kind": "diff", "label": "a.diff", "content": "+ line", "sourcePath": "src/a.diff"}
    payload = {"task": {"text": "Look"}, "context": {"items": [item, None]}}
    entry = Entry({"id": "msg_7", "payload": payload}, "")
    rule = "----- msg_7 -----"
    frame, *parts = write_prompt(entry, "@ann").split(rule)
    assert "from the agent of @ann" in frame
    assert parts == ["\nLook\n", "\ndiff: a.diff (src/a.diff)\n\n+ line\n", "\n"]
    shown = Command(Program(("claude", "-p"), Path("/srv"), 10, 100), print).asks(entry)[1]
    assert shown == "claude -p\nin /srv\nwith a.diff\n\nLook"


@pytest.mark.parametrize(
    "payload", [{}, {"context": 1}, {"context": {"items": 3}}, {"task": [1]}, {"text": " "}]
)
def test_a_payload_of_any_shape_makes_a_prompt(payload: dict[str, object]) -> None:
    entry = Entry({"id": "msg_7", "payload": payload}, "")
    assert json.dumps(payload) in write_prompt(entry, "@ann")


async def test_a_program_ends_with_a_bridge_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import asyncio, pathlib\n"
        "from app.commands.bridge.run_program import Program, run_program\n"
        "command = ('sh', '-c', 'sleep 60 & echo $! > pid; wait')\n"
        f"program = Program(command, pathlib.Path({str(tmp_path)!r}), 60, 100)\n"
        "asyncio.run(run_program(program, ''))\n"
    )
    bridge = await asyncio.create_subprocess_exec(sys.executable, "-c", script, cwd=ROOT)
    pid = tmp_path / "pid"
    await until(lambda: pid.exists() and pid.read_text().strip())
    bridge.kill()
    await bridge.wait()
    await until(lambda: not is_running(int(pid.read_text())))
