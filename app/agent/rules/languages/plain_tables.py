"""The table of the plain words in which a wish is asked about."""

from typing import Literal

from app.agent.rules.languages.language_tables import Table

Wish = Literal[
    "add_todo",
    "complete_todo",
    "reopen_todo",
    "move_todo",
    "shift_todo",
    "advance_todo",
    "undate_todo",
    "prioritize",
    "rename",
    "delete",
    "add_step",
    "make_note",
    "make_note_in",
    "append_note",
    "tag",
    "untag",
    "pin",
    "unpin",
    "move_note",
    "make_folder",
    "message",
    "undo",
]
"""The wishes that are asked about."""


class PlainWords(Table, frozen=True):
    """`plain.toml`: how it is asked whether a wish is meant, with `{plain}` for its plain words,
    those of each wish, with slots for what it is about, and the words for `it`. The name of a todo
    that `leans` on what was spoken of says it only by such a word: “pay it”.
    """

    means: str
    it: str
    leans: str
    wishes: dict[Wish, str]
