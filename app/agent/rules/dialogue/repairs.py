"""What somebody takes back while they write: “on Monday, I mean Tuesday”, “no wait, don't”."""

import functools
import re

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.turn.steps import Asked


def repair(asked: Asked, message: str, language: Language) -> str | None:
    """Return what a message means once it has corrected itself; None when it takes all back.

    A correction that is neither a day nor a wish of its own leaves the message as it is.
    """
    # The last one counts: “Monday, no, Tuesday, sorry, Wednesday”.
    places = list(_corrections(language).finditer(plain_letters(message)))
    if not places:
        return message
    before, after = message[: places[0].start()].rstrip(" ,;–-，、；"), message[places[-1].end() :]
    if dialogue_words.whole(language, "nothing", after):
        return None
    if not before.strip() or not after.strip():
        return message
    days, rest = _leading_day(asked, after, language)
    if days and (kept := with_day(asked, before, days, language)):
        return f"{kept} {rest}".rstrip()
    return message


def _leading_day(asked: Asked, text: str, language: Language) -> tuple[str, str]:
    """Return the day that a correction is, and what goes on after it: “Tuesday, to call Tom”."""
    head, comma, rest = text.partition(",")
    if dialogue_words.is_day(text, asked, language):
        return text.strip(), ""
    if comma and dialogue_words.is_day(head, asked, language):
        return head.strip(), rest.strip()
    return "", ""


def with_day(asked: Asked, text: str, days: str, language: Language) -> str:
    """Return a text with other days in place of those that it says; the repetition stays.

    Empty where it says none.
    """
    read = quickadd.read_line(text, now=asked.now, locale=None if language == "en" else language)
    spans = [span for span in read.spans if span.kind in ("date", "time")]
    if not spans and not read.no_such_day:
        return ""
    for span in sorted(spans, key=lambda span: -span.start):
        said = f" {days} " if span.start == min(one.start for one in spans) else " "
        text = text[: span.start].rstrip() + said + text[span.end :].lstrip()
    return (text if spans else f"{text} {days}").strip(" ,，、")


@functools.cache
def _corrections(language: Language) -> re.Pattern[str]:
    words = "|".join(
        language_data.join_pattern(table.corrects) for table in dialogue_words.tables(language)
    )
    # No boundary follows a word where no spaces part them.
    end = rf"(?:\b|(?<=[{dialogue_words.UNSPACED}]))[\s,:;!，、。！]*"
    return re.compile(
        rf"[,;.…–，、；。-]\s*(?:{words}){end}|\s+(?:no wait|wait no)\b[\s,:;]*", re.I
    )
