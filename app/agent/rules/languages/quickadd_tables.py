"""The table by which quick add reads a typed line in one language, and what all share."""

from typing import Literal

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table

Where = Literal["free", "phrase", "word", "apart", "beside"]
"""Where a pattern counts: anywhere; with its own preposition, at the beginning or standing apart;
the same without the beginning; standing apart only; or only beside something else that was found.

What is followed by a noun does not stand apart.
"""


class DatePattern(Table, frozen=True):
    """A pattern of quick add with the name of what it means; `says` is what it says always."""

    means: str
    pattern: Pieces
    where: Where = "free"
    says: dict[str, str] = msgspec.field(default_factory=dict)


class Unread(Table, frozen=True):
    """What quick add leaves in the title: an `offset` from a day (“two days before …”) and what
    comes `too_often` with every date that belongs to it, a `name` alone.
    """

    means: Literal["offset", "too_often", "name"]
    pattern: Pieces


class SharedDates(Table, frozen=True):
    """`quickadd.toml` beside the folders: what is read alike in every language."""

    macros: dict[str, Pieces]
    priority: tuple[DatePattern, ...]
    wide_priority: tuple[DatePattern, ...]
    numeric: tuple[DatePattern, ...]


class Dates(Table, frozen=True):
    """`quickadd.toml`: words in small letters without accents, by what they mean, and patterns.

    `before` forbids the next word to be a date, `after` may follow one, `against` makes a
    statement of it, `joins` stand between several; by `common` words and `signs` the language is
    known; `leads` may come before the task itself and `tails` may follow it; `on_day` puts the
    number of a day after what stands before it (“on 17th”), `to_day` are words before a number
    alone that make it one of a day in what is moved (“al 4”), `at_time` puts a time of day that
    stands alone after what stands before it (“at noon”), `request` is the lead that asks for a
    reminder, after which the groups of `infinitive` stand for all of it; `unread` stays in the
    title; `include` names groups of `SharedDates`, which stand before its own rules;
    `month_mark` follows the name or number of a month where one alone is none; `holidays` are days
    with a name, written as in `quickadd/holidays.py`.
    """

    weekdays: dict[int, tuple[str, ...]]
    months: dict[int, tuple[str, ...]]
    numbers: dict[int, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    parts: dict[str, tuple[str, ...]]
    days: dict[int, tuple[str, ...]]
    ordinals: dict[int, tuple[str, ...]]
    rules: tuple[DatePattern, ...]
    holidays: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    include: tuple[Literal["priority", "wide_priority", "numeric"], ...] = ()
    macros: dict[str, Pieces] = msgspec.field(default_factory=dict)
    before: str = ""
    after: str = ""
    against: str = ""
    joins: str = ""
    common: str = ""
    leads: Pieces = "(?!)"
    tails: Pieces = "(?!)"
    request: str = ""
    on_day: str = ""
    to_day: Pieces = "(?!)"
    at_time: str = ""
    infinitive: Pieces = "(?!)"
    unread: tuple[Unread, ...] = ()
    signs: Pieces = "(?!)"
    month_first: bool = False
    twelve_hours: bool = True
    spaced: bool = True
    names_capitalised: bool = False
    month_mark: str = ""
