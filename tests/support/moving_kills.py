"""Kill imports and exports in the middle and look what a second try makes of it.

`python -m tests.support.moving_kills 20`.

An import is killed with SIGKILL when some of its notes are stored, an export when some of its
files are written. Prints one JSON object; exits 1 when a second try did not come to the same as
one that nobody killed, or when a killed export could be taken for a whole one.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.core.database.data_dir import DATABASE
from tests.support import ready_programs
from tests.support.ready_programs import Program

NOTES = 250
ADDRESS = re.compile(r"/os/(notes|attachments)/(\d+)")
SECONDS = 120


def vault(place: Path) -> Path:
    """Make a vault: folders, links forth and back, a picture in every tenth note."""
    for number in range(NOTES):
        folder = place / f"Part {number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        picture = f"![[{number}.png]]" if number % 10 == 0 else ""
        if picture:
            (folder / f"{number}.png").write_bytes(
                b"\x89PNG\r\n\x1a\n" + number.to_bytes(4, "big") * 500
            )
        links = " ".join(
            f"[other](<../Part {to % 7}/Note {to}.md>)"
            for to in ((number * 7 + 3) % NOTES, (number * 3 + 1) % NOTES)
        )
        (folder / f"Note {number}.md").write_text(
            f"---\ntags: [t{number % 5}]\n---\n# Note {number}\n\nleeks {number} {links} "
            f"{picture}\n" + "word " * 900
        )
    return place


def hearth(data: Path, *words: str) -> Program:
    """Start a command beside no server."""
    environment = {
        **os.environ,
        "HEARTH_EMBEDDINGS": "off",
        "HEARTH_DURABILITY": "normal",
        "HEARTH_BACKUPS": "off",
    }
    return ready_programs.piped([*words, "--data", str(data)], environment)


def ran(data: Path, *words: str) -> None:
    """Run a command to its end; raise if it fails."""
    running = hearth(data, *words)
    _, said = running.communicate(timeout=SECONDS)
    if running.returncode:
        raise RuntimeError(f"{words}: {said}")


def killed(data: Path, words: tuple[str, ...], reached: Callable[[], bool]) -> bool:
    """Run a command and kill it as soon as so much is reached; say whether it was still at it."""
    running = hearth(data, *words)
    until = time.monotonic() + SECONDS
    while running.poll() is None and not reached() and time.monotonic() < until:
        time.sleep(0.002)
    still = running.poll() is None
    running.send_signal(signal.SIGKILL)
    running.communicate()
    return still


@contextlib.contextmanager
def looked_into(data: Path) -> Iterator[sqlite3.Connection]:
    """Open the database to read."""
    with contextlib.closing(
        sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)
    ) as connection:
        yield connection


def stored(data: Path) -> int:
    """Give how many notes there are."""
    with looked_into(data) as connection:
        return int(connection.execute("SELECT count(*) FROM notes").fetchone()[0])


def content(data: Path) -> dict[str, Any]:
    """Give all that was imported, by names instead of numbers, and what SQLite says of the file."""
    with looked_into(data) as connection:
        names = {
            ("notes", str(row[0])): row[1]
            for row in connection.execute("SELECT id, title FROM notes")
        }
        names |= {
            ("attachments", str(row[0])): row[1]
            for row in connection.execute("SELECT id, name FROM attachments")
        }
        rows = connection.execute(
            "SELECT f.name, n.title, n.tags, n.content "
            "FROM notes n LEFT JOIN folders f ON f.id = n.folder_id"
        ).fetchall()
        return {
            "notes": sorted(
                [*row[:3], ADDRESS.sub(lambda found: f"<{names[found[1], found[2]]}>", row[3])]
                for row in map(list, rows)
            ),
            "files": sorted(connection.execute("SELECT name, sha256 FROM attachments").fetchall()),
            "counted": connection.execute("SELECT note_count FROM workspaces").fetchall(),
            "sound": connection.execute("PRAGMA integrity_check").fetchall(),
        }


def tree(place: Path) -> dict[str, str]:
    """Give the files of a folder with what is in them."""
    return {
        path.relative_to(place).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in place.rglob("*")
        if path.is_file()
    }


def written(place: Path) -> int:
    """Give how many files there are, whatever the folder is called meanwhile."""
    return sum(len(files) for _, _, files in os.walk(place))


def tried(place: Path, number: int) -> dict[str, Any]:
    """Kill so many imports and exports, each once, and tell what did not come out as it should."""
    source, empty, whole = vault(place / "vault"), place / "empty", place / "whole"
    ran(empty, "init", "--user", "alice")
    shutil.copytree(empty, whole)
    before = stored(whole)
    ran(whole, "import", str(source))
    wanted, troubles, cut_off = content(whole), [], 0
    ran(whole, "export", str(place / "out" / "whole"))
    exported = tree(place / "out" / "whole")
    for turn in range(1, number + 1):
        data, least = place / f"data {turn}", before + NOTES * turn // (number + 1)
        shutil.copytree(empty, data)
        cut_off += killed(
            data, ("import", str(source)), lambda data=data, least=least: stored(data) > least
        )  # type: ignore[misc]
        ran(data, "import", str(source))
        if content(data) != wanted:
            troubles.append(f"import {turn}")
        target, files = place / f"out {turn}" / "tree", len(exported) * turn // (number + 1)
        target.parent.mkdir()
        still = killed(
            whole,
            ("export", str(target)),
            lambda target=target, files=files: written(target.parent) > files,
        )  # type: ignore[misc]
        cut_off += still
        if still and target.exists():
            troubles.append(f"export {turn} looks whole")
        if not target.exists():
            ran(whole, "export", str(target))
        if tree(target) != exported:
            troubles.append(f"export {turn}")
    return {"tries": 2 * number, "cutOff": cut_off, "troubles": troubles}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        told = tried(Path(folder), int(sys.argv[1]))
    print(json.dumps(told))  # noqa: T201
    sys.exit(bool(told["troubles"]))
