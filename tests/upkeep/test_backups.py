"""Backups: made while the server is used, by the clock and by hand, encrypted, and proven."""

import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.errors import Invalid
from app.settings import Settings
from app.upkeep.backups import backup_files, copy_database, encryption
from app.upkeep.backups.backup_files import BackupFailed
from tests.conftest import Client, MovableClock, Served
from tests.support import backup_load

ROOT = Path(backup_load.__file__).parent.parent
PASSPHRASE = "korrekt horse battery"
CANARY = "sk-planted-canary-0123456789"

pytestmark = pytest.mark.anyio


def data_of(served: Served) -> Path:
    return served.parts.store.path.parent


def by_clock(served: Served) -> list[str]:
    return [
        backup.path.name
        for backup in backup_files.list_backups(data_of(served))
        if backup.kind == "clock"
    ]


def titles(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in connection.execute("SELECT title FROM notes ORDER BY id")]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def content(path: Path) -> bytes:
    return path.read_bytes()


def put(path: Path, new: bytes | bytearray) -> Path:
    path.write_bytes(new)
    return path


def named(place: Path, pattern: str) -> list[str]:
    return [path.name for path in place.glob(pattern)]


async def tend(served: Served) -> None:
    await served.command("look_after_backups")


async def test_a_backup_holds_what_the_server_holds_and_is_its_owners_alone(
    served: Served, alice: Client
) -> None:
    await alice.note("Kept", "A text that stays.")
    made = await served.command("make_backup")
    path = Path(made.file)
    assert (path.parent, mode(path)) == (backup_files.backups_folder(data_of(served)), 0o600)
    assert (titles(path), made.encrypted, made.bytes) == (["Kept"], False, len(content(path)))
    assert named(path.parent, ".*") == []


async def test_a_backup_goes_where_it_is_told_and_over_nothing(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere ' 100 %.db"
    assert Path((await served.command("make_backup", file=str(target))).file) == target
    assert titles(target) == []
    before = content(target)
    with pytest.raises(Invalid, match="is there already") as refusal:
        await served.command("make_backup", file=str(target))
    assert refusal.value.details["field"] == "file"
    with pytest.raises(Invalid, match="there is no folder"):
        await served.command("make_backup", file=str(tmp_path / "nowhere" / "x.db"))
    with pytest.raises(Invalid):
        await served.command("make_backup", file="relative.db")
    assert (content(target), backup_files.list_backups(data_of(served))) == (before, [])


@pytest.mark.usefixtures("work_here")
async def test_the_clock_makes_one_backup_an_hour_and_none_when_nothing_has_changed(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    await tend(served)
    await tend(served)
    assert len(by_clock(served)) == 1
    clock.forward(hours=1)
    await tend(served)  # the indexes may have been tended meanwhile
    made = len(by_clock(served))
    clock.forward(hours=1)
    await tend(served)
    assert len(by_clock(served)) == made
    await alice.note("Something new")
    await tend(served)
    assert len(by_clock(served)) == made + 1
    clock.forward(hours=-5000)
    await alice.note("After the clock was set back")
    await tend(served)
    newest = backup_files.list_backups(data_of(served))[0]
    assert (len(by_clock(served)), titles(newest.path)) == (
        made + 2,
        ["Something new", "After the clock was set back"],
    )


async def test_the_clock_makes_none_where_the_settings_say_so(
    data: Path, clock: MovableClock, served: Served
) -> None:
    object.__setattr__(served.parts.settings, "backups", False)
    await tend(served)
    assert backup_files.list_backups(data_of(served)) == []


@pytest.mark.usefixtures("work_here")
async def test_the_status_tells_of_backups_proof_and_room(served: Served, alice: Client) -> None:
    await alice.note("One", "twelve bytes")
    before = await alice.ok("GET", "/os/status")
    assert before["backup"] == {"enabled": True, "lastAt": None, "provenAt": None, "trouble": None}
    assert before["storage"] is None
    await tend(served)
    after = await alice.ok("GET", "/os/status")
    assert after["backup"] == {
        "enabled": True,
        "lastAt": "2026-11-21T09:30:00.000Z",
        "provenAt": "2026-11-21T09:30:00.000Z",
        "trouble": None,
    }
    assert after["storage"]["held"]["notes"] == 1
    assert after["storage"]["held"]["noteBytes"] == 12
    assert after["storage"]["databaseBytes"] > after["storage"]["parts"]["notes"] > 0


@pytest.mark.usefixtures("work_here")
async def test_the_status_tells_nobody_how_much_others_hold(
    served: Served, alice: Client, bob: Client
) -> None:
    await bob.note("Long", "secret " * 1000)
    await tend(served)
    seen = (await alice.ok("GET", "/os/status"))["storage"]
    assert (seen["databaseBytes"], seen["freeBytes"], seen["parts"], seen["held"]["noteBytes"]) == (
        None,
        None,
        None,
        0,
    )
    assert (await bob.ok("GET", "/os/status"))["storage"]["held"]["noteBytes"] == 7000


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.mark.usefixtures("work_here")
async def test_without_room_no_backup_is_made_and_the_status_says_so(
    served: Served,
    alice: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    clock: MovableClock,
) -> None:
    await served.command("make_backup")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100, 99, 1))
    with pytest.raises(backup_files.NoRoom):
        copy_database.make_backup(served.parts.store.path, tmp_path / "copy.db")
    assert named(tmp_path, "*copy*") == []

    async def no_room(*_: Any, **__: Any) -> dict[str, Any]:
        return {"error": "There is no room.", "code": "storage_full"}

    monkeypatch.setattr("app.core.process.subprocess_reader.run_reader", no_room)
    with pytest.raises(backup_files.NoRoom, match=r"There is no room\."):
        await served.command("make_backup")
    assert (await alice.ok("GET", "/os/status"))["backup"]["trouble"] == "no_room"
    monkeypatch.undo()
    await served.command("make_backup")
    assert (await alice.ok("GET", "/os/status"))["backup"]["trouble"] is None


