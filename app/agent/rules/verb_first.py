"""A change that a Chinese message names by a few letters, where other words are left over.

No spaces part words there, and the verb stands before its object; it is always asked.
"""

import functools
import re
from collections.abc import Iterator, Sequence

import msgspec

from app.agent.rules.changes import days, left_over, levels, named, readings, reused, told
from app.agent.rules.changes.marked import Marked, clause_at, words_of
from app.agent.rules.dialogue import dialogue_words, references, slots, view_words
from app.agent.rules.dialogue.references import Reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing

WRITES: frozenset[ChangeKind] = frozenset({"append", "todo", "todos", "note", "reschedule", "move"})
"""What a message may only seem to wish that writes something into a note."""
LETTERS = 3
"""So many letters, not all together in it, may point at a name."""
_AMOUNT = re.compile(r"^(?:[一两二三几]?[个条样件本句行点些]|俩|仨)")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


def offer(asked: Asked, route: Route, step: Step) -> Step:
    """Return the question whether a change is meant of the one thing that a message names, where it
    came to nothing but has a word of that change; else the step.
    """
    language = route.get("written") or route.language
    asks = step.trace.asks if step.trace else None
    guess = asks.arguments.get("plain", "") if asks and asks.intent == asking.INTENT else ""
    if not guess and (asks or (step.trace and step.trace.undo)):
        return step
    if not (guess or step.empty or route.intent in left_over.UNSURE) or not _may(asked, language):
        return step
    wish = _wish(asked, language)
    if wish is None or wish.is_loose:
        written = reused.reuse(asked, functools.partial(_ask_written, language, bool(guess)))
        if written.text or written.calls:
            return written
    if wish is None or (guess and not _is_surer(wish, guess)):
        return step
    # “Wait, he only has time at three” is of what was spoken of, “fireworks on Friday” is not.
    puts = words_of(language).put.search(Marked(wish.said).text) is not None
    found = reused.reuse(asked, functools.partial(_ask, wish, only_named=bool(guess) and puts))
    return found if found.text or found.calls else step


def refuses(asked: Asked, language: Language) -> bool:
    """Return whether what seems to say that nothing is to be done wishes a change by that, where
    the verb stands before its object: “别置顶菜谱了”.
    """
    if not language_data.has_table(language, Changes):
        return False
    if not language_data.load_table(language, Changes).verb_first:
        return False
    kinds = (one for one in readings.kinds_of(asked, language) if one in left_over.OF)
    return any(not left_over.is_denied(asked.message, one, language) for one in kinds)


def _ask_written(language: Language, only_named: bool, asked: Asked) -> Step:
    """Return the question whether what follows a verb of adding goes into the note named before
    it, or spoken of, where no spaces part words and the verb stands before its object.
    """
    words = words_of(language)
    cue = words.cues["append"].search(Marked(asked.message).text)
    if cue is None or not {"append"} <= set(readings.kinds_of(asked, language)) <= WRITES:
        return Step()
    if "todo" in view_words.sort_words(asked.message, language).said:
        return Step()  # “…, put it on my tasks”
    head = asked.message[: cue.start()]
    text = _AMOUNT.sub("", asked.message[cue.end() :]).strip(" ：:，,。吧")
    if not text:
        return Step()
    if not asking.has_looked(asked):
        return Step(calls=asking.looks(asked))
    part = msgspec.structs.replace(asked, message=head)
    notes = [one for one in asking.things(asked) if one.kind == "note"]
    found = named.find(part, Marked(head), notes, ("note",), language) if head else []
    spoken_of = references.notes_told(asked.earlier[0]) if asked.earlier else ()
    meant = found[0].things if found else () if only_named else spoken_of
    written = Route("mean", language, {"wish": "append_note", "text": text}, meant)
    return (asking.ask_meant(written) if len(meant) == 1 else None) or Step()


def _is_surer(wish: Route, guess: str) -> bool:
    """Return whether a word of a change says more than what is only like it: a wish of another kind
    that says to what.
    """
    like = routing.route_message(guess, before=wish.language)
    if wish.intent == like.intent != "complete_todo":
        return True  # it may be of another thing, or day
    return wish.intent != like.intent and bool(wish.get("day") or wish.get("by"))


