"""What a message asks of the turn before, and the things that it means."""

import re
from collections.abc import Collection, Sequence

from app.agent.rules.dialogue import dialogue_words, references, slots, view_words
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.view_tables import ViewName
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import stem
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, ThingKind, Trace

OF_NOTES = frozenset({"ask", "todo_state", "from_person"})
"""What a message of few words may seem to be that asks a note."""
OF_LISTS: frozenset[ViewName] = frozenset({"todo", "folder", "tag", "event", "count", "step"})
OF_MAIL: frozenset[ViewName] = frozenset({"message", "unread", "waiting", "changed"})
OF_OTHERS = OF_LISTS | OF_MAIL
"""What says that something else than a note is asked for."""
OF_PEOPLE = frozenset({"unread", "from_person", "last_messages"})
LISTED = frozenset({"show_note", "append_note", "tick_item", "ask"})
"""The intents after which what is added may go to the same list."""
_WORDS = re.compile(
    r"[\u30a0-\u30ff]{2,}|(?=([\u3400-\u4dbf\u4e00-\u9fff]{2}))|[^\W\d_\u3040-\u9fff]{3,}"
)
"""What of a name tells it from others: its words, or two letters where no spaces part words."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
LONG = 4
"""A word of so many letters may be part of another: “Zahnarzttermin”."""
READS = frozenset(
    {"list_todos", "list_notes", "changes", "events", "unread", "waiting", "day", "find_notes"}
)
"""What can be asked once more."""
ASKS = frozenset({"ask", "events", "todo_state", "show_note", "find_notes", "tell_view"})
"""What notes are quoted for."""
SHORTEST = 2
"""So many letters has a name at least that is looked for among todos."""
MOST = 5
"""So many words has a name at most, and so many letters where no spaces part words."""
MOST_UNSPACED = 12


def sent(_: Asked, said: Said, last: Trace) -> Route | None:
    """“Was it sent?” of a message that waits for a yes, and “don't send it yet”."""
    waits = tuple(one for one in last.about if one.kind == "escalation")
    if not waits or not said.has("sent") or said.days:
        return None
    against = {"undo", "delete", "not_", "no"}
    refuses = any(one.kinds & against and "sent" not in one.kinds for one in said.tokens)
    denies = said.has("not_") and not said.asks
    if denies and not said.left("sent", "helper", "keep", "leave", *against):
        return settled(said, "decide", waits, no="no")
    if said.left("sent", "helper", "not_"):
        return None
    return settled(said, "waiting") if said.asks or not refuses else None


