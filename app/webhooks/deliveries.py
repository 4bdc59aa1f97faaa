"""What was sent by a webhook: the list, another try by hand, and the end of old rows."""

from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import HOUR, operation
from app.core.schema import Id, Most, Record
from app.webhooks import delivery_rows, hook_rows
from app.webhooks.delivery_rows import Delivery
from app.webhooks.sender import WebhookSender
from app.webhooks.webhooks import DeliveryAnswer


class DeliveryList(Record):
    deliveries: list[Delivery]


class Swept(Record):
    deliveries: int


@operation("GET /webhooks/{id}/deliveries", scope="webhooks:manage")
def list_webhook_deliveries(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    status: delivery_rows.Status | None = None,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    before: Id | None = None,
) -> DeliveryList:
    """List what a webhook has sent or will send, newest first; `before` is the id of a delivery."""
    hook_rows.require_own(tx, me, id)
    return DeliveryList(delivery_rows.page(tx, id, status=status, before=before, limit=limit))


@operation("POST /webhooks/{id}/deliveries/{deliveryId}/retry", scope="webhooks:manage")
async def retry_webhook_delivery(
    app: App, me: Caller, *, id: Id, delivery_id: Id
) -> DeliveryAnswer:
    """Send a delivery again now, under the same event id, and say how that went.

    One that was still pending keeps its place in the table of retries.
    """
    await app.write(_lend, me, id, delivery_id)
    await app.part(WebhookSender).send_by_hand(id, delivery_id)
    return DeliveryAnswer(await app.read(delivery_rows.require, delivery_id))


@operation("COMMAND", every=HOUR)
def sweep_webhook_deliveries(tx: Tx, me: Caller) -> Swept:
    """Delete deliveries of more than 30 days ago, and secrets that sign no more."""
    hook_rows.sweep_secrets(tx)
    delivery_rows.mend_dues(tx)
    return Swept(delivery_rows.sweep(tx))


def _lend(tx: Tx, me: Caller, id_: int, delivery: int) -> None:
    hook_rows.require_own(tx, me, id_)
    delivery_rows.lend_to_hand(tx, id_, delivery)
