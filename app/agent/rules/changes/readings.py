"""The changes that a message may wish.

The kind is told by a verb or noun of its own; what is left of the message is the thing meant.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from app.agent.rules.changes import (
    days,
    last_spoken,
    levels,
    new_notes,
    plain_tasks,
    several,
    texts,
)
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.changes.named import NAME, Named, beside, find, has_word, settled
from app.agent.rules.dialogue import dialogue_words, references, slots
from app.agent.rules.languages.change_tables import ChangeKind
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, ThingKind

LONGEST = 300
"""What is longer is a text, and not a wish."""
LONGEST_NAME = 80
WRITES: tuple[ChangeKind, ...] = ("todos", "todo", "note", "message")
"""The changes whose text may be anything."""
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
PLAIN: Mapping[ChangeKind, tuple[str, str, dict[str, str]]] = {
    "complete": ("complete_todo", "words", {}),
    "delete": ("delete", "target", {}),
    "reopen": ("change_todo", "target", {"reopen": "yes"}),
    "undate": ("change_todo", "target", {"clear": "yes"}),
    "pin": ("pin_note", "target", {}),
    "unpin": ("pin_note", "target", {"unpin": "yes"}),
    "reschedule": ("change_todo", "target", {}),
    "priority": ("change_todo", "target", {}),
}
"""The changes that need no text: the intent, its argument for the thing, and what is so anyhow."""
THINGS: tuple[ThingKind, ...] = ("todo", "note")


def kinds_of(asked: Asked, language: Language) -> tuple[ChangeKind, ...]:
    """Return the changes of which a message has a word; none where it asks for something."""
    marked = Marked(asked.message)
    if len(marked.text) > LONGEST or "\n" in marked.text.strip():
        return ()
    words = words_of(language)
    if words.tells.search(asked.message.lower()):
        return ()
    if words.asks.search(marked.text) and not slots.requests(asked.message, language):
        # “Ask Ben when he comes” asks nothing here.
        begun = words.courtesy.match(marked.text)
        start = begun.end() if begun else 0
        sends = not words.spaced and words.cues["message"].match(marked.text, start)
        return ("message",) if sends else ()
    is_question = re.search("[?？]", marked.text) and not words.courtesy.search(marked.text)
    if is_question or _takes_back(asked.message, language):
        return ()
    cues = {**words.cues, "reschedule": words.shifts}
    levelled = levels.goes_on(asked, marked)
    return tuple(
        kind
        for kind in KINDS
        if cues[kind].search(marked.text) or (kind == "priority" and levelled)
    )


def _takes_back(message: str, language: Language) -> bool:
    """Return whether the last words of a message take back all before: “… oh, never mind”."""
    last = re.split(r"[.…,;，、。–—-]+\s*", message.strip(" .!…。！"))[-1]
    ends = (last, last.partition(" ")[2])
    return any(
        dialogue_words.whole(language, name, one)
        for one in ends
        if one and one != message
        for name in ("drop", "nothing")
    )


def needs_names(kinds: Sequence[ChangeKind], language: Language) -> bool:
    """Return whether a change can only be read by what things there are."""
    named = NAMING if words_of(language).spaced else {**NAMING, **PLAIN}
    return any(kind in named for kind in kinds)


def read(
    asked: Asked, kinds: Sequence[ChangeKind], things: Sequence[Thing], language: Language
) -> list[Route]:
    """Return what a message may wish to change, the likeliest first."""
    found: list[tuple[ChangeKind, Route]] = []
    for kind in kinds:
        if kind in NAMING:
            route = NAMING[kind](asked, kind, things, language)
        elif kind in ("todo", "todos"):
            route = plain_tasks.stated(asked, kind, language)
        else:
            route = _plain(asked, kind, things, language)
        found += [(kind, route)] if route else []
    found.sort(key=lambda one: _is_within(one[0], asked, language))
    return [route for _, route in found]


def _is_within(kind: ChangeKind, asked: Asked, language: Language) -> bool:
    """Return whether the word of a change stands only within what another is to write down."""
    words, text = words_of(language), Marked(asked.message).text
    if kind not in PLAIN or kind == "reschedule":
        return False
    at = [words.cues[one].search(text) for one in (kind, *WRITES)]
    return any(one and at[0] and one.start() < at[0].start() for one in at[1:])


def _plain(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a change that needs no text: all that is left of the message is what it is about.
    Where no spaces part words, little words are parts of names, too: what is named is found first.
    """
    words, marked = words_of(language), Marked(asked.message)
    intent, name, _ = PLAIN[kind]
    if words.doubts.search(marked.text):
        return None  # “not going after all” is asked about
    if not words.spaced and kind != "delete":
        of: tuple[ThingKind, ...] = ("note",) if intent == "pin_note" else ("todo",)
        for one in find(asked, marked, things, of, language)[:1]:
            head = Marked(asked.message)
            head.mark([one[1:]], NAME)
            found = _plain_rest(asked, kind, head, language)
            is_all = found and found.intent == intent and not found.get(name)
            said = asked.message[one.start : one.end]
            is_sure = len(one.things) == 1 or dialogue_words.whole(language, "both", said)
            if found and is_all and is_sure:
                meant = one.things if len(one.things) == 1 else ()
                bare = words.link_after.sub("", said) or said
                names = {name: one.words if len(one.things) > 1 else bare}
                return Route(intent, language, {**found.arguments, **names}, meant)
    plain = _plain_rest(asked, kind, marked, language)
    is_of_it = plain and plain.intent == intent and not plain.get(name)
    return None if is_of_it and not asked.earlier else plain


