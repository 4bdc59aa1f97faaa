"""A message of which every letter is marked as what it belongs to: a verb, a day, a name."""

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.phrases import phrases

FREE = " "
_MARKS = re.compile(r"[\s.!?;:…。！？；：\"“”„«»「」『』()（）~～—–]+|(?<!\w)-|-(?!\w)")
_CLAUSE = r"[,;.!…]+\s+|\s+[–—-]+\s+|[。！，、；…]+\s*"
"""The marks between two clauses."""
_TIGHT = r"|(?<!\d)[,;!]+|[,;!]+(?!\d)|\s+|…"
"""The marks that need no space after them where no spaces part words, and spaces."""
_EDGE = " \t\n,，、・.;:"


class Words(NamedTuple):
    """The patterns of a language, compiled."""

    denies: re.Pattern[str]
    asks: re.Pattern[str]
    of_self: re.Pattern[str]
    tells: re.Pattern[str]
    courtesy: re.Pattern[str]
    filler: re.Pattern[str]
    put: re.Pattern[str]
    place: re.Pattern[str]
    must: re.Pattern[str]
    join: re.Pattern[str]
    earlier: re.Pattern[str]
    later: re.Pattern[str]
    shifts: re.Pattern[str]
    moves: re.Pattern[str]
    finished: re.Pattern[str]
    done: re.Pattern[str]
    open: re.Pattern[str]
    provided: re.Pattern[str]
    forbids: re.Pattern[str]
    link_before: re.Pattern[str]
    link_after: re.Pattern[str]
    old: re.Pattern[str]
    old_after: re.Pattern[str]
    edge: re.Pattern[str]
    chatter: re.Pattern[str]
    reports: re.Pattern[str]
    doubts: re.Pattern[str]
    titled: re.Pattern[str]
    note: re.Pattern[str]
    states: re.Pattern[str]
    saying: re.Pattern[str]
    cues: dict[ChangeKind, re.Pattern[str]]
    also: dict[ChangeKind, re.Pattern[str]]
    onto: str
    inside: str
    spaced: bool


class Marked:
    """A message in small letters without accents, with a mark for each letter: `FREE` where it
    belongs to nothing yet.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        self.text = plain_letters(message).lower().replace("’", "'")
        self.marks = [FREE] * len(self.text)

    def mark(self, spans: Iterable[tuple[int, int]], mark: str) -> bool:
        """Mark those places that are free as a whole; return whether one was."""
        found = False
        for start, end in spans:
            if start < end and all(one == FREE for one in self.marks[start:end]):
                self.marks[start:end] = mark * (end - start)
                found = True
        return found

    def fit(self, pattern: re.Pattern[str], mark: str) -> bool:
        """Mark all free places that a pattern fits; return whether there was one."""
        found = self.mark((one.span() for one in pattern.finditer(self.text)), mark)
        # Of “挪到” the end may already belong to the day: “到下周五”.
        free = "".join(
            one if to == FREE else "\0" for one, to in zip(self.text, self.marks, strict=True)
        )
        return self.mark((one.span() for one in pattern.finditer(free)), mark) or found

    def fit_surest(self, pattern: re.Pattern[str], mark: str) -> bool:
        """Mark the places that a pattern fits with more than a letter, or else the first: a letter
        further on may be of a text where no spaces part words.
        """
        spans = [one.span() for one in pattern.finditer(self.text)]
        long = [(start, end) for start, end in spans if end - start > 1]
        return self.mark(long or spans[:1], mark)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern fits a free place."""
        places = (found.span() for found in pattern.finditer(self.text))
        return any(set(self.marks[start:end]) == {FREE} for start, end in places)

    def runs(self, kept: str = FREE) -> Iterator[tuple[int, int]]:
        """Yield from where to where letters have one of those marks."""
        at = 0
        while at < len(self.marks):
            end = at
            while end < len(self.marks) and self.marks[end] in kept:
                end += 1
            if end > at:
                yield at, end
            at = end + 1

    def left(self, words: Words) -> str:
        """Return what is free, as it was written, without the marks around it."""
        self.fit(_MARKS, "f")
        self.fit(words.filler, "f")
        gap = " " if words.spaced else ""
        kept = (self.message[start:end] for start, end in self.runs())
        text = gap.join(one.strip() for one in kept if one.strip())
        return re.sub(r"\s*(?:,\s*)+", ", ", text).strip(_EDGE)


