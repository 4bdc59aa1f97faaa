"""Power cuts: what was answered is on the disk, whatever a cut leaves of the rest.

`python3 scripts/power_cuts.py` is the same for longer.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.power.cuts import cut, recorded
from tests.power.states import File, apply, states
from tests.power.tracing import Event
from tests.support.memory_folder import fast_folder

REQUESTS = 32
STATES = 90


@pytest.fixture(scope="module")
def recording() -> Iterator[Path]:
    with TemporaryDirectory(dir=fast_folder()) as folder:
        yield recorded(Path(folder) / "full", requests=REQUESTS, durability="full", seed=1)


def test_no_power_cut_loses_an_answered_write_or_leaves_half_of_one(recording: Path) -> None:
    report = cut(recording, many=STATES, seed=1)
    assert (report.states, report.answered) == (STATES, REQUESTS)
    assert report.syncs >= REQUESTS / 4  # each commit has its own, shared by at most four clients
    assert (report.examples, report.lost, report.strange, report.corrupt) == ([], 0, 0, 0)


def test_on_a_disk_that_only_says_that_it_syncs_much_is_lost(recording: Path) -> None:
    report = cut(recording, many=STATES // 3, seed=2, lying=True)
    assert report.lost > 0


def test_with_normal_durability_a_power_cut_loses_answered_writes_and_corrupts_nothing(
    tmp_path: Path,
) -> None:
    report = cut(
        recorded(tmp_path / "normal", requests=REQUESTS, durability="normal", seed=1),
        many=STATES // 2,
        seed=3,
    )
    assert report.lost > 0
    assert (report.strange, report.corrupt) == (0, 0)


def test_what_was_synced_is_in_every_state_and_what_was_not_in_some() -> None:
    events = [
        Event("write", "db", 0, b"old"),
        Event("sync", "db"),
        Event("answered", "note:a"),
        Event("create", "db-wal"),
        Event("write", "db-wal", 0, b"x" * 2000),
        Event("write", "db", 0, b"new"),
    ]
    after = [
        state for state in states({"db": b"..."}, events, many=600, seed=1) if state.position >= 2
    ]
    assert {state.files["db"] for state in after} == {b"old", b"new"}
    assert all(state.answered == {"note:a"} for state in after)
    journals = {state.files.get("db-wal") for state in after if state.position == 5}
    assert {None, b"", b"x" * 2000} <= journals
    assert any(found and 0 < found.count(b"x") < 2000 for found in journals)


def test_a_deleted_file_may_be_back_unless_its_folder_was_synced() -> None:
    for synced, expected in ((0, {True, False}), (1, {False})):
        events = [Event("delete", "db-wal", synced), Event("answered", "end")]
        found = states({"db": b"", "db-wal": b"w"}, events, many=200, seed=1)
        assert {"db-wal" in state.files for state in found if state.position == 1} == expected


def test_a_torn_write_changes_whole_sectors_only() -> None:
    chance = random.Random(1)
    for _ in range(200):
        content = bytearray(b"." * 3000)
        apply(content, Event("write", "db", 300, b"x" * 2000), chance=chance, torn=1.0)
        assert set(content[:300]) == {ord(".")}
        assert len(content) == 3000
        assert all(
            len(set(content[max(sector, 300) : min(sector + 512, 2300)])) == 1
            for sector in range(0, 2300, 512)
        )


def test_a_truncation_waits_for_its_sync_as_a_write_does() -> None:
    file = File(b"abcdef")
    file.waiting.append(Event("truncate", "db", 2))
    assert {file.after_cut(way, random.Random(1)) for way in ("nothing", "everything")} == {
        b"abcdef",
        b"ab",
    }
    file.sync()
    assert bytes(file.content) == b"ab"
