"""A page of the settings, with the list of all of them beside it."""

from typing import Any

from starlette.responses import Response

from app.core.caller import OPERATOR
from app.errors import Forbidden
from app.interfaces.home.home_page import Person
from app.interfaces.pages.forms import number_of
from app.interfaces.pages.visit import Visit

SETTINGS = "/settings"
SECTIONS = ("account", "keys", "devices", "tools", "models", "webhooks", "agents", "data", "usage")


async def show_section(
    person: Person, name: str, /, *, status: int = 200, **values: Any
) -> Response:
    """Return the page of a section."""
    return await person.show(
        f"settings/{name}",
        place="settings",
        parts=["settings"],
        status=status,
        sections=SECTIONS,
        section=name,
        **values,
    )


def address_of(name: str) -> str:
    """Return where a section stands."""
    return SETTINGS if name == "account" else f"{SETTINGS}/{name}"


def number_in_path(visit: Visit, name: str = "id") -> int:
    """Return the number in an address; raise Invalid where it holds none."""
    return number_of([(name, visit.path_params[name])], name)


async def is_alone(visit: Visit) -> bool:
    """Return whether one person alone uses this server, who then decides for all of it."""
    return len((await visit.parts.call(OPERATOR, "list_users", {})).users) == 1


async def require_alone(visit: Visit, person: Person) -> None:
    """Raise Forbidden where others use this server too."""
    if not await is_alone(visit):
        raise Forbidden(person.words("settings.operator_only"))
