"""A clause of a message that wishes something by itself, where the whole came to nothing.

“The doors are done, finally. My back hurts”: what a clause would do is asked about, as nobody knows
what the others say beside it.
"""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from app.agent.rules import look_further
from app.agent.rules.changes import days, readings, reused
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import near
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

MOST = 4
"""So many clauses has a message at most of which one is looked for."""
FEWEST = 3
"""So many letters has a clause that may wish something."""
UNSURE = frozenset({"ask", "cannot"})
_TEXT = re.compile('["“«]|:\\s|\n')
"""What a text stands after, so that a mark parts nothing."""


def offer(asked: Asked, route: Route, step: Step, next_step: Callable[[Asked], Step]) -> Step:
    """Return the question whether the one clause is meant that wishes something by itself, where a
    message came to nothing; else the step.
    """
    language = route.get("written") or route.language
    if not (step.empty or route.intent in UNSURE) or (step.trace and step.trace.asks):
        return step
    if step.quotes or not language_data.has_table(language, Changes):
        return step
    if not look_further.has_only_looked(asked):
        return step

    def ask(clause: str, found: Step) -> Step | None:
        if found.calls:
            return near.ask_plain(clause, language)
        return found if found.trace and found.trace.asks else None

    return first_of(asked, step, _clauses(asked, language), next_step, ask)


def first_of(
    asked: Asked,
    step: Step,
    clauses: Iterable[str],
    next_step: Callable[[Asked], Step],
    take: Callable[[str, Step], Step | None],
) -> Step:
    """Return what `take` makes of the first clause, and the step that it comes to by itself, of
    which it makes anything; what must be looked up for that, or else the step of the whole message.
    """
    for clause in clauses:
        part = msgspec.structs.replace(asked, message=clause)
        found = reused.reuse(part, next_step)
        if look_further.only_looks(found):
            return step if look_further.looks_too_long(asked, found) else found
        if (taken := take(clause, found)) is not None:
            return taken
    return step


def _clauses(asked: Asked, language: Language) -> Iterator[str]:
    """Yield the clauses of a message."""
    message = asked.message.strip()
    words, text = words_of(language), Marked(message).text
    # Where no spaces part words, a verb at the end may be of every clause before it.
    parts = words.spaced or language_data.load_table(language, Changes).verb_first
    if not parts or len(message) > readings.LONGEST or _TEXT.search(message):
        return
    if re.search("[?？]", message) or words.asks.search(text):
        return
    parted: list[str] = []
    start = begun = 0
    for end, after in (*(one.span() for one in words.join.finditer(text)), (len(text), len(text))):
        if parted and slots.only_days(message[start:end], asked, language):
            parted.pop()  # “…, 18h” belongs to the clause before it
        else:
            begun = start
        parted.append(message[begun:end].strip())
        start = after
    parted = [one for one in parted if len(one) >= FEWEST]
    if not words.spaced and sum(bool(days.find(one, asked, language)) for one in parted) > 1:
        return  # several wishes, each with its day
    if 1 < len(parted) <= MOST:
        yield from parted
