"""What notes say that comes near to a question and is not surely its answer."""

from collections.abc import Sequence

from app.agent.rules.passages import questions
from app.agent.rules.passages.answer_passages import Ranked, Text, holds_wanted
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text, split_sentences, split_words, stem


def nearest_text(question: Question, note: Text, ranked: Sequence[Ranked], most: int) -> str:
    """Return what of a note has most to do with a question, in so many characters, and at least
    its best passage, else the sentence with most of its words: first what was ranked, that which
    holds the kind of thing wanted before all.
    """
    mine = [one for one in ranked if one.note.note_id == note.note_id]
    places = {one.start: one.end for one in mine[:1]}
    every = split_sentences(note.content)
    if not (most or places or any(map(questions.is_asian, question.stems))):
        said = [(len(_words_in(question, one.text)), -one.start, one.end) for one in every]
        count, start, end = max(said, default=(0, 0, 0))
        places = {-start: end} if count else {}
    every = every if most else []
    score = {one.start: one.score for one in mine}
    for one in sorted(
        every,
        key=lambda one: (
            not (question.kind and holds_wanted(question, one.text)),
            -score.get(one.start, 0.0),
        ),
    ):
        end = places.get(one.start, one.end)
        if sum(end - start for start, end in places.items()) + end - one.start > most:
            break
        if not any(start < end and one.start < last for start, last in places.items()):
            places[one.start] = end
    return " ".join(note.content[start:end] for start, end in sorted(places.items()))


def _words_in(question: Question, text: str) -> set[str]:
    """Return the words of a question that a text has, in whatever form."""
    held = {stem(word) for word in split_words(fold_text(text))}
    return {one for one in question.stems if not held.isdisjoint(questions.alternatives(one))}


def count_holding(question: Question, notes: Sequence[Text]) -> int:
    """Return how many sentences of some notes hold the kind of thing that is wanted."""
    every = (one for note in notes for one in split_sentences(note.content))
    return sum(holds_wanted(question, one.text) for one in every)


def is_named(question: Question, title: str) -> bool:
    """Return whether a question says a word of a note's title."""
    held = {stem(word) for word in split_words(title)}
    return bool(held & set(question.stems))


def has_to_do(question: Question, note: Text) -> bool:
    """Return whether a note holds a word that is asked for."""
    return bool(_words_in(question, f"{note.title} {note.content}"))
