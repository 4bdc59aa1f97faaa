"""What somebody takes back while they write: “on Monday, I mean Tuesday”, “no wait, don't”."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import closed_classes, dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language, Routing
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.turn.steps import Asked

LONGEST_DAY = 8
"""So many words has a day with its hour at most."""
_EDGE = " ,;–-，、；.。…"
_MARKS = r"[\s,;.…–，、；。-]"
MOST_CORRECTED = 5
"""So many words before a correction may be what it corrects."""
_HOUR = re.compile(r"\d{1,2}(?:[.:]\d\d)?(?=\W*$)")
_LAST_HOUR = re.compile(r"(?<!\S)\d{1,2}(?:[.:]\d\d)?$")
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
    return Repaired(_redated(asked, message, language))


def corrects(text: str, language: Language) -> bool:
    """Return whether a text begins with words that take back what stands before it."""
    return _spoken_corrections(language).match(f" {plain_letters(text)}") is not None


def _redated(asked: Asked, message: str, language: Language) -> str:
    """Return a message with the later one of two days that words which correct part as people say
    them: “on Thursday sorry Friday”, “on the fourteenth no the fifteenth at two, the optician”.
    """
    # “Er” may stand before the wish, too, where it corrects nothing.
    for before, after, corrects in _arounds(message, language):
        if before and after and (kept := _with_later(asked, before, after, corrects, language)):
            return kept
    return message


def _with_later(asked: Asked, before: str, after: str, corrects: str, language: Language) -> str:
    """Return what stands before words that correct, with the day after them; empty where that is
    none.
    """
    doubtful = dialogue_words.whole(language, "no", corrects)
    if not doubtful and dialogue_words.is_day(after, asked, language):
        return with_day(asked, before, after, language)
    # What only says no must stand right between them.
    old, _ = day_beside(asked, before, language, -1)
    new, said = day_beside(asked, after, language, 1)
    if old and not new and (hour := _HOUR.match(after)) and (at := _LAST_HOUR.search(old)):
        new, said = hour[0], old[: at.start()] + hour[0]  # “at 7, no, make it 8”
    if not old or not new:
        return ""
    said = next(
        (one for one in _of_month(said, old, language) if _is_day(one, asked, language)), said
    )
    kept = with_day(asked, f"x {old}", said, language).removeprefix("x").strip()
    gap = "" if closed_classes.is_unspaced(language) else " "
    rest = [before[: -len(old)].rstrip(), kept or said, after[len(new) :].strip()]
    return gap.join(rest).strip()


def _arounds(message: str, language: Language) -> Iterator[tuple[str, str, str]]:
    """Yield what stands before each of the words that correct, what after the last, and that."""
    places = list(_spoken_corrections(language).finditer(plain_letters(message)))
    for place in places:
        after = message[places[-1].end() :]
        yield message[: place.start()].rstrip(_EDGE), after.strip(_EDGE), places[-1][0].strip(_EDGE)


def day_beside(asked: Asked, text: str, language: Language, side: int) -> tuple[str, str]:
    """Return the longest row of words at the end (-1) or beginning (1) of a text that is a day, and
    how it is one.
    """
    text, unspaced = text.strip(), closed_classes.is_unspaced(language)
    parts = list(re.finditer(r"\S" if unspaced else r"\S+", text))
    on = language_data.load_table(language, FollowUp).on
    for count in range(min(LONGEST_DAY * (1 + unspaced), len(parts)), 0, -1):
        row = text[parts[-count].start() :] if side < 0 else text[: parts[count - 1].end()]
        # “十四日” alone may be a length of time, and “the 14th” a thing.
        whole = f"{row}{on[-1:]}" if unspaced else f"{on} {row.removeprefix('the ')}"
        for said in (row, whole):
            if _is_day(said, asked, language):
                return row, said
    return "", ""


def _of_month(said: str, old: str, language: Language) -> Iterator[str]:
    """Yield a day with the month of the day before it: “December the 14th, no the 15th”."""
    table = language_data.load_table(language, Dates)
    names = [name for names in table.months.values() for name in names if table.spaced]
    for word in re.findall(r"[^\W\d_]+", plain_letters(old).lower()):
        if word not in names or word in plain_letters(said).lower():
            continue
        parts = said.split()
        for at in range(len(parts), 0, -1):
            for link in ("", "of ", "de "):
                yield " ".join([*parts[:at], f"{link}{word}", *parts[at:]])


def _is_day(text: str, asked: Asked, language: Language) -> bool:
    return dialogue_words.is_day(text, asked, language)


def guess(message: str, language: Language) -> str:
    """Return what a message likely means that corrects other words than a day: “walk the cat I mean
    feed the cat”; empty where none of its words says what they stand instead of.
    """
    before, after, _ = next(_arounds(message, language), ("", "", ""))
    unspaced = closed_classes.is_unspaced(language)
    shape = r"\w" if unspaced else r"[\w'-]+"
    said, instead = (
        list(re.finditer(shape, plain_letters(one).lower())) for one in (before, after)
    )
    if not said or not instead:
        return ""
    article = re.compile(
        language_data.join_pattern(language_data.load_table(language, Routing).article or "(?!)")
    )
    first, last = instead[0][0], said[-1][0]
    alike = [
        one
        for one in said[-MOST_CORRECTED:]
        if one[0] == first or (article.fullmatch(first) and article.fullmatch(one[0]))
    ]
    ends = [at for at, one in enumerate(instead) if one[0] == last][:1]
    if alike:
        start = alike[-1].start()
    elif ends and ends[0] < len(said):
        start = said[-1 - ends[0]].start()
    else:
        return ""
    kept = before[:start].rstrip()
    return f"{kept}{'' if unspaced or not kept else ' '}{after}"


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
    read = quickadd.read_line(text, now=asked.now, locale=language)
    told = {
        one.kind for one in quickadd.read_line(f"x {days}", now=asked.now, locale=language).spans
    }
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
    if closed_classes.is_unspaced(language):
        return re.compile(rf"{_MARKS}*(?:{words}{end})+", re.I)
    return re.compile(rf"{_MARKS}+(?:{words}{end})+", re.I)


def _words_that_correct(language: Language) -> tuple[str, str]:
    """Return the pattern of the words, and of what ends them."""
    words = "|".join(
        language_data.join_pattern(table.corrects) for table in dialogue_words.tables(language)
    )
    # No boundary follows a word where no spaces part them.
    return f"(?:{words})", rf"(?:\b|(?<=[{dialogue_words.UNSPACED}]))[\s,:;!，、。！]*"