async def test_a_backup_is_given_up_when_others_need_the_room(
    served: Served, alice: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        await alice.note(f"Note {number}", "text " * 10_000)
    free = iter([1000 << 20, 1000 << 20])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000 << 20, 0, next(free, 20 << 20)))
    with pytest.raises(backup_files.NoRoom, match="became full"):
        copy_database.make_backup(served.parts.store.path, tmp_path / "copy.db", gently=True)
    assert named(tmp_path, "*copy*") == []


async def test_after_a_failure_the_clock_waits_before_it_tries_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def failing(_: str, task: dict[str, Any], **__: Any) -> dict[str, Any]:
        asked.append(task["task"])
        return {"error": "It broke.", "code": ""}

    monkeypatch.setattr("app.core.process.subprocess_reader.run_reader", failing)
    await tend(served)
    await tend(served)
    assert asked == ["copy"]
    assert served.parts.safekeeping.known.trouble_text == "It broke."
    served.parts.safekeeping.rest(0)
    await tend(served)
    assert asked == ["copy", "copy"]


FULL = """
import resource, sys
from pathlib import Path
from app.upkeep.backups import copy_database as copying, backup_files as files
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    copying.make_backup(Path(sys.argv[1]), Path(sys.argv[2]))
except files.BackupFailed as error:
    print(error)
"""


@pytest.mark.parametrize("most", [0, 4096, 100_000, 400_000])
async def test_no_room_in_the_middle_leaves_nothing_behind(
    served: Served, alice: Client, tmp_path: Path, most: int
) -> None:
    for number in range(10):
        await alice.note(f"Note {number}", "text " * 10_000)
    target = tmp_path / "copy" / "full.db"
    target.parent.mkdir()
    command = [sys.executable, "-c", FULL, str(served.parts.store.path), str(target), str(most)]
    tried = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "could not be copied" in tried.stdout or "became full" in tried.stdout
    assert named(target.parent, "*") == []
    await served.command("make_backup", file=str(target))
    assert len(titles(target)) == 10


