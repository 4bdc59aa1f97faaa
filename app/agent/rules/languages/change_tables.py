"""The table of a language by which wishes to change something are read."""

from typing import Literal

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table

ChangeKind = Literal[
    "untag",
    "tag",
    "step",
    "priority",
    "unpin",
    "pin",
    "rename",
    "undate",
    "reopen",
    "message",
    "tick",
    "complete",
    "delete",
    "folder",
    "todos",
    "note",
    "append",
    "todo",
    "move",
    "reschedule",
]
"""What may be changed, in the order in which it is tried: the more special first."""


class Change(Table, frozen=True):
    """How one kind of change is said: one of the `cues` must be there, the words of `also` may."""

    cues: Pieces
    also: Pieces = ""


class Changes(Table, frozen=True):
    """`changes.toml`: the words of wishes to change something; may be missing.

    In small letters without accents; they are found in any order. A message with a word that
    `denies`, or that `asks` at its beginning, is no such wish; one with a question mark only with
    `courtesy`; nor is one that `tells` what was done, by its accents. What somebody else is said to
    wish is `relayed`, what only may be so has `perhaps`, what `negates` a change says that it is
    not to be, what `forbids` one has its verb beside that, and a word of `asks_others` says that
    somebody else is to be asked. With what is `provided` a wish, with its accents, holds only if
    something else is so, or is only hoped or heard. `filler` says nothing, `put` are verbs that may
    mean several changes, `link` stands before or after a text, and a day after `old` or before
    `old_after` is the one that was. `{name}` in `onto` and `inside` is what something goes to or is
    in.
    Of one letter, only what fits `edge` is cut from a text without spaces.
    What people tell `of_self` is what they may want to `remember`, whose plain words are that.
    A title stands between `titled` and `saying`; what is `new` is to be made, with a box before
    each line where it is `listed` or a `new_list`, of what follows `holding`; what somebody is
    told, after `that`. What is to be written down and has a day is a todo where it is called no
    `note` and has no verb that `states` something. May be missing: the verbs that `place` something
    to do, what says that it `must` be done, the words that `join` a clause to the one before, those
    by which a wish `depends` on something, and
    those that move something by a length of time, `earlier` or `later`, the verbs by which
    something `moves`, be it that no day is said, and what says that something is `finished`; with
    their accents, the words of a report that
    something is `done`, and those by which it is only thought, planned or still `open`.
    Without its mark a question `asks_at_end`, or `asks_what` is no name of something to do.
    What `doubts` may only mean a change, so that it is asked about; what `ticks` asks outright for
    something to be marked as done.
    A sentence that is `chatter` only says how somebody feels, or why, of what its groups hold;
    one that `reports` ends in the form of
    what is done. Where no spaces part words a verb may stand `verb_first`, before its object.
    What is `vague` says of no day when something is to be done.
    """

    denies: Pieces
    asks: Pieces
    of_self: Pieces
    remember: str
    courtesy: Pieces
    filler: Pieces
    put: Pieces
    link: Pieces
    old: Pieces
    onto: Pieces
    inside: Pieces
    titled: Pieces
    note: Pieces
    states: Pieces
    saying: Pieces
    kinds: dict[ChangeKind, Change]
    new: Pieces = "(?!)"
    listed: Pieces = "(?!)"
    new_list: Pieces = "(?!)"
    holding: Pieces = "(?!)"
    that: Pieces = ""
    tells: Pieces = ""
    relayed: Pieces = "(?!)"
    perhaps: Pieces = "(?!)"
    negates: Pieces = "(?!)"
    asks_others: Pieces = "(?!)"
    ticks: Pieces = "(?!)"
    asks_at_end: Pieces = "(?!)"
    asks_what: Pieces = "(?!)"
    place: Pieces = ""
    must: Pieces = ""
    join: Pieces = ""
    depends: Pieces = "(?!)"
    provided: Pieces = "(?!)"
    forbids: Pieces = "(?!)"
    polite_at_end: Pieces = "(?!)"
    earlier: Pieces = ""
    later: Pieces = ""
    moves: Pieces = ""
    vague: Pieces = ""
    finished: Pieces = ""
    done: Pieces = ""
    open: Pieces = ""
    old_after: Pieces = "(?!)"
    edge: Pieces = "(?!)"
    chatter: Pieces = "(?!)"
    doubts: Pieces = "(?!)"
    reports: Pieces = "(?!)"
    verb_first: bool = False
    macros: dict[str, Pieces] = msgspec.field(default_factory=dict)
