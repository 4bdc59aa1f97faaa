"""The data directory: its rights, the lock that makes one process its owner, and the door for the command line."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATABASE = "hearth.db"
LOCK = "server.lock"
CONTROL = "control.json"


class PlaceError(Exception):
    """The data directory cannot be used; the message says why and what to do."""


class InUse(PlaceError):
    """Another process owns the data directory."""

    def __init__(self, path: Path, pid: str) -> None:
        super().__init__(f"{path} is in use by process {pid or '?'}; one server at a time may use a data directory.")
        self.pid = pid


def prepare(path: Path) -> Path:
    """Make the data directory (for its owner only) and give the database's path."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            os.umask(0o077)
            path.chmod(0o700)
            for file in path.iterdir():
                if file.is_file() and file.stat().st_mode & 0o077:
                    file.chmod(0o600)
    except OSError as error:
        raise PlaceError(f"The data directory {path} cannot be used: {error.strerror}.") from None
    return path / DATABASE


@contextlib.contextmanager
def owned(path: Path) -> Iterator[None]:
    """Own the data directory while the block runs; raise InUse, naming the process, if another one does.

    The lock belongs to the open file, so it ends with the process however that ends; the file itself stays.
    """
    with (path / LOCK).open("a+", encoding="ascii") as file:
        try:
            _lock(file.fileno())
        except OSError:
            file.seek(0)
            raise InUse(path, file.read(20).strip()) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


@contextlib.contextmanager
def announced(path: Path, **door: Any) -> Iterator[None]:
    """Leave word of how the command line reaches this server, readable by the owner alone, while the block runs."""
    file, fresh = path / CONTROL, path / (CONTROL + ".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
        json.dump(door, out)
    fresh.replace(file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def door(path: Path) -> dict[str, Any] | None:
    """Give what the running server announced, or None."""
    try:
        found: dict[str, Any] = json.loads((path / CONTROL).read_text("ascii"))
    except (OSError, ValueError):
        return None
    return found


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Windows locks ranges mandatorily, so the locked byte lies far behind the process number that others read.
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
