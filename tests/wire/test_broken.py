"""Providers that answer garbage or break off in the middle, on every wire."""

from typing import Any

import pytest

from app.settings import Settings
from tests.conftest import Client, Served
from tests.wire.broken import BEGINNINGS, BEGUN, ENDINGS, PAGES, broken, streamed
from tests.wire.talking import ask, configure

pytestmark = pytest.mark.anyio
every_wire = pytest.mark.parametrize("provider", BEGINNINGS)


@pytest.fixture
def settings() -> Settings:
    return Settings(durability="normal", rate_limit=0, failed_limit=0)


@every_wire
@pytest.mark.parametrize("ending", ENDINGS)
async def test_the_beginning_of_an_answer_is_kept_and_its_end_is_told_as_an_error(
    served: Served, alice: Client, provider: str, ending: str
) -> None:
    async with broken(streamed(provider, ENDINGS[ending])) as there:
        await configure(served, provider, there.url)
        heard = await ask(served, alice, "hello")
        assert heard.text == BEGUN
        assert [event["error"] for event in heard.errors] == ["unavailable"]
        assert heard.told["model"] == "fragile"
        await ask(served, alice, "hello again", conversationId=heard.told["conversationId"])
        assert there.requests == 2


@every_wire
@pytest.mark.parametrize("page", PAGES)
async def test_the_rules_answer_where_there_is_no_answer_at_all(
    served: Served, alice: Client, provider: str, page: str
) -> None:
    async with broken(PAGES[page]) as there:
        await configure(served, provider, there.url)
        heard = await ask(served, alice, "hello")
    assert heard.text
    assert heard.errors == []
    assert (heard.told["model"], heard.told["fallback"]["model"]) == ("offline", "fragile")
    assert there.requests <= 3


async def test_nothing_that_listens_is_answered_for_by_the_rules(
    served: Served, alice: Client, unused_port: int
) -> None:
    await configure(served, "compatible", f"http://127.0.0.1:{unused_port}")
    heard = await ask(served, alice, "hello")
    assert heard.text
    told: dict[str, Any] = heard.told
    assert "cannot be reached" in told["fallback"]["reason"]


@pytest.fixture
async def unused_port() -> int:
    """A port on which something has just stopped listening."""
    async with broken(b"") as there:
        return int(there.url.rpartition(":")[2])
