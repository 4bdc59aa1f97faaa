"""The table of a language by which wishes about the items of a list are read."""

from typing import Literal

from app.agent.rules.languages.language_tables import Pieces, Table

ListKind = Literal["correct", "left", "steps", "untick", "remove", "tick", "add"]
"""What may be asked or wished of a list, or said of what stands in a note, in the order in which it
is tried.
"""


class ListWish(Table, frozen=True):
    """How one wish is said: one of the `cues` must be there, the words of `also` may."""

    cues: Pieces
    also: Pieces = ""


class Lists(Table, frozen=True):
    """`lists.toml`: the words of questions and wishes about what stands on a list.

    In small letters without accents. `place` is the list, or the note, without its name, `table` a
    table; with `that`, what was said before is meant. A text after `clause` states something.
    Before an item, `some` is no part of it; `shopping` is the name of the list of what is to be
    bought. What `lacks` says that there is no more of something, what `keeps` one that it is to
    stay, and `more` stands before or after one more item where one was just written down. What
    stands before a colon goes `into` a note, or on its end. What goes `under` a heading, a {name},
    names it as other places where nothing else is given.
    """

    place: Pieces
    table: Pieces
    that: Pieces
    clause: Pieces
    lacks: Pieces
    kinds: dict[ListKind, ListWish]
    into: Pieces = "(?!)"
    under: Pieces = ""
    keeps: Pieces = "(?!)"
    more: Pieces = "(?!)"
    some: Pieces = "(?!)"
    shopping: Pieces = "(?!)"
