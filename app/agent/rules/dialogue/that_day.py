"""The day that a message only points at: “that day”, “the day before”."""

import re
from datetime import date, timedelta

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.phrases import dates
from app.agent.turn.steps import Asked, Step

_FROM = re.compile(
    r"(?<!\d)(?P<day>[1-9]\d?)(?:\.|st|nd|rd|th|er|日|号)?\s*(?:[a-z]{1,3}|[-–〜～到至])\s*$"
)
"""What stands before the last day of a stretch within a month: “20 to …”, “20–…”."""
BEFORE, LONGEST = 16, 40
"""So many letters stand before the last day of a stretch that belong to it, and make it, at most.
"""
_TIGHT = re.compile(r"(?<=\d)\s+(?=[年月日号])|(?<=[年月])\s+(?=\d)")
"""The spaces that some leave around a number in a Chinese or Japanese date."""


def told(asked: Asked, step: Step, language: Language) -> str:
    """Return the one day that an answer tells or quotes, as 2026-11-24; empty where it tells none
    or several.
    """
    quoted = len(step.quotes) == 1
    places = {} if quoted else dates.told(language, step.text, asked.now)
    days = {day.isoformat() for day in places}
    for last, place in places.items() if len(places) == 1 else ():
        # Of a stretch, the last day alone is written whole.
        around = step.text[max(place - BEFORE, 0) : place + LONGEST]
        begins = first_day(plain_letters(around).lower(), asked)
        if begins and begins < last and (begins.year, begins.month) == (last.year, last.month):
            days = {begins.isoformat()}
    people = step.trace.about if step.trace else ()
    said = step.quotes[0].text if quoted else ""
    if not (said or days) and any(one.kind == "person" for one in people):
        said = step.text  # “the heating people come on Thursday”
    if said:
        text = _TIGHT.sub("", plain_letters(said).lower())
        if found := dialogue_words.find_days(text, asked.now):
            day = first_day(text, asked) or found[0].start.date()
            days = {day.isoformat()}
            more = dialogue_words.find_days(text[found[2] :], asked.now)
            days |= {more[0].start.date().isoformat()} if more else set()
    return days.pop() if len(days) == 1 else ""


def first_day(text: str, asked: Asked) -> date | None:
    """Return the first day that a folded text names; of “20 to 27 February” the 20th."""
    found = dialogue_words.find_days(text, asked.now)
    if found is None:
        return None
    day, start, _ = found
    first = day.start.date()
    before = _FROM.search(text[:start])
    if before and int(before["day"]) < first.day:
        first = first.replace(day=int(before["day"]))
    return first


def with_day(asked: Asked, language: Language) -> Asked:
    """Return what is asked with the day itself in place of words that point at it."""
    last = next((one.day for one in asked.earlier if one.day or one.undo), "")
    if not last:
        return asked
    table = dialogue_words.tables(language)[0]
    plain = plain_letters(asked.message).lower()
    if found := dialogue_words.find_in(table.before_that, plain):
        # “Remind me a week ahead”
        by = asked.message[slice(*found.span("by"))]
        said = table.ahead.replace("{by}", by)
        read = quickadd.read_line(f"x {said}", now=asked.now, locale=language)
        if type(read.due) is date:
            day = date.fromisoformat(last) - (read.due - asked.now.date())
            # What says “ahead” may stand before the length.
            start = found.start("lead" if "lead" in found.groupdict() else "by")
            text = f"{asked.message[:start]}{day}{asked.message[found.end() :]}"
            return msgspec.structs.replace(asked, message=text)
    for days, pattern in table.that_day.items():
        if found := dialogue_words.find_in(pattern, plain):
            day = date.fromisoformat(last) + timedelta(days=days)
            text = f"{asked.message[: found.start()]}{day}{asked.message[found.end() :]}"
            return msgspec.structs.replace(asked, message=text)
    return asked
