"""Open what a power cut left by the server's own steps, and compare it with what the server had
been asked and had answered.
"""

import contextlib
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from app.core.database import integrity
from app.core.database.data_dir import DATABASE
from app.core.database.sqlite_setup import connect
from app.migrations import migrate
from tests.power.recording import FILES
from tests.power.states import State


class Verdict(NamedTuple):
    """What is wrong with a state.

    Answered writes that are not there, things that fit no history, and troubles of the file
    itself.
    """

    lost: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    corrupt: tuple[str, ...] = ()


def judge(state: State, folder: Path) -> Verdict:
    """Lay the state out in `folder`, open it as a server does after an unclean stop, and give
    what is wrong with it.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in state.files.items():
        (folder / name).write_bytes(content)
    file = folder / DATABASE
    try:
        check = integrity.check_before_use(file, unclean=True)
        if check is not None and check.findings:
            return Verdict(corrupt=check.findings)
        migrate(file)
        with contextlib.closing(connect(file, writes=True)) as connection:
            return compare(connection, state)
    except sqlite3.DatabaseError as error:
        return Verdict(corrupt=(str(error),))


def compare(connection: sqlite3.Connection, state: State) -> Verdict:
    """Compare the notes with the marks of the requests."""
    corrupt = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    corrupt += [
        f"foreign key {tuple(row)}" for row in connection.execute("PRAGMA foreign_key_check")
    ]
    rows = connection.execute("SELECT title, content, trash_id IS NOT NULL FROM notes").fetchall()
    live = {title: content for title, content, gone in rows if not gone}
    there = {title for title, _, _ in rows}
    counted = connection.execute("SELECT note_count FROM workspaces").fetchone()[0]
    strange = [] if counted == len(live) else [f"{len(live)} notes, but counted {counted}"]
    strange += [
        f"{title} was never asked for" for title in there if not _was_asked(title, state.asked)
    ]
    bulks = Counter(title.rpartition("-")[0] for title in there if "-" in title)
    strange += [f"half of {title}" for title, count in bulks.items() if count != FILES]
    lost = [
        mark
        for mark in state.answered
        if not _stands(mark, live=live, there=there, bulks=bulks, state=state)
    ]
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE notes SET title = title WHERE id = (SELECT min(id) FROM notes)")
    connection.execute("COMMIT")  # it takes writes again
    return Verdict(tuple(lost), tuple(strange), tuple(corrupt))


def _was_asked(title: str, asked: frozenset[str]) -> bool:
    return f"note:{title}" in asked or f"bulk:{title.rpartition('-')[0]}" in asked


def _stands(
    mark: str, *, live: dict[str, str], there: set[str], bulks: Counter[str], state: State
) -> bool:
    """Say whether what the mark names is there, or was followed by something asked later that
    explains why not.
    """
    kind, _, rest = mark.partition(":")
    if kind == "bulk":
        return bulks[rest] == FILES
    if kind == "gone":
        return rest not in live
    title, _, number = rest.partition(":")
    if title not in live:
        return f"gone:{title}" in state.asked and title in there
    if kind == "note":
        return True
    found = live[title].split(" ", 2)
    return found[0] == "change" and int(found[1]) >= int(number)
