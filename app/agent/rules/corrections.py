"""What a person has mistyped or corrected in a message."""

import msgspec

from app.agent.memory import persona
from app.agent.rules.dialogue import dialogue_words, given_context, repairs, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.routing import misspelled, routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import surely, wishes
from app.agent.turn.steps import Asked, Step
from app.core.process.caches import keep_latest

LONGEST_YES = 60
"""So many letters has a message at most that says no more than yes."""
NAMING = frozenset({"ask", "cannot", "add_todo", "rename"})
"""What “call me Ines” only seems to be."""


def corrected(asked: Asked, language: Language) -> str:
    """Return a person's message as it is once its slips are mended and it has corrected itself."""
    return _corrected(msgspec.structs.replace(asked, results=(), is_last=False), language)


@keep_latest  # each step of a turn begins from the message anew
def _corrected(asked: Asked, language: Language) -> str:
    if given_context.unwrap(asked.message, language) is not None:
        return asked.message
    # Only with an alphabet is a letter of a word mistyped.
    alphabetic = phrases.alphabetic_languages()
    others = (one for one in alphabetic if one != language)
    languages = (language, *others) if language in alphabetic else ()
    mended = misspelled.mend(asked.message, languages) if languages else asked.message
    for one in languages or (language,):
        mended = wording.with_opening(mended, one)
    if mended != asked.message:
        # What is kept or sent to the letter stays as it is.
        said = routing.route_message(asked.message, before=language)
        if said.is_loose or said.intent not in routing.VERBATIM:
            asked = msgspec.structs.replace(asked, message=mended)
    text, takes_back = repairs.repair(asked, asked.message, language)
    if takes_back:
        return asked.message
    if language_data.has_table(language, FollowUp) and not (
        asked.earlier and asked.earlier[0].asks
    ):
        text = slots.without_opening(text, language)
    return text


def as_name(asked: Asked, found: Route) -> Route:
    """Return that a name is to be remembered where a message tells it: “call me Ines”."""
    if found.intent not in NAMING or not persona.tells_name(asked.message):
        return found
    told = {"content": asked.message.strip()}
    return msgspec.structs.replace(found, intent="remember", arguments=told)


def ask_corrected(asked: Asked, language: Language) -> Step | None:
    """Return the question whether a todo is meant as it likely is after a correction of other words
    than a day: “call the plumber no sorry the electrician on Thursday”.
    """
    guess = repairs.guess(asked.message, language) if reader.knows(language) else ""
    meant = msgspec.structs.replace(asked, message=guess, results=())
    best = reader.read(meant, (), language).likely[:1] if guess else ()
    if not best or best[0].intent != "add_todo":
        return None
    return wishes.ask(meant, best[0], language)


def agreed(asked: Asked, language: Language) -> Asked:
    """Return what is asked with a plain yes for a message that surely says no more than that to
    what was asked about: “yeah do that”, “klar, mach das so”.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None or question.lacks != "yes" or not reader.knows(language):
        return asked
    if dialogue_words.whole(language, "yes", asked.message):
        return asked
    likely = reader.read(msgspec.structs.replace(asked, results=()), (), language).likely[:1]
    is_yes = likely and likely[0].intent == "yes" and likely[0].sure >= surely.AT_ONCE
    if not is_yes or likely[0].spans or question_signs.may_be_question(likely[0]):
        return asked
    if len(asked.message) > LONGEST_YES:
        return asked
    plain = language_data.load_table(language, Dialogue).plain_yes
    return msgspec.structs.replace(asked, message=plain) if plain else asked