def _plain_rest(asked: Asked, kind: ChangeKind, marked: Marked, language: Language) -> Route | None:
    """Return such a change of what is left of a message beside what is marked."""
    words = words_of(language)
    arguments: dict[str, str] = {}
    if kind == "reschedule":
        arguments = days.shift(asked, marked, language)
        if not arguments and (day := days.new_day(asked, marked, language)):
            arguments = {"day": day}
        if not arguments and not words.moves.search(marked.text):
            return None  # else it is asked to which day
    marked.fit(words.courtesy, "p")
    is_said = marked.fit(words.cues[kind], "c") or "by" in arguments
    if not (is_said or (kind == "priority" and levels.goes_on(asked, marked))):
        return None
    if kind == "priority":
        if days.find(asked.message, asked, language):
            return None  # both are asked about
        arguments["priority"] = levels.level(marked, language)
    marked.fit(words.also[kind], "p")
    if marked.has(words.denies):
        return None
    marked.fit(words.put, "p")
    target = marked.left(words)
    if not target:
        message = asked.message
        target = references.other_in(message, language) or references.both_in(message, language)
    if len(target) > LONGEST_NAME:
        return None
    # “No longer needed” says of nothing by itself what is to be done.
    if not target and (words.denies.search(marked.text) or arguments.get("priority") == "?"):
        return None
    if kind == "delete" and words.cues["folder"].search(marked.text):
        folder = Marked(target)
        folder.fit(words.cues["folder"], "c")
        return Route("delete_folder", language, {"folder": folder.left(words)})
    intent, name, fixed = PLAIN[kind]
    return Route(intent, language, {name: target, **fixed, **arguments})


