"""What a message takes back or removes of what the turns before made, changed or removed."""

import functools
import re
from collections.abc import Sequence

from app.agent.rules.dialogue import followup_questions, references, slots
from app.agent.rules.dialogue.followup_questions import meant_things, settled
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, Trace

REST = 24
"""So many letters may be left of a message that refuses."""
MAKES = frozenset({"add_todo", "make_note", "make_folder", "add_step", "append_note"})
ADDS = frozenset({"add_step", "append_note"})
"""The intents that add to what was there."""
NOTED = frozenset({"change_note", "pin_note"})
REMOVES = frozenset({"delete", "undo"})
HELPS = ("undo", "helper", "there", "total")
_CLAUSE = re.compile(r"[,;.!–—，、；。！]+\s*|\s-\s")
MOVES = ("change", "only", "later", "earlier")
"""The classes of words by which a day is moved."""


def undone(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Back to how it was”, and of what was removed “no, keep it”; of several “the second one
    back”.
    """
    if said.days or said.text:
        return None
    if said.number is not None:
        return _undone_one(said, last) if last.undo else None
    if (named := _undone_named(asked, said)) is not None:
        return named
    if not last.undo:
        return None
    goes_back = said.has("undo") and last.intent != "undo"
    if goes_back and not said.has("not_") and not said.left(*HELPS, "change", "leave", *MOVES):
        return settled(said, "undo")
    undone = last.intent == "complete_todo" and said.has("not_") and not said.has("also")
    if undone and not said.message.endswith("?") and not said.has("undo", "leave", "delete"):
        if said.left("helper", "there", "done", "not_", "keep", "sent", "due"):
            return None
        return settled(said, "undo")
    if last.intent in REMOVES and _is_kept(said):
        kept = not said.left(*HELPS, "keep", "leave", "delete", "not_")
        return settled(said, "undo", again="yes") if kept else None
    removes = said.has("delete") and not said.has("not_", "keep", "due")
    if last.intent in MAKES and removes and not said.left(*HELPS, "delete", "change"):
        return _note_removed(asked, said, last) or settled(said, "undo")
    if removes and not said.left(*HELPS, "delete", "change"):
        return _deleted(asked, said, last)
    return None


def _deleted(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“I don't need this todo after all, delete it” after it was changed."""
    things = meant_things(asked, said, last, ("todo", "note"))
    clauses = [one for one in _CLAUSE.split(said.message) if one]
    if len(things) != 1 or not _deletes(clauses) or references.is_gone(asked, things[0]):
        return None
    return settled(said, "delete", things)


def _undone_named(asked: Asked, said: Said) -> Route | None:
    """“Put the passport back as it was”: what was done to the thing that a message names, be it
    some turns ago, or to one of several.
    """
    if not said.has("undo") or said.has("not_", "name", "tag") or said.asks:
        return None
    if any("delete" in one.kinds and "undo" not in one.kinds for one in said.tokens):
        return None
    told = followup_questions.named_recently(asked, said, ("todo", "note"))
    turn = next((one for one in asked.earlier if set(told) & set(one.about) and one.undo), None)
    if not told or turn is None or (turn.intent == "undo" and turn is asked.earlier[0]):
        return None
    rest = functools.reduce(
        followup_questions.without_name, (one.title for one in told), said.message
    )
    left = slots.left_of(rest, said.language, *HELPS, "change", "leave", "keep", "no")
    if len(left) > REST:
        return None
    if set(told) >= set(turn.about):
        told = turn.about
    return settled(said, "undo", told)


def refused(_: Asked, said: Said, last: Trace) -> Route | None:
    """“On second thought, don't send it yet” of what waits for a yes."""
    waits = tuple(one for one in last.about if one.kind in ("escalation", "request"))
    if not waits or not said.has("not_") or said.text or said.asks:
        return None
    found = routing.route_message(said.message, before=said.language)
    if not (found.intent in ("ask", "leave", "cannot") or found.is_loose):
        return None
    left = said.left("not_", "helper", "sent", "change", "later", "leave", "keep", "only", "delete")
    return settled(said, "decide", waits, no="no") if len(left) <= REST else None


def dropped(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Cancel that whole optician thing, they called”: what was made or changed a while ago and is
    named again; it is asked first where more than its name is said of it.
    """
    if not said.has("delete") or said.has("not_", "keep", "done", "add") or said.asks:
        return None
    if said.number is not None and not said.left("delete", "helper", "change", "there"):
        numbered = meant_things(asked, said, last, ("todo", "note"))
        return settled(said, "delete", numbered) if len(numbered) == 1 else None
    told = followup_questions.named_recently(asked, said, ("todo", "note"))
    if len(told) != 1 or said.days or said.text or references.is_gone(asked, told[0]):
        return None
    clauses = [one for one in _CLAUSE.split(said.message) if one]
    if not (_was_made(asked, told[0]) or _deletes(clauses)):
        # “Off the tomatoes again” takes a tag away, and no note.
        changed = next(one for one in asked.earlier if told[0] in one.about and one.undo)
        return settled(said, "undo", told) if changed.intent in NOTED else None
    mine = [one for one in clauses if _has_any(one, said, told[0])]
    others = (routing.route_message(one) for one in clauses if one not in mine)
    if any(one.intent not in ("ask", "cannot") and not one.is_loose for one in others):
        return None  # another wish
    rest = followup_questions.without_name(" ".join(mine), told[0].title)
    little = slots.only_little(rest, said.language, *HELPS, "delete", "undo", "change", "not_")
    if little:
        was_last = last.intent in MAKES and told[0] in last.about
        return settled(said, "undo" if was_last else "delete", told)
    return settled(said, "mean", told, wish="delete")


def _was_made(asked: Asked, thing: Thing) -> bool:
    """Return whether the last turns made a thing."""
    turns = asked.earlier[: references.RECENT]
    return any(one.intent in MAKES - ADDS and thing in one.about for one in turns)


def _deletes(clauses: Sequence[str]) -> bool:
    """Return whether one of several clauses is a wish to delete."""
    return any(routing.route_message(one).intent == "delete" for one in clauses)


def _has_any(clause: str, said: Said, thing: Thing) -> bool:
    """Return whether a clause has the name or a word that deletes."""
    if followup_questions.without_name(clause, thing.title) != clause:
        return True
    return not slots.only_little(clause, said.language) and slots.has_kind(
        clause, said.language, "delete", "undo"
    )


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
