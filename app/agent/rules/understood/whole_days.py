"""All todos of a day moved to another: “I'm ill, push everything from today to tomorrow”."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.changes import days, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, slots, view_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import meant, surely, taken_back
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Step, Thing

SLOTS = frozenset({"day", "olddat", "it", "target"})
ALL_WORDS = frozenset({"everything", "todo", "it", "about"})
"""The classes of the words that mean all todos."""
MOST = 20
"""So many todos are moved without asking."""
TWICE = 0.1
"""A second wish is not likelier than this."""


def move(asked: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return the step by which all todos of a day are moved to another, and whether anything was
    looked up for that; no step where a message does not surely move all of one.
    """
    found = _days(asked, language)
    if found is None or taken_back.as_whole(asked, language):
        return None, False
    if not asking.has_looked(asked):
        return (None if asked.is_last else Step(calls=asking.looks(asked))), True
    old, new = found
    todos = told.open_todos(asked)
    things = days.due_on(asked, old, todos)
    said = reader.read(asked, (), language).likely[0]
    if not 1 < len(things) <= MOST or _names_one(asked, said, todos):
        return None, True
    return surely.do(asked, Route("change_todo", language, {"day": new}, things), act), True


def _days(asked: Asked, language: Language) -> tuple[date, str] | None:
    """Return the day of which all is moved, and the words for the day to which it is."""
    asked = _without_same_time(asked, language)
    reading = reader.read(asked, (), language)
    if not reading.likely or not references.says_all(asked.message, language):
        return None
    late = dialogue_words.tables(language)[0].filters["overdue"]
    if dialogue_words.find_in(late, dialogue_words.bare(asked.message)):
        return None  # “everything overdue to Wednesday, I can't today”
    said = reading.likely[0]
    is_sure = said.intent in question_signs.MOVES and said.sure >= surely.NAMED
    if not is_sure or reading.weights.get(TWO, 0.0) > TWICE:
        return None
    if any(one.slot not in SLOTS for one in said.spans):
        return None
    if surely.perhaps(language).search(Marked(said.text).text) or _says_more(asked, said, language):
        return None
    named = said.all_of("day")
    of_all = [said.text[one.start : one.end] for one in said.spans if one.slot != "day"]
    olds = list(dict.fromkeys(_days_in(asked, of_all, language)))
    if not olds and len(named) == 2:  # “repousser à demain tout ce qui est prévu pour aujourd'hui”
        dues = [(due, one) for one in named if (due := _date(_day(asked, one, language)))]
        if len(dues) != len(named) or slots.has_kind(said.text, language, "earlier"):
            return None
        first, last = sorted(dues)
        olds, named = [first[0]], [last[1]]
    places = [said.text[slice(*one)] for one in days.find(said.text, asked, language)]
    rests = [one.replace(old, " ", 1) for one in named for old in of_all]
    # “todo lo de hoy al jueves” and “hoy a mañana” are taken for one
    for words in (named, places[-1:], rests):
        new = meant.day(asked, words, language)
        day = _date(_day(asked, new, language)) if new else None
        others = [one for one in olds if one != day]
        if day and len(others) == 1 and _date(others[0]) != day:
            return None if isinstance(others[0], datetime) else (others[0], new)
    return None


def _without_same_time(asked: Asked, language: Language) -> Asked:
    """Return what is asked without a last clause that only says that the time of day stays, which
    it does: 周四的事全挪到周五 同一个时间.
    """
    message = asked.message.rstrip(" .!。！")
    for end in words_of(language).join.finditer(Marked(message).text):
        if meant.keeps_time(message[end.end() :], language):
            return msgspec.structs.replace(asked, message=message[: end.start()])
    return asked


def _says_more(asked: Asked, said: Understood, language: Language) -> bool:
    """Return whether what is moved is only a part of all: “all the work todos from today”."""
    for text in (*said.all_of("target"), *said.all_of("it")):
        rest = text
        for start, end in reversed(days.find(text, asked, language)):
            rest = f"{rest[:start]} {rest[end:]}"
        words = set(split_words(view_words.without(rest, language, ALL_WORDS)))
        words -= questions.little()
        if any(len(one) > 1 for one in words):
            return True
    return False


def _date(due: date | datetime | None) -> date | None:
    return due.date() if isinstance(due, datetime) else due


def _days_in(asked: Asked, texts: Sequence[str], language: Language) -> Iterator[date | datetime]:
    """Yield the days that the words for what is moved name: “everything from today”."""
    for text in texts:
        parts = [text[start:end] for start, end in days.find(text, asked, language)]
        for one in parts or [text]:
            if due := _day(asked, one, language):
                yield due


def _day(asked: Asked, text: str, language: Language) -> date | datetime | None:
    day = meant.day(asked, [text], language)
    return quickadd.read_line(f"x {day}", now=asked.now, locale=language).due if day else None


def _names_one(looked: Asked, said: Understood, todos: Sequence[Thing]) -> bool:
    """Return whether a message names a todo: one that stays, or alone is moved."""
    return surely.names_other(looked, said._replace(spans=()), ()) or any(
        told.is_all_named(one, thing.title) for one in said.all_of("target") for thing in todos
    )
