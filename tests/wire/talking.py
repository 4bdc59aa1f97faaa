"""Talking with the agent over the wire, and what must be true of every turn however it ended."""

import asyncio
import dataclasses
import json
from typing import Any

from tests.conftest import Client, Served
from tests.wire.replies import KEY


@dataclasses.dataclass
class Heard:
    """The events of one turn."""

    events: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """Everything that was said."""
        return "".join(event.get("textDelta", "") for event in self.events)

    @property
    def told(self) -> dict[str, Any]:
        """The metadata of the completion."""
        found: dict[str, Any] = self.events[-1]["metadata"]
        return found

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.of("error")

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Give the events of one type."""
        return [event for event in self.events if event["type"] == kind]


async def configure(served: Served, provider: str, url: str) -> None:
    """Make the provider at `url` the default."""
    await served.command("add_model", name="fragile", provider=provider, url=url, secret=KEY)


async def ask(served: Served, client: Client, message: str, **more: Any) -> Heard:
    """Give the turn that answers `message`, after looking that it ended as every turn must end."""
    response = await client.post("/chat", json={"message": message, **more}, timeout=60)
    assert response.status_code == 200, response.text
    heard = Heard([json.loads(line) for line in response.text.splitlines()])
    await ended_well(served, client, heard)
    return heard


async def ended_well(served: Served, client: Client, heard: Heard) -> None:
    """Look that a turn told one completion last, at most one error before it, nothing of the
    provider's key, and is stored as it was told.
    """
    assert KEY not in json.dumps(heard.events)
    kinds = [event["type"] for event in heard.events]
    assert kinds.count("completion") == 1
    assert kinds[-1] == "completion"
    assert "error" not in kinds[:-2]
    assert heard.told["totalTokens"] == heard.told["promptTokens"] + heard.told["completionTokens"]
    stored = (await client.ok("GET", f"/conversations/{heard.told['conversationId']}"))["messages"]
    assert [message["role"] for message in stored[-2:]] == ["user", "assistant"]
    assert stored[-1]["id"] == heard.told["messageId"]
    assert stored[-1]["content"] == (heard.text or heard.errors[0]["message"])
    assert status_of_last_turn(served) == ("failed" if heard.errors else "completed")
    assert (
        served.parts.quick(
            lambda tx: tx.value("SELECT count(*) FROM turns WHERE status = 'running'")
        )
        == 0
    )


def status_of_last_turn(served: Served) -> str:
    """Say how the newest turn ended."""
    return str(
        served.parts.quick(lambda tx: tx.value("SELECT status FROM turns ORDER BY id DESC LIMIT 1"))
    )


async def listened(
    served: Served, username: str, message: str, speaking: asyncio.Event, *, leaves: bool = False
) -> Heard:
    """Give a turn as `ask` does, without looking at how it ended.

    `speaking` is set as soon as the model has said something.

    Whoever `leaves` closes the connection at that moment, and has heard what came until then.
    """
    key = await served.key(username)
    body = json.dumps({"message": message}).encode()
    chunks: list[bytes] = []
    requests = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        request = next(requests, None)
        if request is None:
            await (speaking if leaves else asyncio.Event()).wait()
        return request or {"type": "http.disconnect"}

    async def send(sent: Any) -> None:
        chunks.append(sent.get("body", b""))
        if b"text-delta" in chunks[-1]:
            speaking.set()

    headers = [
        (b"host", b"127.0.0.1:8765"),
        (b"authorization", f"Bearer {key}".encode()),
        (b"content-length", b"%d" % len(body)),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/chat",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }
    await served.asgi({**scope, "scheme": "http"}, receive, send)
    return Heard([json.loads(line) for line in b"".join(chunks).splitlines()])
