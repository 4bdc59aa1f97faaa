"""A provider of language models on this machine.

It speaks the OpenAI wire, says what its script says, and keeps what it was asked.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any, NamedTuple

from tests.support.answering import answering


class Reply(NamedTuple):
    """One HTTP answer: its status, its body in pieces, and whether the connection is broken off
    after them.
    """

    status: int = 200
    pieces: tuple[bytes, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    broken: bool = False
    hangs: bool = False


class Asked(NamedTuple):
    """What a client sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


def chunk(delta: dict[str, Any], *, finish: str | None = None) -> bytes:
    """One event of a streamed answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return (
        b"data: "
        + json.dumps(
            {
                "id": "c1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [choice],
            }
        ).encode()
        + b"\n\n"
    )


def ended(finish: str = "stop") -> bytes:
    """The end of a streamed answer, with the tokens it took."""
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    last = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [],
        "usage": usage,
    }
    return (
        chunk({}, finish=finish) + b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"
    )


def says(*texts: str) -> Reply:
    """An answer in text."""
    return Reply(
        pieces=(*(chunk({"role": "assistant", "content": text}) for text in texts), ended())
    )


def calls(*made: tuple[str, Any]) -> Reply:
    """An answer that calls tools.

    Arguments that are no text are sent as JSON, in two pieces as servers do.
    """
    pieces = []
    for place, (name, given) in enumerate(made):
        text = given if isinstance(given, str) else json.dumps(given)
        head = {
            "index": place,
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": text[:3]},
        }
        pieces.append(chunk({"role": "assistant", "tool_calls": [head]}))
        pieces.append(
            chunk({"tool_calls": [{"index": place, "function": {"arguments": text[3:]}}]})
        )
    return Reply(pieces=(*pieces, ended("tool_calls")))


def whole(text: str | None = None, *, call: tuple[str, Any] | None = None) -> Reply:
    """An answer that is not streamed, in text or with a call."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call is not None:
        message["tool_calls"] = [
            {
                "id": "c",
                "type": "function",
                "function": {"name": call[0], "arguments": json.dumps(call[1])},
            }
        ]
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
    return plain(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "usage": usage,
            "choices": [choice],
        }
    )


def refuses(
    status: int, message: str = "no", *, retry_after: str | None = None, **more: Any
) -> Reply:
    """A refusal as OpenAI words them."""
    body = json.dumps(
        {"error": {"message": message, "type": "error", "code": status, **more}}
    ).encode()
    return Reply(
        status, (body,), (("Retry-After", retry_after),) if retry_after is not None else ()
    )


def plain(value: Any, status: int = 200) -> Reply:
    """An answer in JSON."""
    return Reply(status, (json.dumps(value).encode(),))


class FakeProvider:
    """The server; `script` holds its answers to chats in order, the last one for all that come
    later, `pages` those to other paths.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.script: list[Reply] = [says("Hello.")]
        self.pages: dict[str, Reply] = {
            "/v1/models": plain({"object": "list", "data": [{"id": "tiny", "object": "model"}]})
        }
        self.asked: list[Asked] = []

    @property
    def chats(self) -> list[Any]:
        """The bodies of the chats that it was asked for."""
        return [asked.body for asked in self.asked if _is_chat(asked)]

    def tools(self, place: int = -1) -> list[str]:
        """The names of the tools it was offered."""
        return [tool["function"]["name"] for tool in self.chats[place].get("tools", ())]

    def answers(self, *replies: Reply) -> None:
        """Give the script."""
        self.script = list(replies)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, which carries one request."""
        reply = self._reply(await _request(reader))
        kind = (
            "text/event-stream"
            if reply.pieces and reply.pieces[0].startswith((b"data:", b"event:"))
            else "application/json"
        )
        head = [
            f"HTTP/1.1 {reply.status} X",
            f"Content-Type: {kind}",
            "Transfer-Encoding: chunked",
            "Connection: close",
        ]
        writer.write(
            "\r\n".join(
                [*head, *(f"{name}: {value}" for name, value in reply.headers), "", ""]
            ).encode()
        )
        for piece in reply.pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if reply.hangs:
            await reader.read()
        elif reply.broken:
            writer.transport.abort()
        else:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    def _reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if not _is_chat(asked):
            return self.pages.get(asked.path, refuses(404, "no such page"))
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def _is_chat(asked: Asked) -> bool:
    return asked.path.partition("?")[0].endswith(
        ("/chat/completions", "/messages", ":streamGenerateContent")
    )


async def _request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = dict(_headers(head[1:]))
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(body) if body else None)


def _headers(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            yield name.lower(), value.strip()


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[FakeProvider]:
    """A provider on a free port."""
    held: list[FakeProvider] = []
    async with answering(lambda reader, writer: held[0].handle(reader, writer)) as port:
        held.append(FakeProvider(port))
        yield held[0]
