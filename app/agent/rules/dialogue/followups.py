"""What a message that is made only of slots and little words means after the turns before it:
another day or folder for what was just changed, that taken back, more of the same.
"""

import re
from collections.abc import Callable

from app.agent.quickadd import quickadd, time_ranges
from app.agent.rules.dialogue import (
    closed_classes,
    dialogue_words,
    followup_additions,
    followup_answers,
    followup_questions,
    followup_removals,
    references,
    slots,
)
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.followup_questions import SHORTEST, is_name, meant_things, settled
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.languages import language_data
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages.questions import is_asian
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, ThingKind, Trace

MAKES = frozenset({"add_todo", "make_note", "make_folder", "add_step", "append_note"})
OF_NOTES = frozenset({"make_note", "append_note", "move_note", "change_note", "pin_note", "rename"})
REMOVES = frozenset({"delete", "undo"})
ASKS_A_DAY = frozenset({"list_todos", "events", "free"})
ACTS = frozenset({"complete_todo", "delete", "change_todo", "pin_note", "add_step", "move_note"})
"""What may have been meant for another thing."""
TODOS: tuple[ThingKind, ...] = ("todo",)
KINDS_NAMED: tuple[ThingKind, ...] = ("todo", "note")
MOVES = ("change", "only", "later", "earlier")
"""The classes of words by which a day is moved."""


def _counts(trace: Trace) -> bool:
    """Return whether a turn is one to go on from: not “thanks”, nor what found or did nothing."""
    did = trace.about or trace.undo or trace.asks or (trace.shown and trace.intent != "ask")
    return bool(did) or trace.intent not in {*ACTS, "ask", "thanks", "greet"}


def follow(asked: Asked, language: Language) -> Route | None:
    """Return what a message means after the turns before; None where it stands for itself."""
    if not asked.earlier:
        return None
    last = next((one for one in asked.earlier[:2] if _counts(one)), asked.earlier[0])
    for table in dict.fromkeys((last.language or language, language)):
        said = slots.read(asked.message, asked, table)
        if said is None:
            continue
        for rule in RULES:
            if route := rule(asked, said, last):
                return route
    return None


