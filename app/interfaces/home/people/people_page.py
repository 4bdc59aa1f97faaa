"""Show a page of the people, again with the reason where what was sent is refused."""

from typing import Any

from starlette.responses import Response

from app.errors import AppError
from app.interfaces.home.home_page import Person


async def show_people(
    person: Person, name: str, /, *, refused: AppError | None = None, **values: Any
) -> Response:
    """Return a page of the people; `refused` is why what somebody sent could not be done."""
    response = await person.show(
        f"people/{name}",
        place="people",
        parts=["people"],
        status=200 if refused is None else refused.status,
        trouble="" if refused is None else refused.message,
        **values,
    )
    response.headers.update({} if refused is None else refused.headers)
    return response
