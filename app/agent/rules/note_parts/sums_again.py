"""A sum of few words that goes on from that of the turn before: “and last week?”, “and the eggs?”.

It is told again after a line was changed: “so how much is that now”.
"""

from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.reader import reader
from app.agent.rules.reckoning import list_sums
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Trace

SUMS = frozenset({"sum", "add_up"})
EDITS = frozenset({"replace_text", "append_note", "change_items"})
"""What changes the lines of a note between two sums of them."""
WORDS, LETTERS = 7, 16
"""So many words, or letters where no spaces part words, has such a message at most."""
SUM = 0.5
"""So likely is a message without such words that goes on from a sum."""


def find(asked: Asked, language: Language) -> Route | None:
    """Return the sum that a message goes on from, with what it says of it; None where it does not
    go on from one.
    """
    last = _sum_before(asked)
    note = references.notes_told(last) if last else ()
    text = asked.message
    size = len(text) if questions.is_asian(text) else len(text.split())
    if last is None or len(note) != 1 or size > (LETTERS if questions.is_asian(text) else WORDS):
        return None
    request = list_sums.read(text, language, asked, is_sum=True)
    before = last.arguments.get("words") or last.arguments.get("said", "")
    if request is None or not before or request.wanted.numbers:
        return None
    if not (request.names or request.period or request.wanted.says("total")):
        likely = reader.read(asked, (), language).likely[:1]
        if not likely or likely[0].intent != "sum" or likely[0].sure < SUM:
            return None
    if dialogue_words.whole(language, "yes", text) or dialogue_words.whole(language, "no", text):
        return None
    return Route(
        "add_up",
        language,
        {"words": text, "named": "\n".join(request.names), "before": before},
        note,
    )


def _sum_before(asked: Asked) -> Trace | None:
    """Return the sum of the turn before, or of an earlier one after which only lines of its note
    were changed.
    """
    for turn in asked.earlier[:3]:
        if turn.asks is not None:
            return None
        if turn.intent in SUMS:
            return turn
        if turn.intent not in EDITS:
            return None
    return None
