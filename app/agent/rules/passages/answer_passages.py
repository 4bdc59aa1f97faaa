"""The passages of notes that answer a question best.

Sentences ranked by the question's rare words and by what kind of thing they hold.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from app.agent.rules.passages import held_stems, questions, tables
from app.agent.rules.passages.held_stems import Stems
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import (
    READ,
    Sentence,
    are_alike,
    first_of_line,
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
LEAST = 0.38
"""The share that is enough where one note clearly leads."""
LEADS = 0.8
"""The share of the best score that no other note may reach where that one leads."""
POINTS_BACK = 0.9
REFERRED = 3
"""To so many sentences before may a pronoun refer."""
OWN_WORDS = 0.1
CLOSE = 0.9
NOTES = 8
IN_TITLE, BESIDE, IN_NOTE, FAR_OFF = 0.75, 0.5, 0.35, 0.1
NEAR = 1_500
"""Characters before and after a sentence in which another word of a note has to do with it: in a
long note almost any word stands somewhere.
"""
UNKNOWN = 0.5
FITTING, MISSING = 0.15, 0.6
VAGUE = 0.4
ROW = 2
"""So many cells of a row say what they are without the names of their columns."""


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
    is_firm: bool = False
    """Whether the sentence says something of its own, of what its note or heading names, and of
    the kind that is wanted.
    """


def best_passages(
    question: Question, notes: Sequence[Text], *, is_last_try: bool = False
) -> list[Ranked]:
    """Return the passages that answer a question, best first, none when nothing fits well enough.

    With `is_last_try` less is enough where one note clearly leads.
    """
    ranked = rank_passages(question, notes)
    if not ranked:
        return []
    if ranked[0].score < ENOUGH:
        return ranked[:1] if is_last_try and _leads(ranked) else []
    # What others are or have is no answer where one's own words are.
    if question.own and questions.is_own(text_of(ranked[0])):
        ranked = [one for one in ranked if questions.is_own(text_of(one))]
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


def passages_of_last(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return what of the notes spoken of last answers a question that goes on from them.

    A sentence must say half of what is asked, and hold the kind of thing that is wanted.
    """
    wanted = set(question.stems)
    known = {one for note in notes for one in held_stems.held_in(_known_of(note), wanted)}
    if not known or 2 * len(known) < len(wanted):
        return []
    asked = question._replace(stems=tuple(one for one in question.stems if one in known))
    ranked = [
        one
        for one in rank_passages(asked, notes)
        if questions.holds_kind(question.kind, text_of(one))
        and 2 * len(held_stems.held_in(text_of(one), known)) >= len(wanted)
    ]
    return ranked[:1]


def text_of(one: Ranked) -> str:
    """Return a passage as it stands in its note."""
    return one.note.content[one.start : one.end]


def _leads(ranked: Sequence[Ranked]) -> bool:
    """Return whether the best passage is firm and no other note comes near it."""
    best = ranked[0]
    return (
        best.is_firm
        and best.score >= LEAST
        and not any(
            one.note.note_id != best.note.note_id and one.score > best.score * LEADS
            for one in ranked
        )
    )