def unchanged(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“At the same time” of a todo that was just moved, which has kept it."""
    if not said.has("unchanged") or said.days or said.left("unchanged", "helper", "change"):
        return None
    todos = meant_things(asked, said, last, ("todo",))
    return settled(said, "todo_state", todos) if todos and last.undo else None


def asked_of_note(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“From where?” of what a note was just quoted for, “and the hotel?” of that note."""
    pointed = said.has("it") and references.notes_told(last)
    quoted = last.intent in ASKS and references.notes_told(last)
    if not (quoted or pointed) or said.text or (said.days and not _is_told(last, said)):
        return None
    question = questions.read_question(said.message)
    due = said.has("due") and not said.left("due", "asks", "helper")
    if due or (question.is_bare and question.kind):
        told = (last.arguments.get(one) for one in ("text", "said", "words"))
        before = next(filter(None, told), "")
        whole = f"{before.rstrip(' ?？')} {said.message}"
        return settled(said, "ask", words=said.message, text=whole, followed="yes")
    words = view_words.sort_words(asked.message, said.language)
    if not said.asks or words.said & OF_OTHERS or not is_name(said.message, MOST):
        return None
    if routing.route_message(said.message).intent not in OF_NOTES:
        return None
    return settled(said, "ask", words=said.message, text=said.message, followed="yes")


def _is_told(last: Trace, said: Said) -> bool:
    """Return whether what a message says after its first word stands in what was told: “and in the
    morning” where a note says “180 g in the morning”. Without spaces, whether it says any more than
    a day.
    """
    if questions.is_asian(said.message):
        # “水曜も開いてる？” asks more of that day than what is to be done.
        return last.intent == "ask" and bool(said.left("asks", "helper", "due", "count", "total"))
    rest = dialogue_words.bare(said.message).partition(" ")[2]
    return " " in rest and rest in dialogue_words.bare(last.told)


def asked_of_todo(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“What time?” of a todo that was just told, “and where?” of what the notes say of it."""
    told = last.about or last.shown
    todos = told if len(told) == 1 and told[0].kind == "todo" else ()
    if not todos or said.days or said.text or not _is_bare(said):
        return None
    of_person = references.person_in(said.message, said.language)
    if questions.read_question(said.message).kind == "when" and not of_person:
        return settled(said, "todo_state", todos, words=todos[0].title)
    text = f"{todos[0].title} {said.message}"
    return settled(said, "ask", words=said.message, text=text, followed="yes")


def _is_bare(said: Said) -> bool:
    """Return whether a message only says what kind of thing is asked for, “what time?”, or asks
    something of what was spoken of, “what's his name?”, and not what time it is.
    """
    if routing.route_message(said.message, before=said.language).intent not in OF_NOTES:
        return False
    question = questions.read_question(said.message)
    points = question.points_back and said.asks
    return question.is_bare and (question.kind is not None or points)


def asked_of_person(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“What does he want?” of whose message was just told, and “and Clara?”."""
    people = [one for one in last.about if one.kind == "person"]
    words = view_words.sort_words(asked.message, said.language)
    is_bare = _is_bare(said)
    asks = said.asks or is_bare or words.said & {"wants", "wrote"}
    if last.intent not in OF_PEOPLE or not people or said.days or said.text or not asks:
        return None
    if words.said & (OF_OTHERS - {"message", "unread"}) and not is_bare:
        return None
    if not words.rest or is_bare:
        one = people[0].title if len(people) == 1 else ""
        return settled(said, "from_person", who=one) if one else None
    name = routing.trim_name(said.left("helper", "asks", "sent"))
    if not is_name(name, 2) or routing.route_message(said.message).intent not in OF_NOTES:
        return None
    return settled(said, "from_person", who=name)


def named_list(turn: Trace, language: Language) -> tuple[Thing, ...]:
    """Return the one note that a turn was about, where its name is that of a list."""
    table = dialogue_words.tables(language)[0]
    notes = tuple(one for one in turn.about or turn.shown[:2] if one.kind == "note")
    title = dialogue_words.bare(notes[0].title) if len(notes) == 1 else ""
    return notes if title and dialogue_words.find_in(table.list_name, title) else ()


def list_before(last: Trace, language: Language) -> tuple[Thing, ...]:
    """Return the list that the turn before showed or changed."""
    return named_list(last, language) if last.intent in LISTED else ()


def left_on_list(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“What is left?” of a list that was shown or changed."""
    lists = list_before(last, said.language)
    words = view_words.sort_words(asked.message, said.language) if lists and not said.text else None
    if words is None or words.rest or said.days or not words.said & {"see", "everything", "show"}:
        return None
    others = {"todo", "note", "folder", "tag", "event", "message", "unread", "waiting", "changed"}
    return None if words.said & others else settled(said, "show_note", lists)


def open_items(asked: Asked, language: Language) -> Route | None:
    """Return what is not done of the list that was shown or changed last."""
    if not view_words.asks_what_remains(asked.message, language):
        return None
    recent = next((one for one in asked.earlier if one.about), Trace())
    lists = named_list(recent, language)
    if not lists and recent.intent in LISTED - {"ask"}:
        lists = tuple(one for one in recent.about if one.kind == "note")
    return Route("show_note", language, {}, lists) if len(lists) == 1 else None


def list_there(asked: Asked, said: frozenset[ViewName], language: Language) -> Route | None:
    """Return the list that the turn before was about: “what's left to buy there?”"""
    last = asked.earlier[0] if asked.earlier else Trace()
    table, text = dialogue_words.tables(language)[0], dialogue_words.bare(asked.message)
    named = last.about and dialogue_words.find_in(table.list_name, last.about[0].title.lower())
    if not named or len(last.about) > 1 or last.about[0].kind != "note":
        return None
    if not said & {"show", "see", "to_do"} or said & {"when", "who", "folder", "todo", "count"}:
        return None
    there = language_data.join_pattern(table.there)
    is_there = re.search(rf"(?<!\w)(?:{there})(?!\w)", text)
    return Route("show_note", language, {}, last.about) if is_there else None


def meant_things(
    asked: Asked, said: Said, last: Trace, kinds: Sequence[ThingKind]
) -> tuple[Thing, ...]:
    """Return the one thing that was spoken of last, or asked about, or the one of a list that a
    number says; all that were changed together.
    """
    if other := references.other_in(said.message, said.language):
        found_other = references.refer(asked, other, kinds, said.language)
        return found_other.things if found_other and len(found_other.things) == 1 else ()
    if both := references.both_in(said.message, said.language):
        two = references.refer(asked, both, kinds, said.language)
        if two and two.things:
            return two.things
    if said.number is not None:
        picked = references.pick(references.rows(asked, kinds), said.number).things
        return () if any(references.is_gone(asked, one) for one in picked) else picked
    asked_about = last.asks.choices if last.asks else ()
    found = tuple(one for one in last.about or last.shown or asked_about if one.kind in kinds)
    if told := told_of(found, said):
        return told if len(told) == 1 else ()
    return found if len(found) == 1 or (last.undo and last.about) else ()


def told_of(things: Sequence[Thing], said: Said, *, in_any_form: bool = False) -> tuple[Thing, ...]:
    """Return those of several things of which a message has what only their names have, as they
    are written or in any form: “called” for “call”.
    """
    fold = stem if in_any_form else str
    held = {one: {*map(fold, _words_of(one.title))} for one in things}
    own = {
        one: words - set().union(*(held[other] for other in things if other is not one))
        for one, words in held.items()
    }
    heard = {*map(fold, _words_of(said.message))}
    if in_any_form:  # “furgo” for “furgoneta”
        short = tuple(one for one in heard if len(one) >= LONG)
        heard |= {word for words in held.values() for word in words if word.startswith(short)}
    message = plain_letters(said.message).lower()
    some = tuple(one for one in things if any(_is_heard(word, heard, message) for word in own[one]))
    return some if len(things) > 1 else ()


def _is_heard(word: str, heard: Collection[str], message: str) -> bool:
    if questions.is_asian(word):
        return word in message
    compounds = (one for one in heard if len(one) >= len(word) + LONG)
    if word in heard or (len(word) > LONG and any(word in one for one in compounds)):
        return True
    return word.endswith(tuple(one for one in heard if LONG <= len(one) <= len(word) - LONG))


def named_recently(asked: Asked, said: Said, kinds: Sequence[ThingKind]) -> tuple[Thing, ...]:
    """Return those of the things that the last turns made or changed which a message names."""
    recent = references.recent(asked, kinds)
    if references.other_in(said.message, said.language):
        return ()
    return told_of((*recent, Thing(recent[0].kind, 0, "")), said) if recent else ()


def one_of(asked: Asked, said: Said, *kinds: str) -> tuple[Thing, ...]:
    """Return the one of the todos that the last turns made or changed which a message names, where
    it says nothing else than days and words of these classes.
    """
    told = named_recently(asked, said, ("todo",))
    if len(told) != 1 or references.is_gone(asked, told[0]):
        return ()
    rest = said.message.replace(said.day, ",") if said.day else said.message
    return (
        told if slots.only_little(without_name(rest, told[0].title), said.language, *kinds) else ()
    )


def without_name(message: str, title: str) -> str:
    """Return a message without the words of a name, or its letters where no spaces part words."""
    if questions.is_asian(title):
        return re.sub("[" + re.escape(title) + "]", ",", message)
    words = _words_of(title)
    return re.sub(
        r"[^\W\d_]+",
        lambda found: (
            "," if any(_is_heard(one, _words_of(found[0]), "") for one in words) else found[0]
        ),
        message,
    )


def _words_of(title: str) -> set[str]:
    """Return what of a name tells it from others."""
    folded = plain_letters(title).lower()
    words = {found[1] or found[0] for found in _WORDS.finditer(folded)} - questions.little()
    return words or set(_HAN.findall(folded))


def settled(said: Said, intent: str, things: Sequence[Thing] = (), /, **arguments: str) -> Route:
    """Return what a message means, with the things that are settled."""
    return Route(intent, said.language, arguments, tuple(things))


def is_name(text: str, most: int = MOST) -> bool:
    """Return whether a text is short enough for a name."""
    parts = dialogue_words.pieces(text)
    unspaced = [one for one in parts if len(one[0]) == 1]
    return bool(text) and len(parts) - len(unspaced) <= most and len(unspaced) <= MOST_UNSPACED
