"""Which one is meant: the notes, todos and folders that fit the words somebody used for one."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.languages.language_data import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import alike, plain, stem, words
from app.agent.rules.phrases.phrases import say
from app.agent.turn.steps import Step, link

SHOWN = 8


def query(target: str) -> str:
    """Give the words to search for a note by its name."""
    return " ".join(questions.read(target).terms) or target[:1000]


def stems(target: str) -> list[str]:
    """Give the beginnings of the words that matter, as they stand in all their forms."""
    return [stem(term) for term in questions.read(target).terms]


def fitting(target: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Give the rows with that very title, else those with all its words in the title."""
    exact = [row for row in rows if plain(row["title"]).strip() == plain(target).strip()]
    return exact or [row for row in rows if _named(target, row["title"])]


def folder(name: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Give the folder of that name; None when there is none, or several only nearly so called."""
    exact = [row for row in rows if plain(row["name"]).strip() == plain(name).strip()]
    near = exact or [row for row in rows if _named(name, row["name"])]
    return near[0] if exact or len(near) == 1 else None


def ask(language: Language, rows: Sequence[Mapping[str, Any]], *, are_notes: bool = True) -> Step:
    """Give the question which of several is meant."""
    lines = [
        f"- {link(row['id'], row['title']) if are_notes else row['title']}" for row in rows[:SHOWN]
    ]
    return Step("\n".join([say(language, "which"), *lines]))


def _named(target: str, title: str) -> bool:
    held = {stem(word) for word in words(title)}
    wanted = stems(target)
    return bool(wanted) and all(any(alike(one, other) for other in held) for one in wanted)
