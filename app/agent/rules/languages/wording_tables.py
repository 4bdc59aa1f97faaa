"""The table of other ways of saying a wish, and of what a message only says by the way."""

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table


class Rewrite(Table, frozen=True):
    """Another way of saying something: what fits `pattern` `becomes` the text, in which `{name}` is
    the group of that name.
    """

    pattern: Pieces
    becomes: str


class Wording(Table, frozen=True):
    """`wording.toml`: how people say a wish beside its plain form; may be missing.

    In small letters without accents. What fits `before` begins a message and `after` ends it
    without meaning anything; `spellings` are words as they are typed in haste; `rewrites` are
    applied in their order. Where a wish may end in an infinitive, `verbs` tells the form in which
    it begins instead, with `…` for all between its parts; what begins with `no_wish` is none.
    `leads` are words with which a wish begins, known also where the first is mistyped. `forms` are
    those of a region, with their accents, and what they are elsewhere. `openings` are the short
    and wordy ways to begin a duty, rewritten as `rewrites` are; `no_duty` fits what has the words
    of a duty and is none: “I must say …”, “I don't have to …”.
    `macros` stand for parts of patterns.
    """

    before: Pieces = ""
    after: Pieces = ""
    spellings: dict[str, str] = msgspec.field(default_factory=dict)
    rewrites: tuple[Rewrite, ...] = ()
    verbs: dict[str, str] = msgspec.field(default_factory=dict)
    no_wish: Pieces = "(?!)"
    leads: tuple[str, ...] = ()
    forms: dict[str, str] = msgspec.field(default_factory=dict)
    openings: tuple[Rewrite, ...] = ()
    no_duty: Pieces = ""
    macros: dict[str, Pieces] = msgspec.field(default_factory=dict)
