"""Whether what the patterns make of a message is what its reader makes of it.

Only what both say is done; where they differ it is asked about. What came to nothing is asked
about as the reader has it, or shown where it only reads.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from app.agent.rules.answers import targets
from app.agent.rules.changes import reused
from app.agent.rules.dialogue import continued, dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import (
    agreement,
    amended,
    at_once,
    just_told,
    lines_first,
    looked_up,
    made_at_once,
    replaced_text,
    same_question,
    same_texts,
    shown,
    surely,
    taken_back,
    whole_days,
    wishes,
    written_at_once,
)
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Question, Step, Trace

Act = Callable[[Asked, Route], Step]
MAYBE = 0.2
"""So likely is what is asked about where what is likelier names nothing."""
TAKES_BACK = ("undo", "leave", "no")
"""The intents of what takes back what was done, where nothing was asked."""
TOLD = frozenset({"none", "smalltalk"})
"""The intents of what wishes nothing."""
FOUND_FIRST = frozenset({"replace_text"})
"""What is only asked about where its words stand once in a note, which says more than a reader."""
NOTED = frozenset({"replace_text", "append_note", "add_item", "remember", "none"})
"""The intents that may be one of a text that is corrected or remembered."""
SURELY_ASKED = frozenset({"replace_text", "remember"})
"""What only one reading asks about, which looks more closely."""


class Doers(NamedTuple):
    """What the patterns make of a message, and what is done about a route."""

    step: Callable[[Asked], Step]
    act: Act


def judge(asked: Asked, looked: Asked | None, language: Language, doers: Doers) -> Step:
    """Return the step that comes of a message; where its reader does not say the same, a question.

    `looked` has what the calls of `looked_up` gave, once they were made.
    """
    may = len(asked.message) <= asking.LONGEST and "search_todos" in asked.tools
    if not (may and reader.knows(language)):
        return doers.step(asked)
    if taken_back.ends_in_undo(asked, language):
        return surely.do(looked or asked, Route("undo", language, {}), doers.act)
    first, has_looked = lines_first.do(asked, looked or asked, language, doers.act)
    for do_first in (whole_days.move, made_at_once.plain_todo, just_told.step_done):
        if first is None:
            first, looks_too = do_first(asked, language, doers.act)
            has_looked = has_looked or looks_too
    if first is not None:
        return first
    if has_looked:
        pattern = doers.step
        doers = doers._replace(step=lambda part: reused.reuse(part, pattern))
    step, act = doers.step(asked), doers.act
    if not looks.has_only_looked(asked):
        return _after_done(asked, looked, step, language, doers)
    judged = _judged(asked, looked, step, language, act)
    if not isinstance(judged, Step):
        if taken_back.at_end(asked, language):
            return _ask_first(asked, step, language)
        return surely.do(looked or asked, judged, act)
    if not _acts(judged):
        judged = amended.ask_amended(asked, language) or judged
    judged = shown.named_todo(asked, looked, judged, language, act) or judged
    return taken_back.no_row(asked, judged, language) or judged


def _judged(
    asked: Asked, looked: Asked | None, step: Step, language: Language, act: Act
) -> Step | Route:
    """Return the step that comes of a message, or the change that is made of it at once."""
    found = _of_step(asked, looked, step, language, act)
    if not isinstance(found, Step):
        return step if question_signs.may_ask(asked.message) and not _acts(step) else found
    if _acts(found):
        return found
    return lines_first.at_last(asked, looked or asked, found, language) or found


def _acts(step: Step) -> bool:
    """Return whether a step calls tools, or tells what was done."""
    return bool(step.calls or (step.trace and step.trace.undo))


def _of_step(
    asked: Asked, looked: Asked | None, step: Step, language: Language, act: Act
) -> Step | Route:
    """Return the step of the patterns, what is to be done instead, or asked first."""
    if not step.calls:
        return _instead(asked, looked, step, language, act)
    if looks.only_looks(step) or _answers(asked, step, language):
        return step
    if taken_back.at_end(asked, language):
        return _ask_first(asked, step, language)
    if taken_back.is_no(asked, language):
        return taken_back.let_be(language)
    if same_question.renames_guess(asked, step) or taken_back.trashes_part(asked, step):
        return _ask_first(asked, step, language)
    if taken_back.is_provided(asked, step, language) or taken_back.is_loose(asked, step, language):
        return _ask_first(asked, step, language)
    if question_signs.may_ask(asked.message):
        route = Route("ask", language, {"words": asked.message})
        told = surely.do(looked or asked, route, act)
        return told if told.calls or told.quotes else _ask_first(asked, step, language)
    return _checked(asked, looked, step, language, act)


def _answers(asked: Asked, step: Step, language: Language) -> bool:
    """Return whether a message answers what the turn before asked, or says that it was the other of
    two; a yes does so as a whole, and nothing that surely wishes something else.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None:
        undoes = bool(asked.earlier and asked.earlier[0].undo)
        return undoes and bool(continued.other_after_all(asked.message, language))
    if question.lacks == "yes":
        return dialogue_words.whole(language, "yes", asked.message) is not None
    is_other = question.choices and not agreement.changes_only(step, question.choices)
    if is_other or asked.message.rstrip().endswith(("?", "？")):
        return False
    if question.lacks == "day" and dialogue_words.is_day(asked.message, asked, language):
        return True
    likely = reader.read(asked, (), language).likely[:1]
    if question.lacks == "task" and likely and likely[0].intent in wishes.READS:
        return likely[0].sure < wishes.SURE  # “how long does it keep?” is no todo
    return not any(
        one.sure >= (surely.HALF if question_signs.may_be_question(one) else wishes.SURE)
        and _wishes_else(one)
        and not agreement.is_of(step, one)
        for one in likely
    )


