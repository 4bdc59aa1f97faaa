"""What is done about a message that no pattern took, and that is near to how people say a wish.

The wish is put into the plain words that the patterns know. What only reads is then answered; what
writes is asked about first, and done once that has got its yes.
"""

import functools
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import dialogue_words, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.example_tables import Examples, Wish
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.near import nearness, parts, readings
from app.agent.rules.near.readings import Reading
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace
from app.core.process.caches import keep_latest

INTENT = "near"
LOOKS: Mapping[str, tuple[ThingKind, str, str]] = {
    "search_todos": ("todo", "todos", "title"),
    "list_notes": ("note", "notes", "title"),
    "list_folders": ("folder", "folders", "name"),
    "list_network": ("person", "contacts", "name"),
}
"""The tools that tell what there is to speak of, with the kind, its rows and their names."""
LONGEST = 300
"""What is longer is a text, and not a wish."""
SURE, LEAD = 0.35, 0.1
"""What is so near and so far ahead of the next is told or asked at once."""
ASKED_LEAD = 0.2
"""So far ahead is a wish that writes, where the message is written as a question."""
SURE_NEW = 0.4
"""What is about nothing that there is needs to be so near, as its text could be anything."""
FEWEST = 3
"""What has fewer words names something, and wishes nothing."""
ASKING = frozenset({"when", "where", "why", "often"})
"""The kinds of question that are known by a word that asks, and that no wish has."""
ALWAYS = frozenset({"email", "phone"})
"""The kinds of question that nothing else than a note can answer: “the plumber's number, quick”."""
SAMPLES = {"day": "2026-11-23", "by": "7日", "number": "3"}
"""What stands for a day, a length of time and a number in the plain words of a wish, to read it."""
REPORTS = frozenset({"complete_todo", "tick_item"})
"""What is never meant where something is said not to be done."""
_ANY_SLOT = re.compile(r"\{\w+\}")
_SAMPLED = re.compile("|".join(rf"\{{{name}\}}" for name in SAMPLES))
_QUOTED_MARK = re.compile(f"[“「]{readings.MARK}")
LIKELY = 0.2
"""What is so near is told or asked where the notes know nothing."""


def looks(asked: Asked) -> tuple[Call, ...]:
    """Return the calls that tell what there is to speak of."""
    calls: Mapping[str, dict[str, Any]] = {
        "search_todos": {"limit": list_answers.MOST, **list_answers.zone_argument(asked)},
        "list_notes": {"recursive": True, "limit": list_answers.MOST, "sort": "updatedAt"},
        # Told to look everywhere, as what is asked for may call it without arguments in this turn.
        "list_folders": {"parentId": None},
        "list_network": {},
    }
    return tuple((tool, calls[tool]) for tool in LOOKS if tool in asked.tools)


def may_be_near(asked: Asked, route: Route) -> bool:
    """Return whether examples may tell what a message means: the owner's own, not too long."""
    own = not asked.persona.owner and not route.get("context")
    return (
        own and len(asked.message) <= LONGEST and language_data.has_table(route.language, Examples)
    )


def read(asked: Asked, language: Language) -> list[Reading]:
    """Return what a message may mean, once the looks have told what there is."""
    found = _read(msgspec.structs.replace(asked, results=()), things(asked), language)
    is_open = {
        row["id"]
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
        if not row["completed"]
    }
    # What is open is not opened again, though “まだ” is said of it.
    return [
        one
        for one in found
        if not questions.is_asian(asked.message)
        or not any(thing.kind == "todo" and thing.id in is_open for thing in one.things)
        or not _reopens(one.sample, language)
    ]


@keep_latest  # with the same gain as in `rules`
def _read(asked: Asked, spoken_of: list[Thing], language: Language) -> list[Reading]:
    texts = dict.fromkeys((asked.message, wording.plain_wording(asked.message, language)))
    best: dict[Wish | None, Reading] = {}
    for text in texts:
        said = msgspec.structs.replace(asked, message=text)
        for one in readings.readings(said, spoken_of, language):
            best[one.wish] = max(one, best.get(one.wish, one), key=lambda other: other.sure)
    return sorted(best.values(), key=lambda one: -one.sure)


@functools.cache
def _reopens(sample: str, language: Language) -> bool:
    """Return whether the plain words of a wish open again what was done."""
    return bool(routing.route_message(sample, before=language).get("reopen"))


def things(asked: Asked) -> list[Thing]:
    """Return what there is to speak of, as the looks have told."""
    return [
        Thing(kind, row.get("id", 0), row[name])
        for tool, (kind, field, name) in LOOKS.items()
        for result in asked.of(tool)[:1]
        for row in result.content.get(field, ())
        if row.get(name)
    ]


def has_looked(asked: Asked) -> bool:
    """Return whether the looks have been answered."""
    return all(asked.has(tool) for tool, _ in looks(asked))


