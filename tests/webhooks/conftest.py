"""What the tests of webhooks share: a receiver, and a webhook that leads to it."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from app.webhooks.sender import WebhookSender
from tests.conftest import Client, MovableClock, Served
from tests.support.receivers import Receiver, receiver, until


@pytest.fixture
async def there() -> AsyncIterator[Receiver]:
    async with receiver() as made:
        yield made


class Hook:
    """A webhook of somebody's, with what a test asks of it."""

    def __init__(self, served: Served, owner: Client, made: dict[str, Any]) -> None:
        self.served = served
        self.owner = owner
        self.id = made["webhook"]["id"]
        self.secret = made["secret"]

    async def row(self) -> Any:
        return (await self.owner.ok("GET", f"/webhooks/{self.id}"))["webhook"]

    async def deliveries(self, **query: Any) -> list[Any]:
        path = f"/webhooks/{self.id}/deliveries"
        found: list[Any] = (await self.owner.ok("GET", path, params=query))["deliveries"]
        return found

    async def change(self, **fields: Any) -> Any:
        return (await self.owner.ok("PATCH", f"/webhooks/{self.id}", json=fields))["webhook"]

    async def test(self) -> Any:
        return (await self.owner.ok("POST", f"/webhooks/{self.id}/test"))["delivery"]

    async def settled(self, attempts: int, delivery: int | None = None) -> Any:
        """Wait until a delivery, the newest or the one named, has been tried so often."""

        def tried() -> bool:
            return len(self._attempts(delivery)) >= attempts

        await until(tried)
        found = await self.deliveries(limit=200)
        return next(one for one in found if delivery in (None, one["id"]))

    def _attempts(self, delivery: int | None) -> list[Any]:
        text = self.served.parts.quick(
            lambda tx: tx.value(
                """SELECT attempts FROM webhook_deliveries WHERE webhook_id = :hook
                   AND ifnull(:id, id) = id ORDER BY id DESC LIMIT 1""",
                hook=self.id,
                id=delivery,
            )
        )
        return [] if text is None else list(msgspec.json.decode(text))

    def move(self, clock: MovableClock, **by: float) -> None:
        """Let time pass, and the sender notice it as it does when its own timer rings."""
        clock.forward(**by)
        self.served.parts.part(WebhookSender).note_due([self.id])


async def hooked(served: Served, owner: Client, url: str, *events: str) -> Hook:
    """Make a webhook, for all events unless some are named."""
    body = {"url": url, "events": list(events) or ["*"]}
    return Hook(served, owner, await owner.ok("POST", "/webhooks", status=201, json=body))


@pytest.fixture
async def hook(served: Served, alice: Client, there: Receiver) -> Hook:
    """A webhook of alice's for everything."""
    return await hooked(served, alice, there.url())
