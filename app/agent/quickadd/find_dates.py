"""Which matches of quick add's patterns count in a text, in the language that finds most."""

import re
from datetime import datetime
from typing import NamedTuple

from app.agent.quickadd import doubtful_days, language_words
from app.agent.quickadd.folded_text import Folded
from app.agent.quickadd.language_words import Language
from app.agent.quickadd.match_meaning import read_match
from app.agent.quickadd.meaning import Found, Kind
from app.agent.rules.languages import language_data

MONTH_FIRST_PLACES = ("US", "PH", "FM", "MH", "PW", "AS", "GU", "PR", "VI")
OWN = 5
"""What the user's own language counts beside a point for each letter that was read, and three
for each common word, at most nine.
"""
MONTH_FIRST_LANGUAGES = frozenset({"ja", "zh"})
"""Where 12/1 is the first of December, also beside no word of the language."""
NAME_LIKE = ("named", "today", "part")
"""What can be part of a title of something."""
_ASIAN = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u9fff]")
_NEAR = re.compile(r"[\s,;、，]{0,4}")
NO_TITLE = "x"
"""What stands before words that are read as a day and have no title."""
_SENTENCE = re.compile(r"(?:\b(?:[^\W\d_A-ZÀ-Þ]\w*|\w{5,})\.|[!?\n])$")
"""The end of a sentence, and of no “Dr.” or “Prof.” before a name."""
_APART = re.compile(r"\s*(?:$|[,;:!?()\]\[|…、。，]|[-–—](?:\s|$)|\.(?:\s|$)|[#@]\S)")


class Closed(NamedTuple):
    """A part of the folded text in which no date is read, and what it is: the match itself, and
    up to where it reaches.
    """

    means: str
    start: int
    end: int
    reach: tuple[int, int]


class Reading(NamedTuple):
    """What one language made of a text."""

    language: Language
    found: list[Found]
    closed: list[Closed]
    score: int


def best_reading(
    text: str, folded: Folded, visible: str, now: datetime, locale: str, kinds: set[Kind]
) -> Reading:
    """Return what the language that finds most in a text makes of it."""
    words = set(language_words.words_of(visible))
    readings = []
    languages = _candidate_languages(text, words, locale)
    for language in languages:
        closed = _closed_parts(visible, language)
        candidates = _unclosed_candidates(text, folded, visible, language, now, kinds, closed)
        found = _take_matches(candidates, text, folded, visible, language)
        known = min(3, len(words & language.common)) + bool(language.signs.search(text))
        own = locale[:2].lower() == language.code
        readings.append(
            Reading(
                language,
                doubtful_days.without_doubtful(
                    found,
                    candidates,
                    [(part.start, part.end) for part in closed],
                    visible,
                    language,
                    languages,
                ),
                closed,
                sum(one.end - one.start for one in found)
                + sum(part.end - part.start for part in closed)
                + 3 * known
                + OWN * own,
            )
        )
    return max(readings, key=lambda reading: reading.score)


def _closed_parts(visible: str, language: Language) -> list[Closed]:
    """Return the parts in which no date is read.

    What an offset counts from and what comes too often stand after it; without spaces between
    words they may stand on either side.
    """
    parts = []
    for _, rule, pattern in language.unread.fitting(visible):
        for match in pattern.finditer(visible):
            start, end = match.span()
            reach = (start, len(visible)) if language.spaced else (0, len(visible))
            parts.append(
                Closed(rule.means, start, end, (start, end) if rule.means == "name" else reach)
            )
    return parts


def _candidate_languages(text: str, words: set[str], locale: str) -> list[Language]:
    """Return the languages that may have something to say about the text.

    The first one wins a tie.
    """
    if _ASIAN.search(text):
        # Han characters alone may be of either script; kana are not.
        kana, han = (
            language_words.load_language(language_data.language_of_script(script))
            for script in ("kana", "han")
        )
        is_kana = kana.signs.search(text) or locale[:2].lower() == kana.code
        return [kana if is_kana else han]
    english = language_words.load_language(
        "en",
        month_first=locale.lower() in ("", "en")
        or locale[:2].lower() in MONTH_FIRST_LANGUAGES
        or locale[-2:].upper() in MONTH_FIRST_PLACES,
    )
    latin = [english, *map(language_words.load_language, _others_with_alphabets())]
    own = [language for language in latin if language.code == locale[:2].lower()] or [english]
    touched = [
        language
        for language in latin
        if language not in own and (words & language.known_words or language.signs.search(text))
    ]
    return [*own, *touched]


def _others_with_alphabets() -> list[str]:
    return [
        code
        for code, about in language_data.languages().items()
        if about.script == "alphabet" and code != "en"
    ]


