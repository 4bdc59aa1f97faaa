"""The table by which sums and numbers of days are read in one language."""

from typing import Literal

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table

Sign = Literal["+", "-", "*", "/"]
Keyword = Literal[
    "asks",
    "total",
    "off",
    "onto",
    "split",
    "each",
    "remaining",
    "difference",
    "for",
    "filler",
    "of_them",
    "at",
    "limit",
    "done",
    "most",
    "least",
]
"""What other words of a sum say: that an amount is asked for, or all together, what is taken off or
put onto it, that it is shared, by each, what is still to be paid, by how much two differ, for how
many it is, so many of what was spoken of, so many at which price, that an amount is none of those
of a list but what they may come to, that something was done so often or so much, which of several
is the greatest or the least.
"""


class Reckoning(Table, frozen=True):
    """`reckoning.toml`: the words of sums and of days that are counted, in small letters without
    accents.

    `decimal` parts whole numbers from fractions. `numbers` are words for numbers by their
    value, of which longer ones are put together, `joined` by a word, or with `ones_first`
    before the tens; where `short_tens`, “一百二” is 120; what is in `no_number` only looks like
    one. `signs` are words for the signs of a sum; `after` those that stand behind the number;
    the `weak` ones are also said otherwise, so that nothing but a sum may stand beside them.
    `percent` follows a number, which is the group `n` of `percent_before`, `tenths` follows one
    and means ten of it each, and `kept` that so many tenths are left; `of` parts a share from
    its whole, `shares` are shares in words. `units` by name; `words` say what is asked.

    In a note what fits one of `per` makes a price that of a unit, what stands behind `vague` or
    before `vague_after` is no sure amount, and `deposit` is what was paid before; the groups
    `n` of `shared` are by how many something is, `we` where that is said beside an amount, of
    `base` for how many it is.

    `how_many` asks for a number of units, the groups `unit`, `until` or `since` a day;
    `weekday` asks for the name of a day and `date` for its date, `age` for how old something
    is; `leaving` are words for the beginning of what a note tells, `journey` for what it may
    be, `born` for that of a life or use, and `little` words say nothing there.
    """

    decimal: str
    numbers: dict[int, Pieces]
    signs: dict[Sign, Pieces]
    percent: Pieces
    units: dict[str, Pieces]
    words: dict[Keyword, Pieces]
    joined: Pieces = "(?!)"
    short_tens: bool = False
    ones_first: Pieces = "(?!)"
    no_number: Pieces = "(?!)"
    after: dict[Sign, Pieces] = msgspec.field(default_factory=dict)
    weak: dict[Sign, Pieces] = msgspec.field(default_factory=dict)
    percent_before: Pieces = "(?!)"
    tenths: Pieces = "(?!)"
    kept: Pieces = "(?!)"
    of: Pieces = "(?!)"
    shares: dict[str, Pieces] = msgspec.field(default_factory=dict)
    per: dict[str, Pieces] = msgspec.field(default_factory=dict)
    vague: Pieces = "(?!)"
    vague_after: Pieces = "(?!)"
    deposit: Pieces = "(?!)"
    shared: Pieces = "(?!)"
    base: Pieces = "(?!)"
    how_many: Pieces = "(?!)"
    until: Pieces = "(?!)"
    since: Pieces = "(?!)"
    weekday: Pieces = "(?!)"
    date: Pieces = "(?!)"
    age: Pieces = "(?!)"
    leaving: Pieces = "(?!)"
    journey: Pieces = "(?!)"
    born: Pieces = "(?!)"
    little: Pieces = "(?!)"
