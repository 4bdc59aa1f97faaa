"""The table of a language by which questions are read, and the kinds of things they want."""

from typing import Literal

from app.agent.rules.languages.language_tables import Pieces, Table

Kind = Literal[
    "email",
    "phone",
    "price",
    "weight",
    "age",
    "often",
    "forbidden",
    "duration",
    "number",
    "when",
    "where",
    "who",
    "why",
]
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
    known by; words that only name the kind are in `naming`. Where `capital_nouns`, capitals tell
    nothing of names. The words of a line of `alike` may stand for each other, those of one of
    `kin` only have to do with each other; `pronouns` point back, `own` words are of who writes,
    and what is `open` is not known yet.
    """

    asks: dict[Kind, Pieces]
    answers: dict[Kind, Pieces]
    naming: dict[Kind, str]
    little: str = ""
    general: str = ""
    alike: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()
    pronouns: Pieces = ""
    own: Pieces = ""
    open: Pieces = ""
    filler: Pieces = ""
    capital_nouns: bool = False
    focus: Focus = Focus()
