"""The table by which a message is read among others, in the words of one language."""

from typing import Literal

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table

FilterName = Literal[
    "overdue", "completed", "undated", "top", "low", "before", "until", "after", "tagged", "pinned"
]
"""What narrows a list beside words and days."""
Bound = Literal["least", "above", "most", "below"]
"""How a priority bounds a list: “5 or more”, “above 5”, “5 at most”, “below 5”."""


class Dialogue(Table, frozen=True):
    """`dialogue.toml`: how a message refers to the turns before it, and how it takes back what it
    has just said; in small letters without accents.

    `it`, `both` and `every` mean what was shown or done last; `ordinals` say which of a list (-1
    the last), with `{number}` in `numbered`; the group `words` of `the_one` narrows it. `undo` and
    `drop` are whole messages. The group `rest` of `follow` is what a question is now asked of, of
    `instead` what was meant rather, of `also` one more of the same. `corrects` parts what is taken
    back from what is meant, and `nothing` is what follows it where nothing is. `counts` asks for a
    number. `listing` are the words of a list that filter nothing; the patterns of `filters` do.
    Days follow what fits `before`, `until` (with the day itself) and `after`, or are their group
    `day` where they stand before it.
    `ahead` says a length of time, `{by}`, from a day on; `priorities` are words for their numbers.
    `made_of` parts several things of one list.
    In a prompt around a question, `asked_by` begins the question, `answered` the place of its
    answer, `given` the texts to answer from; the group `reply` of `reply_exactly` is said where
    those do not answer, and an instruction that `speaks_of_given` texts may be followed by them
    without a label. `levels` stand beside a priority that is the least, the most, or just outside.

    May be missing: what somewhere in a short message `takes_back` what the turn before did; the
    group `rest` of `rather` is the thing that was meant instead of the one that was changed;
    `there` is the folder and `person` the one who was spoken of last; what says `of_those` narrows
    the list before, the group `rest` of `narrows` does so too, and the group `only` says that what
    narrowed it still does; a message of no other words than those of `listing` is asked for a list
    where it holds a filter or what `asks_list`; `other` is what is left of a list that was shown,
    of which `others` are several;
    what `adds` its group `rest` goes to a note with a `list_name` that was spoken of last, and what
    is `out_of` something, `{name}`, is taken away from it; a `list_word` beside the name of a note
    is hardly part of it, and a `list_end` behind it none at all, nor is `next_one`, “the next”; the
    groups of `in_folder` are the folder of which a list is asked again; `plain_yes` is one of the
    words of `yes`; `all_of` stands before a name of which 2 or all, 0, are meant; `that_day` points
    at the day that was told last, or at one so many days from it; `the_same` stands for a name said
    before, `same_time` for a time that stays; the words of a line of `same` mean the same in names
    of things.
    """

    it: Pieces
    both: Pieces
    every: Pieces
    ordinals: dict[int, Pieces]
    numbered: Pieces
    the_one: Pieces
    undo: Pieces
    drop: Pieces
    yes: Pieces
    no: Pieces
    follow: Pieces
    instead: Pieces
    also: Pieces
    corrects: Pieces
    nothing: Pieces
    counts: Pieces
    listing: Pieces
    filters: dict[FilterName, Pieces]
    ahead: str
    priorities: dict[int, Pieces]
    made_of: Pieces
    asked_by: Pieces
    answered: Pieces
    given: Pieces
    reply_exactly: Pieces
    speaks_of_given: Pieces = ""
    takes_back: Pieces = "(?!)"
    rather: Pieces = "(?!)"
    there: Pieces = "(?!)"
    person: Pieces = "(?!)"
    of_those: Pieces = "(?!)"
    narrows: Pieces = "(?!)"
    asks_list: Pieces = "(?!)"
    other: Pieces = "(?!)"
    others: Pieces = ""
    list_name: Pieces = "(?!)"
    list_word: Pieces = "(?!)"
    list_end: Pieces = "(?!)"
    next_one: Pieces = "(?!)"
    adds: Pieces = "(?!)"
    out_of: Pieces = "(?!)"
    in_folder: Pieces = "(?!)"
    plain_yes: str = ""
    all_of: dict[int, Pieces] = msgspec.field(default_factory=dict)
    before_that: Pieces = "(?!)"
    relative_day: Pieces = "(?!)"
    that_day: dict[int, Pieces] = msgspec.field(default_factory=dict)
    the_same: Pieces = "(?!)"
    same_time: Pieces = "(?!)"
    levels: dict[Bound, Pieces] = msgspec.field(default_factory=dict)
    same: tuple[str, ...] = ()
