"""A server as a process of its own, for tests that kill it, fill its disk or change its files."""

import contextlib
import functools
import http.client
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import app
from app.core.database.data_dir import DATABASE, FIRST_KEY
from app.migrations import migrate
from tests.support import ready_programs

ROOT = Path(app.__file__).parent.parent
START_SECONDS = 60.0


class Server:
    """A running `hearth serve`; `key` is that of its first user, or what `serving` was given."""

    def __init__(self, process: ready_programs.Program, said: Path, data: Path, key: str) -> None:
        self.process = process
        self.said = said
        self.data = data
        self.key = key
        self.port = 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask on a connection of its own and give status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        with contextlib.closing(connection):
            connection.request(
                method, f"/api/v1{path}", None if body is None else json.dumps(body), headers
            )
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def note(self, title: str, content: str = "some words") -> int:
        """Create a note that must be taken and give its id."""
        status, body = self.ask("POST", "/os/notes", {"title": title, "content": content})
        assert status == 201, body
        return int(body["result"]["note"]["id"])

    def health(self) -> Any:
        """Give what the status says of the database."""
        status, body = self.ask("GET", "/os/status")
        assert status == 200, body
        return body["database"]

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.kill()
        self.process.wait(30)

    def text(self) -> str:
        """Give all that it has said."""
        return self.said.read_text("utf-8", "replace")


@contextlib.contextmanager
def serving(
    data: Path, *options: str, key: str = "", environment: dict[str, str] | None = None
) -> Iterator[Server]:
    """Start a server and end it, in order if it still runs.

    Where there is no data directory it gets one with an empty database, since a first start takes
    a fifth of a second to make that.
    """
    if not data.exists():
        data.mkdir(mode=0o700)
        (data / DATABASE).touch(0o600)
        (data / DATABASE).write_bytes(_empty_database())
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        with said.open("wb") as out, Path(os.devnull).open("rb") as nothing:
            process = ready_programs.start(
                ["serve", "--data", str(data), "--port", "0", "--user", "alice", *options],
                {**os.environ, **(environment or {})},
                (nothing.fileno(), out.fileno(), out.fileno()),
            )
        server = Server(process, said, data, key)
        try:
            _await_start(server)
            yield server
        finally:
            process.terminate()
            process.wait(60)


@functools.cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder) / DATABASE)
        return (Path(folder) / DATABASE).read_bytes()


def _await_start(server: Server) -> None:
    until = time.monotonic() + START_SECONDS
    while server.process.poll() is None and time.monotonic() < until:
        lines = server.text().splitlines()
        found = next((line for line in lines if line.startswith("Hearth is at ")), None)
        if found is not None:
            secret = server.key or (server.data / FIRST_KEY).read_text("ascii").strip()
            server.port, server.key = int(found.split()[3].rpartition(":")[2]), secret
            return
        time.sleep(0.01)
    raise AssertionError(f"the server did not start: {server.text()}")


def refused(data: Path, *arguments: str) -> str:
    """Run a command that must be refused and give what it says."""
    done = ready_programs.run([*arguments, "--data", str(data)], timeout=START_SECONDS)
    assert done.code == 1, done.said + done.complained
    return done.complained
