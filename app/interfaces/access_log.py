"""The access log: one JSON line a request, without a query, header, body or any path that no route knows."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from app.interfaces.http import Exchange

FLUSH_SECONDS = 1.0
LARGEST = 16 << 20
KEPT = 3


class AccessLog:
    """Lines are gathered and written once a second, off the way of the answers; files of 16 MiB, the last four kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows: list[dict[str, Any]] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, exchange: "Exchange") -> None:
        """Take note of an answered request."""
        if self._path is None:
            return
        caller = exchange.caller
        self._rows.append(
            {
                "at": time.time(),
                "id": exchange.request_id,
                "method": exchange.scope["method"],
                "route": exchange.operation.path if exchange.operation else None,
                "status": exchange.status,
                "bytes": exchange.size,
                "ms": round((time.perf_counter() - exchange.started) * 1000, 2),
                "user": caller.username if caller else None,
                "credential": caller.credential if caller else None,
                "address": (exchange.scope.get("client") or ("?",))[0],
            }
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the gathered lines; a disk that takes none loses them rather than an answer."""
        self._timer = None
        rows, self._rows = self._rows, []
        if self._path is None or not rows:
            return
        with contextlib.suppress(OSError):
            self._rotate(self._path)
            with self._path.open("ab") as file:
                file.write(b"".join(msgspec.json.encode(row | {"at": _moment(row["at"])}) + b"\n" for row in rows))

    def _rotate(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size < LARGEST:
            return
        for number in range(KEPT, 1, -1):
            older = path.with_suffix(f".{number - 1}.log")
            if older.exists():
                older.replace(path.with_suffix(f".{number}.log"))
        path.replace(path.with_suffix(".1.log"))


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"
