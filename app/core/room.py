"""Room on the disk: a reserve that is given back when the disk is full, so that what makes room can still be done."""

import contextlib
import errno
import logging
import os
import shutil
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from app.errors import StorageFull

RESERVE = "reserve"
RESERVE_BYTES = 32 << 20
MARGIN_BYTES = 4 << 20
BIG_BYTES = 1 << 20
SPARE_BYTES = 64 << 20
CHUNK = 1 << 20
FULL = "The disk is full, so nothing was stored. Make room, or delete something and empty the trash, and try again; reading goes on."
log = logging.getLogger("hearth")
_frees: ContextVar[bool] = ContextVar("frees", default=False)


def is_full(error: OSError) -> bool:
    """Say whether a file could not be written since its disk, or the share of it that one may have, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def freeing() -> Iterator[None]:
    """Let the writes of this block use the last room there is, since they make more."""
    token = _frees.set(True)
    try:
        yield
    finally:
        _frees.reset(token)


def is_freeing() -> bool:
    """Say whether what is asked for now makes room."""
    return _frees.get()


class Room:
    """The room that the database's disk has. While the reserve is given back, only what makes room is written."""

    def __init__(self, folder: Path) -> None:
        self._reserve = folder / RESERVE
        self._kept = False
        self._given = 0
        self.tight = False
        self.making: threading.Thread | None = None

    def free(self) -> int:
        """Give the bytes that may still be written; very many where nobody can tell."""
        try:
            return shutil.disk_usage(self._reserve.parent).free
        except OSError:
            return 1 << 62

    def require(self) -> None:
        """Raise StorageFull while there is no room, unless what is asked for makes some; what was short of room once goes on by itself."""
        if not self.tight or is_freeing():
            return
        if self.free() < self._given + MARGIN_BYTES:
            raise StorageFull(FULL)
        self.tight = False
        log.warning("there is room on the disk again; writing goes on")
        if self._kept:
            self.keep()

    def require_for(self, size: int) -> None:
        """Raise StorageFull where something big would leave the disk with too little room, before any of it is read."""
        if size > BIG_BYTES and self.free() < 2 * size + SPARE_BYTES:
            raise StorageFull(
                f"The disk has too little room for {size >> 20} MiB more, so nothing was stored. Make room and try again; reading goes on."
            )

    def give(self) -> bool:
        """Give the reserve back since the disk is full; say whether there was one."""
        if not self.tight:
            log.warning("the disk is full; until there is room, only reading and deleting go on")
        self.tight = True
        size = _size(self._reserve)
        with contextlib.suppress(OSError):
            self._reserve.unlink()
        self._given = max(self._given, size)
        return size > 0

    def keep(self) -> None:
        """Hold a reserve from now on; make it, beside everything else, where there is room for it."""
        self._kept, self._given = True, 0
        self.making = threading.Thread(target=self._make, name="reserve")
        self.making.start()

    def _make(self) -> None:
        if _size(self._reserve) == RESERVE_BYTES or self.free() < 2 * RESERVE_BYTES:
            return
        try:
            with os.fdopen(os.open(self._reserve, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", buffering=0) as file:
                _fill(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self._reserve.unlink()

    def make_way(self) -> None:
        """Give the reserve back before a start on a full disk, which needs a little room itself."""
        if self.free() < MARGIN_BYTES:
            self.give()


def _fill(descriptor: int) -> None:
    """Give the file its room for certain; where the system cannot promise it, by bytes that no file system makes smaller."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        return
    for _ in range(RESERVE_BYTES // CHUNK):
        os.write(descriptor, os.urandom(CHUNK))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
