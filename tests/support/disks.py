"""A small disk in memory, where whoever runs the tests may mount one."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from app.core.database.disk_reserve import RESERVE

CHUNK = 1 << 16


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a disk of that size at a new folder while the block runs."""
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "hearth-test", folder],
        check=True,
        capture_output=True,
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True, capture_output=True)


@cache
def can_mount() -> bool:
    """Say whether disks can be mounted here: on Linux, by root."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    try:
        with TemporaryDirectory() as folder, small_disk(Path(folder) / "disk", "1m"):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def read_only(disk: Path) -> None:
    """Let nothing be written to a mounted disk any more."""
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True, capture_output=True)


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte and give the file that does."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (CHUNK, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size):
                    pass
    return ballast


def leave_room(disk: Path, size: int) -> Path:
    """Fill a disk but for so many bytes and give the file that does."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - size)
    return ballast


def await_reserve(data: Path) -> None:
    """Wait until the server on `data` holds its reserve."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if (data / RESERVE).stat().st_size:
                return
        time.sleep(0.02)
    raise AssertionError("there is no reserve")
