"""The words of a request to see something, by what they say, and what is left of them."""

import functools
import re
from collections.abc import Container
from datetime import timedelta
from typing import NamedTuple

from app.agent.quickadd.time_ranges import Range
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces, Times
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.view_tables import ViewName, Views
from app.agent.rules.phrases import phrases
from app.agent.turn.steps import Asked

LONGEST_DAY = 8
"""So many words, or letters where no spaces part words, may name a day."""
_CLAUSES = re.compile(r"(?<=[^\d\s])\s*[,;，；、。]\s*|[.!。！…]+\s+|\s[–—-]\s")
_KANA = re.compile(r"[\u3040-\u309f]+")
ASKED = re.compile("[?？]|[吗嗎か][。.]?$")
"""What a question is known by in writing."""
_WEEK = timedelta(days=7)
_COUNTED = ("ahead", "behind")


class Words(NamedTuple):
    """What the words of a text say, and those that say nothing of it, in their order."""

    said: frozenset[ViewName]
    rest: tuple[str, ...]


def sort_words(text: str, language: Language) -> Words:
    """Return what the words of a text say, and what is left of it."""
    pattern = _pattern(language)
    plain = " ".join(re.sub(r"[^\w#@]+", " ", plain_letters(text).lower()).split())
    said: set[ViewName] = set()

    def take(found: re.Match[str]) -> str:
        if found.lastgroup and found.lastgroup != "listing":
            said.add(found.lastgroup)  # type: ignore[arg-type]
        return " "

    left = pattern.sub(take, plain).split()
    # Where no spaces part words, endings and particles are left of those that were taken.
    rest = [one for one in left if (len(one) > 1 or not one.isascii()) and not _KANA.fullmatch(one)]
    return Words(frozenset(said), tuple(rest))


def without(text: str, language: Language, names: Container[str]) -> str:
    """Return a folded text without the words of some classes."""
    folded = dialogue_words.bare(text)
    return _pattern(language).sub(
        lambda found: " " if found.lastgroup in names else found[0], folded
    )


def without_refusal(text: str, language: Language) -> str:
    """Return what is to be shown where a message first says that nothing is to be done: “delete
    nothing, just show me my todos”; else the whole message.
    """
    if not (table := _table(language)):
        return text
    first, rest = after_first(text)
    if not rest or not dialogue_words.find_in(table.refuses, dialogue_words.bare(first)):
        return text
    return rest if sort_words(rest, language).said & {"show", "see"} else text


def asks_what_remains(text: str, language: Language) -> bool:
    """Return whether a text asks what of a list is not done."""
    table = _table(language)
    return table is not None and bool(
        dialogue_words.find_in(table.remains, dialogue_words.bare(text))
    )


def asked_list(text: str, asked: Asked, language: Language) -> str:
    """Return the word for a list that a question after what stands on it names: “what's missing on
    the shopping list?”; empty where it names none.
    """
    folded = dialogue_words.bare(text)
    said = sort_words(text, language).said
    asks = said & {"see", "show", "to_do", "everything", "open"} or ASKED.search(text)
    if not asks or said & {"todo", "note", "folder", "tag", "when", "count"}:
        return ""
    table = dialogue_words.tables(language)[0]
    found = list(dialogue_words.find_all(table.list_name, folded))
    if not found or dialogue_words.find_days(folded, asked.now):
        return ""
    named = found[-1]  # “liste de courses” is that of the “courses”
    start = folded.rfind(" ", 0, named.start()) + 1 if named.start() else 0
    before = folded[:start].split()[-1:]
    after = folded[named.end() :].split()[:2]
    # “My list” is no name, and “shopping list” is one.
    if start < named.start():
        return folded[start : named.end()]
    for one in (*before, *after):
        if len(found) == 1 and sort_words(one, language).rest:
            return f"{one} {named[0]}"
    return folded[start : named.end()] if sort_words(named[0], language).rest else ""


def thanks_nowhere(text: str) -> bool:
    """Return whether a text has no thanks in any language."""
    return _any_thanks().search(plain_letters(text).lower()) is None


@functools.cache
def _any_thanks() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Views, lambda one: one.classes.get("thanks", "")))


def after_first(text: str) -> tuple[str, str]:
    """Return what stands before the first mark of a message, and what after it."""
    first, *others = _CLAUSES.split(text, maxsplit=1)
    return first, others[0].strip() if others else ""


def is_beyond(text: str, language: Language) -> bool:
    """Return whether a text asks for what nobody can do here, such as calling a taxi.

    In whichever language with an alphabet, as few words of one are hard to tell from another.
    """
    folded = dialogue_words.bare(text)
    alphabetic = phrases.alphabetic_languages()
    for one in alphabetic if language in alphabetic else (language,):
        if (table := _table(one)) and dialogue_words.find_in(table.beyond.acts, folded):
            return not dialogue_words.find_in(table.beyond.reports, folded)
    return False


def find_span(text: str, asked: Asked, language: Language) -> tuple[Range, int, int] | None:
    """Return the days from one to another that a folded text names, and from where to where it
    does: “between Wednesday and Monday”.
    """
    if not (table := _table(language)) or len(_dayish().findall(text)) < 2:
        return None
    for pattern in table.spans:
        for found in dialogue_words.find_all(pattern, text):
            first = _day_at_end(found["a"], asked)
            last = first and day_at_start(text[found.start("b") :], asked)
            if first and last:
                ends = last[0].end
                while ends <= first[0].start:
                    ends += _WEEK  # “from Friday to Tuesday”
                start = found.start("a") + first[1] if first[1] else found.start()
                return Range(first[0].start, ends), start, found.start("b") + last[1]
    return None


def day_at_start(text: str, asked: Asked) -> tuple[Range, int] | None:
    """Return the days that the longest beginning of a text names, and where it ends."""
    for piece in reversed(dialogue_words.pieces(text)[:LONGEST_DAY]):
        if (day := dialogue_words.days_of(text[: piece.end()].strip(), asked.now)) is not None:
            return day, piece.end()
    return None


def _day_at_end(text: str, asked: Asked) -> tuple[Range, int] | None:
    """Return the days that the longest end of a text names, and where it begins."""
    for piece in dialogue_words.pieces(text):
        if (day := dialogue_words.days_of(text[piece.start() :].strip(), asked.now)) is not None:
            return day, piece.start()
    return None


def _table(language: Language) -> Views | None:
    return (
        language_data.load_table(language, Views)
        if language_data.has_table(language, Views)
        else None
    )


@functools.cache
def _dayish() -> re.Pattern[str]:
    """Return a pattern that fits in every name of a day, so that few texts are looked at twice."""
    tables = language_data.of_all(Times)
    names: list[Pieces] = [one for table in tables for one in table.weekdays]
    names += [one for table in tables for name, one in table.ranges.items() if name not in _COUNTED]
    return re.compile(plain_letters(rf"\d+|[一二三四五六七八九十]月|{language_data.either(names)}"))


@functools.cache
def _pattern(language: Language) -> re.Pattern[str]:
    """Return the pattern of every class, each a group; the last is what says nothing."""
    table = _table(language)
    classes: dict[str, Pieces] = {**table.classes} if table else {}  # type: ignore[dict-item]
    classes["listing"] = dialogue_words.tables(language)[0].listing
    either = "|".join(
        f"(?P<{name}>{language_data.join_pattern(pattern)})" for name, pattern in classes.items()
    )
    if language in phrases.alphabetic_languages():
        return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])")
    return re.compile(either)
