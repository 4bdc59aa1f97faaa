"""Large uploads beside small writes, in a small version of the trial."""

from pathlib import Path

from tests.raw_memory.upload_trial import MIB, run


def test_large_records_hold_up_nobody_and_fill_no_memory(tmp_path: Path) -> None:
    report = run(tmp_path, devices=2, records=2, size=7 * MIB)
    assert report.stored == 4
    assert report.notes > 3
    # both requests at once would be more, each of them several times in memory
    assert report.most - report.before < 150
