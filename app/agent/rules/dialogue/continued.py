"""A message that only means something after the turn before it."""

from collections.abc import Sequence

from app.agent.rules.dialogue import (
    dialogue_words,
    followup_questions,
    followups,
    references,
    slots,
    view_words,
)
from app.agent.rules.dialogue.dialogue_words import bare
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Thing, ThingKind, Trace

ASKS_A_DAY = frozenset({"list_todos", "events", "free"})
"""The intents that can be asked again of another day."""
MAKES = frozenset({"add_todo", "append_note"})
"""The intents that can be asked for once more with other words."""
MADE = frozenset({"add_todo", "make_note", "make_folder", "add_step", "append_note", "undo"})
"""The intents of which “delete it” only takes back what they made."""
KINDS: tuple[ThingKind, ...] = ("todo", "note")
ASKING = frozenset({"when", "where", "who", "why", "often", "number"})
"""The kinds of question that are known by a word that asks."""
NAMES = frozenset({"ask", "cannot", "add_todo", "greet"})
"""What a message that only names what is to be done may seem to ask for."""
OF_NOTES = frozenset({"list_notes", "find_notes"})
"""The intents that can be asked again of another folder."""
TICKS = frozenset({"tick_item", "complete_todo"})
ACTS = frozenset({"complete_todo", "delete", "change_todo", "pin_note", "add_step", "move_note"})
"""The intents that may have been meant for another thing."""
NOTHING = Trace()
SHORT, SHORT_UNSPACED = 9, 18
"""So many words, or letters where no spaces part words, has a message that only takes back."""


