"""A provider that breaks off.

It answers every request with the beginning of a good stream and then with whatever it was told.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from tests.support.answering import answering

BEGUN = "The tide was"
SEVERED = b"<the connection is reset>"
SILENCE = b"<nothing more ever comes>"


def _event(data: Any, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def _openai(text: str) -> bytes:
    return _event(
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {"content": text}}],
        }
    )


def _anthropic(text: str) -> bytes:
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    return (
        _event({"type": "message_start", "message": message}, "message_start")
        + _event(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            "content_block_start",
        )
        + _event(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": text},
            },
            "content_block_delta",
        )
    )


def _gemini(text: str) -> bytes:
    return _event(
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}],
            "modelVersion": "m",
        }
    )


BEGINNINGS = {"openai": _openai(BEGUN), "anthropic": _anthropic(BEGUN), "google": _gemini(BEGUN)}

ENDINGS: dict[str, bytes] = {
    "a reset connection": SEVERED,
    "an end without a word": b"",
    "half a line": b'data: {"id": "c1", "choi',
    "no JSON": _event("}{ this is not JSON ]["),
    "JSON of another shape": _event({"choices": 7, "type": 7, "candidates": 7}),
    "JSON that is no object": _event([1, 2, 3]) + _event("null") + _event('"text"'),
    "bytes that are no text": b"data: \xff\xfe\x00\x01\n\n",
    "an error of its own": _event(
        {
            "type": "error",
            "error": {
                "type": "overloaded_error",
                "message": "Bad luck, sk-of-the-provider.",
                "code": 500,
            },
        },
        "error",
    ),
}
"""What can follow a good beginning."""

PAGES: dict[str, bytes] = {
    "an empty answer": b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: "
    b"0\r\n\r\n",
    "a page of a proxy": b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: "
    b"24\r\n\r\n<h1>sk-of-the-provider.</",
    "a page with status 200": b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: "
    b"20\r\n\r\n<h1>Please log in</h1",
    "no HTTP": b"SSH-2.0-something\r\n",
    "a redirect to itself": b"HTTP/1.1 302 Found\r\nlocation: "
    b"/v1/chat/completions\r\ncontent-length: 0\r\n\r\n",
}
"""Whole answers that are none."""


class Broken:
    """The address of a provider that breaks off, and how many requests it got."""

    def __init__(self) -> None:
        self.url = ""
        self.requests = 0
        self.left = asyncio.Event()


@contextlib.asynccontextmanager
async def broken(answer: bytes) -> AsyncIterator[Broken]:
    """Serve `answer`, whole bytes of HTTP or what `streamed` gives, to every request."""
    here = Broken()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        lengths = (
            int(line.partition(":")[2])
            for line in head.splitlines()
            if line.startswith("content-length:")
        )
        await reader.readexactly(next(lengths, 0))
        here.requests += 1
        writer.write(answer.removesuffix(SEVERED).removesuffix(SILENCE))
        await writer.drain()
        if answer.endswith(SEVERED):
            await asyncio.sleep(0.05)
            writer.transport.abort()
        if answer.endswith(SILENCE):
            await reader.read()
            here.left.set()

    async with answering(handle) as port:
        here.url = f"http://127.0.0.1:{port}"
        yield here


def streamed(wire: str, ending: bytes) -> bytes:
    """Give a stream of that wire which begins well; it is over when the connection is."""
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        + BEGINNINGS[wire]
        + ending
    )
