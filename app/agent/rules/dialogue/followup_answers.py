"""What a message answers to the question of the turn before.

Which of several, another day, or something else than was asked about.
"""

import re

import msgspec

from app.agent.rules.dialogue import dialogue_words, followup_questions, references, repairs, slots
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.followup_questions import SHORTEST, is_name, settled
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Thing, Trace

MARK = "Q1"
"""What stands in the plain words of a question for the thing that it is about."""
ACTS = frozenset({"complete_todo", "delete", "change_todo", "pin_note", "add_step", "move_note"})
"""What may have been meant for another thing."""
UNSAID = frozenset({"ask", "cannot", "events", "leave"})
"""What an answer may seem to be by itself."""
BEGINNING = 4
"""So many letters of a word tell which of several choices is meant."""
STEM = 5
"""So many letters are the same in a verb and what is made of it: “brosser”, “brossage”."""
REST = 24
"""So many letters may be left beside a name that chooses."""
_CLAUSE = re.compile(r"\s*[,;.!–—，、；。！]+\s*|\s-\s")


def chosen(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“The phone one”, “the appointment, keep the time” where it was asked which."""
    question = last.asks
    first = _CLAUSE.split(said.message, maxsplit=1)[0]
    # “Beide, hab ich gestern gemacht” asks nothing.
    asks = said.asks and (first == said.message or "?" in said.message)
    if question is None or not question.choices or question.lacks == "yes" or asks:
        return None
    denied = any("not_" in one.kinds and one.start < len(first) for one in said.tokens)
    denied = denied or bool(_left_other(said, first))
    things = (_other_than if denied else _chosen_things)(said, question, first)
    if not things:
        return None
    found = routing.route_message(said.message, before=said.language)
    told = first != said.message and found.intent == "list_todos"  # “both, did them last night”
    if not (found.intent in {*UNSAID, question.intent} or found.is_loose or told or said.has("no")):
        return None  # a wish of its own
    wanted = {**question.arguments}
    # What is long is read by its clause alone: “the plumber on Wednesday, I've no hot water”.
    part = slots.read(first, asked, said.language)
    own = part.day if part else ""
    day = own or said.day
    if (number := re.search(r"\d+", day)) and len(things) == 1:
        # “the one in 14” of “Smoke detectors 12” and “Smoke detectors 14” names no day
        day = "" if number[0] in split_words(things[0].title) else day
    if day and question.intent == "change_todo":
        moved = {name: wanted[name] for name in wanted if name not in ("by", "earlier")}
        moved["day"] = _merged(asked, said, wanted["day"], day) if wanted.get("day") else day
        rest = said.message[len(first) :].replace(day, ",")
        if not (own and day) and not slots.only_little(rest, said.language, "change", "only"):
            new = {"wish": "change_todo", "field": "day", "day": moved["day"]}
            return settled(said, "mean", things, **new)  # “the fee. Payday is on Friday, so then”
        wanted = moved
    elif day and (own or question.intent != "complete_todo"):
        return None
    return settled(said, question.intent, things, **wanted)


def _merged(asked: Asked, said: Said, day: str, new: str) -> str:
    """Return a day with a new one instead of it: a time alone leaves the day."""
    return repairs.with_day(asked, f"x {day}", new, said.language).removeprefix("x ") or new


def _chosen_things(said: Said, question: Question, first: str) -> tuple[Thing, ...]:
    """Return what an answer chooses: by the name that it is, by its first clause, or by a word
    that only one of the choices has.
    """
    names = () if said.days else (said.left(), said.left("it", "helper", "there"))
    bare = slots.without_fillers(first, said.language)
    for name in dict.fromkeys((*names, first, bare)):
        found = references.choose(question.choices, name, said.language) if name else None
        if found and found.things:
            return found.things
    # “The honey of course, I can't face the cellar”
    part = said._replace(message=first)
    told = followup_questions.told_of(question.choices, part, in_any_form=True)
    if len(told) == 1 and first != said.message and len(first) <= REST:
        return told
    told = followup_questions.told_of(question.choices, said, in_any_form=True)
    left = said.left("helper", "there", "unchanged", "keep", "leave", "note", "due")
    return told if told and len(left) <= REST else _begun_by(first, question)


def _other_than(said: Said, question: Question, first: str) -> tuple[Thing, ...]:
    """Return the one of two choices that an answer leaves: “not the water one”."""
    name = _left_other(said, first)
    if not name and first == said.message:
        name = said.left("not_", "it", "helper", "there")
    found = references.choose(question.choices, name, said.language) if name else None
    if found is None or len(found.things) != 1:
        return ()
    rest = tuple(one for one in question.choices if one not in found.things)
    return rest if len(rest) == 1 else ()


def _left_other(said: Said, first: str) -> str:
    """Return the name of the one that a first clause denies, with nothing behind it but the other
    one: “la vacuna no, lo otro”; empty without.
    """
    rest = said.message[len(first) :]
    negates = language_data.join_pattern(language_data.load_table(said.language, Changes).negates)
    name = re.sub(rf"(?<!\w)(?:{negates})(?!\w)", " ", fold_text(first)).strip()
    is_denied = name != fold_text(first).strip()
    return name if is_denied and references.other_in(rest, said.language) else ""


def _begun_by(clause: str, question: Question) -> tuple[Thing, ...]:
    """Return the one choice of which a clause has a word or the beginning of one: “the honey of
    course”, “furgo” of “furgoneta”.
    """
    little = questions.little()
    words = [one for one in split_words(clause) if len(one) >= BEGINNING and one not in little]
    found = [
        thing
        for thing in question.choices
        if any(one.startswith(word) for one in split_words(thing.title) for word in words)
    ]
    found = found or [
        thing
        for thing in question.choices
        if any(
            one[:STEM] == word[:STEM]
            for one in split_words(thing.title)
            for word in words
            if len(one) > STEM < len(word)
        )
    ]
    return tuple(found) if len(found) == 1 else ()


def rather(_: Asked, said: Said, last: Trace) -> Route | None:
    """“No, the water one”, “not the passport, the bike”: what was done was meant for another
    thing.
    """
    if last.intent not in ACTS or not last.undo or said.days or said.text or said.asks:
        return None
    if last.intent == "move_note" or said.has("undo", "delete"):
        return None
    name = _instead_of(said, last)
    if not name and said.has("no") and not said.has("not_"):
        name = references.other_in(said.message, said.language) or said.left()
    if len(name) < SHORTEST or not is_name(name) or not said.left(*KINDS):
        return None
    wish = said.message[said.message.index(name) :]
    if any(routing.route_message(one).intent != "ask" for one in (name, wish)):
        return None
    wanted = {**last.arguments, "target": name, "words": name}
    return settled(said, "instead", **wanted)


def _instead_of(said: Said, last: Trace) -> str:
    """Return the name beside a clause that only says no to the one thing that was changed; empty
    where there is none.
    """
    names = []
    is_denied = False
    for clause in _CLAUSE.split(said.message) if len(last.about) == 1 else ():
        rest = followup_questions.without_name(clause, last.about[0].title)
        if rest != clause:
            is_denied = slots.has_kind(rest, said.language, "not_", "no")
            is_denied = is_denied and slots.only_little(rest, said.language, "not_", "helper")
        elif name := slots.left_of(clause, said.language, "helper", "not_"):
            names.append(name)
    return names[0] if is_denied and len(names) == 1 else ""


def other_meant(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Neither, I meant the milk” where it was asked which, be it a turn later."""
    turns = asked.earlier[:2] if asked.earlier[0].intent == "leave" else asked.earlier[:1]
    question = next((one.asks for one in turns if one.asks), None)
    if question is None or not question.choices or question.lacks == "yes" or said.asks:
        return None
    if not said.has("no") or said.days or said.text or said.has("not_", "delete", "undo"):
        return None
    if dialogue_words.whole(said.language, "no", said.message):
        return None  # “neither, sorry”
    name = said.left("helper", "there")
    if len(name) < SHORTEST or not is_name(name) or not said.left(*KINDS):
        return None
    if routing.route_message(name).intent != "ask":
        return None
    return settled(said, question.intent, **{**question.arguments, "target": name, "words": name})


def repaired(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Yes, but on Friday”: another day for what was asked whether it is meant. Without a yes it is
    asked again: “no, on Friday”.
    """
    if last.asks is None or not said.day or said.text or said.asks:
        return None
    if said.left("only", "change", "bad", "not_", "due", "helper"):
        return None
    agrees = said.has("yes") and not _refuses(said)
    if plain := last.asks.arguments.get("plain"):
        meant = _with_day(asked, said, plain)
        if meant is None:
            return None
        if not agrees:
            return settled(said, "mean", last.asks.choices, plain=meant)
        found = routing.route_message(meant, before=said.language)
        return msgspec.structs.replace(
            found, things=last.asks.choices or found.things, language=said.language
        )
    if agrees and "day" in last.asks.arguments and len(last.asks.choices) == 1:
        wanted = {**last.asks.arguments, "day": said.day}
        return settled(said, last.asks.intent, last.asks.choices, **wanted)
    return None


def _refuses(said: Said) -> bool:
    """Return whether a message begins with a no, or denies."""
    refusals = [one for one in said.tokens if one.kinds & {"no", "not_"} and "yes" not in one.kinds]
    yes = [one for one in said.tokens if "yes" in one.kinds]
    return bool(refusals) and (not yes or refusals[0].start <= yes[0].start)


def _with_day(asked: Asked, said: Said, plain: str) -> str | None:
    """Return the plain words of a wish with another day; None where it takes none."""
    before = routing.route_message(plain, before=said.language)
    if day := before.get("day"):
        return plain.replace(day, _merged(asked, said, day, said.day))
    for meant in (repairs.with_day(asked, plain, said.day, said.language), f"{plain} {said.day}"):
        found = routing.route_message(meant, before=said.language) if meant else None
        if (
            found
            and found.intent == before.intent
            and said.day.lower() in found.get("task").lower()
        ):
            return meant
    return None
