"""The process that proves a backup.

It is restored into a place of its own, the program is opened on it, and notes are read as their
owners would.
"""

import asyncio
import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from app.commands.ask.open_here import open_app
from app.core.database.data_dir import DATABASE
from app.core.database.tx import utc_now
from app.core.process.subprocess_reader import answer_task, tell_step
from app.core.schema import encode
from app.errors import AppError
from app.migrations import NewerFile, migrate
from app.settings import Settings
from app.upkeep.backups.backup_files import PART, BackupFailed
from app.upkeep.backups.restore import restore_backup
from app.upkeep.open_read_only import open_read_only

if TYPE_CHECKING:
    from app.core.app import App

SAMPLE = 20
SETTINGS = Settings(durability="normal", embeddings="off", backups=False, access_log=False)
"""Nothing that reaches outside, and nothing that costs: the copy is thrown away."""


def prove_backup(task: dict[str, Any]) -> dict[str, Any]:
    """Restore the backup beside the others, read in it and give how many notes were read as they
    should be.
    """
    os.umask(0o077)  # the copy holds everybody's notes, without encryption
    file = Path(task["file"])
    with tempfile.TemporaryDirectory(prefix=".proving", suffix=PART, dir=file.parent) as place:
        data = Path(place)
        tell_step("restore")
        restore_backup(file, data, moment=utc_now(), passphrase=task["passphrase"])
        tell_step("read")
        expected = _sample_notes(data / DATABASE)
        migrate(data / DATABASE)
        return {"notes": asyncio.run(_read_and_compare(data, expected))}


def _sample_notes(path: Path) -> dict[str, dict[int, tuple[str, str]]]:
    """Return title and text of some live notes of each user, from the first to the last, straight
    from the file.
    """
    with open_read_only(path) as connection:
        users = connection.execute("SELECT id, username FROM users ORDER BY id").fetchall()
        return {row["username"]: _sample_of_owner(connection, row["id"]) for row in users}


def _sample_of_owner(connection: sqlite3.Connection, owner: int) -> dict[int, tuple[str, str]]:
    ids = [
        row[0]
        for row in connection.execute(
            "SELECT id FROM notes WHERE owner_id = ? AND trash_id IS NULL ORDER BY id", (owner,)
        )
    ]
    # Spread over all ages: damage often sits in one part of the file.
    chosen = ids[:: max(1, len(ids) // SAMPLE)] + ids[-1:]
    found = {}
    for note in dict.fromkeys(chosen):
        found[note] = tuple(
            connection.execute("SELECT title, content FROM notes WHERE id = ?", (note,)).fetchone()
        )
    return found


async def _read_and_compare(data: Path, expected: dict[str, dict[int, tuple[str, str]]]) -> int:
    from app.account import users

    async with open_app(SETTINGS, data) as parts:
        for username, notes in expected.items():
            me = parts.quick(users.local_caller, username)
            for note, (title, content) in notes.items():
                await _compare_note(parts, me, note, title, content)
    return sum(map(len, expected.values()))


async def _compare_note(parts: "App", me: Any, note: int, title: str, content: str) -> None:
    with contextlib.suppress(AppError):
        found = msgspec.json.decode(encode(await parts.call(me, "get_note_content", {"id": note})))[
            "note"
        ]
        if (found["title"], found["markdown"]) == (title, content):
            return
    raise BackupFailed(f"The note {note} of {me.username} cannot be read as it was written.")


if __name__ == "__main__":
    answer_task(prove_backup, expected=(AppError, NewerFile, OSError, sqlite3.DatabaseError))
