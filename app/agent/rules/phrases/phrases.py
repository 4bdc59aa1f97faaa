"""The fixed sentences of the rules, and the language that a message is written in."""

import functools
import re

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Phrases
from app.core.process.caches import keep_short

DEFAULT = "en"
"""The language of whatever nothing speaks for."""
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_READ = 600
LITTLE = 2
"""So many more words of another language than of the one before make a message one of that."""
_FEW = 6
"""Up to so many Chinese letters without kana may be Japanese."""


def phrase(language: Language, name: str, *, owner: str = "", **values: object) -> str:
    """Return a fixed sentence, with its values in place.

    With an `owner`'s name as it is said to somebody else than them.
    """
    phrases: Phrases = language_data.load_table(language, Phrases)
    other = phrases.for_others.get(name) if owner else None
    sentence = (other or phrases.sentences[name]).replace("{owner}", owner)
    # Not str.format: titles may hold braces.
    for key, value in values.items():
        sentence = sentence.replace("{" + key + "}", str(value))
    return sentence


@keep_short  # asked of the same words 25 times a step
def language_of(message: str, *, before: Language = "") -> Language:
    """Return the language that a message is most likely written in.

    English when nothing speaks for another; that of the turn before where little does.
    """
    text = message[:_READ].lower().replace("’", "'")
    # Kana is Japanese alone; Han would be Chinese or Japanese.
    if _KANA.search(text):
        return language_data.language_of_script("kana")
    # a Chinese message may have names in Latin letters, and a Latin one a Chinese word
    if len(_HAN.findall(text)) * 2 > len(re.findall(r"[a-z]", text)):
        kana = language_data.language_of_script("kana")
        # Some signs are written in one of the two only, and a few may be of either.
        if before == kana and len(_HAN.findall(text)) <= _FEW:
            return kana
        if re.search(language_data.languages()[kana].signs, text):
            return kana
        return language_data.language_of_script("han")
    points = _points(text)
    # max takes the first of equals, which is the language with the lowest order.
    found = max(points, key=lambda language: points[language])
    return before if before in points and points[found] - points[before] < LITTLE else found


def _points(text: str) -> dict[Language, int]:
    """Return how much speaks for each language of letters: common words, and signs of its own."""
    words = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", text)
    return {
        language: sum(word in common for word in words)
        + (language_data.languages()[language].sign_weight if signs.search(text) else 0)
        for language, (common, signs) in _known_by().items()
    }


def is_surely(message: str, language: Language) -> bool:
    """Return whether much more speaks for a language than for any other."""
    if not is_spaced(language):
        return is_known(message, language)
    points = _points(message[:_READ].lower().replace("’", "'"))
    return all(
        points[language] - others >= LITTLE for one, others in points.items() if one != language
    )


def is_known(message: str, language: Language) -> bool:
    """Return whether a message tells that its language is this and no other."""
    script = language_data.languages()[language].script
    if script != "alphabet":
        # What is long enough has kana if it is Japanese.
        return script == "kana" or len(_HAN.findall(message)) > _FEW
    if language != DEFAULT:
        return True
    words = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", message[:_READ].lower())
    return any(word in common for common, _ in _known_by().values() for word in words)


def may_be(message: str, language: Language) -> bool:
    """Return whether a message that does not tell its language may be in this one."""
    return bool(_HAN.search(message)) <= (language_data.languages()[language].script != "alphabet")


def is_spaced(language: Language) -> bool:
    """Return whether spaces part the words of a language."""
    return language in _known_by()


def alphabetic_languages() -> tuple[Language, ...]:
    """Return the languages that are known by their words, in their order."""
    return tuple(_known_by())


@functools.cache
def _known_by() -> dict[Language, tuple[frozenset[str], re.Pattern[str]]]:
    return {
        language: (frozenset(about.common.split()), re.compile(about.signs))
        for language, about in language_data.languages().items()
        if about.script == "alphabet"
    }