def _may(asked: Asked, language: Language) -> bool:
    """Return whether a message may wish a change, in a language that says when one is finished."""
    if not language_data.has_table(language, Changes) or len(asked.message) > readings.LONGEST:
        return False
    words, text = words_of(language), Marked(asked.message).text
    asks = words.asks.search(text) or text.rstrip().endswith(("?", "？"))
    return not asks or slots.requests(asked.message, language)


def _wish(asked: Asked, language: Language) -> Route | None:
    """Return the change of which a message has a word, the last where it has several."""
    words, text = words_of(language), Marked(asked.message).text
    cues = {**words.cues, "reschedule": words.shifts}
    found: list[tuple[int, Route]] = []
    kinds = readings.kinds_of(asked, language)
    for kind in (one for one in kinds if one in left_over.OF and "untag" not in kinds):
        # What goes on from a turn about priorities has no word for one: “它要4”.
        places = [one.span() for one in cues[kind].finditer(text)] or [(len(text) - 1, len(text))]
        clauses = [clause_at(asked.message, at, language) for at, _ in places]
        # The day stands beside the verb, and another one in a reason.
        wishes = [_of_kind(asked, clause, kind, language) for _, clause in clauses]
        at = max((at for at, one in enumerate(wishes) if one), default=-1)
        (place, end), (start, clause) = places[at], clauses[at]
        is_else = kind == "reschedule" and left_over.tells_else(asked, clause, language)
        wish = None if is_else else wishes[at] or _of_kind(asked, asked.message, kind, language)
        if wish and wish.get("day") and not wishes[at]:
            wish = _of_day(asked, language)  # of several clauses the last says the new day
        # What “need not be so high” is low.
        denied = kind != "priority" and left_over.is_denied(clause[: end - start], kind, language)
        if wish and not denied:
            found.append((place, msgspec.structs.replace(wish, said=clause, is_loose=False)))
    if found:
        return max(found, key=lambda one: one[0])[1]
    done = words.finished.search(text)
    if done is None:
        return _of_day(asked, language)
    _, clause = clause_at(asked.message, done.end() - 1, language)
    if _is_denied(asked.message, clause, language):
        return None
    return Route("complete_todo", language, {}, said=clause)


def _is_denied(message: str, done: str, language: Language) -> bool:
    """Return whether a clause that seems to tell that something is done says that it is not, or the
    clause before: “the book isn't back, they were closed”.
    """
    clauses = told.clauses_of(message, language)
    at = clauses.index(done) if done in clauses else 0
    return any(
        left_over.is_denied(one, "complete", language) for one in clauses[max(0, at - 1) : at + 1]
    )


def _of_day(asked: Asked, language: Language) -> Route | None:
    """Return that something is likely moved to the day that a message names without a word for
    that, where no spaces part words: “the visa, I'll see to it on Wednesday”.
    """
    for clause in reversed(told.clauses_of(asked.message, language)):
        day = days.new_day(asked, Marked(clause), language)
        if left_over.is_to_come(asked, day):
            return Route("change_todo", language, {"day": day}, said=clause, is_loose=True)
    return None


def _of_kind(asked: Asked, text: str, kind: ChangeKind, language: Language) -> Route | None:
    """Return the change of a kind; None where a text does not say all of it."""
    intent, field, _ = left_over.OF[kind]
    marked = Marked(text)
    arguments = {field: "yes"} if field else {}
    if kind == "reschedule":
        arguments = days.shift(asked, marked, language)
        day = "" if arguments else days.new_day(asked, marked, language)
        arguments = {"day": day} if left_over.is_to_come(asked, day) else arguments
        if not arguments:
            return None
    if kind == "priority":
        marked.mark(days.find(text, asked, language), "d")
        # “… need not be that high, 2”
        words, clauses = words_of(language), told.clauses_of(asked.message, language)
        alone = next(filter(str.isdecimal, (Marked(one).left(words) for one in clauses)), "")
        level = dialogue_words.priority_of(alone or levels.level(marked, language), language)
        if level is None:
            return None
        arguments = {"number": str(level)}
    return Route(intent, language, arguments)