def continue_from(asked: Asked, language: Language) -> Route | None:
    """Return what a message asks for in the light of the turn before; None where that says
    nothing of it.

    Tried as it was written and in plain words.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    # “Move all of them to Friday” asks for no list.
    changes = references.says_all(asked.message, language) and slots.has_kind(
        asked.message, language, "change"
    )
    if (
        last.intent == "list_todos"
        and not changes
        and (narrowed := _narrowed(asked, last, language))
    ):
        return narrowed
    if last.undo and dialogue_words.whole(language, "undo", asked.message):
        return _route(last, language, "undo")  # “takes that tick back” ticks nothing
    if route := followups.follow(asked, language):
        return route
    plain = wording.plain_wording(asked.message, language)
    texts = dict.fromkeys((asked.message, plain, slots.without_fillers(asked.message, language)))
    # “And tomorrow?” asks what is on then.
    if last.asks is None and not asked.message.rstrip().endswith(("?", "？")):
        for text in texts:
            if last.undo and (route := _more_of(asked, text, last, language)):
                return route
    for text in texts:
        if route := _continued(asked, text, last, language):
            return route
    if last.undo and any(_takes_back(text, language) for text in texts):
        return _route(last, language, "undo", things=references.some_of(last, asked.message))
    return None


def _continued(asked: Asked, text: str, last: Trace, language: Language) -> Route | None:
    if last.asks is not None and (route := _answered(asked, text, last.asks, last, language)):
        return route
    if route := _decided(text, last, language):
        return route
    if dialogue_words.whole(language, "undo", text):
        return _route(last, language, "undo")
    if dialogue_words.whole(language, "drop", text):
        # “Delete it” of what was only shown or changed is a wish of its own.
        deletes = routing.route_message(text).intent == "delete"
        if last.undo and (last.intent in MADE or not deletes):
            return _route(last, language, "undo")
        if not deletes:
            return _route(last, language, "leave")
    found = dialogue_words.whole(language, "rather", text)
    other = other_after_all(text, language) if last.undo and not found else ""
    if (found or other) and last.intent in ACTS:
        rest = routing.trim_name(dialogue_words.as_written(text, found["rest"])) if found else other
        rest = references.other_in(rest, language) or rest  # “it was the other one that I did”
        if some := _some_of(rest, last, language):
            return _route(last, language, "undo", things=some)
        if not _names_days(rest, asked, language) and last.undo:
            wanted = {**last.arguments, "target": rest, "words": rest}
            return _route(last, language, "instead", things=(), **wanted)
    if (found := dialogue_words.whole(language, "instead", text)) and (
        route := _moved(asked, last, dialogue_words.as_written(text, found["rest"]), language)
    ):
        return route
    if last.intent in OF_NOTES and (found := dialogue_words.whole(language, "in_folder", text)):
        named = next(filter(None, (found[one] for one in sorted(found.groupdict()))), "")
        folder = routing.trim_name(dialogue_words.as_written(text, named))
        return _route(last, language, "list_notes", folder=folder)
    if found := dialogue_words.whole(language, "follow", text):
        rest = dialogue_words.as_written(text, found["rest"])
        if last.intent in ASKS_A_DAY and (days := _days_like(rest, last, asked, language)):
            text = dialogue_words.with_days(last, days, asked)
            return _route(last, language, last.intent, text=text, when=days)
    if dialogue_words.whole(language, "yes", text) or dialogue_words.whole(language, "no", text):
        is_undo = last.undo and _takes_back(asked.message, language)
        return _route(last, language, "undo" if is_undo else "nothing_asked")
    is_question = asked.message.rstrip().endswith(("?", "？"))
    if not is_question and (found := dialogue_words.whole(language, "also", text)):
        rest = dialogue_words.as_written(text, found["rest"])
        if not slots.begins_to_ask(rest, language):
            return _once_more(asked, rest, last, language)
    return None


def other_after_all(text: str, language: Language) -> str:
    """Return the words for the other one where a message of few words says that it was that: “oh
    wait no, it was the other one”; empty where it says anything else.
    """
    is_short = (
        len(text) <= SHORT_UNSPACED if questions.is_asian(text) else len(text.split()) < SHORT
    )
    is_no = is_short and slots.has_kind(text, language, "no")
    return references.other_in(text, language) if is_no else ""


def _days_like(rest: str, last: Trace, asked: Asked, language: Language) -> str:
    """Return the days that a text names, be it with a word of the turn before: “and the next?”
    after “this week”; empty where it names none.
    """
    if _names_days(rest, asked, language):
        return rest
    words = (last.arguments.get("text") or last.arguments.get("said", "")).strip(" ?.!").split()
    pairs = [pair for one in reversed(words) for pair in (f"{rest} {one}", f"{one} {rest}")]
    named = (pair for pair in pairs if dialogue_words.named_days(pair, asked.now))
    return next(named, "") if " " not in rest and len(words) <= SHORT else ""


def _some_of(rest: str, last: Trace, language: Language) -> tuple[Thing, ...]:
    """Return those of several that were changed which are not done after all."""
    if len(last.about) < 2 or len(last.about) != len(last.undo):
        return ()
    table = dialogue_words.tables(language)[0]
    if not dialogue_words.find_in(table.takes_back, bare(rest)):
        return ()
    found = references.choose(last.about, rest, language)
    return found.things if found else ()


def _once_more(asked: Asked, rest: str, last: Trace, language: Language) -> Route | None:
    """Return what was wished before, of one more thing: “and the other one”, “eggs too”."""
    meant = references.refer(asked, rest, KINDS, language) if last.intent in ACTS else None
    if meant and meant.things:
        return _route(last, language, last.intent, things=meant.things, **last.arguments)
    if not _is_plain(rest, last) or slots.names_note([rest], language):
        return None
    if lists := followup_questions.list_before(last, language):
        # “Flour too” of a list is ticked where eggs were.
        again = "tick_item" if last.intent in TICKS else "append_note"
        return _route(last, language, again, things=lists, text=rest)
    if last.intent == "add_todo" and len(last.about) == 1 and _names_days(rest, asked, language):
        # “Thursday too”: whether the same once more is meant.
        return _route(last, language, "mean", text=f"{last.about[0].title} {rest}")
    note = last.about if last.intent == "make_note" and questions.is_asian(rest) else ()
    if len(note) == 1 and not dialogue_words.find_days(bare(rest), asked.now):
        return _route(last, language, "mean", things=note, wish="append_note", text=rest)
    if last.intent in MAKES:
        wanted = {"task": rest} if last.intent == "add_todo" else {"text": rest}
        return _route(last, language, last.intent, things=last.about, **wanted)
    return None


def to_list(asked: Asked, route: Route) -> Route | None:
    """Return that something goes to the list that the turn before showed or changed, where it is
    to be added and nobody says where; else None.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    table = dialogue_words.tables(route.language)[0]
    lists = followup_questions.list_before(last, route.language)
    task = route.get("task")
    if not lists or route.intent != "add_todo" or not task:
        return None
    said = dialogue_words.find_in(table.adds, bare(route.said))
    if not said or bare(task) != said["rest"] or dialogue_words.find_days(bare(task), asked.now):
        return None
    return _route(last, route.language, "append_note", things=lists, text=task)


