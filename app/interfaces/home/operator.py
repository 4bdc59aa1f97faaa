"""What only the operator of a server decides: one person who uses it alone is that, too."""

from typing import Any

from app.core.caller import OPERATOR
from app.errors import Forbidden
from app.interfaces.home.home_page import Person
from app.interfaces.pages.visit import Visit


async def is_alone(visit: Visit) -> bool:
    """Return whether one person alone uses this server, who then decides for all of it."""
    return len((await visit.parts.call(OPERATOR, "list_users", {})).users) == 1


async def require_alone(visit: Visit, person: Person, told: str) -> None:
    """Raise Forbidden where others use this server too; `told` names the sentence that says so."""
    if not await is_alone(visit):
        raise Forbidden(person.words(told))


async def running_work(visit: Visit, kind: str, name: str | None = None) -> list[Any]:
    """Return the long work of a kind that runs on the server, and how far it is."""
    works = (await visit.parts.call(OPERATOR, "list_running_work", {})).works
    return [work for work in works if work.kind == kind and name in (None, work.name)]
