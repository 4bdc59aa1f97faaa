"""What a message that is made only of slots and little words means after the turns before it:
another day or folder for what was just changed, that taken back, more of the same.
"""

import re
from collections.abc import Callable

import msgspec

from app.agent.rules.dialogue import (
    dialogue_words,
    followup_additions,
    followup_questions,
    references,
    repairs,
    slots,
)
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.followup_questions import SHORTEST, is_name, meant_things, settled
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.languages import language_data
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, Trace

MAKES = frozenset({"add_todo", "make_note", "make_folder", "add_step", "append_note"})
OF_NOTES = frozenset({"make_note", "append_note", "move_note", "change_note", "pin_note", "rename"})
REMOVES = frozenset({"delete", "undo"})
ASKS_A_DAY = frozenset({"list_todos", "events", "free"})
ACTS = frozenset({"complete_todo", "delete", "change_todo", "pin_note", "add_step", "move_note"})
"""What may have been meant for another thing."""
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


def _undone(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Back to how it was”, and of what was removed “no, keep it”; of several “the second one
    back”.
    """
    if not last.undo or said.days or said.text:
        return None
    if said.number is not None:
        return _undone_one(said, last)
    helps = ("undo", "helper", "there", "total")
    goes_back = said.has("undo") and last.intent != "undo"
    if goes_back and not said.has("not_") and not said.left(*helps, "change", "leave", *MOVES):
        return settled(said, "undo")
    undone = last.intent == "complete_todo" and said.has("not_") and not said.has("also")
    if undone and not said.message.endswith("?") and not said.has("undo", "leave", "delete"):
        if said.left("helper", "there", "done", "not_", "keep", "sent"):
            return None
        return settled(said, "undo")
    if last.intent in REMOVES and _is_kept(said):
        kept = not said.left(*helps, "keep", "leave", "delete", "not_")
        return settled(said, "undo", again="yes") if kept else None
    removes = said.has("delete") and not said.has("not_", "keep", "due")
    if removes and last.intent in MAKES and (one := _one_of(last, said, *helps, "delete", "it")):
        return settled(said, "undo", one)
    if last.intent in MAKES and removes and not said.left(*helps, "delete", "change"):
        return _note_removed(asked, said, last) or settled(said, "undo")
    return None


def _note_removed(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Delete this note” after a line was added to it: the note is meant, and not the line."""
    pointing = [one for one in said.tokens if one.kinds & {"it", "note"}]
    pieces = [said.message[one.start : one.end] for one in pointing]
    if last.intent != "append_note" or not slots.names_note(pieces, said.language):
        return None
    notes = meant_things(asked, said, last, ("note",))
    return settled(said, "delete", notes) if notes else None


def _is_kept(said: Said) -> bool:
    """Return whether a message wants what was removed: “keep it”, “don't delete it”."""
    if said.has("delete"):
        return said.has("not_", "no")
    wanted = said.has("keep") or (said.has("leave") and said.has("no"))
    denied = any("not_" in one.kinds and "keep" not in one.kinds for one in said.tokens)
    return wanted and not denied


def _undone_one(said: Said, last: Trace) -> Route | None:
    unpins = last.intent == "pin_note" and not last.arguments.get("unpin") and said.has("unpin")
    if said.left("undo", "unpin", "helper", "change") or not (said.has("undo") or unpins):
        return None
    one = references.pick(last.about, said.number or 0)
    return settled(said, "undo", one.things) if len(last.about) > 1 and one.things else None


def _later(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Half an hour later” of the one todo that was spoken of."""
    shifts = said.has("later", "earlier")
    if said.text or said.asks or not (shifts or (said.has("change") and last.undo)):
        return None
    todos = meant_things(asked, said, last, ("todo",))
    by = todos and slots.length(
        said, asked, "later", "earlier", "change", "there", "helper", "step"
    )
    if not by or (not shifts and by.startswith("1 ") and by not in said.message):
        return None
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


def _redated(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“No, Thursday”: another day for the todo that was made or changed."""
    if not said.day or said.text:
        return None
    kinds = (*MOVES, "bad", "not_", "there", "helper", "keep", "leave", "due", "unchanged")
    one = _one_of(last, said, *kinds)
    if said.left(*kinds) and not one:
        return None
    changes = said.has("change", "only", "due") and last.intent not in REMOVES | {"complete_todo"}
    if last.intent in ASKS_A_DAY and not changes and (said.asks or said.has("also")):
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
    if todos and (changes or (last.undo and last.intent in {"add_todo", "change_todo", "undo"})):
        # A weekday may be of the week that it corrects.
        corrects = {"corrects": "yes"} if last.undo and said.has("no", "not_") else {}
        return settled(said, "change_todo", todos, day=said.day, **corrects)
    return None


def _one_of(last: Trace, said: Said, *kinds: str) -> tuple[Thing, ...]:
    """Return the one of several todos made or changed together that a message names, where it says
    nothing else than words of these classes.
    """
    several = tuple(one for one in last.about if one.kind == "todo") if last.undo else ()
    told = followup_questions.told_of(several, said)
    if len(told) != 1:
        return ()
    rest = said.message.replace(said.day, ",") if said.day else said.message
    rest = re.sub("[" + re.escape(told[0].title) + "]", ",", rest)
    return told if slots.only_little(rest, said.language, *kinds) else ()


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
    if said.days or not (said.has("priority") or was_priority):
        return None
    for words in (said.left("change", "priority"), said.left("priority"), said.left("change")):
        named = [one for one in re.split(r"[,，、;]\s*", words) if one]
        levels = {
            dialogue_words.spelled_level(one, said.language)
            if dialogue_words.priority_of(one, said.language) is None
            else dialogue_words.priority_of(one, said.language)
            for one in named
        }
        if len(levels) == 1 and None not in levels:
            return settled(said, "change_todo", todos, priority=f"{levels.pop()}")
    return None


def _replied(_: Asked, said: Said, last: Trace) -> Route | None:
    people = [one for one in last.about if one.kind == "person"]
    text = _reply_text(said.message, said.language) if len(people) == 1 else ""
    return settled(said, "message", who=people[0].title, text=text) if text else None


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


def _chosen(_: Asked, said: Said, last: Trace) -> Route | None:
    """“The phone one” where it was asked which."""
    if last.asks is None or not last.asks.choices or last.asks.lacks == "yes":
        return None
    for name in dict.fromkeys((said.left(), said.left("it", "helper", "there"))):
        found = references.choose(last.asks.choices, name, said.language) if name else None
        if found and len(found.things) == 1 and not said.has("not_"):
            return settled(said, last.asks.intent, found.things, **last.asks.arguments)
    return None


def _yes_but(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Yes, but on Friday”: another day for what was asked whether it is meant."""
    if last.asks is None or not said.day or not said.has("yes", "no", "only", "change"):
        return None
    # “Do it at two” is no yes to a thing that only may have been meant.
    if said.has("it", "change") and not said.has("yes") and last.asks.choices:
        return None
    if said.text or said.asks or said.left("only", "change", "bad", "not_"):
        return None
    if plain := last.asks.arguments.get("plain"):
        found = routing.route_message(plain)
        if "day" in found.arguments:
            wish = {**found.arguments, "day": said.day}
            found = msgspec.structs.replace(found, arguments=wish)
        elif kept := repairs.with_day(asked, plain, said.day, said.language):
            found = routing.route_message(kept)
        else:
            return None
        if found.intent == "ask":
            return None
        things = last.asks.choices or found.things
        return msgspec.structs.replace(found, things=things, language=said.language)
    if "day" in last.asks.arguments and len(last.asks.choices) == 1:
        wanted = {**last.asks.arguments, "day": said.day}
        return settled(said, last.asks.intent, last.asks.choices, **wanted)
    return None


def _rather(_: Asked, said: Said, last: Trace) -> Route | None:
    """“No, the water one”: what was done was meant for another thing."""
    if last.intent not in ACTS or not last.undo or said.days or said.text or said.asks:
        return None
    if last.intent == "move_note" or not said.has("no") or said.has("not_", "undo", "delete"):
        return None
    name = said.left()
    if len(name) < SHORTEST or not is_name(name) or not said.left(*KINDS):
        return None
    wish = said.message[said.message.index(name) :]
    if any(routing.route_message(one).intent != "ask" for one in (name, wish)):
        return None
    wanted = {**last.arguments, "target": name, "words": name}
    return settled(said, "instead", **wanted)


RULES: tuple[Callable[[Asked, Said, Trace], Route | None], ...] = (
    _chosen,
    _yes_but,
    _replied,
    _undone,
    _later,
    _prioritised,
    _redated,
    _tagged,
    _pinned,
    followup_questions.sent,
    followup_questions.left_on_list,
    followup_questions.unchanged,
    followup_questions.asked_of_note,
    followup_additions.added,
    followup_additions.one_more,
    followup_additions.ticked,
    followup_additions.done,
    followup_additions.too,
    _refiled,
    _rather,
    _put_off,
)