def _more_of(asked: Asked, text: str, last: Trace, language: Language) -> Route | None:
    """Return the priority or day that a message gives to what was just made or changed."""
    todos = tuple(one for one in last.about if one.kind == "todo")
    if not todos or last.intent not in {"add_todo", "change_todo"}:
        return None
    if dialogue_words.priority_of(text, language) is not None and not _is_number(text, language):
        return _route(last, language, "change_todo", things=todos, priority=text)
    if dialogue_words.is_day(text, asked, language):
        return _route(last, language, "change_todo", things=todos, day=text)
    return None


def _is_number(text: str, language: Language) -> bool:
    return bare(text).isdecimal() or dialogue_words.spelled_number(text, language) is not None


def _decided(text: str, last: Trace, language: Language) -> Route | None:
    """Return the yes or no to what the turn before left waiting."""
    waits = tuple(one for one in last.about if one.kind in ("escalation", "request"))
    if not waits:
        return None
    if dialogue_words.whole(language, "yes", text):
        return _route(last, language, "decide", things=waits, yes="yes")
    refuses = any(dialogue_words.whole(language, one, text) for one in ("no", "drop", "nothing"))
    if refuses or routing.route_message(text).intent == "leave":
        return _route(last, language, "decide", things=waits, no="no")
    return None


def _takes_back(text: str, language: Language) -> bool:
    """Return whether a short message says that the turn before did the wrong thing."""
    folded = dialogue_words.bare(text)
    table = dialogue_words.tables(language)[0]
    most = SHORT_UNSPACED if questions.is_asian(folded) else SHORT
    short = len(dialogue_words.pieces(folded)) <= most
    return short and dialogue_words.find_in(table.takes_back, folded) is not None


def _narrowed(asked: Asked, last: Trace, language: Language) -> Route | None:
    """Return the list before, narrowed by what a message says of it: “of those …”, “just the …
    ones”; “and the … ones” are of what was listed first.
    """
    before = last.arguments.get("text") or last.arguments.get("said", "")
    all_of = last.arguments.get("all_of") or before
    tables = tuple(dialogue_words.tables(language))
    if (said := _of_those(asked.message, language)) is None:
        folded = bare(asked.message)
        found = dialogue_words.find_in(tables[0].narrows, folded)
        if not found or len(dialogue_words.pieces(folded)) > SHORT:
            return None
        said = next(value for name, value in found.groupdict().items() if value and name != "only")
        before = before if found["only"] else all_of
        days = dialogue_words.find_days(said, asked.now)
        names = days and view_words.sort_words(said[: days[1]] + said[days[2] :], language).rest
        if names or dialogue_words.ordinal(language, said) is not None:
            return None  # “only the bow on Friday” is another day for it
    # “Which of those have no date?” after how many there are wants to see them.
    counts = any(dialogue_words.find_in(one.counts, said) for one in tables)
    listed = "" if counts else "yes"
    text = f"{before.rstrip(' ?.!')} {said}"
    return _route(last, language, "list_todos", text=text, listed=listed, all_of=all_of)


