"""MCP servers that are programs: who may add them, their limits, and how they end."""

import asyncio
import contextlib
import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.core.process import limited_process
from app.tools.mcp import connections as kept
from app.tools.mcp.connections import McpConnections
from tests.conftest import Client, Served
from tests.tools.mcp.conftest import GENUINE, add_program, use

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are of POSIX"),
]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def ended(pid: int, seconds: float = 5.0) -> bool:
    for _ in range(round(seconds / 0.02)):
        if not is_running(pid):
            return True
        await asyncio.sleep(0.02)
    return False


async def unavailable(client: Client, tool: str, **params: Any) -> str:
    body = {"tool": f"plain__{tool}", "params": params}
    return str((await client.refused("POST", "/tools", 503, "unavailable", json=body))["message"])


async def test_the_api_adds_none_unless_the_setting_allows_it(
    alice: Client, served: Served
) -> None:
    body = {"name": "Plain", "config": {"command": "/bin/true"}}
    told = await alice.refused("POST", "/tools/mcp", 403, "forbidden", json=body)
    assert told["reason"] == "stdio_not_allowed"
    added = await add_program(served)
    path = f"/tools/mcp/{added.server.id}"
    for config in ({"command": "/bin/true"}, {"command": sys.executable, "env": {"X": "y"}}):
        await alice.refused("PATCH", path, 403, "forbidden", json={"config": config})
    served.parts.settings = dataclasses.replace(served.parts.settings, allow_stdio_mcp=True)
    made = await alice.ok("POST", "/tools/mcp", status=201, json={**body, "name": "True"})
    assert (made["server"]["status"], made["server"]["transport"]) == ("error", "stdio")
    assert "has ended" in made["server"]["lastError"]


async def test_nothing_of_hearth_or_its_settings_reaches_the_program(
    alice: Client, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_MODEL_KEY", "secret")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/tmp/agent")
    await add_program(served, "Plain", EXTRA="given")
    said = (await use(alice, "plain__environment"))["content"][0]["text"].split()
    assert {"PATH", "EXTRA"} <= set(said)
    assert not {"HEARTH_MODEL_KEY", "SSH_AUTH_SOCK"} & set(said)


async def test_a_crash_is_told_and_it_is_started_again(alice: Client, served: Served) -> None:
    await add_program(served)
    told = await unavailable(alice, "crash")
    assert "has ended" in told
    assert "now it is all over" in told
    assert (await use(alice, "plain__add", a=1, b=1))["structuredContent"] == {"result": 2}


async def test_crash_after_crash_is_waited_for(
    alice: Client, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_program(served)
    for _ in range(2):
        assert "has ended" in await unavailable(alice, "crash")
    for _ in range(5):
        assert "tried again in 2 seconds" in (await unavailable(alice, "crash")).replace(
            "in 1 seconds", "in 2 seconds"
        )
    later = time.monotonic() + 400
    with monkeypatch.context() as patch:
        patch.setattr(kept.time, "monotonic", lambda: later)
        assert (await use(alice, "plain__add", a=1, b=1))["structuredContent"] == {"result": 2}


async def test_a_hang_a_slow_answer_and_others_meanwhile(
    alice: Client, served: Served, impatient: None
) -> None:
    await add_program(served)
    hanging = asyncio.create_task(unavailable(alice, "hang"))
    slow = asyncio.create_task(use(alice, "plain__slow", steps=5))
    assert (await use(alice, "plain__add", a=2, b=2))["structuredContent"] == {"result": 4}
    assert (await slow)["content"][0]["text"] == "done"
    assert "did not answer" in await hanging
    assert (await use(alice, "plain__add", a=2, b=3))["structuredContent"] == {"result": 5}


async def test_a_line_that_is_too_long_ends_it(alice: Client, served: Served) -> None:
    await add_program(served)
    await unavailable(alice, "huge", size=30 << 20)
    assert len((await use(alice, "plain__huge", size=1_000))["content"][0]["text"]) == 1_000


async def test_asking_for_a_model_or_a_person_is_declined(alice: Client, served: Served) -> None:
    await add_program(served, "Plain", *GENUINE)
    for tool in ("sample", "elicit"):
        response = await alice.post("/tools", json={"tool": f"plain__{tool}"})
        assert response.status_code in (422, 503), response.text
    assert (await use(alice, "plain__add", a=1, b=1))["structuredContent"] == {"result": 2}


async def test_it_ends_with_all_that_it_has_started(alice: Client, served: Served) -> None:
    added = await add_program(served)
    pid = (await use(alice, "plain__fork"))["structuredContent"]["result"]
    assert is_running(pid)
    await alice.ok("DELETE", f"/tools/mcp/{added.server.id}")
    assert await ended(pid)


async def test_it_ends_when_whoever_started_it_is_killed(alice: Client, served: Served) -> None:
    added = await add_program(served)
    pid = (await use(alice, "plain__fork"))["structuredContent"]["result"]
    number = int(added.server.id[4:])
    program = served.parts.part(McpConnections).place(number).connection._program
    assert program is not None
    os.close(program._life)  # what the end of this process would do
    assert await ended(pid)
    program._life = os.open(os.devnull, os.O_RDONLY)
    with contextlib.suppress(AssertionError):
        await use(alice, "plain__add", a=1, b=1)


async def test_it_runs_within_limits(alice: Client, served: Served, tmp_path: Path) -> None:
    script = tmp_path / "limits.py"
    script.write_text(
        "import resource, sys\n"
        "names = ('CPU', 'DATA', 'FSIZE', 'CORE')\n"
        "print(*(resource.getrlimit(getattr(resource, 'RLIMIT_' + n))[0] for n in names),"
        " file=sys.stderr)\n",
        "utf-8",
    )
    added = await add_program(served, "Limits", str(script))
    expected = (
        f"{limited_process.MOST_CPU_SECONDS} {limited_process.MOST_MEMORY} "
        f"{limited_process.MOST_FILE} 0"
    )
    assert expected in added.server.last_error


async def test_what_cannot_be_started_is_told(alice: Client, served: Served) -> None:
    found = await served.command(
        "set_up_mcp_server",
        username="alice",
        name="None",
        config={"command": "/no/such/program; rm -rf /", "args": ["$(x)"]},
    )
    assert found.server.status == "error"
    assert "No such file" in found.server.last_error


async def test_what_it_greets_with_is_skipped_and_noise_ends_it(
    alice: Client, served: Served, tmp_path: Path
) -> None:
    noisy = tmp_path / "noisy.py"
    noisy.write_text("while True: print('hello')\n", "utf-8")
    began = time.perf_counter()
    found = await add_program(served, "Noisy", str(noisy))
    assert found.server.status == "error"
    assert time.perf_counter() - began < 20
    greets = tmp_path / "greets.py"
    greets.write_text(
        "print('Welcome!', flush=True)\nfrom tests.support.mcp_program import main\nmain()\n",
        "utf-8",
    )
    found = await add_program(served, "Greets", str(greets))
    assert found.server.status == "connected", found.server.last_error


async def test_arguments_that_are_secrets_are_masked(alice: Client, served: Served) -> None:
    found = await served.command(
        "set_up_mcp_server",
        username="alice",
        name="Args",
        config={
            "command": "/bin/echo",
            "args": ["--api-key", "abcdefgh", "--token=ijklmnop", "--verbose", "plain"],
        },
    )
    assert found.server.config["args"] == [
        "--api-key",
        "********",
        "--token=********",
        "--verbose",
        "plain",
    ]
