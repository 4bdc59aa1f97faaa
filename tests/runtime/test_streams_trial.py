"""Streams of a server in a process of its own: many at once, and one whose server is killed."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.runtime.streams_trial import OpenStream, measure, registered, telling

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]


async def test_every_stream_of_an_endpoint_is_told_once_and_soon() -> None:
    found = await measure(streams=40, endpoints=20, told=20, idle=0.1)
    assert found["heard"] == 40
    assert found["p50Ms"] < 200
    assert found["kilobytesPerStream"] < 60


async def test_a_stream_goes_on_after_its_server_was_killed(tmp_path: Path) -> None:
    committed = []
    with telling(tmp_path) as server:
        endpoint, token = (await registered(server, 1))[0]
        first = OpenStream(endpoint)
        await first.open(server.port, token)
        listening = asyncio.create_task(first.listen())
        for number in range(40):
            server.tell(endpoint, number)
            if number < 20:
                committed.append((await asyncio.to_thread(server.said))["number"])
        server.process.kill()
        await listening
    first.close()
    with telling(tmp_path) as server:
        # what was told as committed, and perhaps more that the killed server could not say
        second = OpenStream(endpoint)
        await second.open(server.port, token, first.cursor)
        listening = asyncio.create_task(second.listen())
        server.tell(endpoint, 99)
        await asyncio.to_thread(server.said)
        for _ in range(200):
            if 99 in second.numbers:
                break
            await asyncio.sleep(0.02)
        second.close()
        await listening
    heard = first.numbers + second.numbers
    assert len(heard) == len(set(heard))
    assert heard == sorted(heard)
    assert set(committed) <= set(heard)
    assert heard[-1] == 99
    assert heard[:-1] == list(range(len(heard) - 1))
