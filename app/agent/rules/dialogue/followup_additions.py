"""What a message adds to what the turns before it made, changed or showed.

A line, a step or a todo more, another item that is done, the same for another thing.
"""

import re

from app.agent.rules.dialogue import (
    closed_classes,
    dialogue_words,
    followup_questions,
    references,
    slots,
)
from app.agent.rules.dialogue.closed_classes import KINDS
from app.agent.rules.dialogue.followup_questions import (
    READS,
    SHORTEST,
    is_name,
    meant_things,
    settled,
)
from app.agent.rules.dialogue.slots import Said
from app.agent.rules.languages import language_data
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Trace

_LEVEL = re.compile(r"[\s,，、]*(?<!\d)(10|\d)\s*$")
AGAIN = frozenset({"change_note", "pin_note", "move_note", "delete", "change_todo"})
"""What can be done once more to another thing."""
REST = 20
"""So many letters may stand beside “the other one” of which the same is done."""


def added(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“Add to it: …”: one more line, step or note for what was just made or changed."""
    kinds = ("add", "also", "there", "note", "change", "helper", "step")
    if said.text and said.days and not said.has("there", "step"):
        return None  # “write down for Friday: …” has a day, and is a todo
    if said.text:
        return _more(asked, said, last, said.text) if not said.left(*kinds) else None
    text = _after_verb(said) or said.left("add", "there", "step", "note")
    if re.search("[?？]", said.message) or (last.intent == "move_note" and said.has("also")):
        return None  # “put Compost in there, too” moves that one
    placed = said.has("there") or last.intent in {"append_note", "add_step"}
    placed = placed or bool(followup_questions.list_before(last, said.language))
    if (told := _told(said)) and any(one.kind == "note" for one in last.about):
        # “Add that there will be 14 of us” goes on with the note that was made or told.
        placed, text = True, told
    # “Add also …” after a note that was written goes on with it; what has a day is a todo.
    placed = placed or (last.intent == "make_note" and said.has("also") and not said.days)
    placed = placed and said.has("add")
    placed = placed and not said.has("folder", "name", "not_", "delete", "undo", "done")
    # The Spanish “para” is “stop”, but “for” too.
    placed = placed and not any("no" in one.kinds and "to" not in one.kinds for one in said.tokens)
    if not placed or said.asks or not text:
        return None
    return _more(asked, said, last, text)


def _after_verb(said: Said) -> str:
    """Return what follows the verb of adding with which a message begins and that has a day, which
    is part of it, where no spaces part words.
    """
    first = next((one for one in said.tokens if "add" in one.kinds), None)
    if first is None or not said.days or not closed_classes.is_unspaced(said.language):
        return ""
    lead = said.message[: first.start]
    return (
        "" if slots.left_of(lead, said.language) else said.message[first.end :].strip(" ：:，,。")
    )


def _told(said: Said) -> str:
    """Return what “add that …” is to tell."""
    that = language_data.load_table(said.language, FollowUp).that
    found = re.search(
        rf"(?<!\w)(?:{language_data.join_pattern(that)})(?:\b|(?<='))",
        plain_letters(said.message).lower(),
    )
    kinds = ("add", "there", "also", "helper", "note", "it")
    if found is None or not slots.only_little(said.message[: found.start()], said.language, *kinds):
        return ""
    return said.message[found.end() :].strip(" ,.")


def _more(asked: Asked, said: Said, last: Trace, text: str) -> Route | None:
    of_steps = said.has("also", "it", "there") and last.intent == "add_step"
    of_steps = of_steps or (said.has("add") and said.has("there") and last.intent in READS)
    todos = meant_things(asked, said, last, ("todo",))
    if last.intent == "add_todo" and dialogue_words.find_days(dialogue_words.bare(text), asked.now):
        return None  # “One more: the match at 8” is no step of what was added.
    if todos and (of_steps or said.has("step")):
        return settled(said, "add_step", todos, step=text)
    if said.text and last.about and last.about[0].kind == "folder" and said.has("note"):
        name = last.about[0].title.rpartition("/")[2]
        return settled(said, "make_note", content=text, whole=text, folder=name)
    notes = meant_things(asked, said, last, ("note",))
    spoken_of = last.about or (len(last.shown) == 1 and said.has("there"))
    if notes and spoken_of and said.has("add", "also"):
        return settled(said, "append_note", notes, text=text)
    return None


def one_more(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“And print the plan too” after a step, without a mark before the text."""
    if said.text or said.days or last.intent != "add_step" or said.asks:
        return None
    if not said.has("also", "step") or said.has("not_", "bad") or not said.left(*KINDS):
        return None
    if slots.begins_to_ask(said.message, said.language):
        return None  # “what is still left for me”
    text = said.left("step")
    found = routing.route_message(text)
    plain = text and (found.intent in ("ask", "cannot") or found.is_loose)
    return _more(asked, said, last, text) if plain else None


def ticked(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“We still have eggs, cross them off” of a list that was shown or changed."""
    lists = followup_questions.list_before(last, said.language)
    if not lists or not said.has("tick") or said.days or said.asks or said.has("delete"):
        return None
    text = said.text or said.left("tick", "change")
    return settled(said, "tick_item", lists, text=text) if text else None


def done(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“The bicycle too” after something else was done, “done with that”."""
    if said.days or said.text or not said.has("done", "also") or said.asks:
        return None
    if said.has("not_", "bad", "delete", "add"):
        return None
    if references.other_in(said.message, said.language):
        return None
    name = said.left("done", "helper")
    told = routing.route_message(said.message) if " " in name else None
    if told and told.intent == "complete_todo" and len(told.get("words")) < len(name):
        return None  # “And the passport is renewed, too” says itself what is done.
    if not name:
        todos = meant_things(asked, said, last, ("todo",))
        pointed = said.number is not None or last.intent in READS or last.intent == "todo_state"
        ready = said.has("done") and pointed and last.intent != "complete_todo"
        return settled(said, "complete_todo", todos) if todos and ready else None
    if not last.about or not is_name(name) or said.has("no"):
        return None
    if last.intent == "complete_todo":
        return settled(said, "complete_todo", words=name)
    return None


def too(asked: Asked, said: Said, last: Trace) -> Route | None:
    """“And the drawings too” after another todo or note was changed: the same of that one."""
    other = references.other_in(said.message, said.language) if last.undo else ""
    if other and last.intent in ("change_todo", "complete_todo", "delete") and said.has("also"):
        return _too_of_other(asked, said, last, other)
    changes = last.intent in AGAIN and last.undo
    if not changes or said.days or said.text or said.asks or not said.has("also"):
        return None
    moves = last.intent == "move_note" and said.has("there", "folder")
    if said.has("no", "not_", "bad", "delete", "undo", "step") or (said.has("add") and not moves):
        return None
    if any("done" in one.kinds and "also" not in one.kinds for one in said.tokens):
        return None
    name = said.left("helper", *(("add", "there", "change", "folder") if moves else ()))
    arguments = dict(last.arguments)
    if "priority" in arguments and (level := _LEVEL.search(name)):
        name, arguments["priority"] = name[: level.start()], level[1]
    if len(name) < SHORTEST or not is_name(name) or "title" in last.arguments:
        return None
    if routing.route_message(name).intent != "ask":
        return None
    return settled(said, last.intent, **{**arguments, "target": name, "words": name})


def _too_of_other(asked: Asked, said: Said, last: Trace, other: str) -> Route | None:
    """“The other one likewise, while we're at it”: the same of what is left of a list; with more
    words the question whether that is meant.
    """
    found = references.refer(asked, other, ("todo", "note"), said.language)
    if found is None or len(found.things) != 1 or said.days or said.asks:
        return None
    if said.has("not_", "bad", "delete", "undo"):
        return None
    same = {
        name: value for name, value in last.arguments.items() if name not in ("target", "words")
    }
    if questions.is_asian(said.message) and said.left("helper"):
        return None  # “もう一個のほうは終わっとる” says what of the other
    if len(said.message) - len(other) > REST:
        day = last.arguments.get("day", "")
        wish = {"wish": last.intent, **({"field": "day", "day": day} if day else {})}
        is_asked = day or last.intent != "change_todo"
        return settled(said, "mean", found.things, **wish) if is_asked else None
    return settled(said, last.intent, found.things, **same)
