"""The access log: one JSON line a request, without a query, header, body or any path that no route knows."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from app.interfaces.http import Exchange

FLUSH_SECONDS = 1.0
MOST_WAITING = 20_000
LARGEST = 16 << 20
KEPT = 3


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
    """Requests are gathered and written once a second, off the way of the answers; files of 16 MiB, the last four kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._waiting: list[tuple[float, float, Exchange]] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, exchange: "Exchange") -> None:
        """Take note of an answered request."""
        if self._path is None:
            return
        self._waiting.append((time.time(), time.perf_counter(), exchange))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        elif len(self._waiting) > MOST_WAITING:
            self._timer.cancel()
            self.flush()

    def flush(self) -> None:
        """Write the gathered lines; a disk that takes none loses them rather than an answer."""
        self._timer = None
        waiting, self._waiting = self._waiting, []
        if self._path is None or not waiting:
            return
        with contextlib.suppress(OSError):
            self._rotate(self._path)
            with self._path.open("ab") as file:
                file.write(b"".join(msgspec.json.encode(_line(*entry)) + b"\n" for entry in waiting))

    def _rotate(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size < LARGEST:
            return
        for number in range(KEPT, 1, -1):
            older = path.with_suffix(f".{number - 1}.log")
            if older.exists():
                older.replace(path.with_suffix(f".{number}.log"))
        path.replace(path.with_suffix(".1.log"))


def _line(at: float, ended: float, exchange: "Exchange") -> Line:
    caller = exchange.caller
    return Line(
        at=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03d}Z",
        id=exchange.request_id.decode(),
        method=exchange.scope["method"],
        route=exchange.operation.path if exchange.operation else None,
        status=exchange.status,
        bytes=exchange.size,
        ms=round((ended - exchange.started) * 1000, 2),
        user=caller.username if caller else None,
        credential=caller.credential if caller else None,
        address=(exchange.scope.get("client") or ("?",))[0],
    )
