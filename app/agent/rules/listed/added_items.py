"""What a message adds to the list or note that was spoken of just before."""

import re

from app.agent.rules.answers import item_changes
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes import named, readings, texts
from app.agent.rules.changes.marked import Marked, Words
from app.agent.rules.dialogue import dialogue_words, resolve_reference, slots
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import labelled_lines, list_words
from app.agent.rules.listed.list_words import ListWords
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

TAKEN = frozenset(
    "add_todo ask cannot append_note tick_item add_step todo_state tell_view find_notes".split()
)
"""What a message may only seem to be that adds something to what was spoken of."""
LED = frozenset({"make_note", "list_todos", "move_note", "show_note"})
"""And these, where the message says by itself where a text goes."""
ON = frozenset({"append_note", "tick_item", "change_items", "show_note", "make_note", "add_step"})
"""After these a text goes on the list, where nobody says where it goes."""
WRITTEN = frozenset({"append_note", "make_note", "add_step"})
"""After these “and” goes on with the list."""
SHORT = 50
_EDGE = " \t\n,，、；;。.!！:："
_CLAUSE = re.compile(r"[,;.!，。、；！]\s*(?=\w)")
_QUOTED = re.compile(r"[\"“„«「『]\s*([^\"“”„«»「」『』]+?)\s*[\"”“»」』]\s*(?:って?|[とをもは])?")


def add(
    asked: Asked, wish: Route, language: Language, thing: Thing, marked: Marked
) -> Step | Route:
    """Return what adds a line, an item or a step, or the step that looks whether it is meant;
    nothing where a message says no such thing of what was spoken of, or is named.
    """
    is_named = named.NAME in marked.marks
    words, changes = list_words.words_of(language), changed.words_of(language)
    if not _may_add(asked, wish, language, thing, marked):
        return Step()
    line = ""
    if wish.intent == "add_todo" and thing.kind == "note" and not is_named:
        tool, held = item_changes.call_for(thing), item_changes.held(asked, thing)
        if held is None and not asked.has(tool[0]):
            return Step(calls=(tool,))
        line = labelled_lines.mark(marked, str(held.record["markdown"]), changes) if held else ""
    lead = "" if line else _before(marked, words, changes)
    is_placed = _is_placed(marked, thing, words, changes) or is_named or bool(line)
    fit = marked.fit if changes.spaced else marked.fit_surest
    if not fit(cue(asked, language), "c") or (not lead and marked.has(changes.denies)):
        return Step()
    if lead:
        text, is_clause = _trimmed(lead, words, changes), False
    elif cue(asked, language) is words.more:
        text, is_clause = _one_more(asked.message, words), False
    else:
        text, is_clause = _text(marked, words, changes)
    may_have_day = is_clause or (is_placed and ":" in asked.message)
    has_day = not may_have_day and dialogue_words.find_days(dialogue_words.bare(text), asked.now)
    if not text or has_day or _is_other(text, changes):
        return Step()
    on_list = is_placed and (wish.intent == "move_note" or wish.is_loose)
    # “More for the list: …”
    is_headed = is_named and marked.message.find(":") > marked.marks.index(named.NAME)
    is_told = lead or on_list or is_headed or (is_placed and is_clause)
    if wish.intent not in TAKEN and not is_told:
        return Step()
    if line:
        return labelled_lines.add(wish, thing, line, text)
    last = asked.earlier[0] if asked.earlier else Trace()
    if not (is_placed or is_clause or last.intent in ON or "steps" in last.arguments):
        return Step()
    if not is_named and (step := _goes_elsewhere(asked, language, thing)):
        return step if step.calls else Step()
    notes = [{"title": one.title} for one in asking.things(asked) if one.kind == "note"]
    if on_list and resolve_reference.fitting_rows(text, notes):
        return Step()
    if thing.kind == "todo":
        known = Route("add_step", wish.language, {"step": text}, (thing,))
        return Step() if wish.things else known
    tool, held = item_changes.call_for(thing), item_changes.held(asked, thing)
    if held is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    if not held.goes_on and (wish.things or not (is_placed or is_clause)):
        return Step()  # what is said of a note that is no list is read as it stands
    text = text if held.goes_on else lead or text
    on = {"listed": "yes"} if is_placed and any(one.has_box for one in held.items) else {}
    return Route("append_note", wish.language, {"text": text, **on}, (thing,))


def _may_add(asked: Asked, wish: Route, language: Language, thing: Thing, marked: Marked) -> bool:
    """Return whether a message may add something to what was spoken of last, or is named: “what is
    still left for me?” and “put the ideas in there” add nothing.
    """
    words, changes = list_words.words_of(language), changed.words_of(language)
    is_lost = not changes.spaced and wish.is_loose and words.lacks.search(marked.text)
    if not (wish.intent in TAKEN | LED or is_lost) or re.search("[?？]", asked.message):
        return False
    other = () if changes.spaced else (changes.cues["rename"], changes.asks)
    if any(one.search(marked.text) for one in (changes.cues["tag"], *other)):
        return False
    moved = wish.get("target") if wish.intent == "move_note" else ""
    if moved and resolve_reference.fitting_rows(moved, [{"title": thing.title}]):
        return False
    if wish.intent == "tick_item" and not words.lacks.search(marked.text):
        return False
    is_step = thing.kind == "note" and marked.has(changes.cues["step"])
    return not (is_step or slots.begins_to_ask(asked.message, language))


