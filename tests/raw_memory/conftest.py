"""A user with a device of raw memory."""

import pytest

from tests.conftest import Client
from tests.support.raw_records import RawDevice


@pytest.fixture
async def device(alice: Client) -> RawDevice:
    """A device of Alice's with the first account key."""
    device = await RawDevice().add(alice)
    await alice.ok("PUT", "/raw-memory/keys", json=device.keys())
    return device
