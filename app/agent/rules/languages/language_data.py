"""Languages as data: the tables of each language's folder, read when they are first needed.

Their fields are the schema of the files: an unknown or missing one is an error that names it.
"""

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from app.core.process.lazy_regex import regex

FOLDERS = Path(__file__).parent
Language = str
"""The code of a language, which is its folder's name."""
Pieces = str | tuple[str, ...]
"""A regular expression, in pieces where it is long; `{name}` in it stands for a macro."""
Where = Literal["free", "phrase", "word", "apart", "beside"]
"""Where a pattern counts: anywhere; with its own preposition, at the beginning or standing apart;
the same without the beginning; standing apart only; or only beside something else that was found.

What is followed by a noun does not stand apart.
"""
_MACRO = regex(r"\{([a-z][a-z0-9_]*)\}")


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file holds."""


class About(Table, frozen=True):
    """`language.toml`: its name, its place among languages that fit a text alike, and how it is
    known: by its script, or where it has an alphabet by its `common` words and by `signs`.
    """

    name: str
    order: int
    script: Literal["alphabet", "han", "kana"]
    common: str = ""
    signs: str = "(?!)"
    sign_weight: int = 0


class Phrases(Table, frozen=True):
    """`phrases.toml`: the fixed sentences by name."""

    sentences: dict[str, str]
    for_others: dict[str, str]


class IntentPattern(Table, frozen=True):
    """A pattern that means an intent; its groups are the intent's arguments."""

    intent: str
    pattern: Pieces


class AskedByOthers(Table, frozen=True):
    """How others ask for the owner's time: `{name}` is one of the owner's names, `{who}` may be
    one of the `pronouns` too.
    """

    pronouns: str
    patterns: tuple[Pieces, ...]


class Routing(Table, frozen=True):
    """`routing.toml`: what means which intent, tried in order.

    One of the `hints` stands in every message that a pattern of `network` can fit; without hints
    those patterns are always tried.
    """

    general: tuple[IntentPattern, ...]
    calendar: tuple[IntentPattern, ...]
    network: tuple[IntentPattern, ...]
    others: AskedByOthers
    hints: tuple[str, ...] = ()
    macros: dict[str, Pieces] = {}


class DatePattern(Table, frozen=True):
    """A pattern of quick add with the name of what it means; `says` is what it says always."""

    means: str
    pattern: Pieces
    where: Where = "free"
    says: dict[str, str] = {}


class SharedDates(Table, frozen=True):
    """`quickadd.toml` beside the folders: what is read alike in every language."""

    macros: dict[str, Pieces]
    priority: tuple[DatePattern, ...]
    wide_priority: tuple[DatePattern, ...]
    numeric: tuple[DatePattern, ...]


class Dates(Table, frozen=True):
    """`quickadd.toml`: words in small letters without accents, by what they mean, and patterns.

    `before` forbids the next word to be a date, `after` may follow one, `against` makes a
    statement of it; by `common` words and `signs` the language is known; `leads` may come before
    the task itself; `include` names groups of `SharedDates`, which stand before its own rules.
    """

    weekdays: dict[int, tuple[str, ...]]
    months: dict[int, tuple[str, ...]]
    numbers: dict[int, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    parts: dict[str, tuple[str, ...]]
    days: dict[int, tuple[str, ...]]
    ordinals: dict[int, tuple[str, ...]]
    rules: tuple[DatePattern, ...]
    include: tuple[Literal["priority", "wide_priority", "numeric"], ...] = ()
    macros: dict[str, Pieces] = {}
    before: str = ""
    after: str = ""
    against: str = ""
    common: str = ""
    leads: Pieces = "(?!)"
    signs: Pieces = "(?!)"
    month_first: bool = False
    twelve_hours: bool = True
    spaced: bool = True
    names_capitalised: bool = False


class Lexicon(Table, frozen=True):
    """`lexicon.toml`: what tells of each sense; `joins_words` where words are found inside
    others.
    """

    senses: dict[str, str]
    joins_words: bool = False


FILES: Mapping[str, type[Table]] = {
    "language": About,
    "phrases": Phrases,
    "routing": Routing,
    "quickadd": Dates,
    "lexicon": Lexicon,
}
T = TypeVar("T", bound=Table)


@functools.cache
def languages() -> Mapping[Language, About]:
    """Return what says of each language how it is known, in their order."""
    found = {path.parent.name: _read(path, About) for path in FOLDERS.glob("*/language.toml")}
    return dict(sorted(found.items(), key=lambda row: row[1].order))


@functools.cache
def shared_dates() -> SharedDates:
    """Return what quick add reads alike in every language."""
    return _read(FOLDERS / "quickadd.toml", SharedDates)


@functools.cache
def table(language: Language, kind: type[T]) -> T:
    """Return a table of a language; FileNotFoundError when its folder does not hold it."""
    name = next(name for name, held in FILES.items() if held is kind)
    return _read(FOLDERS / language / f"{name}.toml", kind)


def has(language: Language, kind: type[Table]) -> bool:
    """Return whether a language's folder holds a table."""
    return any(
        held is kind and (FOLDERS / language / f"{name}.toml").exists()
        for name, held in FILES.items()
    )


def joined(pattern: Pieces) -> str:
    """Return a pattern that may be in pieces as one."""
    return pattern if isinstance(pattern, str) else "".join(pattern)


def expanded(pattern: Pieces, macros: Mapping[str, Pieces]) -> str:
    """Return a pattern with its macros in place; KeyError names one that is missing."""
    text = joined(pattern)
    while _MACRO.search(text):
        text = _MACRO.sub(lambda match: joined(macros[match[1]]), text)
    return text


def _read(path: Path, kind: type[T]) -> T:
    # the keys of a TOML table are text, which `strict=False` lets stand for numbers
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), kind, strict=False)
