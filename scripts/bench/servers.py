"""The servers under measurement: how each is started, asked, weighed and stopped."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import load

API = "/api/v1"
HERE = Path(__file__).parent
# apart, so that the load takes nothing from what it measures
SERVER_CORE, LOAD_CORE = 0, 1
START_SECONDS = 60
STOP_SECONDS = 120


class Failed(Exception):
    """A server that did not start or stop as it should."""


@dataclass
class Server:
    """One server process on a port of its own, with its data in a folder of its own."""

    name: str
    folder: Path
    command: Sequence[str]
    environment: dict[str, str] | None = None
    directory: Path | None = None
    headers: dict[str, str] = field(default_factory=dict)
    text_bytes: int = 0
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        """Choose a free port; `{port}` in the command stands for it."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    @property
    def data(self) -> Path:
        """The folder that the server's files lie in; nothing else lies there."""
        return self.folder / "data"

    def start(self) -> float:
        """Start the process; gives the seconds until its first answer."""
        began = time.perf_counter()
        # added to, since a run starts a server several times
        with Path(self.folder, "log.txt").open("ab") as log:
            command = [part.replace("{port}", str(self.port)) for part in self.command]
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env=self.environment, cwd=self.directory
            )
        pin(self.process.pid, SERVER_CORE)
        # Asked every 2 ms: a start takes a few hundred, and is one of the facts of the report.
        while not self._answers():
            if self.process.poll() is not None or time.perf_counter() - began > START_SECONDS:
                self.stop()
                raise Failed(f"{self.name} did not start: {self.log()}")
            time.sleep(0.002)
        return time.perf_counter() - began

    def _answers(self) -> bool:
        try:
            load.ask(self.port, load.http("GET", "/healthz", headers={}))
        except (OSError, load.Refused):
            return False
        return True

    def log(self) -> str:
        """Give the end of what the server printed."""
        return Path(self.folder, "log.txt").read_text(errors="replace")[-2_000:].strip()

    def stop(self) -> None:
        """Stop the process cleanly, or by force when it does not listen."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def memory(self) -> float | None:
        """Give the resident memory in MB, where the system tells."""
        return _memory(self.process.pid, "VmRSS") if self.process else None

    def workers_memory(self) -> float | None:
        """Give the most memory in MB that the process's children of this moment have had, where
        the system tells.
        """
        children = Path(f"/proc/{self.process.pid if self.process else 0}/task").glob("*/children")
        known = [
            _memory(int(child), "VmHWM") for file in children for child in file.read_text().split()
        ]
        return sum(found for found in known if found) if known else None

    def worked(self) -> float | None:
        """Give the seconds of a processor that the process has had, where the system tells."""
        file = Path(f"/proc/{self.process.pid if self.process else 0}/stat")
        if not file.exists():
            return None
        user, system = file.read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def disk(self) -> int:
        """Give the bytes of the database's files; logs are not what a note costs."""
        return sum(
            path.stat().st_size
            for path in self.data.rglob("*")
            if path.is_file() and ".db" in path.name
        )

    def get(self, path: str) -> bytes:
        """Encode a GET below the interface's base path."""
        return load.http("GET", API + path, headers=self.headers)

    def post(self, path: str, body: object) -> bytes:
        """Encode a POST below the interface's base path."""
        return load.http("POST", API + path, headers=self.headers, body=body)

    def ask(self, request: bytes) -> Any:
        """Send one request; gives the answer as JSON."""
        return json.loads(load.ask(self.port, request))


def _memory(process: int, kind: str) -> float | None:
    """Give one of the figures that the system keeps of a process's memory, in MB."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(kind)), None)


def pin(process: int, core: int) -> None:
    """Keep a process on one core, where the system can and has a second one."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(process, {core})


def minimal(name: str, folder: Path, *options: str) -> Server:
    """Describe one of the two minimal servers beside this file."""
    server = Server(
        name, folder, [sys.executable, str(HERE / f"{name}.py"), "--port", "{port}", *options]
    )
    server.data.mkdir(parents=True)
    return server


def hearth(name: str, folder: Path, *, settings: Mapping[str, str], checkout: Path) -> Server:
    """Describe Hearth on a new database with one user and a key of theirs.

    The rate limit is on, but out of reach.

    A checkout that lacks one of the settings does without it.
    """
    data = folder / "data"
    data.mkdir(parents=True)
    command = [sys.executable, "-m", "app"]
    if not (
        checkout / "app" / "__main__.py"
    ).exists():  # the environment may hold another checkout, which would answer in its place
        raise Failed(f"{name} could not be initialised: there is no app in {checkout}")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HEARTH_")}
    options = (checkout / "app" / "settings.py").read_text("utf-8")
    known = {
        key: value
        for key, value in settings.items()
        if f"    {key.removeprefix('HEARTH_').lower()}: " in options
    }
    environment = kept | {"HEARTH_RATE_LIMIT": "10000000"} | known
    made = subprocess.run(
        [*command, "init", "--data", str(data), "--user", "bench"],
        env=environment,
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    if made.returncode or not made.stdout.strip():
        raise Failed(
            f"{name} could not be initialised: {(made.stderr or made.stdout).strip()[-2_000:]}"
        )
    key = made.stdout.split()[-1]
    serve = [*command, "serve", "--port", "{port}", "--data", str(data)]
    return Server(
        name,
        folder,
        serve,
        environment=environment,
        directory=checkout,
        headers={"Authorization": f"Bearer {key}"},
    )


class Fleet(contextlib.ExitStack):
    """All servers of a run: every one of them is stopped, and its files are removed, when the
    run ends in whatever way.
    """

    def __init__(self, parent: Path | None) -> None:
        super().__init__()
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix="bench-", dir=parent))
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)

    def add(self, server: Server) -> Server:
        """Take charge of a server's end."""
        self.callback(server.stop)
        return server

    def place(self, name: str) -> Path:
        """Make the folder of a server."""
        folder = self.folder / name
        folder.mkdir()
        return folder
