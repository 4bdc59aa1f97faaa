"""Languages as data: the tables of each language's folder, read when they are first needed.

Their fields are the schema of the files: an unknown or missing one is an error that names it.
"""

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

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
_MACRO = re.compile(r"\{([a-z][a-z0-9_]*)\}")


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
    one of the `pronouns` too; one of the `titles` may stand before a name.
    """

    pronouns: str
    patterns: tuple[Pieces, ...]
    titles: str = ""


class Routing(Table, frozen=True):
    """`routing.toml`: what means which intent, tried in order.

    One of the `hints` stands in every message that a pattern of `network` can fit; without hints
    those patterns are always tried. `polite` may come before what is asked and `polite_end` after
    it; `article`, `before_name` and `after_name` may stand around the name of a note.
    """

    general: tuple[IntentPattern, ...]
    calendar: tuple[IntentPattern, ...]
    network: tuple[IntentPattern, ...]
    others: AskedByOthers
    hints: tuple[str, ...] = ()
    polite: Pieces = ""
    polite_end: Pieces = ""
    article: Pieces = ""
    before_name: Pieces = ""
    after_name: Pieces = ""
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


Unit = Literal["hour", "day", "week", "month", "year"]
Part = Literal["morning", "afternoon", "evening"]
RangeName = Literal[
    "after_tomorrow",
    "ahead",
    "behind",
    "next_weekend",
    "weekend",
    "next_week",
    "last_week",
    "week",
    "next_month",
    "month",
    "yesterday",
    "today",
    "tomorrow",
]
"""What a stretch of time may be, in the order in which they are tried."""
Earlier = Literal[
    "yesterday",
    "today",
    "last week",
    "this week",
    "last month",
    "this month",
    "last year",
    "this year",
    "30 days",
]
"""Days that have been, as the search of notes reads them, in the order in which they are tried."""


class Deadlines(Table, frozen=True):
    """How a deadline is named in passing, in small letters without accents.

    One of the `hints` begins a word of every text that names one without a digit; `overdue_after`
    and `overdue_before` stand beside a number of days that are over.
    """

    months: dict[int, tuple[str, ...]] = {}
    amounts: dict[int, tuple[str, ...]] = {}
    hints: Pieces = ""
    ordinal: Pieces = ""
    of: Pieces = ""
    today: Pieces = ""
    tomorrow: Pieces = ""
    after_tomorrow: Pieces = ""
    yesterday: Pieces = ""
    since: Pieces = ""
    past_after: Pieces = ""
    ahead: Pieces = ""
    ahead_hours: Pieces = ""
    hours: Pieces = ""
    overdue_after: Pieces = ""
    overdue_before: Pieces = ""
    weekend: Pieces = ""
    this_week: Pieces = ""
    next_week: Pieces = ""
    this_month: Pieces = ""
    next_month: Pieces = ""
    next_year: Pieces = ""
    in_month: Pieces = ""
    noon: Pieces = ""
    midnight: Pieces = ""
    o_clock: Pieces = ""
    at: Pieces = ""


class Times(Table, frozen=True):
    """`times.toml`: how days, times and stretches of time are named in a message.

    `weekdays` from Monday; `{day}` is one of them, `{unit}` one of the `units` but a year,
    `{long_unit}` neither an hour. The groups of `ahead`, `behind` and `ago` are a number and its
    unit. `clock` are words for times of day; `particle` is left out after a time.
    """

    weekdays: tuple[str, str, str, str, str, str, str]
    weekday: Pieces
    units: dict[Unit, Pieces]
    parts: dict[Part, Pieces]
    ranges: dict[RangeName, Pieces]
    earlier: dict[Earlier, Pieces]
    between: Pieces = ""
    clock: Pieces = ""
    ago: Pieces = ""
    particle: Pieces = ""
    deadlines: Deadlines = Deadlines()


Kind = Literal["number", "when", "where", "who", "why"]
"""What a question may want, in the order in which they are tried."""


class Focus(Table, frozen=True):
    """What stands around the thing asked for, as in “what is the … of”."""

    asks: Pieces = ""
    article: Pieces = ""
    of: Pieces = ""


class Questions(Table, frozen=True):
    """`questions.toml`: what in a question matters, in small letters without accents.

    `little` words say nothing, `general` ones name a thing only roughly; `filler` is left out
    where no spaces part words. `asks` tells what is wanted and `answers` what such a thing is
    known by. Where `capital_nouns`, capitals tell nothing of names.
    """

    asks: dict[Kind, Pieces]
    answers: dict[Kind, Pieces]
    little: str = ""
    general: str = ""
    filler: Pieces = ""
    capital_nouns: bool = False
    focus: Focus = Focus()


class Files(Table, frozen=True):
    """How the files that came with a message are named, and what points at them."""

    named: Pieces
    pointed_at: Pieces


class Link(Table, frozen=True):
    """What is said of a link to the agent: `one` of a unit, for ever, all notes, a folder.

    A name follows `folder` up to one of `after_folder`, or is the group of `folder_name`; a label
    follows `called` up to one of `after_called`.
    """

    forever: Pieces
    all_notes: Pieces
    one: Pieces = ""
    folder: Pieces = ""
    after_folder: Pieces = ""
    folder_name: Pieces = ""
    called: Pieces = ""
    after_called: Pieces = ""


class Reminder(Table, frozen=True):
    """In what is `asked` to be remembered the group of `verb` stands for all of it."""

    asked: Pieces
    verb: Pieces


class Answers(Table, frozen=True):
    """`answers.toml`: what a message says beside its intent."""

    next_event: Pieces
    everything: Pieces
    files: Files
    link: Link
    reminder: Reminder | None = None


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
    "times": Times,
    "questions": Questions,
    "answers": Answers,
    "lexicon": Lexicon,
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


def either(patterns: Iterable[Pieces]) -> str:
    """Return a pattern for any of several, without those that are empty; nothing fits none."""
    return "|".join(filter(None, map(join_pattern, patterns))) or "(?!)"


def join_pattern(pattern: Pieces) -> str:
    """Return a pattern that may be in pieces as one."""
    return pattern if isinstance(pattern, str) else "".join(pattern)


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
