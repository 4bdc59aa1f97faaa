"""`hearth doctor`: what it finds, what it says to do, and what it mends; and `hearth storage`."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.core.database import data_dir, integrity
from app.core.database.data_dir import DATABASE
from app.migrations import STEPS, migrate
from app.upkeep import storage
from app.upkeep.backups import backup_files
from app.upkeep.doctor import examine
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.home import without_browser

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ENVIRONMENT = {"HEARTH_EMBEDDINGS": "off"}


def hearth(*args: str, data: Path, **environment: str) -> Result:
    return CliRunner().invoke(
        program.hearth, [*args, "--data", str(data)], env={**ENVIRONMENT, **environment}
    )


def found(data: Path, *options: str, **environment: str) -> dict[str, Any]:
    """The findings by what they are of, each with its gravity; and what was mended."""
    result = hearth("doctor", "--json", *options, data=data, **environment)
    told = json.loads(result.stdout)
    assert result.exit_code == (0 if told["well"] else 1)
    for finding in told["findings"]:
        assert (finding["remedy"] is None) == (finding["gravity"] == "well"), finding
    order = ["well", "advice", "wrong"]
    worst: dict[str, Any] = {"mended": told["mended"]}
    for finding in told["findings"]:
        worst[finding["check"]] = max(
            worst.get(finding["check"], "well"), finding["gravity"], key=order.index
        )
    return worst


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a user, notes and a proven backup, that no server uses.

    Each test gets a copy.
    """
    data = tmp_path_factory.mktemp("made") / "home"
    assert hearth("init", "--user", "alice", data=data).exit_code == 0
    with contextlib.closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute("UPDATE workspaces SET changed_at = '2026-01-01T00:00:00.000Z'")
    integrity.forget_records(data / DATABASE)
    assert hearth("backup", data=data).exit_code == 0
    assert hearth("backup", "--prove", data=data).exit_code == 0
    return data


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_home, tmp_path / "home"))


def run(data: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(sql)
    integrity.forget_records(data / DATABASE)  # as if the server had left it so


def test_a_home_where_all_is_well_has_nothing_to_say(home: Path) -> None:
    said = found(home)
    assert {check for check, gravity in said.items() if gravity == "well"} >= {
        "lock",
        "integrity",
        "schema",
        "counters",
        "words",
        "trigrams",
        "clock",
        "rights",
        "backups",
        "proof",
        "settings",
    }
    text = hearth("doctor", data=home)
    assert (text.exit_code, "WRONG" in text.stdout, "ok    integrity" in text.stdout) == (
        0,
        False,
        True,
    )


def test_beside_a_server_the_server_is_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(_: object, __: int, name: str, **params: Any) -> dict[str, Any]:
        asked.append(name)
        return {
            "findings": [{"check": "integrity", "gravity": "well", "message": "Whole."}],
            "problem": None,
        }

    monkeypatch.setattr("app.commands.doctor.ask_patiently", answer)
    monkeypatch.setattr("app.commands.ask.data_directory.PATIENCE_SECONDS", 0.1)
    with data_dir.own_directory(home):
        found_beside = found(home)
    assert (asked, found_beside["integrity"], found_beside["lock"]) == (
        ["examine_database", "verify_audit"],
        "well",
        "well",
    )


def test_a_server_that_does_not_answer_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.commands.ask.door.PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("app.commands.ask.data_directory.PATIENCE_SECONDS", 0.1)
    with data_dir.own_directory(home):
        assert found(home)["lock"] == "wrong"


def spoil_words(data: Path) -> None:
    with contextlib.closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute(
            """INSERT INTO notes (owner_id, title, tags, word_count, size,
               created_at, updated_at, content)
               VALUES (1, 'Unindexed', '[]', 1, 4, '2026', '2026', 'text')"""
        )
        connection.execute(
            "UPDATE workspaces SET note_count = note_count + 1, root_count = root_count + "
            "1, total_bytes = total_bytes + 4"
        )
    integrity.forget_records(data / DATABASE)


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (lambda data: run(data, "UPDATE workspaces SET note_count = 7"), "counters"),
        (lambda data: run(data, "UPDATE folders SET note_count = 3"), "counters"),
        (
            lambda data: run(
                data,
                "INSERT INTO todo_lists (owner_id, open_count, completed_count) VALUES (1, 2, 3)",
            ),
            "counters",
        ),
        (spoil_words, "words"),
        (spoil_words, "trigrams"),
        (lambda data: (data / DATABASE).chmod(0o644), "rights"),
        (lambda data: data.chmod(0o755), "rights"),
        (lambda data: backup_files.list_backups(data)[0].path.chmod(0o644), "rights"),
    ],
)
def test_what_can_be_made_anew_is_mended(
    home: Path, spoil: Callable[[Path], object], check: str
) -> None:
    spoil(home)
    assert found(home)[check] == "wrong"
    mended = found(home, "--fix")
    assert (mended[check], check in mended["mended"]) == ("well", True)
    assert found(home)[check] == "well"


