"""A server that is killed while runtimes send each other messages."""

import json
import subprocess
import sys

from tests.support.serving import ROOT

GRANTS, MESSAGES = 8, 160


def test_messages_under_many_grants_survive_a_server_that_is_killed() -> None:
    """`python -m tests.support.delegation_kills 1000 10000` is the same for longer."""
    command = [sys.executable, "-m", "tests.support.delegation_kills", str(GRANTS), str(MESSAGES)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["wrong"], found["gaps"]) == ({}, 0)
    assert found["kills"] >= 1
    assert MESSAGES / 2 < found["answered"] <= MESSAGES
    assert found["given to a runtime"] <= found["answered"]
