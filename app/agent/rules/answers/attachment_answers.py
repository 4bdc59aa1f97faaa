"""Answers from the files that a message brought along.

Quotes for a question, the gist for a wish to know what is in them.
"""

import functools
import re

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language
from app.agent.rules.passages import answer_passages, extracts, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Attached, Step

PIECE = 90_000
"""Characters of a file that are looked at as one text; a longer file is several."""
PIECES = 8
ANSWERED = frozenset({"ask", "find_notes", "summarise"})


def answer_from_files(asked: Asked, route: Route) -> Step | None:
    """Return the answer that the attached files hold.

    None where the message is about something else.
    """
    refers = _files_named().search(asked.message) is not None
    # Files of earlier messages count only where the message speaks of one.
    files = asked.attached or (asked.attached_before if refers else ())
    if not files or route.intent not in ANSWERED:
        return None
    readable = [file for file in files if file.text]
    if route.intent == "summarise":
        chosen = _named(files, route.get("target")) or (
            files if refers or _pointed_at().fullmatch(route.get("target")) else ()
        )
        return _gist(chosen, route.language) if chosen else None
    question = questions.read_question(_files_named().sub(" ", asked.message))
    # “What does it say?” asks for the gist.
    if all(term in questions.little() for term in question.terms):
        return _gist(files, route.language)
    found = answer_passages.best_passages(question, _texts(readable))
    if found:
        return Step(
            "\n\n".join(
                _quoted(one.note.content[one.start : one.end], one.note.title) for one in found
            )
        )
    if not refers:
        return None
    if not readable or len(question.terms) == 1:
        return _gist(files, route.language)
    return Step(route.phrase("not_attached", names=", ".join(file.name for file in files)))


@functools.cache
def _files_named() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Answers, lambda one: one.files.named), re.IGNORECASE)


@functools.cache
def _pointed_at() -> re.Pattern[str]:
    """Return a pattern for a word that points at the files, or for none."""
    words = language_data.any_of(Answers, lambda one: one.files.pointed_at)
    return re.compile(f"(?:{words})?", re.IGNORECASE)


def _texts(files: list[Attached]) -> list[Text]:
    pieces = [(file, start) for file in files for start in range(0, len(file.text), PIECE)]
    return [
        # Negative, so that no id of a note is ever quoted for a file.
        Text(-number, file.name, file.text[start : start + PIECE], whole=True)
        for number, (file, start) in enumerate(pieces[:PIECES], 1)
    ]


def _gist(files: tuple[Attached, ...], language: Language) -> Step:
    lines = [phrase(language, "summary")]
    for file in files:
        lines.append(f"\n{_name(file.name)}")
        lines += [
            f"- {' '.join(one.text.split())[: answer_passages.LONGEST]}"
            for one in extracts.extract(file.text)
        ] or [f"- {file.trouble or '–'}"]
        if file.is_cut:
            lines.append(phrase(language, "cut"))
    return Step("\n".join(lines))


def _named(files: tuple[Attached, ...], target: str) -> tuple[Attached, ...]:
    """Return the files whose name, with or without its ending, is what was named."""
    wanted = set(split_words(target))
    return tuple(
        file for file in files if wanted and wanted <= set(split_words(fold_text(file.name)))
    )


def _quoted(text: str, name: str) -> str:
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"{lines}\n\n— {_name(name)}"


def _name(name: str) -> str:
    return f"`{name.replace('`', '')}`"
