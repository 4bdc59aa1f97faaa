"""A receiver of webhooks: it answers as a test says, and keeps what it was sent."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

import msgspec
from standardwebhooks import Webhook

from tests.support.answering import answering


class Sent(NamedTuple):
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> Any:
        return msgspec.json.decode(self.body)

    def verify(self, secret: str) -> Any:
        """Give the event, once the official library has verified the signature."""
        return Webhook(secret).verify(self.body, self.headers)


class Answer(NamedTuple):
    """How a receiver answers; `hang`: never. `seconds`: after a while."""

    status: int = 204
    headers: tuple[tuple[str, str], ...] = ()
    hang: bool = False
    seconds: float = 0.0
    body: bytes = b""


class Receiver:
    """Answers what `answer` says for a request."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.answer: Callable[[Sent], Answer] = lambda _: Answer()
        self.port = 0
        self.under_way = 0
        self.most_under_way = 0

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def answers(self, status: int, *, hang: bool = False, **headers: str) -> None:
        """Answer everything so."""
        given = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        self.answer = lambda _: Answer(status, given, hang)

    def types(self) -> list[str]:
        return [one.event["type"] for one in self.sent]

    async def wait_for(self, number: int, seconds: float = 30.0) -> list[Sent]:
        """Wait until so many requests have come, and give all."""
        await until(lambda: len(self.sent) >= number, seconds)
        return self.sent

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await self._serve(reader, writer)
        finally:
            self.under_way -= 1

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        body = await reader.readexactly(int(headers["content-length"]))
        sent = Sent(first.split(" ")[1], headers, body, time.monotonic())
        self.sent.append(sent)
        answer = self.answer(sent)
        if answer.hang:
            await reader.read()
            return
        if answer.seconds:
            await asyncio.sleep(answer.seconds)
        more = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
        head = f"HTTP/1.1 {answer.status} X\r\nContent-Length: {len(answer.body)}\r\n{more}\r\n"
        writer.write(head.encode() + answer.body)
        await writer.drain()


@contextlib.asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    """Serve one for as long as the block runs."""
    made = Receiver()
    async with answering(made.serve) as made.port:
        yield made


async def until(holds: Callable[[], Any], seconds: float = 5.0, *, every: float = 0.002) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        await asyncio.sleep(every)
