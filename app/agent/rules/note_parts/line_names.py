"""The names of people in the lines of a note: which may be one, and how it is written."""

import re
from collections.abc import Sequence
from datetime import datetime

from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import days_times
from app.agent.rules.passages import questions
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.turn.steps import Asked

MOST = 3
"""A name has so many words at most."""
MOST_LETTERS = 8
THING = re.compile(r"[^,;/&+，、；|]+")
"""What stands between two marks of a line."""


def written(looked: Asked, said: str, lines: Sequence[Line]) -> str:
    """Return a name as it is written elsewhere; empty where none of that name is known."""
    values = [part.strip() for one in lines for part in THING.findall(one.text[one.start :])]
    people: list[str] = [one.title for one in asking.things(looked) if one.kind == "person"]
    known: list[str] = [one for one in (*values, *people) if may_be(one, looked.now)]
    folded = fold_text(said)
    same = [one for one in known if fold_text(one) == folded]
    same += [one for one in people if folded in fold_text(one).split()[:1]]
    if not lines and said:
        return said  # whether it is known is told by its note
    if not same:
        return ""
    first: str = same[0]
    return first if fold_text(first) == folded else first.split()[0]


def may_be(text: str, now: datetime) -> bool:
    """Return whether a text may be the name of somebody: one or a few words that begin with a
    capital, without a number or a day.
    """
    if not text or re.search(r"[\d:：.!]", text) or days_times.weekdays(text):
        return False
    if questions.is_asian(text):
        return len(text) <= MOST_LETTERS
    return len(text.split()) <= MOST and text[:1].isupper()