def _is_placed(marked: Marked, thing: Thing, words: ListWords, changes: Words) -> bool:
    """Mark the words that say where something goes, or only ask for it; return whether one says
    where.
    """
    found = [marked.fit(one, "p") for one in (words.place, words.into)]
    if thing.kind == "todo" and changes.spaced:
        marked.fit(changes.cues["step"], "p")
    marked.fit(changes.courtesy, "p")
    return any(found)


def cue(asked: Asked, language: Language) -> re.Pattern[str]:
    """Return what says that something is added: after a line was written down and beside no word of
    another change, “and” and “too” do.
    """
    words, last = list_words.words_of(language), asked.earlier[0] if asked.earlier else Trace()
    may_go_on = last.intent in WRITTEN and len(asked.message) <= SHORT and not last.asks
    add = words.cues["add"]
    if not may_go_on or add.search(Marked(asked.message).text):
        return add
    return add if set(readings.kinds_of(asked, language)) - {"append"} else words.more


def _one_more(message: str, words: ListWords) -> str:
    """Return what stands beside “and” or “too”, as it was written but for an article."""
    for found in reversed(list(words.more.finditer(Marked(message).text))):
        message = f"{message[: found.start()]}{message[found.end() :]}"
    return routing.trim_name(message.strip(_EDGE))


def may_name(message: str, language: Language) -> bool:
    """Return whether a message may name the list that something goes to and that no pattern knows:
    where no spaces part words, or its last clause may only say that what stands before it is to be
    written down.
    """
    todo = changed.words_of(language).cues["todo"]
    if questions.is_asian(message):
        return todo.match(Marked(message).text) is None
    # “More for the string list: …”
    head = Marked(message.partition(":")[0] if ":" in message else "").text
    if list_words.words_of(language).cues["add"].search(head) and not todo.search(head):
        return True
    ends = list(_CLAUSE.finditer(message))
    tail = Marked(message[ends[-1].end() :]).text if ends else ""
    return bool(tail and list_words.words_of(language).cues["add"].search(tail))


def _before(marked: Marked, words: ListWords, changes: Words) -> str:
    """Return what a clause is about that only says “put that on the list”: what stands before it;
    empty where it says more.
    """
    ends = list(_CLAUSE.finditer(marked.message))
    if not ends:
        return ""
    start = ends[-1].end()
    tail = Marked(marked.message[start:])
    tail.marks[:] = marked.marks[start:]
    is_placed = named.NAME in tail.marks or tail.has(words.place)
    for pattern in (words.place, changes.courtesy, words.cues["add"], words.also["add"]):
        tail.fit(pattern, "p")
    lead = marked.message[: ends[-1].start()].strip(_EDGE)
    if not (tail.fit(words.that, "p") or is_placed or words.lacks.search(Marked(lead).text)):
        return ""
    return "" if any(one.isalnum() for one in tail.left(changes)) else lead


def _is_other(text: str, changes: Words) -> bool:
    """Return whether a text is the wish to change a note: “rename the flour note”."""
    others = (changes.cues[one] for one in ("rename", "delete", "pin", "unpin", "untag"))
    plain = Marked(text).text
    return changes.note.search(plain) is not None and any(one.match(plain) for one in others)


def _goes_elsewhere(asked: Asked, language: Language, thing: Thing) -> Step | None:
    """Return the step that looks whether a message names another note that something goes to; one
    without calls where it does.
    """
    looks = tuple(one for one in asking.looks(asked) if one[0] == "list_notes")
    if looks and not asked.has("list_notes"):
        return Step(calls=looks)
    words, marked = changed.words_of(language), Marked(asked.message)
    places = named.find(asked, marked, asking.things(asked), ("note",), language)
    other = places and thing not in places[0].things
    return (
        Step(empty=True) if other and named.beside(marked, places[0], words.onto, words) else None
    )


def _text(marked: Marked, words: ListWords, changes: Words) -> tuple[str, bool]:
    """Return the one text that is left of a message, and whether it states something."""
    runs = [one for one in marked.runs() if _trimmed(marked.message[slice(*one)], words, changes)]
    start, end = runs[0] if runs else (0, 0)
    if clause := words.clause.match(marked.text[start:end]):
        # “Add that they want ten more jugs”: all that follows is told.
        return _bare(marked.message[start + clause.end() :].strip(_EDGE)), True
    if len(runs) != 1:
        return "", False
    return _bare(_trimmed(marked.message[start:end], words, changes)), False


def _bare(text: str) -> str:
    """Return a text without the quotation marks around all of it, and a particle after them."""
    found = _QUOTED.fullmatch(text)
    return found[1] if found else text


def _trimmed(text: str, words: ListWords, changes: Words) -> str:
    """Return a text without words of the wish at its edges."""
    adding = words.also["add"], words.cues["add"]
    beside = (changes.courtesy, words.lacks, *adding, changes.filler)
    before = ""
    while text != before:
        before = text = text.strip(_EDGE)
        text = texts.without_edge(text, beside, changes)
    return "" if texts.PARTICLE.fullmatch(text) else text
