"""A database file that is deleted or replaced under the server.

Nothing more is written, what it held is saved, and none is made in its place.
"""

import asyncio
import contextlib
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from app import __main__ as program
from app.core.database import file_watch, sqlite_setup
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.settings import Settings
from app.upkeep.backups import backup_files
from tests.conftest import Client, MovableClock, Served
from tests.support.serving import serving

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def always_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_watch, "LOOK_SECONDS", 0.0)


def delete(data: Path) -> None:
    (data / DATABASE).unlink()


def delete_all_three(data: Path) -> None:
    for path in data.glob(DATABASE + "*"):
        path.unlink()


def delete_the_directory(data: Path) -> None:
    shutil.rmtree(data)


def replace(data: Path) -> None:
    with contextlib.closing(sqlite3.connect(data / "other.db", isolation_level=None)) as other:
        other.execute("CREATE TABLE another (x)")
    (data / "other.db").replace(data / DATABASE)


def lying(data: Path) -> bytes | None:
    """What lies at the database's path."""
    return (data / DATABASE).read_bytes() if (data / DATABASE).exists() else None


LOSSES = pytest.mark.parametrize("lose", [delete, delete_all_three, delete_the_directory, replace])


async def saved_by(served: Served) -> Path:
    """The backup that the server makes of what it has open."""
    data = served.parts.store.path.parent
    for _ in range(200):
        if (
            found := [one for one in backup_files.list_backups(data) if one.kind == "rescue"]
        ) and "restore" in served.parts.store.health.message:
            return found[0].path
        await asyncio.sleep(0.02)
    raise AssertionError("nothing was saved")


def titles(path: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT title FROM notes")}


@LOSSES
async def test_a_write_to_a_lost_file_is_refused_and_what_it_held_is_saved(
    served: Served, alice: Client, lose: Callable[[Path], None]
) -> None:
    note = await alice.note("Kept")
    lose(served.parts.store.path.parent)
    refusal = await alice.refused(
        "POST", "/os/notes", 503, "unavailable", json={"title": "Too late", "content": ""}
    )
    assert (refusal["database"], "deleted or replaced" in refusal["message"]) == ("replaced", True)
    saved = await saved_by(served)
    assert titles(saved) >= {"Kept"}
    assert "Too late" not in titles(saved)
    refusal = await alice.refused(
        "PATCH", f"/os/notes/{note['id']}", 503, "unavailable", json={"title": "No"}
    )
    assert f"hearth restore {saved}" in refusal["message"]
    state = (await alice.ok("GET", "/os/status"))["database"]
    assert (state["state"], state["writable"]) == ("replaced", False)


@LOSSES
async def test_reading_goes_on_from_the_file_that_is_open_and_no_reader_makes_one(
    served: Served, alice: Client, lose: Callable[[Path], None]
) -> None:
    await alice.note("Kept", "a peculiar text")
    data = served.parts.store.path.parent
    lose(data)
    there = lying(data)
    found = await asyncio.gather(
        *(alice.ok("POST", "/os/notes/grep", json={"pattern": "peculiar"}) for _ in range(6))
    )
    assert [len(one["results"]) for one in found] == [1] * 6
    assert lying(data) == there


@LOSSES
async def test_a_server_that_ends_saves_what_was_lost_while_nobody_wrote(
    data: Path, settings: Settings, clock: MovableClock, lose: Callable[[Path], None]
) -> None:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice = await served.person("alice")
        await alice.note("Kept")
        await alice.aclose()
        lose(data)
        there = lying(data)
    assert lying(data) == there
    (saved,) = [one for one in backup_files.list_backups(data) if one.kind == "rescue"]
    assert titles(saved.path) >= {"Kept"}


async def test_the_log_of_the_file_that_came_in_its_place_is_left_alone(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    """As the last connection to a file SQLite deletes the log of its name, which is another
    database's by now.
    """
    await alice.note("Kept")
    data = served.parts.store.path.parent
    delete_all_three(data)
    (data / DATABASE).write_bytes(b"another database")
    (data / (DATABASE + "-wal")).write_bytes(b"its log")
    await alice.refused(
        "POST", "/os/notes", 503, "unavailable", json={"title": "Too late", "content": ""}
    )
    await served.parts.store.close()
    assert (data / (DATABASE + "-wal")).read_bytes() == b"its log"
    assert (data / DATABASE).read_bytes() == b"another database"


@pytest.mark.parametrize(
    "command", ["make_backup", "measure_storage", "examine_database", "look_after_backups"]
)
async def test_what_opens_the_file_by_its_path_is_refused(served: Served, command: str) -> None:
    replace(served.parts.store.path.parent)
    with pytest.raises(Exception, match="deleted or replaced"):
        await served.command(command)
    saved = await saved_by(served)
    assert [one.path for one in backup_files.list_backups(saved.parent.parent)] == [saved]


async def test_what_cannot_be_saved_is_said(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        backup_files,
        "require_room",
        lambda *_: (_ for _ in ()).throw(backup_files.NoRoom("There is no room.")),
    )
    delete(served.parts.store.path.parent)
    await alice.refused(
        "POST", "/os/notes", 503, "unavailable", json={"title": "Too late", "content": ""}
    )
    for _ in range(200):
        if "could not be saved: There is no room." in served.parts.store.health.message:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(served.parts.store.health.message)


async def test_a_file_is_looked_at_once_a_second_at_most(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watch, "LOOK_SECONDS", 3600.0)
    await alice.note("Looked")
    looks: list[int] = []

    def look(watch: file_watch.FileWatch) -> tuple[int, int] | None:
        looks.append(1)
        return watch._opened

    monkeypatch.setattr(file_watch.FileWatch, "_device_and_inode", look)
    for number in range(5):
        await alice.note(f"Note {number}")
    # One that had begun as the interval was changed may still be under way.
    assert len(looks) <= 1


def test_a_connection_makes_no_file(tmp_path: Path) -> None:
    for writes in (True, False):
        with pytest.raises(sqlite3.OperationalError):
            sqlite_setup.connect(tmp_path / DATABASE, writes=writes)
    assert list(tmp_path.iterdir()) == []


def test_after_a_real_server_lost_its_file_a_restore_brings_everything_back(tmp_path: Path) -> None:
    data, taken, until = tmp_path / "data", ["Before"], time.monotonic() + 20
    with serving(data) as server:
        assert server.ask("POST", "/os/notes", {"title": "Before", "content": ""})[0] == 201
        delete(data)
        while (
            status := server.ask(
                "POST", "/os/notes", {"title": f"After {len(taken)}", "content": ""}
            )[0]
        ) == 201:
            taken.append(f"After {len(taken)}")
            assert time.monotonic() < until, "it went on"
        assert status == 503
    assert not (data / DATABASE).exists()
    (saved,) = [one.path for one in backup_files.list_backups(data) if one.kind == "rescue"]
    assert (
        CliRunner().invoke(program.hearth, ["restore", str(saved), "--data", str(data)]).exit_code
        == 0
    )
    assert titles(data / DATABASE) >= set(taken)
