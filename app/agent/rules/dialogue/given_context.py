"""Prompts that programs wrap around what a person asks: instructions, texts, and the question.

Every public program of the API does so. What it gives as context is searched first.
"""

import re
from typing import NamedTuple

from app.agent.rules.dialogue import dialogue_words, prompt_forms
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import answer_passages
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.routing import routing
from app.agent.turn.steps import Step
from app.core.process.caches import keep_short

_FENCE = re.compile(r"^\s*(?:-{3,}|={3,}|#{3,}|`{3,}|\"{3,}|<{2,}|>{2,})\s*$")
_START = re.compile(r"^\W*(?:START|BEGIN|<(?P<tag>\w+)>)(?: OF)?(?: \w+)?\W*$")
_STOP = re.compile(r"^\W*(?:END|STOP|</\w+>)(?: OF)?(?: \w+)?\W*$")
_RULE = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s|^[^\n]{0,60}:\s*$")
MAKES = frozenset({"add_todo", "append_note", "make_note"})
"""What may hold lines that look like those of a prompt."""
_QUOTED = re.compile(r"[\"“„«'`]([^\"”“»'`]{1,120})[\"”“»'`]")


class Wrapped(NamedTuple):
    """What a person asks within a prompt, the texts that come with it, and what is to be answered,
    to the letter, where those do not say.
    """

    question: str
    context: str = ""
    otherwise: str = ""


@keep_short  # each step of a turn begins from the message anew
def unwrap(message: str, language: Language) -> Wrapped | None:
    """Return what is asked within a prompt; None for a message that wraps nothing.

    That is the last line that says that somebody asks, such as `Question: …` or `User: …`.
    """
    if found := prompt_forms.split_form(message):
        return Wrapped(found.question, found.context, _otherwise(found.rest.split("\n"), language))
    lines = prompt_forms.with_plain_labels(message).split("\n")
    # A note or a todo may hold such lines too.
    begins = (routing.route_message(text).intent for text in (lines[0], message))
    if len(lines) < 2 or any(intent in MAKES for intent in begins):
        return None
    asks = _pattern(language, "asked_by")
    place = next(
        (number for number in reversed(range(len(lines))) if asks.match(lines[number])), None
    )
    if place is None:
        return None
    question = asks.sub("", lines[place], count=1).strip()
    # The question may stand below its label, and a label for the answer below the question.
    after = [line for line in lines[place + 1 :] if not _pattern(language, "answered").match(line)]
    label = _pattern(language, "given")
    stop = next((number for number, line in enumerate(after) if label.match(line)), len(after))
    question = "\n".join([question, *after[:stop]]).strip()
    if not question:
        return None
    before = lines[:place]
    context = _context([*before, *after[stop:]], language) or _unlabelled(before, language)
    return Wrapped(question, context, _otherwise(before, language))


def _unlabelled(lines: list[str], language: Language) -> str:
    """Return the paragraphs between an instruction that speaks of given texts and the question,
    without lists of rules and turns of a chat.
    """
    first, *rest = re.split(r"\n\s*\n", "\n".join(lines).strip())
    if not _pattern(language, "speaks_of_given").search(first):
        return ""
    said = (_pattern(language, "asked_by"), _pattern(language, "answered"))
    return "\n\n".join(
        one
        for one in rest
        if not all(_RULE.match(line) for line in one.split("\n"))
        and not any(pattern.match(line) for pattern in said for line in one.split("\n"))
    ).strip()


def _context(lines: list[str], language: Language) -> str:
    """Return the lines that are given to answer from.

    Those between marks, or below a label such as `Context:` up to the next empty line or label.
    """
    label = _pattern(language, "given")
    kept: list[str] = []
    inside = fenced = False
    for line in lines:
        if _STOP.match(line):
            inside = False
        elif _START.match(line) or (_FENCE.match(line) and not fenced):
            inside, fenced = True, bool(_FENCE.match(line))
        elif _FENCE.match(line):
            inside = fenced = False
        elif found := label.match(line):
            inside = True
            kept.append(line[found.end() :])
        elif inside:
            kept.append(line)
    return "\n".join(kept).strip()


def _otherwise(lines: list[str], language: Language) -> str:
    """Return what is to be answered where the context does not say; empty where nothing is."""
    text = "\n".join(lines)
    tables = dialogue_words.tables(language)
    patterns = (language_data.join_pattern(table.reply_exactly) for table in tables)
    found = next(filter(None, (re.search(one, text, re.IGNORECASE) for one in patterns)), None)
    if not found:
        return ""
    wanted = found["reply"].strip()
    quoted = _QUOTED.match(wanted)
    return (quoted[1] if quoted else wanted).strip().rstrip(".")


def _pattern(language: Language, field: str) -> re.Pattern[str]:
    words = language_data.either(getattr(table, field) for table in dialogue_words.tables(language))
    return re.compile(words, re.IGNORECASE)


def answer(context: str, question: Question, otherwise: str) -> Step | None:
    """Return the answer from the texts that came with a question, else what the prompt says is to
    be said then and nothing else; None where it says nothing.
    """
    given = [Text(0, "", context, whole=True)]
    found = answer_passages.best_passages(question, given, is_last_try=True)
    if found:
        return Step(context[found[0].start : found[0].end])
    return Step(otherwise) if otherwise else None
