"""Asking the server below the level of an HTTP client.

As the raw messages of ASGI, and what the database holds.
"""

import dataclasses
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from app.core.database.tx import Tx
from tests.conftest import Served

Message = dict[str, Any]


@dataclasses.dataclass
class Answer:
    """What came back."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def error(self) -> Any:
        return json.loads(self.body)["error"]

    def header(self, name: str) -> str | None:
        return next(
            (value.decode("latin-1") for key, value in self.headers if key.decode() == name), None
        )


def request(
    method: str,
    path: str,
    headers: Iterable[tuple[str, str]] = (),
    *,
    query: bytes = b"",
    base: str = "/api/v1",
    **more: Any,
) -> Message:
    """Give the scope of a request from this machine; `path` as the server decodes it."""
    names = {name.lower() for name, _ in headers}
    given = [*headers, *([] if "host" in names else [("host", "127.0.0.1:8765")])]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": base + path,
        "raw_path": (base + path).encode(),
        "query_string": query,
        "root_path": "",
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8765),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in given
            if value is not None
        ],
    }
    return {**scope, **more}


async def exchange(
    served: Served,
    scope: Message,
    messages: Iterable[Message] | Callable[[], Awaitable[Message]] = (),
) -> Answer | None:
    """Send the messages and give the answer; None when there was none.

    After the last message the client is gone.
    """
    if callable(messages):
        receive = messages
    else:
        waiting = iter(messages or [{"type": "http.request", "body": b""}])

        async def receive() -> Message:
            return next(waiting, {"type": "http.disconnect"})

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await served.asgi(scope, receive, send)
    if not sent:
        return None
    assert sent[0]["type"] == "http.response.start"
    assert [message["type"] for message in sent[1:]] == ["http.response.body"] * (len(sent) - 1)
    return Answer(
        sent[0]["status"],
        list(sent[0]["headers"]),
        b"".join(message.get("body", b"") for message in sent[1:]),
    )


def chunks(*parts: bytes) -> list[Message]:
    """Give a body that arrives in these parts."""
    return [
        {"type": "http.request", "body": part, "more_body": number < len(parts) - 1}
        for number, part in enumerate(parts)
    ]


MADE_LATER = (
    "waiting_",
    "word_owners",
    "embedding_models",
    "note_passages",
    "note_words",
    "note_grams",
    "name_",
    "unread_links",
    "episode_",
)
"""What the tables begin with that background work writes, whenever it comes to it."""


async def held(served: Served) -> dict[str, list[tuple[Any, ...]]]:
    """Give every row of every table, but for those of the indexes, which are tended whenever
    nobody writes.
    """
    return await served.parts.read(_everything)


def _everything(tx: Tx) -> dict[str, list[tuple[Any, ...]]]:
    tables = [
        row[0]
        for row in tx.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    kept = [table for table in tables if not table.startswith((*MADE_LATER, "word_", "tag_names"))]
    return {table: [tuple(row) for row in tx.all(f"SELECT * FROM {table}")] for table in kept}
