"""Restoring: what was there is kept, nothing half done, and only what can be opened becomes the
database.
"""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.core.database import data_dir
from app.core.database.data_dir import DATABASE
from app.migrations import STEPS, NewerFile, migrate
from app.upkeep.backups import backup_digests, backup_files, copy_database, encryption, restore
from app.upkeep.backups.backup_files import BackupFailed
from tests.support import ready_programs
from tests.support.serving import serving

ROOT = Path(program.__file__).parent.parent
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def hearth(*args: str, data: Path) -> Result:
    return CliRunner().invoke(
        program.hearth,
        [*args, "--data", str(data)],
        env={"HEARTH_DURABILITY": "normal", "HEARTH_EMBEDDINGS": "off"},
    )


def done(*args: str, data: Path) -> str:
    result = hearth(*args, data=data)
    assert result.exit_code == 0, result.output
    return result.stdout


def say(data: Path, word: str, *, leave_log: bool = False) -> None:
    """Write a user's name into the database.

    `leave_log` ends like a program that is killed, with the write in the log alone.
    """
    script = (
        "import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1], "
        "isolation_level=None)\nc.execute('PRAGMA journal_mode=WAL')\n"
        "c.execute('PRAGMA wal_autocheckpoint=0')\n"
        'c.execute("INSERT INTO users (uuid, username, name, created_at) '
        "VALUES (?1, ?1, ?1, '2026')\", (sys.argv[2],))\n"
    )
    ending = "os._exit(0)" if leave_log else "c.close()"
    subprocess.run([sys.executable, "-c", script + ending, str(data / DATABASE), word], check=True)


def said(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT username FROM users ORDER BY id")]


def backup_of(data: Path, word: str) -> Path:
    """Give a backup of the database with that word in it."""
    say(data, word)
    backup_files.make_folder(data)
    target = backup_files.next_path(data, "hand", NOW)
    copy_database.make_backup(data / DATABASE, target)
    return target


def test_a_restore_brings_back_what_was_and_keeps_what_is(data: Path) -> None:
    backup = backup_of(data, "first")
    say(data, "second", leave_log=True)
    restored = restore.restore_backup(backup, data, moment=NOW)
    assert said(data / DATABASE) == ["first"]
    assert restored.aside is not None
    assert restored.pending == 0
    assert backup.exists()
    restore.restore_backup(restored.aside, data, moment=NOW)
    assert said(data / DATABASE) == ["first", "second"]
    assert (data / DATABASE).stat().st_mode & 0o777 == 0o600


def test_a_restore_into_an_empty_place_makes_it_a_data_directory(
    data: Path, tmp_path: Path
) -> None:
    backup = backup_of(data, "first")
    fresh = tmp_path / "fresh"
    assert done("restore", str(backup), data=fresh).startswith(f"Restored {backup} to {fresh}.")
    assert said(fresh / DATABASE) == ["first"]
    assert "first" in done("user", "list", data=fresh)


def lose(data: Path) -> None:
    for path in data.glob(DATABASE + "*"):
        path.unlink()


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("init",), ("migrate",), ("user", "list")]
)
def test_no_empty_database_is_made_where_backups_tell_of_one(
    data: Path, command: tuple[str, ...]
) -> None:
    backup = backup_of(data, "first")
    lose(data)
    before = sorted(data.rglob("*"))
    refusal = hearth(*command, data=data)
    assert refusal.exit_code == 1
    assert (
        f"The database {data / DATABASE} is missing, but there are backups of it" in refusal.output
    )
    assert "from 2026-11-21 09:30 UTC" in refusal.output
    assert f"`hearth restore {backup} --data {data}`" in refusal.output
    assert not (data / DATABASE).exists()
    assert set(before) <= set(data.rglob("*"))
    done("restore", str(backup), data=data)
    assert said(data / DATABASE) == ["first"]


def test_an_empty_file_in_the_place_of_the_database_is_none_either(data: Path) -> None:
    backup_of(data, "first")
    lose(data)
    (data / DATABASE).touch()
    assert "is missing, but there are backups" in hearth("init", data=data).output
    assert (data / DATABASE).stat().st_size == 0


def test_a_database_without_any_backup_that_is_gone_is_told_too(data: Path) -> None:
    done("user", "list", data=data)  # notes how it leaves the database
    lose(data)
    refusal = hearth("init", data=data)
    assert refusal.exit_code == 1
    assert "is missing, and there is no backup of it" in refusal.output
    assert "put it back" in refusal.output


def test_backups_that_are_all_damaged_are_told_as_such(data: Path) -> None:
    backup_of(data, "first").write_bytes(b"x" * 5_000)
    lose(data)
    assert "no backup of it is intact" in hearth("init", data=data).output