def is_old(text: str, start: int, end: int, words: Words) -> bool:
    """Return whether a day is the one from which something is moved."""
    return bool(words.old.search(text[:start]) or words.old_after.search(text[end:]))


@functools.cache
def any_place(shape: str) -> re.Pattern[str]:
    """Return a shape such as `onto` beside whatever name."""
    said = shape.replace("{name}", r"\w+")
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)")


@functools.cache
def words_of(language: Language) -> Words:
    """Return the words by which a language says changes."""
    table = language_data.load_table(language, Changes)
    spaced = language in phrases.alphabetic_languages()

    def text(pattern: Pieces) -> str:
        macros = {"put": table.put, "doubts": table.doubts, **table.macros}
        return plain_letters(language_data.expand_macros(pattern, macros)) or "(?!)"

    def whole(pattern: Pieces) -> re.Pattern[str]:
        return language_data.whole_words(text(pattern), language)

    def accented(pattern: Pieces) -> re.Pattern[str]:
        said = language_data.join_pattern(pattern) or "(?!)"
        return re.compile(rf"(?<!\w)(?:{said})(?!\w)" if spaced else said)

    def only(pick: Pieces, shape: str) -> re.Pattern[str]:
        before, edge = (r"(?<!\w)", r"(?!\w)") if spaced else ("", "")
        return re.compile(shape.replace("…", f"{before}(?:{text(pick)}){edge}"))

    return Words(
        whole(table.denies),
        only(table.asks, r"^\W*(?:…)" if spaced else "(?:…)"),
        only(table.of_self, r"^\W*(?:…)" if spaced else "^(?:…)"),
        re.compile(language_data.join_pattern(table.tells) or "(?!)"),
        whole(table.courtesy),
        whole(table.filler),
        whole(table.put),
        whole(table.place),
        whole(table.must),
        re.compile(
            _CLAUSE + (r"|[\s,]+(?:…)\s+" if spaced else _TIGHT).replace("…", text(table.join))
        ),
        whole(table.earlier),
        whole(table.later),
        whole("|".join(map(text, (table.earlier, table.later, table.kinds["reschedule"].cues)))),
        whole(table.moves),
        whole(table.finished),
        accented(table.done),
        whole(table.open),
        accented(table.provided),
        whole(table.forbids),
        only(table.link, r"^(?:[\s,:：、，]*(?:…))+[\s,:：、，]*"),
        only(table.link, r"(?:[\s,、，]*(?:…))+[\s,、，.。!！]*$"),
        only(table.old, r"(?:…)\s*$"),
        only(table.old_after, r"^\s*(?:…)"),
        whole(table.edge),
        whole(table.chatter),
        whole(table.reports),
        whole(table.doubts),
        whole(table.titled),
        whole(table.note),
        whole(table.states),
        whole(table.saying),
        {kind: whole(one.cues) for kind, one in table.kinds.items()},
        {kind: whole(one.also) for kind, one in table.kinds.items()},
        plain_letters(language_data.join_pattern(table.onto)),
        plain_letters(language_data.join_pattern(table.inside)),
        spaced,
    )


def is_provided(message: str, language: Language) -> bool:
    """Return whether a message wishes something only if something else is so: “if it rains”."""
    return words_of(language).provided.search(message.lower()) is not None


def clause_at(message: str, place: int, language: Language) -> tuple[int, str]:
    """Return where the clause of a message begins that has a place in it, and that clause."""
    ends = list(words_of(language).join.finditer(Marked(message).text))
    start = max((one.end() for one in ends if one.end() <= place), default=0)
    end = min((one.start() for one in ends if one.start() > place), default=len(message))
    return start, message[start:end]
