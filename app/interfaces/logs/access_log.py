"""The access log: one JSON line a request, without queries, headers, bodies or unknown paths."""

import asyncio
import contextlib
import functools
import os
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from app.interfaces.exchange import Exchange
from app.interfaces.logs.log_rotation import OldLogs

FLUSH_SECONDS = 1.0
BATCH = 64
PARTS = 8
"""Of so many parts of its room the log takes one, one more while that is compressed.

The others are for what is compressed already.
"""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Line(msgspec.Struct):
    """One answered request; `route` is the pattern that matched, `ms` the milliseconds it took."""

    at: str
    id: str
    method: str
    route: str | None
    status: int
    bytes: int
    ms: float
    user: str | None
    credential: int | None
    address: str


class AccessLog:
    """Lines are written in small batches, so that none of them holds up an answer.

    With its older parts the log takes at most `most` bytes.
    """

    def __init__(self, path: Path | None, *, most: int) -> None:
        self._path = path
        self._largest = most // PARTS
        # three: the log itself, a part that waits, and one while it is compressed
        self._old = None if path is None else OldLogs(path, most=most - 3 * self._largest)
        self._file: BinaryIO | None = None
        self._waiting: list[Line] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, exchange: Exchange) -> None:
        """Take note of an answered request."""
        if self._path is None:
            return
        self._waiting.append(_log_line(exchange))
        if len(self._waiting) >= BATCH:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the gathered lines; a disk that takes none loses them rather than an answer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, []
        if self._path is None or self._old is None or not waiting:
            return
        with contextlib.suppress(OSError):
            text = _encoder.encode_lines(waiting)
            if self._file is None:
                self._file = self._path.open("ab", buffering=0)
                self._old.take_up()
            if self._file.tell() + len(text) > self._largest and not self._old.busy:
                self._close_file()
                self._old.put_aside()
                self._file = self._path.open("ab", buffering=0)
            self._write(self._file, text)

    def close(self) -> None:
        """Write what waits and close the file."""
        self.flush()
        self._close_file()
        if self._old is not None:
            self._old.close()

    def _write(self, file: BinaryIO, text: bytes) -> None:
        """Write lines; where only a part of them found room, take back the torn one."""
        start, written = file.tell(), 0
        try:
            while written < len(text):
                written += file.write(text[written:])
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(start + text.rfind(b"\n", 0, written) + 1)
                file.seek(0, os.SEEK_END)
            raise

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


_encoder = msgspec.json.Encoder()


def _log_line(exchange: Exchange) -> Line:
    at, caller, operation = time.time(), exchange.caller, exchange.operation
    return Line(
        f"{_format_second(int(at))}.{int(at % 1 * 1000):03d}Z",
        exchange.request_id.decode(),
        exchange.scope["method"] if exchange.scope["method"] in METHODS else "?",
        operation.path if operation else exchange.route,
        exchange.status,
        exchange.size,
        int((time.perf_counter() - exchange.started) * 100_000) / 100,
        caller.username if caller else None,
        caller.credential if caller else None,
        exchange.scope["client"][0] if exchange.scope.get("client") else "?",
    )


# many lines fall into one second
@functools.lru_cache(maxsize=2)
def _format_second(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
