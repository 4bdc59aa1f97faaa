"""Kill the upgrade of a stored database in every step that the next stored one has behind it, and
look what the next start makes of it.

`python -m tests.support.migration_kills 002`.

Each try forks a process from this one, which has loaded everything already, and kills it with
SIGKILL before anything is done, or in one of the upgrade's steps: in its middle, before it is noted
as done, and before it is committed. Prints one JSON object; exits 1 when a second try did not come
to the same database as one that nobody killed.
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
from app.migrations import STEPS, due_steps, migrate
from tests.support.memory_folder import fast_folder
from tests.support.stored_schemas import RELEASED, lay_down

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
REAL_CONNECT = sqlite3.connect


def watched(heard: Callable[[str], None]) -> Callable[..., sqlite3.Connection]:
    """Give a `sqlite3.connect` whose connections tell each statement before it runs."""

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection = REAL_CONNECT(*args, **kwargs)
        connection.set_trace_callback(heard)
        return connection

    return connect


def statements(file: Path, last: int) -> list[str]:
    """Upgrade the database up to the step of that number and give each statement."""
    heard: list[str] = []
    run_watched(file, heard.append, last)
    return heard


def run_watched(file: Path, heard: Callable[[str], None], last: int) -> None:
    """Upgrade the database by connections that are watched."""
    setattr(sqlite3, "connect", watched(heard))  # noqa: B010 - a type checker takes it for a mistake
    try:
        migrate(file, steps=STEPS[: last + 1])
    finally:
        setattr(sqlite3, "connect", REAL_CONNECT)  # noqa: B010


def chosen(heard: list[str]) -> list[int]:
    """Give the numbers of a statement in the middle of a step, of its last, which notes that it
    was done, and of what commits it.
    """
    done = next(
        number
        for number, sql in enumerate(heard)
        if "INSERT INTO" in sql and "_sqlite_migrations" in sql
    )
    begun = next(number for number, sql in enumerate(heard) if sql.startswith("BEGIN"))
    return sorted({(begun + done) // 2, done, done + 1})


def killed_at(file: Path, number: int, last: int) -> bool:
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

        run_watched(file, hear, last)
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
    """Kill at every chosen statement of every step and give the report.

    Later steps are killed in what later versions left, which has more in it. A second try need
    only come to the end of the step: what follows sees nothing but what that leaves, and in the
    end all steps one by one must come to what one upgrade comes to.
    """
    stored, whole, before = folder / "stored.db", folder / "whole.db", folder / "before.db"
    lay_down(version, stored)
    shutil.copy(stored, whole)
    migrate(whole)
    troubles: list[str] = []
    begin, end = (len(STEPS) - len(due_steps(one)) for one in (stored, _following(version, folder)))
    kills = 0
    for last in range(begin, end):
        shutil.copy(stored, before)
        heard = statements(stored, last)
        expected = content(stored)
        for number in (*([] if kills else [0]), *chosen(heard)):
            kills += 1
            if not comes_to(expected, before, folder / "data", number, last):
                step = STEPS[last].__name__
                troubles.append(f"{step}, statement {number} of {len(heard)}: {heard[number][:80]}")
    migrate(stored)
    if content(stored) != content(whole):
        troubles.append("all steps, one by one")
    return {"version": version, "steps": end - begin, "kills": kills, "troubles": troubles}


def _following(version: str, folder: Path) -> Path:
    """Give the next stored database, or after the last one what is up to date."""
    file = folder / "following.db"
    later = RELEASED[RELEASED.index(version) + 1 :]
    if later:
        lay_down(later[0], file)
    else:
        migrate(file)
    return file


def comes_to(
    expected: dict[str, list[Any]], before: Path, data: Path, number: int, last: int
) -> bool:
    """Kill one upgrade of a copy, and say whether a second one ends its step as if nobody had."""
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    file = data / DATABASE
    shutil.copy(before, file)
    killed = killed_at(file, number, last)
    check = integrity.check_before_use(file, unclean=True)
    steps = STEPS[: last + 1]
    due = due_steps(file, steps=steps)
    return (
        killed
        and check is not None
        and not check.findings
        and migrate(file, steps=steps) == due
        and content(file) == expected
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=fast_folder()) as place:
        report = run(sys.argv[1], Path(place))
    print(json.dumps(report))  # noqa: T201
    sys.exit(1 if report["troubles"] else 0)
