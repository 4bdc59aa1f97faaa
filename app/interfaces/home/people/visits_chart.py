"""How many came on each of the last days, as the bars of a picture."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from app.interfaces.home.home_page import Person

DAYS = 30
WIDTH, HEIGHT, GAP = 640, 72, 4


class Bar(NamedTuple):
    """A day: where its bar stands, how high it is, and what it says."""

    x: float
    y: float
    width: float
    height: float
    number: int
    told: str


class Chart(NamedTuple):
    """The bars of all days, the first and the last day in words, and how many came in all."""

    bars: list[Bar]
    first: str
    last: str
    most: int
    total: int


def chart_of(person: Person, moments: Iterable[str]) -> Chart:
    """Return the chart of how often something happened on each of the last thirty days."""
    dates = person.dates
    counts = Counter(dates.local(moment).date() for moment in moments)
    days = [dates.today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    most = max((counts[day] for day in days), default=0)
    step = WIDTH / DAYS
    bars = []
    for place, day in enumerate(days):
        # A day on which nobody came has a low mark, so that the time reads as a line.
        height = max(2.0, HEIGHT * counts[day] / most) if most else 2.0
        bars.append(
            Bar(
                round(place * step, 1),
                round(HEIGHT - height, 1),
                round(step - GAP, 1),
                round(height, 1),
                counts[day],
                f"{dates.day(day)}: {counts[day]}",
            )
        )
    return Chart(
        bars, dates.day(days[0]), dates.day(days[-1]), most, sum(bar.number for bar in bars)
    )
