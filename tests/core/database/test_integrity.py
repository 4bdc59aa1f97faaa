"""A database that is damaged is noticed, never written to, and the newest good backup named.

One that was left in order costs the start nothing.
"""

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.commands.ask import data_directory
from app.commands.ask.data_directory import migrate_database
from app.core.database import data_dir, integrity
from app.core.database.data_dir import DATABASE
from app.core.database.integrity import Check
from app.interfaces.schedule import Schedule
from app.upkeep.backups import backup_files
from tests.conftest import Client, MovableClock, Served
from tests.support.flipped_bytes import prepared
from tests.support.serving import ROOT, refused, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A data directory that its owner left in order."""
    return prepared(tmp_path / "data")


def looked_at(folder: Path) -> Check | None:
    """Own the directory as a start does.

    Give the check that it made before anything was written.
    """
    with data_dir.own_directory(folder) as ownership:
        found = integrity.check_before_use(folder / DATABASE, unclean=ownership.unclean)
        ownership.mark_sound()
        return found


def change_byte(file: Path, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 0xFF
    file.write_bytes(content)


def backed_up(folder: Path) -> Path:
    backup = backup_files.next_path(folder, "hand", datetime(2026, 11, 20, tzinfo=UTC))
    backup_files.make_folder(folder)
    shutil.copy(folder / DATABASE, backup)
    return backup


def test_a_byte_changed_anywhere_in_a_database_left_in_order_is_noticed() -> None:
    """`python -m tests.support.flipped_bytes 100` is the same for longer."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.flipped_bytes", "10"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == {
        "copies": 10,
        "noticed": 10,
        "noticed_again": 10,
        "missed_at": [],
    }


def test_a_start_after_an_end_in_order_looks_at_nothing(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "check_database", lambda *_: pytest.fail("it looked"))
    monkeypatch.setattr(integrity, "_digest", lambda *_: pytest.fail("it read the file"))
    assert looked_at(left) is None
    assert looked_at(left) is None


def test_a_directory_that_was_only_copied_is_read_once_and_not_checked(
    left: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "check_database", lambda *_: pytest.fail("it looked"))
    shutil.copytree(left, tmp_path / "copy", copy_function=shutil.copyfile)
    assert looked_at(tmp_path / "copy") is None


def test_after_a_kill_the_next_start_looks_quickly_and_the_one_after_that_not_at_all(
    left: Path,
) -> None:
    (left / "server.lock").write_text("4711\n")
    found = looked_at(left)
    assert found is not None
    assert (found.kind, found.findings, found.damaged) == ("quick", (), False)
    assert integrity.last_check(left / DATABASE) == found
    assert looked_at(left) is None


def test_a_journal_that_was_left_behind_is_an_unclean_stop_too(left: Path) -> None:
    (left / (DATABASE + "-wal")).touch()
    found = looked_at(left)
    assert found is not None
    assert found.kind == "quick"


def test_a_database_of_another_size_that_fits_together_is_accepted_as_one_that_was_put_there(
    left: Path,
) -> None:
    with contextlib.closing(sqlite3.connect(left / DATABASE)) as connection:
        connection.execute("CREATE TABLE large AS SELECT zeroblob(100000) AS x")
        connection.commit()
    found = looked_at(left)
    assert found is not None
    assert (found.kind, found.damaged) == ("full", False)
    assert looked_at(left) is None


def test_what_another_program_changed_in_place_is_refused_until_a_person_accepts_it(
    left: Path,
) -> None:
    with contextlib.closing(sqlite3.connect(left / DATABASE)) as connection:
        connection.execute("UPDATE notes SET title = 'Frost dated' WHERE title = 'Frost dates'")
        connection.commit()
    assert "--accept-changes" in refused(left, "user", "list")
    with serving(left, "--accept-changes", key="none") as server:
        assert server.process.poll() is None
    assert looked_at(left) is None


def change_title(folder: Path) -> None:
    """Write to the database as its owner does, which leaves the file as large as it was."""
    before = (folder / DATABASE).stat().st_size
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("UPDATE notes SET title = 'Frost dated' WHERE title = 'Frost dates'")
        connection.commit()
    assert (folder / DATABASE).stat().st_size == before


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_an_owner_wrote_before_it_failed_is_no_damage(
    left: Path, failure: type[BaseException]
) -> None:
    def write_and_fail() -> None:
        with data_dir.own_directory(left) as ownership:
            migrate_database(left, ownership)
            change_title(left)
            raise failure

    with pytest.raises(failure):
        write_and_fail()
    assert looked_at(left) is None


