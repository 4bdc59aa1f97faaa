"""Rotate a log: compress its older parts and keep as many as there is room for."""

import contextlib
import gzip
import shutil
import threading
from pathlib import Path


class OldLogs:
    """Parts that were put aside.

    `access.log` becomes `access.log.1.gz`, what was there before moves up by one.

    Compressing takes some 20 ms a MiB, so a thread does it beside the loop; there is one at a time.
    """

    def __init__(self, path: Path, *, most: int) -> None:
        self._path = path
        self._most = most
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a part is still being compressed."""
        return self._thread is not None and self._thread.is_alive()

    def put_aside(self) -> None:
        """Take the log away, to be compressed; whoever writes makes a new one."""
        self._path.replace(self._waiting)
        self.take_up()

    def take_up(self) -> None:
        """Compress what was put aside, also what an earlier run left."""
        if self.busy:
            return
        self._thread = threading.Thread(target=self._compress, name="old-logs")
        self._thread.start()

    def close(self) -> None:
        """Wait for the part that is being compressed."""
        if self._thread is not None:
            self._thread.join()

    @property
    def _waiting(self) -> Path:
        return self._path.with_name(f"{self._path.name}.0")

    def _compress(self) -> None:
        with contextlib.suppress(
            OSError
        ):  # a full disk: the log is worth less than what else needs the room
            # access.1.log and so on: as parts were once called
            for plain in (
                *sorted(self._path.parent.glob(f"{self._path.stem}.?.log"), reverse=True),
                self._waiting,
            ):
                if plain.is_file():
                    self._add(plain)
        with contextlib.suppress(OSError):
            self._delete_oldest()

    def _add(self, plain: Path) -> None:
        self._delete_oldest()
        packed = self._path.with_name(f"{self._path.name}.0.gz")
        try:
            with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as target:
                shutil.copyfileobj(source, target)
        except OSError:
            packed.unlink(missing_ok=True)
            raise
        for number, part in reversed(self._parts()):
            part.replace(self._numbered(number + 1))
        packed.replace(self._numbered(1))
        plain.unlink()

    def _delete_oldest(self) -> None:
        kept = 0
        for _, part in self._parts():
            kept += part.stat().st_size
            if kept > self._most:
                part.unlink()

    def _parts(self) -> list[tuple[int, Path]]:
        """Return the parts with their numbers, the newest first."""
        found = self._path.parent.glob(f"{self._path.name}.*.gz")
        numbered = ((part.name.split(".")[-2], part) for part in found)
        return sorted(
            (int(number), part) for number, part in numbered if number.isdecimal() and int(number)
        )

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}.gz")