@pytest.mark.parametrize(("name", "table"), [("words", "note_words_1"), ("trigrams", "note_grams")])
def test_the_indexes_of_many_notes_are_compared_with_a_part_of_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, table: str
) -> None:
    with contextlib.closing(sqlite3.connect(home / DATABASE, isolation_level=None)) as connection:
        for number in range(1, 21):
            connection.execute(
                """INSERT INTO notes (owner_id, title, tags, word_count, size,
               created_at, updated_at, content)
                   VALUES (1, ?, '[]', 1, 9, '2026', '2026', 'peculiar')""",
                (f"Note {number}",),
            )
    integrity.forget_records(home / DATABASE)
    assert hearth("doctor", "--fix", data=home).exit_code == 0
    assert hearth("search", "status", data=home).exit_code == 0
    monkeypatch.setattr(examine, "WHOLE_BYTES", 40)
    assert found(home)[name] == "well"
    run(home, f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    assert found(home)[name] == "wrong"
    assert found(home, "--fix")[name] == "well"


def test_files_that_were_left_half_made_are_cleared_away(home: Path) -> None:
    part = backup_files.backups_folder(home) / ".hearth-000009-20261121T093000Z-clock.db.part"
    part.touch()
    assert found(home)["leftovers"] == "advice"
    assert "leftovers" not in found(home, "--fix")
    assert not part.exists()


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("spoil", "check", "gravity"),
    [
        (
            lambda data: run(
                data,
                "INSERT INTO contacts (user_id, contact_id, connected_at) VALUES (8, 9, '2026')",
            ),
            "integrity",
            "wrong",
        ),
        (lambda data: (data / DATABASE).write_bytes(b"rubbish" * 999), "integrity", "wrong"),
        (
            lambda data: run(data, "UPDATE workspaces SET changed_at = '2999-01-01T00:00:00.000Z'"),
            "clock",
            "wrong",
        ),
        (lambda data: cut(backup_files.list_backups(data)[0].path), "backups", "wrong"),
        (lambda data: shutil.rmtree(backup_files.backups_folder(data)), "backups", "advice"),
        (
            lambda data: (backup_files.backups_folder(data) / "record.json").unlink(),
            "proof",
            "advice",
        ),
        (
            lambda data: (backup_files.backups_folder(data) / "record.json").write_bytes(b"{"),
            "proof",
            "advice",
        ),
        (
            lambda data: run(
                data,
                "INSERT INTO _sqlite_migrations (migration_set, name) "
                "VALUES ('hearth', 'm999_later')",
            ),
            "schema",
            "wrong",
        ),
        (lambda data: (data / DATABASE).unlink(), "database", "wrong"),
    ],
)
def test_what_needs_a_person_is_told_with_what_to_do(
    home: Path, spoil: Callable[[Path], object], check: str, gravity: str
) -> None:
    spoil(home)
    assert found(home)[check] == gravity


