"""A request to see something, read by what its words say and whatever their order.

A message is one where all of its words say something of a list, or where what is left of them is
looked for in it.
"""

from collections.abc import Mapping

import msgspec

from app.agent.rules.answers import list_answers, list_filters
from app.agent.rules.answers.list_filters import Filters
from app.agent.rules.dialogue import dialogue_words, followup_questions, references, view_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.view_tables import ViewName
from app.agent.rules.look_further import INSTEAD
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import note_sums, reckoning
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, ThingKind, Trace

SURE = frozenset({"ask", "list_todos", "list_notes", "from_person", "todo_state", "unread"})
"""The intents that may stand for another list, be they loosely meant or not."""
ACTS = frozenset({"complete_todo", "delete", "cannot", "leave", "greet"})
"""The intents that a message of nothing but the words of a list does not have."""
ASKS: frozenset[ViewName] = frozenset({"show", "see", "count", "everything", "who"})
SURELY_ASKS = ASKS - {"everything"}
QUESTIONS = SURELY_ASKS - {"show"}
PLACED: frozenset[ViewName] = frozenset({"inside", "count", "folder", "tag", "everything"})
"""What tells of notes in a place, and not of one that is named."""
CLOCK = frozenset({"time", "date", "day", "sum", "events", "free", "list_todos", "changes"})
"""What is meant by a sentence after one that says nothing: “Never mind. What time is it?”"""
LISTS = frozenset({"list_todos", "list_notes", "tell_view", "list_tags", "list_folders"})
COUNTED = frozenset({"list_todos", "list_notes", "tell_view"})
"""The intents that can be asked again for the number alone."""
READS = LISTS | {"changes", "unread", "waiting", "events", "day", "last_messages", "network"}
"""The intents that can be asked again as they were."""
KINDS: Mapping[ViewName, str] = {
    "reply": "unread",
    "waiting": "waiting",
    "unread": "unread",
    "message": "unread",
    "changed": "changes",
    "tag": "list_tags",
    "folder": "list_folders",
    "person": "network",
    "pinned": "list_notes",
    "note": "list_notes",
    "event": "events",
    "todo": "list_todos",
    "to_do": "list_todos",
}
"""What is listed by the words that are said, the first that fits."""
OF_PEOPLE = frozenset({"ask", "from_person", "waiting"})
"""The intents that may be a question after what somebody wants."""
OF_NOTES: frozenset[ViewName] = frozenset(
    {"when", "often", "note", "folder", "tag", "who", "unread", "wrote", "changed"}
)
"""What no question after todos with other words says."""
MAY_LIST: frozenset[ViewName] = frozenset({*SURELY_ASKS, "unread", "todo", "note", "folder", "tag"})
"""What else than a question after days is hardly asked for without."""
SAYS_MORE: frozenset[ViewName] = frozenset(
    {"when", "who", "now", "first", "last", "total", "count", "to_do", "open", "about"}
)
"""What is more than to show once more what was listed or counted."""
FEW_LEFT = 2
MOST_WORDS = 6
"""So many words that say nothing of a list make a message something else."""
NOTES: tuple[ThingKind, ...] = ("note",)
FEW = 5
"""So many of what was shown are told of one by one."""
SHORT = 8
"""So many words, or twice as many letters where no spaces part words, at most only go on."""


def to_see(asked: Asked, found: Route) -> Route | None:
    """Return the list that a message asks for, where its words say so more surely than the pattern
    that was `found` for it; else None.
    """
    text = wording.spelled(asked.message, found.language)
    unsure = found.intent in SURE or found.is_loose
    if unsure and view_words.is_beyond(text, found.language):
        # “When do they turn off the water?” asks for nothing to be done.
        return None if _asks_of_others(text) else _routed(found, "cannot")
    if found.intent in ("ask", "leave") and (after := _after_small_talk(text, found.language)):
        return after
    if not (unsure or found.intent in ACTS) or not _may_list(found, text):
        return None
    if unsure and (lists := view_words.asked_list(text, asked, found.language)):
        return _loosely(found, "show_note", target=lists)
    wanted = list_filters.read_filters(asked, found, text)
    if wanted.words and found.said not in ("", text):
        plain = list_filters.read_filters(asked, found, found.said)
        if len(plain.words) < len(wanted.words):
            wanted, text = plain, found.said
    if wanted.no_such_day:
        return None
    if not wanted.words:
        return _plain_view(found, wanted, text)
    return _view_of_words(asked, found, wanted, text)


