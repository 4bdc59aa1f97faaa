"""A small run of the trial in which a bridge is killed again and again."""

import os
from pathlib import Path

import pytest

from tests.commands.bridge.killed_bridges import trial


@pytest.mark.skipif(os.name != "posix", reason="it is killed as POSIX kills")
def test_a_killed_bridge_runs_nothing_twice_and_answers_everything(tmp_path: Path) -> None:
    outcome = trial(tmp_path, tasks=8, kills=1)
    assert (outcome.tasks, outcome.kills) == (8, 1)
