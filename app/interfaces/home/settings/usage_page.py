"""What was used this month: tokens by day and by whom, and the caps."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.home.settings.usage_days import days_of
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
    most = max((day.tokens for day in usage.by_day), default=0)
    return await show_section(
        person,
        "usage",
        usage=usage,
        bars=[
            (place, round(BAR_HEIGHT * day.tokens / most, 1) if most else 0, day)
            for place, day in enumerate(days_of(usage))
        ],
        caps=(await person.call("list_caps")).caps,
    )