def _head_and_text(
    asked: Asked,
    kind: ChangeKind,
    things: Sequence[Thing],
    of: Sequence[ThingKind],
    language: Language,
    *,
    exact: bool = False,
) -> tuple[Marked, Named, str] | None:
    """Return a message marked, what it names of those kinds, and its text: what follows the colon
    after all of these, or what is left.
    """
    words = words_of(language)
    head, text = texts.after_colon(Marked(asked.message))
    for marked, said in ((head, text), (Marked(asked.message), "")) if text else ((head, ""),):
        quoted = texts.only_quoted(marked)
        named = find(asked, marked, things, of, language, but=quoted, first=kind == "rename")
        if kind == "rename":
            # What stands in the new name is no name of what gets it.
            named = [one for one in named if not quoted[0] <= one.start < quoted[1]]
            if not words.spaced and (cue := words.cues[kind].search(marked.text)):
                named = [one for one in named if one.start < cue.start()]
            if not (named or said) and (new := last_spoken.new_name(asked, of, words)):
                return new
            if named and last_spoken.is_new_note(marked, named[0], words):
                continue
        if not named or named[0].start >= len(head.text):
            continue
        is_beside = (
            not words.spaced and kind == "tag" and beside(marked, named[0], words.onto, words)
        )
        if not is_beside and not marked.mark([named[0][1:]], NAME):
            continue
        if not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
            continue
        if said and texts.is_covered(marked, words, kind):
            return marked, named[0], said
        if not said and (said := texts.text_of(marked, words, kind, exact=exact)):
            if kind == "rename" and words.spaced:
                said = routing.without_courtesy(said)
                if head.message.find(said) < named[0].start:
                    return last_spoken.new_name(asked, of, words)  # the new name ends as the old
                if whole := last_spoken.name_begun(asked, named[0], said):
                    return marked, named[0], whole
            return marked, named[0], said
    return None


