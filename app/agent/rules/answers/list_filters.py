"""What narrows a list that was asked for: days, priority, state, folder, tag and words.

Words that no filter took narrow it too, so that nothing that was said is passed over.
"""

import re
from datetime import date, timedelta
from typing import Any

import msgspec

from app.agent.quickadd import time_ranges
from app.agent.quickadd.time_ranges import Range
from app.agent.rules.dialogue import dialogue_words, resolve_reference, slots, view_words
from app.agent.rules.dialogue.view_words import Words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import FilterName
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.view_tables import ViewName
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked

TOP = 4
"""From this priority on a todo is important."""
LOW = 2
HIGHEST = 10
NAMED_DAYS = {timedelta(): "today", timedelta(days=1): "tomorrow"}


class Filters(msgspec.Struct, frozen=True):
    """What a list is narrowed to, and how that is told.

    `words` are what else was said, by which only a search narrows a list; `no_such_day` is a day
    that does not exist.
    """

    fields: dict[str, Any]
    told: tuple[str, ...] = ()
    words: str = ""
    undated: bool = False
    low: bool = False
    levels: tuple[int, int] | None = None
    """The least and the highest priority."""
    pinned: bool = False
    tag: str = ""
    folder: str = ""
    no_such_day: str = ""
    part: Range | None = None
    """The hours of the one day, where a part of it is named."""
    done: tuple[date, date] | None = None
    """The days, the first and the last, on which what is completed was."""
    said: frozenset[ViewName] = frozenset()
    """What the other words say that filter nothing."""


def read_filters(asked: Asked, route: Route, text: str) -> Filters:
    """Return what a message narrows its list of todos to."""
    rest = dialogue_words.bare(text)
    if missing := time_ranges.missing_day(text, asked.now):
        return Filters({}, no_such_day=missing)
    fields: dict[str, Any] = {}
    told: list[str] = []
    taken: set[FilterName] = set()
    done, hours = None, None
    levels, rest = _level(route, rest)
    if levels is not None:
        shown = "–".join(map(str, dict.fromkeys(levels)))
        told.append(route.phrase("of_priority", priority=shown).strip(" ,，、"))
    for name in ("overdue", "completed", "undated", "low", "top"):
        # “What have I let slide, I mean what is overdue” says it twice.
        while cut := _cut(route, name, rest):
            rest, _ = cut
            taken.add(name)
    if "completed" in taken:
        fields["completed"] = True
        told.append(route.phrase("filter_completed"))
    if "top" in taken:
        fields["priorityMin"] = TOP
        told.append(route.phrase("filter_top"))
    if "low" in taken:
        told.append(route.phrase("filter_low"))
    if "undated" in taken:
        told.append(route.phrase("filter_undated"))
    elif "overdue" in taken:
        named, rest = _days(asked, route, rest)
        if named.get("dueTo", "9") < asked.now.date().isoformat():
            fields |= named  # “what did I forget last week?”
            told.append(_told_days(asked, route, named))
        else:
            fields["date"] = "overdue"
            told.append(route.phrase("filter_overdue"))
    else:
        hours, rest = _part_of_day(asked, route, rest)
        named, rest = _days(asked, route, rest) if hours is None else (_from_to(hours), rest)
        if named and "completed" in taken:
            # What is done counts on the day when it was, not on the one when it was due.
            done = _range(asked, named)
            told.append(dates.days(route.language, *done, asked.now))
        elif named:
            fields |= named
            told.append(_told_days(asked, route, named, hours))
    left = _words(route, rest)
    words = " ".join(left.rest)
    if words:
        fields["q"] = " ".join(resolve_reference.word_stems(words)) or words
        told.append(route.phrase("quoted", text=words))
    return Filters(
        fields,
        tuple(told),
        words,
        undated="undated" in taken,
        low="low" in taken,
        levels=levels,
        part=hours,
        done=done,
        said=left.said,
    )


def is_of_todos(wanted: Filters) -> bool:
    """Return whether a list is narrowed to what only todos are: overdue, done, of a priority."""
    of_todos = wanted.undated or wanted.low or wanted.levels or wanted.done
    states = wanted.fields.keys() & {"completed", "priorityMin"}
    return bool(of_todos or states or wanted.fields.get("date") == "overdue")


