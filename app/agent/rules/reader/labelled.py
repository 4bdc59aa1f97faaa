"""Messages with their labels, from which a language's reader is made.

A line of `said.tsv` is an intent, what the turn before was about, and a message in which each slot
is marked: `add_todo`, `-`, `[title call the vet] [day tomorrow], she limps`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.agent.rules.languages.language_data import FOLDERS
from app.agent.rules.languages.language_tables import Language

FILE = "said.tsv"
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
    """Yield the labelled messages of a language."""
    for line in (FOLDERS / language / FILE).read_text("utf-8").splitlines():
        intent, before, marked = line.split("\t")
        yield Labelled(intent, before, *unmarked(marked))


def unmarked(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Return a message without its marks, and the slots that they mark."""
    text, spans, last = "", [], 0
    for found in _MARK.finditer(marked):
        text += marked[last : found.start()]
        spans.append(Span(found[1], len(text), len(text) + len(found[2])))
        text += found[2]
        last = found.end()
    return text + marked[last:], tuple(spans)
