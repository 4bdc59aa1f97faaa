"""What all connections know of the open database file: its disk, its health, its changes."""

import sqlite3
from pathlib import Path

from app.core.database.disk_reserve import DiskReserve
from app.core.database.file_watch import FileWatch
from app.core.database.health import Health, translate_database_error
from app.core.database.sqlite_setup import Sealed, classify_failure
from app.settings import Settings


class FileState:
    """The database file, and the server's settings, as the store's parts share them."""

    def __init__(self, path: Path, settings: Settings, *, sealed: Sealed) -> None:
        self.path = path
        self.settings = settings
        self.wal = path.with_name(path.name + "-wal")
        self.sealed = sealed
        self.health = Health(sealed=sealed)
        self.room = DiskReserve(path.parent)
        self.watch = FileWatch(path, self.health, self.forget_reads)
        self.commits = 0
        """How many batches were committed.

        What was read at one count still holds while the count is the same.
        """

    def forget_reads(self) -> None:
        """Let nothing that was read before count as current any more."""
        self.commits += 1

    def note_failure(self, error: BaseException) -> str:
        """Act on what an error says of the disk or the file, and return what that is."""
        kind = classify_failure(error)
        if kind == "full":
            self.room.release_reserve()
        elif kind == "failing" or kind == "damaged":
            self.health.stop(kind, error)
        if kind:
            self.forget_reads()  # so that the status is told anew
        return kind

    def require_sound(self, error: sqlite3.DatabaseError) -> None:
        """Raise Unavailable for a read that failed because the file is damaged or the disk fails.

        Damage ends all writing.
        """
        if (kind := classify_failure(error)) == "damaged":
            self.note_failure(error)
        if kind:
            raise translate_database_error(error, self.health) from error
