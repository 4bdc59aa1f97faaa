"""The days that a wish names: also where a line to be noted would keep them in its title."""

import functools
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.answers import todo_changes
from app.agent.rules.changes.marked import Marked, is_old, words_of
from app.agent.rules.dialogue import dialogue_words, repairs
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.mentions import mentions, parts
from app.agent.turn.steps import Asked, Thing

SHORT = 5
"""So short a number in words says how many, and no day."""
_TOPIC = re.compile("^[はもにの、]+(?![\u3040-\u309f])")
"""The particle of a day, before what is to be done then: “明日は接着剤”."""
TO_DAY = "に"
"""What follows a day of the month that would else be a length: “10日に早めて”."""
BEFORE, AFTER = 2, 4
"""So many words belong to a day around the one that names it; letters where none are spaced."""


def find(message: str, asked: Asked, language: Language) -> list[tuple[int, int]]:
    """Return from where to where a message names days and times."""
    found = [(one.start, one.end) for one in mentions.moments(message, asked.now, language)]
    more = _widest(message, asked, language)
    return sorted([*found, *(one for one in more if not any(_meet(one, other) for other in found))])


def shift(asked: Asked, marked: Marked, language: Language) -> dict[str, str]:
    """Return how far something is moved, and whether that is earlier: “two days later”; nothing
    where a message says no length of time or names a day beside it.
    """
    words = words_of(language)
    ways = [one for one in (words.earlier, words.later) if marked.has(one)]
    found = list(mentions.lengths(marked.message, parts.split(marked.message), asked, language))
    if not ways or not found:
        return {}
    start, end = found[0].start, found[0].end
    if marked.text[end : end + 1] == TO_DAY:
        return {}
    rest = Marked(marked.message[:start] + " , " + marked.message[end:])
    if any(not is_old(rest.text, *one, words) for one in find(rest.message, asked, language)):
        return {}
    marked.mark([(start, end)], "d")
    for way in ways:
        marked.fit(way, "d")
    later = words.later.match(marked.text, start)
    start = later.end() if later and later.end() < end else start  # “晚两天” is no evening
    by = {"by": marked.message[start:end]}
    return {**by, "earlier": "yes"} if ways[0] is words.earlier else by


def new_day(asked: Asked, marked: Marked, language: Language) -> str:
    """Return the day that something is moved to, and not the one that it was on."""
    words = words_of(language)
    found = find(marked.message, asked, language)
    new = [(start, end) for start, end in found if not is_old(marked.text, start, end, words)]
    marked.mark(found, "d")
    if not words.spaced and len(new) > 1:
        # “这周六浇花换成周日”: the day before the verb is the one that was.
        put = next(
            (one for one in words.put.finditer(marked.text) if one.end() == new[-1][0]), None
        )
        new = new[-1:] if put else new
    said = (marked.message[start:end].strip(" ,，、") for start, end in new)
    return " ".join(dict.fromkeys(mentions.shortest_day(asked, one) for one in said))


def to_end(text: str, asked: Asked, language: Language) -> str:
    """Return a text with the days at its beginning at its end: “tomorrow at 9 gym”."""
    end = 0
    for start, after in find(text, asked, language):
        if text[end:start].strip(" ,"):
            break
        end = after
    # “Esta noche a las siete” has its hour in words.
    end = max(end, len(repairs.day_beside(asked, text, language, 1)[0]))
    if not end or not text[end:].strip(" ,:"):
        return text
    rest = _TOPIC.sub("", text[end:].strip(" ,:，、")) or text[end:]
    return f"{rest} {text[:end].strip(' ,:，、')}"


def by_day(asked: Asked, language: Language) -> tuple[Asked, datetime | date | None]:
    """Return what is said of the one that is due on a day, where no spaces part words, and that
    day: “木曜の6時のやつ、30分遅くなった”.
    """
    the_one = dialogue_words.tables(language)[0].the_one
    found = None if words_of(language).spaced else dialogue_words.find_in(the_one, asked.message)
    # “14日” alone may be a length of time.
    said = (found["words"], f"{found['words']}{TO_DAY}") if found else ()
    day = next((one for one in said if dialogue_words.is_day(one, asked, language)), "")
    if not found or not day:
        return asked, None
    read = quickadd.read_line(f"x {day}", now=asked.now, locale=language)
    rest = asked.message[found.end() :].lstrip("はをもが、 ")
    return msgspec.structs.replace(asked, message=rest), read.due


def due_on(asked: Asked, day: datetime | date, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the todos of these that are due on a day, or at that time of it."""
    due = {
        row["id"]: todo_changes.due_moment(row, asked.now)
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
    }
    last = day.date() if isinstance(day, datetime) else day
    then = [
        (one, moment) for one in things if (moment := due.get(one.id)) and moment.date() == last
    ]
    timed = [one for one, moment in then if moment == day]
    return tuple(timed or [one for one, _ in then])


def overdue(asked: Asked, things: Sequence[Thing], language: Language) -> tuple[Thing, ...]:
    """Return the todos of these that are overdue, where a message has a word for that."""
    said = dialogue_words.tables(language)[0].filters["overdue"]
    if not dialogue_words.find_in(said, dialogue_words.bare(asked.message)):
        return ()
    late = {
        row["id"]
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
        if (row.get("dueDate") or "9")[:10] < asked.now.date().isoformat()
    }
    return tuple(one for one in things if one.kind == "todo" and one.id in late)


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _widest(message: str, asked: Asked, language: Language) -> Iterator[tuple[int, int]]:
    """Yield the longest rows of words around a word for a day that say nothing but days."""
    row = parts.split(message)
    text = plain_letters(message).lower()
    after = 0
    for found in _anchors(language).finditer(text):
        if found.start() < after:
            continue
        first = next(at for at, part in enumerate(row) if part.end > found.start())
        last = max(at for at, part in enumerate(row) if part.start < found.end())
        window = next(
            (
                (row[start].start, row[end].end)
                for start in range(max(0, first - BEFORE), first + 1)
                for end in range(min(len(row) - 1, last + AFTER), last - 1, -1)
                if row[start].start >= after
                and dialogue_words.is_day(message[row[start].start : row[end].end], asked, language)
            ),
            None,
        )
        if window:
            after = window[1]
            yield window


@functools.cache
def _anchors(language: Language) -> re.Pattern[str]:
    """Return the pattern of the words that name days, and of numbers."""
    table = language_data.load_table(language, Dates)
    named = {
        re.escape(plain_letters(name))
        for names in (*table.weekdays.values(), *table.months.values(), *table.days.values())
        for name in names
    }
    # “Am dreißigsten die Miete”
    spelled = (name for names in table.numbers.values() for name in names if len(name) > SHORT)
    named.update(re.escape(name).replace("ss", "(?:ss|ß)") for name in spelled if table.spaced)
    either = "|".join(sorted(named, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)|\d+" if table.spaced else rf"(?:{either})|\d+")
