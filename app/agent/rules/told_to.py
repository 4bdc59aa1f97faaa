"""Messages to a contact whom what stands before them names, or who gets one, too.

“Ben's train is late. Tell him I'll wait”; “and Ann that I'm coming” after a message to Ben.
"""

import functools
import re
from collections.abc import Callable, Sequence

import msgspec

from app.agent.rules.changes import changes, named, readings, reused
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import closed_classes, references, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

Act = Callable[[Asked, Route], Step]
BETWEEN = 3
"""So many words stand at most between the verb and what is told: “tell her please that”."""
_CLAUSE = re.compile(r"[,;.!?…]+\s+|\s+[–—-]\s+")


def send(asked: Asked, language: Language, act: Act) -> Step | None:
    """Return the step of a message to a contact; None where none is surely meant."""
    may = len(asked.message) <= readings.LONGEST and "\n" not in asked.message.strip()
    if not may or not language_data.has_table(language, Changes) or not words_of(language).spaced:
        return None
    clauses = _parted(asked.message, language)
    if not (clauses or _says_too(asked, language)):
        return None
    if (calls := asking.looks(asked)) and not asking.has_looked(asked):
        return Step(calls=calls)
    wish = _of_named(asked, *clauses, language) if clauses else _too(asked, language)
    if wish is None:
        return None
    step = reused.reuse(asked, lambda part: act(part, wish))
    return step if step.calls else changes.traced(wish, step)


def _parted(message: str, language: Language) -> tuple[str, str] | None:
    """Return what stands before the first clause but one that begins a message to somebody who is
    not named there, and that clause with what follows.
    """
    words = words_of(language)
    for found in _CLAUSE.finditer(message):
        lead, rest = message[: found.start()], slots.without_lead(message[found.end() :], language)
        while begun := words.courtesy.match(Marked(rest).text):
            rest = rest[begun.end() :].lstrip(" ,")
        cue = words.cues["message"].match(Marked(rest).text)
        if cue is None or not re.search(r"\w", lead):
            continue
        marked = Marked(lead)
        if words.cues["message"].match(marked.text) or words.cues["todo"].search(marked.text):
            return None
        at = cue.end()  # “dis-lui”
        return lead, rest[:at] + rest[at:].replace("-", " ", 1) if rest[
            at : at + 1
        ] == "-" else rest
    return None


def _of_named(asked: Asked, lead: str, rest: str, language: Language) -> Route | None:
    """Return a message to the one person whom its lead names, where it only says “her”."""
    people = _people(asked, lead, language)
    if len(people) != 1 or _people(asked, rest, language):
        return None
    if not references.person_in(rest, language) and not _is_glued(rest, language):
        return None
    cue = words_of(language).cues["message"].match(Marked(rest).text)
    that = _that(language).search(Marked(rest).text, cue.end() if cue else 0)
    if cue and that and len(rest[cue.end() : that.start()].split()) <= BETWEEN:
        told = rest[that.end() :].strip()
        return Route("message", language, {"who": people[0].title, "text": told}) if told else None
    before = Trace(language=language, about=(people[0],))
    part = msgspec.structs.replace(asked, message=rest, earlier=(before,))
    return next(iter(readings.read(part, ["message"], asking.things(asked), language)), None)


def _is_glued(rest: str, language: Language) -> bool:
    """Return whether a verb has “him” or “her” at its end: “dile que …”."""
    cue = words_of(language).cues["message"].match(Marked(rest).text)
    return cue is not None and re.search(r"(?:le|les|lui|leur)$", cue[0]) is not None


def _says_too(asked: Asked, language: Language) -> bool:
    """Return whether a message after one to somebody begins with “and” and says that something be
    told: “and Ann that I'm coming”.
    """
    last = asked.earlier[0].intent if asked.earlier else ""
    text = Marked(asked.message).text
    also = closed_classes.class_of(language, "also").match(text)
    return bool(last == "message" and also and _that(language).search(text))


def _too(asked: Asked, language: Language) -> Route | None:
    """Return the same message to another who is named, or more to the one who was written to."""
    words, text = words_of(language), Marked(asked.message).text
    that = _that(language).search(text)
    also = closed_classes.class_of(language, "also").match(text)
    if that is None or also is None or not text[that.end() :].strip():
        return None
    between = asked.message[also.end() : that.start()]
    marked = Marked(between)
    places = named.find(asked, marked, asking.things(asked), ("person",), language)
    people = places[0].things if len(places) == 1 else ()
    marked.mark([(one.start, one.end) for one in places], "n")
    if re.search(r"\w", marked.left(words)) or len(people) > 1:
        return None
    rest = Marked(asked.message[that.end() :])
    todos = [] if people else named.find(asked, rest, asking.things(asked), ("todo",), language)
    if todos and "reschedule" in readings.kinds_of(asked, language):
        return None  # “und das Gästebett mach ich lieber am Freitag”
    who = people[0].title if people else references.last_person(asked)
    told = asked.message[that.end() :].strip(" .")
    return Route("message", language, {"who": who, "text": told}) if who else None


def _people(asked: Asked, text: str, language: Language) -> Sequence[Thing]:
    """Return the contacts whom a text names."""
    found = named.find(asked, Marked(text), asking.things(asked), ("person",), language)
    return list(dict.fromkeys(thing for one in found for thing in one.things))


@functools.cache
def _that(language: Language) -> re.Pattern[str]:
    """Return the pattern of what stands before what somebody is told."""
    said = language_data.join_pattern(language_data.load_table(language, Changes).that) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)")
