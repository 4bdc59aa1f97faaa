"""What was used this month: tokens by day and by whom, and the caps."""

from calendar import monthrange
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.visit import Visit

USAGE = address_of("usage")
BAR_HEIGHT = 100


class Day(NamedTuple):
    """A day, and the tokens that it took."""

    date: str
    tokens: int


def routes() -> list[Route]:
    """Give the route."""
    return [Route(USAGE, show)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the month as a picture, and the caps."""
    month = visit.query_params.get("month", "")
    usage = await person.call("read_usage", **({"month": month} if month else {}))
    return await show_section(
        person, "usage", usage=usage, bars=_bars(usage), caps=(await person.call("list_caps")).caps
    )


def _bars(usage: Any) -> list[tuple[int, float, Day]]:
    """Return a bar for each day of the month: its place, its height and the day."""
    used = {day.date: day.tokens for day in usage.by_day}
    most = max(used.values(), default=0) or 1
    year, month = map(int, usage.month.split("-"))
    dates = [f"{usage.month}-{day:02d}" for day in range(1, monthrange(year, month)[1] + 1)]
    days = [Day(each, used.get(each, 0)) for each in dates]
    return [
        (place, round(BAR_HEIGHT * day.tokens / most, 1), day) for place, day in enumerate(days)
    ]
