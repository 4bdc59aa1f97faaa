"""The one clause of a message that asks something, where the whole came to nothing."""

import re
from collections.abc import Callable

from app.agent.rules import by_clause, look_further
from app.agent.rules.changes import readings
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

MOST = 5
"""So many clauses has a message at most of which one is looked for."""
SAID = frozenset({"leave", "nothing_asked", "waiting"})
"""What is said of a message whose other clause may ask something."""
_MARK = re.compile(r"(?<=[^\d\s])\s*[,;:.!?…–]+\s+|\s+-+\s+")
_QUESTION = re.compile(r"\?\s*$")


def answer(asked: Asked, route: Route, step: Step, next_step: Callable[[Asked], Step]) -> Step:
    """Return what the one clause asks that is a question by itself, where the message came to
    nothing: “never mind. What was the name of the hotel?”; else the step.
    """
    language = route.get("written") or route.language
    came_to_nothing = step.empty or route.intent in SAID
    if not came_to_nothing or step.quotes or not look_further.has_only_looked(asked):
        return step

    def tell(clause: str, found: Step) -> Step | None:
        asks = found.trace and found.trace.asks
        more = _shows(found) and (questions.read_question(clause).is_bare or not _shows(step))
        is_told = not (found.calls or asks) and (not found.empty or more)
        return found if is_told else None

    return by_clause.first_of(asked, step, _asking(asked, language), next_step, tell)


def _shows(step: Step) -> bool:
    return bool(step.trace and step.trace.shown)


def _asking(asked: Asked, language: Language) -> list[str]:
    """Return the clauses of a message that ask something, those first that surely do."""
    message = asked.message
    if len(message) > readings.LONGEST or not language_data.has_table(language, Changes):
        return []
    words = words_of(language)
    if not words.spaced:
        return []
    clauses = [one for one in _parted(message) if one.strip(" ?")]
    if not 1 < len(clauses) <= MOST:
        return []
    sure = [one for one in clauses if _QUESTION.search(one)]
    sure += [one for one in clauses if slots.has_kind(one, language, "asks")]
    likely = [one for one in clauses if words.asks.search(Marked(one).text)]
    # What names nothing is asked of what was spoken of before.
    listed = dict.fromkeys((*sure, *likely))
    return [one for one in listed if asked.earlier or not questions.read_question(one).is_bare][:2]


def _parted(message: str) -> list[str]:
    """Return the clauses of a message, each with its question mark."""
    ends = [found.end() for found in _MARK.finditer(message)]
    return [message[a:b].strip(" ,;:.!…–-") for a, b in zip([0, *ends], [*ends, None], strict=True)]
