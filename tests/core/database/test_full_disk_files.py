"""Files beside the database on a full disk: nothing half written stays, and what fails says why.

These tests need the right to mount a small disk.
"""

import gzip
from pathlib import Path

import msgspec
import pytest

from app.core.database import backup_status, data_dir
from app.core.database.backup_status import BackupState
from app.core.secret_files import KeptSecrets
from app.core.temp_files import Upload
from app.errors import StorageFull
from app.interfaces.logs import access_log
from app.interfaces.logs.access_log import AccessLog, Line
from app.interfaces.logs.log_rotation import OldLogs
from tests.support.disks import can_mount, fill, leave_room, small_disk


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"ballast"}


if can_mount():

    def test_what_is_known_of_backups_leaves_no_half_of_itself(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            known = BackupState(disk)
            known.keep(backup_file="one")
            fill(disk)
            known.keep(backup_file="x" * 10_000)
            assert known.known.backup_file == "x" * 10_000
            assert names(disk / data_dir.BACKUPS) == {backup_status.FILE}
            assert BackupState(disk).known.backup_file == "one"

    def test_a_server_that_cannot_be_announced_leaves_no_half_of_it(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            fill(disk)
            with (
                pytest.raises(data_dir.DataDirError, match=r"Cannot write .*control\.json"),
                data_dir.announce_server(disk, pid=1, url="http://localhost", token="t"),
            ):
                raise AssertionError("it was announced")
            assert names(disk) == set()

    def test_an_upload_names_the_full_disk_whenever_it_meets_it(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            upload = Upload(disk)
            fill(disk)
            with pytest.raises(StorageFull, match="The disk is full"):
                upload.add(b"x" * 100_000)
            upload.remove()
            assert names(disk / data_dir.SPOOL) == set()

    def test_an_upload_that_cannot_even_begin_names_the_full_disk(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "64k,nr_inodes=3") as disk:
            (disk / "ballast").touch()
            (disk / data_dir.SPOOL).mkdir()
            with pytest.raises(StorageFull, match="The disk is full"):
                Upload(disk)

    def test_a_secret_that_finds_no_room_is_not_kept_in_part(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            fill(disk)
            with pytest.raises(StorageFull, match="The disk is full"):
                KeptSecrets(disk).keep("s" * 5_000)
            assert names(disk) == set()

    def test_the_access_log_has_whole_lines_only(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            log = AccessLog(disk / "access.log", most=8 << 20)
            line = Line("now", "i" * 300, "GET", "/os/notes", 200, 1, 0.1, "alice", 1, "127.0.0.1")
            log._waiting = [line]
            log.flush()
            ballast = leave_room(disk, 8_192)
            for _ in range(3):
                log._waiting = [line] * 40
                log.flush()
            whole = (disk / "access.log").read_bytes()
            assert whole.endswith(b"\n")
            ballast.unlink()
            log._waiting = [line] * 2
            log.flush()
            log.close()
            rows = (disk / "access.log").read_bytes().splitlines()
            assert {msgspec.json.decode(row)["at"] for row in rows} == {"now"}
            assert len(rows) == whole.count(b"\n") + 2
            assert access_log.BATCH > 40

    def test_a_log_that_cannot_be_compressed_is_kept_and_no_half_of_it(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "1m") as disk:
            path = disk / "access.log"
            path.write_bytes(gzip.compress(b"line\n" * 50_000) * 400)
            fill(disk)
            old = OldLogs(path, most=1 << 20)
            old.put_aside()
            old.close()
            assert names(disk) == {"access.log.0"}
