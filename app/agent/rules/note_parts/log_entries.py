"""A new line of the log that was told or added up in the turn before: “4 kg today, put it down”."""

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.dialogue import references, said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import log_lines, note_lines
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

LIKELY = 0.3
WRITES = frozenset({"append_note", "add_item", "add_todo", "remember"})
"""What a message may be taken for that tells an amount."""


def entry(asked: Asked, looked: Asked, language: Language) -> Route | Step | None:
    """Return the new line of the log that was told or added up in the turn before, or the step that
    reads it; None where that is none, or a message tells anything but one amount of its kind.
    """
    if not may_be(asked, language):
        return None
    notes, text = references.notes_told(asked.earlier[0]), asked.message
    held = item_changes.read(looked, notes[0])
    if not isinstance(held, Held):
        return held
    markdown = str(held.record["markdown"])
    amount = log_lines.amount_of(text, markdown) if log_lines.is_log(markdown) else None
    if amount is None:
        return None
    day = (said_days.past_days(asked, text, language) or [asked.now.date()])[0]
    if day is None:
        return None
    return Route("append_note", language, {"text": amount, "day": day.isoformat()}, notes)


def may_be(asked: Asked, language: Language) -> bool:
    """Return whether a message may tell an amount for the one note that was spoken of."""
    last = asked.earlier[0] if asked.earlier else None
    notes = references.notes_told(last) if last and not last.asks else ()
    text = asked.message
    if len(notes) != 1 or "?" in text or "？" in text or len(note_lines.amounts(text)) != 1:
        return False
    likely = reader.read(asked, (), language).likely[:1]
    return bool(likely) and likely[0].sure >= LIKELY and _tells(likely[0])


def _tells(said: Understood) -> bool:
    """Return whether a message may only tell an amount: no todo is named by one alone."""
    if said.intent != "add_todo":
        return said.intent in WRITES
    titles = said.all_of("title")
    return all(not note_lines.content(_without_amount(one)) for one in titles)


def _without_amount(text: str) -> str:
    found = note_lines.amounts(text)
    return text[: found[0].start] if found else text