def _unclosed_candidates(
    text: str,
    folded: Folded,
    visible: str,
    language: Language,
    now: datetime,
    kinds: set[Kind],
    closed: list[Closed],
) -> list[Found]:
    return [
        one
        for one in _find_candidates(visible, language, now)
        if one.meaning.kind not in kinds
        and (one.meaning.kind == "priority" or not _is_closed(one, closed))
        and not (
            one.rule.means in NAME_LIKE
            and language.spaced
            and _is_a_name(one, text, folded, language)
        )
    ]


def _take_matches(
    candidates: list[Found], text: str, folded: Folded, visible: str, language: Language
) -> list[Found]:
    """Take matches from the left, the longer of those that begin together, each slot once.

    Then what counts only beside another.
    """
    starts = {one.start for one in candidates}
    taken: list[Found] = []
    for one in candidates:
        if (
            one.rule.where != "beside"
            and _is_free(one, taken)
            and _fits_context(one, text, folded, visible, language, starts, taken)
        ):
            taken.append(one)
    waiting = [one for one in candidates if one.rule.where == "beside"]
    # Once in each direction, since one that is taken may be what another needs beside it.
    for one in waiting + waiting[::-1]:
        if _is_free(one, taken) and _is_beside(one, taken, visible):
            taken.append(one)
    return taken


def _is_closed(one: Found, closed: list[Closed]) -> bool:
    return any(one.start < part.reach[1] and part.reach[0] < one.end for part in closed)


def _find_candidates(visible: str, language: Language, now: datetime) -> list[Found]:
    found = []
    for order, rule, pattern in language.patterns.fitting(visible):
        for match in pattern.finditer(visible):
            groups = {**match.groupdict(), **rule.says}
            if match.end() > match.start() and (
                meaning := read_match(rule.means, groups, language, now)
            ):
                found.append(Found(match.start(), match.end(), order, rule, groups, meaning))
    # Leftmost and longest first: “next week Friday” before “Friday”.
    return sorted(found, key=lambda one: (one.start, -one.end, one.order))


def _is_free(one: Found, taken: list[Found]) -> bool:
    # “In the morning at 9” names the part twice.
    slots = one.meaning.slots - ({"part"} if one.meaning.clock else set())
    return all(
        (one.end <= other.start or other.end <= one.start) and not slots & other.meaning.slots
        for other in taken
    )


def _is_beside(one: Found, taken: list[Found], visible: str) -> bool:
    gaps = (
        visible[one.end : other.start] if other.start >= one.end else visible[other.end : one.start]
        for other in taken
    )
    return any(
        _NEAR.fullmatch(gap)
        for gap, other in zip(gaps, taken, strict=True)
        if other.meaning.kind != "priority"
    )


def _fits_context(
    one: Found,
    text: str,
    folded: Folded,
    visible: str,
    language: Language,
    starts: set[int],
    taken: list[Found],
) -> bool:
    """Return whether the words around a match let it be one."""
    introduced = bool(one.groups.get("pre"))
    # “By Friday” is a date whatever stands before the preposition, and the last word of “end of
    # day” says nothing of the day that follows it.
    follows = any(visible[other.end : one.start].isspace() for other in taken)
    if (
        not (introduced or follows)
        and language_words.word_before(visible, one.start) in language.before
    ):
        return False
    if (
        one.meaning.kind != "priority"
        and language_words.word_after(visible, one.end) in language.against
    ):
        return False
    match one.rule.where:
        case "free":
            return True
        case "phrase" if introduced or _begins_title(one, visible, taken):
            return True
        case "word" if introduced:
            return True
    return _is_apart(one, text, folded, visible, language, starts)


def _begins_title(one: Found, visible: str, taken: list[Found]) -> bool:
    """Return whether nothing but other dates stands before a match: “Friday 6pm dinner”."""
    before = visible[: one.start]
    for other in taken:
        before = before[: other.start] + " " * (other.end - other.start) + before[other.end :]
    return not before.strip(" ,")


def _is_apart(
    one: Found, text: str, folded: Folded, visible: str, language: Language, starts: set[int]
) -> bool:
    """Return whether a match ends where something else begins, and not a noun."""
    # Where the next word begins.
    following = one.end + len(visible[one.end :]) - len(visible[one.end :].lstrip())
    if following in starts or _APART.match(visible, one.end):
        return True
    word = language_words.word_after(visible, one.end)
    is_verb = (
        language.dates.names_capitalised
        and text[folded.places[following]].islower()
        and word not in language.before
    )
    return is_verb or word in language.after


def _is_a_name(one: Found, text: str, folded: Folded, language: Language) -> bool:
    """Return whether capitals make a title of it, as of a film or a show.

    Where nouns have capitals, the word is then another one.
    """
    start, end = folded.places[one.start], folded.places[one.end]
    if not (text[start].isupper() and text[start + 1 : start + 2].islower()):
        return False
    before = text[:start].rstrip()
    inside = before not in ("", NO_TITLE) and not _SENTENCE.search(before)
    if language.dates.names_capitalised:
        return inside and one.rule.means != "part"
    return not _APART.match(text, end) if inside else text[end:].lstrip()[:1].isupper()