def test_what_sqlite_says_of_a_full_disk_is_told_as_that(tmp_path: Path) -> None:
    full = sqlite3.DatabaseError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert isinstance(copy_database.backup_failure(full, tmp_path), backup_files.NoRoom)
    assert not isinstance(
        copy_database.backup_failure(sqlite3.DatabaseError("odd"), tmp_path), backup_files.NoRoom
    )


@pytest.mark.usefixtures("work_here")
async def test_a_database_that_is_damaged_gives_no_backup_and_the_good_one_stays(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    for number in range(50):
        await alice.note(f"Note {number}", "text " * 500)
    good = Path((await served.command("make_backup")).file)
    broken = tmp_path / "broken.db"
    torn = bytearray(content(good))
    torn[len(torn) // 2 : len(torn) // 2 + 4096] = bytes(4096)
    put(broken, torn)
    with pytest.raises(BackupFailed):
        copy_database.make_backup(broken, tmp_path / "copy.db")
    assert named(tmp_path, "*copy*") == []
    assert backup_files.newest_good(data_of(served)) == good


@pytest.mark.parametrize("sealed", [False, True])
async def test_a_proof_restores_the_newest_backup_and_reads_in_it(
    served: Served, alice: Client, sealed: bool
) -> None:
    object.__setattr__(served.parts.settings, "backup_passphrase", PASSPHRASE if sealed else "")
    for number in range(30):
        await alice.note(f"Note {number}", f"# Heading\n\nText {number} with [[a link]].\n")
    made = await served.command("make_backup")
    proof = await served.command("prove_backup")
    assert (proof.file, proof.trouble) == (Path(made.file).name, None)
    assert proof.notes >= 20
    assert named(Path(made.file).parent, ".*") == []


@pytest.mark.usefixtures("work_here")
async def test_a_proof_that_fails_is_told(served: Served, alice: Client) -> None:
    for number in range(60):
        await alice.note(f"Note {number}", "text " * 400)
    assert (await served.command("prove_backup")).trouble == "There is no backup yet."
    path = Path((await served.command("make_backup")).file)
    torn = bytearray(content(path))
    torn[len(torn) // 2 : len(torn) // 2 + 8192] = b"\xff" * 8192
    put(path, torn)
    proof = await served.command("prove_backup")
    assert "damaged" in (proof.trouble or "")
    assert (await alice.ok("GET", "/os/status"))["backup"]["trouble"] == "not_proven"


@pytest.mark.usefixtures("genuine_age")
async def test_a_passphrase_encrypts_and_nothing_is_readable_without_it(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await alice.note("A title that nobody else may read")
    made = await served.command("make_backup", passphrase=PASSPHRASE)
    path = Path(made.file)
    assert (made.encrypted, path.suffix, mode(path)) == (True, ".age", 0o600)
    assert b"nobody else" not in content(path)
    rounds = int(content(path).split(b"\n")[1].split()[-1])
    assert rounds >= 14, "to try a passphrase takes work and memory"
    encryption.unseal(path, tmp_path / "opened.db", PASSPHRASE)
    assert titles(tmp_path / "opened.db") == ["A title that nobody else may read"]


def test_another_passphrase_and_a_file_that_is_cut_off_are_told(tmp_path: Path) -> None:
    path = tmp_path / "sealed.age"
    encryption.seal(put(tmp_path / "plain", b"text" * 50_000), path, PASSPHRASE)
    encryption.unseal(path, tmp_path / "opened", PASSPHRASE)
    assert content(tmp_path / "opened") == b"text" * 50_000
    with pytest.raises(BackupFailed, match="passphrase is another one"):
        encryption.unseal(path, tmp_path / "other", PASSPHRASE + "!")
    put(path, content(path)[:-1])
    with pytest.raises(BackupFailed, match="damaged"):
        encryption.unseal(path, tmp_path / "cut", PASSPHRASE)
    assert not {"other", "cut"} & set(named(tmp_path, "*"))


@pytest.mark.usefixtures("work_here")
async def test_a_passphrase_that_is_none_is_refused_before_anything_is_copied(
    served: Served,
) -> None:
    with pytest.raises(BackupFailed, match="at least 8 characters"):
        await served.command("make_backup", passphrase="short")
    assert backup_files.list_backups(data_of(served)) == []


@pytest.mark.usefixtures("work_here")
async def test_a_backup_holds_no_key_that_works(served: Served, alice: Client) -> None:
    """Keys, codes and sessions are kept as digests, and what others' services need lies outside
    the database.
    """
    secrets = [await served.key("alice") for _ in range(3)]
    secrets.append((await served.command("make_sign_in_code", username="alice")).code)
    await served.command("add_model", name="far", provider="openai", model="gpt", key=CANARY)
    held = content(Path((await served.command("make_backup")).file))
    assert [secret for secret in [*secrets, CANARY] if secret.encode() in held] == []


@pytest.mark.usefixtures("work_here")
async def test_the_rotation_follows_each_backup(
    served: Served, alice: Client, clock: MovableClock
) -> None:
    place = backup_files.make_folder(data_of(served))
    for number in range(1, 40):
        at = clock() - timedelta(hours=40 - number)
        (place / f"hearth-{number:06d}-{at:%Y%m%dT%H%M%SZ}-clock.db").write_bytes(b"")
    await tend(served)
    assert len(by_clock(served)) <= 24 + 7 + 8
    assert by_clock(served)[0].startswith("hearth-000040-")


def test_what_takes_room_is_told_by_purpose() -> None:
    from app.upkeep.storage_by_owner import table_purpose

    assert [
        table_purpose(table)
        for table in (
            "note_words_7_data",
            "note_grams_idx",
            "notes",
            "note_passages",
            "snapshots",
            "users",
        )
    ] == ["word index", "trigram index", "notes", "vectors", "snapshots", "other"]


def test_the_settings_of_backups_are_on_by_default() -> None:
    assert Settings().backups is True
    assert PASSPHRASE not in repr(Settings(backup_passphrase=PASSPHRASE))


async def test_backups_of_a_server_that_is_written_to_are_states_that_were_committed(
    tmp_path: Path,
) -> None:
    report = await backup_load.run(5, tmp_path)
    assert (report["troubles"], report["backups"]) == ([], 5)
    assert report["during"] > 0


async def test_a_backup_that_is_given_up_in_the_middle_leaves_nothing_behind(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    for number in range(20):
        await alice.note(f"Note {number}", "text " * 10_000)
    target = tmp_path / "copy" / "given up [1].db"
    target.parent.mkdir()
    making = asyncio.create_task(
        served.command("make_backup", file=str(target), passphrase=PASSPHRASE)
    )
    while not named(target.parent, ".*"):  # noqa: ASYNC110 - what is waited for happens in another process
        await asyncio.sleep(0.002)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert named(target.parent, "*") == []


@pytest.mark.usefixtures("work_here")
async def test_a_backup_with_a_passphrase_of_its_own_is_no_reason_for_alarm(
    served: Served, alice: Client
) -> None:
    plain = Path((await served.command("make_backup")).file)
    await served.command("make_backup", passphrase=PASSPHRASE)
    proof = await served.command("prove_backup")
    assert (proof.file, proof.trouble) == (plain.name, None)


async def test_a_folder_that_cannot_be_made_is_told_and_the_server_goes_on(
    served: Served, alice: Client
) -> None:
    put(backup_files.backups_folder(data_of(served)), b"a file")
    await tend(served)
    assert (await alice.ok("GET", "/os/status"))["backup"]["trouble"] == "failed"
    with pytest.raises(BackupFailed, match="cannot be made"):
        await served.command("make_backup")