def _wishes_else(said: Understood) -> bool:
    """Return whether a message wishes a change or asks something, and so is no mere answer."""
    asks = said.intent in wishes.READS and question_signs.may_be_question(said)
    return said.intent in wishes.WRITES or asks


def _checked(
    asked: Asked, looked: Asked | None, step: Step, language: Language, act: Act
) -> Step | Route:
    """Return a step that changes something where its message says so, else a question."""
    first = reader.read(asked, (), language)
    may_be_part = wishes.may_be_part(step.calls, first.likely)
    is_bare = same_texts.makes_bare_note(step)
    leaves_folder = bool(first.likely) and same_texts.leaves_folder(step, first.likely[0])
    is_listed = bool(first.likely) and same_texts.leaves_list(step, first.likely[0])
    may_be_alike = questions.is_asian(asked.message) and looked_up.ends_one(step)
    is_unsure = may_be_part or is_bare or leaves_folder or is_listed or may_be_alike
    if not is_unsure and agreement.agree(asked, step, first, language):
        return step
    if looked is None:
        return Step(calls=looked_up.calls_to_look(asked)) if looked_up.may_look(asked) else step
    if may_be_alike and len(alike := looked_up.ended_or_alike(looked, step.calls)) > 1:
        return targets.ask_which(Route(looked_up.OF_ENDS[step.calls[0][0]], language, {}), alike)
    if may_be_part and (part := wishes.ask_of_named_step(looked, step.calls, language)):
        return part
    if (may_be_part or may_be_alike) and agreement.agree(asked, step, first, language):
        return step
    if is_bare and same_texts.begins_with_note(step, asking.things(looked)):
        return _ask_first(asked, step, language)
    reading = reader.read(asked, asking.things(looked), language)
    if same_texts.leaves_folder(step, reading.likely[0]):
        elsewhere = wishes.ask_in_folder(looked, reading.likely[0], language)
        if elsewhere is not None:
            return made_at_once.new_note(looked, step, elsewhere, reading, act) or elsewhere
    is_sure = first.likely and first.likely[0].sure >= wishes.SURE
    differs = is_sure and not agreement.is_of(step, first.likely[0])
    is_listed = same_texts.leaves_list(step, reading.likely[0])
    if not (differs or is_listed) and agreement.agree(asked, step, reading, language):
        return step
    # what is two wishes that cannot be parted is asked about as the one that it may be
    of_two = reading.weights.get(TWO, 0.0)
    if same_texts.adds_number_alone(asked, step):
        number = replaced_text.ask_number(looked, reading.likely[0], language)
        if number is not None:
            return number
    for one in reading.likely:
        is_same = agreement.is_of(step, one)
        if is_same and agreement.has_more(asked, step, one):
            break
        if one.intent == TWO or (not is_same and one.sure < wishes.ASKED * (1 - of_two)):
            continue
        if (question := wishes.ask(looked, one, language)) is not None:
            make = made_at_once.new_todo(looked, step, question, one, language, act)
            make = make or _several(looked, reading, language, act)
            if one is reading.likely[0]:
                make = make or made_at_once.new_note(looked, step, question, reading, act)
            if not make and one.intent == "make_folder":
                make = made_at_once.as_new(looked, question, reading, language, act)
            if make or one is not reading.likely[0]:
                return make or question
            change = at_once.instead(looked, step, question, reading, language, act)
            change = change or just_told.done(looked, question, reading, language, act)
            return change or written_at_once.written(looked, question, reading, act) or question
        is_sure = one is reading.likely[0] and shown.how_sure(one, reading) >= wishes.SURE
        if is_sure and (found := shown.show(looked, one, language, act)) is not None:
            return found
    return _ask_first(asked, step, language)