def _later(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Half an hour later” of the one todo that was spoken of."""
    shifts = said.has("later", "earlier")
    if said.text or said.asks or not (shifts or (said.has("change") and last.undo)):
        return None
    todos = meant_things(asked, said, last, ("todo",))
    kinds = ("later", "earlier", "change", "there", "helper", "step", "due", "only")
    if last.asks and not set(todos) <= {*last.about}:
        return None  # what was only asked about is not meant yet
    by = slots.length(said, asked, *kinds) if todos else ""
    if not by and shifts and not last.asks:
        return _named_later(asked, said)
    if not by or (not shifts and by.startswith("1 ") and by not in said.message):
        return None
    if not shifts and by[0].isdigit() and dialogue_words.is_day(by, asked, said.language):
        return None  # “mets plutôt 16h” is a time of day
    # “10日に早めて” names the day itself, and “10日早めて” how far.
    beside = said.day.removeprefix(by)
    if (
        beside not in ("", said.day)
        and said.day in said.message
        and slots.only_little(beside, said.language)
    ):
        return None
    way = {"earlier": "yes"} if said.has("earlier") else {}
    return settled(said, "change_todo", todos, by=by, **way)


def _named_later(asked: Asked, said: Said) -> Route | None:
    """“The present rather a day earlier”: of something else that has a name."""
    by, rest = slots.length_beside(said, asked, "later", "earlier")
    name = slots.left_of(rest, said.language, "change", "only", "helper", "later", "earlier")
    if not by or not is_name(name) or len(name) < SHORTEST or said.has("not_", "bad", "undo"):
        return None
    if routing.route_message(said.message, before=said.language).intent != "ask":
        return None
    way = {"earlier": "yes"} if said.has("earlier") and not said.has("later") else {}
    return settled(said, "change_todo", target=name, by=by, **way)


def _redated(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“No, Thursday”: another day for the todo that was made or changed."""
    if not said.day or said.text:
        return None
    kinds: tuple[str, ...] = (
        *MOVES,
        "bad",
        "not_",
        "there",
        "helper",
        "keep",
        "leave",
        "due",
        "unchanged",
    )
    kinds += ("done",) if said.has("it") and said.has("change", "only") else ()
    is_told = routing.route_message(said.message, before=said.language).intent == "complete_todo"
    one = () if is_told else followup_questions.one_of(asked, said, *kinds)
    if said.left(*kinds) and not one:
        return None
    changes = said.has("change", "only", "due") and last.intent not in REMOVES | {"complete_todo"}
    pointed = one or said.number is not None or references.other_in(said.message, said.language)
    is_again = last.intent in ASKS_A_DAY and not changes
    if is_again and (said.asks or (said.has("also") and not pointed)):
        text = dialogue_words.with_days(last, said.day, asked)
        return settled(said, last.intent, text=text, when=said.day)
    if said.asks:
        return None
    todos = one or meant_things(asked, said, last, ("todo",))
    notes = meant_things(asked, said, last, ("note",))
    too = any("also" in one.kinds and one.start > 0 for one in said.tokens)
    if last.intent == "add_todo" and too and not said.has("change"):
        return None  # “Thursday too”: one more
    if changes and len(notes) == 1 and last.intent in followup_questions.ASKS:
        # “Remind me of that on Friday.”
        return settled(said, "mean", text=f"{notes[0].title} {said.day}")
    several = references.newest(asked, TODOS).unsure
    if not todos and several and changes and references.says_all(said.message, said.language):
        wish = {"wish": "change_todo", "field": "day", "day": said.day}
        return settled(said, "mean", several, **wish)
    if not todos and several and changes and said.has("total") and not pointed:
        return settled(said, "change_todo", several, day=said.day)  # “all of them to Friday”
    if not todos and several and changes and said.has("it"):
        return settled(said, "change_todo", day=said.day)  # which one is asked
    if last.asks and not one and not said.has("due") and not set(todos) <= {*last.about}:
        return None  # what was only asked about is not meant yet
    changes = changes or bool(pointed)
    if todos and (changes or (last.undo and last.intent in {"add_todo", "change_todo", "undo"})):
        # A weekday may be of the week that it corrects.
        corrects = {"corrects": "yes"} if last.undo and said.has("no", "not_") else {}
        return settled(said, "change_todo", todos, day=said.day, **corrects)
    return None


def _at_other_hours(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“And in the afternoon?” of the day that was asked about."""
    found = time_ranges.find_part(asked.message) if last.day else None
    if found is None or last.intent not in ASKS_A_DAY or said.text:
        return None
    _, start, end = found
    rest = f"{asked.message[:start]},{asked.message[end:]}"
    if not slots.only_little(rest, said.language, "asks", "also", "helper", "there", "due"):
        return None
    text = f"{last.day} {asked.message[start:end]}"
    return settled(said, last.intent, day=last.day, text=text, when=text)


def _repeated(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Every two weeks instead”, “not daily, weekly”: how often what was spoken of comes again."""
    if said.text or said.asks or not said.has("change", "only", "no", "not_", "bad", "it"):
        return None
    clauses = [one for one in re.split(r"[,;.]\s*", said.message) if one.strip()]
    for clause in reversed(clauses):
        # What a clause denies is how often it came again before.
        denied = len(clauses) > 1 and slots.has_kind(clause, said.language, "not_")
        read = quickadd.read_line(f"x {clause}", now=asked.now, locale=said.language)
        spans = [one for one in read.spans if one.kind == "recurrence"]
        if denied or not read.recurrence or len(spans) != 1:
            continue
        kinds = ("change", "only", "not_", "helper", "there")
        rest = f"{clause[: spans[0].start - 2]},{clause[spans[0].end - 2 :]}"
        todos = meant_things(asked, said, last, ("todo",))
        if todos and slots.only_little(rest, said.language, *kinds):
            return settled(said, "change_todo", todos, day=spans[0].text.strip())
    return None


def _refiled(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“No, to Home”: another folder for the note that was made, changed or moved."""
    if said.days or said.asks or not (last.intent in OF_NOTES or said.has("folder")):
        return None
    notes = meant_things(asked, said, last, ("note",))
    kinds = ("change", "only", "folder", "there")
    if said.text and (said.left(*kinds) or not said.has("folder", "there")):
        return None
    if said.has("pin", "unpin", "tag", "priority", "done", "delete", "undo", "step", "bad", "not_"):
        return None
    if routing.route_message(said.message, before=said.language).intent == "rename_folder":
        return None
    name = said.text or said.left(*kinds)
    moved = last.intent == "move_note" and said.has("no", "folder")
    pointed = said.has("it") and said.has("folder")
    placed = said.has("change", "no") and (said.has("to", "folder") or said.number is None)
    own = said.text or said.left(*KINDS)
    if notes and is_name(name) and own and (moved or placed or pointed):
        if last.intent != "move_note" and (not said.has("to", "folder", "there")):
            return None
        return settled(said, "move_note", notes, folder=name)
    return None


def _tagged(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“The second one gets the tag winter.”"""
    if not said.has("tag") or said.days or said.asks:
        return None
    tags = [one.start for one in said.tokens if "tag" in one.kinds]
    if any(dialogue_words.ends_with(said.language, "the_same", said.message[:at]) for at in tags):
        return None  # “Give Ideas this tag, too” is of another note.
    notes = meant_things(asked, said, last, ("note",))
    if said.has("not_", "delete", "unpin"):
        name = said.left("tag", "change", "there", "not_", "delete", "unpin")
        removes = notes and said.has("delete", "unpin") and (not name or is_name(name, 2))
        return settled(said, "change_note", notes, tag=name, untag="yes") if removes else None
    rest = said.left("tag", "change", "add", "there")
    name = said.text or rest
    return settled(said, "change_note", notes, tag=name) if notes and is_name(name, 2) else None


def _pinned(asked: Asked, said: Said, last: Trace) -> Route | None:
    if not said.has("pin", "unpin") or said.days or said.text or said.asks:
        return None
    pins = closed_classes.class_of(said.language, "pin").search(said.message)
    if last.intent != "pin_note" and closed_classes.is_unspaced(said.language) and not pins:
        return None  # “take that off” may be of the list
    notes = meant_things(asked, said, last, ("note",))
    if not notes or said.left("pin", "unpin", "change", "there") or said.has("not_"):
        return None
    way = {"unpin": "yes"} if said.has("unpin") and not said.has("pin") else {}
    return settled(said, "pin_note", notes, **way)


def _prioritised(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“And make it top priority.”"""
    todos = meant_things(asked, said, last, ("todo",))
    if said.text or said.asks or not todos:
        return None
    if last.arguments.get("priority") and (
        found := re.search(r"(?<!\d)\d{1,2}(?!\d)", said.message)
    ):
        rest = said.message[: found.start()] + "," + said.message[found.end() :]
        if slots.only_little(rest, said.language, "change", "priority"):
            return settled(said, "change_todo", todos, priority=found[0])
    was_priority = last.arguments.get("priority") and not said.has("add", "delete", "undo", "done")
    if not (said.has("priority") or was_priority) or (said.days and not said.has("priority")):
        return None
    day = {"day": said.day} if said.day else {}
    free = _free_words(said, "change", "priority")
    numbers = [one for one in free if not is_asian(one) and _level(one, said)]
    if len(numbers) == 1 and numbers == free and said.has("priority"):
        return settled(said, "change_todo", todos, priority=numbers[0], **day)
    for words in (said.left("change", "priority"), said.left("priority"), said.left("change")):
        named = [one for one in re.split(r"[,，、;]\s*", words) if one]
        levels = {
            dialogue_words.spelled_level(one, said.language)
            if dialogue_words.priority_of(one, said.language) is None
            else dialogue_words.priority_of(one, said.language)
            for one in named
        }
        if len(levels) == 1 and None not in levels:
            return settled(said, "change_todo", todos, priority=f"{levels.pop()}", **day)
    return None


def _level(word: str, said: Said) -> bool:
    number = dialogue_words.spelled_number(word, said.language)
    return word.isdecimal() or number is not None


def _free_words(said: Said, *kinds: str) -> list[str]:
    """Return the words of a message that are of none of these classes and not little."""
    held = [one for one in said.tokens if one.kinds & {*slots.LITTLE, *kinds}]
    return [
        said.message[start:end]
        for start, end in said.words
        if not any(one.start <= start and end <= one.end for one in held)
    ]


def _undated(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Take the date off again” of the todo that was made or changed."""
    todos = meant_things(asked, said, last, ("todo",))
    if not todos or not said.has("due") or not said.has("delete", "not_") or said.asks:
        return None
    if is_asian(asked.message) and not last.undo:
        return None  # “还没交成” of what was only told says that it is open
    if said.days or said.text or said.left("due", "delete", "change", "there", "not_", "helper"):
        return None
    return settled(said, "change_todo", todos, clear="yes")


def _renamed(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“The name should be “…”” of what was made or changed."""
    things = meant_things(asked, said, last, KINDS_NAMED)
    things = things or (last.asks.choices if last.asks else ())
    if len(things) != 1 or not said.text or not said.has("name") or said.asks or said.days:
        return None
    if said.left("name", "change", "only", "there", "helper", "note"):
        return None
    return settled(said, "rename", things, title=said.text)


def _replied(_: Asked, said: Said, last: Trace) -> Route | None:
    people = [one for one in last.about if one.kind == "person"]
    text = _reply_text(said.message, said.language)
    if len(people) == 1 and text:
        return settled(said, "message", who=people[0].title, text=text)
    # “Tell her …” of somebody whom a note or a todo spoke of.
    who = references.person_in(said.message.removesuffix(text), said.language) if text else ""
    return settled(said, "message", who=who, text=text) if who else None


def _reply_text(message: str, language: Language) -> str:
    """Return what is to be answered, where a message says no more than that; else nothing."""
    table = language_data.load_table(language, FollowUp)
    pattern = re.compile(language_data.join_pattern(table.reply), re.IGNORECASE)
    message = message.strip(" .。!！?？")
    found = pattern.fullmatch(plain_letters(message))
    if not found:
        return ""
    name = next((name for name, value in found.groupdict().items() if value), "")
    said = message[slice(*found.span(name))] if name else ""
    return said.strip(' .。!！"“”„«»「」『』')


def _put_off(_: Asked, said: Said, last: Trace) -> Route | None:
    """“The drawings on Saturday instead”: a day for something else that has a name."""
    if not said.day or said.text or said.asks or not said.has("only") or last.asks:
        return None
    name = said.left("only", "change", "helper")
    wish = routing.route_message(said.message)
    if not is_name(name) or len(name) < SHORTEST or (wish.intent != "ask" and not wish.is_loose):
        return None
    return settled(said, "change_todo", target=name, day=said.day)


RULES: tuple[Callable[[Asked, Said, Trace], Route | None], ...] = (
    followup_answers.chosen,
    followup_answers.repaired,
    followup_answers.other_meant,
    _replied,
    followup_removals.refused,
    followup_removals.undone,
    followup_removals.dropped,
    _later,
    _undated,
    _renamed,
    _prioritised,
    _repeated,
    _at_other_hours,
    _redated,
    _tagged,
    _pinned,
    followup_questions.sent,
    followup_questions.left_on_list,
    followup_questions.unchanged,
    followup_questions.asked_of_note,
    followup_questions.asked_of_person,
    followup_questions.asked_of_todo,
    followup_additions.added,
    followup_additions.one_more,
    followup_additions.ticked,
    followup_additions.done,
    followup_additions.too,
    _refiled,
    followup_answers.rather,
    _put_off,
)
