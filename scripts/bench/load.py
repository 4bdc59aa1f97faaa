"""The load: raw HTTP/1.1 requests over keep-alive connections, by wrk for steady rates or by a
client of our own.
"""

import json
import selectors
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice, takewhile
from pathlib import Path

ANSWER_SECONDS = 120
WARM_SECONDS = 0.3
SLOW_MS = 50
WRK_SCRIPT = """
local requests, turn = {{{requests}}}, 0
request = function()
  turn = turn % #requests + 1
  return requests[turn]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("\\nFIGURES %d %d %f %f %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    e.status + e.connect + e.read + e.write + e.timeout))
end
"""


@dataclass(frozen=True)
class Figures:
    """What one measurement found.

    Requests a second, and milliseconds of the median and the 99th percentile.
    """

    rate: float
    p50: float
    p99: float


class Refused(Exception):
    """An answer other than 2xx, or none."""


def http(method: str, path: str, *, headers: dict[str, str], body: object = None) -> bytes:
    """Encode a request once, so that sending it costs the same for every server."""
    content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    lines = {"Host": "127.0.0.1", "Accept": "application/json", **headers}
    if body is not None:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content


@dataclass
class Lane:
    """One connection that sends the next of its requests when the last has been answered."""

    port: int
    requests: Iterator[bytes]
    times: list[float] = field(default_factory=list)
    body: bytes = b""
    open: bool = True

    def connect(self) -> socket.socket:
        """Open the connection; every other method needs it."""
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_SECONDS)
        # else a small request may wait until the one before is acknowledged
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.socket

    def send(self) -> None:
        """Send the next request, or close when there is none."""
        request = next(self.requests, None)
        if request is None:
            self.open = False
            self.socket.close()
            return
        self.received, self.needed = b"", 0
        self.sent = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read what has come; true when the answer is whole."""
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise Refused("the server closed the connection")
        self.received = self.received + piece if self.received else piece
        if not self.needed:
            self._read_head()
        if not self.needed or len(self.received) < self.needed:
            return False
        self.times.append((time.perf_counter() - self.sent) * 1e3)
        return True

    def _read_head(self) -> None:
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.received[:end].lower()
        at = head.find(b"\r\ncontent-length:")
        self.start = end + 4
        self.needed = self.start + (int(head[at + 17 :].split(b"\r", 1)[0]) if at >= 0 else 0)
        if not 200 <= int(head[9:12]) < 300:
            raise Refused(f"{self.received[:400]!r}")


def drive(lanes: Sequence[Lane]) -> float:
    """Run the lanes to their ends; gives the seconds it took."""
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for lane in lanes:
            selector.register(lane.connect(), selectors.EVENT_READ, lane)
        try:
            for lane in lanes:
                _next(lane, selector)
            while selector.get_map():
                _serve(selector)
        finally:
            for lane in lanes:
                lane.socket.close()
    return time.perf_counter() - began


def _serve(selector: selectors.BaseSelector) -> None:
    ready = selector.select(ANSWER_SECONDS)
    if not ready:
        raise Refused(f"no answer in {ANSWER_SECONDS} s")
    for key, _ in ready:
        lane: Lane = key.data
        if lane.receive():
            lane.body = lane.received[lane.start :]
            _next(lane, selector)


def _next(lane: Lane, selector: selectors.BaseSelector) -> None:
    connection = lane.socket
    number = connection.fileno()
    lane.send()
    if not lane.open:
        selector.unregister(number)


def ask(port: int, request: bytes) -> bytes:
    """Send one request; gives the body of the answer."""
    lane = Lane(port, iter([request]))
    drive([lane])
    return lane.body


def send_once(port: int, requests: Iterable[bytes], *, connections: int) -> Figures:
    """Send each request exactly once, over so many connections."""
    stream = iter(requests)
    lanes = [Lane(port, stream) for _ in range(connections)]
    seconds = drive(lanes)
    return figures([taken for lane in lanes for taken in lane.times], seconds)


def read_beside_writers(
    port: int, reads: Sequence[bytes], writes: Iterable[bytes], *, writers: int
) -> Figures:
    """Send each write exactly once over the writers' connections.

    Gives the figures of one reader meanwhile.
    """
    stream = iter(writes)
    busy = [Lane(port, stream) for _ in range(writers)]
    reader = Lane(port, takewhile(lambda _: any(lane.open for lane in busy), cycle(reads)))
    seconds = drive([*busy, reader])
    return figures(reader.times, seconds)


def steady(port: int, requests: Sequence[bytes], *, connections: int, seconds: float) -> Figures:
    """Repeat the requests for so many seconds, after a short warm-up that finds refusals.

    Requests of which wrk would see only a few answered are left to our own client, which counts
    the last of them whole.
    """
    warm = send_once(port, islice(_for(WARM_SECONDS, requests), 20), connections=connections)
    if has_wrk() and warm.p50 < SLOW_MS:
        return _wrk(port, requests, connections=connections, seconds=max(1, round(seconds)))
    return send_once(port, _for(seconds, requests), connections=connections)


def _for(seconds: float, requests: Sequence[bytes]) -> Iterator[bytes]:
    end = time.perf_counter() + seconds
    yield requests[0]  # one at least, however short the time is
    yield from takewhile(lambda _: time.perf_counter() < end, cycle([*requests[1:], requests[0]]))


def has_wrk() -> bool:
    """Tell whether steady rates come from wrk."""
    return shutil.which("wrk") is not None


def figures(times: list[float], seconds: float) -> Figures:
    """Sum up the milliseconds of single requests."""
    if not times:
        raise Refused("nothing was answered in the time given")
    ordered = sorted(times)
    return Figures(
        len(ordered) / seconds,
        statistics.median(ordered),
        ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))],
    )


def _wrk(port: int, requests: Sequence[bytes], *, connections: int, seconds: int) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "requests.lua")
        script.write_text(WRK_SCRIPT.format(requests=",".join(map(_lua, requests))))
        command = [
            "wrk",
            "-t1",
            f"-c{connections}",
            f"-d{seconds}s",
            f"--timeout={ANSWER_SECONDS}s",
            "-s",
            str(script),
        ]
        output = subprocess.run(
            [*command, f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True
        ).stdout
    count, micros, p50, p99, errors = output.rpartition("FIGURES ")[2].split()
    if int(errors) or not int(count):
        raise Refused(f"wrk saw {errors} errors in {count} answers")
    return Figures(int(count) / int(micros) * 1e6, float(p50) / 1e3, float(p99) / 1e3)


def _lua(request: bytes) -> str:
    """Write bytes as a Lua string: everything but plain letters as a decimal escape."""
    return (
        '"'
        + "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03d}"
            for byte in request
        )
        + '"'
    )
