"""Databases of earlier versions.

Every one comes up to date with all that it holds, whatever cuts the upgrade off; newer ones are
left alone.
"""

import hashlib
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.migrations import STEPS, NewerFile, due_steps, migrate
from app.settings import Settings
from tests.conftest import UNSYNCED, Served
from tests.support.serving import ROOT, refused
from tests.support.stored_schemas import RELEASED, lay_down

pytestmark = pytest.mark.anyio
each_release = pytest.mark.parametrize("version", RELEASED)


def schema(file: Path) -> list[Any]:
    with sqlite3.connect(file) as connection:
        return connection.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' "
            "ORDER BY type, name"
        ).fetchall()


def kept(file: Path) -> dict[str, list[Any]]:
    """What a person wrote, by tables and columns that every version has."""
    wanted = {
        "users": "username, uuid",
        "keys": "digest, scopes",
        "notes": "owner_id, title, content, folder_id, revision, created_at, updated_at",
        "folders": "owner_id, name, parent_id",
        "snapshots": "note_id, seq, label, content",
        "todos": "owner_id, title, due_date, completed_at",
    }
    with sqlite3.connect(file) as connection:
        return {
            table: connection.execute(f"SELECT id, {columns} FROM {table} ORDER BY id").fetchall()
            for table, columns in wanted.items()
        }


def test_there_is_a_stored_database_of_each_mark(tmp_path: Path) -> None:
    assert RELEASED[0] == "002"
    assert {"009", "017"} < set(RELEASED)


@each_release
def test_a_stored_database_comes_up_to_date_with_all_that_was_written(
    tmp_path: Path, version: str
) -> None:
    file, fresh = tmp_path / DATABASE, tmp_path / "fresh.db"
    lay_down(version, file)
    before = kept(file)
    assert all(before.values())
    steps = [step.__name__ for step in STEPS]
    held = sum(step.partition("_")[0][1:] <= version for step in steps)
    assert migrate(file) == steps[held:]
    migrate(fresh)
    assert {row for row in schema(file) if not re.search(r"_words_\d+(_|$)", row[1])} == set(
        schema(fresh)
    )  # each owner has an index of words
    assert kept(file) == before
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@each_release
async def test_a_server_reads_searches_and_changes_what_an_earlier_version_wrote(
    tmp_path: Path, version: str
) -> None:
    lay_down(version, tmp_path / DATABASE)
    migrate(tmp_path / DATABASE)
    asgi = create_app(Settings(rate_limit=0, access_log=False, durability=UNSYNCED), tmp_path)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        secret = (
            await served.parts.call(OPERATOR, "issue_key", {"username": "ann", "name": "after"})
        ).secret
        async with served.client(str(secret)) as ann:
            notes = await ann.ok("GET", "/os/notes?recursive=true&limit=50")
            assert {note["title"] for note in notes["notes"]} == {
                "Tomatoes.md",
                "Tools.md",
                "京都.md",
                "Frost dates",
            }
            assert (await ann.ok("GET", "/os/notes/1"))["note"][
                "markdown"
            ] == "# Tomatoes\n\nSow in April. See [[Frost dates]]."
            assert (await ann.ok("GET", "/os/notes/3"))["note"]["markdown"] == "東京都と京都 🦊 é"
            found = await ann.ok("POST", "/os/notes/search", json={"query": "last frost"})
            assert found["results"][0]["title"] == "Frost dates"
            assert {
                link["title"] for link in (await ann.ok("GET", "/os/notes/4/links"))["backlinks"]
            } == {"Tomatoes.md"}
            assert [
                kept["label"] for kept in (await ann.ok("GET", "/os/snapshots/1"))["snapshots"]
            ][-1] == "before"
            assert (await ann.ok("GET", "/account/settings"))["settings"][
                "timezone"
            ] == "Europe/Berlin"
            assert {
                todo["title"] for todo in (await ann.ok("GET", "/os/todos"))["result"]["todos"]
            } == {"Water the seedlings"}
            await ann.ok("POST", "/os/trash/note/5/restore")
            await ann.ok("PATCH", "/os/notes/5", json={"title": "Back again"})
            assert (await ann.ok("GET", "/os/status"))["contextCount"] == 5


@each_release
def test_an_upgrade_that_is_killed_in_any_step_is_completed_by_the_next_start(version: str) -> None:
    """It runs apart, since a process with threads must not fork."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.migration_kills", version],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["troubles"] == []
    assert report["kills"] >= 2 * report["steps"]


@pytest.mark.parametrize("in_journal", [False, True])
def test_a_newer_database_is_refused_with_a_sentence_and_left_as_it_is(
    tmp_path: Path, in_journal: bool
) -> None:
    file = tmp_path / "data" / DATABASE
    file.parent.mkdir(mode=0o700)
    migrate(file)
    future = (
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) "
        "VALUES ('hearth', 'm999_future', 'then')"
    )
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(future)
    if in_journal:  # as a newer server leaves it that is killed
        left = {path.name: path.read_bytes() for path in (file, file.with_name(file.name + "-wal"))}
        connection.close()
        for name, content in left.items():
            (file.parent / name).write_bytes(content)
    else:
        connection.close()
    before = {
        path.name: hashlib.sha256(path.read_bytes()).digest()
        for path in file.parent.glob(DATABASE + "*")
        if path.suffix != ".db-shm"
    }
    with pytest.raises(NewerFile, match="m999_future"):
        due_steps(file)
    for command in (("serve", "--port", "0"), ("migrate",), ("user", "list")):
        assert (
            "was made by a newer Hearth (it holds m999_future); install that version to open it"
            in refused(file.parent, *command)
        )
    after = {
        path.name: hashlib.sha256(path.read_bytes()).digest()
        for path in file.parent.glob(DATABASE + "*")
        if path.suffix != ".db-shm"
    }
    assert after == before
