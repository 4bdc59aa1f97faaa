"""A page of the settings, with the list of all of them beside it."""

from typing import Any

from starlette.responses import Response

from app.interfaces.home.home_page import Person

SETTINGS = "/settings"
SECTIONS = ("account", "keys", "devices", "tools", "models", "webhooks", "agents", "data", "usage")


async def show_section(
    person: Person, name: str, /, *, status: int = 200, **values: Any
) -> Response:
    """Return the page of a section."""
    return await person.show(
        f"settings/{name}",
        place="settings",
        status=status,
        sections=SECTIONS,
        section=name,
        **values,
    )


def address_of(name: str) -> str:
    """Return where a section stands."""
    return SETTINGS if name == "account" else f"{SETTINGS}/{name}"
