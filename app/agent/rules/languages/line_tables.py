"""The table of a language by which changes of one line of a note are read."""

from app.agent.rules.languages.language_tables import Pieces, Table


class Measure(Table, frozen=True):
    """What a number may measure: how a message `says` so, `{n}` being the number, and the words of
    the `names` and values of what is of that.
    """

    says: Pieces
    names: Pieces


class LineWords(Table, frozen=True):
    """`lines.toml`: how a message says that words, or a value, of a line are others now, or that
    the line is no longer there.

    In small letters without accents. `{old}`, `{new}` and `{label}` stand for any words of a
    clause, `{value}` for an amount, `{end}` for the end of a clause. What is `replaced` has an old
    and a new text; what is `valued` has a new amount and, before or after it, what it is of, or
    nothing but a word for what was told before. `again` are amounts of what is named after a change
    of another. What is `removed` is a line by its name. `beside` are words that stand beside a new
    text and are no part of it; `now` says that something is no longer as it was. `theirs` means
    what was named before. Between a text and its day stands a word `of_day`. A `slip` is said of
    what was just written wrong, and `one_more` stands before one more line. What is `moved` has
    another day or time now, `idle` words stand beside that and say no more; `former` words stand
    before the old one, those of `former_after` behind it. What is `taken` is a `{label}` that
    somebody `{new}` does now. A `row` is one of a table, or the table itself; `as_well` stands
    beside the name of another of which the same is done. What is only `wished`, told by others, or
    would be so, changes no line; what a message begins with that is `told_by` somebody is asked
    about. A number of one of the `measures` is written only where such a one stands; `counters`
    stand right behind a number and tell what it counts; words `after_number` do not, nor do words
    such as “costs”, which say what something `amounts_to`. What one tells `by_self` is of no other.
    """

    replaced: tuple[Pieces, ...]
    valued: tuple[Pieces, ...]
    again: tuple[Pieces, ...]
    removed: tuple[Pieces, ...]
    now: Pieces
    beside: Pieces
    theirs: Pieces
    of_day: Pieces
    slip: Pieces
    one_more: Pieces
    moved: Pieces
    idle: Pieces
    taken: tuple[Pieces, ...]
    row: Pieces
    wished: Pieces
    told_by: Pieces
    as_well: Pieces
    measures: tuple[Measure, ...]
    former: Pieces = "(?!)"
    former_after: Pieces = "(?!)"
    counters: Pieces = "(?!)"
    after_number: Pieces = "(?!)"
    amounts_to: Pieces = "(?!)"
    by_self: Pieces = "(?!)"
