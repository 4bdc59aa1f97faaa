"""API keys, and the applications that were let in."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import SCOPES
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.oauth import rights
from app.interfaces.pages.forms import form_of, value_of, values_of
from app.interfaces.pages.visit import Visit

KEYS = address_of("keys")
LIVES = ("never", "1y", "90d", "30d", "7d", "24h", "1h")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(KEYS, show),
        Route(KEYS, create, methods=["POST"]),
        Route(KEYS + "/{id}/rotate", rotate, methods=["POST"]),
        Route(KEYS + "/{id}/revoke", revoke, methods=["POST"]),
        Route(address_of("apps") + "/{id}/revoke", revoke_app, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """List keys and applications."""
    return await _shown(person)


async def _shown(person: Person, made: Any = None) -> Response:
    keys = (await person.call("list_keys")).keys
    return await show_section(
        person,
        "keys",
        keys=[key for key in keys if key.revoked_at is None],
        apps=[_app(person, grant) for grant in (await person.call("list_grants")).grants],
        scopes=SCOPES,
        lives=LIVES,
        made=made,
        origin=person.visit.origin,
    )


def _app(person: Person, grant: Any) -> dict[str, Any]:
    groups = rights.groups_of(grant.scopes)
    return {"grant": grant, "rights": ", ".join(person.words(group.title) for group in groups)}


@for_person
async def create(visit: Visit, person: Person) -> Response:
    """Make a key, and show its secret this once."""
    form = await form_of(visit)
    scopes = values_of(form, "scope")
    made = await person.call(
        "create_key",
        name=value_of(form, "name"),
        expiresIn=value_of(form, "expiresIn"),
        **({"scopes": scopes} if scopes else {}),
    )
    return await _shown(person, made)


@for_person
async def rotate(visit: Visit, person: Person) -> Response:
    """Give a key a new secret, and show it this once."""
    return await _shown(person, await person.call("rotate_key", id=visit.number_in_path()))


@for_person
async def revoke(visit: Visit, person: Person) -> Response:
    """End a key."""
    await person.call("revoke_key", id=visit.number_in_path())
    return see(KEYS, did="key_revoked")


@for_person
async def revoke_app(visit: Visit, person: Person) -> Response:
    """End what an application may do."""
    await person.call("revoke_grant", id=visit.number_in_path())
    return see(f"{KEYS}#apps", did="app_revoked")
