"""The words of closed classes that a message is made of, by the language's `followup.toml`."""

import functools
import re
from collections.abc import Iterator

from app.agent.rules.dialogue.dialogue_words import UNSPACED
from app.agent.rules.languages import language_data
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.quickadd_tables import Dates

NO_KINDS = ("reply", "on", "of_month", "requests")
KINDS = tuple(name for name in FollowUp.__struct_fields__ if name not in NO_KINDS)
"""The classes of words."""
# No boundary parts words where no spaces do, not even from a number, nor after an elision.
BEGIN = rf"(?:(?=[{UNSPACED}])|(?<![^\W{UNSPACED}]))"
END = rf"(?:(?<=['{UNSPACED}])|(?![^\W{UNSPACED}]))"
_END = re.compile(END)


def places(
    language: Language, kind: str, pattern: re.Pattern[str], text: str
) -> Iterator[tuple[int, int]]:
    """Yield where a class has words: the longest at each place, where no boundary tells its end."""
    at = 0
    while found := pattern.search(text, at):
        start, end = found.span()
        if is_unspaced(language):
            end = max(_ends(language, kind, text, start))
        if end > start:
            yield start, end
        at = max(end, start + 1)


def _ends(language: Language, kind: str, text: str, start: int) -> Iterator[int]:
    """Yield where each word of a class that begins at a place ends."""
    words, patterns = _alternatives(language, kind)
    for word in words:
        if text.startswith(word, start) and _END.match(text, start + len(word)):
            yield start + len(word)
    for pattern in patterns:
        if fit := pattern.match(text, start):
            yield fit.end()


@functools.cache
def _alternatives(
    language: Language, kind: str
) -> tuple[tuple[str, ...], tuple[re.Pattern[str], ...]]:
    """Return the words and the patterns of which one of a class is made."""
    pattern = language_data.join_pattern(
        getattr(language_data.load_table(language, FollowUp), kind)
    )
    parts, depth = [""], 0
    for piece in re.findall(r"\\.|\[(?:\\.|[^\]])*\]|.", pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    # four in five are plain words, and a pattern with `_END` takes milliseconds to compile
    words = tuple(part for part in parts if re.escape(part) == part)
    return words, tuple(re.compile(f"(?:{part}){END}") for part in parts if re.escape(part) != part)


@functools.cache
def classes(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the name and the pattern of each class."""
    table = language_data.load_table(language, FollowUp)
    return tuple(
        (name, compiled(language_data.join_pattern(getattr(table, name))))
        for name in KINDS
        if getattr(table, name)
    )


def class_of(language: Language, name: str) -> re.Pattern[str]:
    """Return the pattern of one class."""
    return dict(classes(language))[name]


@functools.cache
def requests(language: Language) -> re.Pattern[str]:
    """Return the pattern of what asks politely that something be done."""
    table = language_data.load_table(language, FollowUp)
    return re.compile(language_data.join_pattern(table.requests))


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of words between their boundaries."""
    return re.compile(f"{BEGIN}(?:{pattern}){END}")


def is_unspaced(language: Language) -> bool:
    """Return whether no spaces part the words of a language."""
    return not language_data.load_table(language, Dates).spaced
