"""The code or password of a note that a message tells anew: “the wifi password is Heron88 now”.

A code is one word of letters and digits. It takes the place of the code that a line has behind its
name, which the message says, or the message before.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import fitting_numbers
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Thing

LIMIT = 40
LEFT = 2
"""So many words at most has a message beside the code and its name."""
_CODE = re.compile(r"(?<![\w.-])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[A-Za-z0-9][\w.-]{3,}\w(?![\w-])")
_AMOUNT = re.compile(r"\d+(?:[.,:h]\d*)*[A-Za-z]{0,3}|\d{1,2}h\d\d")
"""What has a digit and a letter and is no code: “250g”, “14h30”, “2nd”."""
_WORDS = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}|[^\W\d_\u3040-\u9fff]{4,}")


class Place(NamedTuple):
    """A line of a note with a code."""

    note: Thing
    line: Line


def told(message: str) -> str:
    """Return the one code that a message tells; empty where it tells none, or several."""
    found = [one[0] for one in _CODE.finditer(message) if not _AMOUNT.fullmatch(one[0])]
    return found[0] if len(found) == 1 else ""


def look(asked: Asked) -> Call | None:
    """Return the call that finds the lines whose name a message with a code may say; None where it
    has none.
    """
    if not (code := told(asked.message)):
        return None
    words = sorted({one[0] for one in _WORDS.finditer(asked.message.replace(code, " "))})
    if not words:
        return None
    either = "|".join(map(re.escape, words))
    return "grep_notes", {
        "pattern": rf"(?i)({either})[^:：]*[:：]\s*\S+\s*$",
        "mode": "regex",
        "limit": LIMIT,
    }


def found(asked: Asked) -> list[Place]:
    """Return the lines with a code that were found and whose name a message says."""
    call = look(asked)
    made = next((one for one in asked.results if (one.tool, one.arguments) == call), None)
    rows = made.content.get("results", []) if made and not made.failed else []
    places = [
        Place(Thing("note", row["noteId"], row["title"]), line)
        for row in rows
        for match in row["matches"]
        for line in _lines(match["text"])
    ]
    return [one for one in places if _is_said(one.line.label, asked.message)]


def change(asked: Asked, held: Held, language: Language) -> Route | None:
    """Return the change of the code that a message means in a note; None where it means none."""
    markdown, new = str(held.record["markdown"]), told(asked.message)
    lines = [one for one in _lines(markdown) if markdown.count(one.text) == 1]
    line = _line(lines, asked.message, "".join(asked.before[-1:]))
    if not new or line is None or line.value.strip() == new:
        return None
    if fitting_numbers.is_open(asked.message, line.value.strip(), language):
        return None  # “it used to be otter1”
    rest = asked.message.replace(new, " ")
    left = note_lines.left_of_title(rest, f"{line.text} {held.thing.title}")
    is_else = fitting_numbers.says_else(rest, f"{line.text} {held.thing.title}", language)
    if is_else if questions.is_asian(rest) else len(left) > LEFT:
        return None  # of something else
    old = line.value.strip()
    at = line.text.rindex(old)
    to = f"{line.text[:at]}{new}{line.text[at + len(old) :]}"
    arguments = {"old": line.text, "new": to, "from": old, "to": new}
    return Route("replace_text", language, arguments, (held.thing,))


def _line(lines: Sequence[Line], message: str, before: str) -> Line | None:
    """Return the one line whose whole name a message says, or the message before a word of it."""
    named = [one for one in lines if _is_said(one.label, message)]
    named = named or [one for one in lines if _is_said(one.label, before, whole=False)]
    return named[0] if len(named) == 1 else None


def _lines(markdown: str) -> list[Line]:
    return [
        one
        for one in note_lines.read(markdown)
        if one.label and not one.columns and told(one.value.strip()) == one.value.strip()
    ]


def _is_said(label: str, text: str, *, whole: bool = True) -> bool:
    """Return whether a text says the name of a line, or a word of it; where no spaces part words
    its last one.
    """
    if questions.is_asian(label):
        words = _WORDS.findall(fold_text(label))
        return bool(words) and words[-1] in fold_text(text)
    wanted = note_lines.content(label.replace("-", " "))
    said = note_lines.content(text.replace("-", " "))
    return bool(wanted) and (wanted <= said if whole else bool(wanted & said))
