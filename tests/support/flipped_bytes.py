"""Flip one byte of a database that was closed in order, anywhere, and see whether the next owner
writes to it: `python -m tests.support.flipped_bytes 100`.

Prints one JSON object; exits 1 when a damaged copy was taken for a sound one, or changed.
"""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from app.commands.ask.data_directory import migrate_database
from app.core.database import data_dir
from tests.support.memory_folder import fast_folder
from tests.support.stored_schemas import RELEASED, lay_down


def prepared(folder: Path) -> Path:
    """Give a data directory with a database that its owner left in order."""
    data_dir.prepare(folder)
    lay_down(RELEASED[-1], folder / data_dir.DATABASE)
    with data_dir.own_directory(folder) as ownership:
        migrate_database(folder, ownership)
    return folder


def flip(file: Path, chance: random.Random) -> int:
    """Change one byte of a file and give its place."""
    content = bytearray(file.read_bytes())
    at = chance.randrange(len(content))
    content[at] ^= chance.randrange(1, 256)
    file.write_bytes(content)
    return at


def is_refused(folder: Path) -> bool:
    """Say whether the next owner refuses to write to the database, and leaves it as it is."""
    file = folder / data_dir.DATABASE
    before = file.read_bytes()
    try:
        with data_dir.own_directory(folder) as ownership:
            migrate_database(folder, ownership)
    except data_dir.Damaged:
        return (
            file.read_bytes() == before and not file.with_name(data_dir.DATABASE + "-wal").exists()
        )
    return False


def run(copies: int, folder: Path, seed: int) -> dict[str, Any]:
    """Flip a byte in each of so many copies and give the report."""
    chance = random.Random(seed)
    sound = prepared(folder / "sound")
    missed: list[int] = []
    again = 0
    for number in range(copies):
        copy = folder / str(number)
        shutil.copytree(sound, copy)
        at = flip(copy / data_dir.DATABASE, chance)
        if not is_refused(copy):
            missed.append(at)
        again += is_refused(copy)  # and so does the next, which has only the record of the first
        shutil.rmtree(copy)
    return {
        "copies": copies,
        "noticed": copies - len(missed),
        "noticed_again": again,
        "missed_at": missed,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=fast_folder()) as home:
        report = run(
            int(sys.argv[1]) if len(sys.argv) > 1 else 100,
            Path(home),
            seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0,
        )
    print(json.dumps(report))  # noqa: T201
    sys.exit(1 if report["missed_at"] else 0)
