"""The days and times that a message which goes on from another names."""

import functools
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from app.agent.quickadd import quickadd, time_ranges
from app.agent.rules.dialogue import closed_classes, dialogue_words
from app.agent.rules.dialogue.dialogue_words import UNSPACED
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import split_words
from app.agent.turn.steps import Asked

WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_CLAUSE = re.compile(r"[,;.!，。、；！]")
_BESIDE = re.compile(r"[\s,]{0,3}")


class Token(NamedTuple):
    """A piece of a message, with the classes that it may be of."""

    start: int
    end: int
    kinds: frozenset[str]
    text: str = ""
    """What a day is read from, where it lacks a word as it stands."""


def is_free(span: tuple[int, int], hidden: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place lies beside all that is hidden."""
    return all(span[1] <= start or end <= span[0] for start, end in hidden)


def find_days(
    message: str,
    folded: str,
    asked: Asked,
    language: Language,
    hidden: Sequence[tuple[int, int]],
    is_else: Callable[[str, str], bool],
) -> list[Token]:
    """Return the days and times of a message without what `is_else` by its words and those that
    follow; what belongs together as one.
    """
    read = quickadd.read_line(f"x {message}", now=asked.now, locale=language)
    spans = [(one.start - 2, one.end - 2) for one in read.spans if one.kind in ("date", "time")]
    # “Two days later” counts from the day that something has, not from now.
    later = closed_classes.class_of(language, "later")
    spans = [one for one in spans if not any(at.end() == one[1] for at in later.finditer(folded))]
    more = _more_days(message, folded, asked, language, [*hidden, *spans])
    spans += [span for span in more if not more[span]]
    of_month = _of_month(folded, asked, language, [*hidden, *spans, *more])
    # “一点” after “低” is no hour.
    levels = language_data.load_table(language, Dialogue).priorities.values()
    within = [one.span() for level in levels for one in dialogue_words.find_all(level, folded)]
    spans = [
        span
        for span in spans
        if not any(start < span[0] and span[1] <= end for start, end in within)
    ]
    found = [Token(*span, frozenset(), text) for span, text in more.items() if text]
    found += of_month
    found += [Token(*span, frozenset()) for span in spans if span[0] >= 0 and is_free(span, hidden)]
    found = [
        one for one in found if not is_else(folded[one.start : one.end].strip(), folded[one.end :])
    ]
    joined: list[Token] = []
    for one in sorted(found):
        between = folded[joined[-1].end : one.start] if joined else "-"
        if _BESIDE.fullmatch(between) and "," not in between:
            last = joined.pop()
            texts = [day.text or message[day.start : day.end].strip() for day in (last, one)]
            text = " ".join(texts) if last.text or one.text else ""
            joined.append(Token(last.start, one.end, frozenset(), text))
        else:
            joined.append(one)
    return joined


def _more_days(
    message: str, folded: str, asked: Asked, language: Language, hidden: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """Return the days that quick add leaves in a title, as they stand beside no mark: words for
    days and numbers, with a word before or after them, or one that is missing, where that is
    needed.
    """
    found: dict[tuple[int, int], str] = {}
    on = language_data.load_table(language, FollowUp).on
    for named in _named_days(language).finditer(folded):
        start, end = named.span()
        if not is_free((start, end), [*hidden, *found]):
            continue
        before = [one.start() for one in WORD.finditer(folded[:start])]
        after = [end + one.end() for one in WORD.finditer(folded[end:])]
        tried = [(start, end)]
        tried += [(start, after[0])] if after else []
        tried += [(before[-1], end)] if before else []
        tried += [(before[-2], end)] if len(before) > 1 and named[0].isdecimal() else []
        if closed_classes.is_unspaced(language):
            tried = list(dialogue_words.windows(folded, start, end))
        for span in tried:
            if dialogue_words.is_day(message[slice(*span)], asked, language):
                found[span] = ""
                break
        else:
            if closed_classes.is_unspaced(language) and on and folded.startswith(on[0], end):
                # “8日” alone may be a length of time, too; “8日分” is one.
                of_month = f"{named[0]}{on}"
                is_length = _HAN.match(folded, end + 1)
                if not is_length and dialogue_words.is_day(of_month, asked, language):
                    found[start, end + 1] = of_month
                continue
            whole = f"{on} {named[0]}"
            marked = on and named[0][-1:] in ".hdt" and not names_priority(folded[:start], language)
            with_mark, without = (
                dialogue_words.is_day(one, asked, language) for one in (whole, whole.rstrip("."))
            )
            if marked and with_mark and (whole[-1] != "." or not without):
                found[start, end] = whole
    return found


def names_priority(before: str, language: Language) -> bool:
    """Return whether what stands before a number says that it is a priority."""
    words = closed_classes.class_of(language, "priority").finditer(before)
    return any(not before[one.end() :].strip(" :") for one in words)


def _of_month(
    folded: str, asked: Asked, language: Language, hidden: Sequence[tuple[int, int]]
) -> list[Token]:
    """Return the days of a month that are said by their number alone: “it's the fifth”."""
    found: list[Token] = []
    on = language_data.load_table(language, FollowUp).on
    for said in _numbered_days(language).finditer(folded):
        if not is_free(said.span(), hidden):
            continue
        number = _numbers(language).get(said["number"]) or said["number"]
        texts = [f"{on} {number}{mark}" for mark in ("", ".", "th")]
        if closed_classes.is_unspaced(language):
            texts = [f"{number}{on}"]
        if text := next((one for one in texts if dialogue_words.is_day(one, asked, language)), ""):
            found.append(Token(*said.span(), frozenset(), text))
    return found


def turned_down(message: str, days: Sequence[Token], tokens: Sequence[Token]) -> list[Token]:
    """Return days with those marked that are denied or do not suit."""
    if len(days) == 1 and any(_is_against(message, days[0], one) for one in tokens):
        return [days[0]._replace(kinds=frozenset({"bad"}))]
    marked = []
    for at, day in enumerate(days):
        after = days[at + 1].start if at + 1 < len(days) else 10**6
        before = days[at - 1].end if at else 0
        denied = any(
            before <= one.start < day.start and _denies(message, day, one) for one in tokens
        )
        bad = any("bad" in one.kinds and day.end <= one.start < after for one in tokens)
        marked.append(day._replace(kinds=frozenset({"bad"})) if denied or bad else day)
    return marked


def _is_against(message: str, day: Token, token: Token) -> bool:
    """Return whether a word is against the only day: “not”, or “I'm out on Friday”."""
    return _denies(message, day, token) or (
        "bad" in token.kinds and _is_beside(message, day, token)
    )


def _denies(message: str, day: Token, token: Token) -> bool:
    """Return whether a word denies a day: the Chinese “no” is “not”, too, but for a comma."""
    before = token.end <= day.start and not _is_beside(message, day, token)
    return "not_" in token.kinds and not (before and "no" in token.kinds)


def _is_beside(message: str, day: Token, token: Token) -> bool:
    return token.end <= day.start and not _CLAUSE.search(message[token.end : day.start])


@functools.cache
def _numbers(language: Language) -> dict[str, int]:
    """Return the words for the number of a day."""
    table = language_data.load_table(language, Dates).numbers
    return {word: number for number, words in table.items() if 0 < number < 32 for word in words}


@functools.cache
def _numbered_days(language: Language) -> re.Pattern[str]:
    pattern = language_data.join_pattern(language_data.load_table(language, FollowUp).of_month)
    words = "|".join(sorted(map(re.escape, _numbers(language)), key=len, reverse=True))
    return closed_classes.compiled(
        pattern.replace("{number}", rf"(?P<number>[12]\d|3[01]|0?[1-9]|{words})")
    )


@functools.cache
def _named_days(language: Language) -> re.Pattern[str]:
    """Return the pattern of words that may name a day or a time of day."""
    table = language_data.load_table(language, Dates)
    named = {
        one
        for field in (table.weekdays, table.days, table.parts)
        for words in field.values()
        for one in words
        if len(one) > 2 or not table.spaced
    }
    words = "|".join(sorted(map(re.escape, named), key=len, reverse=True))
    if not table.spaced:  # how far it goes is tried
        numbers = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
        return closed_classes.compiled(rf"{words}|(?:{numbers})(?=[{UNSPACED}:：])")
    unit = rf"[{UNSPACED}]{{1,2}}|\s?[a-z]{{1,2}}|\."
    return closed_classes.compiled(rf"{words}|\d{{1,2}}(?:[:.h]\d\d)?(?:{unit})?")


def past_days(asked: Asked, text: str, language: Language) -> list[date | None]:
    """Return the day that a text names, the last such one: “on Saturday I found 2 kg”; None in its
    place where it names several, or one that has not been.
    """
    bare = dialogue_words.bare(text)
    found = dialogue_words.find_days(bare, asked.now) or dialogue_words.bare_weekday(
        bare, asked.now
    )
    if found is None:
        return []
    is_one = found[0].end - found[0].start <= timedelta(days=1, hours=1)
    if not is_one or _is_to_come(bare[found[1] : found[2]], language):
        return [None]
    today = asked.now.date()
    day = time_ranges.been(found[0], today).start.date()
    return [day if day <= today else None]


def _is_to_come(named: str, language: Language) -> bool:
    """Return whether words name a day after today by how far it is: “tomorrow”."""
    days = language_data.load_table(language, Dates).days
    to_come = [one for number, words in days.items() if number > 0 for one in words]
    held = named if questions.is_asian(named) else split_words(named)
    return any(one in held for one in to_come)
