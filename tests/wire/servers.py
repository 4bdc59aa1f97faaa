"""Starting the servers that the tests of the wire talk to, and asking them what they saw."""

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.wire.replies import KEY

PATIENCE = 60.0


class Running:
    """A server that runs in a process of its own: its address, and what it wrote about itself."""

    def __init__(self, url: str, log: Path) -> None:
        self.url = url
        self.log = log

    def said(self) -> str:
        """Give everything it has logged so far."""
        return self.log.read_text("utf-8", "replace")

    def says(self, words: str, times: int) -> None:
        """Wait until it has logged these words so many times."""
        until = time.monotonic() + PATIENCE
        while self.said().count(words) < times:
            assert time.monotonic() < until, self.said()[-2000:]
            time.sleep(0.05)

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """Give the JSON of one of its own endpoints."""
        # it needs no certificates, which take 20 ms to read
        response = httpx.request(
            method, self.url + path, timeout=PATIENCE, trust_env=False, verify=False, **more
        )
        response.raise_for_status()
        return response.json()


class Simulator(Running):
    """The simulator of providers, which answers nobody without the key."""

    def requests(self, message: str) -> list[dict[str, Any]]:
        """Give the requests it got in which somebody said `message`, in order.

        Each has path, body, headers and the response's status.
        """
        entries = self.ask("GET", "/__aimock/journal", headers={"authorization": f"Bearer {KEY}"})
        return [
            entry for entry in entries if message in json.dumps(entry["body"], ensure_ascii=False)
        ]


@contextlib.contextmanager
def running(command: list[str], log: Path, **variables: str) -> Iterator[str]:
    """Start a server that says where it listens, and give that address until the block ends."""
    environment = {**os.environ, **variables}
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=out, env=environment
        ) as process,
    ):
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        text = log.read_text("utf-8", "replace")
        if found := re.search(r"listening on (http://[\w.:]+)\s", text):
            return found[1]
        assert process.poll() is None, f"It ended by itself: {text[-2000:]}"
        time.sleep(0.02)
    raise AssertionError(
        f"It does not say where it listens: {log.read_text('utf-8', 'replace')[-2000:]}"
    )