def _of_thing(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a change that gives a thing a text: a step, a tag, a name."""
    intent, field, of = WITH_TEXT[kind]
    if intent == "change_note" and last_spoken.says_same_tag(asked.message, language):
        same = last_spoken.same_tag(asked, kind)
        places = find(asked, Marked(asked.message), things, of, language) if same else []
        return settled(intent, language, places[0], **same) if places else None
    words = words_of(language)
    if kind == "tag" and words.cues["untag"].search(Marked(asked.message).text):
        return None
    if not words.spaced and last_spoken.says_else(asked.message, kind, words):
        return None
    if kind == "rename" and words.cues["folder"].search(Marked(asked.message).text):
        named = _head_and_text(asked, kind, things, ("folder",), language)
        if named is None:
            return None
        folder = {"folder": named[1].things[0].title, "title": named[2]}
        return Route("rename_folder", language, folder)
    text = Marked(asked.message).text
    adds = words.cues["append"].search(text) or new_notes.new_of(language).search(text)
    others = [words.cues[one] for one in ("delete", "complete") if words.spaced or one == "delete"]
    if kind == "step" and not adds and any(one.search(text) for one in others):
        return None  # “Drop the last step of the move” adds none.
    exact = kind == "rename" and words.spaced
    found = _head_and_text(asked, kind, things, of, language, exact=exact)
    if found is None and kind == "step":
        return several.step_there(asked, language)
    if (
        found is None
        and kind == "untag"
        and (one := last_spoken.without_tag(asked, things, language))
    ):
        return one
    if found is None and intent == "change_note":
        clause = last_spoken.tag_of_clause(asked, kind, words)
        found = (Marked(asked.message), *clause) if clause else None
    if found is None:
        return None
    untag = {"untag": "yes"} if kind == "untag" else {}
    names_more = field == "tag" and words.spaced and words.note.search(Marked(found[2]).text)
    if names_more and not texts.only_quoted(Marked(asked.message))[1]:
        return None  # “tag pottery on the notes about the kiln and the glaze”
    return settled(intent, language, found[1], **{field: found[2]}, **untag)


def _to_note(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return what is written into a note or ticked in it, where it says that it goes there."""
    words, whole = words_of(language), Marked(asked.message)
    if kind == "append" and any(words.cues[one].search(whole.text) for one in ("tag", "step")):
        return None
    if kind == "append" and (step := _quoted_step(asked, things, language)):
        return step
    if not words.spaced and words.cues["rename"].search(whole.text):
        return None
    named = find(asked, whole, things, ("note",), language)
    if named and last_spoken.is_any_list(asked, whole, named[0], words):
        return None
    ends = named and not whole.text[named[0].end :].strip(" .!")
    if named and words.spaced and not (ends or has_word(asked.message, named[0])):
        return None  # “add to my list call …” names no “Phone script”
    if not named or not beside(whole, named[0], words.onto, words):
        return None
    head, text = texts.after_colon(whole)
    if text and len(head.marks) <= named[0].start and words.cues["todo"].search(whole.text):
        return None  # “To do: flight to Lisbon” says nothing of the note Lisbon.
    if text and len(head.marks) > named[0].start:
        beside(head, named[0], words.onto, words)
        head.fit(words.cues[kind], "c")
        if texts.is_covered(head, words, kind):
            return settled(TO_NOTE[kind], language, named[0], text=text)
    fit = whole.fit if words.spaced or kind != "append" else whole.fit_surest
    if not fit(words.cues[kind], "c") or whole.has(words.denies):
        return None
    text = texts.text_of(whole, words, kind)
    folders = {one.title.lower() for one in things if one.kind == "folder"}
    if not text or text.lower() in folders:
        return None  # “Put the note of the boat in Home”
    return settled(TO_NOTE[kind], language, named[0], text=text)


def _quoted_step(asked: Asked, things: Sequence[Thing], language: Language) -> Route | None:
    """Return the steps in quotation marks that go onto a todo that stands beside them."""
    words, marked = words_of(language), Marked(asked.message)
    quoted = texts.all_quoted(marked)
    named = [] if words.spaced else find(asked, marked, things, ("todo",), language, but=quoted)
    if not named or quoted[0] <= named[0].start < quoted[1]:
        return None
    if not beside(marked, named[0], words.onto, words) or not marked.fit(words.cues["append"], "c"):
        return None
    steps = texts.text_of(marked, words, "step")
    return settled("add_step", language, named[0], step=steps) if steps else None


def _moved(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return that a note goes to a folder, where nothing else is said."""
    words, marked = words_of(language), Marked(asked.message)
    folder = new_notes.folder_of(asked, marked, things, words.onto, language)
    notes = find(asked, marked, things, ("note",), language) if folder else []
    if not notes or not marked.mark([(notes[0].start, notes[0].end)], NAME):
        return None
    if not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
        return None
    if not texts.is_covered(marked, words, kind):
        return None
    return settled("move_note", language, notes[0], folder=folder)


def _message(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return words to a contact: the one named, or the one spoken of last."""
    found = _head_and_text(asked, kind, things, ("person",), language, exact=True)
    if found:
        if len(found[1].things) > 1:
            return None
        return Route("message", language, {"who": found[1].things[0].title, "text": found[2]})
    who = references.last_person(asked)
    words, marked = words_of(language), Marked(asked.message)
    if not who or not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
        return None
    text = texts.text_of(marked, words, kind, exact=True)
    return Route("message", language, {"who": who, "text": text}) if text else None


WITH_TEXT: Mapping[ChangeKind, tuple[str, str, tuple[ThingKind, ...]]] = {
    "step": ("add_step", "step", ("todo",)),
    "tag": ("change_note", "tag", ("note",)),
    "untag": ("change_note", "tag", ("note",)),
    "rename": ("rename", "title", THINGS),
}
TO_NOTE: Mapping[ChangeKind, str] = {"append": "append_note", "tick": "tick_item"}
Reader = Callable[[Asked, ChangeKind, Sequence[Thing], Language], Route | None]
NAMING: Mapping[ChangeKind, Reader] = {
    **dict.fromkeys(WITH_TEXT, _of_thing),
    **dict.fromkeys(TO_NOTE, _to_note),
    "move": _moved,
    "folder": new_notes.folder,
    "note": new_notes.note,
    "message": _message,
}
"""The changes that are read by what things there are."""
INTENTS: Mapping[ChangeKind, str] = {
    **{kind: intent for kind, (intent, *_) in (*PLAIN.items(), *WITH_TEXT.items())},
    **TO_NOTE,
    "tick": "complete_todo",
    "move": "move_note",
    "folder": "make_folder",
    "note": "make_note",
    "message": "message",
    "todo": "add_todo",
    "todos": "add_todo",
}
"""The intent that each kind of change is, where patterns know it."""
