"""Days that are reckoned from what a match names: Sundays of Advent, weekdays of a month."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.quickadd import holidays, language_words, match_days

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Wednesday."""
ENGLISH = language_words.load_language("en")


@pytest.mark.parametrize(
    ("groups", "day"),
    [
        ({"nth": "first", "weekday": "monday", "month": "december"}, date(2026, 12, 7)),
        ({"nth": "second", "weekday": "monday", "month": "november"}, date(2027, 11, 8)),
        ({"nth": "last", "weekday": "friday", "next": "1"}, date(2026, 12, 25)),
        ({"nth": "last", "weekday": "friday"}, date(2026, 11, 27)),
    ],
)
def test_a_weekday_of_a_month_is_one_day(groups: dict[str, str], day: date) -> None:
    assert match_days.read_month_weekday(groups, ENGLISH, NOW).day == day


def test_a_weekday_with_a_number_is_one_of_the_next_two_months() -> None:
    found = match_days.read_date({"day": "15", "weekday": "friday"}, ENGLISH, NOW)
    assert found is not None
    assert found.day == date(2027, 1, 15)
    with pytest.raises(ValueError, match="no such day"):
        match_days.read_date({"day": "10", "weekday": "monday"}, ENGLISH, NOW)


@pytest.mark.parametrize(
    ("year", "day"),
    [(2022, date(2022, 11, 27)), (2023, date(2023, 12, 3)), (2026, date(2026, 11, 29))],
)
def test_advent_begins_four_sundays_before_christmas(year: int, day: date) -> None:
    assert holidays.in_year("advent", year) == day
