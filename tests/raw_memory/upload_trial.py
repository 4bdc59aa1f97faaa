"""Several devices upload as much as a request may hold, while somebody writes notes.

`python -m tests.raw_memory.upload_trial [DEVICES] [RECORDS]` tells how long the notes took, and
the most memory that the server had.
"""

import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from tests.support.raw_records import RawDevice
from tests.support.serving import Server, serving

MIB = 1 << 20
RECORD = 7 * MIB


class Report(msgspec.Struct):
    """How it went: the notes' milliseconds, and the server's memory in MiB before and at most."""

    notes: int
    median: float
    longest: float
    stored: int
    before: int
    most: int


def memory_of(server: Server, name: str) -> int:
    """Return VmRSS or VmHWM in MiB."""
    text = Path(f"/proc/{server.process.pid}/status").read_text("ascii")
    return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1]) >> 10


def with_key(server: Server) -> RawDevice:
    """Add a device by the key of the first user."""
    device = RawDevice()
    device.user_id = server.ask("GET", "/identity")[1]["profile"]["userId"]
    device.device_id = server.ask("POST", "/raw-memory/devices", device.public)[1]["device"][
        "deviceId"
    ]
    status, body = server.ask("PUT", "/raw-memory/keys", device.keys())
    assert status == 200, body
    return device


def run(folder: Path, devices: int, records: int, size: int = RECORD) -> Report:
    """Let so many upload so many records each at once, and write notes until they are done."""
    with serving(folder) as server:
        device = with_key(server)
        for number in range(20):
            server.note(f"Warm-up {number}")
        bodies = [
            {"records": [device.seal(b"\0" * size, sequence=at) for at in range(records)]}
            for _ in range(devices)
        ]
        before = memory_of(server, "VmRSS")
        answers: list[Any] = []
        threads = [
            threading.Thread(
                target=lambda body=body: answers.append(
                    server.ask("POST", "/raw-memory/records", body)
                )
            )
            for body in bodies
        ]
        for thread in threads:
            thread.start()
        took = []
        while any(thread.is_alive() for thread in threads):
            began = time.perf_counter()
            server.note(f"Note {len(took)}")
            took.append((time.perf_counter() - began) * 1000)
        for status, body in answers:
            assert status == 200, body
        return Report(
            len(took),
            round(statistics.median(took), 1),
            round(max(took), 1),
            sum(body["created"] for _, body in answers),
            before,
            memory_of(server, "VmHWM"),
        )


def main() -> None:
    """Run it and print the report."""
    devices = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    records = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    with tempfile.TemporaryDirectory() as folder:
        click.echo(msgspec.json.format(msgspec.json.encode(run(Path(folder), devices, records))))


if __name__ == "__main__":
    main()
