"""Files beside the database: their size, replacing a small one as a whole, and their names."""

import contextlib
import os
import time
from pathlib import Path

BUSY_TRIES = 20 if os.name == "nt" else 0
BUSY_SECONDS = 0.025


def file_size(path: Path) -> int:
    """Return the size of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def replace_file(path: Path, content: bytes, *, sync: bool = False) -> None:
    """Put a file that its owner alone may read in place of the one before, whole or not at all.

    `sync`: it is on the disk before it has its name. Raise OSError where it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.part")
    try:
        # one that is left there keeps its rights when it is opened again
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(content)
            if sync:
                out.flush()
                os.fsync(out.fileno())
        _replace_patiently(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def _replace_patiently(fresh: Path, path: Path) -> None:
    """Give a file its name; where Windows refuses, since somebody has the former one open for a
    moment, try again.
    """
    for _ in range(BUSY_TRIES):
        try:
            fresh.replace(path)
        except PermissionError:
            time.sleep(BUSY_SECONDS)
        else:
            return
    fresh.replace(path)


def sync_folder(path: Path) -> None:
    """Bring a folder's names onto the disk, where the system can do that."""
    if os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