def _may_list(found: Route, text: str) -> bool:
    """Return whether a message could be one of a list at all, before its days are looked for."""
    words = view_words.sort_words(text, found.language)
    if len(words.rest) > MOST_WORDS:
        return False
    return found.intent in SURE or bool(words.said & MAY_LIST)


def _after_small_talk(text: str, language: Language) -> Route | None:
    """Return what is asked for after a sentence or word that says nothing."""
    first, rest = view_words.after_first(text)
    words = view_words.sort_words(first, language)
    if not rest or words.rest or words.said - {"filler", "thanks", "it", "now"}:
        return None
    route = routing.route_message(rest)
    return route if route.intent in CLOCK else None


def _plain_view(found: Route, wanted: Filters, text: str) -> Route | None:
    """Return the list that is asked for by words of lists alone."""
    said = wanted.said
    if "thanks" in said and not (wanted.told or said & {*KINDS, "show", "see", "count"}):
        return _routed(found, "thanks")
    if not (said & ASKS or wanted.told or "unread" in said or view_words.ASKED.search(text)):
        return None
    if "wrote" in said and said & {"who", "last", "message", "show"}:
        return _routed(found, "last_messages")
    if {"last", "message"} <= said and "unread" not in said:
        return _routed(found, "last_messages")
    if wanted.levels and not said & KINDS.keys():
        return _routed(found, "list_todos", text=text)
    asks = said & (QUESTIONS if "it" in said else SURELY_ASKS) or "unread" in said
    if found.intent not in SURE and not (asks or ("todo" in said and wanted.told)):
        return None
    intent = next((intent for name, intent in KINDS.items() if name in said), "")
    if intent == "changes" and wanted.told and wanted.fields.get("date") != "today":
        intent = ""
    # A state such as “important”, or days, are those of todos.
    if not intent and wanted.told:
        intent = "list_todos"
    if intent == "list_notes" and not _is_placed(found, said) and "inside" in said:
        # The name of a folder may be a word that lists have: “notes in Work”.
        counted = {"counted": "yes"} if "count" in said else {}
        return _routed(found, "tell_view", text=text, instead="list_notes", **counted)
    if not intent or (intent == found.intent and not found.is_loose):
        return None
    if "when" in said and not wanted.told:
        return None  # the day of something, and no list
    if intent == "list_notes" and not (said & {"show", "see", "count"} or found.intent == "ask"):
        return None
    return _routed(found, intent, text=text)


def _view_of_words(asked: Asked, found: Route, wanted: Filters, text: str) -> Route | None:
    """Return the list of what other words name: a folder, a tag, a person."""
    said = wanted.said
    steps = "step" in said and not said & {"note", "folder", "tag", "first", "last"}
    if steps and (said & ASKS or view_words.ASKED.search(text)):
        return _loosely(found, "todo_state", text=text, words=wanted.words)
    opens = found.intent == "ask" or (found.is_loose and found.intent == "cannot")
    shows = "note" in said and said & {"open", "show"} and "about" not in said
    if opens and shows and not said & PLACED:
        return _loosely(found, "show_note", target=wanted.words)
    if found.intent == "ask" and {"when", "event"} <= said:
        return _loosely(found, "todo_state", text=text, words=wanted.words)
    asks = said & ASKS or view_words.ASKED.search(text)
    spoken_of = asked.earlier and references.notes_told(asked.earlier[0])
    if found.intent == "list_todos" and spoken_of and len(wanted.told) == 1:
        return _loosely(found, "list_todos", text=text)  # “and what should I wear?”
    if found.intent == "ask" and _is_narrowed(wanted) and (asks or "to_do" in said):
        if list_filters.is_of_todos(wanted):
            return _routed(found, "list_todos", text=text)
        if len(wanted.told) > 1 and questions.read_question(text).kind is None:
            return _loosely(found, "list_todos", text=text, days="yes")
    named = said & {"folder", "tag", "note"} and found.intent in SURE and ":" not in text
    if found.intent in ("ask", "list_todos") and note_sums.asks_remaining(text, found.language):
        return _routed(found, "ask")  # what is still owed is an amount
    unsure = found.intent == "ask" or (found.is_loose and found.intent in SURE)
    if unsure and "todo" in said and ":" not in text and _is_narrowed(wanted):
        return _loosely(found, "list_todos", text=text)
    if found.intent in ACTS or not (asks or named):
        return None
    if found.intent in OF_PEOPLE and said & {"wants", "wrote"} and _names_one(asked, found, wanted):
        wrote = {"wrote": "yes"} if "wrote" in said else {}
        return _routed(found, "from_person", text=text, who=wanted.words, **wrote)
    to_do = said & {"to_do", "waiting"} and not said & OF_NOTES
    if found.intent == "ask" and to_do and not _asks_of_others(text):
        # Where no todo has the words, the notes are asked.
        return _loosely(found, "list_todos", text=text)
    placed = said & {"inside", "count", "show", "everything"} and "note" in said
    named = (
        said & {"folder", "tag"} or placed or ("inside" in said and said & {"everything", "show"})
    )
    about = (
        "about" in said
        and said & {"show", "everything"}
        and found.intent not in OF_PEOPLE - {"ask"}
    )
    if not (named or about) or "todo" in said:
        return None
    if _is_placed(found, said):
        return None
    if said & {"unread", "waiting", "wrote", "changed", "event", "person", "message"}:
        return None
    counted = {"counted": "yes"} if "count" in said else {} if asks else {"named": "yes"}
    before = {f"{INSTEAD}{name}": value for name, value in found.arguments.items()}
    arguments = {"text": text, "words": wanted.words, INSTEAD: found.intent, **before, **counted}
    if about:
        arguments["about"] = "notes" if "show" in said else "todos"
    return _routed(found, "tell_view", **arguments)


