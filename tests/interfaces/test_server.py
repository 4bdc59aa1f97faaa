"""The server as a process: killed, left and pestered, it loses nothing and goes on answering."""

import dataclasses
import http.client
import json
import random
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import app
from app.core.database.data_dir import DATABASE, FIRST_KEY

ROOT = Path(app.__file__).parent.parent
ABORTED = 100
CYCLES = 12
HALF_OPEN = 300
LONG_NOTE = 9_000_000


@dataclasses.dataclass
class Running:
    """A server process, its port and a key."""

    process: "subprocess.Popen[str]"
    port: int
    key: str
    data: Path

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask on a connection of its own and give status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(
                method,
                f"/api/v1{path}",
                None if body is None else json.dumps(body),
                {"Authorization": f"Bearer {self.key}"},
            )
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def request(self, body: bytes, length: int | None = None) -> bytes:
        """Give a request that creates a note as it goes over the wire."""
        head = (
            "POST /api/v1/os/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
            f"{self.key}\r\nContent-Length: {length or len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def titles(self) -> list[str]:
        return [
            note["title"]
            for note in self.ask("GET", "/os/notes?limit=200&sort=createdAt&order=asc")[1]["notes"]
        ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data = tmp_path_factory.mktemp("server") / "data"
    command = [
        sys.executable,
        "-m",
        "app",
        "serve",
        "--data",
        str(data),
        "--port",
        "0",
        "--user",
        "alice",
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    port = int(process.stdout.readline().split()[3].rpartition(":")[2])
    running = Running(process, port, (data / FIRST_KEY).read_text("ascii").strip(), data)
    yield running
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert [line for line in errors.splitlines() if "Invalid HTTP request" not in line] == []


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as executor:
        yield executor


def test_a_killed_server_loses_no_answered_write_and_keeps_no_half_of_a_bulk_write(
    tmp_path: Path,
) -> None:
    """`python -m tests.support.kill_cycles 1000` is the same for longer.

    It runs apart, since a process with threads must not fork.
    """
    command = [sys.executable, "-m", "tests.support.kill_cycles", str(CYCLES)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report | {"answered": 0} == {
        "cycles": CYCLES,
        "answered": 0,
        "lost": [],
        "halves": [],
        "troubles": [],
    }
    assert report["answered"] > 4 * CYCLES


def test_clients_that_hang_up_anywhere_leave_no_transaction_open_and_harm_no_other_write(
    server: Running, pool: ThreadPoolExecutor
) -> None:
    chance = random.Random(7)

    def hang_up(number: int) -> None:
        body = json.dumps({"title": f"aborted {number}", "content": "x" * 500}).encode()
        whole = server.request(body)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(
                whole[: chance.choice([chance.randrange(1, len(whole)), len(whole)])]
            )
            if number % 2:  # end the connection with a reset instead of a goodbye
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def write(number: int) -> int:
        return server.ask("POST", "/os/notes", {"title": f"whole {number}", "content": "y"})[0]

    hanging = [pool.submit(hang_up, number) for number in range(ABORTED)]
    writing = [pool.submit(write, number) for number in range(50)]
    assert [job.result() for job in hanging] == [None] * ABORTED
    assert [job.result() for job in writing] == [201] * 50
    visitor = sqlite3.connect(server.data / DATABASE, timeout=5, isolation_level=None)
    visitor.execute("BEGIN IMMEDIATE")
    visitor.execute("ROLLBACK")
    contents = {
        row[0] for row in visitor.execute("SELECT content FROM notes WHERE title LIKE 'aborted %'")
    }
    visitor.close()
    assert contents <= {"x" * 500}
    titles = server.titles()
    assert {f"whole {number}" for number in range(50)} <= set(titles)
    assert len(titles) == len(set(titles))


def answered_meanwhile(
    server: Running, pool: ThreadPoolExecutor, *slow: Callable[[], Any]
) -> list[Any]:
    """Start the slow calls, ask for the status until they are done, and give their results.

    Each must outlast a status at least.
    """
    waiting: list[Future[Any]] = [pool.submit(call) for call in slow]
    during = 0
    while not all(job.done() for job in waiting):
        assert server.ask("GET", "/os/status")[0] == 200
        during += 1
    assert during >= 2
    return [job.result() for job in waiting]


def test_the_status_is_answered_while_a_long_note_is_written_read_and_searched(
    server: Running, pool: ThreadPoolExecutor
) -> None:
    text = ("word [a](b) **c** " * 60 + "\n\n") * (LONG_NOTE // 1082)
    create = lambda: server.ask("POST", "/os/notes", {"title": "long", "content": text})  # noqa: E731
    ((status, made),) = answered_meanwhile(server, pool, create)
    assert status == 201
    path = f"/os/notes/{made['result']['note']['id']}"
    hostile = {"pattern": "(a+)+(b|bb)*[^x]*$$" + "(x?){50}" * 3, "mode": "regex", "limit": 10_000}
    read, grepped = answered_meanwhile(
        server,
        pool,
        lambda: server.ask("GET", path),
        lambda: server.ask("POST", "/os/notes/grep", hostile),
    )
    assert read[0] == 200
    assert len(read[1]["note"]["markdown"]) == len(text)
    assert grepped[0] in (200, 400)  # 400: it needed more than its two seconds


def test_the_status_is_answered_while_hundreds_of_connections_are_half_open(
    server: Running,
) -> None:
    begun = server.request(b'{"title":"never"', 1000)
    with_heads, with_bodies = begun[:60], begun
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(HALF_OPEN)]
    try:
        for number, connection in enumerate(held):
            connection.sendall(with_heads if number % 2 else with_bodies)
        for _ in range(20):
            assert server.ask("GET", "/os/status")[0] == 200
        assert server.ask("POST", "/os/notes", {"title": "beside them", "content": ""})[0] == 201
    finally:
        for connection in held:
            connection.close()
    assert "never" not in server.titles()


def test_head_is_get_without_its_body(server: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for path in ("/identity", "/os/notes/404", "/nothing"):
        lengths = []
        for method in ("GET", "HEAD"):
            connection.request(
                method, f"/api/v1{path}", headers={"Authorization": f"Bearer {server.key}"}
            )
            answer = connection.getresponse()
            lengths.append((answer.status, answer.headers["content-length"]))
            body = answer.read()
        assert body == b""
        assert lengths[0] == lengths[1]
    connection.close()


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (
            b"GET /api/v1/os HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
            b"99999999999999999999999\r\n\r\n",
            400,
        ),
        (
            b"GET /api/v1/os HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
            b"1\r\nContent-Length: 2\r\n\r\n",
            400,
        ),
        (
            b"POST /api/v1/init HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
            b"2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (b"GET /api/v1/os HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"BREW /api/v1/os HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET /api/v1/os HTTP/1.1\r\nHost: evil.test\r\n\r\n", 403),
        (b"GET /api/v1/os HTTP/1.0\r\n\r\n", 403),
        (b"GET http://evil.test/api/v1/os HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 401),
        (b"GET /api/v1/os/notes/%2e%2e%2f%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET /api/v1/os/notes/%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 401),
        (b"\r\n\r\n\x00\x01\x02", 400),
    ],
)
def test_a_raw_request_is_refused_and_never_breaks_the_server(
    server: Running, raw: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(raw)
        answer = connection.recv(1000)
    assert int(answer.split()[1]) == status
    assert server.ask("GET", "/os/status")[0] == 200