def test_after_an_owner_whose_record_found_no_room_the_next_start_looks_and_finds_no_damage(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with data_dir.own_directory(left) as ownership:
        migrate_database(left, ownership)
        change_title(left)
        monkeypatch.setattr(integrity, "replace_file", refuse)
    monkeypatch.undo()
    found = looked_at(left)
    assert found is not None
    assert (found.kind, found.damaged) == ("quick", False)
    assert looked_at(left) is None


def test_after_a_migration_that_failed_halfway_the_next_start_looks_and_finds_no_damage(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: Path, *, before: Callable[[Path], object]) -> None:
        before(file)
        change_title(left)
        raise ValueError

    monkeypatch.setattr(data_directory, "migrate", fail)
    with pytest.raises(ValueError), data_dir.own_directory(left) as ownership:
        migrate_database(left, ownership)
    found = looked_at(left)
    assert found is not None
    assert (found.kind, found.damaged) == ("quick", False)


def test_a_damaged_database_is_served_read_only_and_the_newest_good_backup_named(
    left: Path,
) -> None:
    backup = backed_up(left)
    change_byte(left / DATABASE, (left / DATABASE).read_bytes().index(b"Last frost: 12 May"))
    before = (left / DATABASE).read_bytes()
    assert f"hearth restore {backup}" in refused(left, "key", "list", "--user", "ann")
    for _ in range(2):
        with serving(left, key="none") as server:
            assert "Starting read-only" in server.text()
            assert f"hearth restore {backup}" in server.text()
            assert server.ask("GET", "/os/status")[0] == 401
        assert (left / DATABASE).read_bytes() == before


def test_a_file_that_is_no_database_is_refused(left: Path) -> None:
    (left / DATABASE).write_bytes(b"no database at all" * 1000)
    assert "The database is damaged" in refused(left, "serve", "--port", "0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"left": 7, "check": "x"}',
        '{"left": {"size": "?"}}',
        '{"check": {"at": 1, "findings": 2}}',
    ],
)
def test_a_record_that_cannot_be_read_is_no_record(left: Path, text: str) -> None:
    (left / integrity.RECORD).write_text(text)
    assert looked_at(left) is None


def test_an_owner_that_knows_of_trouble_leaves_the_next_one_to_look(left: Path) -> None:
    with data_dir.own_directory(left) as ownership:
        ownership.in_order = False
    found = looked_at(left)
    assert found is not None
    assert found.kind == "quick"


async def test_the_nightly_check_is_kept_and_shown(served: Served, alice: Client) -> None:
    status = (await alice.ok("GET", "/os/status"))["database"]
    assert (status["writable"], status["checkedAt"], status["check"]) == (True, None, None)
    await served.command("check_database_when_due")
    status = (await alice.ok("GET", "/os/status"))["database"]
    assert (status["state"], status["check"], status["findings"]) == ("writable", "full", 0)
    assert integrity.last_check(served.parts.store.path) == served.parts.store.health.check


