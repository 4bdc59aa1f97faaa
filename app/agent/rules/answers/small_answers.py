"""What is answered from the clock alone."""

from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step


def tell_date(asked: Asked, route: Route) -> Step:
    """Return the day, with its name."""
    today = dates.day(route.language, asked.now.date(), asked.now)
    return Step(route.phrase("date_is", date=today))


def tell_time(asked: Asked, route: Route) -> Step:
    """Return the time of day in the user's zone."""
    return Step(route.phrase("time_is", time=f"{asked.now:%H:%M}"))
