"""Connections over real sockets.

What a head may take of bytes and time, and who makes way when there are too many.
"""

import asyncio
import contextlib
import http.client
import json
import resource
import socket
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.commands.server import http_server as server_command
from app.interfaces.wire import http_connection, open_connections, request_bodies
from app.interfaces.wire.http_connection import Connection
from app.interfaces.wire.open_connections import OpenConnections
from app.interfaces.wire.request_bodies import read_body
from tests.support.serving import Server, serving

IDLE, SLOW = 1200, 800
ASKED = 400
MOST_MS = 250
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer with how long the body was.

    `/known` as to somebody whose credential holds, `/soon` without reading it, `/never` not at
    all, `/whole` at once, `/bad` with a header that holds a line end.
    """
    if scope["path"] == "/known":
        scope["known"] = True
    if scope["path"] == "/never":
        await asyncio.Event().wait()
    with contextlib.suppress(request_bodies.ClientLeft):
        size = 0 if scope["path"] == "/soon" else len(await read_body(receive, 1 << 20))
        text = b"%d" % size
        if scope["path"] in ("/whole", "/bad"):
            headers = [
                (b"content-length", b"1"),
                (b"x", b"\n" if scope["path"] == "/bad" else b"y"),
            ]
            await scope["connection"].send_whole(200, headers, text)
            return
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", b"%d" % len(text)), (b"x", b"y")],
            }
        )
        await send({"type": "http.response.body", "body": text})


class Talk:
    """A connection to the server, as a client has it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            with contextlib.suppress(ConnectionError):
                await self.writer.drain()

    async def answer(self) -> tuple[int, bytes]:
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 10)
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        return int(head.split()[1]), await self.reader.readexactly(length)

    async def ends(self) -> bytes:
        """Give what still comes until the server ends the connection."""
        with contextlib.suppress(ConnectionError):
            return await asyncio.wait_for(self.reader.read(), 10)
        return b""


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the test choose limits of time."""

    def choose(**chosen: float) -> None:
        monkeypatch.setattr(open_connections, "LOOK_SECONDS", 0.05)
        for name, value in chosen.items():
            monkeypatch.setattr(http_connection, name, value)

    return choose


@contextlib.asynccontextmanager
async def door(most: int = 1000) -> AsyncIterator[Callable[[], Any]]:
    """Open a port with such connections in front of the application above."""
    config = uvicorn.Config(
        application, ws="none", lifespan="off", log_config=None, access_log=False
    )
    config.load()
    state, members, talks = ServerState(), OpenConnections(most), []
    made: Any = lambda: Connection(crowd=members, config=config, server_state=state, app_state={})  # noqa: E731
    server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)

    async def connect() -> Talk:
        talks.append(Talk(*await asyncio.open_connection(*server.sockets[0].getsockname())))
        return talks[-1]

    try:
        yield connect
    finally:
        server.close()
        for ending in (*talks, *list(state.connections)):
            (ending.writer.transport if isinstance(ending, Talk) else ending.transport).abort()  # type: ignore[union-attr]
        for task in list(state.tasks):
            task.cancel()
        await asyncio.sleep(0.01)


def refusal(body: bytes) -> str:
    found = json.loads(body)
    assert found["success"] is False
    assert found["error"] in ("invalid_request", "unavailable")
    return str(found["message"])


pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (GET + b"A: " + b"a" * 65_000 + b"\r\n\r\n", 200),
        (GET + b"A: " + b"a" * 66_000 + b"\r\n\r\n", 431),
        (GET + b"A: " + b"a" * 66_000, 431),
        (GET + b"a" * 66_000, 431),
        (b"GET /" + b"a" * 66_000, 431),
        (GET + b"A: a\r\n" * 99 + b"\r\n", 200),
        (GET + b"A: a\r\n" * 100 + b"\r\n", 431),
        (GET + b"A: a\r\n" * 101, 431),
        (b"\r\n" * 33_000, 431),
        (CHUNKED + b"1\r\nx\r\n0\r\nA: " + b"a" * 150_000, 431),
        (CHUNKED + b"1;" + b"a" * 150_000, 431),
        (CHUNKED + b"1\r\nx\r\n0\r\n" + b"Host: evil\r\n" * 50 + b"\r\n", 200),
        (BODY + b"0123456789" + GET + b"A: " + b"a" * 150_000, 200),
        (b"no HTTP at all\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (GET + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 7_000])
async def test_a_head_of_more_than_64_kib_or_100_fields_is_refused_while_it_arrives(
    head: bytes, status: int, piece: int
) -> None:
    async with door() as connect:
        talk = await connect()
        await talk.send(*(head[start : start + piece] for start in range(0, len(head), piece)))
        answered, body = await talk.answer()
        assert answered == status
        if status != 200:
            assert refusal(body)
            assert await talk.ends() == b""


async def test_a_refused_client_that_goes_on_sending_hears_why_and_is_cut_off(
    limits: Callable[..., None],
) -> None:
    limits(LINGER_SECONDS=0.2)
    async with door() as connect:
        talk = await connect()
        await talk.send(GET, *[b"A: " + b"a" * 50_000] * 20)
        assert (await talk.answer())[0] == 431
        await talk.ends()

        async def go_on() -> None:
            while True:
                talk.writer.write(b"a" * 1000)
                await talk.writer.drain()
                await asyncio.sleep(0.02)

        with pytest.raises(ConnectionError):
            await asyncio.wait_for(go_on(), 30)


async def test_a_head_must_be_whole_in_time_however_it_drips(limits: Callable[..., None]) -> None:
    limits(HEAD_SECONDS=0.3)
    async with door() as connect:
        talk, began = await connect(), time.monotonic()
        await talk.send(GET)
        async with asyncio.timeout(30):
            while not talk.reader._buffer:  # type: ignore[attr-defined]
                await talk.send(b"A: a\r\n")
                await asyncio.sleep(0.02)
        assert (await talk.answer())[0] == 408
        assert time.monotonic() - began > 0.2


async def test_an_idle_connection_is_closed_and_one_that_waits_for_its_answer_is_not(
    limits: Callable[..., None],
) -> None:
    limits(IDLE_SECONDS=0.3, HEAD_SECONDS=0.2, LINGER_SECONDS=0.2)
    async with door() as connect:
        silent, kept, waiting = await connect(), await connect(), await connect()
        await kept.send(GET + b"\r\n")
        await waiting.send(b"GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await kept.answer() == (200, b"0")
        assert [await talk.ends() for talk in (silent, kept)] == [b"", b""]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting.reader.read(), 0.5)


async def test_the_rest_of_an_answered_body_must_come_soon_and_the_next_request_is_heard(
    limits: Callable[..., None],
) -> None:
    limits(LINGER_SECONDS=0.3)
    soon = BODY.replace(b"POST /", b"POST /soon")
    async with door() as connect:
        quick, late = await connect(), await connect()
        for talk in (quick, late):
            await talk.send(soon)
            assert await talk.answer() == (200, b"0")
        await quick.send(b"0123456789" + GET + b"\r\n")
        assert await quick.answer() == (200, b"0")
        assert await late.ends() == b""


async def test_requests_in_a_row_on_one_connection_are_each_answered(
    limits: Callable[..., None],
) -> None:
    limits()
    async with door() as connect:
        talk = await connect()
        await talk.send((BODY + b"0123456789" + GET + b"\r\n") * 40)
        assert [await talk.answer() for _ in range(80)] == [(200, b"10"), (200, b"0")] * 40


@pytest.mark.parametrize(
    ("head", "body", "ends"),
    [
        ("GET {} HTTP/1.1\r\nHost: x", b"", False),
        ("HEAD {} HTTP/1.1\r\nHost: x", b"", False),
        ("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 3", b"abc", False),
        ("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close", b"", True),
        ("GET {} HTTP/1.0\r\nHost: x", b"", True),
        ("HEAD {} HTTP/1.0\r\nHost: x", b"", True),
    ],
)
async def test_an_answer_that_is_sent_at_once_is_the_same_as_one_in_two_messages(
    head: str, body: bytes, ends: bool
) -> None:
    async with door() as connect:
        told = []
        for path in ("/", "/whole"):
            talk = await connect()
            await talk.send(head.format(path).encode() + b"\r\n\r\n" + body)
            told.append(await talk.reader.readuntil(b"\r\n\r\n"))
            told[-1] += b"" if "HEAD" in head else await talk.reader.readexactly(1)
            if ends:
                assert await talk.ends() == b""
            else:
                await talk.send(GET.replace(b"/ ", b"/whole ") + b"\r\n")
                assert await talk.answer() == (200, b"0")
        assert told[0] == told[1]
        assert told[0].startswith(b"HTTP/1.1 200 OK\r\n")


async def test_a_header_that_holds_a_line_end_is_never_sent() -> None:
    async with door() as connect:
        talk = await connect()
        await talk.send(GET.replace(b"/ ", b"/bad ") + b"\r\n")
        assert (await talk.answer())[0] == 500


async def test_an_unknown_upgrade_is_answered_as_any_request_and_ends_the_connection() -> None:
    async with door() as connect:
        talk = await connect()
        await talk.send(GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + b"x" * 1000)
        assert await talk.answer() == (200, b"0")
        assert await talk.ends() == b""


async def test_a_body_may_take_20_seconds_and_then_as_long_as_its_size_needs_at_8_kib_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_bodies, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(request_bodies, "LEAST_RATE", 10_000)

    async def sent(size: int, every: float) -> int:
        async def receive() -> Any:
            await asyncio.sleep(every)
            return {"type": "http.request", "body": b"x" * size, "more_body": next(numbers) < 9}

        numbers = iter(range(10))
        return len(await read_body(receive, 1 << 20))

    assert await sent(1_000, 0.05) == 10_000
    assert await sent(1_000, 0.0) == 10_000
    with pytest.raises(request_bodies.Malformed, match="did not arrive in time"):
        await sent(10, 0.05)


async def test_of_too_many_connections_the_longest_idle_stranger_makes_way_not_who_waits() -> None:
    async with door(4) as connect:
        friend, waiting, older = await connect(), await connect(), await connect()
        await friend.send(b"GET /known HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await friend.answer() == (200, b"0")
        await waiting.send(b"GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
        await older.send(GET)  # a head that never ends
        await asyncio.sleep(0.05)
        newer = [await connect() for _ in range(10)]
        assert await older.ends() == b""
        assert [await talk.ends() for talk in newer[:8]] == [b""] * 8
        await newer[9].send(GET + b"\r\n")
        assert await newer[9].answer() == (200, b"0")
        await friend.send(GET + b"\r\n")
        assert await friend.answer() == (200, b"0")


async def test_where_all_wait_for_an_answer_one_more_is_told_to_come_again() -> None:
    async with door(2) as connect:
        for _ in range(2):
            await (await connect()).send(b"GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(0.05)
        more = await connect()
        status, body = await more.answer()
        assert (status, refusal(body)) == (
            503,
            "Too many connections are open; try again in a moment.",
        )
        assert await more.ends() == b""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(
        tmp_path_factory.mktemp("crowded") / "data", environment={"HEARTH_EMBEDDINGS": "off"}
    ) as running:
        yield running


def opened(server: Server, said: bytes = b"") -> socket.socket:
    found = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    found.sendall(said)
    return found


def p99_of(server: Server, *, on_one: bool, beside: Callable[[int], None]) -> float:
    """Give the 99th of 100 times, in ms, in which the owner is answered."""
    kept, times = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30), []
    for number in range(ASKED):
        beside(number)
        began = time.perf_counter()
        kept.request("GET", "/api/v1/os/notes", headers={"Authorization": f"Bearer {server.key}"})
        answer = kept.getresponse()
        answer.read()
        times.append((time.perf_counter() - began) * 1000)
        assert answer.status == 200
        if not on_one:
            kept.close()
    kept.close()
    return statistics.quantiles(times, n=100)[98]


def test_an_owner_is_answered_at_once_beside_1200_idle_connections_and_800_slow_ones(
    server: Server,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4 * (IDLE + SLOW):
        pytest.skip("this machine lets a process open too few sockets")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * (IDLE + SLOW)), hard))
    wrong = (
        b"POST /api/v1/os/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
        b"x\r\nContent-Length: 100\r\n\r\n"
    )
    sign_in = wrong.replace(b"/api/v1/os/notes", b"/api/auth/sign-in").replace(
        b"Length", b"Type: application/json\r\nContent-Length"
    )
    heads = [b"GET /api/v1/os HTTP/1.1\r\nHost: 127.0.0.1\r\n", wrong, sign_in, b"G"]
    with contextlib.ExitStack() as sockets:
        for _ in range(IDLE):
            sockets.enter_context(opened(server))
        slow = [
            sockets.enter_context(opened(server, heads[number % len(heads)]))
            for number in range(SLOW)
        ]

        def drip(number: int) -> None:
            for each in slow[number % 20 :: 20]:
                with contextlib.suppress(OSError):  # it had to make way
                    each.sendall(b"a")

        found = [p99_of(server, on_one=on_one, beside=drip) for on_one in (True, False)]
    assert max(found) < MOST_MS, found
    assert server.process.poll() is None


def test_a_head_of_16_mb_holds_nobody_up(server: Server) -> None:
    part = b"a" * (1 << 20)
    with opened(server, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ") as endless:

        def more(number: int) -> None:
            if number < 16:
                with contextlib.suppress(OSError):
                    endless.sendall(part)

        assert p99_of(server, on_one=True, beside=more) < MOST_MS
    with opened(server, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: " + b"a" * 70_000) as refused:
        assert refused.recv(100).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    ("limit", "most", "room"),
    [
        ((300, 300), 1000, 150),
        ((1024, 1024), 1000, 824),
        ((100, 5000), 1000, 1000),
        ((9999, 9999), 50, 50),
    ],
)
def test_a_low_limit_of_descriptors_is_raised_or_leaves_room_for_files(
    monkeypatch: pytest.MonkeyPatch, limit: tuple[int, int], most: int, room: int
) -> None:
    held = [limit]
    monkeypatch.setattr(resource, "getrlimit", lambda _: held[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: held.append(wanted))
    assert server_command.connection_limit(most) == room
    assert held[-1] == (min(limit[1], max(limit[0], most + 2048 + 200)), limit[1])
