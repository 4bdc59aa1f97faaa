"""The table by which a request to see something is read, whatever the order of its words."""

from typing import Literal

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table

ViewName = Literal[
    "often",
    "reply",
    "person",
    "unread",
    "waiting",
    "wrote",
    "message",
    "total",
    "step",
    "wants",
    "todo",
    "note",
    "folder",
    "tag",
    "event",
    "pinned",
    "changed",
    "count",
    "when",
    "open",
    "first",
    "last",
    "who",
    "now",
    "to_do",
    "about",
    "inside",
    "everything",
    "show",
    "see",
    "it",
    "thanks",
    "filler",
]
"""What words of such a request say; of two that fit at a place, the first of the table's."""


class Beyond(Table, frozen=True):
    """What nobody can do here: `acts`, unless there is one of `reports` beside it."""

    acts: Pieces = "(?!)"
    reports: Pieces = "(?!)"


class Views(Table, frozen=True):
    """`views.toml`: what the words of a request to see something say, in small letters without
    accents; what no class takes is what is looked for.

    Each of `spans` has two days, the groups `a` and `b`, of a stretch of days. A part of a message
    that fits `refuses` says that nothing is to be done, before another that asks for something.
    What fits `remains` asks what of a list is not done; what `tells` is a word for saying or asking
    something of somebody.
    """

    classes: dict[ViewName, Pieces]
    spans: tuple[Pieces, ...] = ()
    refuses: Pieces = "(?!)"
    remains: Pieces = "(?!)"
    tells: Pieces = "(?!)"
    beyond: Beyond = msgspec.field(default_factory=Beyond)
