"""Kill the upgrade of a stored database in every step and look what the next start makes of it.

`python -m tests.support.migration_kills 002`.

Each try forks a process from this one, which has loaded everything already, and kills it with
SIGKILL before one of the upgrade's statements: the first, one in the middle and the last of each
step. Prints one JSON object; exits 1 when a second try did not come to the same database as one
that nobody killed.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlite_utils  # noqa: F401 - loaded before the first fork

from app.core.database import integrity
from app.core.database.data_dir import DATABASE
from app.migrations import due_steps, migrate
from tests.support.memory_folder import fast_folder
from tests.support.stored_schemas import lay_down

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
REAL_CONNECT = sqlite3.connect


def watched(heard: Callable[[str], None]) -> Callable[..., sqlite3.Connection]:
    """Give a `sqlite3.connect` whose connections tell each statement before it runs."""

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection = REAL_CONNECT(*args, **kwargs)
        connection.set_trace_callback(heard)
        return connection

    return connect


def statements(file: Path) -> list[tuple[int, str]]:
    """Upgrade the database and give each statement with the number of steps that were done
    before it.
    """
    heard: list[tuple[int, str]] = []

    def hear(sql: str) -> None:
        heard.append(
            (sum("INSERT INTO" in text and "_sqlite_migrations" in text for _, text in heard), sql)
        )

    run_watched(file, hear)
    return heard


def run_watched(file: Path, heard: Callable[[str], None]) -> None:
    """Upgrade the database by connections that are watched."""
    setattr(sqlite3, "connect", watched(heard))  # noqa: B010 - a type checker takes it for a mistake
    try:
        migrate(file)
    finally:
        setattr(sqlite3, "connect", REAL_CONNECT)  # noqa: B010


def chosen(heard: list[tuple[int, str]]) -> list[int]:
    """Give the numbers of the first, a middle and the last statement of each step."""
    steps: dict[int, list[int]] = {}
    for number, (step, _) in enumerate(heard):
        steps.setdefault(step, []).append(number)
    return sorted(
        {number for all_ in steps.values() for number in (all_[0], all_[len(all_) // 2], all_[-1])}
    )


def killed_at(file: Path, number: int) -> bool:
    """Upgrade in a process that is killed before the statement of that number.

    Say whether it was.
    """
    child = os.fork()
    if child == 0:
        count = 0

        def hear(_: str) -> None:
            nonlocal count
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            count += 1

        run_watched(file, hear)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def content(file: Path) -> dict[str, list[Any]]:
    """Give the schema and every row, without moments: a step may write its own down."""
    connection = REAL_CONNECT(file)
    try:
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()
        tables = [
            name
            for kind, name, sql in schema
            if kind == "table"
            and sql
            and not sql.startswith("CREATE VIRTUAL")
            and "migrations" not in name
        ]
        rows = {
            name: sorted(
                MOMENT.sub("", repr(row)) for row in connection.execute(f'SELECT * FROM "{name}"')
            )
            for name in tables
        }
        return {"": schema, **rows}
    finally:
        connection.close()


def run(version: str, folder: Path) -> dict[str, Any]:
    """Kill at every chosen statement and give the report."""
    stored, whole = folder / "stored.db", folder / "whole.db"
    lay_down(version, stored)
    shutil.copy(stored, whole)
    heard = statements(whole)
    expected = content(whole)
    troubles: list[str] = []
    numbers = chosen(heard)
    for number in numbers:
        data = folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        file = data / DATABASE
        shutil.copy(stored, file)
        killed = killed_at(file, number)
        check = integrity.check_before_use(file, unclean=True)
        before = due_steps(file)
        again = migrate(file)
        if (
            not killed
            or check is None
            or check.findings
            or again != before
            or content(file) != expected
        ):
            troubles.append(f"statement {number} of {len(heard)}: {heard[number][1][:80]}")
    return {
        "version": version,
        "steps": len(due_steps(stored)),
        "kills": len(numbers),
        "troubles": troubles,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=fast_folder()) as place:
        report = run(sys.argv[1], Path(place))
    print(json.dumps(report))  # noqa: T201
    sys.exit(1 if report["troubles"] else 0)
