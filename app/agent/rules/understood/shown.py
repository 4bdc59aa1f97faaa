"""What a message asks to see or to be told, where its reader takes it for that."""

from collections.abc import Mapping, Sequence

from app.agent.rules.changes import reused, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import resolve_reference, slots
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.reckoning import list_sums
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import looked_up, surely, wishes
from app.agent.rules.understood.surely import Act
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Step, Trace

LISTED = 0.7
"""So likely is a list of a day's todos where notes seemed to answer."""
INSTEAD: Mapping[str, Sequence[str]] = {
    "ask": ("todo_state", "sum", "read_messages"),
    "show_note": ("sum",),
    "tell_view": ("sum",),
}
"""What notes, their texts or lists seem to answer, and only todos, sums and messages do."""
QUESTION_MARKS = ("?", "？")
SHORTEST, FORM, MOSTLY = 3, 5, 0.6
"""So many letters has a word of a title that is looked for, so many of them are of no other word,
and such a share of the letters is of a title without spaces.
"""
NAMES = frozenset({"word", "target", "item"})
"""The slots of what a question is about."""
MAY_COUNT = 0.03
"""So likely at least is a sum that is looked for where nothing else answers."""
BY_PATTERNS = frozenset({"share", "network", "ask_agent", "decide"})
"""What no reader knows."""
UNFOUND = frozenset({"ask", "list_todos"})
"""What a question was taken for that found nothing."""
UNSURE = frozenset({"ask", "cannot", "near", "mean", ""})
"""What a message was taken for that came to nothing."""
CHANGES = ("change", "delete")
"""The classes of the verbs that may be asked about, of which no todo is known."""
LISTS = frozenset({"list_todos", "agenda"})
"""What both asks for what is to be done on a day."""


def show(looked: Asked, said: Understood, language: Language, act: Act) -> Step | None:
    """Return the step of what a message asks to see; None where it asks for nothing, or nothing is
    found.
    """
    if (route := wishes.to_read(looked, said, language)) is None:
        return None
    step = reused.reuse(looked, lambda part: act(part, route))
    if step.calls:
        return None if looks.looks_too_long(looked, step) else step
    asks = step.trace is not None and step.trace.asks is not None
    if route.intent == "list_todos" and _leaves_out(step, said):
        return None
    return None if step.empty or asks or not step.text else step


def named_todo(
    asked: Asked, looked: Asked | None, step: Step, language: Language, act: Act
) -> Step | None:
    """Return the state of the one todo that a question names which nothing else answers: “should I
    move the dentist?”; None where there is another answer, or none or several are named.
    """
    trace = step.trace or Trace()
    if step.calls or trace.asks or trace.intent not in UNFOUND or not step.empty:
        return None
    is_question = asked.message.rstrip().endswith(QUESTION_MARKS) or words_of(language).asks.search(
        Marked(asked.message).text
    )
    if not is_question or questions.read_question(asked.message).kind is not None:
        return None
    if looked is None:
        may = looked_up.may_look(asked)
        return Step(calls=looked_up.calls_to_look(asked)) if may else None
    words = asked.message.split()
    rest = [one for one in words if not slots.has_kind(one, language, *CHANGES)]
    asks_to_change = len(rest) < len(words) and not _asks_fact(asked, language)
    names = _names(asked, language, or_second=not asks_to_change)
    if names is None:
        return None
    counted = {
        one: _words_said(one.title, " ".join(rest))
        for one in asking.things(looked)
        if one.kind == "todo"
        and all(told.is_all_named(name, one.title) for name in names)
        and (asks_to_change or surely.share_said(one.title, asked.message) > surely.HALF)
    }
    most = max(counted.values(), default=0)
    found = [one for one, count in counted.items() if count == most]
    if not most or len(found) != 1:
        return None
    state = surely.do(looked, Route("todo_state", language, {}, tuple(found)), act)
    return None if state.empty or looks.looks_too_long(looked, state) else state


def _asks_fact(asked: Asked, language: Language) -> bool:
    """Return whether a message rather asks what notes say: “what shoe size has Lucia got?”."""
    likely = reader.read(asked, (), language).likely[:1]
    return bool(likely) and likely[0].intent == "ask" and likely[0].sure >= wishes.ASKED


def _names(asked: Asked, language: Language, *, or_second: bool) -> list[str] | None:
    """Return what the reader takes for the matter of a question, which a todo must have: “when does
    the X-ray machine come?” is not about “Descale the coffee machine”. `or_second` of its readings
    must say one: “did we buy?” may be about anything; None where none does.
    """
    likely = reader.read(asked, (), language).likely
    of_each = [
        [asked.message[one.start : one.end] for one in said.spans if one.slot in NAMES]
        for said in likely
    ]
    if not or_second:
        return of_each[0] if of_each else []
    return next(filter(None, of_each), None)