def without_words(wanted: Filters) -> Filters:
    """Return the filters of a list without the words that only a search can narrow it by."""
    fields = {name: value for name, value in wanted.fields.items() if name != "q"}
    return msgspec.structs.replace(wanted, fields=fields, told=wanted.told[:-1], words="")


def read_note_filters(route: Route, text: str) -> Filters:
    """Return what a message narrows its list of notes to."""
    rest = plain_letters(text).lower()
    tag = ""
    if cut := _cut(route, "tagged", rest):
        # As it was written: a tag with accents is another one without them.
        tag = text[slice(*cut[1].span("tag"))]
    pinned = _cut(route, "pinned", dialogue_words.bare(text)) is not None
    return Filters({}, tag=tag, folder=route.get("folder"), pinned=pinned)


def _range(asked: Asked, named: dict[str, Any]) -> tuple[date, date]:
    """Return the first and the last of the days that a list is narrowed to."""
    ahead = next((one for one, name in NAMED_DAYS.items() if name == named.get("date")), None)
    if ahead is not None:
        day = asked.now.date() + ahead
        return day, day
    first, last = named.get("dueFrom"), named.get("dueTo")
    return (
        date.fromisoformat(first) if first else date.min,
        date.fromisoformat(last) if last else date.max,
    )


def asks_for_list(route: Route, text: str) -> bool:
    """Return whether a message asks for a list by its words alone."""
    folded = dialogue_words.bare(text)
    table = dialogue_words.tables(route.language)[0]
    return dialogue_words.find_in(table.asks_list, folded) is not None


def _cut(route: Route, name: FilterName, text: str) -> tuple[str, re.Match[str]] | None:
    """Return a text without what a filter has taken of it; None where it says nothing of it."""
    for table in dialogue_words.tables(route.language):
        if found := dialogue_words.find_in(table.filters[name], text):
            return f"{text[: found.start()]} {text[found.end() :]}", found
    return None


def _level(route: Route, text: str) -> tuple[tuple[int, int] | None, str]:
    """Return the least and the highest priority that a text names by a number, and the text without
    that: “priority 5”, “priority 7 or more”.
    """
    language = route.get("written") or route.language
    if not language_data.has_table(language, FollowUp):
        return None, text
    named = language_data.join_pattern(language_data.load_table(language, FollowUp).priority)
    bounds = dialogue_words.tables(language)[0].levels
    either = "|".join(
        f"(?P<{{place}}{name}>{language_data.join_pattern(words)})"
        for name, words in bounds.items()
    )
    number = r"(?P<n>10|\d)(?!\d)"
    # “优先级是5”: a letter joins them where no spaces part words.
    between = rf"(?:[{dialogue_words.UNSPACED}]|(?:\W|\b[a-z]{{1,5}}\b){{0,3}})"
    before, after = (either.replace("{place}", place) or "(?!)" for place in ("before_", "after_"))
    forms = (
        rf"(?:{named}){between}?\W*(?:{before})\W*{between}?{number}",
        rf"(?:{before})\W+(?:{named}){between}?{number}",
        rf"(?:{named}){between}?{number}(?:\W*(?:{after}))?",
    )
    found = next(filter(None, (re.search(form, text) for form in forms)), None)
    if found is None:
        return None, text
    level = int(found["n"])
    bound = next((name for name, said in found.groupdict().items() if said and name != "n"), "")
    ranges = {
        "least": (level, HIGHEST),
        "above": (level + 1, HIGHEST),
        "most": (1, level),
        "below": (1, level - 1),
    }
    left = f"{text[: found.start()]} {text[found.end() :]}"
    return ranges.get(bound.partition("_")[2], (level, level)), left


def _days(asked: Asked, route: Route, text: str) -> tuple[dict[str, Any], str]:
    """Return the days that a text names as the list takes them, and the text without them."""
    if span := view_words.find_span(text, asked, route.get("written") or route.language):
        return _from_to(span[0]), f"{text[: span[1]]} {text[span[2] :]}"
    for name in ("before", "until", "after"):
        for table in dialogue_words.tables(route.language):
            for found in re.finditer(
                language_data.join_pattern(table.filters.get(name, "(?!)")), text
            ):
                day, rest = _day_beside(asked, text, found)
                if day is None:
                    continue
                left = f"{text[: found.start()]} {rest}"
                if name != "after":
                    end = day.start if name == "before" else day.end
                    last = (end - timedelta(microseconds=1)).date()
                    return {"dueTo": last.isoformat()}, left
                return {"dueFrom": day.start.date().isoformat()}, left
    day, rest = _any_day(asked, text)
    if day is None:
        return {}, text
    ahead = day.start.date() - asked.now.date()
    if day.end - day.start <= timedelta(days=1) and ahead in NAMED_DAYS:
        return {"date": NAMED_DAYS[ahead]}, rest
    return _from_to(day), rest


