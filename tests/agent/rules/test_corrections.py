"""Words that a person mistypes or corrects while writing: what is mended, and what is left."""

from datetime import UTC, datetime

import pytest

from app.agent.rules.dialogue import repairs
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing import misspelled
from app.agent.turn.steps import Asked

NOW = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("en", "remnid me to buy stamps on wendesday", "remind me to buy stamps on wednesday"),
        ("en", "that reminds me of the sundry items", "that reminds me of the sundry items"),
        ("en", "and give it top priority", "and give it top priority"),
        ("de", "erinere mich am mitwoch", "erinnere mich am mittwoch"),
        ("de", "das erinnerte mich an die Montage", "das erinnerte mich an die Montage"),
        ("fr", "rapel moi mercrdi", "rappelle moi mercredi"),
        ("fr", "ajoue lait", "ajoute lait"),
        ("es", "recuerdme el miercoels", "recuerdame el miercoles"),
        ("es", "cuando vienes al domino", "cuando vienes al domino"),
    ],
)
def test_a_lead_or_a_day_one_letter_off_is_mended(
    language: Language, typed: str, meant: str
) -> None:
    assert misspelled.mend(typed, (language,)) == meant


def test_what_is_mistyped_may_not_tell_its_language() -> None:
    assert misspelled.mend("erinere mich am mitwoch", ("en", "de")).startswith("erinnere mich")


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        (
            "en",
            "on the fourteenth of december no the fifteenth at two the optician",
            "on the fifteenth december at two the optician",
        ),
        (
            "en",
            "remind me to call mum tomorrow at 8, no Friday",
            "remind me to call mum Friday at 8",
        ),
        ("de", "zahnarzt am montag nein dienstag um neun", "zahnarzt dienstag um neun"),
        (
            "fr",
            "rappelle-moi jeudi non vendredi d'appeler Luc",
            "rappelle-moi vendredi d'appeler Luc",
        ),
        ("es", "el catorce no el quince de diciembre dentista", "el quince de diciembre dentista"),
        ("ja", "十四日、いや十五日の九時に歯医者", "十五日の九時に歯医者"),
        ("zh", "十四号不对十五号上午九点看牙", "十五号上午九点看牙"),
        ("en", "no the meeting is on friday", "no the meeting is on friday"),
    ],
)
def test_the_later_of_two_days_is_meant(language: Language, said: str, meant: str) -> None:
    asked = Asked(said, (), frozenset(), NOW)
    assert repairs.repair(asked, said, language).message == meant


@pytest.mark.parametrize(
    ("language", "said", "guess"),
    [
        ("en", "walk the cat I mean feed the cat at 8", "feed the cat at 8"),
        ("en", "call the plumber no sorry the electrician", "call the electrician"),
        ("de", "den Saal nein die Halle reservieren", "die Halle reservieren"),
        ("fr", "promener le chat je veux dire le chien", "promener le chien"),
        ("es", "pasear al gato digo al perro", "pasear al perro"),
        ("ja", "猫に餌、じゃなくて犬に餌を明日", "犬に餌を明日"),
        ("zh", "明早八点喂猫啊不是喂狗", "明早八点喂狗"),
        ("en", "there is no milk", ""),
    ],
)
def test_other_words_that_are_corrected_are_guessed(
    language: Language, said: str, guess: str
) -> None:
    assert repairs.guess(said, language) == guess
