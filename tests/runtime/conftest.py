"""What the tests of runtimes share."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Client, Served
from tests.runtime.pairs import Pair, sides


@pytest.fixture
async def strangers(served: Served, alice: Client, bob: Client) -> AsyncIterator[Pair]:
    """Alice and Bob with a device each, who do not know each other."""
    async with sides(served, alice, "alice") as one, sides(served, bob, "bob") as other:
        yield Pair(served, one, other)


@pytest.fixture
async def pair(strangers: Pair) -> Pair:
    """Alice and Bob, who are contacts."""
    await strangers.served.command("connect_users", username="alice", contact="bob")
    return strangers


@pytest.fixture
async def carol(served: Served) -> AsyncIterator[Client]:
    """A third user."""
    client = await served.person("carol")
    yield client
    await client.aclose()
