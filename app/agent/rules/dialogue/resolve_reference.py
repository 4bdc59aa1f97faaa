"""Which one is meant: the notes, todos and folders that fit the words somebody used for one."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.dialogue import reports
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, fold_text, split_words, stem

SHOWN = 8


def name_query(target: str) -> str:
    """Return the words to search for a note by its name."""
    return " ".join(questions.read_question(target).terms) or target[:1000]


def word_stems(target: str) -> list[str]:
    """Return the beginnings of the words that matter, as they stand in all their forms."""
    return [stem(term) for term in questions.read_question(target).terms]


def fitting_rows(target: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows with that very title, else those with all its words in the title."""
    exact = [row for row in rows if fold_text(row["title"]).strip() == fold_text(target).strip()]
    return exact or [row for row in rows if _named(target, row["title"])]


def find_folder(name: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the folder of that name; None when there is none, or several only nearly so called."""
    exact = [row for row in rows if fold_text(row["name"]).strip() == fold_text(name).strip()]
    near = exact or [row for row in rows if _named(name, row["name"])]
    # Several of the very same name are in different places; the first is as good as any.
    return near[0] if exact or len(near) == 1 else None


def _named(target: str, title: str) -> bool:
    """Return whether a title holds all the words, each whole and in whatever form."""
    held = {stem(word) for word in split_words(title)}
    wanted = word_stems(target)
    if wanted and all(any(are_alike(one, other) for other in held) for one in wanted):
        return True
    return questions.is_asian(target) and reports.holds_unspaced(title, target)
