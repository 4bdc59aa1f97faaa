"""Feasts and sums that a message names, in any language."""

from datetime import date

import pytest

from app.agent.rules.answers import day_answers, small_answers


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("how many days until christmas", date(2026, 12, 25)),
        ("wie lange noch bis silvester", date(2026, 12, 31)),
        ("la veille de noel", date(2026, 12, 24)),
        ("cuanto falta para ano nuevo", date(2027, 1, 1)),
        ("クリスマスイブは何曜日", date(2026, 12, 24)),
        ("离元旦还有几天", date(2027, 1, 1)),
        ("what day is easter", date(2027, 3, 28)),
        ("wann ist ostern", date(2027, 3, 28)),
    ],
)
def test_a_feast_is_the_next_of_its_name(text: str, day: date) -> None:
    found = day_answers.feast(text, date(2026, 11, 23))
    assert found is not None
    assert found[0] == day


def test_no_feast_is_found_in_other_words() -> None:
    assert day_answers.feast("weekend of the visit", date(2026, 11, 23)) is None


@pytest.mark.parametrize(
    ("language", "text", "comes_to"),
    [
        ("en", "what's 19% off 18,400", "14904"),
        ("en", "split 240 between 5 people", "48"),
        ("de", "18.400 Euro minus 19 Prozent?", "14904"),
        ("de", "ein Fünftel von 300", "60"),
        ("fr", "18 400 euros moins 19 pour cent", "14904"),
        ("es", "la quinta parte de 300", "60"),
        ("ja", "300の5分の1は？", "60"),
        ("zh", "18400减19%是多少", "14904"),
    ],
)
def test_a_sum_may_be_said_in_words(language: str, text: str, comes_to: str) -> None:
    found = small_answers.find_sum(text, language)
    assert small_answers.value_of(found, language) == comes_to


@pytest.mark.parametrize("text", ["move it from 2 to 5", "priority 2", "2026-11-23", "call 555 12"])
def test_what_is_no_sum_is_none(text: str) -> None:
    assert not small_answers.find_sum(text, "en")
