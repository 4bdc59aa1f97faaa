"""Large uploads beside small writes, in a small version of the trial."""

from pathlib import Path

from tests.raw_memory.upload_trial import MIB, run


def test_large_records_hold_up_nobody_and_fill_no_memory(tmp_path: Path) -> None:
    report = run(tmp_path, devices=3, records=2, size=7 * MIB)
    assert report.stored == 6
    assert report.notes > 3
    # six records at once would be a hundred MiB and more, each of them several times in memory
    assert report.most - report.before < 200