async def test_damage_found_at_night_ends_all_writing_and_a_note_that_names_nothing_does_not(
    served: Served, alice: Client, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = integrity.check_database

    def found(*args: Any, **more: Any) -> Check:
        return replace(real(*args, **more), findings=("row 7 names nothing",), damaged=damaged)

    monkeypatch.setattr(integrity, "check_database", found)
    damaged = False
    await served.parts.store.examine("full")
    assert (await alice.ok("GET", "/os/status"))["database"]["findings"] == 1
    note = await alice.note()
    damaged = True
    await served.parts.store.examine("full")
    refusal = await alice.refused(
        "POST", "/os/notes", 503, "unavailable", json={"title": "no", "content": ""}
    )
    assert refusal["database"] == "damaged"
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"] == note
    assert (await alice.ok("GET", "/os/status"))["database"]["state"] == "damaged"


async def test_a_row_that_names_what_is_not_there_is_found_by_the_full_check(data: Path) -> None:
    with contextlib.closing(sqlite3.connect(data / DATABASE)) as connection:
        connection.execute(
            "INSERT INTO web_sessions (user_id, digest, created_at, expires_at) "
            "VALUES (404, x'00', 'then', 'later')"
        )
        connection.commit()
    check = integrity.check_database(data / DATABASE, "full")
    assert (check.damaged, len(check.findings)) == (False, 1)
    assert "names a row of users that is not there" in check.findings[0]


async def test_a_row_that_breaks_a_rule_of_its_table_is_found_by_the_full_check(data: Path) -> None:
    with contextlib.closing(sqlite3.connect(data / DATABASE)) as connection:
        connection.executescript(
            "PRAGMA ignore_check_constraints=ON; INSERT INTO conversations (type, title, "
            "created_at, updated_at) VALUES ('cloud', 'x', 'then', 'then')"
        )
    check = integrity.check_database(data / DATABASE, "full")
    assert (check.damaged, check.findings) == (
        False,
        ("conversations: the rule type IN ('direct', 'shared_agent', 'group') is broken in 1 row",),
    )
    assert integrity.check_database(data / DATABASE, "quick").findings == ()


def test_a_check_ends_when_the_server_does(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "STEPS", 1)
    with pytest.raises(integrity.Stopped):
        integrity.check_database(data / DATABASE, "full", stopped=lambda: True)


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC).astimezone().replace(hour=12)
CHECKED = Check("", "full", (), damaged=False, seconds=1.0)


@pytest.mark.parametrize(
    ("ago", "hour", "due"),
    [
        (timedelta(hours=5), 3, False),
        (timedelta(hours=23), 3, True),
        (timedelta(hours=23), 12, False),
        (timedelta(hours=49), 12, True),
        (timedelta(hours=-49), 12, True),
        (timedelta(hours=-1), 3, False),
    ],
)
def test_the_full_check_is_due_at_night_or_when_it_is_long_ago(
    ago: timedelta, hour: int, due: bool
) -> None:
    now = NOON.replace(hour=hour)
    assert (
        integrity.is_due(replace(CHECKED, at=(now - ago).isoformat()), now.astimezone(UTC)) is due
    )


@pytest.mark.parametrize(
    "check",
    [None, replace(CHECKED, kind="quick", at=NOON.isoformat()), replace(CHECKED, at="never")],
)
def test_the_full_check_is_due_where_there_was_none(check: Check | None) -> None:
    assert integrity.is_due(check, NOON.astimezone(UTC))


async def test_a_key_that_has_ended_stays_so_when_the_clock_goes_back(
    served: Served, clock: MovableClock
) -> None:
    await served.command("add_user", username="carol")
    async with served.client(await served.key("carol", expiresIn="1h")) as carol:
        await carol.ok("GET", "/identity")
        clock.forward(hours=2)
        await carol.refused("GET", "/identity", 401, "unauthorized")
        clock.forward(hours=-2)
        await carol.refused("GET", "/identity", 401, "unauthorized")


async def test_a_clock_that_leaps_fires_each_background_job_once(served: Served) -> None:
    schedule = Schedule(served.parts)
    schedule.begin()
    assert schedule._scheduler is not None
    try:
        jobs = schedule._scheduler.get_jobs()
        assert {(job.coalesce, job.max_instances) for job in jobs} == {(True, 1)}
        names = {found.name for found in served.parts.catalog.operations.values() if found.every}
        assert {job.id for job in jobs} == names
        assert {"check_database_when_due", "run_due_heartbeats", "sweep_sessions"} < names
    finally:
        schedule.stop()


def test_a_second_server_is_refused_within_a_second_and_changes_nothing(left: Path) -> None:
    with serving(left, key="none") as server:
        before = {path.name: path.stat().st_mtime_ns for path in left.iterdir()}
        assert f"is in use by process {server.process.pid}" in refused(
            left, "serve", "--port", str(server.port)
        )
        after = {
            path.name: path.stat().st_mtime_ns for path in left.iterdir() if path.name in before
        }
        assert {name for name in after if after[name] != before[name]} <= {
            "reserve",
            "hearth.db-wal",
            "hearth.db-shm",
        }
    assert os.access(left / DATABASE, os.R_OK)
