"""What is looked for in notes to answer a question, and how it is asked again.

With all of its words, with each alone, and within others.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

from app.agent.rules.passages import last_lines, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import split_words, stem
from app.agent.turn.steps import Asked, Call, Step

HITS = 8
SINGLE_HITS = 5
SINGLES = 4
PART, PREFIX = 4, 6
"""So many letters has a word that is looked for within others, by its first so many."""
SHORTEST = 3
"""What has fewer letters is no word of which others are looked for."""
BEGINNING = 5
"""Words that begin with the same so many letters may be of one kin."""
LONGEST_CELL = 12
"""So many letters has a cell at most that is looked for where no spaces part words."""
MOST_LIKELY = 3
LONGEST = 1000
ACCENTED = str.maketrans(
    {"a": "[aáàâäã]", "c": "[cç]", "e": "[eéèêë]", "i": "[iíîï]", "n": "[nñ]"}
    | {"o": "[oóôöõ]", "u": "[uúùûü]"}
)
"""What a letter without its accent stands for in a pattern."""


def searches(
    message: str, terms: tuple[str, ...], *, limit: int
) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that look for all the words.

    In a script without spaces also for any of their pairs of characters.
    """
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_notes", {"query": " ".join(terms)[:1000], "limit": limit})
    ]
    # All pairs of characters together are hardly ever in one note.
    if questions.is_asian(message):
        said = dict.fromkeys(other for one in terms for other in questions.alternatives(one))
        patterns = [*map(re.escape, said)]
        if last_lines.asks_last(message):
            # A log says 施了两袋肥 of what is asked for as 施肥.
            patterns += [last_lines.parted(one) for one in terms if len(one) == last_lines.PAIR]
        pattern = "|".join(patterns)
        calls.append(("grep_notes", {"pattern": pattern, "mode": "regex", "limit": 200}))
    return calls


def singly(asked: Asked, question: Question) -> Step | None:
    """Search for the longest words one by one, unless that was done."""
    done = {
        result.arguments.get("query") for result in asked.results if result.tool == "search_notes"
    }
    like = _words_like(asked, question)
    most = SINGLES - len(like)
    terms = [
        term
        for term in sorted(question.terms, key=lambda term: -len(term))[:most]
        if term not in done
    ]
    # Once is enough: a turn has few steps.
    if len(done) > 1 or (like and asked.has("grep_notes")) or not (terms or like):
        return None
    calls = tuple(("search_notes", {"query": term, "limit": SINGLE_HITS}) for term in terms)
    return Step(calls=(*calls, *like))


def _words_like(asked: Asked, question: Question) -> tuple[Call, ...]:
    """Return the call that looks for words like those of a question: with them as a part, “leave”
    in “sick-leave”, of the same beginning, “operan” and “operación”, or that may stand for them.
    """
    if "grep_notes" not in asked.tools or questions.is_asian("".join(question.terms)):
        return ()
    wanted = [one for one in question.terms if len(one) >= SHORTEST and one.isalpha()]
    inside = {one[:PREFIX] for one in wanted if len(one) >= PART}
    stems = list(map(stem, wanted))
    others = {other for one in stems for other in questions.alternatives(one)}
    others |= {other for one in stems for other in questions.kin(one)}
    begun = {one[:BEGINNING] for one in (*wanted, *others) if len(one) >= PART}
    either = [*sorted(inside), *(rf"\b{one}" for one in sorted(begun))]
    if not either:
        return ()
    pattern = "|".join(either).translate(ACCENTED)[:LONGEST]
    return (("grep_notes", {"pattern": pattern, "mode": "regex", "limit": HITS * 4}),)


def found_none(asked: Asked) -> bool:
    """Return whether no note has all the words of a question, so that others were looked for."""
    searched = asked.of("search_notes")
    return asked.has("grep_notes") and not (searched and searched[0].content.get("results"))


def in_words_of(question: Question, notes: list[Text]) -> Question:
    """Return a question with the words of the notes in place of those that only are a part of
    them, each of one word.
    """
    return _told_in(question, _held(notes), _around)


def in_likely_words_of(question: Question, notes: list[Text]) -> Question:
    """Return a question with words of the notes in place of those that no note has, by what they
    are made of or how they begin: “Heide” for “Heidehonig”, “vermieter” for “Vermieterin”.
    """
    held = _held(notes)
    stems = {stem(word): word for word in held}

    def likely(term: str, held: set[str]) -> list[str]:
        kin = [stems[one] for one in sorted(questions.kin(stem(term))) if one in stems]
        if kin or not stems.keys().isdisjoint(questions.alternatives(stem(term))):
            return [term, *kin]
        within = [one for one in held if len(one) >= PART and one in term]
        begun = [
            one
            for one in held
            if one[:BEGINNING] == term[:BEGINNING] and len(one) >= BEGINNING <= len(term)
        ]
        return (within or begun)[:MOST_LIKELY]

    return _told_in(question, held, likely)


def _held(notes: list[Text]) -> set[str]:
    return {word for note in notes for word in split_words(f"{note.title} {note.content}")}


def _around(term: str, held: set[str]) -> list[str]:
    """Return the one word that a word is part of."""
    within = [word for word in held if len(term) >= PART and term in word]
    return within if len(within) == 1 else []


def _told_in(
    question: Question, held: set[str], like: Callable[[str, set[str]], list[str]]
) -> Question:
    if questions.is_asian("".join(question.terms)):
        return question
    told = (word for one in question.terms for word in like(one, held) or [one])
    terms = tuple(dict.fromkeys(told))
    return question._replace(terms=terms, stems=tuple(map(stem, terms)))


def values_in(text: str) -> list[str]:
    """Return what of a question may be the whole of a cell: a word, or two."""
    if questions.is_asian(text):
        runs = re.findall(r"[^\W_]{2,}", questions.without_filler(text))
        parts = [
            run[at:end]
            for run in runs
            for at in range(len(run) - 1)
            for end in range(at + 2, min(len(run), at + LONGEST_CELL) + 1)
        ]
        return list(dict.fromkeys(parts))[:60]
    words = split_words(text)
    said = [one for one in words if one not in questions.little() and len(one) > 1]
    pairs = [f"{one} {other}" for one, other in itertools.pairwise(words)]
    return [one for one in dict.fromkeys((*said, *pairs)) if not one.isdecimal()]
