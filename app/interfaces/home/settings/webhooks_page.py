"""Webhooks: where events are sent, and what came of each."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.forms import form_of, value_of, values_of
from app.interfaces.pages.visit import Visit

WEBHOOKS = address_of("webhooks")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(WEBHOOKS, show),
        Route(WEBHOOKS, add, methods=["POST"]),
        Route(WEBHOOKS + "/{id}", one),
        Route(WEBHOOKS + "/{id}/test", test, methods=["POST"]),
        Route(WEBHOOKS + "/{id}/status", change, methods=["POST"]),
        Route(WEBHOOKS + "/{id}/rotate", rotate, methods=["POST"]),
        Route(WEBHOOKS + "/{id}/remove", remove, methods=["POST"]),
        Route(WEBHOOKS + "/{id}/retry/{delivery}", retry, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List the webhooks."""
    return await show_section(
        person,
        "webhooks",
        webhooks=(await person.call("list_webhooks")).webhooks,
        types=(await person.call("list_webhook_event_types")).event_types,
    )


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Add a webhook, and show its secret this once."""
    form = await form_of(visit)
    made = await person.call(
        "add_webhook",
        url=value_of(form, "url"),
        events=values_of(form, "event") or ["*"],
        description=value_of(form, "description"),
    )
    return await _one(person, made.webhook.id, secret=made.secret)


@for_person
async def one(visit: Visit, person: Person) -> Response:
    """Show a webhook and its deliveries."""
    return await _one(person, visit.number_in_path())


async def _one(person: Person, id_: int, **values: Any) -> Response:
    return await show_section(
        person,
        "webhook",
        webhook=(await person.call("get_webhook", id=id_)).webhook,
        deliveries=(await person.call("list_webhook_deliveries", id=id_, limit=50)).deliveries,
        **{"secret": "", **values},
    )


@for_person
async def test(visit: Visit, person: Person) -> Response:
    """Send a test, and show what came of it."""
    await person.call("test_webhook", id=visit.number_in_path())
    return see(f"{WEBHOOKS}/{visit.number_in_path()}", did="webhook_tested")


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Pause a webhook, or let it go on."""
    status = value_of(await form_of(visit), "status")
    await person.call("change_webhook", id=visit.number_in_path(), status=status)
    return see(f"{WEBHOOKS}/{visit.number_in_path()}", did="saved")


@for_person
async def rotate(visit: Visit, person: Person) -> Response:
    """Give a webhook a new secret, and show it this once."""
    made = await person.call("rotate_webhook_secret", id=visit.number_in_path())
    return await _one(person, visit.number_in_path(), secret=made.secret)


@for_person
async def remove(visit: Visit, person: Person) -> Response:
    """Remove a webhook."""
    await person.call("remove_webhook", id=visit.number_in_path())
    return see(WEBHOOKS, did="webhook_removed")


@for_person
async def retry(visit: Visit, person: Person) -> Response:
    """Send a delivery again."""
    id_ = visit.number_in_path()
    delivery = visit.number_in_path("delivery")
    await person.call("retry_webhook_delivery", id=id_, deliveryId=delivery)
    return see(f"{WEBHOOKS}/{id_}", did="webhook_retried")