def _ask(wish: Route, asked: Asked, *, only_named: bool) -> Step:
    """Return the question whether a change is meant, or of which of several things, `only_named`
    of those that the message names.
    """
    if not asking.has_looked(asked):
        return Step(calls=asking.looks(asked))
    several = _several(asked, wish)
    things = several or _things(asked, wish, only_named=only_named)
    return left_over.ask_of(wish, Reference(things) if several else left_over.one_of(things))


def _several(asked: Asked, wish: Route) -> tuple[Thing, ...]:
    """Return the todos that the clause of a wish names beside each other, where no spaces part
    words: all of “the tax and the lamp later”, each by letters of its own.
    """
    is_of_todos = wish.intent in ("change_todo", "complete_todo") and not wish.get("reopen")
    if wish.is_loose or not is_of_todos:
        return ()
    pieces = dialogue_words.split_list(wish.said, wish.language)
    todos = told.open_todos(asked)
    part = msgspec.structs.replace(asked, message=wish.said)
    if late := days.overdue(part, todos, wish.language):
        return late
    held = [set(_HAN.findall(_rest(asked, one, wish))) for one in pieces]
    every = [[one for one in todos if said and said <= set(one.title)] for said in held]
    found = tuple(one[0] for one in every if len(one) == 1)
    return found if len(found) > 1 and len(found) == len(pieces) else ()


def _things(asked: Asked, wish: Route, *, only_named: bool) -> tuple[Thing, ...]:
    """Return what a message names of the things that a wish may be of; else what the turn before
    was about.
    """
    may = left_over.may_be_of(asked, wish)
    for text in _clauses_from(asked.message, wish):
        if found := left_over.named_in(asked, text, wish):
            return _likely(asked, left_over.surely(asked, found[0].things, wish), wish)
    if pointed := _of_letters(asked, may, wish):
        return _likely(asked, pointed, wish)
    if only_named and not wish.is_loose:
        return ()
    last = references.newest(asked, left_over.kinds_of(wish)).things if wish.arguments else ()
    return _likely(asked, last, wish)


def _clauses_from(message: str, wish: Route) -> Iterator[str]:
    """Yield where a name is looked for: in the clause of the wish, in those before it from there
    on, in those after it.
    """
    clauses = told.clauses_of(message, wish.language)
    at = next((at for at, one in enumerate(clauses) if one == wish.said), len(clauses))
    yield from (*clauses[at : at + 1], *reversed(clauses[:at]), *clauses[at + 1 :])


def _likely(asked: Asked, things: tuple[Thing, ...], wish: Route) -> tuple[Thing, ...]:
    """Return things; where a wish is only likely, those whose names have all that is left of its
    clause.
    """
    if not wish.is_loose:
        return things
    left = set(_HAN.findall(_rest(asked, wish.said, wish)))
    return tuple(one for one in things if left <= set(one.title))


def _of_letters(asked: Asked, things: Sequence[Thing], wish: Route) -> tuple[Thing, ...]:
    """Return the things whose names have all letters that are left of a message: “the writing one”
    is of those that begin with “write”; of more letters those that have most, two at least.
    """
    letters = _rest(asked, asked.message, wish)
    fitting = tuple(one for one in things if letters and set(letters) <= set(one.title))
    if len(letters) <= LETTERS and fitting:
        return fitting
    marked = Marked(asked.message)
    marked.mark(days.find(asked.message, asked, wish.language), "d")
    marked.left(words_of(wish.language))  # else the letters of little words count
    said = {asked.message[at] for start, end in marked.runs() for at in range(start, end)}
    held = {one: len(said & set(one.title)) for one in things}
    most = max(held.values(), default=0)
    return tuple(one for one, count in held.items() if count == most > 1)


def _rest(asked: Asked, text: str, wish: Route) -> str:
    """Return what is left of a text without the words of its wish, and its days."""
    words, marked = words_of(wish.language), Marked(text)
    marked.mark(days.find(text, asked, wish.language), "d")
    marked.fit(words.must, "p")
    marked.fit(words.courtesy, "p")
    for kind, (intent, *_) in left_over.OF.items():
        if intent == wish.intent:
            marked.fit(words.shifts if kind == "reschedule" else words.cues[kind], "c")
            marked.fit(words.also[kind], "p")
    return marked.left(words)