def language_of(message: str, language: Language) -> Language:
    """Return the language whose examples have most words of a message, where it is written in
    letters and that of its common words has fewer.
    """
    row = parts.split(message)
    alphabetic = phrases.alphabetic_languages()
    if language not in alphabetic:
        return language
    shares = {one: sum(part.word in nearness.words_of(one) for part in row) for one in alphabetic}
    best = max(shares, key=lambda one: shares[one])
    return best if shares[best] > shares[language] else language


def is_question(message: str, language: Language) -> bool:
    """Return whether the notes are asked first: by a question mark without courtesy before it, by a
    word or two, or by what is nearer to questions than to any wish, whatever it speaks of.
    """
    row = parts.split(message)
    plain = wording.plain_wording(message, language)
    is_plain = plain[:1] == message.strip()[:1]
    if language in phrases.alphabetic_languages() and slots.ends_asking(message, language):
        return True
    if (_is_asked(message) and is_plain) or len(row) < FEWEST:
        return True
    # Where no spaces part words, the word that asks stands anywhere, and often without a mark.
    kind = questions.read_question(message).kind
    if kind in ALWAYS or (questions.is_asian(message) and kind in ASKING):
        return True
    language = language_of(message, language)
    table = nearness.of(language)
    found = nearness.scores(language, parts.mark_known(row, table.known, table.common))
    return bool(found) and found[0] == max(found) and found[0] >= LIKELY


def after_looks(asked: Asked) -> Asked:
    """Return what is asked with the results that come after those of the looks."""
    return msgspec.structs.replace(asked, results=asked.results[len(looks(asked)) :])


def likely(asked: Asked, found: list[Reading]) -> Reading | None:
    """Return the nearest wish where it is likely meant; a question is none that writes."""
    one = surest([one for one in found if not _is_faint(one)], LIKELY, 0)
    return None if one and one.wish and one.wish.writes and _is_asked(asked.message) else one


def is_new(reading: Reading) -> bool:
    """Return whether a wish is about nothing that there is, so that its text could be anything."""
    known = reading.things or (reading.wish and "{person}" in reading.wish.plain)
    return bool(reading.text and not known)


def clear(asked: Asked, found: list[Reading]) -> Reading | None:
    """Return the nearest wish where it is clearly meant."""
    one = surest(found, SURE, LEAD)
    if one and one.wish and one.wish.writes and _is_asked(asked.message):
        return surest(found, SURE, ASKED_LEAD)
    return one


def _is_asked(message: str) -> bool:
    return any(mark in message for mark in "?？")


def surest(found: list[Reading], least: float, lead: float) -> Reading | None:
    """Return the nearest wish where it is near enough and clearly ahead."""
    if not found or found[0].wish is None or found[0].sure < least:
        return None
    if _is_faint(found[0]):
        return None
    return found[0] if len(found) == 1 or found[0].sure - found[1].sure >= lead else None


def _is_faint(reading: Reading) -> bool:
    writes = reading.wish is not None and reading.wish.writes
    return writes and is_new(reading) and reading.sure < SURE_NEW


def is_kept(reading: Reading, read: Route, sample: Route) -> bool:
    """Return whether what a wish is about makes nothing else of it: `read` is what its plain words
    mean to the patterns, `sample` with any text in place of its own.
    """
    if read.intent in ("ask", "mean") or read.intent != sample.intent:
        return False
    return not reading.text or reading.text in map(routing.trim_name, read.arguments.values())


def denies(message: str, intent: str, language: Language) -> bool:
    """Return whether a message says that something is not done that would be ticked off, “not
    bought yet”, or that nothing is to be done, “I don't have to …”.
    """
    if intent == "add_todo":
        return wording.says_no_duty(message, language)
    return intent in REPORTS and bool(_denials(language).search(plain_letters(message)))


@functools.cache
def _denials(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Examples)
    return re.compile(plain_letters(language_data.join_pattern(table.denies)), re.IGNORECASE)


def ask(reading: Reading, language: Language) -> Step:
    """Return the question whether a wish is meant."""
    table = language_data.load_table(language, Examples)
    question = Question(INTENT, {"plain": reading.asked_for}, lacks="yes", choices=reading.things)
    trace = Trace(intent=INTENT, language=language, asks=question)
    return Step(table.means.replace("{plain}", reading.plain), trace=trace)


def ask_plain(text: str, language: Language) -> Step:
    """Return the question whether that part of a message is meant which says all by itself."""
    return ask(Reading(SURE, None, text, text), language)


def ask_todo(text: str, language: Language) -> Step | None:
    """Return the question whether a todo with a text is meant; None where no example adds one."""
    return ask_meant(Route("mean", language, {"text": text}))


def ask_meant(route: Route) -> Step | None:
    """Return the question whether a wish is meant that no message says outright: in `plain` words,
    by the intent that is the `wish` about things and the `field` that it changes, or as the `text`
    of a todo or for a note; None where no example has it.
    """
    if " " in route.get("field"):
        return _ask_fields(route)
    text, plain = route.get("text"), route.get("plain")
    plain = plain or _plain_of(route.language, route.get("wish") or "add_todo", route.get("field"))
    if not plain:
        return None
    said = _with_values(route, plain)
    if route.get("field") and not _is_read(said, route):
        return _ask_fields(route)
    return ask(
        Reading(SURE, None, _with_names(route, said), said, route.things, text=text), route.language
    )


