"""A reserve of disk space, given back when the disk is full so that deleting still works."""

import contextlib
import errno
import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from app.core.database.small_files import file_size
from app.errors import StorageFull

RESERVE = "reserve"
RESERVE_BYTES, RESERVE_SHARE = 32 << 20, 8
MARGIN_BYTES, MARGIN_SHARE = 4 << 20, 16
SPARE_BYTES, SPARE_SHARE = 64 << 20, 4
"""What is held back, left and spared at most, and which part of a small disk at most."""

CHUNK = 1 << 20
BIG_BYTES = 1 << 20
PLENTY_BYTES, PLENTY_SECONDS = 1 << 30, 0.2
START_BYTES = 1 << 20
FULL = (
    "The disk is full, so nothing was stored. Free some space, or delete something and empty the "
    "trash (permanent=true deletes a large note at once), and try again. Reading still works."
)
log = logging.getLogger("hearth")
_frees: ContextVar[bool] = ContextVar("frees", default=False)


def is_disk_full(error: OSError) -> bool:
    """Return whether a file could not be written since its disk, or the share of it that one may
    have, is full.
    """
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
    """Return whether what is asked for now makes room."""
    return _frees.get()


class DiskReserve:
    """The room that the database's disk has.

    While the reserve is given back, only what makes room is written.

    A reserve that was given back stays as an empty file, so that a server that is started anew
    does not use up what is left for deleting.
    """

    def __init__(self, folder: Path) -> None:
        self._reserve = folder / RESERVE
        self._kept = False
        self.tight = self._reserve.exists() and not file_size(self._reserve)
        self._given = self._most_reserve() if self.tight else 0
        self._plenty_until = 0.0
        self._turn = threading.Lock()
        self.making: threading.Thread | None = None

    def free(self) -> int:
        """Return the bytes that may still be written; very many where nobody can tell."""
        return _disk_usage(self._reserve.parent)[1]

    @property
    def margin(self) -> int:
        """The bytes that must be free beyond the reserve for writing to go on."""
        return min(MARGIN_BYTES, _disk_usage(self._reserve.parent)[0] // MARGIN_SHARE)

    def most_bytes(self, size: int) -> int | None:
        """Return the bytes that the file, now of `size`, may have before the log is folded into it
        again; None where there is plenty of room.

        What is in the log takes its room a second time then. While that is less than the
        reserve, it can be folded however full the disk is; once the reserve is given back, a half
        of what is free is left for that.
        """
        if self._is_plenty():
            return None
        if self.tight:
            return size + max(CHUNK, self.free() // 2)
        # a third each for the log, for the file, and to spare
        return size + max(file_size(self._reserve), self.free() // 3)

    def is_short_for(self, log: int) -> bool:
        """Return whether a log of so many bytes is so large for the room there is that it should be
        folded at once.
        """
        return log > BIG_BYTES and not self._is_plenty() and log > self.free() // 8

    def _is_plenty(self) -> bool:
        """Return whether there is so much room that nobody need count it, by a look some moments
        ago: one takes 6 µs, and every commit asks.
        """
        if time.monotonic() > self._plenty_until and self.free() > PLENTY_BYTES:
            self._plenty_until = time.monotonic() + PLENTY_SECONDS
        return time.monotonic() < self._plenty_until

    def require(self) -> None:
        """Raise StorageFull while there is no room, unless what is asked for makes some.

        Writing goes on by itself once there is some.
        """
        if is_freeing():
            return
        if not self.tight:
            if not self._is_plenty() and self.free() + file_size(self._reserve) < self.margin:
                # There is no reserve yet, and nothing would be left for deleting.
                self.release_reserve()
            else:
                return
        if self.free() < self._given + self.margin:
            raise StorageFull(FULL)
        self.tight = False
        log.warning("there is room on the disk again; writing goes on")
        if self._kept:
            self.hold_reserve()

    def require_for(self, size: int) -> None:
        """Raise StorageFull where something big would leave the disk with too little room,
        before any of it is read.
        """
        if size > BIG_BYTES and self.free() < 3 * size + bytes_to_leave_free(self._reserve.parent):
            raise StorageFull(
                f"The disk has too little room for {size >> 20} MiB more, so nothing was "
                "stored. Make room and try again; reading goes on."
            )

    def release_reserve(self) -> bool:
        """Give the reserve back since the disk is full; say whether there was one."""
        if not self.tight:
            log.warning("the disk is full; until there is room, only reading and deleting go on")
        self.tight = True
        size = file_size(self._reserve)
        with contextlib.suppress(OSError):
            os.truncate(self._reserve, 0)
        self._given = max(self._given, size)
        return size > 0

    def hold_reserve(self) -> None:
        """Hold a reserve from now on.

        Make it, beside everything else, once there is room for it.
        """
        self._kept = True
        if not self.tight:
            self._given = 0
            self.making = threading.Thread(target=self._make_reserve, name="reserve")
            self.making.start()

    def _make_reserve(self) -> None:
        # an earlier thread may still be making one
        with self._turn:
            self._hold(self._reserve_size())

    def _hold(self, size: int) -> None:
        if size and size == file_size(self._reserve):
            return
        try:
            if not size:
                self._reserve.unlink(missing_ok=True)
                return
            with os.fdopen(
                os.open(self._reserve, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                "wb",
                buffering=0,
            ) as file:
                _allocate(file.fileno(), size)
        except OSError:
            with contextlib.suppress(OSError):
                self._reserve.unlink()

    def _reserve_size(self) -> int:
        """Return the bytes of a reserve that suits the disk.

        No more than the half of what is free, but no less than there are already.
        """
        have = file_size(self._reserve)
        size = min(self._most_reserve(), max(have, (self.free() + have) // 2))
        return size // CHUNK * CHUNK

    def _most_reserve(self) -> int:
        return (
            min(RESERVE_BYTES, _disk_usage(self._reserve.parent)[0] // RESERVE_SHARE)
            // CHUNK
            * CHUNK
        )

    def release_before_start(self) -> None:
        """Give the reserve back before a start on a full disk, which needs a little room itself."""
        if self.free() < START_BYTES:
            self.release_reserve()


def bytes_to_leave_free(folder: Path) -> int:
    """Give the bytes that large requests and backups leave free on the disk of a folder."""
    return min(SPARE_BYTES, _disk_usage(folder)[0] // SPARE_SHARE)


def _disk_usage(folder: Path) -> tuple[int, int]:
    """Return all bytes and the free ones of the disk of a folder; very many where nobody can
    tell."""
    try:
        found = shutil.disk_usage(folder)
    except OSError:
        return 1 << 62, 1 << 62
    return found.total, found.free


def _allocate(descriptor: int, size: int) -> None:
    """Give the file its room for certain.

    Where the system cannot promise it, by bytes that no file system makes smaller.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    for _ in range(size // CHUNK):
        os.write(descriptor, os.urandom(CHUNK))
