"""A bridge that is killed again and again: no task runs twice, and all are answered.

`python -m tests.commands.bridge.killed_bridges 500 60` sends 500 tasks and kills 60 times.
"""

import asyncio
import collections
import contextlib
import dataclasses
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.commands.ask.ask_operation import ask, ask_anew
from app.commands.bridge.deliveries import INTERRUPTED
from app.commands.bridge.home import Home
from app.commands.bridge.registration import fresh_device, pair_by_key
from app.settings import Settings
from tests.support.serving import ROOT, Server, serving

PROGRAM = "grep '^task ' >> runs; sleep 0.02; echo fine"
READY = "waits for tasks"
"""What a bridge says once signals end it in order."""
PATIENCE = 600.0


@dataclasses.dataclass
class Outcome:
    """What came of a trial."""

    tasks: int
    kills: int
    runs: int
    interrupted: int
    seconds: float


def trial(folder: Path, *, tasks: int, kills: int, seed: int = 1) -> Outcome:
    """Send tasks to a bridge that is killed at random; assert that none runs twice or is lost."""
    data, home, began = folder / "data", Home(folder / "home"), time.monotonic()
    settings = Settings(data=data, rate_limit=0)
    for name in ("alice", "bob"):
        ask_anew(settings, "add_user", username=name)
    ask(settings, "connect_users", username="alice", contact="bob")
    keys = [
        ask(settings, "issue_key", username=name, name="trial")["secret"]
        for name in ("alice", "bob")
    ]
    with serving(data, key=keys[0], environment={"HEARTH_RATE_LIMIT": "0"}) as alice:
        bob = _also(alice, keys[1])
        server = f"http://127.0.0.1:{alice.port}"
        asyncio.run(pair_by_key(home, fresh_device(home, server, "laptop"), keys[1]))
        _trust(alice, bob, folder)
        done = _kill_while_it_works(alice, bob, home, folder, tasks, kills, random.Random(seed))
    return dataclasses.replace(done, seconds=time.monotonic() - began)


def _kill_while_it_works(
    alice: Server, bob: Server, home: Home, folder: Path, tasks: int, kills: int, chance: Any
) -> Outcome:
    endpoint, killed, until = "", 0, time.monotonic() + PATIENCE
    with contextlib.ExitStack() as bridges:
        while True:
            with _bridge(home, folder) as bridge:
                bridges.callback(bridge.kill)
                if not endpoint:
                    endpoint = _send_all(alice, bob, tasks)
                if killed == kills:
                    while len(found := _replies(alice, endpoint)) < tasks:
                        assert time.monotonic() < until, f"{len(found)} of {tasks} answered"
                        time.sleep(0.1)
                    # where the one before had answered all, this one may still be starting
                    while READY not in (said := (folder / "said").read_text()):
                        assert time.monotonic() < until, said
                        time.sleep(0.02)
                    bridge.send_signal(signal.SIGTERM)
                    assert bridge.wait(30) == 0
                    break
                time.sleep(chance.uniform(0.35, 0.9))
                bridge.kill()
                bridge.wait()
                killed += 1
    runs = collections.Counter((folder / "runs").read_text().split("\n")[:-1])
    assert set(runs.values()) <= {1}, [task for task, times in runs.items() if times > 1]
    answers = collections.Counter(one["replyTo"] for one in found)
    assert set(answers.values()) == {1}
    assert sorted(one["sequence"] for one in found) == [one["sequence"] for one in found]
    interrupted = [one for one in found if one["payload"]["text"] == INTERRUPTED]
    assert tasks - len(interrupted) <= len(runs) <= tasks
    assert {one["payload"]["text"] for one in found} <= {"fine", INTERRUPTED}
    return Outcome(tasks, killed, len(runs), len(interrupted), 0.0)


@contextlib.contextmanager
def _bridge(home: Home, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "app", "bridge", "run", "--home", str(home.folder)]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [*command, "--folder", str(folder), "--", "sh", "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=folder,
            stdout=said,
            stderr=said,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _also(server: Server, key: str) -> Server:
    other = Server(server.process, server.said, server.data, key)
    other.port = server.port
    return other


def _trust(alice: Server, bob: Server, folder: Path) -> None:
    """Let alice's tasks run without asking; the bridge takes note of it when it starts."""
    policy = {
        "peerPrincipalId": _ok(alice, "GET", "/local-agent/whoami")["principalId"],
        "accessPreset": "edit-project",
        "canonicalFolder": str(folder.resolve()),
        "scope": "persistent",
        "tools": ["run_command"],
    }
    _ok(bob, "POST", "/local-agent/trusted-tool-policies", policy)


def _send_all(alice: Server, bob: Server, tasks: int) -> str:
    """Ask for a grant, accept it and send every task; give alice's endpoint."""
    endpoint = {
        "runtime": "codex",
        "bridgeVersion": "1",
        "adapterVersion": "1",
        "capabilities": [],
        "deviceId": "alice",
    }
    made = _ok(alice, "POST", "/local-agent/endpoints", endpoint)["endpoint"]["endpointId"]
    session = {
        "endpointId": made,
        "label": "alice",
        "state": "idle",
        "deliveryMode": "managed_stream",
        "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
        "allowInbound": True,
        "allowMidTurnSteer": False,
    }
    handle = _ok(alice, "POST", "/local-agent/sessions", session)["sessionHandle"]
    asked = {
        "target": {
            "kind": "person_default_runtime",
            "principalId": _ok(bob, "GET", "/local-agent/whoami")["principalId"],
        },
        "replyEndpointId": made,
        "replySessionHandle": handle,
    }
    until = time.monotonic() + 30
    while bob.ask("GET", "/local-agent/default-route")[0] != 200 or _is_untrusted(bob):
        assert time.monotonic() < until, "the bridge did not start"
        time.sleep(0.02)
    grant = _ok(alice, "POST", "/local-agent/grants", asked)["commSessionId"]
    _ok(bob, "POST", f"/local-agent/grants/{grant}/accept")
    for number in range(tasks):
        message = {
            "communicationSessionId": grant,
            "clientMessageId": str(number),
            "kind": "text",
            "payload": {"text": f"task {number}"},
        }
        _ok(alice, "POST", "/local-agent/messages", message)
    return str(made)


def _is_untrusted(bob: Server) -> bool:
    found = _ok(bob, "GET", "/local-agent/trusted-tool-policies")
    return any(one["status"] != "active" for one in found["policies"])


def _replies(alice: Server, endpoint: str) -> list[Any]:
    """Give every answer that came, in the order in which they were sent."""
    found: dict[str, Any] = {}
    cursor = "0"
    while True:
        status, rows = alice.ask(
            "GET", f"/local-realtime/poll?endpointId={endpoint}&cursor={cursor}"
        )
        assert status == 200, rows
        if not rows:
            return list(found.values())
        cursor = rows[-1]["cursor"]
        for row in rows:
            if row["type"] == "message.dispatch":
                found[row["data"]["envelope"]["id"]] = row["data"]["envelope"]


def _ok(server: Server, method: str, path: str, body: Any = None) -> Any:
    status, answer = server.ask(method, path, body)
    assert status in (200, 201), (status, answer)
    return answer


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(trial(Path(place), tasks=int(sys.argv[1]), kills=int(sys.argv[2])))  # noqa: T201
