"""A new line of the note that was spoken of in the turn before.

Of a log that was told or added up, “4 kg today, put it down”; one more of what was just written,
“another line: no smoking”.
"""

import functools
import re

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, said_days, view_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.passages import log_lines, note_lines
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

LIKELY = 0.3
WRITES = frozenset({"append_note", "add_item", "add_todo", "remember"})
"""What a message may be taken for that tells an amount."""
WROTE = frozenset({"append_note", "make_note"})
"""After these one more line goes into the note, whether it is a list or not."""
LONGEST = 120
_EDGE = " \t,，、.。!！:：-–—"


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


def one_more(asked: Asked, looked: Asked, language: Language) -> Route | Step | None:
    """Return one more line of the note, or step of the todo, that the turn before wrote or told, or
    the step that reads it: “another line: no smoking”; None where a message asks for none.
    """
    text = more_said(asked, language)
    if not text:
        return None
    last, thing = asked.earlier[0], _spoken_of(asked)[0]
    held = item_changes.read(looked, thing)
    if not isinstance(held, Held):
        return held
    if thing.kind == "todo":
        return Route("add_step", language, {"step": text}, (thing,)) if held.items else None
    may = held.goes_on or (last.intent in WROTE and bool(last.undo))
    return Route("append_note", language, {"text": text}, (thing,)) if may else None


def more_said(asked: Asked, language: Language) -> str:
    """Return the one more line or step that a message asks for after a turn about one note or
    todo; empty where it asks for none, or for a todo.
    """
    if (
        not _spoken_of(asked)
        or len(asked.message) > LONGEST
        or re.search(r"[?？\n]", asked.message)
    ):
        return ""
    found = _more(language).match(Marked(asked.message).text)
    text = asked.message[found.end() :].strip(_EDGE) if found else ""
    is_todo = "todo" in view_words.sort_words(text, language).said
    is_todo = is_todo or words_of(language).cues["todo"].search(Marked(text).text) is not None
    has_day = dialogue_words.find_days(dialogue_words.bare(text), asked.now) is not None
    return "" if is_todo or has_day else text


def _spoken_of(asked: Asked) -> tuple[Thing, ...]:
    """Return the one note that the turn before told or wrote, or the one todo; else nothing."""
    last = asked.earlier[0] if asked.earlier else Trace()
    things = () if last.asks or last.intent == "add_todo" else last.about or last.shown
    todos = tuple(one for one in things if one.kind == "todo")
    found = todos if len(todos) == len(things) else references.notes_told(last)
    return found if len(found) == 1 and not last.asks else ()


@functools.cache
def _more(language: Language) -> re.Pattern[str]:
    """Return the words by which a language asks for one more line."""
    words = language_data.join_pattern(language_data.load_table(language, LineWords).one_more)
    return re.compile(f"(?:{words})")
