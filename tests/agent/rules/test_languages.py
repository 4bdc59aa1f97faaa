"""The languages as data: every folder holds what the schema of its files asks for."""

import re
from pathlib import Path

import pytest

from app.agent.priorities.lexicon import Sense
from app.agent.quickadd import language_words
from app.agent.quickadd.match_meaning import READERS
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_data import FILES, Dates, Lexicon, Phrases, Routing
from app.agent.rules.routing import routing

LANGUAGES = tuple(language_data.languages())
INTENTS = {row.intent for row in language_data.table("en", Routing).general} | {
    row.intent
    for part in ("calendar", "network")
    for row in getattr(language_data.table("en", Routing), part)
}


def test_there_are_six_languages_in_their_order() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "zh", "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_holds_the_files_of_a_language_and_no_others(language: str) -> None:
    files = {path.stem for path in (language_data.FOLDERS / language).iterdir()}
    assert files | {"lexicon"} == set(FILES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_fits_its_schema(language: str) -> None:
    for kind in FILES.values():
        if language_data.has(language, kind):
            language_data.table(language, kind)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_with_the_values_of_the_english_one(language: str) -> None:
    own, english = (language_data.table(code, Phrases) for code in (language, "en"))
    for said, meant in ((own.sentences, english.sentences), (own.for_others, english.for_others)):
        assert said.keys() == meant.keys()
        for name, sentence in said.items():
            if name != "help":  # it names the owner as often as its language wants
                assert holes(sentence) == holes(meant[name]), name


def holes(sentence: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", sentence))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_of_routing_compiles_and_means_an_intent_that_exists(language: str) -> None:
    rules = routing.rules_of(language)
    assert {rule.intent for rule in rules} <= INTENTS
    for rule in rules:
        assert rule.pattern.groups >= 0  # which compiles it
    assert all(re.compile(one) for one in routing.others_patterns(language, ("Ann Lee",)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_of_quick_add_compiles_and_has_a_meaning(language: str) -> None:
    words = language_words.language(language)
    assert {rule.means for rule, _ in words.patterns} <= READERS.keys()
    assert words.lead.match("x") is None
    assert set(words.weekdays.values()) == set(range(7))
    assert set(words.months.values()) == set(range(1, 13))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_macro_is_defined_for_nothing(language: str) -> None:
    for name in ("routing", "quickadd"):
        table = language_data.table(language, FILES[name])
        assert isinstance(table, Routing | Dates)
        text = (language_data.FOLDERS / language / f"{name}.toml").read_text("utf-8")
        shared = (language_data.FOLDERS / "quickadd.toml").read_text("utf-8")
        used = set(re.findall(r"\{([a-z][a-z0-9_]*)\}", text + shared))
        assert table.macros.keys() <= used


def test_a_lexicon_has_words_for_every_sense() -> None:
    for language in LANGUAGES:
        if language_data.has(language, Lexicon):
            senses = language_data.table(language, Lexicon).senses
            assert senses.keys() == {sense.value for sense in Sense}


def test_an_unknown_field_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "lexicon.toml").write_text("joins = true\n[senses]\n", "utf-8")
    monkeypatch.setattr(language_data, "FOLDERS", tmp_path)
    with pytest.raises(ValueError, match="joins"):
        language_data.table("xx", Lexicon)
