"""The table of how people ask for a todo, and say what they have to do."""

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table
from app.agent.rules.languages.wording_tables import Rewrite


class Tasks(Table, frozen=True):
    """`tasks.toml`: frames around what is to be done, each for a whole message without its days;
    may be missing.

    In small letters. `asks` are requests to write something down or to be reminded; `notes` the
    same where they may ask for a note, too, and mean a todo only of a duty or what has a day;
    `duties` say that something must be done, `events` where they have a day; what is `plain` only
    names it, and `timed` likewise, with an hour. Their groups, put together in the order in which
    they stand, are what is to be done, but for one named `accented`, which only counts with its
    accents. What fits `begin` or `end` stands around a frame or a title and says nothing; `stops`
    fits what is no title. What begins with `questions` asks, with or without a mark. `titles` put
    a title into its usual form. `macros` stand for parts of
    patterns; `{task}` and `{fill}`, words that say nothing between two others, are there in every
    language.
    """

    asks: tuple[Pieces, ...] = ()
    notes: tuple[Pieces, ...] = ()
    duties: tuple[Pieces, ...] = ()
    events: tuple[Pieces, ...] = ()
    plain: Pieces = "(?!)"
    timed: Pieces = "(?!)"
    begin: Pieces = "(?!)"
    end: Pieces = "(?!)"
    fillers: Pieces = "(?!)"
    stops: Pieces = "(?!)"
    questions: Pieces = "(?!)"
    titles: tuple[Rewrite, ...] = ()
    macros: dict[str, Pieces] = msgspec.field(default_factory=dict)
