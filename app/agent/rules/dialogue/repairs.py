"""What somebody takes back while they write: “on Monday, I mean Tuesday”, “no wait, don't”."""

import functools
import re
from typing import NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.turn.steps import Asked

_CLAUSE = re.compile(r"[,;.!–—，、；。！]+\s*|\s-\s")


class Repaired(NamedTuple):
    """What a message means once it has corrected itself.

    Where it takes all back, the message is what goes on after that: “forget it, we have plenty”.
    """

    message: str
    takes_back: bool = False


def repair(asked: Asked, message: str, language: Language) -> Repaired:
    """Return what a message means once it has corrected itself.

    A correction that is neither a day nor a wish of its own leaves the message as it is.
    """
    # The last one counts: “Monday, no, Tuesday, sorry, Wednesday”.
    places = list(_corrections(language).finditer(plain_letters(message)))
    if not places:
        return Repaired(_redated(asked, message, language))
    before, after = message[: places[0].start()].rstrip(" ,;–-，、；"), message[places[-1].end() :]
    if dialogue_words.whole(language, "nothing", after):
        return Repaired("", takes_back=True)
    head, *rest = _CLAUSE.split(after, maxsplit=1)
    if rest and dialogue_words.whole(language, "nothing", head):
        return Repaired(rest[0].strip(), takes_back=True)
    if not before.strip() or not after.strip():
        return Repaired(message)
    days, more = _leading_day(asked, after, language)
    if days and (kept := with_day(asked, before, days, language)):
        return Repaired(f"{kept} {more}".rstrip())
    return Repaired(message)


def _redated(asked: Asked, message: str, language: Language) -> str:
    """Return a message with the day that it ends with in place of the one before, where words that
    correct stand between them as people say them: “on Thursday sorry Friday”.
    """
    places = list(_spoken_corrections(language).finditer(plain_letters(message)))
    if not places or dialogue_words.whole(language, "no", places[-1][0]):
        return message
    before, days = message[: places[0].start()], message[places[-1].end() :].strip()
    if not before.strip() or not dialogue_words.is_day(days, asked, language):
        return message
    return with_day(asked, before, days, language) or message


def _leading_day(asked: Asked, text: str, language: Language) -> tuple[str, str]:
    """Return the day that a correction is, and what goes on after it: “Tuesday, to call Tom”."""
    head, comma, rest = text.partition(",")
    if dialogue_words.is_day(text, asked, language):
        return text.strip(), ""
    if comma and dialogue_words.is_day(head, asked, language):
        return head.strip(), rest.strip()
    return "", ""


def with_day(asked: Asked, text: str, days: str, language: Language) -> str:
    """Return a text with other days in place of those that it says; a time of day alone stands in
    place of the time, a day alone of the day, and the repetition stays.

    Empty where it says none.
    """
    locale = None if language == "en" else language
    read = quickadd.read_line(text, now=asked.now, locale=locale)
    told = {one.kind for one in quickadd.read_line(f"x {days}", now=asked.now, locale=locale).spans}
    every = [span for span in read.spans if span.kind in ("date", "time")]
    if not every and not read.no_such_day:
        return ""
    spans = [one for one in every if one.kind in told]
    if not spans:
        return f"{text.rstrip(' .!?')} {days}"
    for span in sorted(spans, key=lambda span: -span.start):
        said = f" {days} " if span.start == min(one.start for one in spans) else " "
        text = text[: span.start].rstrip() + said + text[span.end :].lstrip()
    return text.strip(" ,，、")


@functools.cache
def _corrections(language: Language) -> re.Pattern[str]:
    words, end = _words_that_correct(language)
    return re.compile(rf"[,;.…–，、；。-]\s*{words}{end}|\s+(?:no wait|wait no)\b[\s,:;]*", re.I)


@functools.cache
def _spoken_corrections(language: Language) -> re.Pattern[str]:
    words, end = _words_that_correct(language)
    return re.compile(rf"\s(?:{words}{end})+", re.I)


def _words_that_correct(language: Language) -> tuple[str, str]:
    """Return the pattern of the words, and of what ends them."""
    words = "|".join(
        language_data.join_pattern(table.corrects) for table in dialogue_words.tables(language)
    )
    # No boundary follows a word where no spaces part them.
    return f"(?:{words})", rf"(?:\b|(?<=[{dialogue_words.UNSPACED}]))[\s,:;!，、。！]*"
