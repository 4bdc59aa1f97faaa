"""Make backups of a server that is being written to and compare each with what was committed.

`python -m tests.support.backup_load 100`.

Every write adds to a chain, so that each committed state is known by its last link alone: a
backup is equal to a committed state when its chain is whole and, with the sums beside it, what
the writers had told after that very link. Prints one JSON object; exits 1 when a backup is
anything else.
"""

import asyncio
import contextlib
import hashlib
import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

from app.core.app import App
from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.main import build_parts
from app.migrations import migrate
from app.settings import Settings
from app.workspace.notes import note_rows

BACKUPS = 100
WRITERS = 3
SETTINGS = Settings(durability="normal", embeddings="off")
TEXT = "some words that a search may find " * 40
States = dict[int, tuple[str, int]]


def digest(before: str, title: str) -> str:
    return hashlib.sha256(f"{before} {title}".encode()).hexdigest()


def link(tx: Tx, states: States, label: str, deletes: bool) -> None:
    """Add a note that continues the chain, change one and now and then delete one.

    Remember the state that this comes to.
    """
    last = tx.one("SELECT id, title FROM notes ORDER BY id DESC LIMIT 1")
    before = "" if last is None else str(last["title"])
    made = note_rows.insert(
        tx, owner=1, folder_id=None, title=digest(before, label), text=note_rows.measure_text(TEXT)
    )
    if deletes and (oldest := tx.value("SELECT min(id) FROM notes")) < made - 50:
        note_rows.purge(tx, [oldest])
    states[made] = state(tx.connection)


def state(connection: sqlite3.Connection) -> tuple[str, int]:
    """Give the state by what is in it: every title in order, and how many notes there are."""
    titles = [row[0] for row in connection.execute("SELECT title FROM notes ORDER BY id")]
    return hashlib.sha256("\n".join(titles).encode()).hexdigest(), len(titles)


async def write(parts: App, states: States, number: int, stop: asyncio.Event) -> None:
    """Write until told to stop."""
    count = 0
    while not stop.is_set():
        count += 1
        await parts.write(link, states, f"{number}.{count}", count % 3 == 0)
        await asyncio.sleep(0.002)


def trouble(path: Path, states: States) -> str | None:
    """Say why a backup is not one of the committed states; None when it is."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return "damaged"
        last, counted = connection.execute(
            "SELECT (SELECT max(id) FROM notes), (SELECT note_count FROM workspaces)"
        ).fetchone()
        found = state(connection)
    if states.get(last) != found or counted != found[1]:
        return (
            f"after the note {last} there was {states.get(last)}, the backup has {found} "
            f"and counts {counted}"
        )
    return None


async def run(backups: int, data: Path) -> dict[str, Any]:
    """Make so many backups under load and give the report."""
    migrate(data / DATABASE)
    parts = build_parts(SETTINGS, data)
    await parts.store.open()
    await parts.call(OPERATOR, "add_user", {"username": "alice"})
    await parts.call(OPERATOR, "init_user", {"username": "alice"})
    states: States = {}
    stop = asyncio.Event()
    for number in range(20):
        await parts.write(link, states, f"first {number}", False)
    writers = [asyncio.create_task(write(parts, states, number, stop)) for number in range(WRITERS)]
    ends: list[int] = []
    troubles = []
    for number in range(backups):
        target = data / f"copy{number}.db"
        await parts.call(OPERATOR, "make_backup", {"file": str(target)})
        ends.append(len(states))
        if said := trouble(target, states):
            troubles.append(f"{number}: {said}")
        target.unlink()
    stop.set()
    await asyncio.gather(*writers)
    await parts.store.close()
    return {
        "backups": backups,
        "commits": len(states),
        "during": ends[-1] - ends[0],
        "troubles": troubles,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else BACKUPS, Path(folder)))
    print(json.dumps(report))  # noqa: T201
    sys.exit(1 if report["troubles"] else 0)