def test_a_database_that_is_gone_is_looked_for_among_the_backups(home: Path) -> None:
    (home / DATABASE).unlink()
    result = hearth("doctor", data=home)
    assert (
        result.exit_code,
        f"hearth restore {backup_files.list_backups(home)[0].path}" in result.stdout,
    ) == (1, True)


def test_a_disk_that_is_nearly_full_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, 100 << 20))
    assert found(home)["disk"] == "advice"
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, 1 << 20))
    assert found(home)["disk"] == "wrong"


def test_settings_are_looked_at(home: Path) -> None:
    assert found(home, HEARTH_DURABILITY="normal")["settings"] == "advice"
    assert found(home, HEARTH_BACKUPS="off")["backups"] == "advice"
    assert found(home, HEARTH_EXTERNAL_CHECKPOINTS="on")["settings"] == "advice"
    assert found(home, HEARTH_NONSENSE="1") == {"mended": [], "settings": "wrong"}


def test_a_schema_that_is_behind_is_no_failure(tmp_path: Path) -> None:
    migrate(tmp_path / DATABASE, steps=STEPS[:-1])
    assert found(tmp_path)["schema"] == "advice"


def everything(data: Path) -> dict[str, tuple[bytes, int]]:
    """All files of a directory by name, each with its bytes and time of change.

    SQLite's map of the log, which readers mark, is left out.
    """
    kept = [path for path in data.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    return {
        str(path.relative_to(data)): (path.read_bytes(), path.stat().st_mtime_ns) for path in kept
    }


def flip(data: Path, text: bytes) -> None:
    file = data / DATABASE
    content = bytearray(file.read_bytes())
    content[content.index(text)] ^= 0x01
    file.write_bytes(content)


def leave_a_log(data: Path) -> None:
    """Leave the directory as a killed server does.

    Its number in the lock, and its last changes in a log.
    """
    for suffix in ("", "-wal", "-shm"):  # copied while a connection has it open
        shutil.copy(data / (DATABASE + suffix), data / ("copy" + suffix))
    for suffix in ("", "-wal", "-shm"):
        (data / ("copy" + suffix)).replace(data / (DATABASE + suffix))


def kill(data: Path) -> None:
    (data / data_dir.LOCK).write_text("4711\n")
    with contextlib.closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute("UPDATE users SET name = 'Alice'")
        leave_a_log(data)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: None,
        lambda data: (data / data_dir.LOCK).write_text("4711\n"),
        kill,
        lambda data: flip(data, b"General"),
        lambda data: flip(data, b"CREATE TABLE"),
        lambda data: (data / DATABASE).write_bytes(b"rubbish" * 999),
        lambda data: (data / data_dir.LOCK).unlink(),
    ],
    ids=[
        "well",
        "unclean",
        "killed",
        "a byte of a text",
        "a byte of the schema",
        "no database",
        "without a lock",
    ],
)
def test_without_fix_the_doctor_changes_nothing(
    made_home: Path, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    home = Path(shutil.copytree(made_home, tmp_path / "home"))
    assert hearth("user", "list", data=home).exit_code == 0  # an owner that leaves the guard behind
    spoil(home)
    before = everything(home)
    for _ in range(2):
        hearth("doctor", data=home)
        assert everything(home) == before


@pytest.mark.parametrize("options", [(), ("--fix",)])
def test_a_look_does_not_clear_the_guard_against_a_damaged_database(
    home: Path, options: tuple[str, ...]
) -> None:
    assert hearth("user", "list", data=home).exit_code == 0
    flip(home, b"General")
    (backup_files.backups_folder(home) / ".hearth-000009-20261121T093000Z-clock.db.part").touch()
    run_of = found(home, *options)
    assert run_of["guard"] == "wrong"
    assert found(home, *options)["guard"] == "wrong"
    damaged = (home / DATABASE).read_bytes()
    refused = hearth("user", "list", data=home)
    assert (
        refused.exit_code,
        "--accept-changes" in refused.output,
        (home / DATABASE).read_bytes() == damaged,
    ) == (1, True, True)


def test_what_could_not_be_restored_leaves_the_next_start_to_look(home: Path) -> None:
    (home / data_dir.LOCK).write_text("4711\n")
    cut(backup_files.list_backups(home)[0].path)
    assert hearth("restore", str(backup_files.list_backups(home)[0].path), data=home).exit_code == 1
    assert (home / data_dir.LOCK).read_text() != ""


def test_a_damaged_page_is_found(home: Path, tmp_path: Path) -> None:
    content = bytearray((home / DATABASE).read_bytes())
    content[40960:45056] = b"\x55" * 4096
    (tmp_path / "torn.db").write_bytes(content)
    assert {one.gravity for one in examine.examine_database(tmp_path / "torn.db", NOW)} == {"wrong"}


@pytest.mark.anyio
async def test_the_server_looks_through_its_database_while_it_is_used(
    served: Served, alice: Client
) -> None:
    for number in range(12):
        note = await alice.note(f"Note {number}", f"Text of note {number} " * 50)
        await alice.ok("POST", f"/os/snapshots/{note['id']}", json={})
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Do it"})
    looked = await served.command("examine_database")
    assert [(one.check, one.message) for one in looked.findings if one.gravity != "well"] == []
    await served.parts.write(lambda tx: tx.run("UPDATE notes SET snapshot_count = 9"))
    await served.parts.write(lambda tx: tx.run("UPDATE todo_lists SET open_count = 9"))
    looked = await served.command("examine_database")
    assert [one.mends for one in looked.findings if one.gravity == "wrong"] == ["counters"]
    await served.command("mend", repairs=["counters", "words", "trigrams"])
    looked = await served.command("examine_database")
    assert [one.message for one in looked.findings if one.gravity == "wrong"] == []
    assert (await alice.ok("POST", "/os/notes/search", json={"query": "text", "mode": "words"}))[
        "results"
    ] != []


@pytest.mark.anyio
async def test_storage_tells_what_each_user_holds(
    served: Served, alice: Client, bob: Client
) -> None:
    folder = await alice.folder("Work/Deep")
    kept = await alice.note("Kept", "x" * 5000, folderId=folder)
    await alice.ok("POST", f"/os/snapshots/{kept['id']}", json={})
    gone = await alice.note("Gone", "y" * 300)
    await alice.ok("DELETE", f"/os/notes/{gone['id']}")
    told = await served.command("measure_storage")
    first, second = told.users
    assert (first.username, first.held.notes, first.held.note_bytes, first.held.snapshot_bytes) == (
        "alice",
        1,
        5000,
        5000,
    )
    assert (first.held.trashed_notes, first.held.trashed_bytes) == (1, 300)
    assert [(one.path, one.notes, one.bytes) for one in first.folders] == [("Work/Deep", 1, 5000)]
    assert (second.username, second.held.notes) == ("bob", 0)
    assert sum(told.parts.values()) <= told.database_bytes


@pytest.mark.anyio
async def test_the_page_of_the_data_measures_what_changed_where_that_is_quick(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = await without_browser(served)

    async def page() -> str:
        return (await browser.get(f"{ORIGIN}/settings/data")).text

    await alice.note("First", "x" * 5000)
    assert 'Notes <span class="soft num">5.0 kB' in (shown := await page())
    assert "Measured" not in shown
    monkeypatch.setattr(storage, "QUICKLY_MEASURED", 0)
    clock.forward(minutes=1)
    await alice.note("Second", "x" * 3000)
    assert 'Notes <span class="soft num">5.0 kB' in (shown := await page())
    assert "Measured" in shown
    await browser.aclose()


def test_storage_is_shown_by_the_command(home: Path) -> None:
    shown = hearth("storage", data=home).stdout
    assert "database" in shown
    assert "alice" in shown
    assert json.loads(hearth("storage", "--json", data=home).stdout)["backups"] == 1