def _part_of_day(asked: Asked, route: Route, text: str) -> tuple[Range | None, str]:
    """Return the hours of the part of one day that a text names, and the text without that day and
    part; without a day that of today, or of tomorrow where it has been. A part in a name is none:
    “tomorrow's evening class”.
    """
    found = time_ranges.find_part(text)
    if found is None:
        return None, text
    part, start, end = found
    named, rest = _days(asked, route, f"{text[:start]} {text[end:]}")
    if named:
        first, last = _range(asked, named)
    else:
        # “tonight” is a day and a part of it
        day = _any_day(asked, text)[0] or time_ranges.next_with(part, asked.now)
        first = last = day.start.date()
    if first != last or _words(route, rest).rest:
        return None, text
    return time_ranges.part_of(first, part, asked.now), rest


def _from_to(days: Range) -> dict[str, str]:
    last = (days.end - timedelta(microseconds=1)).date()
    return {"dueFrom": days.start.date().isoformat(), "dueTo": last.isoformat()}


def _any_day(asked: Asked, text: str) -> tuple[Range | None, str]:
    """Return the days that a text names, wherever it does, and the rest."""
    found = dialogue_words.find_days(text, asked.now) or dialogue_words.bare_weekday(
        text, asked.now
    )
    if found is None:
        return None, text
    day, start, end = found
    return day, f"{text[:start]} {text[end:]}"


def _day_beside(asked: Asked, text: str, found: re.Match[str]) -> tuple[Range | None, str]:
    """Return the days that stand after a word such as “until”, or before it in the group `day`,
    and the rest after them.
    """
    if "day" not in found.groupdict():
        after = view_words.day_at_start(text[found.end() :], asked)
        return (after[0], text[found.end() + after[1] :]) if after else (None, text[found.end() :])
    said = found["day"]
    for piece in dialogue_words.pieces(said):
        if (day := dialogue_words.days_of(said[piece.start() :], asked.now)) is not None:
            return day, f"{said[: piece.start()]} {text[found.end() :]}"
    return None, text


def _told_days(
    asked: Asked, route: Route, named: dict[str, Any], hours: Range | None = None
) -> str:
    if hours is not None:
        day = dates.day(route.language, hours.start.date(), asked.now)
        days = f"{day} {hours.start:%H:%M}–{hours.end:%H:%M}"
        return route.phrase("filter_days", days=days)
    ahead = next((one for one, name in NAMED_DAYS.items() if name == named.get("date")), None)
    if ahead is not None:
        day = dates.day(route.language, asked.now.date() + ahead, asked.now)
        return route.phrase("filter_days", days=day)
    first, last = (
        date.fromisoformat(named[one]) if named.get(one) else None for one in ("dueFrom", "dueTo")
    )
    if first and last:
        days = dates.days(route.language, first, last, asked.now)
        return route.phrase("filter_days", days=days)
    name, end = ("filter_until", last) if last else ("filter_from", first)
    return route.phrase(name, day=dates.day(route.language, end, asked.now) if end else "")


def _words(route: Route, text: str) -> Words:
    """Return what the words of a text say, and those that only a search can narrow a list by."""
    return view_words.sort_words(text, route.get("written") or route.language)


def is_list(asked: Asked, route: Route) -> bool:
    """Return whether a message only asks for a list of todos and narrows it."""
    text = route.said or asked.message
    wanted = read_filters(asked, route, text)
    asks_when = "when" in wanted.said and not wanted.told
    return not (wanted.words or asks_when) and (bool(wanted.told) or asks_for_list(route, text))


def only_asks(asked: Asked, route: Route) -> bool:
    """Return whether a message asks for a list and says nothing else: “and what do I have left on
    Thursday” moves nothing.
    """
    asks = slots.has_kind(asked.message, route.get("written") or route.language, "asks")
    return asks and route.intent == "list_todos" and is_list(asked, route)
