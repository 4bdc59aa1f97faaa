"""The passages of notes that answer a question best.

Sentences ranked by the question's rare words and by what kind of thing they hold.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from app.agent.rules.passages import questions
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import (
    READ,
    Sentence,
    are_alike,
    fold_text,
    split_sentences,
    split_words,
    stem,
)
from app.agent.turn.steps import Quote

MOST = 3
LONGEST = 420
ENOUGH = 0.52
"""The share of the question's weight that a passage, its title and its note must have, or
nothing is quoted.
"""
CLOSE = 0.9
NOTES = 8
IN_TITLE, BESIDE, IN_NOTE = 0.75, 0.5, 0.35
UNKNOWN = 0.5
FITTING, MISSING = 0.15, 0.6
VAGUE = 0.4
BEGINNING = 3
"""What a word must share with a text, in characters, to be looked for among its stems at all."""


class Text(NamedTuple):
    """A note as far as it was read; `whole` says whether that is all of it."""

    note_id: int
    title: str
    content: str
    whole: bool


class Ranked(Struct, frozen=True):
    """A passage of a note with the share of the question that it covers."""

    note: Text
    start: int
    end: int
    score: float
    order: int


class _Stems:
    """The stems of a text as far as they may be those of some words, asked for one by one, the near
    ones found too.

    A stem begins as its word does, so of a text only the words that begin like one of the wanted
    are looked at.
    """

    def __init__(self, text: str, beginnings: Collection[str]) -> None:
        self._text = text
        self._all = {stem(word) for word in split_words(text) if word[:BEGINNING] in beginnings}

    def holds(self, wanted: str) -> bool:
        # A single character is a word in Chinese and Japanese, but pairs are what is indexed.
        if len(wanted) == 1 and questions.is_asian(wanted):
            return wanted in self._text
        return wanted in self._all or any(are_alike(wanted, one) for one in self._all)


def best_passages(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return the passages that answer a question, best first, none when nothing fits well enough.

    From at most `NOTES` notes.
    """
    beginnings = {one[:BEGINNING] for one in question.stems}
    read = [
        (note, _Stems(f"{note.title}\n{note.content[:READ]}", beginnings)) for note in notes[:NOTES]
    ]
    weights = _stem_weights(question, [stems for _, stems in read])
    ranked = [
        one
        for number, (note, stems) in enumerate(read)
        for one in _passages_of_note(question, note, stems, weights, number)
    ]
    ranked.sort(key=lambda one: (-one.score, one.order, one.start))
    if not ranked or ranked[0].score < ENOUGH:
        return []
    # Further passages only where they answer nearly as well as the best.
    least = max(ENOUGH, ranked[0].score * CLOSE)
    kept: list[Ranked] = []
    for one in ranked:
        if (
            one.score >= least
            and len(kept) < MOST
            and not any(_overlap(one, other) for other in kept)
        ):
            kept.append(one)
    return kept


def as_quote(one: Ranked) -> Quote:
    """Return a passage as a quote of its note."""
    return Quote(
        one.note.note_id, one.note.title, one.note.content[one.start : one.end], one.start, one.end
    )


def _stem_weights(question: Question, notes: Sequence[_Stems]) -> Mapping[str, float]:
    """Weigh each stem by how few of the notes hold it; one that none holds weighs most."""
    # With one note found every word would seem rare.
    total = max(len(notes), NOTES)
    held = {one: sum(stems.holds(one) for stems in notes) for one in question.stems}
    return {
        one: math.log(1 + (total + 1) / (UNKNOWN + count)) * _certainty(one, count)
        for one, count in held.items()
    }


def _certainty(one: str, count: int) -> float:
    """Return less than 1 for what may be no word, as a pair of characters, and for what is seldom
    said, as "number".
    """
    vague = one in questions.general() or (not count and questions.is_asian(one))
    return VAGUE if vague else 1.0


def _passages_of_note(
    question: Question, note: Text, stems: _Stems, weights: Mapping[str, float], order: int
) -> list[Ranked]:
    total = sum(weights.values())
    held = {one for one in weights if stems.holds(one)}
    # Of somebody else's birthday it is no answer.
    if not held or not total or not question.names <= held:
        return []
    every = split_sentences(note.content)
    own = [_stems_held(one.text, held) for one in every]
    title = _stems_held(note.title, held)
    under = {
        heading: title | _stems_held(heading, held) for heading in {one.heading for one in every}
    }
    found = []
    for number, sentence in enumerate(every):
        around = {
            one
            for near in own[max(0, number - 1) : number] + own[number + 1 : number + 2]
            for one in near
        }
        # An open point of a note is a question itself, and answers none.
        if sentence.text.rstrip("*_ ").endswith(("?", "？")):
            continue
        named = under[sentence.heading]
        if not own[number] and not (named and question.kind is not None):
            continue
        # “The price of the ticket” is not answered by any sentence about tickets.
        if question.focus and not question.focus & own[number] and not (question.focus & named):
            continue
        # A word counts less the further it stands from the sentence: title, neighbours, note.
        score = sum(weights[one] * _share(one, own[number], named, around) for one in held) / total
        found.append(_place_passage(question, note, every, number, score, order, own[number]))
    return found


def _stems_held(text: str, wanted: set[str]) -> set[str]:
    low = fold_text(text)
    begun = [one for one in wanted if one[:BEGINNING] in low]
    if not begun:
        return set()
    stems = _Stems(text, {one[:BEGINNING] for one in begun})
    return {one for one in begun if stems.holds(one)}


def _share(one: str, own: set[str], named: set[str], around: set[str]) -> float:
    return 1.0 if one in own else IN_TITLE if one in named else BESIDE if one in around else IN_NOTE


def _place_passage(
    question: Question,
    note: Text,
    every: list[Sentence],
    number: int,
    score: float,
    order: int,
    own: set[str],
) -> Ranked:
    """Return a passage its place; it takes in the next sentence where that has what is wanted and
    this one has not.
    """
    sentence = every[number]
    end = sentence.end
    if not questions.holds_kind(question.kind, sentence.text):
        following = every[number + 1] if number + 1 < len(every) else None
        if (
            following
            and own
            and following.heading == sentence.heading
            and questions.holds_kind(question.kind, following.text)
        ):
            end = following.end
            score *= (1 + MISSING) / 2
        else:
            score *= MISSING
    elif question.kind is not None and own and score >= ENOUGH:
        score += FITTING
    return Ranked(note, sentence.start, _cut(note.content, sentence.start, end), score, order)


def _cut(text: str, start: int, end: int) -> int:
    """Return where a passage ends that must not be longer than `LONGEST`: between two words."""
    if end - start <= LONGEST:
        return end
    space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
    return space if space > 0 else start + LONGEST


def _overlap(one: Ranked, other: Ranked) -> bool:
    return (
        one.note.note_id == other.note.note_id and one.start < other.end and other.start < one.end
    )
