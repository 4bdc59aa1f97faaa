"""The Chinese calendar against published almanacs."""

import pytest

from app.agent.quickadd import chinese_calendar


@pytest.mark.parametrize(
    ("year", "month", "day", "expected"),
    [
        (2026, 1, 1, "2026-02-17"),
        (2026, 8, 15, "2026-09-25"),
        (2026, 12, 8, "2027-01-15"),
        (2027, 1, 0, "2027-02-05"),
        (2027, 1, 15, "2027-02-20"),
        (2028, 5, 5, "2028-05-28"),
        (2028, 8, 15, "2028-10-03"),
        (2033, 9, 9, "2033-10-01"),
        (2034, 1, 1, "2034-02-19"),
        (2060, 1, 1, "2060-02-02"),
    ],
)
def test_days_of_its_months(year: int, month: int, day: int, expected: str) -> None:
    assert chinese_calendar.lunar_day(year, month, day).isoformat() == expected


@pytest.mark.parametrize("year", [2023, 2064])
def test_a_year_without_a_table_has_none(year: int) -> None:
    with pytest.raises(ValueError, match="no table"):
        chinese_calendar.lunar_day(year, 1, 1)


@pytest.mark.parametrize(
    ("year", "degrees", "expected"),
    [
        (2026, 270, "2026-12-22"),
        (2027, 15, "2027-04-05"),
        (2028, 15, "2028-04-04"),
        (2028, 270, "2028-12-21"),
        (2027, 315, "2027-02-04"),
    ],
)
def test_solar_terms(year: int, degrees: int, expected: str) -> None:
    assert chinese_calendar.solar_term(year, degrees).isoformat() == expected
