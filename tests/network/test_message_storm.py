"""Messages over HTTP to a server in a process of its own: scripts/messages.py at its smallest."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SECONDS = 150


def test_a_small_storm_over_http_is_heard_exactly_once_and_in_order() -> None:
    command = [
        sys.executable,
        "scripts/messages.py",
        "--senders",
        "6",
        "--messages",
        "120",
        "--beside",
        "5",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    found = json.loads(done.stdout)
    assert (found["exactlyOnceAndInOrder"], found["troubles"], found["storm"]["messages"]) == (
        True,
        [],
        120,
    )
    assert set(found) >= {"message", "messageWithKey", "todo"}
