"""What was used this month: tokens by day and by whom, and the caps."""

from calendar import monthrange
from datetime import date
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.visit import Visit

USAGE = address_of("usage")
BAR_HEIGHT = 100


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


def _bars(usage: Any) -> list[tuple[int, float, date, int]]:
    """Return a bar for each day of the month: its place, its height, the day and its tokens."""
    tokens = {day.date: day.tokens for day in usage.by_day}
    most = max(tokens.values(), default=0) or 1
    year, month = map(int, usage.month.split("-"))
    days = [date(year, month, number + 1) for number in range(monthrange(year, month)[1])]
    used = [tokens.get(day.isoformat(), 0) for day in days]
    return [
        (place, round(BAR_HEIGHT * count / most, 1), day, count)
        for place, (day, count) in enumerate(zip(days, used, strict=True))
    ]