def test_an_empty_database_is_made_in_the_place_of_a_lost_one_when_a_person_says_so(
    data: Path,
) -> None:
    backup = backup_of(data, "first")
    lose(data)
    with serving(data, "--new-database") as server:
        assert server.ask("GET", "/os/notes")[1]["notes"] == []
    assert backup.exists()


def foreign(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (id INTEGER PRIMARY KEY)")


def newer(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) "
            "VALUES ('hearth', 'm999_later', '2030')"
        )


def torn(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8192:40960] = b"\x55" * 32768
    path.write_bytes(content)


def orphan(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO contacts (user_id, contact_id, connected_at) VALUES (900, 901, '2026')"
        )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(b""), "it is empty"),
        (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(9000)), "it is not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[:-4096]), "it is cut off"),
        (torn, "damaged"),
        (orphan, "refers to a row of users that is not there"),
        (lambda path: (path.unlink(), foreign(path)), "not one of Hearth"),
        (newer, "made by a newer Hearth"),
        (lambda path: path.unlink(), "There is no file"),
        (lambda path: (path.unlink(), path.mkdir()), "There is no file"),
        (
            lambda path: path.with_name(path.name + "-wal").touch(),
            "in use, or one that was not closed",
        ),
        (
            lambda path: path.write_bytes(b"age-encryption.org/v1\n" + bytes(90)),
            "its passphrase is needed",
        ),
    ],
)
def test_what_cannot_be_opened_is_refused_and_nothing_is_changed(
    data: Path, tmp_path: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    backup = tmp_path / "backup.db"
    shutil.move(backup_of(data, "first"), backup)
    say(data, "second")
    spoil(backup)
    with pytest.raises((BackupFailed, NewerFile), match=reason):
        restore.restore_backup(backup, data, moment=NOW)
    assert said(data / DATABASE) == ["first", "second"]
    assert [
        path.name
        for path in data.iterdir()
        if path.name.startswith(".") or path.name.startswith("damaged")
    ] == []
    assert backup_files.list_backups(data) == []


def test_the_database_itself_is_no_backup(data: Path) -> None:
    with pytest.raises(BackupFailed, match="is the database itself"):
        restore.restore_backup(data / DATABASE, data, moment=NOW)


def test_an_older_backup_is_restored_and_brought_up_to_date_by_the_next_command(
    tmp_path: Path, data: Path
) -> None:
    older = tmp_path / "older"
    older.mkdir()
    migrate(older / DATABASE, steps=STEPS[:-2])
    say(older, "old")
    backup = tmp_path / "old.db"
    copy_database.make_backup(older / DATABASE, backup)
    assert "2 to do" in done("restore", str(backup), data=data)
    assert "old" in done("user", "list", data=data)
    assert [one.kind for one in backup_files.list_backups(data)] == ["upgrade", "restore"]


def test_a_damaged_database_is_set_aside_with_its_log(data: Path) -> None:
    backup = backup_of(data, "first")
    say(data, "second", leave_log=True)
    torn(data / DATABASE)
    restored = restore.restore_backup(backup, data, moment=NOW)
    assert said(data / DATABASE) == ["first"]
    assert restored.aside == data / "damaged-20261121T093000Z" / DATABASE
    assert {path.name for path in restored.aside.parent.iterdir()} >= {DATABASE, DATABASE + "-wal"}
    assert backup_files.newest_good(data) == backup


def test_an_encrypted_backup_needs_its_passphrase(data: Path, tmp_path: Path) -> None:
    plain = backup_of(data, "first")
    sealed, passphrase = tmp_path / "backup.db.age", tmp_path / "passphrase"
    passphrase.write_text("eine lange Losung\n", "utf-8")
    encryption.seal(plain, sealed, "eine lange Losung")
    say(data, "second")
    with pytest.raises(BackupFailed, match="passphrase is another one"):
        restore.restore_backup(sealed, data, moment=NOW, passphrase="eine andere")
    assert said(data / DATABASE) == ["first", "second"]
    done("restore", str(sealed), "--passphrase-file", str(passphrase), data=data)
    assert said(data / DATABASE) == ["first"]


def test_a_restore_is_refused_while_a_server_runs(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = backup_of(data, "first")
    monkeypatch.setattr("app.commands.ask.data_directory.PATIENCE_SECONDS", 0.1)
    with data_dir.own_directory(data):
        result = hearth("restore", str(backup), data=data)
    assert (
        result.exit_code,
        "is in use by process" in result.output,
        "Stop it first" in result.output,
    ) == (1, True, True)


def test_without_a_file_the_newest_are_named_and_each_can_be_named_without_its_folder(
    data: Path,
) -> None:
    assert hearth("restore", data=data).exit_code == 2
    backup = backup_of(data, "first")
    assert str(backup) in hearth("restore", data=data).output
    say(data, "second")
    done("restore", backup.name, data=data)
    assert said(data / DATABASE) == ["first"]


def test_every_change_of_the_schema_is_preceded_by_a_backup(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    migrate(data / DATABASE, steps=STEPS[:-1])
    say(data, "before")
    assert STEPS[-1].__name__ in done("migrate", data=data)
    (kept,) = backup_files.list_backups(data)
    assert (kept.kind, said(kept.path)) == ("upgrade", ["before"])
    with contextlib.closing(sqlite3.connect(kept.path)) as connection:
        steps = [
            row[0] for row in connection.execute("SELECT name FROM _sqlite_migrations ORDER BY id")
        ]
    assert steps == [step.__name__ for step in STEPS[:-1]]


def test_without_room_for_that_backup_the_schema_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    migrate(data / DATABASE, steps=STEPS[:-1])
    monkeypatch.setattr(backup_files, "bytes_to_leave_free", lambda _: 1 << 60)
    result = hearth("migrate", data=data)
    assert (result.exit_code, "nothing was changed" in result.output) == (1, True)
    monkeypatch.undo()
    assert STEPS[-1].__name__ in done("migrate", data=data)


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from app.upkeep.backups import copy_database as copying, backup_files as files, restore as restoring
moments = iter(range(10_000))
last = int(sys.argv[1])
def counted(function):
    def run(*args, **kwargs):
        if next(moments) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return run
for name in ("fsync", "link", "replace", "rename", "unlink", "mkdir", "chmod", "open"):
    setattr(os, name, counted(getattr(os, name)))
import pathlib, sqlite3
sqlite3.connect = counted(sqlite3.connect)
data = Path(sys.argv[2])
if sys.argv[3] == "restore":
    restoring.restore_backup(Path(sys.argv[4]), data, moment=datetime(2026, 11, 21, tzinfo=UTC))
else:
    files.delete_leftovers(files.make_folder(data))
    target = files.next_path(data, "hand", datetime(2026, 11, 21, tzinfo=UTC))
    copying.make_backup(data / "hearth.db", target)
"""


def killed_at(moment: int, data: Path, *task: str) -> int:
    return ready_programs.run([str(moment), str(data), *task], timeout=60, script=KILLED).code


def test_a_restore_that_is_killed_at_any_moment_loses_nothing_and_a_second_one_ends_well(
    data: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    shutil.move(backup_of(data, "first"), backup)
    say(data, "second")
    say(data, "third", leave_log=True)
    for moment in range(0, 200):
        home = tmp_path / f"home{moment}"
        shutil.copytree(data, home)
        ended = killed_at(moment, home, "restore", str(backup))
        before, after = ["first", "second", "third"], ["first"]
        there = said(home / DATABASE)
        assert there in (before, after)
        assert there == before or before in [
            said(one.path) for one in backup_files.list_backups(home)
        ]
        restore.restore_backup(backup, home, moment=NOW)
        assert said(home / DATABASE) == after
        assert before in [said(one.path) for one in backup_files.list_backups(home)]
        shutil.rmtree(home)
        if ended == 0:
            break
    assert ended == 0
    assert moment > 10


def test_a_backup_that_is_killed_at_any_moment_leaves_only_whole_ones_and_a_second_one_ends_well(
    data: Path, tmp_path: Path
) -> None:
    say(data, "first")
    for moment in range(0, 200):
        ended = killed_at(moment, data, "backup")
        assert [said(one.path) for one in backup_files.list_backups(data)] == [["first"]] * len(
            backup_files.list_backups(data)
        )
        assert [
            one.path.name
            for one in backup_files.list_backups(data)
            if not backup_digests.digest_path(one.path).exists()
            or backup_files.find_damage(one.path)
        ] == []
        assert said(data / DATABASE) == ["first"]
        if ended == 0:
            break
        backup_files.delete_leftovers(backup_files.make_folder(data))
        target = backup_files.next_path(data, "hand", NOW)
        copy_database.make_backup(data / DATABASE, target)
        assert [
            path.name
            for path in backup_files.backups_folder(data).iterdir()
            if path.name.startswith(".")
        ] == []
        assert len(list(backup_files.backups_folder(data).iterdir())) == 2 * len(
            backup_files.list_backups(data)
        )
    assert ended == 0
    assert moment > 5


def test_a_process_that_makes_a_backup_ends_with_the_one_that_asked_for_it(data: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from app.core.process import subprocess_reader\n"
        "task = {'file': sys.argv[1]}\n"
        "answer = subprocess_reader.run_reader('tests.support.waiting_child', task, seconds=60)\n"
        "asyncio.run(answer)\n"
    )
    told = data / "child"
    asker = subprocess.Popen([sys.executable, "-c", script, str(told)], cwd=ROOT)
    until = time.monotonic() + 20
    while not (told.exists() and told.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    child = int(told.read_text())
    asker.send_signal(signal.SIGKILL)
    asker.wait()
    while _runs(child) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return _answers(pid)
    return state != "Z"


def _answers(pid: int) -> bool:
    if Path("/proc").is_dir():
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False
