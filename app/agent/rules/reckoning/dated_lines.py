"""The line of a log that is of the day which a question names.

For what no note has the words that it is asked in: “how much did we take yesterday?”
"""

import re
from collections.abc import Sequence
from datetime import date

from app.agent.rules.dialogue import dialogue_words, said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Kind
from app.agent.rules.passages import found_texts, questions
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.reckoning import list_rows, note_amounts, numbers, words
from app.agent.rules.reckoning.list_rows import Line
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.turn.steps import Asked, Call, Step

MOST = 3
"""So many notes are read that have a line of a day."""
LONGEST = 60
"""A message that only names another day is no longer."""
COUNTED: Sequence[Kind | None] = ("price", "number", "duration")


def find(asked: Asked, message: str, language: Language) -> Step | Fact | None:
    """Return the calls that look for lines of the day that a message asks of, then what the only
    one tells; None where it asks of none, or several tell of it.
    """
    kind = questions.read_question(message).kind
    day = _day(asked, message, language) if kind in COUNTED else None
    if day is None or not {"grep_notes", "get_note_content"} <= asked.tools:
        return None
    look: Call = ("grep_notes", {"pattern": _written(day), "mode": "regex", "limit": MOST * 4})
    made = [one for one in asked.of(look[0]) if one.arguments == look[1]]
    if not made:
        return Step(calls=(look,))
    ids = list(dict.fromkeys(one["noteId"] for one in made[0].content.get("results", ())))[:MOST]
    read = {one.arguments.get("noteId"): one for one in asked.of("get_note_content")}
    if unread := [one for one in ids if one not in read]:
        return Step(calls=tuple(("get_note_content", {"noteId": one}) for one in unread))
    notes = (found_texts.read_note(read[one]) for one in ids)
    told = [
        facts
        for note in notes
        if note
        for line in list_rows.read(note, language, asked.now.date()).lines
        if line.day == day and (facts := _facts(line, message, kind, language))
    ]
    return told[0][0] if len(told) == 1 and len(told[0]) == 1 else None


def again(asked: Asked, language: Language) -> str:
    """Return the question before with the day of a message that says nothing else: “and the day
    before yesterday?”; empty where either names no day, or what was asked is not so much of it and
    was not answered by the line of its day.
    """
    last = asked.earlier[0] if asked.earlier else None
    if last is None or last.intent != "ask" or last.asks or len(asked.message) > LONGEST:
        return ""
    said = words.folded(next(filter(None, map(last.arguments.get, ("text", "said", "words"))), ""))
    text = words.folded(asked.message)
    new, old = (dialogue_words.find_days(one, asked.now) for one in (text, said))
    if new is None or old is None:
        return ""
    are_past = all(_day(asked, one, language) for one in (said, text))
    if not last.day and not (questions.read_question(said).kind in COUNTED and are_past):
        return ""
    left = words.left_words(language, f"{text[: new[1]]} {text[new[2] :]}")
    return "" if left else f"{said[: old[1]]}{text[new[1] : new[2]]}{said[old[2] :]}"


def _facts(line: Line, message: str, kind: Kind | None, language: Language) -> list[Fact]:
    """Return the amounts of a line that may be what is asked for: money, or what the message says
    how many there are of.
    """
    every = [one for key in line.amounts if (one := line.amount(key))]
    if kind == "price":
        return [one for one in every if one.amount.unit in words.MONEY]
    return [
        one
        for one in every
        for word in split_words(message)
        if (one.amount.unit and numbers.unit_of(word, language) == one.amount.unit)
        or (one.amount.written and note_amounts.holds(word, words.folded(one.amount.written)))
    ][:1]


def _day(asked: Asked, message: str, language: Language) -> date | None:
    """Return the one day before today that a message names: today's is asked of todos."""
    day = next(iter(said_days.past_days(asked, message, language)), None)
    return day if day and day < asked.now.date() else None


def _written(day: date) -> str:
    """Return a pattern for how notes write a day."""
    month, number = day.month, day.day
    iso = re.escape(day.isoformat())
    return rf"{iso}|\b0?{number}\.0?{month}\.|{month}月{number}[日号]|\b{month}/{number}\b"
