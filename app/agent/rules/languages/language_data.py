"""Languages as data: the tables of each language's folder, read when they are first needed."""

import functools
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.description_tables import DescriptionWords
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.followup_tables import FollowUp
from app.agent.rules.languages.language_tables import (
    About,
    Answers,
    ChecklistWords,
    Language,
    Lexicon,
    PersonaWords,
    Phrases,
    Pieces,
    Routing,
    Table,
    ThingWords,
    Times,
)
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.languages.quickadd_tables import Dates, SharedDates
from app.agent.rules.languages.reckoning_tables import Reckoning
from app.agent.rules.languages.task_tables import Tasks
from app.agent.rules.languages.view_tables import Views
from app.agent.rules.languages.wording_tables import Wording

FOLDERS = Path(__file__).parent
_MACRO = re.compile(r"\{([a-z][a-z0-9_]*)\}")
FILES: Mapping[str, type[Table]] = {
    "language": About,
    "phrases": Phrases,
    "routing": Routing,
    "wording": Wording,
    "tasks": Tasks,
    "dialogue": Dialogue,
    "quickadd": Dates,
    "times": Times,
    "questions": Questions,
    "answers": Answers,
    "lexicon": Lexicon,
    "persona": PersonaWords,
    "things": ThingWords,
    "checklist": ChecklistWords,
    "plain": PlainWords,
    "changes": Changes,
    "lists": Lists,
    "lines": LineWords,
    "descriptions": DescriptionWords,
    "views": Views,
    "followup": FollowUp,
    "reckoning": Reckoning,
}
T = TypeVar("T", bound=Table)


@functools.cache
def languages() -> Mapping[Language, About]:
    """Return what says of each language how it is known, in their order."""
    # The folders are the list: nothing else names the languages.
    found = {path.parent.name: _read_table(path, About) for path in FOLDERS.glob("*/language.toml")}
    return dict(sorted(found.items(), key=lambda row: row[1].order))


@functools.cache
def shared_dates() -> SharedDates:
    """Return what quick add reads alike in every language."""
    return _read_table(FOLDERS / "quickadd.toml", SharedDates)


@functools.cache
def load_table(language: Language, kind: type[T]) -> T:
    """Return a table of a language; FileNotFoundError when its folder does not hold it."""
    name = next(name for name, held in FILES.items() if held is kind)
    return _read_table(FOLDERS / language / f"{name}.toml", kind)


@functools.cache
def has_table(language: Language, kind: type[Table]) -> bool:
    """Return whether a language's folder holds a table."""
    return any(
        held is kind and (FOLDERS / language / f"{name}.toml").exists()
        for name, held in FILES.items()
    )


def of_all(kind: type[T]) -> tuple[T, ...]:
    """Return that table of every language that has one, in their order."""
    return tuple(
        load_table(language, kind) for language in languages() if has_table(language, kind)
    )


def any_of(kind: type[T], pick: Callable[[T], Pieces]) -> str:
    """Return a pattern for what any language has in a field of its table."""
    return either(map(pick, of_all(kind)))


@functools.cache
def language_of_script(script: str) -> Language:
    """Return the language that has a script of its own."""
    return next(language for language, about in languages().items() if about.script == script)


def either(patterns: Iterable[Pieces]) -> str:
    """Return a pattern for any of several, without those that are empty; nothing fits none."""
    return "|".join(filter(None, map(join_pattern, patterns))) or "(?!)"


def join_pattern(pattern: Pieces) -> str:
    """Return a pattern that may be in pieces as one."""
    return pattern if isinstance(pattern, str) else "".join(pattern)


def whole_words(words: Pieces, language: Language) -> re.Pattern[str]:
    """Return the pattern that finds words in a text without accents: as whole ones where spaces
    part them, else wherever they stand. Nothing fits none.
    """
    said = plain_letters(join_pattern(words)) or "(?!)"
    is_spaced = languages()[language].script == "alphabet"
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)" if is_spaced else said)


@functools.cache
def line_words(language: Language, field: str) -> re.Pattern[str]:
    """Return the pattern that finds the words of a field of `lines.toml`, as `whole_words` does."""
    words: Pieces = getattr(load_table(language, LineWords), field)
    return whole_words(words, language)


def expand_macros(pattern: Pieces, macros: Mapping[str, Pieces]) -> str:
    """Return a pattern with its macros in place; KeyError names one that is missing."""
    text = join_pattern(pattern)
    # A macro may use others.
    while _MACRO.search(text):
        text = _MACRO.sub(lambda match: join_pattern(macros[match[1]]), text)
    return text


def _read_table(path: Path, kind: type[T]) -> T:
    # the keys of a TOML table are text, which `strict=False` lets stand for numbers
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), kind, strict=False)
