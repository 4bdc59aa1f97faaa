"""What is known of the backups and of the room that things take.

Found out in the background, kept in a file beside the backups.
"""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Literal

import msgspec

from app.core.database.data_dir import BACKUPS
from app.core.database.small_files import replace_file

FILE = "record.json"
Trouble = Literal["no_room", "failed"]


class OwnerStorage(msgspec.Struct, rename="camel"):
    """What one owner's things take: numbers and bytes of their texts, files and vectors."""

    notes: int = 0
    note_bytes: int = 0
    trashed_notes: int = 0
    trashed_bytes: int = 0
    snapshots: int = 0
    snapshot_bytes: int = 0
    attachments: int = 0
    attachment_bytes: int = 0
    raw_records: int = 0
    raw_record_bytes: int = 0
    vector_bytes: int = 0


class StorageMeasurement(msgspec.Struct, rename="camel"):
    """What takes room in the file.

    Bytes by what they are for (none where SQLite cannot tell), and what each owner holds, by id.
    """

    at: str
    database_bytes: int
    free_bytes: int
    parts: dict[str, int]
    owners: dict[str, OwnerStorage]


class BackupRecord(msgspec.Struct, rename="camel"):
    """The last backup that was made, the last that failed since, the last proof that one can be
    restored; moments as the contract writes them.
    """

    backup_at: str | None = None
    backup_file: str | None = None
    backup_bytes: int = 0
    trouble: Trouble | None = None
    trouble_text: str | None = None
    trouble_at: str | None = None
    proof_at: str | None = None
    proof_file: str | None = None
    proof_notes: int = 0
    proof_trouble: str | None = None
    proven_at: str | None = None
    measured: StorageMeasurement | None = None


class BackupState:
    """That knowledge, read once; `keep` writes it down. And what only the running program knows.

    A file that is damaged or gone is the same as knowing nothing.
    """

    def __init__(self, data: Path) -> None:
        self.turn = asyncio.Lock()
        """Held while a backup is made or proven: one at a time."""
        self.mark: int | None = None
        """The state of the database that was last backed up."""
        self._not_before = 0.0
        self._file = data / BACKUPS / FILE
        self._known: BackupRecord | None = None

    @property
    def known(self) -> BackupRecord:
        """Return what is known."""
        if self._known is None:
            self._known = read_backup_status(self._file)
        return self._known

    @property
    def is_resting(self) -> bool:
        """Whether the last try failed so lately that the clock makes no other."""
        return time.monotonic() < self._not_before

    def rest(self, seconds: float) -> None:
        """Let the clock try nothing for a while."""
        self._not_before = time.monotonic() + seconds

    def keep(self, **changes: object) -> None:
        """Remember these fields from now on."""
        self._known = msgspec.structs.replace(self.known, **changes)
        # on a full disk it is known as long as the program runs
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            replace_file(self._file, msgspec.json.encode(self._known))


def read_backup_status(file: Path) -> BackupRecord:
    """Return what such a file holds."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=BackupRecord)
    except (OSError, msgspec.DecodeError):
        return BackupRecord()
