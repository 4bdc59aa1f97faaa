"""Notice when the open database file is deleted or replaced: stop writing and save it."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from app.core.database.health import Health
from app.core.database.sqlite_thread import Connection
from app.errors import AppError

LOOK_SECONDS = 1.0
NOT_SAVED = (
    "Its content could not be saved: {why}. It can still be read: export what you need before "
    "you stop the server."
)
SAVED = (
    "Its content, up to the last write, is saved as {backup}. To get it back, stop the server "
    "and run `hearth restore {backup}`. If you start without that, the file that is there now is "
    "used."
)


class FileWatch:
    """The file that the store has open, told by its device and inode.

    Both stay its own for as long as it is open.
    """

    def __init__(self, path: Path, health: Health, changed: Callable[[], None]) -> None:
        self.save: Callable[[sqlite3.Connection], Path] | None = None
        """Saves what a connection holds, on its thread, and gives the file."""
        self._path = path
        self._health = health
        self._changed = changed
        self._opened: tuple[int, int] | None = None
        self._look_again_at = 0.0
        self._saving: asyncio.Future[Path] | None = None

    def begin(self) -> None:
        """Take what the path leads to for the file that has just been opened."""
        self._opened = self._device_and_inode()

    def glance(self, writer: Connection) -> None:
        """Do what `is_lost` does, at most once a second."""
        if time.monotonic() >= self._look_again_at:
            self.is_lost(writer)

    def is_lost(self, writer: Connection) -> bool:
        """Return whether the path leads elsewhere.

        The first time end all writing and let the writer save what it holds.
        """
        self._look_again_at = time.monotonic() + LOOK_SECONDS
        if self._health.state == "replaced":
            return True
        if self._opened is None or self._device_and_inode() == self._opened:
            return False
        self._health.stop("replaced", self._path)
        self._changed()
        if self.save is not None:
            self._saving = writer.start(self.save)
            self._saving.add_done_callback(self._report)
        return True

    async def open_connection(self, reader: Connection, writer: Connection) -> Connection:
        """Open one more connection and give it.

        Where the path leads elsewhere give the writer, which has the file and writes no more.
        """
        # Before it connects too: a connection to a foreign file takes up the log that lies beside
        # it, which is ours, and the writer may see that log half read.
        if self.is_lost(writer):
            return writer
        try:
            await reader
        except sqlite3.OperationalError:
            if not self.is_lost(writer):
                raise
            return writer
        if self.is_lost(writer):
            await reader.close()
            return writer
        return reader

    async def wait_until_saved(self) -> None:
        """Return once nothing is being saved any more."""
        if self._saving is not None:
            await asyncio.wait((self._saving,))

    def _report(self, saving: "asyncio.Future[Path]") -> None:
        error = saving.exception()
        if error is None:
            self._health.note_rescue(SAVED.format(backup=saving.result()))
        else:
            self._health.note_rescue(
                NOT_SAVED.format(
                    why=error.message.rstrip(".") if isinstance(error, AppError) else error
                )
            )
        self._changed()

    def _device_and_inode(self) -> tuple[int, int] | None:
        """Return device and inode; None where there is no file.

        What cannot be looked at counts as unchanged: it tells nothing of the file.
        """
        try:
            seen = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return self._opened
        return seen.st_dev, seen.st_ino