def _instead(
    asked: Asked, looked: Asked | None, step: Step, language: Language, act: Act
) -> Step | Route:
    """Return a step that told something; where that is nothing, what the reader makes of it."""
    trace = step.trace or Trace()
    reading = reader.read(asked, (), language)
    likely = reading.likely
    is_asked = trace.asks is not None and not _is_guess(trace.asks, likely)
    if trace.undo or trace.intent in shown.BY_PATTERNS or is_asked:
        new = written_at_once.replaced(looked or asked, step, likely[0], act) if likely else None
        return new or _several(looked or asked, reading, language, act) or step
    if passage := shown.passage_first(looked or asked, step, likely, language, act):
        return passage
    if added := shown.sum_asked(looked or asked, step, reading, language, act):
        return added
    nothing = bool(trace.asks) or shown.came_to_nothing(step)
    if nothing and surely.is_undo(reading) and taken_back.can_reopen(asked):
        return Route("undo", language, {})
    if nothing and sum(reading.weights.get(one, 0.0) for one in TAKES_BACK) >= wishes.ASKED:
        if surely.is_undo(reading) and taken_back.can_undo(asked):
            return Route("undo", language, {})  # “no wait, don't” after something was done
        return wishes.ask_undo(asked, language) or step
    reads, least = shown.may_read(asked, step, likely, language, nothing=nothing)
    if nothing:
        reads = (*reads, *(one.intent for one in likely if question_signs.asks_to_move(one)))
    can = (*wishes.WRITES, *reads)
    if nothing and likely and likely[0].intent in TOLD and likely[0].sure >= wishes.SURE:
        return _noted(asked, step, language)
    # What there is to be named makes nothing likely that is not half so by itself.
    first = [one for one in likely if one.intent in can]
    least = wishes.ASKED if first and first[0].intent in FOUND_FIRST else least
    begins = least / 2 if nothing or (first and first[0].intent in wishes.WRITES) else least
    if not first or shown.is_search(asked, step) or shown.how_sure(first[0], reading) < begins:
        return step
    if looked is None and looked_up.may_look(asked):
        return Step(calls=looked_up.calls_to_look(asked))
    looked = looked or asked
    reading = reader.read(asked, asking.things(looked), language)
    best = reading.likely[0]
    if shown.how_sure(best, reading) < least or best.intent not in can:
        return step
    if not nothing and best.intent == "todo_state" and best.all_of("target"):
        return step  # “when does the flight leave?” that a todo has in its name, too
    for find in (just_told.items, just_told.done):
        if surely_done := find(looked, step, reading, language, act):
            return surely_done
    told = shown.show(looked, best, language, act) if best.intent in reads else None
    if told is not None:
        return told
    question = _first_question(looked, reading, can, language)
    if best.intent == trace.intent == "undo":
        return step  # which says why nothing is taken back
    if question is None:
        return same_question.without_day(step, best)
    return _asked_or_done(looked, step, question, reading, language, act, nothing=nothing)


def _several(looked: Asked, reading: Reading, language: Language, act: Act) -> Route | None:
    """Return the several new todos of a message that its reader is sure of."""
    of_todos = reading.likely and reading.likely[0].intent == "add_todo"
    question = wishes.ask(looked, reading.likely[0], language) if of_todos else None
    if question is None:
        return None
    return made_at_once.several_todos(looked, question, reading, language, act)


