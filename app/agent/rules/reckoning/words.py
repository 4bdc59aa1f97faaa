"""The words of sums in one language, as patterns, and what hides numbers that count nothing."""

import functools
import re

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.languages.reckoning_tables import Keyword, Reckoning
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import phrases

MONEY = frozenset({"euro", "dollar", "pound", "franc", "yen", "yuan"})
SPANS = {"minute": 1, "hour": 60, "day": 1_440, "night": 1_440, "week": 10_080}
"""Stretches of time that always last as long, in minutes."""
_CODES = re.compile(
    # Days, times of day, numbers of phones and of things.
    r"\b\d{4}-\d\d?-\d\d?(?:t[\d:.]+z?)?|\b\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{2,4})?(?!\d)"
    r"|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}[:h]\d\d(?::\d\d)?\b|\b\d{1,2} ?(?:uhr|[ap]\.?m\b)"
    r"|(?<!\d)(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?|\d{4}年"
    r"|(?<!\d)\d{1,2}[时時点](?:\d{1,2}分|半)?(?!間)|\+\d[\d ()/-]{5,}\d"
    r"|(?<![\d.,])0\d+(?:[ /-]\d{2,})*"
    r"|\b\d{2,}(?:[ /-]\d{2,}){2,}\b|\b\d{2,5}[/-]\d{4,}\b"
    r"|(?:\bnr|\bno|\bn°|\bnum|#)\.? ?\d+"
)
_LATIN = re.compile(r"(?<![a-z\d])[a-z]+-?\d[\w-]*|\b\d+[a-z]?-[\w-]*[a-z][\w-]*")


def table_of(language: Language) -> Reckoning:
    """Return the words of sums of a language; KeyError never: each has them."""
    table: Reckoning = language_data.load_table(language, Reckoning)
    return table


def folded(text: str) -> str:
    """Return a text as the tables have it, with plain spaces and signs."""
    plain = fold_text(text.replace("’", "'"))
    return re.sub(r"\s", " ", plain).replace("−", "-").replace("–", "-")


@functools.cache
def whole(language: Language, pattern: Pieces) -> re.Pattern[str]:
    """Return a pattern that fits whole words only, where spaces part them."""
    joined = language_data.join_pattern(pattern)
    if language in phrases.alphabetic_languages():
        return re.compile(rf"(?<![^\W_])(?:{joined})(?![^\W_])")
    return re.compile(f"(?:{joined})")


def says(language: Language, keyword: Keyword, text: str) -> re.Match[str] | None:
    """Return where a folded text has a word of that meaning."""
    pattern = table_of(language).words.get(keyword)
    return whole(language, pattern).search(text) if pattern else None


def without(language: Language, text: str, *patterns: Pieces) -> str:
    """Return a folded text without the words of these patterns."""
    for one in patterns:
        text = whole(language, one).sub(" ", text)
    return text


def left_words(language: Language, text: str) -> list[str]:
    """Return the words of a folded text that say something of what it is about.

    Where no spaces part words, the runs of signs and of katakana.
    """
    if questions.is_asian(text):
        text = questions.without_filler(text)
        text = without(language, text, table_of(language).words["filler"])
        return re.findall(r"[a-z\d]+|[\u30a0-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff々]+", text)
    words = re.findall(r"[^\W_]+", without(language, text, table_of(language).words["filler"]))
    return [one for one in words if one not in questions.little() and len(one) > 1]


def hide_codes(text: str) -> str:
    """Return a folded text with blanks in place of days, times, telephone numbers and the like, of
    the same length.
    """
    for pattern in (_CODES, _dates(), _LATIN):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


@functools.cache
def _dates() -> re.Pattern[str]:
    names = sorted(
        {
            re.escape(name)
            for table in language_data.of_all(Dates)
            for listed in table.months.values()
            for name in listed
            if name.isalpha() and name.isascii()
        },
        key=len,
        reverse=True,
    )
    month = "|".join(names)
    day = r"\d{1,2}(?:\.|st|nd|rd|th|er)?"
    year = r"(?:,? (?:de |del )?(?:19|20)\d\d)?"
    between = r"(?: (?:au|to|bis|al|a)| ?-|,| and| et| und| y)"
    return re.compile(
        rf"\b(?:{day}{between} )?{day} (?:of |de )?(?:{month})\b\.?{year}"
        rf"|\b(?:{month})\b\.? {day}\b{year}|\b(?:{month}) (?:de )?(?:19|20)\d\d\b"
    )
