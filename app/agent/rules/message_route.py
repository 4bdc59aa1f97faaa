"""What a message asks for: by what it takes back, the turns before, and its words."""

import re

import msgspec

from app.agent.rules import corrections, past_days, verb_first, views
from app.agent.rules.answers import list_filters
from app.agent.rules.changes import changes, clauses
from app.agent.rules.dialogue import continued, given_context, repairs, slots, view_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import written_in
from app.agent.rules.reckoning import reckoning
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked
from app.core.process.caches import keep_latest

SAID = frozenset(
    "help greet thanks leave cannot one_by_one one_at_a_time nothing_asked bye".split()
)
"""The intents that are answered with a fixed sentence and no tool."""
OF_NOTES = frozenset({"cannot", "greet", "help", "leave"})
"""What likely means the same whoever says it."""
UNTOLD = frozenset({"ask", "leave", "cannot", "thanks", "nothing_asked"})
"""What a message may only seem to be, where a clause that says nothing stands before its wish."""
SHOWS = frozenset({"show_note", "list_notes", "tell_view", "contact"})
"""What a question for what stands in a note may seem to be."""
ALWAYS_OF_NOTES = frozenset({"email", "phone"})
"""The kinds of question that nothing else than a note can answer: “the plumber's number, quick”."""
SURER = frozenset(
    {"change_todo", "events", "unread", "waiting", "decide", "leave", "greet", "complete_todo"}
)
"""What is likelier than a list where both fit."""


def understand(asked: Asked, language: Language = "") -> Route:
    """Return what a message asks for: by what it takes back, the turns before, and its words, in
    that language or the one that it seems to be written in.

    What somebody else asks the agent to recall is asked of the notes, as its memory is the
    owner's.
    """
    return _understand(
        msgspec.structs.replace(asked, results=()), language or language_before(asked)
    )


# Each step begins from the message anew, three times in a usual turn: keeping what it was
# taken for, and what it is near to, takes a tenth off the CPU time of a turn.
@keep_latest
def _understand(asked: Asked, language: Language) -> Route:
    if (wrapped := given_context.unwrap(asked.message, language)) is not None:
        return _route_wrapped(wrapped, asked)
    own = not is_narrow(asked)
    if own and (route := views.go_on(asked, language)) is not None:
        return route
    if (route := continued.continue_from(asked, language)) is not None:
        named = own and route.get("target") and not route.things
        # What seems a name may be a reason: “a day earlier, on Thursday I work late”.
        part = clauses.go_on(asked, language, continued.continue_from) if named else None
        return part or route
    if own:
        # “Delete nothing, only show me …” is all about what is to be shown.
        shown = view_words.without_refusal(asked.message, language)
        asked = msgspec.structs.replace(asked, message=shown)
    message, takes_back = repairs.repair(asked, asked.message, language)
    found = routing.route_message(message, names=asked.persona.names, before=language)
    unsure = found.is_loose or found.intent in UNTOLD
    if own and unsure and (route := clauses.go_on(asked, language, continued.continue_from)):
        return route
    if takes_back and (found.is_loose or found.intent in UNTOLD):
        return Route("leave", language, {})
    if found.intent in UNTOLD and (rest := slots.without_lead(message, language)) != message:
        after = routing.route_message(rest, names=asked.persona.names, before=language)
        found = found if after.intent in UNTOLD | {"make_note"} else after
    if found.intent == "leave" and (wish := _wish_after(message, asked)) is not None:
        found = wish
    if found.intent == "leave" and own and verb_first.refuses(asked, language):
        found = msgspec.structs.replace(found, intent="ask", arguments={"words": message})
    if (listed := continued.to_list(asked, found)) is not None:
        return listed
    if changes.only_tells(asked, found):
        found = msgspec.structs.replace(found, intent="ask", arguments={"words": message})
    if changes.asks_instead(found):
        found = msgspec.structs.replace(found, intent="ask", arguments={"words": found.get("task")})
    of_note = questions.read_question(message).kind in ALWAYS_OF_NOTES
    if _asks_of(found) or (of_note and (found.is_loose or found.intent in SHOWS)):
        found = msgspec.structs.replace(found, intent="ask", arguments={"words": message})
    if own and (changes.moves_several(asked, found) or changes.moves_another(asked, found)):
        found = msgspec.structs.replace(found, intent="one_at_a_time", arguments={})
    found = changes.tidied(asked, found)
    found = changes.as_todo(asked, corrections.as_name(asked, found), message) if own else found
    if found.intent == "add_todo" and wording.says_no_duty(asked.message, found.language):
        found = msgspec.structs.replace(found, intent="ask", arguments={"words": message})
    if (reckoned := reckoning.read(asked, found)) is not None:
        return reckoned
    if own and (past := past_days.read(asked, found)) is not None:
        return past
    if of_note and found.intent == "ask":
        return found
    if own and (seen := views.to_see(asked, found)) is not None:
        return seen
    unsure = found.intent == "ask" or (found.is_loose and found.intent not in SURER)
    if unsure and not is_narrow(asked) and list_filters.is_list(asked, found):
        found = msgspec.structs.replace(found, intent="list_todos", arguments={}, is_loose=True)
    if found.is_loose and found.intent not in OF_NOTES and is_narrow(asked):
        return msgspec.structs.replace(found, intent="ask", arguments={}, is_loose=False)
    others = asked.persona.owner and found.intent == "recall" and "memory_search" not in asked.tools
    return msgspec.structs.replace(found, intent="ask") if others else found


def is_narrow(asked: Asked) -> bool:
    """Return whether only what is surely a wish is one: others ask the notes, and who sends a file
    along asks the file.
    """
    return bool(asked.persona.owner or asked.attached or asked.attached_before)


def _asks_of(found: Route) -> bool:
    """Return whether what is only likely told of a thing is a question: “we picked how many”."""
    told = found.is_loose and found.intent == "complete_todo"
    return told and slots.has_kind(found.get("words"), found.language, "asks")


def _route_wrapped(wrapped: given_context.Wrapped, asked: Asked) -> Route:
    """Return what a person asks within a program's prompt.

    With texts to answer from it is a question, whatever else it could be.
    """
    found = routing.route_message(wrapped.question, names=asked.persona.names)
    given = {"context": wrapped.context, "otherwise": wrapped.otherwise}
    told = {"text": wrapped.question, **{name: value for name, value in given.items() if value}}
    intent = "ask" if given["context"] and found.intent not in SAID else found.intent
    return msgspec.structs.replace(found, intent=intent, arguments={**found.arguments, **told})


def _wish_after(message: str, asked: Asked) -> Route | None:
    """Return what is asked for after what is not: “don't delete it, just show my todos”."""
    _, *rest = re.split(r"[,，、]", message, maxsplit=1)
    found = routing.route_message(rest[0].strip(), names=asked.persona.names) if rest else None
    if found is None or found.intent in ("ask", "leave"):
        return None
    return msgspec.structs.replace(found, arguments={"text": rest[0].strip(), **found.arguments})


def language_before(asked: Asked) -> Language:
    """Return the language of a message; where nothing tells it, that of the turn before."""
    before = asked.earlier[0].language if asked.earlier else ""
    found = phrases.language_of(asked.message, before=before)
    if before and not phrases.is_known(asked.message, found):
        found = before if phrases.may_be(asked.message, before) else found
    return written_in.language_of(asked.message, found)
