"""What a message that goes on from another is made of.

Days, ordinals, texts, and words of closed classes; what is left is a name or a text.
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.dialogue import closed_classes, dialogue_words, references, said_days
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.said_days import Token
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.turn.steps import Asked
from app.core.process.caches import keep_short

LONGEST = 160
"""What is longer is a wish of its own."""
LONGEST_LEFT = 60
"""So many letters from the first word of no class to the last."""
LITTLE = frozenset({"filler", "no", "it", "also", "to", "yes"})
"""The classes that change nothing of what a message asks for."""
SAYS = frozenset("no not_ undo it keep done also add there delete tick only".split())
"""The classes of which no word only begins a message."""
WEAK = frozenset({"filler", "helper", "asks"})
"""The classes of which no longer piece hides what others have in it."""
_TEXT = re.compile(
    r"[\"“„«「『]\s*(?P<quoted>[^\"“”„«»「」『』]+?)\s*[\"”“»」』]"
    r"|(?<=\w)\s?[:：]\s*(?P<after>[^\s\d:：].*\S|\d+\s\D.*|\S)$",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“„«「『][^\"“”„«»「」『』]+[\"”“»」』]")
_LEAD = re.compile(
    r"\s*(?P<lead>[^.!?,;:。！？，、；：]{1,40})[.!,;。！，、；…~]+\s*(?P<rest>\S.*)$", re.DOTALL
)
_OPENING = re.compile(
    r"\s*(?P<lead>[^.!?,;:。！？，、；：\s]{1,12})[,。！，…~\s]+(?P<rest>[^\s\w]*\w.{3,})$",
    re.DOTALL,
)
LONGEST_LENGTH = 4
"""So many words has a length of time at most."""


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
    rows = len(references.rows(asked, ("todo", "note")))
    days = said_days.find_days(
        message,
        folded,
        asked,
        language,
        hidden,
        lambda said, after: _is_ordinal(said, after, language, rows),
    )
    hidden += [(one.start, one.end) for one in days]
    ordinal = _ordinal(folded, language, hidden)
    hidden += [ordinal[:2]] if ordinal else []
    tokens = _tokens(folded, language, tuple(hidden))
    words = [
        found.span()
        for found in said_days.WORD.finditer(folded)
        if said_days.is_free(found.span(), hidden)
    ]
    return Said(
        message,
        language,
        tokens,
        tuple(words),
        tuple(said_days.turned_down(message, days, tokens)),
        (quote["quoted"] or quote["after"] or "").strip() if quote else "",
        ordinal[2] if ordinal else None,
    )


def names_note(pieces: Sequence[str], language: Language) -> bool:
    """Return whether one of these pieces of a message calls what it points at a note."""
    note = language_data.join_pattern(language_data.load_table(language, FollowUp).note)
    return any(re.search(note, plain_letters(one).lower()) for one in pieces)


def only_days(
    message: str,
    asked: Asked,
    language: Language,
    *,
    besides: Sequence[str] = ("change", "only", "helper"),
) -> bool:
    """Return whether a text is nothing but days and words that say nothing, or of the classes
    `besides`.
    """
    said = read(message, asked, language)
    return bool(said and said.days and not said.text and not said.left(*besides))


def only_little(message: str, language: Language, *kinds: str) -> bool:
    """Return whether a text is nothing but words that say nothing, or of these classes."""
    return not _as_words(message, plain_letters(message).lower(), language).left(*kinds)


def has_kind(message: str, language: Language, *kinds: str) -> bool:
    """Return whether a text has a word of any of these classes."""
    return _as_words(message, plain_letters(message).lower(), language).has(*kinds)


def without_quoted(message: str) -> str:
    """Return a message without what stands in quotation marks."""
    return _QUOTED.sub(" ", message)


def _as_words(message: str, folded: str, language: Language) -> Said:
    words = tuple(found.span() for found in said_days.WORD.finditer(folded))
    return Said(message, language, _tokens(folded, language), words, ())


def requests(message: str, language: Language) -> bool:
    """Return whether a message only seems to ask, as a polite wish does where no spaces part
    words: “能帮我…吗”.
    """
    if not closed_classes.is_unspaced(language):
        return False
    return closed_classes.requests(language).search(plain_letters(message).lower()) is not None


def begins_to_ask(message: str, language: Language) -> bool:
    """Return whether a text begins with a word that asks."""
    tokens = _tokens(plain_letters(message).lower(), language)
    return any(one.start == 0 and "asks" in one.kinds for one in tokens)


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


def without_opening(message: str, language: Language) -> str:
    """Return a message without the words before its first mark or space that only begin it, where
    no spaces part words: “ok, …”.
    """
    while (found := _OPENING.match(message)) and closed_classes.is_unspaced(language):
        lead = _as_words(found["lead"], plain_letters(found["lead"]).lower(), language)
        if lead.left("thanks", "helper") or lead.has(*SAYS):
            break
        message = found["rest"]
    return message


def length(said: Said, asked: Asked, *kinds: str) -> str:
    """Return the length of time that is named, as “half an hour”, where nothing else is said but
    words of these classes; empty where none is.
    """
    message, language = said.message, said.language
    words = [found.span() for found in said_days.WORD.finditer(message)]
    most = LONGEST_LENGTH + 2 * closed_classes.is_unspaced(language)
    tokens = _tokens(plain_letters(message).lower(), language)
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


def _is_ordinal(said: str, after: str, language: Language, rows: int) -> bool:
    """Return whether what may be a day is rather which one of so many things: “the second”; with
    “one” after it, also where there are not so many.
    """
    numbers = _ordinals(language).finditer(said)
    found = next((one for one in numbers if one.end() == len(said)), None)
    number = dialogue_words.ordinal(language, found[0]) if found else None
    if found is None or number is None:
        return False
    word = said_days.WORD.match(after.lstrip())
    named = word and dialogue_words.ordinal(language, f"{found[0]} {word[0]}") == number
    if not (named or 0 < number <= rows):
        return False
    return only_little(said[: found.start()], language)


def length_beside(said: Said, asked: Asked, *kinds: str) -> tuple[str, str]:
    """Return the length of time that stands beside a word of these classes, and the message
    without it; empty where none does.
    """
    message, language = said.message, said.language
    words = [found.span() for found in said_days.WORD.finditer(message)]
    ahead = language_data.load_table(language, Dialogue).ahead
    marks = [one for one in said.tokens if one.kinds & set(kinds)]
    most = LONGEST_LENGTH + 2 * closed_classes.is_unspaced(language)
    for size in range(most, 0, -1):
        for at in range(len(words) - size + 1):
            start, end = words[at][0], words[at + size - 1][1]
            near = any(
                not message[end : one.start].strip(" ,") or not message[one.end : start].strip(" ,")
                for one in marks
                if one.start >= end or one.end <= start
            )
            by = message[start:end]
            if near and dialogue_words.is_day(ahead.replace("{by}", by), asked, language):
                return by, f"{message[:start]},{message[end:]}"
    return "", ""


def left_of(message: str, language: Language, *kinds: str) -> str:
    """Return the part of a text that is neither little nor of these classes."""
    return _as_words(message, plain_letters(message).lower(), language).left(*kinds).strip(" ,")


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
        within = within or said_days.names_priority(folded[: found.start()], language)
        if number is not None and not within and said_days.is_free(found.span(), hidden):
            return found.start(), found.end(), number
    return None


@keep_short  # each step of a turn begins from the message anew
def _tokens(
    folded: str, language: Language, hidden: tuple[tuple[int, int], ...] = ()
) -> tuple[Token, ...]:
    """Return the words of closed classes; what lies within a longer one is part of that."""
    for start, end in hidden:
        folded = folded[:start] + "," * (end - start) + folded[end:]
    spans: dict[tuple[int, int], set[str]] = {}
    for kind, pattern in closed_classes.classes(language):
        for span in closed_classes.places(language, kind, pattern, folded):
            spans.setdefault(span, set()).add(kind)
    return tuple(
        Token(start, end, frozenset(kinds))
        for (start, end), kinds in sorted(spans.items())
        if not any(
            other != (start, end) and other[0] <= start and end <= other[1] and marks - WEAK
            for other, marks in spans.items()
        )
    )


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
