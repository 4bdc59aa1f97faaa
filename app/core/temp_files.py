"""Files that are on their way in or out.

Bodies that are too large for the memory, and archives that wait to be fetched.
"""

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncGenerator, Iterator
from datetime import datetime
from pathlib import Path

from app.core import random_tokens
from app.core.database.data_dir import SPOOL
from app.core.database.disk_reserve import is_disk_full
from app.errors import NotFound, StorageFull

UPLOAD = "upload-"
# nothing else is opened, so a name cannot lead out of the folder
_NAME = re.compile(r"upload-[0-9a-f-]{36}")
KEPT_SECONDS = 86_400


class Upload:
    """A file in the spool that is being written.

    Whatever is done with it raises StorageFull where there is no room.
    """

    def __init__(self, data: Path) -> None:
        folder = data / SPOOL
        self.path = folder / f"{UPLOAD}{random_tokens.new_uuid()}"
        with _told_when_full():
            folder.mkdir(mode=0o700, exist_ok=True)
            # x: what lies there already is neither written over nor, were it a link, followed
            self._file = self.path.open("xb")

    @property
    def name(self) -> str:
        """The file's name in the spool."""
        return self.path.name

    def add(self, part: bytes) -> None:
        """Write some bytes."""
        with _told_when_full():
            self._file.write(part)

    def close(self) -> None:
        """End the writing."""
        with _told_when_full():
            self._file.close()

    def remove(self) -> None:
        """Delete the file."""
        with contextlib.suppress(StorageFull, OSError):
            self.close()
        self.path.unlink(missing_ok=True)


def upload_path(data: Path, name: str) -> Path:
    """Return the path of a body that was spooled.

    Raise NotFound for anything but the name of one that is there.
    """
    path = data / SPOOL / name
    if not _NAME.fullmatch(name) or not path.is_file():
        raise NotFound("There is no such upload.")
    return path


def delete_leftovers(data: Path, now: datetime) -> None:
    """Delete what a server that was killed left behind, and archives that nobody has fetched for
    a day.
    """
    for path in (data / SPOOL).glob("*"):
        with contextlib.suppress(OSError):
            age = now.timestamp() - path.stat().st_mtime
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix != ".zip" or age > KEPT_SECONDS:
                path.unlink()


async def read_parts(path: Path, size: int) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a spooled file, part by part."""
    with path.open("rb") as file:
        while part := await asyncio.to_thread(file.read, size):
            yield part


@contextlib.contextmanager
def _told_when_full() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise StorageFull(
            "The disk is full, so nothing was stored. Free some space and try again. Reading still "
            "works."
        ) from None
