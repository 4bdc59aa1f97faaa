"""Messages with their labels, from which a language's reader is made.

A line of `said.tsv` is an intent, what the turn before was about, and a message in which each slot
is marked: `add_todo`, `-`, `[title call the vet] [day tomorrow], she limps`. Where a message wishes
two things, `complete_todo+add_item`, the second begins after `||`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.agent.rules.languages.language_data import FOLDERS
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions

FILE = "said.tsv"
TWO, THEN = "two", "then"
"""The intent of a message that wishes two things, and the slot that is all of the second."""
LEFT = {
    "todo": "add_todo complete_todo reopen_todo move_todo shift_todo undate_todo prioritize"
    " repeat_todo add_step remove_step tick_step todo_state same",
    "todos": "list_todos",
    "note": "make_note append_note tag untag pin unpin move_note ask sum replace_text",
    "notes": "list_notes",
    "list": "add_item tick_item remove_item untick_item show_note",
    "folder": "make_folder",
    "message": "message read_messages",
}
"""What a first wish leaves for the second to go on from, and of which intents."""
_MARK = re.compile(r"\[([a-z]+) ([^\[\]]+)\]")


class Span(NamedTuple):
    """A slot of a message: which, and where its words stand, in characters."""

    slot: str
    start: int
    end: int


class Labelled(NamedTuple):
    """A message, what it wishes, and what the turn before was about."""

    intent: str
    before: str
    text: str
    spans: tuple[Span, ...]


def messages(language: Language) -> Iterator[Labelled]:
    """Yield the labelled messages of a language; of one that wishes two things, both of these
    alone, too.
    """
    for line in (FOLDERS / language / FILE).read_text("utf-8").splitlines():
        intent, before, marked = line.split("\t")
        first, _, second = intent.partition("+")
        if second:
            yield from _two(first, second, before, marked)
        else:
            yield Labelled(intent, before, *unmarked(marked))


def _two(first: str, second: str, before: str, marked: str) -> Iterator[Labelled]:
    (lead, spans), (rest, others) = (unmarked(one.strip()) for one in marked.split("||"))
    gap = "" if questions.is_asian(lead) else " "
    text = f"{lead}{gap}{rest}"
    yield Labelled(TWO, before, text, (Span(THEN, len(text) - len(rest), len(text)),))
    yield Labelled(first, before, lead, spans)
    left = next((about for about, intents in LEFT.items() if first in intents.split()), before)
    yield Labelled(second, left, rest, others)


def unmarked(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Return a message without its marks, and the slots that they mark."""
    text, spans, last = "", [], 0
    for found in _MARK.finditer(marked):
        text += marked[last : found.start()]
        spans.append(Span(found[1], len(text), len(text) + len(found[2])))
        text += found[2]
        last = found.end()
    return text + marked[last:], tuple(spans)
