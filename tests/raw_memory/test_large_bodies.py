"""Bodies too large for many at once: they wait in files, one is in memory, and none is left."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core.database.data_dir import SPOOL
from app.interfaces.wire import large_bodies
from tests.conftest import Client, Served
from tests.support.raw_records import RawDevice

pytestmark = pytest.mark.anyio
RECORDS = "/raw-memory/records"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a body of a few KiB be a large one."""
    monkeypatch.setattr(large_bodies, "LARGE_BODY", 4096)


def spooled(served: Served) -> list[Path]:
    return list((served.parts.store.path.parent / SPOOL).glob("*"))


def body_of(device: RawDevice, size: int = 8192) -> bytes:
    return json.dumps({"records": [device.seal(b"\0" * size)]}).encode()


async def test_a_large_body_is_taken_and_no_file_is_left(
    served: Served, alice: Client, device: RawDevice
) -> None:
    made = await alice.ok("POST", RECORDS, content=body_of(device))
    assert made["created"] == 1
    assert spooled(served) == []


async def test_a_large_body_of_unknown_size_is_taken_too(
    served: Served, alice: Client, device: RawDevice
) -> None:
    async def parts() -> AsyncIterator[bytes]:
        whole = body_of(device)
        for start in range(0, len(whole), 1000):
            yield whole[start : start + 1000]

    made = await alice.ok("POST", RECORDS, content=parts())
    assert made["created"] == 1
    object.__setattr__(served.parts.settings, "max_raw_memory_body", 6000)
    await alice.refused("POST", RECORDS, 413, "payload_too_large", content=parts())
    assert spooled(served) == []


@pytest.mark.parametrize("body", [b"{" * 5000, b"\xff" * 5000, b"[" + b" " * 5000 + b"]"])
async def test_a_large_body_that_is_no_json_is_refused(
    served: Served, alice: Client, body: bytes
) -> None:
    await alice.refused("POST", RECORDS, 400, "invalid_request", content=body)
    assert spooled(served) == []


async def test_whoever_may_not_store_sends_no_body(
    served: Served, alice: Client, device: RawDevice
) -> None:
    async with served.client(await served.key("alice", ["raw.memory:read"])) as client:
        await client.refused("POST", RECORDS, 403, "insufficient_scope", content=body_of(device))
    assert spooled(served) == []


async def test_a_slow_sender_holds_up_nobody_and_one_that_leaves_leaves_nothing(
    served: Served, alice: Client, device: RawDevice
) -> None:
    whole, began, leave = body_of(device), asyncio.Event(), asyncio.Event()
    sent: list[Any] = []
    waiting = iter([{"type": "http.request", "body": whole[:5000], "more_body": True}])

    async def receive() -> Any:
        for message in waiting:
            return message
        began.set()
        await leave.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/api/v1{RECORDS}",
        "query_string": b"",
        "scheme": "http",
        "client": ("127.0.0.1", 1),
        "headers": [
            (b"host", b"127.0.0.1:8765"),
            (b"authorization", alice.headers["authorization"].encode()),
            (b"content-length", b"%d" % len(whole)),
        ],
    }
    slow = asyncio.create_task(served.asgi(scope, receive, send))
    await began.wait()
    assert len(spooled(served)) == 1
    assert (await alice.ok("POST", RECORDS, content=body_of(device)))["created"] == 1
    leave.set()
    await slow
    assert sent == []
    assert spooled(served) == []
    assert (await alice.ok("GET", "/raw-memory/usage"))["records"] == 1
