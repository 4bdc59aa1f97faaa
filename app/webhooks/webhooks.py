"""The webhooks of a user: adding, changing, testing and removing them."""

import sqlite3
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.schema import Id, Line, Record
from app.core.web import service_addresses
from app.core.web.addresses import LONGEST_URL
from app.errors import Invalid
from app.webhooks import delivery_rows, hook_rows, outbox, signatures
from app.webhooks.delivery_rows import Delivery
from app.webhooks.event_types import EVENTS, EventType
from app.webhooks.sender import WebhookSender, purpose

Url = Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]
Events = Annotated[
    list[EventType | Literal["*"]],
    Meta(min_length=1, max_length=50, description="types of events, or * for all of them"),
]
Description = Annotated[str, Line(0, 200)]
REFUSES = {"url": "it is not https, holds a user name or a password, or must not be asked"}


class Webhook(Record):
    """Where events are sent, and how that goes.

    `disabledReason`: the receiver has said 410 (`gone`), or has failed for days (`failing`).
    """

    id: int
    url: str
    description: str
    events: list[str]
    status: hook_rows.Status
    disabled_reason: hook_rows.Reason | None
    consecutive_failures: int
    last_success_at: str | None
    last_failure_at: str | None
    created_at: str
    updated_at: str


class WebhookList(Record):
    webhooks: list[Webhook]


class WebhookAnswer(Record):
    webhook: Webhook


class WebhookAdded(Record):
    """A new webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str


class WebhookSecret(Record):
    secret: str


class DeliveryAnswer(Record):
    delivery: Delivery


class EventTypeRow(Record):
    type: EventType
    description: str


class EventTypeList(Record):
    event_types: list[EventTypeRow]


@operation("GET /webhooks", scope="webhooks:manage")
def list_webhooks(tx: Tx, me: Caller) -> WebhookList:
    """List the caller's webhooks, the oldest first."""
    return WebhookList([_webhook(row) for row in hook_rows.own_hooks(tx, me)])


@operation("POST /webhooks", scope="webhooks:manage", http=Http(status=201, refuses=REFUSES))
async def add_webhook(
    app: App, me: Caller, *, url: Url, events: Events, description: Description = ""
) -> WebhookAdded:
    """Send events to an address from now on.

    The secret that comes back signs every request, and is shown this once.
    """
    checked = service_addresses.check_address(app.settings, url, field="url")
    secret = signatures.new_secret()
    row = await app.write(
        hook_rows.insert,
        me,
        url=checked,
        description=description,
        events=events,
        sealed=app.seal.seal(secret, purpose(me.user)),
    )
    return WebhookAdded(_webhook(row), secret)


@operation("GET /webhooks/event-types", scope="webhooks:manage")
def list_webhook_event_types(tx: Tx, me: Caller) -> EventTypeList:
    """List the types of events that webhooks tell of."""
    return EventTypeList([EventTypeRow(type_, about[0]) for type_, about in EVENTS.items()])


@operation("GET /webhooks/{id}", scope="webhooks:manage")
def get_webhook(tx: Tx, me: Caller, *, id: Id) -> WebhookAnswer:
    """Read one webhook."""
    return WebhookAnswer(_webhook(hook_rows.require_own(tx, me, id)))


@operation(
    "PATCH /webhooks/{id}",
    scope="webhooks:manage",
    http=Http(refuses={**REFUSES, "*": "nothing is given to change"}),
)
def change_webhook(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    url: Url | None = None,
    events: Events | None = None,
    description: Description | None = None,
    status: Literal["active", "paused"] | None = None,
) -> WebhookAnswer:
    """Change a webhook, pause it, or let it go on.

    What happens while it is paused waits, and is sent when it goes on.
    """
    if (url, events, description, status) == (None, None, None, None):
        raise Invalid("Give url, events, description or status.", field="url")
    hook_rows.require_own(tx, me, id)
    checked = (
        None if url is None else service_addresses.check_address(tx.settings, url, field="url")
    )
    hook_rows.change(tx, id, url=checked, events=events, description=description)
    if status is not None:
        hook_rows.set_status(tx, id, status)
    tx.emit(delivery_rows.DUE, webhooks=[id])
    return WebhookAnswer(_webhook(hook_rows.require_own(tx, me, id)))


@operation("DELETE /webhooks/{id}", scope="webhooks:manage")
def remove_webhook(tx: Tx, me: Caller, *, id: Id) -> Record:
    """Remove a webhook; nothing that waits for it is sent any more."""
    hook_rows.require_own(tx, me, id)
    hook_rows.remove(tx, id)
    return Record()


@operation("POST /webhooks/{id}/rotate-secret", scope="webhooks:manage")
async def rotate_webhook_secret(app: App, me: Caller, *, id: Id) -> WebhookSecret:
    """Make another secret for a webhook; for 24 hours the former one signs too."""
    secret = signatures.new_secret()
    sealed = app.seal.seal(secret, purpose(me.user))
    await app.write(_rotate, me, id, sealed)
    return WebhookSecret(secret)


@operation("POST /webhooks/{id}/test", scope="webhooks:manage")
async def test_webhook(app: App, me: Caller, *, id: Id) -> DeliveryAnswer:
    """Send an event of the type webhook.test now, and say how that went.

    It is sent once, also by a webhook that is paused or disabled.
    """
    delivery = await app.write(_add_test, me, id)
    await app.part(WebhookSender).send_by_hand(id, delivery)
    return DeliveryAnswer(await app.read(delivery_rows.require, delivery))


def _rotate(tx: Tx, me: Caller, id_: int, sealed: bytes) -> None:
    hook_rows.require_own(tx, me, id_)
    hook_rows.rotate_secret(tx, id_, sealed)


def _add_test(tx: Tx, me: Caller, id_: int) -> int:
    hook_rows.require_own(tx, me, id_)
    return outbox.add_test(tx, id_)


def _webhook(row: sqlite3.Row) -> Webhook:
    return copy_fields(
        Webhook,
        row,
        events=msgspec.json.decode(row["events"]),
        consecutive_failures=row["failures"],
    )
