"""What is done with the lines of the note that a message names or goes on from, before all else.

A sum of few words goes on from that of the turn before, or is told again after a line was changed:
“and last week?”, “and the eggs?”, “so how much is that now”. An amount of a day is told for the log
that was spoken of: “4 kg today, put it down there”.
"""

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.dialogue import dialogue_words, references, said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import log_lines, note_lines, questions
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Understood
from app.agent.rules.reckoning import list_sums
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import line_changes, surely, taken_back, written_at_once
from app.agent.rules.understood.surely import Act
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Step, Trace

SUMS = frozenset({"sum", "add_up"})
EDITS = frozenset({"replace_text", "append_note", "change_items"})
"""What changes the lines of a note between two sums of them."""
WORDS, LETTERS = 7, 16
"""So many words, or letters where no spaces part words, has such a message at most."""
SUM = 0.5
"""So likely is a message without such words that goes on from a sum."""
LIKELY = 0.3
WRITES = frozenset({"append_note", "add_item", "add_todo", "remember"})
"""What a message may be taken for that tells an amount."""


def do(asked: Asked, whole: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return what is done first with the lines of the note that was spoken of or is named: added up
    again, one more, one changed; and whether anything was looked up for that.
    """
    again = sum_again(asked, language)
    if again and looks.has_only_looked(asked):
        step = surely.do(asked, again, act)
        if not step.empty:
            return step, True
    may_log, said = _may_log(asked, language), line_changes.wanted(asked, language)
    if not (may_log or said) or taken_back.as_whole(asked, language):
        return None, bool(again)
    before = looks.before_change(whole)
    line = log_entry(asked, before, language)
    if line is None and said:
        line = line_changes.change(before, said, language)
        likely = reader.read(asked, (), language).likely[:1]
        if isinstance(line, Step) and likely:
            line = written_at_once.replaced(before, line, likely[0], act) or line
    return surely.do(whole, line, act) if isinstance(line, Route) else line, True


def sum_again(asked: Asked, language: Language) -> Route | None:
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


def log_entry(asked: Asked, looked: Asked, language: Language) -> Route | Step | None:
    """Return the new line of the log that was told or added up in the turn before, or the step that
    reads it; None where that is none, or a message tells anything but one amount of its kind.
    """
    if not _may_log(asked, language):
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


def _may_log(asked: Asked, language: Language) -> bool:
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
