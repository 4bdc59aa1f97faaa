"""Holidays and sums that a message names, in any language."""

from datetime import date

import pytest

from app.agent.rules.reckoning import sums, written_dates

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "how many days until christmas", date(2026, 12, 25)),
        ("de", "wie lange noch bis silvester", date(2026, 12, 31)),
        ("es", "cuanto falta para ano nuevo", date(2027, 1, 1)),
        ("ja", "クリスマスイブは何曜日", date(2026, 12, 24)),
        ("zh", "离元旦还有几天", date(2027, 1, 1)),
        ("en", "what day is easter", date(2027, 3, 28)),
        ("de", "wann ist ostern", date(2027, 3, 28)),
        ("ja", "イースターは何曜日", date(2027, 3, 28)),
        ("zh", "离五一还有几天", date(2027, 5, 1)),
        ("es", "cuanto falta para pascua", date(2027, 3, 28)),
    ],
)
def test_a_holiday_is_the_next_of_its_name(language: str, text: str, day: date) -> None:
    found = written_dates.holiday(text, language, TODAY)
    assert found is not None
    assert found.day == day


def test_no_holiday_is_found_in_other_words() -> None:
    assert written_dates.holiday("weekend of the visit", "en", TODAY) is None
    assert written_dates.holiday("我有十一个苹果", "zh", TODAY) is None


@pytest.mark.parametrize(
    ("language", "text", "comes_to"),
    [
        ("en", "what's 19% off 18,400", "14904"),
        ("en", "split 240 between 5 people", "48"),
        ("de", "18.400 Euro minus 19 Prozent?", "14904"),
        ("de", "ein Fünftel von 300", "60"),
        ("fr", "18 400 euros moins 19 pour cent", "14904"),
        ("fr", "le cinquième de 300", "60"),
        ("es", "la quinta parte de 300", "60"),
        ("ja", "300の5分の1は？", "60"),
        ("zh", "18400减19%是多少", "14904"),
        ("zh", "300的五分之一", "60"),
    ],
)
def test_a_sum_may_be_said_in_words(language: str, text: str, comes_to: str) -> None:
    found = sums.reckon(text, language)
    assert found is not None
    assert f"{found.result.value.normalize():f}" == comes_to


@pytest.mark.parametrize("text", ["move it from 2 to 5", "priority 2", "2026-11-23", "call 555 12"])
def test_what_is_no_sum_is_none(text: str) -> None:
    assert sums.reckon(text, "en") is None
