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


class Rows(Table, frozen=True):
    """How the rows of a table are asked for by what a column of it says.

    A cell that says no more than whether something is done says one of `open` or `done`; a question
    for the open ones has one of `lacks`. Words of `pays`, and of `fees` in the name of a column,
    mean one that says what is paid; those of `beside` say nothing else. A word of `which` asks for
    rows as “who” does.
    """

    open: Pieces
    done: Pieces
    lacks: Pieces
    pays: Pieces
    fees: Pieces
    beside: Pieces
    which: Pieces


class Questions(Table, frozen=True):
    """`questions.toml`: what in a question matters, in small letters without accents.

    `little` words say nothing, `general` ones name a thing only roughly; `filler` is left out
    where no spaces part words. `asks` tells what is wanted and `answers` what such a thing is
    known by; words that only name the kind are in `naming`. Where `capital_nouns`, capitals tell
    nothing of names. The words of a line of `alike` may stand for each other, those of one of
    `kin` only have to do with each other; `pronouns` point back, `own` words are of who writes,
    and what is `open` is not known yet. What is asked for
    the `last` time is the newest of several, and `before_last` the one before; words of `measured`
    ask for what was read off, and name nothing. By `rows` the rows of tables are asked for. A verb
    of `begins` says of something only that it has its time.
    """

    asks: dict[Kind, Pieces]
    answers: dict[Kind, Pieces]
    naming: dict[Kind, str]
    rows: Rows
    begins: str = ""
    little: str = ""
    general: str = ""
    alike: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()
    pronouns: Pieces = ""
    own: Pieces = ""
    last: Pieces = ""
    before_last: Pieces = "(?!)"
    measured: Pieces = "(?!)"
    open: Pieces = ""
    filler: Pieces = ""
    capital_nouns: bool = False
    focus: Focus = Focus()
