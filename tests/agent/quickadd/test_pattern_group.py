"""Patterns that are asked together: none that fits a text is left out."""

import pytest

from app.agent.quickadd import folded_text, language_words
from app.agent.quickadd.pattern_group import TOGETHER, PatternGroup
from app.agent.rules.languages import language_data
from evaluation import quickadd


@pytest.mark.parametrize("language", language_data.languages())
def test_whatever_fits_is_found(language: str) -> None:
    patterns = language_words.load_language(language).patterns
    for typed in quickadd.texts():
        text = folded_text.fold_text(typed).text
        found = {number for number, _, _ in patterns.fitting(text)}
        fits = {number for number, (_, one) in enumerate(patterns) if one.search(text)}
        assert fits <= found


def test_groups_and_conditions_of_patterns_do_not_meet() -> None:
    rows = [(number, rf"(?P<a>x)?(?(a){number}|y{number})") for number in range(2 * TOGETHER)]
    group = PatternGroup(rows, "<", ">")
    fits = {of for _, of, one in group.fitting("<x13>") if one.search("<x13>")}
    assert fits == {13}
    assert not list(group.fitting("nothing"))