def rank_passages(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return what of at most `NOTES` notes has to do with a question, best first."""
    beginnings = held_stems.beginnings(question.stems)
    read = [(note, Stems(_known_of(note), beginnings)) for note in notes[:NOTES]]
    weights = _stem_weights(question, [stems for _, stems in read])
    ranked = [
        one
        for number, (note, stems) in enumerate(read)
        for one in _passages_of_note(question, note, stems, weights, number)
    ]
    ranked.sort(key=lambda one: (-one.score, one.order, one.start))
    return ranked


def _known_of(note: Text) -> str:
    """Return what a note says, without its open points."""
    text = f"{note.title}\n{note.content[:READ]}"
    return "\n".join(line for line in text.split("\n") if not questions.is_open(line))


def as_quote(one: Ranked) -> Quote:
    """Return a passage as a quote of its note."""
    return Quote(
        one.note.note_id, one.note.title, one.note.content[one.start : one.end], one.start, one.end
    )


def columns_of(one: Ranked) -> str:
    """Return the names of the columns of a row of a table, as a line above it; empty where a
    passage is none, or its two cells say enough.
    """
    table = tables.of_row(tables.find(one.note.content), one.start)
    if table is None or len(table.header) <= ROW:
        return ""
    return f"{' | '.join(filter(None, table.header))}\n\n"


def _stem_weights(question: Question, notes: Sequence[Stems]) -> Mapping[str, float]:
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
    said, as "number"; nothing for an ending or a particle that no note has.
    """
    if not count and not questions.says_something(one):
        return 0.0
    vague = one in questions.general() or (not count and questions.is_asian(one))
    return VAGUE if vague else 1.0


def _passages_of_note(
    question: Question, note: Text, stems: Stems, weights: Mapping[str, float], order: int
) -> list[Ranked]:
    total = sum(weights.values())
    held = {one for one in weights if stems.holds(one)}
    if not total or not _may_answer(question, note, held):
        return []
    every = split_sentences(note.content)
    own = [held_stems.held_in(one.text, held) for one in every]
    title = held_stems.held_in(note.title, held)
    columns = tables.find(note.content)
    headers = {one: held_stems.held_in(" ".join(one.header), held) for one in columns}
    headings = {one.heading for one in every}
    under = {heading: title | held_stems.held_in(heading, held) for heading in headings}
    found = []
    for number, sentence in enumerate(every):
        around = {
            one
            for near in own[max(0, number - 1) : number] + own[number + 1 : number + 2]
            for one in near
        }
        # An open point of a note is a question itself, and answers none; what the columns of a
        # table are named says something of each of its rows.
        if questions.is_open(sentence.text) or tables.is_header(columns, sentence.start):
            continue
        first = first_of_line(note.content, every, number)
        named = under[sentence.heading] | (own[first] if first < number else set())
        row_of = tables.of_row(columns, sentence.start)
        named |= headers[row_of] if row_of else set()
        # A sentence that says nothing of its own counts where it alone can hold what is wanted.
        says_it = own[number] or question.kind in questions.EXACT
        referred = _referred(every, own, number) if says_it else set()
        if not own[number] and not (question.kind is not None and (named or referred)):
            continue
        # “The price of the ticket” is not answered by any sentence about tickets.
        if question.focus and not question.focus & (own[number] | named):
            continue
        if question.kind in questions.EXACT and not _holds_exactly(question, every, number):
            continue
        if _only_names(question, own[number], named):
            continue
        # A word counts less the further it stands from the sentence: title, neighbours, note.
        near = _stems_near(note.content, sentence, held)
        score = sum(
            weights[one] * _share(one, own[number], referred, named, around, near) for one in held
        )
        if question.own and questions.is_own(sentence.text):
            score += OWN_WORDS * total
        place = _place_passage(question, note, every, number, score / total, order, own[number])
        says_more = question.kind in questions.EXACT or bool(
            own[number] - named - question.capitals
        )
        is_firm = (
            bool(named)
            and says_more
            and questions.holds_kind(question.kind, note.content[place.start : place.end])
        )
        found.append(msgspec.structs.replace(place, is_firm=is_firm))
    return found


def _may_answer(question: Question, note: Text, held: set[str]) -> bool:
    """Return whether a note that holds some stems of a question may say anything of it."""
    # Of somebody else's birthday it is no answer.
    if not held or not question.names <= held:
        return False
    # “Sam's shoes” are not mine.
    if question.own and questions.owners(note.title) - held:
        return False
    # With half of what is asked unknown to a note, at least its name must be in the question.
    asked = set(question.stems)
    return (
        2 * len(held) > len(asked)
        or bool(held_stems.held_in(note.title, held))
        or any(map(questions.is_asian, asked))
    )


def _only_names(question: Question, own: set[str], named: set[str]) -> bool:
    """Return whether a sentence only names whom a question asks more about, of which neither its
    note nor its heading says anything.
    """
    asks_more = question.kind is None and not question.names.issuperset(question.stems)
    return asks_more and bool(own) and own <= question.names and named <= question.names


def _holds_exactly(question: Question, every: Sequence[Sentence], number: int) -> bool:
    """Return whether a sentence holds what is wanted, be it “the total: …” or a phone number."""
    return questions.holds_kind(question.kind, every[number].text)


def _referred(every: Sequence[Sentence], own: Sequence[set[str]], number: int) -> set[str]:
    """Return the stems of the sentences before that one which begins with “his” or “it”."""
    if not questions.points_back(every[number].text):
        return set()
    return {one for near in own[max(0, number - REFERRED) : number] for one in near}


def _stems_near(text: str, sentence: Sentence, held: set[str]) -> set[str]:
    """Return which of the stems that a note holds stand not far from a sentence."""
    if len(text) <= NEAR:
        return held
    return held_stems.held_in(text[max(0, sentence.start - NEAR) : sentence.end + NEAR], held)


def _share(one: str, *places: set[str]) -> float:
    """Return how much a word counts, by the first of the places that holds it: the sentence, what
    it refers to, the names above it, the sentences beside it, the text not far from it.
    """
    shares = (1.0, POINTS_BACK, IN_TITLE, BESIDE, IN_NOTE)
    return next((share for held, share in zip(places, shares, strict=True) if one in held), FAR_OFF)


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
    if sentence.text.endswith((":", "：")):
        # What only announces a list says nothing without it.
        for item in every[number + 1 :]:
            if "\n\n" in note.content[end : item.start].lstrip("\n"):
                break
            end = item.end
    if not holds_wanted(question, sentence.text):
        is_row = sentence.text.startswith("|")
        following = every[number + 1] if number + 1 < len(every) and not is_row else None
        if (
            following
            and own
            and not questions.is_open(following.text)
            and following.heading == sentence.heading
            and questions.holds_kind(question.kind, following.text)
        ):
            end = following.end
            score *= (1 + MISSING) / 2
        else:
            # How many there are, no text says without a number, nor who it was without a name.
            score *= MISSING / 2 if question.kind in ("number", "duration", "who") else MISSING
    elif question.kind is not None and own and score >= ENOUGH:
        score += FITTING
    return Ranked(note, sentence.start, _cut(note.content, sentence.start, end), score, order)


def holds_wanted(question: Question, text: str) -> bool:
    """Return whether a text holds what is wanted; a name of the question itself is not who."""
    if question.kind == "who":
        text = " ".join("x" if _is_asked(question, word) else word for word in text.split(" "))
    return questions.holds_kind(question.kind, text)


def _is_asked(question: Question, word: str) -> bool:
    """Return whether a word is a name of the question or says nothing, though it is a title's."""
    return any(
        one in questions.little() or any(are_alike(stem(one), name) for name in question.names)
        for one in split_words(word)
    )


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