def ask_whole(route: Route) -> Step | None:
    """Return the question whether a change is meant that is done as it stands once it has got its
    yes; None where no example says it, or it says of nothing what it is of.
    """
    plain = _plain_with(route.language, _intent_of(route), route.get("untag"))
    text = next(filter(None, map(route.get, ("text", "title", "step", "tag"))), "")
    of = [one.title for one in route.things] or [route.get("target") or route.get("folder")]
    if not plain or not all(of):
        return None
    told = {"text": text, "folder": route.get("folder")}
    values = {**dict.fromkeys(readings.KINDS, ", ".join(of)), **told}
    question = Question(route.intent, dict(route.arguments), lacks="yes", choices=route.things)
    means = language_data.load_table(route.language, Examples).means
    quoted = _ANY_SLOT.sub(r"“\g<0>”", plain)
    said = means.replace("{plain}", readings.fill(quoted, values))
    return Step(said, trace=Trace(intent=INTENT, language=route.language, asks=question))


def _intent_of(route: Route) -> str:
    return "rename" if route.get("title") else route.intent


@functools.cache
def _plain_with(language: Language, intent: str, untag: str) -> str:
    """Return the plain words of a change that gives a thing a text or a folder."""
    for wish in language_data.load_table(language, Examples).wishes:
        if wish.writes and wish.plain.count("{") == 2 and not re.search(_SAMPLED, wish.plain):
            read = routing.route_message(_ANY_SLOT.sub(readings.ANY, wish.plain), before=language)
            if _intent_of(read) == intent and read.get("untag") == untag:
                return str(wish.plain)
    return ""


def _is_read(said: str, route: Route) -> bool:
    """Return whether the patterns take plain words for the wish of a route: not all ways to say a
    day.
    """
    return routing.route_message(said, before=route.language).intent == route.get("wish")


def _ask_fields(route: Route) -> Step | None:
    """Return the question whether several fields of things are to change; its yes needs no words
    that the patterns know.
    """
    fields = route.get("field").split()
    plains = [_plain_of(route.language, route.get("wish"), one) for one in fields]
    if not all(plains):
        return None
    plain = ", ".join(_with_names(route, _with_values(route, one)) for one in plains)
    values = {name: route.get(name) for name in (*fields, "earlier") if route.get(name)}
    if level := values.pop("number", ""):
        values["priority"] = level
    question = Question(route.get("wish"), values, lacks="yes", choices=route.things)
    table = language_data.load_table(route.language, Examples)
    trace = Trace(intent=INTENT, language=route.language, asks=question)
    return Step(table.means.replace("{plain}", plain), trace=trace)


def _with_values(route: Route, plain: str) -> str:
    """Return plain words with what a route says, and a mark for its things."""
    values = dict.fromkeys(readings.KINDS, readings.MARK) | route.arguments
    return readings.fill(plain, values | {"text": route.get("text")})


def _with_names(route: Route, said: str) -> str:
    """Return plain words with the names of things in place of their mark."""
    titles = ", ".join(one.title for one in route.things)
    shown = titles if _QUOTED_MARK.search(said) else f"“{titles}”"
    return said.replace(readings.MARK, shown) if titles else said


@functools.cache
def _plain_of(language: Language, intent: str, field: str) -> str:
    """Return the plain words of a wish with nothing but a text or a thing in it, both where one is
    written into the other, and where its field is one of `SAMPLES` that.
    """
    slot, both = f"{{{field}}}", intent == "append_note"
    for wish in language_data.load_table(language, Examples).wishes:
        if (
            not wish.writes
            or wish.plain.count("{") != 1 + (field in SAMPLES) + both
            or ("{text}" in wish.plain) != (both or intent == "add_todo")
            or (slot in wish.plain) != (field in SAMPLES)
            or (both and "{note}" not in wish.plain)
        ):
            continue
        values = dict.fromkeys((*readings.KINDS, "text"), readings.ANY) | SAMPLES
        read = routing.route_message(readings.fill(wish.plain, values), before=language)
        is_of = not field or field in SAMPLES or read.get(field)
        if read.intent == intent and is_of and readings.ANY in read.arguments.values():
            return str(wish.plain)
    return ""


def confirmed(asked: Asked) -> tuple[Asked, Trace | None]:
    """Return what is asked once the wish that the turn before asked about has got its yes, and that
    turn; else the same as before.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks is None or last.asks.intent != INTENT:
        return asked, None
    language = phrases.language_of(asked.message, before=last.language)
    if not dialogue_words.whole(language, "yes", asked.message):
        return asked, None
    plain = last.asks.arguments["plain"]
    return msgspec.structs.replace(asked, message=plain, earlier=asked.earlier[1:]), last
