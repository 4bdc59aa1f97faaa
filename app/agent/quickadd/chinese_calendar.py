"""The days of the Chinese calendar that holidays fall on: of its months, and the solar terms."""

import math
from datetime import date, timedelta

FIRST_YEAR, FIRST_DAY = 2024, date(2024, 2, 10)
YEARS = tuple(
    int(code, 16)
    for code in (
        "04b60 0a6e6 0a4e0 0d260 0ea65 0d530 05aa0 076a3 096d0 04afb "
        "04ad0 0a4d0 1d0b6 0d250 0d520 0dd45 0b5a0 056d0 055b2 049b0 "
        "0a577 0a4b0 0aa50 1b255 06d20 0ada0 14b63 09370 049f8 04970 "
        "064b0 168a6 0ea50 06b20 1a6c4 0aae0 092e0 0d2e3 0c960 0d557"
    ).split()
)
"""The months of each year, as tables of this calendar write them.

The low four bits are the month that a leap month follows, bits 15 to 4 whether the first to the
twelfth have 30 days instead of 29, and bit 16 whether the leap month has.
"""


def lunar_day(year: int, month: int, day: int) -> date:
    """Return a day of a month; day 0 is the last of the month before."""
    if not FIRST_YEAR <= year < FIRST_YEAR + len(YEARS):
        raise ValueError("no table of that year")
    *before, code = YEARS[: year - FIRST_YEAR + 1]
    passed = sum(sum(_lengths(one)) for one in before)
    leap = code & 15
    months = _lengths(code)[: month - 1 + (0 < leap < month)]
    return FIRST_DAY + timedelta(passed + sum(months) + day - 1)


def _lengths(code: int) -> list[int]:
    lengths = [29 + (code >> (16 - month) & 1) for month in range(1, 13)]
    if leap := code & 15:
        lengths.insert(leap, 29 + (code >> 16 & 1))
    return lengths


def solar_term(year: int, degrees: int) -> date:
    """Return the day, in Beijing, on which the sun comes to so many degrees from the equinox."""
    first = date(year, 1, 1)
    all_days = (first + timedelta(at) for at in range(366))
    # The sun moves about one degree a day.
    return next(day for day in all_days if 0 <= (_longitude(day) - degrees) % 360 < 2)


def _longitude(day: date) -> float:
    """Return the longitude of the sun at the end of a day in Beijing, to a hundredth of a degree,
    by the low-precision formula of the Astronomical Almanac.
    """
    days = (day - date(2000, 1, 1)).days + 4 / 24 + 0.0008
    anomaly = math.radians(357.528 + 0.9856003 * days)
    mean = 280.460 + 0.9856474 * days
    return mean + 1.915 * math.sin(anomaly) + 0.020 * math.sin(2 * anomaly)
