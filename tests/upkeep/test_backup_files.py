"""The files of backups: names, order, rotation by the clock, and what is taken for whole."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import Backup

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def hourly(hours: int, begin: datetime = START) -> list[Backup]:
    return [
        Backup(Path(f"{number}"), number, begin + timedelta(hours=number), "clock")
        for number in range(1, hours + 1)
    ]


def kept(backups: list[Backup]) -> list[Backup]:
    """What is left when the rotation runs after each backup, as it does."""
    left: list[Backup] = []
    for backup in backups:
        left.append(backup)
        gone = {one.number for one in backup_files.find_outlived(left)}
        left = [one for one in left if one.number not in gone]
    return left


def database(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT) STRICT")
    connection.execute("INSERT INTO things (text) VALUES (hex(randomblob(20000)))")
    connection.commit()
    connection.close()
    return path


def test_a_year_of_hours_leaves_24_hours_7_days_and_8_weeks() -> None:
    left = kept(hourly(24 * 365))
    last = left[-1].made_at
    assert [backup.made_at for backup in left[-24:]] == [
        last - timedelta(hours=back) for back in range(23, -1, -1)
    ]
    assert {backup.made_at.date() for backup in left} >= {
        (last - timedelta(days=back)).date() for back in range(7)
    }
    assert {backup.made_at.isocalendar()[:2] for backup in left} == {
        (last - timedelta(weeks=back)).isocalendar()[:2] for back in range(8)
    }
    assert len(left) <= 24 + 7 + 8


def test_a_clock_that_jumps_ahead_and_back_loses_no_backup_of_the_time_before() -> None:
    before = hourly(100)
    jump = [Backup(Path("101"), 101, START + timedelta(days=40_000), "clock")]
    after = [
        Backup(Path(f"{number}"), number, START + timedelta(hours=number), "clock")
        for number in range(102, 105)
    ]
    left = {backup.number for backup in kept([*before, *jump, *after])}
    assert {101, 102, 103, 104} <= left
    assert {100, 99, 98, 97, 90} <= left


def test_what_is_made_after_the_clock_was_set_back_stays() -> None:
    past = [
        Backup(Path(f"{number}"), number, datetime(1990, 1, 1, number % 24, tzinfo=UTC), "clock")
        for number in range(200, 203)
    ]
    assert {200, 201, 202} <= {backup.number for backup in kept([*hourly(150), *past])}


def test_what_somebody_asked_for_stays_and_of_those_before_a_change_the_newest_five() -> None:
    made = [
        Backup(Path(f"{number}"), number, START, kind)
        for number, kind in enumerate(["hand"] * 9 + ["upgrade"] * 7 + ["restore"] * 6)
    ]
    assert [backup.number for backup in backup_files.find_outlived(made)] == [16, 10, 9]


def test_backups_are_listed_newest_first_by_their_number_and_nothing_else_is_listed(
    tmp_path: Path,
) -> None:
    place = backup_files.make_folder(tmp_path)
    first = backup_files.next_path(tmp_path, "clock", START)
    first.touch()
    second = backup_files.next_path(tmp_path, "hand", START - timedelta(days=900), sealed=True)
    second.touch()
    for other in (
        "hearth.db",
        "hearth-000009-20261121T093000Z-clock.db.part",
        "hearth-000009-20261399T093000Z-clock.db",
        "record.json",
    ):
        (place / other).touch()
    assert [
        (backup.path, backup.kind, backup.is_sealed)
        for backup in backup_files.list_backups(tmp_path)
    ] == [(second, "hand", True), (first, "clock", False)]
    assert place.stat().st_mode & 0o777 == 0o700


def interrupted(target: Path) -> None:
    with backup_files.write_whole_file(target) as part:
        part.write_bytes(b"half")
        raise KeyboardInterrupt


def test_where_nothing_was_ever_backed_up_there_is_no_newest(tmp_path: Path) -> None:
    assert backup_files.newest_good(tmp_path) is None
    assert backup_files.newest_good(tmp_path / "nowhere") is None


@pytest.mark.parametrize("damage", ["empty", "cut", "foreign"])
def test_the_newest_good_backup_is_one_that_is_whole(tmp_path: Path, damage: str) -> None:
    backup_files.make_folder(tmp_path)
    good = database(backup_files.next_path(tmp_path, "clock", START))
    bad = database(backup_files.next_path(tmp_path, "clock", START))
    content = {"empty": b"", "cut": bad.read_bytes()[:-1], "foreign": b"PK\x03\x04" + bytes(5000)}[
        damage
    ]
    assert backup_files.newest_good(tmp_path) == bad
    bad.write_bytes(content)
    assert backup_files.newest_good(tmp_path) == good


def test_what_a_restore_replaced_is_the_newest_good_one_only_where_there_is_no_other(
    tmp_path: Path,
) -> None:
    backup_files.make_folder(tmp_path)
    kept = database(backup_files.next_path(tmp_path, "clock", START))
    replaced = database(backup_files.next_path(tmp_path, "restore", START))
    assert backup_files.newest_good(tmp_path) == kept
    kept.unlink()
    assert backup_files.newest_good(tmp_path) == replaced


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with backup_files.write_whole_file(target) as part:
        part.write_bytes(b"whole")
        assert not target.exists()
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"whole", 0o600)
    with pytest.raises(KeyboardInterrupt):
        interrupted(target)
    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"whole", [target])


def test_a_disk_without_room_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(backup_files.NoRoom, match=r"B free, and a copy takes .* make room first"):
        backup_files.require_room(tmp_path, 1 << 60)
