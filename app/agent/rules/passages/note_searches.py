"""What is looked for in notes to answer a question, and how it is asked again.

With all of its words, with each alone, and within others.
"""

import re
from typing import Any

from app.agent.rules.passages import found_texts, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import split_words, stem
from app.agent.turn.steps import Asked, Call, Step

HITS = 8
SINGLE_HITS = 5
SINGLES = 4
PART, PREFIX = 4, 6
"""So many letters has a word that is looked for within others, by its first so many."""


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
        pattern = "|".join(map(re.escape, said))
        calls.append(("grep_notes", {"pattern": pattern, "mode": "regex", "limit": 200}))
    return calls


def singly(asked: Asked, question: Question) -> Step | None:
    """Search for the longest words one by one, unless that was done."""
    done = {
        result.arguments.get("query") for result in asked.results if result.tool == "search_notes"
    }
    terms = [
        term
        for term in sorted(question.terms, key=lambda term: -len(term))[:SINGLES]
        if term not in done
    ]
    # Once is enough: a turn has few steps.
    if len(done) > 1 or not terms:
        return None
    calls = tuple(("search_notes", {"query": term, "limit": SINGLE_HITS}) for term in terms)
    return Step(calls=(*calls, *_in_compounds(asked, question)))


def _in_compounds(asked: Asked, question: Question) -> tuple[Call, ...]:
    """Return the call that looks for the words of a question within others, “leave” in
    “sick-leave”, where none was found with all of them.
    """
    begun = {term[:PREFIX] for term in question.terms if len(term) >= PART and term.isalpha()}
    if not begun or found_texts.hits(asked) or "grep_notes" not in asked.tools:
        return ()
    fields = {"pattern": "|".join(sorted(begun)), "mode": "regex", "limit": HITS * 2}
    return (("grep_notes", fields),)


def in_words_of(question: Question, notes: list[Text]) -> Question:
    """Return a question with the words of the notes in place of those that only are a part of
    them, each of one word.
    """
    if questions.is_asian("".join(question.terms)):
        return question
    held = {word for note in notes for word in split_words(f"{note.title} {note.content}")}

    def told(term: str) -> str:
        within = [word for word in held if len(term) >= PART and term in word]
        return within[0] if len(within) == 1 else term

    terms = tuple(map(told, question.terms))
    return question._replace(terms=terms, stems=tuple(map(stem, terms)))
