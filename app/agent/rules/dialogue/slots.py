"""What a message that goes on from another is made of.

Days, ordinals, texts, and words of closed classes; what is left is a name or a text.
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import closed_classes, dialogue_words
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.dialogue_words import UNSPACED
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.turn.steps import Asked

LONGEST = 160
"""What is longer is a wish of its own."""
LONGEST_LEFT = 60
"""So many letters from the first word of no class to the last."""
LITTLE = frozenset({"filler", "no", "it", "also", "to", "yes"})
"""The classes that change nothing of what a message asks for."""
WEAK = frozenset({"filler", "helper", "asks"})
"""The classes of which no longer piece hides what others have in it."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_TEXT = re.compile(
    r"[\"“„«「『]\s*(?P<quoted>[^\"“”„«»「」『』]+?)\s*[\"”“»」』]"
    r"|(?<=\w)\s?[:：]\s*(?P<after>[^\s\d:：].*\S|\d+\s\D.*|\S)$",
    re.DOTALL,
)
_LEAD = re.compile(
    r"\s*(?P<lead>[^.!?,;:。！？，、；：]{1,40})[.!,;。！，、；…~]+\s*(?P<rest>\S.*)$", re.DOTALL
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
LONGEST_LENGTH = 4
"""So many words has a length of time at most."""
_CLAUSE = re.compile(r"[,;.!，。、；！]")
_BESIDE = re.compile(r"[\s,]{0,3}")


class Token(NamedTuple):
    """A piece of a message, with the classes that it may be of."""

    start: int
    end: int
    kinds: frozenset[str]
    text: str = ""
    """What a day is read from, where it lacks a word as it stands."""


class Said(NamedTuple):
    """What a message is made of, as it was written; `text` was quoted or follows a colon."""

    message: str
    language: Language
    tokens: tuple[Token, ...]
    words: tuple[tuple[int, int], ...]
    days: tuple[Token, ...]
    text: str = ""
    number: int | None = None
    """Which one of a list is meant, from 1, or -1 for the last."""

    def has(self, *kinds: str) -> bool:
        """Return whether there is a word of any of these classes."""
        return any(token.kinds & set(kinds) for token in self.tokens)

    def left(self, *kinds: str) -> str:
        """Return the part that is neither little nor of these classes: one piece from the first
        such word to the last.
        """
        allowed = LITTLE | set(kinds)
        held = [token for token in self.tokens if token.kinds & allowed]
        free = [
            (start, end)
            for start, end in self.words
            if not any(one.start <= start and end <= one.end for one in held)
        ]
        return self.message[free[0][0] : free[-1][1]] if free else ""

    def left_after(self, token: Token) -> bool:
        """Return whether a word of no class stands after one."""
        last = self.left()
        return bool(last) and self.message.rindex(last) + len(last) > token.start

    @property
    def asks(self) -> bool:
        """Whether something is asked, and not politely wished."""
        if closed_classes.requests(self.language).search(plain_letters(self.message).lower()):
            return False
        return self.message.rstrip().endswith(("?", "？")) or self.has("asks", "count")

    @property
    def is_long(self) -> bool:
        """Whether so much is left that the message says what it wants by itself."""
        return len(self.left(*KINDS)) > LONGEST_LEFT

    @property
    def day(self) -> str:
        """The day or time that is named; of several that which is not turned down."""
        kept = [one for one in self.days if not one.kinds]
        return kept[-1].text or self._slice(kept[-1]) if kept else ""

    def _slice(self, one: Token) -> str:
        return self.message[one.start : one.end].strip(" ,")


def read(message: str, asked: Asked, language: Language) -> Said | None:
    """Return what a message is made of; None where it is too long to go on from another."""
    if len(message) > LONGEST or not language_data.has_table(language, FollowUp):
        return None
    message = message.replace("’", "'")
    folded = plain_letters(message).lower()
    quote = _TEXT.search(message)
    if quote and quote["after"] and _ordinals(language).fullmatch(folded[: quote.start()]):
        quote = None  # “The second one: tag it winter.”
    hidden = [quote.span()] if quote else []
    if not quote and (whole := _as_words(message, folded, language)).is_long:
        return whole
    days = _days(message, folded, asked, language, hidden)
    hidden += [(one.start, one.end) for one in days]
    ordinal = _ordinal(folded, language, hidden)
    hidden += [ordinal[:2]] if ordinal else []
    tokens = _tokens(folded, language, hidden)
    words = [found.span() for found in _WORD.finditer(folded) if _is_free(found.span(), hidden)]
    return Said(
        message,
        language,
        tuple(tokens),
        tuple(words),
        tuple(_turned_down(message, days, tokens)),
        (quote["quoted"] or quote["after"] or "").strip() if quote else "",
        ordinal[2] if ordinal else None,
    )


def names_note(pieces: Sequence[str], language: Language) -> bool:
    """Return whether one of these pieces of a message calls what it points at a note."""
    note = language_data.join_pattern(language_data.load_table(language, FollowUp).note)
    return any(re.search(note, plain_letters(one).lower()) for one in pieces)


def only_days(message: str, asked: Asked, language: Language) -> bool:
    """Return whether a text is nothing but days and words that say nothing."""
    said = read(message, asked, language)
    return bool(said and said.days and not said.left("change", "only", "helper"))


def only_little(message: str, language: Language, *kinds: str) -> bool:
    """Return whether a text is nothing but words that say nothing, or of these classes."""
    return not _as_words(message, plain_letters(message).lower(), language).left(*kinds)


def _as_words(message: str, folded: str, language: Language) -> Said:
    words = tuple(found.span() for found in _WORD.finditer(folded))
    return Said(message, language, tuple(_tokens(folded, language, ())), words, ())


def begins_to_ask(message: str, language: Language) -> bool:
    """Return whether a text begins with a word that asks."""
    tokens = _tokens(plain_letters(message).lower(), language, ())
    return any(one.start == 0 and "asks" in one.kinds for one in tokens)


def ends_asking(message: str, language: Language) -> bool:
    """Return whether the last word of a text asks: “to be turned how often”."""
    folded = plain_letters(message).lower().rstrip(" .!…")
    tokens = _tokens(folded, language, ())
    return any(one.end == len(folded) and "asks" in one.kinds and one.start for one in tokens)


def without_fillers(message: str, language: Language) -> str:
    """Return a message without the words at its edges that say nothing: “oh, never mind then”."""
    if len(message) > LONGEST or not language_data.has_table(language, FollowUp):
        return message
    said = _as_words(message, plain_letters(message).lower(), language)
    little = [one for one in said.tokens if "filler" in one.kinds]
    kept = [
        span
        for span in said.words
        if not any(one.start <= span[0] and span[1] <= one.end for one in little)
    ]
    return message[kept[0][0] : kept[-1][1]] if kept else message


def without_lead(message: str, language: Language) -> str:
    """Return a message without the clauses before it that say nothing: “Never mind. …”."""
    while found := _LEAD.match(message):
        if not language_data.has_table(language, FollowUp):
            return message
        if not only_little(found["lead"], language, "thanks", "helper"):
            return message
        message = found["rest"]
    return message


def length(said: Said, asked: Asked, *kinds: str) -> str:
    """Return the length of time that is named, as “half an hour”, where nothing else is said but
    words of these classes; empty where none is.
    """
    message, language = said.message, said.language
    words = [found.span() for found in _WORD.finditer(message)]
    most = LONGEST_LENGTH + 2 * closed_classes.is_unspaced(language)
    tokens = _tokens(plain_letters(message).lower(), language, ())
    held = [one for one in tokens if one.kinds & (LITTLE | set(kinds))]
    left = [
        at
        for at, (start, end) in enumerate(words)
        if not any(one.start <= start and end <= one.end for one in held)
    ]
    # It holds all that no class has.
    if not left or left[-1] - left[0] >= most:
        return ""
    ahead = language_data.load_table(language, Dialogue).ahead
    windows = [
        (start, end)
        for start in range(max(0, left[-1] + 1 - most), left[0] + 1)
        for end in range(left[-1] + 1, min(len(words), start + most) + 1)
    ]
    for start, end in sorted(windows, key=lambda one: one[0] - one[1]):
        by = message[words[start][0] : words[end - 1][1]]
        for said_so in (by, f"1 {by}") if end - start == 1 else (by,):
            if dialogue_words.is_day(ahead.replace("{by}", said_so), asked, language):
                return said_so
    return ""


def _is_free(span: tuple[int, int], hidden: Sequence[tuple[int, int]]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in hidden)


def _days(
    message: str, folded: str, asked: Asked, language: Language, hidden: Sequence[tuple[int, int]]
) -> list[Token]:
    """Return the days and times of a message; what belongs together as one."""
    locale = None if language == "en" else language
    read = quickadd.read_line(f"x {message}", now=asked.now, locale=locale)
    spans = [(one.start - 2, one.end - 2) for one in read.spans if one.kind in ("date", "time")]
    more = _more_days(message, folded, asked, language, [*hidden, *spans])
    spans += [span for span in more if not more[span]]
    # “一点” after “低” is no hour.
    levels = language_data.load_table(language, Dialogue).priorities.values()
    within = [one.span() for level in levels for one in dialogue_words.find_all(level, folded)]
    spans = [
        span
        for span in spans
        if not any(start < span[0] and span[1] <= end for start, end in within)
    ]
    found: list[Token] = [Token(*span, frozenset(), text) for span, text in more.items() if text]
    for start, end in sorted(spans):
        if not _is_free((start, end), hidden) or start < 0:
            continue
        if (
            found
            and _BESIDE.fullmatch(folded[found[-1].end : start])
            and "," not in folded[found[-1].end : start]
        ):
            found[-1] = Token(found[-1].start, end, frozenset())
        else:
            found.append(Token(start, end, frozenset()))
    return sorted(found)


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
        if not _is_free((start, end), [*hidden, *found]):
            continue
        before = [one.start() for one in _WORD.finditer(folded[:start])]
        after = [end + one.end() for one in _WORD.finditer(folded[end:])]
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
            if on and named[0][-1:] in ".hdt" and dialogue_words.is_day(whole, asked, language):
                found[start, end] = whole
    return found


def _turned_down(message: str, days: Sequence[Token], tokens: Sequence[Token]) -> list[Token]:
    """Return days with those marked that are denied or do not suit."""
    if len(days) == 1 and any(_is_against(message, days[0], one) for one in tokens):
        return [days[0]._replace(kinds=frozenset({"bad"}))]
    marked = []
    for at, day in enumerate(days):
        after = days[at + 1].start if at + 1 < len(days) else 10**6
        before = days[at - 1].end if at else 0
        denied = any("not_" in one.kinds and before <= one.start < day.start for one in tokens)
        bad = any("bad" in one.kinds and day.end <= one.start < after for one in tokens)
        marked.append(day._replace(kinds=frozenset({"bad"})) if denied or bad else day)
    return marked


def _is_against(message: str, day: Token, token: Token) -> bool:
    """Return whether a word is against the only day: “not”, or “I'm out on Friday”."""
    beside = token.end <= day.start and not _CLAUSE.search(message[token.end : day.start])
    return "not_" in token.kinds or ("bad" in token.kinds and beside)


def _ordinal(
    folded: str, language: Language, hidden: Sequence[tuple[int, int]]
) -> tuple[int, int, int] | None:
    for found in _ordinals(language).finditer(folded):
        if found[0].isdecimal():
            continue
        number = dialogue_words.ordinal(language, found[0])
        within = any(
            (one.start() <= found.start() and found.end() < one.end())
            or one[0].startswith(f"{found[0]} ")
            for kind in ("due", "priority", "no")
            for one in closed_classes.class_of(language, kind).finditer(folded)
        )
        if number is not None and not within and _is_free(found.span(), hidden):
            return found.start(), found.end(), number
    return None


def _tokens(folded: str, language: Language, hidden: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the words of closed classes; what lies within a longer one is part of that."""
    for start, end in hidden:
        folded = folded[:start] + "," * (end - start) + folded[end:]
    spans: dict[tuple[int, int], set[str]] = {}
    for kind, pattern in closed_classes.classes(language):
        for span in closed_classes.places(language, kind, pattern, folded):
            spans.setdefault(span, set()).add(kind)
    return [
        Token(start, end, frozenset(kinds))
        for (start, end), kinds in sorted(spans.items())
        if not any(
            other != (start, end) and other[0] <= start and end <= other[1] and marks - WEAK
            for other, marks in spans.items()
        )
    ]


@functools.cache
def _ordinals(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Dialogue)
    named = "|".join(map(language_data.join_pattern, table.ordinals.values()))
    numbered = language_data.join_pattern(table.numbered).replace(
        "{number}", rf"(?:{named}|\d{{1,2}}(?:st|nd|rd|th|\.)?)"
    )
    # A number alone may be anything.
    spaced = rf"(?<![\w'])(?!\d+(?![\w.]))(?:{numbered})(?!\w)"
    return re.compile(spaced if not closed_classes.is_unspaced(language) else numbered)


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
        return closed_classes.compiled(rf"{words}|\d{{1,2}}(?=[{UNSPACED}:：])")
    unit = rf"[{UNSPACED}]{{1,2}}|\s?[a-z]{{1,2}}|\."
    return closed_classes.compiled(rf"{words}|\d{{1,2}}(?:[:.h]\d\d)?(?:{unit})?")