def _words_said(title: str, message: str) -> int:
    """Return how many words of a title a message has, in some form or as the end of a long one;
    of one without spaces, letters where it has most of them.
    """
    if questions.is_asian(title):
        letters = [one for one in fold_text(title) if one.isalpha()]
        said = sum(one in fold_text(message) for one in letters)
        return said if said > len(letters) * MOSTLY else 0
    held = split_words(message)
    stems = [one for one in resolve_reference.word_stems(title) if len(one) >= SHORTEST]
    return sum(any(word.startswith(one[:FORM]) for word in held) for one in stems) + sum(
        resolve_reference.ends_compound(word, title) for word in held if len(word) > FORM
    )


def may_read(
    asked: Asked, step: Step, likely: Sequence[Understood], language: Language, *, nothing: bool
) -> tuple[Sequence[str], float]:
    """Return what else may be shown or told instead of a step, and how likely that must be."""
    trace = step.trace or Trace()
    least = wishes.ASKED if nothing or step.empty else wishes.SURE
    reads = wishes.READS if nothing else INSTEAD.get(trace.intent, ())
    is_of_day = not (step.empty or step.quotes)  # what a log tells of the day
    if trace.intent == "ask" and not is_of_day and likely and likely[0].all_of("day"):
        reads, least = (*reads, *LISTS), LISTED if likely[0].intent in LISTS else least
    if trace.intent in INSTEAD and likely and likely[0].intent == "sum":
        request = list_sums.read(asked.message, language, asked, is_sum=True)
        least = wishes.ASKED if request and request.wanted.says("total") else least
    if trace.intent == "list_todos" and likely:
        is_other = step.empty or _leaves_out(step, likely[0])
        reads = ("list_todos", "ask", "sum") if is_other else ("ask", "sum")
    if trace.intent == "ask":
        reads = tuple(one for one in reads if one != "ask")
    return reads, least


def sum_asked(
    looked: Asked, step: Step, reading: Reading, language: Language, act: Act
) -> Step | None:
    """Return the sum of what a question counts that no passage answers: “how many animals are in
    the freezer?” of a list of them; None where nothing is counted.
    """
    is_unfound = step.empty and (step.trace or Trace()).intent in INSTEAD
    kind = questions.read_question(looked.message).kind
    sums = [one for one in reading.likely if one.intent == "sum" and one.sure >= MAY_COUNT]
    if not (is_unfound and sums and kind in questions.COUNTED):
        return None
    return show(looked, sums[0], language, act)


def passage_first(
    looked: Asked, step: Step, likely: Sequence[Understood], language: Language, act: Act
) -> Step | None:
    """Return the passage that answers a question for which only a todo was found that has less than
    it asks about: “the last frost” is no “Prune the hedge before the frost”; None where none does.
    """
    trace = step.trace or Trace()
    is_asked = likely and likely[0].intent == "ask" and likely[0].sure >= wishes.SURE
    if trace.intent != "todo_state" or not is_asked:
        return None
    held = [word[:FORM] for one in trace.shown for word in split_words(one.title)]
    words = [word for name in likely[0].all_of("word") for word in split_words(name)]
    has_more = any(len(one) > SHORTEST and one[:FORM] not in held for one in words)
    request = list_sums.read(looked.message, language, looked)
    if not (has_more or (request and request.most)):  # “which hive gave the most?”
        return None
    found = show(looked, likely[0], language, act)
    return found if found and (found.calls or found.quotes) else None


def how_sure(said: Understood, reading: Reading) -> float:
    """Return how likely a reading is; where it asks for a day's todos, in either way."""
    if said.intent in LISTS and said.all_of("day"):
        return sum(reading.weights.get(one, 0.0) for one in LISTS)
    return said.sure


def _leaves_out(step: Step, said: Understood) -> bool:
    """Return whether a list says nothing of what it was to be narrowed to, and so is of something
    else.
    """
    narrowed = [fold_text(one) for slot in wishes.NARROWS for one in said.all_of(slot)]
    return any(one not in fold_text(step.text) for one in narrowed)


def is_search(asked: Asked, step: Step) -> bool:
    """Return whether a message is one word, of which a note tells: “leeks” asks for no leeks."""
    is_word = len(asked.message.split()) == 1 and not questions.is_asian(asked.message)
    return is_word and bool(step.quotes)


def came_to_nothing(step: Step) -> bool:
    """Return whether a step says no more than that nothing was found, or done."""
    trace = step.trace or Trace()
    if trace.shown or trace.about or step.quotes:
        return step.empty
    return trace.intent in UNSURE or (step.empty and trace.intent != "list_todos")