def _asked_or_done(
    looked: Asked,
    step: Step,
    question: Step,
    reading: Reading,
    language: Language,
    act: Act,
    *,
    nothing: bool,
) -> Step | Route:
    """Return what is done at once of what a reading asks about, else the question, or that of the
    patterns where it is the same.
    """
    best, trace = reading.likely[0], step.trace or Trace()
    asks = surely.asks_yes(question)
    if asks and taken_back.forbids(looked, language, only=True):
        return taken_back.let_be(language, asks.choices)
    asks = asks if best.intent == "complete_todo" else None
    ends = [("complete_todo", {"id": one.id}) for one in (asks.choices if asks else ())]
    if part := wishes.ask_of_named_step(looked, ends, language):
        return part
    written = written_at_once.written(looked, question, reading, act)
    if written := written or _several(looked, reading, language, act):
        return written
    if same_question.names_longer(step, best) or same_question.is_of_part(step, best):
        return step
    is_same = same_question.asks_alike(looked, step, question, language)
    if is_same and same_question.asks_more(step, question):
        return same_question.without_day(step, best)
    read = at_once.as_read(looked, question, reading, language, act)
    read = read or at_once.said_alone(looked, question, reading, language, act)
    if best.intent == "message":
        read = made_at_once.as_new(looked, question, reading, language, act)
    if not is_same:
        is_open = trace.asks and not trace.asks.lacks and len(trace.asks.choices) > 1
        if is_open and read and (len(read.things) > 1 or not best.all_of("target")):
            return read  # “which one?” of those that “both” says, or of what was spoken of
        if is_open:
            return question
        if not (nothing or trace.intent == "show_note"):
            return read or question
    read = read or made_at_once.as_new(looked, question, reading, language, act)
    if not is_same:
        return read or made_at_once.todo_said(looked, question, reading, language, act) or question
    if not same_question.says_same_day(step, question):
        return read or question  # “Saturday, Sunday we have guests” is no move to both
    # “nothing fits … do you mean …?” says less than what it is for
    asked_first = same_question.without_day(step, best) if surely.asks_yes(step) else question
    return at_once.as_asked(looked, question, best, language, act) or read or asked_first


def _first_question(
    looked: Asked, reading: Reading, can: Collection[str], language: Language
) -> Step | None:
    """Return the question of the likeliest reading that names something."""
    others = (one for one in reading.likely[1:] if one.sure >= MAYBE and one.intent in can)
    questions = (wishes.ask(looked, one, language) for one in (reading.likely[0], *others))
    return next(filter(None, questions), None)


def _after_done(
    asked: Asked, looked: Asked | None, step: Step, language: Language, doers: Doers
) -> Step:
    """Return the step after something was changed: what the patterns only asked about was done
    here.
    """
    if not step.calls and step.trace and step.trace.undo:
        return step
    first, looked_first = looks.before_change(asked), looked and looks.before_change(looked)
    judged = _judged(first, looked_first, doers.step(first), language, doers.act)
    return step if isinstance(judged, Step) else surely.do(looked or asked, judged, doers.act)


def _noted(asked: Asked, step: Step, language: Language) -> Step:
    """Return the answer to what wishes nothing; a question has an answer of its own."""
    if asked.message.rstrip().endswith(("?", "？")):
        return step
    told = phrases.phrase(language, "heard")
    return Step(told, empty=True, trace=Trace(intent="none", language=language))


def _ask_first(asked: Asked, step: Step, language: Language) -> Step:
    """Return the question whether what is about to be done is meant."""
    titles = [fields["title"] for tool, fields in step.calls if tool == "create_todo"]
    plain = asked.message.strip(" ?？.!。！")
    if titles:
        plain = asking.plain_words(language, "add_todo", text=", ".join(titles))
    return asking.ask_again(asked, plain, language)


def _is_guess(question: Question, likely: Sequence[Understood]) -> bool:
    """Return whether a question is what somebody means, and not what is missing of a wish."""
    if question.lacks in ("day", "task"):
        return False
    surely_else = likely and likely[0].sure >= wishes.SURE and likely[0].intent not in NOTED
    return question.intent not in SURELY_ASKED or bool(surely_else)