def _asks_of_others(text: str) -> bool:
    """Return whether a text asks when, where or who, and speaks to nobody."""
    return questions.read_question(text).kind in {"when", "where", "who", "why", "often", "price"}


def _is_narrowed(wanted: Filters) -> bool:
    """Return whether a word or two beside that for todos narrow a list of them."""
    others = OF_NOTES - {"tag"} | {"step", "first", "last", "person", "message"}
    return len(wanted.words.split()) <= FEW_LEFT and not wanted.said & others


def go_on(asked: Asked, language: Language) -> Route | None:
    """Return what a message of few words asks of the turn before: a sum or days, of a list how
    many, and altogether, when that is due, or the same again; None where it says nothing of it.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if reckoned := reckoning.go_on(asked, language):
        return reckoned
    if thanks := _thanks(asked, language):
        return thanks
    words = view_words.sort_words(asked.message, language)
    said = words.said
    other = said & {"todo", "folder", "tag", "event", "message", "unread", "count", "when", "step"}
    if (
        len(words.rest) <= FEW_LEFT
        and not other
        and (left := followup_questions.open_items(asked, language))
    ):
        return left
    if len(words.rest) < FEW_LEFT and (
        there := followup_questions.list_there(asked, said, language)
    ):
        return there
    if words.rest or len(asked.message) > SHORT * 8:
        return None
    if last.asks is not None and "when" not in said:
        return None
    if dialogue_words.find_days(dialogue_words.bare(asked.message), asked.now):
        return None
    if not asked.earlier:
        return None
    if "step" in said and not said & {"first", "last"}:
        return _state(asked, said, language)
    if place := _there(asked, said, language):
        return place
    if "it" in said and (pointed := _pointed(asked, said, language)):
        return pointed
    if said & (KINDS.keys() - {"to_do", "waiting"}):
        return None
    if list_filters.read_filters(asked, Route("ask", language, {}), asked.message).told:
        return None
    if said & {"count", "total"} and last.intent in COUNTED:
        return _counted(last, said, language)
    shows = bool(said & {"show", "see"}) and not said & SAYS_MORE and _was_counted(last, language)
    if shows or ("counted" in last.arguments and "show" in said and "count" not in said):
        # “Which ones?” after their number.
        listed = {name: text for name, text in _arguments(last).items() if name != "counted"}
        return Route(last.intent, last.language or language, listed | {"listed": "yes"})
    if "when" in said and not said & {"count", "who", "show", "now"}:
        return _state(asked, said, language)
    if "now" in said and not said & {"when", "who", "to_do", "count", "thanks", "it"}:
        return _again(asked, language)
    return None


def _there(asked: Asked, said: frozenset[ViewName], language: Language) -> Route | None:
    """Return what is left of the list that was shown or changed last, or what is in the folder that
    was spoken of last, where a message asks for that.
    """
    recent = next((one for one in asked.earlier if one.about), Trace())
    spoken_of = (*recent.about, *recent.shown)
    folder = next((one for one in spoken_of if one.kind == "folder"), None)
    if folder and "inside" in said and said & SURELY_ASKS and not said & {"todo", "message"}:
        return Route("list_notes", language, {}, (folder,))
    notes = tuple(one for one in recent.about if one.kind == "note")
    if len(notes) == 1 and not folder and "inside" in said and said & {"see", "show"}:
        return Route("show_note", language, {}, notes) if "folder" not in said else None
    return None


def _was_counted(last: Trace, language: Language) -> bool:
    """Return whether the turn before only told how many there are."""
    if "counted" in last.arguments and last.intent in COUNTED:
        return True
    return last.intent == "list_todos" and list_answers.counts(
        Route(last.intent, last.language or language, last.arguments),
        _arguments(last).get("text", ""),
    )


def _pointed(asked: Asked, said: frozenset[ViewName], language: Language) -> Route | None:
    """Return what the note says that was spoken of last."""
    if said & {"when", "who", "first", "last", "count", "pinned", "unread", "tag", "todo"}:
        return None
    notes = references.newest(asked, NOTES).things
    shows = "note" in said and said & {"open", "show", "see", "inside"}
    return Route("show_note", language, {}, notes) if shows and notes else None


def _thanks(asked: Asked, language: Language) -> Route | None:
    """Return that a message only thanks, in whichever language: of few words it is hard to tell."""
    if len(asked.message) > SHORT * 8 or view_words.thanks_nowhere(asked.message):
        return None
    for one in dict.fromkeys((language, *phrases.alphabetic_languages())):
        words = view_words.sort_words(asked.message, one)
        none_else = not (words.rest or words.said & {*KINDS, "show", "see", "count", "when"})
        if none_else and "thanks" in words.said:
            days = dialogue_words.find_days(dialogue_words.bare(asked.message), asked.now)
            return None if days else Route("thanks", one, {})
    return None


def _counted(last: Trace, said: frozenset[ViewName], language: Language) -> Route | None:
    """Return the number of what was listed, or of all where that was told before."""
    was_counted = "counted" in last.arguments
    if "total" in said and (was_counted or "count" not in said):
        intent = "list_todos" if last.intent == "list_todos" else "list_notes"
        return Route(intent, last.language or language, {"text": " ", "counted": "yes"})
    return Route(last.intent, last.language or language, _arguments(last) | {"counted": "yes"})


def _state(asked: Asked, said: frozenset[ViewName], language: Language) -> Route | None:
    """Return how the todos stand that were spoken of last, or the first of them."""
    for turn in asked.earlier:
        asked_about = turn.asks.choices if turn.asks else ()
        spoken_of = (*turn.about, *turn.shown) or asked_about
        todos = [one for one in spoken_of if one.kind == "todo"]
        if todos:
            few = todos[:1] if "first" in said else todos
            few = few if len(few) <= FEW else []
            return Route("todo_state", language, {}, tuple(few)) if few else None
        if turn.about or turn.shown:
            return None
    return None


def _again(asked: Asked, language: Language) -> Route | None:
    """Return the newest list or look once more, as what was done since may have changed it."""
    before = next((one for one in asked.earlier if one.intent in READS), None)
    if before is None or before is asked.earlier[0]:
        return None
    return Route(before.intent, before.language or language, _arguments(before))


def _arguments(turn: Trace) -> dict[str, str]:
    """Return the arguments of a turn by which it can be asked again."""
    said = turn.arguments.get("text") or turn.arguments.get("said", "")
    return {**turn.arguments, **({"text": said} if said else {})}


def _is_placed(found: Route, said: frozenset[ViewName]) -> bool:
    """Return whether a pattern has surely found the notes that are meant."""
    if found.intent != "list_notes" or found.is_loose:
        return False
    return bool(found.get("folder")) or "inside" not in said


def _names_one(asked: Asked, found: Route, wanted: Filters) -> bool:
    """Return whether one word may name who is asked about, and nobody was spoken of before."""
    spoken_of = found.intent == "from_person" and references.last_person(asked)
    return " " not in wanted.words and not spoken_of


def _loosely(found: Route, intent: str, **arguments: str) -> Route:
    """Return what is only likely meant: where it comes to nothing, the notes are asked."""
    return msgspec.structs.replace(_routed(found, intent, **arguments), is_loose=True)


def _routed(found: Route, intent: str, **arguments: str) -> Route:
    return msgspec.structs.replace(
        found, intent=intent, arguments=arguments, things=(), is_loose=False
    )
