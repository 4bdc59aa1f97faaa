"""Many open streams: how soon each is told, what they take of memory, and of an idle processor.

`python -m tests.runtime.streams_trial 500 250` opens so many streams on so many endpoints.
"""

import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.runtime.bodies import LAPTOP
from tests.support.serving import ROOT

WARM = 20
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class TellingServer:
    """A running `tests.runtime.telling_server`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.port, self.key = 0, ""

    def said(self) -> Any:
        """Give the next thing that it says."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def tell(self, endpoint: str, number: int) -> None:
        """Let an endpoint be told a number."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{endpoint} {number}\n")
        self.process.stdin.flush()

    def processor_seconds(self) -> float:
        """Give what it has taken of the processor."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2]
        fields = stat.split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Give the bytes that it holds in memory."""
        statm = Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()
        return int(statm[1]) * PAGE


@contextlib.contextmanager
def telling(data: Path) -> Iterator[TellingServer]:
    """Start such a server and end it."""
    command = [sys.executable, "-m", "tests.runtime.telling_server", str(data)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        made = TellingServer(process)
        try:
            first = made.said()
            made.port, made.key = first["port"], first["key"]
            yield made
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(30)


class OpenStream:
    """One stream on a connection of its own, with the moments at which numbers came."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.waits: list[float] = []
        self.numbers: list[int] = []
        self.cursor = "0"
        self.pings = 0

    async def open(self, port: int, token: str, cursor: str = "0") -> None:
        """Ask for the stream and read its headers."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        path = f"/api/v1/local-realtime/stream?endpointId={self.endpoint}&cursor={cursor}"
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        self._writer.write((head + "\r\n").encode())
        status = await self._reader.readline()
        assert b" 200 " in status, status
        while (await self._reader.readline()).strip():
            pass

    async def listen(self) -> None:
        """Take what comes until the connection ends."""
        with contextlib.suppress(ConnectionError):
            while line := await self._reader.readline():
                now = time.monotonic_ns()
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    self.waits.append((now - event["data"]["at"]) / 1e6)
                    self.numbers.append(event["data"]["number"])
                    self.cursor = event["cursor"]
                elif line.startswith(b": "):
                    self.pings += 1

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


async def registered(server: TellingServer, count: int) -> list[tuple[str, str]]:
    """Register so many endpoints and give each with its token."""
    made = []
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{server.port}/api/v1",
        headers={"Authorization": f"Bearer {server.key}"},
    ) as client:
        for number in range(count):
            body = LAPTOP | {"deviceId": f"device-{number}"}
            answer = (await client.post("/local-agent/endpoints", json=body)).json()
            made.append((answer["endpoint"]["endpointId"], answer["deviceToken"]))
    return made


async def measure(streams: int, endpoints: int, told: int, idle: float) -> dict[str, Any]:
    """Open the streams, let them rest, tell each endpoint in turn, and give the figures."""
    with tempfile.TemporaryDirectory() as folder, telling(Path(folder)) as server:
        made = await registered(server, endpoints)
        first = [OpenStream(made[number % endpoints][0]) for number in range(WARM)]
        rest = [OpenStream(made[number % endpoints][0]) for number in range(WARM, streams)]
        tokens = dict(made)
        for one in first:
            await one.open(server.port, tokens[one.endpoint])
        before = server.memory()
        for one in rest:
            await one.open(server.port, tokens[one.endpoint])
        listening = [asyncio.create_task(one.listen()) for one in first + rest]
        await asyncio.sleep(1)
        held = server.memory() - before
        spent, since = server.processor_seconds(), time.monotonic()
        await asyncio.sleep(idle)
        share = (server.processor_seconds() - spent) / (time.monotonic() - since)
        for number in range(told):
            server.tell(made[number % endpoints][0], number)
            await asyncio.to_thread(server.said)
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        waits = sorted(wait for one in first + rest for wait in one.waits)
        heard = sum(len(one.numbers) for one in first + rest)
        for one in first + rest:
            one.close()
        await asyncio.gather(*listening)
    return {
        "streams": streams,
        "endpoints": endpoints,
        "told": told,
        "heard": heard,
        "p50Ms": round(statistics.median(waits), 2),
        "p99Ms": round(waits[int(len(waits) * 0.99)], 2),
        "kilobytesPerStream": round(held / 1000 / max(1, len(rest)), 1),
        "idleShareOfACore": round(share, 4),
        "pings": sum(one.pings for one in first + rest),
    }


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:3]]
    print(json.dumps(asyncio.run(measure(*numbers, told=1_000, idle=60.0)), indent=2))  # noqa: T201
