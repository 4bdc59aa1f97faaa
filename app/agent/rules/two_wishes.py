"""Two changes of notes and folders that one message wishes.

“Tag it halloween and pin it”, “a new folder Animals, and put the cat note in there”.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from app.agent.rules import look_further, message_route
from app.agent.rules.changes import changes, last_spoken, named, new_notes, readings, reused, texts
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.intents import INTENTS
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

FIRST: frozenset[ChangeKind] = frozenset({"tag", "untag", "pin", "unpin", "rename", "move"})
"""The kinds of change of which the first wish is one, but for a folder to make."""
NEXT: frozenset[ChangeKind] = FIRST | {"append", "note", "folder"}
"""The kinds of change of which the second is one."""
OF_NOTES = frozenset({"pin_note", "change_note", "move_note", "rename", "append_note"})
MAKES = frozenset({"make_folder", "make_note"})
UNSURE = frozenset({"ask", "cannot", "tell_view"})
"""What a clause may only seem to be that wishes a change of a note."""
MADE = (Thing("note", -1, "\ue000"), Thing("folder", -1, "\ue001"))
"""What the second wish is of as long as nobody knows which."""
NextStep = Callable[[Asked], Step]


def do(asked: Asked, language: Language, otherwise: NextStep) -> Step:
    """Return the step of two changes, one after the other; what comes of a message `otherwise`
    where it does not surely wish two, of which the second says what it is of.
    """
    pending = asked.earlier and asked.earlier[0].asks
    if pending or "?" in asked.message or not language_data.has_table(language, Changes):
        return otherwise(asked)
    parted = list(_parted(asked, language))
    is_into_new = _may_be_new_folder(asked, language)
    whole = _pattern(asked, asked.message, language, asked.earlier) if parted else None
    is_one = whole and whole.intent == "make_note" and whole.get("title") and whole.get("content")
    if is_one or not (parted or is_into_new):
        return otherwise(asked)  # “… titled Soba, with the text: …”
    looks = asking.looks(asked)
    if len(asked.results) < len(looks):
        return Step(calls=looks)
    both = _into_new_folder(asked, language) if is_into_new else None
    for lead, rest in parted:
        before = Trace(language=language, about=MADE)
        one = _read(asked, lead, language, asked.earlier)
        other = one and _read(asked, rest, language, (before, *asked.earlier))
        if one and one.intent == "make_folder":
            other = _into_made(asked, rest, language) or other
        both = both or (one and other and (one, other)) or None
    # What was looked up is not looked up again.
    return _one_by_one(_after_looks(asked), *both) if both else reused.reuse(asked, otherwise)


def _one_by_one(asked: Asked, one: Route, other: Route) -> Step:
    """Return the step of two wishes, the second once the first is done and in its light."""
    first = look_further.replay(asked, lambda part: INTENTS[one.intent](part, one))
    if first.step.calls or not first.step.trace or first.step.trace.asks:
        return first.step
    left = changes.traced(one, first.step).trace or Trace()
    rest = msgspec.structs.replace(first.rest, earlier=(left, *asked.earlier))
    if set(other.things) & set(MADE):
        notes = references.newest(rest, last_spoken.NOTES).things
        other = msgspec.structs.replace(other, things=notes)
    if other.get("folder") == MADE[1].title and (folder := references.last_folder(rest)):
        arguments = {**other.arguments, "folder": folder.title}
        other = msgspec.structs.replace(other, arguments=arguments)
    second = look_further.replay(rest, lambda part: INTENTS[other.intent](part, other)).step
    return second if second.calls else _joined(left, first.step, changes.traced(other, second))


def _may_be_new_folder(asked: Asked, language: Language) -> bool:
    words, text = words_of(language), Marked(asked.message).text
    puts = words.cues["move"].search(text) or words.cues["append"].search(text)
    return bool(
        puts and words.cues["folder"].search(text) and new_notes.new_of(language).search(text)
    )


def _into_new_folder(asked: Asked, language: Language) -> tuple[Route, Route] | None:
    """Return the two wishes of “put that note in a new folder called Recipes”."""
    words, marked = words_of(language), Marked(asked.message)
    notes = named.find(asked, marked, asking.things(asked), ("note",), language)
    if not notes or len(notes[0].things) > 1 or not marked.mark([notes[0][1:]], named.NAME):
        return None
    for pattern in (words.cues["folder"], new_notes.new_of(language), words.titled):
        marked.fit(pattern, "c")
    name = texts.text_of(marked, words, "move")
    if not name or marked.has(words.denies) or len(name) > readings.LONGEST_NAME:
        return None
    make = Route("make_folder", language, {"folder": name})
    return make, Route("move_note", language, {"folder": name}, notes[0].things)


def _into_made(asked: Asked, text: str, language: Language) -> Route | None:
    """Return that a note goes into the folder that the first wish makes, the one spoken of where
    none is named: “and put the cat note in it”.
    """
    words, marked = words_of(language), Marked(text)
    part = msgspec.structs.replace(asked, message=text)
    notes = named.find(part, marked, asking.things(asked), ("note",), language)
    if notes and (len(notes[0].things) > 1 or not marked.mark([notes[0][1:]], named.NAME)):
        return None
    there = language_data.join_pattern(dialogue_words.tables(language)[0].there)
    marked.fit(re.compile(rf"(?<!\w)(?:{there})(?!\w)" if words.spaced else there), "t")
    puts = [marked.fit(words.cues[one], "c") for one in ("move", "append")]
    if not any(puts) or marked.has(words.denies) or not texts.is_covered(marked, words, "move"):
        return None
    things = notes[0].things if notes else MADE[:1]
    return Route("move_note", language, {"folder": MADE[1].title}, things)


def _parted(asked: Asked, language: Language) -> Iterator[tuple[str, str]]:
    """Yield the two wishes that a message may be parted into, by the words of their changes."""
    message = asked.message
    if len(message) > readings.LONGEST or "\n" in message.strip():
        return
    for found in words_of(language).join.finditer(Marked(message).text):
        lead, rest = message[: found.start()].strip(), message[found.end() :].strip()
        if re.search('[:："“«]', lead):
            return
        kinds, after = _kinds(asked, lead, language), _kinds(asked, rest, language)
        if after & NEXT and (kinds & FIRST or "folder" in kinds):
            may = (_pattern(asked, text, language, asked.earlier) for text in (lead, rest))
            if all(one is None or one.intent in OF_NOTES | MAKES for one in may):
                yield lead, rest


def _kinds(asked: Asked, text: str, language: Language) -> set[ChangeKind]:
    return set(readings.kinds_of(msgspec.structs.replace(asked, message=text), language))


def _pattern(asked: Asked, text: str, language: Language, earlier: Sequence[Trace]) -> Route | None:
    """Return what a pattern surely takes a clause for; None where none does."""
    part = msgspec.structs.replace(asked, message=text, results=(), earlier=tuple(earlier))
    found = message_route.understand(part, language)
    return None if found.is_loose or found.intent in UNSURE else found


def _read(asked: Asked, text: str, language: Language, earlier: Sequence[Trace]) -> Route | None:
    """Return the change that a clause surely wishes, of a note that is there or of what the first
    was of; None where it wishes none.
    """
    part = msgspec.structs.replace(asked, message=text, earlier=tuple(earlier))
    kinds = [one for one in readings.kinds_of(part, language) if one in NEXT]
    things = asking.things(asked)
    found = _pattern(asked, text, language, earlier)
    found = found or next(iter(readings.read(part, kinds, things, language)), None)
    if found is None or found.intent in MAKES:
        return found
    if found.intent not in OF_NOTES or not (found.things or found.get("target")):
        return None
    if found.intent == "move_note" and not _is_folder(found.get("folder"), things, language):
        return None
    if not found.things:
        notes = named.find(part, Marked(text), things, ("note",), language)
        found = msgspec.structs.replace(found, things=notes[0].things if notes else ())
    is_one = len(found.things) == 1 and found.things[0].kind == "note"
    return found if is_one else None


def _is_folder(name: str, things: Sequence[Thing], language: Language) -> bool:
    """Return whether a name is that of a folder that is there, or points at the one made first."""
    titles = {fold_text(one.title).strip() for one in (*things, *MADE) if one.kind == "folder"}
    return fold_text(name).strip() in titles or references.points_there(name, language)


def _joined(left: Trace, first: Step, second: Step) -> Step:
    """Return the answer to both, which takes both back."""
    other = second.trace or Trace()
    # The second has changed what the first has marked.
    again = {(thing.kind, thing.id) for thing in other.about}
    trace = msgspec.structs.replace(
        other,
        about=tuple(dict.fromkeys((*other.about, *left.about))),
        undo=(*other.undo, *left.undo),
        marks=(*(mark for mark in left.marks if mark[:2] not in again), *other.marks),
    )
    return msgspec.structs.replace(second, text=f"{first.text}\n{second.text}", trace=trace)


def _after_looks(asked: Asked) -> Asked:
    """Return what is asked with the results that come after those of the looks."""
    return msgspec.structs.replace(asked, results=asked.results[len(asking.looks(asked)) :])
