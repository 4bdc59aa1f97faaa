"""A provider that falls silent: the turn is over when it has lasted as long as a turn may."""

import pytest

from app.settings import Settings
from tests.conftest import Client, Served
from tests.wire.broken import BEGINNINGS, BEGUN, SILENCE, broken, streamed
from tests.wire.talking import ask, configure

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings() -> Settings:
    return Settings(durability="normal", rate_limit=0, failed_limit=0, turn_seconds=3)


@pytest.mark.parametrize(
    ("provider", "started"), [*((wire, True) for wire in BEGINNINGS), ("openai", False)]
)
async def test_a_provider_that_falls_silent_is_left_and_the_connection_is_closed(
    served: Served, alice: Client, provider: str, started: bool
) -> None:
    answer = streamed(provider, SILENCE) if started else SILENCE
    async with broken(answer) as there:
        await configure(served, provider, there.url)
        heard = await ask(served, alice, "hello")
        await there.left.wait()  # the connection was closed, so that the provider can stop too
    assert heard.text == (BEGUN if started else "")
    assert [event["error"] for event in heard.errors] == ["unavailable"]
