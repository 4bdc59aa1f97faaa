"""Ctrl-C while an import runs.

One sentence, whole batches, and the same command goes on from there.
"""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.moving import plant
from tests.support.moving_kills import hearth, ran, stored

NOTES = 1500


@pytest.mark.skipif(
    sys.platform == "win32", reason="Ctrl-C is no signal there that a test can send"
)
def test_ctrl_c_ends_an_import_with_one_sentence(tmp_path: Path) -> None:
    vault = plant(
        tmp_path / "vault",
        {f"n{number:04}.md": f"# {number}\n" + "word " * 300 for number in range(NOTES)},
    )
    data = tmp_path / "data"
    ran(data, "init")
    running = hearth(data, "import", str(vault))
    until = time.monotonic() + 60
    while stored(data) == 0 and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert said.splitlines() == [
        "Error: The import was interrupted. What was imported is kept. Run the same "
        "command again to continue."
    ]
    assert 0 < stored(data) < NOTES
    ran(data, "import", str(vault))
    assert stored(data) == NOTES
