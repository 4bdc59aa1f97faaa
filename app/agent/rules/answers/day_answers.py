"""The weekday of a date or feast that a message names, and how many days it is until then."""

import functools
import re
from datetime import date, timedelta

from app.agent.rules.dialogue import dialogue_words, references, view_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Times
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.view_tables import ViewName
from app.agent.rules.phrases import dates, phrases
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace

EASTER = "easter"
OF_A_DAY: frozenset[ViewName] = frozenset({"days_left", "weekday", "when"})
SAYS_MORE: frozenset[ViewName] = frozenset(
    {"todo", "note", "event", "message", "waiting", "to_do", "count", "wrote", "who", "changed"}
)
"""What is no question after the day itself."""


def asked_day(asked: Asked, text: str, language: Language) -> Route | None:
    """Return the question after the weekday of a date or feast, or the days until it: of one that
    the text names, else of the day that was told last; None where it is another.
    """
    words = view_words.sort_words(text, language)
    if not words.said & OF_A_DAY or ("to_do" in words.said and "weekday" not in words.said):
        return None
    intent = "days_left" if "days_left" in words.said else "weekday"
    plain = view_words.without(text, language, OF_A_DAY)
    if (found := _named(asked, plain)) is not None:
        day, title, rest = found
        left = view_words.sort_words(rest, language)
        if left.rest or left.said & SAYS_MORE:
            return None
        return Route(intent, language, {"day": day.isoformat(), "title": title})
    if words.rest or not asked.earlier or not words.said & {"days_left", "weekday"}:
        return None
    last = asked.earlier[0]
    if not last.day:
        told = references.notes_told(last) if intent == "days_left" else ()
        # Until what the note that was just told is about.
        about = {"words": told[0].title, "text": told[0].title} if len(told) == 1 else {}
        return Route(intent, language, about) if about else None
    title = last.about[0].title if len(last.about) == 1 else ""
    return Route(intent, language, {"day": last.day, "title": title})


def tell_weekday(asked: Asked, route: Route) -> Step:
    """Return the day that was asked for, with its weekday."""
    day = date.fromisoformat(route.get("day"))
    told = dates.day(route.language, day, asked.now)
    title = f" ({route.get('title')})" if route.get("title") else ""
    return Step(f"{told}{title}", trace=Trace(day=route.get("day")))


def feast(text: str, today: date) -> tuple[date, int, int] | None:
    """Return the next day of the feast that a folded text names, and from where to where."""
    found = _feasts().search(text)
    if found is None or found.lastgroup is None:
        return None
    days = (_feast_day(found.lastgroup, year) for year in (today.year, today.year + 1))
    return next(day for day in days if day >= today), found.start(), found.end()


def _named(asked: Asked, text: str) -> tuple[date, str, str] | None:
    """Return the one day that a text names, a feast's name, and the rest of the text."""
    folded = dialogue_words.bare(text)
    if found := feast(folded, asked.now.date()):
        day, start, end = found
        return day, folded[start:end], f"{folded[:start]} {folded[end:]}"
    if (named := dialogue_words.find_days(folded, asked)) is None:
        return None
    days, start, end = named
    if days.end - days.start > timedelta(days=1, hours=1):
        return None
    return days.start.date(), "", f"{folded[:start]} {folded[end:]}"


@functools.cache
def _feasts() -> re.Pattern[str]:
    """Return the pattern of the names of feasts in every language, each in a group of its day."""
    named: dict[str, list[str]] = {}
    for language in language_data.languages():
        if not language_data.has_table(language, Times):
            continue
        spaced = language in phrases.alphabetic_languages()
        for name, words in language_data.load_table(language, Times).feasts.items():
            pattern = plain_letters(language_data.join_pattern(words))
            group = name if name == EASTER else f"d{name.replace('-', '')}"
            named.setdefault(group, []).append(
                rf"(?<!\w)(?:{pattern})(?!\w)" if spaced else f"(?:{pattern})"
            )
    # The eve of a feast has its name in it.
    order = sorted(named, key=lambda one: -max(map(len, named[one])))
    return re.compile("|".join(f"(?P<{one}>{'|'.join(named[one])})" for one in order))


def _feast_day(name: str, year: int) -> date:
    return _easter(year) if name == EASTER else date(year, int(name[1:3]), int(name[3:]))


def _easter(year: int) -> date:
    """Return Easter Sunday of a year: the Sunday after the first full moon of spring."""
    century, golden = year // 100, year % 19
    moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(days=moon - weekday)