def _of_those(text: str, language: Language) -> str | None:
    """Return what a message narrows the list before to; None where it does not say “of those”."""
    table = dialogue_words.tables(language)[0]
    folded = dialogue_words.bare(text)
    found = dialogue_words.find_in(table.of_those, folded)
    return f"{folded[: found.start()]} {folded[found.end() :]}" if found else None


def _answered(
    asked: Asked, text: str, question: Question, last: Trace, language: Language
) -> Route | None:
    """Return the wish that waited for this answer, with what it lacked."""
    if dialogue_words.whole(language, "no", text) or dialogue_words.whole(language, "drop", text):
        return _route(last, language, "leave")
    if question.lacks == "yes":
        if "plain" in question.arguments or not dialogue_words.whole(language, "yes", text):
            return None
        return _route(
            last, language, question.intent, things=question.choices, **question.arguments
        )
    if question.lacks == "task":
        read = routing.route_message(text, before=language)
        if "?" in text or not (read.intent in NAMES or read.is_loose):
            return None
        task = f"{text} {question.arguments['task']}".strip()
        written = question.arguments["written"]
        return _route(last, language, question.intent, task=task, written=written)
    if question.choices:
        found = references.choose(question.choices, text, language)
        # “la vacuna no, lo otro” names the one that is not
        if found and found.things and not references.other_in(text, language):
            return _route(
                last, language, question.intent, things=found.things, **question.arguments
            )
        return None
    if questions.is_asian(text):  # “…だよ”
        text = slots.without_fillers(text, language) or text
    is_yes = dialogue_words.whole(language, "yes", text)
    only_days = slots.only_days(text, asked, language)
    names = _is_plain(text) or routing.route_message(text).is_loose
    if question.lacks == "thing" and names and not is_yes and not only_days:
        # Intents name their thing by either argument.
        arguments = {**question.arguments, "target": text, "words": text}
        return _route(last, language, question.intent, things=(), **arguments)
    if question.lacks == "day":
        # The answer may say more of the day: “on Friday then”.
        instead = dialogue_words.whole(language, "instead", text)
        day = dialogue_words.as_written(text, instead["rest"]) if instead else text
        said = slots.read(text, asked, language) if only_days else None
        day = said.day if said and said.day else day
        if dialogue_words.is_day(day, asked, language):
            arguments = {**question.arguments, "day": day}
            return _route(last, language, question.intent, things=last.about, **arguments)
    return None


def _moved(asked: Asked, last: Trace, rest: str, language: Language) -> Route | None:
    """Return the change that “no, Sunday” makes of what the turn before was about."""
    if last.intent in ASKS_A_DAY and _names_days(rest, asked, language):
        return _route(last, language, last.intent, text=rest, when=rest)
    if not dialogue_words.is_day(rest, asked, language):
        # “No, the one after” of “next week”.
        pairs = [f"{rest} {one}" for one in last.arguments.get("day", "").split()]
        rest = next((one for one in pairs if dialogue_words.is_day(one, asked, language)), "")
    if not rest:
        return None
    todos = tuple(one for one in last.about if one.kind == "todo")
    return _route(last, language, "change_todo", things=todos, day=rest) if todos else None


def _names_days(text: str, asked: Asked, language: Language) -> bool:
    """Return whether a text names a day or a stretch of days and nothing else."""
    named = dialogue_words.named_days(text, asked.now) is not None
    return named or dialogue_words.is_day(text, asked, language)


def _is_plain(text: str, last: Trace = NOTHING) -> bool:
    """Return whether a text asks for nothing by itself, not even without its mark: “… when”; after
    a todo was added it may be what nobody can do here, such as “clean the car”.
    """
    if questions.read_question(text).kind in ASKING or ":" in text:
        return False
    plain = {"ask", "cannot"} if last.intent == "add_todo" else {"ask"}
    return "?" not in text and routing.route_message(text).intent in plain


def _route(
    last: Trace, language: Language, intent: str, *, things: Sequence[Thing] = (), **arguments: str
) -> Route:
    # A word such as “ok” says nothing of its language; the turn before does.
    return Route(intent, last.language or language, arguments, tuple(things))
