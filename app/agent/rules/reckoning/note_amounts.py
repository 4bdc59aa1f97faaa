"""The amounts that a note tells, each with the words beside it."""

import itertools
import re
from collections.abc import Collection
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import (
    Sentence,
    are_alike,
    split_sentences,
    split_words,
    stem,
)
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import numbers, words
from app.agent.rules.reckoning.numbers import Number
from app.agent.rules.reckoning.sum_tokens import Amount

MEASURES = words.MONEY | {"kg", "g", "l", "ml", "km", "m", "cm", "jin"}
_CLAUSES = re.compile(r"(?<!\d)[,;]|[,;](?!\d)|[，；、。•|]|\. (?=\D)")
_RANGE_BEFORE = re.compile(r"\d\s*(?:[-~〜～/和或か到至]|から|[a-z]{1,3})\s*$")
"""What makes the number before an amount the other end of a stretch: “80 to 90 euros”."""


class Fact(NamedTuple):
    """An amount of a note: for one of which unit it is, and the words that stand beside it; what
    is not `sure` may be one of two, or about so much. `number` stands in the folded sentence.
    """

    amount: Amount
    per: str
    said: str
    sentence: Sentence
    note: Text
    sure: bool
    is_deposit: bool
    number: Number


def language_of(note: Text, asked: Language) -> Language:
    """Return the language that the numbers of a note are written in."""
    return phrases.language_of(f"{note.title}. {note.content[:600]}", before=asked)


def facts(note: Text, asked: Language, units: Collection[str] | None = MEASURES) -> list[Fact]:
    """Return the amounts of money and measures that a note tells, or of other units, in order; with
    None for the units every number.
    """
    language = language_of(note, asked)
    found: list[Fact] = []
    for sentence in split_sentences(note.content):
        if not questions.is_open(sentence.text):
            found += _of_sentence(note, sentence, language, units)
    return found


def _of_sentence(
    note: Text, sentence: Sentence, language: Language, units: Collection[str] | None
) -> list[Fact]:
    table = words.table_of(language)
    text = words.hide_codes(words.folded(sentence.text))
    amounts = [one for one in numbers.find(text, language) if units is None or one.unit in units]
    found = []
    for one in amounts:
        start, end = _clause(text, one, amounts)
        said = text[start:end]
        label = _label(text, start, amounts)
        beside = [other for other in amounts if start <= other.start < end]
        crowded = len([other for other in beside if other.unit == one.unit]) > 1
        sure = one.sure and not crowded and not _is_vague(text, one, language)
        whole = f"{label} {said}"
        deposit = words.whole(language, table.deposit).search(whole) is not None
        amount = Amount(one.value, one.unit, one.written)
        per = _per(said[one.start - start :], said, language)
        found.append(Fact(amount, per, whole, sentence, note, sure, deposit, one))
    return found


def _clause(text: str, one: Number, amounts: list[Number]) -> tuple[int, int]:
    """Return from where to where the words stand that belong to an amount."""
    cuts = [0, len(text), *(cut.start() for cut in _CLAUSES.finditer(text))]
    for first, second in itertools.pairwise(amounts):
        # “Rent 980 euros and deposit 2,940 euros”
        if joint := re.search(r" (?:and|und|et|y) |と", text[first.end : second.start]):
            cuts.append(first.end + joint.start())
    start = max(cut for cut in cuts if cut <= one.start)
    ends = [cut for cut in cuts if cut >= one.end]
    # What follows without an amount of its own still belongs to it.
    nexts = sorted(ends)
    end = nexts[0]
    return start, end


def _label(text: str, start: int, amounts: list[Number]) -> str:
    """Return what stands before the first amount of a sentence: “Prices: …”."""
    first = amounts[0].start
    head = text[:first]
    parts = _CLAUSES.split(head)
    if start == 0 or not parts:
        return ""
    label = head if amounts[0].start >= start else (head.rsplit(":", 1)[0] if ":" in head else "")
    return "" if re.search(r"\d", label) else label


def _per(after: str, clause: str, language: Language) -> str:
    """Return the unit that an amount is for: “a month”, “per night”."""
    for place in (after, clause):
        for unit, pattern in words.table_of(language).per.items():
            if words.whole(language, pattern).search(place):
                return unit
    return ""


def _is_vague(text: str, one: Number, language: Language) -> bool:
    """Return whether an amount is about so much, or one of two."""
    table = words.table_of(language)
    before, after = map(language_data.join_pattern, (table.vague, table.vague_after))
    return (
        _RANGE_BEFORE.search(text[: one.start]) is not None
        or re.search(rf"(?<![^\W_])(?:{before})\.? ?$", text[: one.start]) is not None
        or re.match(rf" ?(?:{after})(?![a-z])", text[one.end :]) is not None
    )


def holds(word: str, text: str) -> bool:
    """Return whether a folded text has a word, or one that may stand for it.

    Where no spaces part words, it may be several of them.
    """
    return bool(_parts_held(word, text)) if questions.is_asian(word) else _has_word(word, text)


def touches(word: str, text: str) -> bool:
    """Return whether a folded text has a word, or where no spaces part words, a part of it."""
    if not questions.is_asian(word):
        return _has_word(word, text)
    return any(_has_part(word[at : at + 2], text) for at in range(max(1, len(word) - 1)))


def _has_word(word: str, text: str) -> bool:
    wanted = questions.alternatives(stem(word))
    held = [stem(one) for one in split_words(text)]
    return any(
        one == other
        or are_alike(one, other)
        or (len(one) > 3 and other.endswith(one))
        or (len(other) > 3 and one.endswith(other))
        for one in wanted
        for other in held
    )


def _parts_held(word: str, text: str) -> bool:
    """Return whether a run of signs is made of words that a text has."""
    if _has_part(word, text):
        return True
    return any(
        _has_part(word[:at], text) and _parts_held(word[at:], text)
        for at in range(2, len(word) - 1)
    )


def _has_part(part: str, text: str) -> bool:
    return any(one in text for one in {part, *questions.alternatives(part)})


def named(wanted: list[str], known: list[Fact], *, alone: bool = False) -> Fact | None:
    """Return the one amount beside which the words stand, with those of its note's name, or where
    it is `alone` there of the whole note; None where none or several are.
    """
    fitting: list[tuple[int, Fact]] = []
    for fact in known:
        around = words.folded(f"{fact.note.title} {fact.sentence.heading}") + f" {fact.said}"
        if alone and any(touches(word, fact.said) for word in wanted):
            around += f" {words.folded(fact.note.content)}"  # of which it is the only amount
        if all(holds(word, around) for word in wanted):
            own = sum(touches(word, fact.said) for word in wanted)
            fitting.append((own, fact))
    if not fitting:
        return None
    most = max(own for own, _ in fitting)
    best = [fact for own, fact in fitting if own == most]
    # Where only the note is named, it must tell a single amount.
    if len(best) != 1 or (not most and len(known) != 1):
        return None
    return best[0] if best[0].sure else None
