"""The table of a language by which wishes about the description of a todo are read."""

import msgspec

from app.agent.rules.languages.language_tables import Pieces, Table


class DescriptionWords(Table, frozen=True):
    """`descriptions.toml`: how a message writes into the description of a todo, or asks for it.

    In small letters without accents. `fields` name a description, `todos` a todo as one, `names`
    no more than something of that name, each with `{name}` where they do; `into`, `onto` and
    `beside` say that a `{text}` goes to such a `{place}`, where a `{link}` stands before the text:
    it may be missing where the place has no name. `{text_long}` goes on as far as it may. What is
    `pointed` goes to what was told before, `more` is said after something was written into a
    description. `asked` asks what a place of `fields` says, `says` what that does which was told
    before. `todo` are the words for a todo and its description, which are no part of a name.
    `no_text` only points at a text, or asks. `macros` stand for parts of the others; after `of`
    comes a name.
    """

    fields: tuple[Pieces, ...]
    todos: tuple[Pieces, ...]
    names: tuple[Pieces, ...]
    into: tuple[Pieces, ...]
    onto: tuple[Pieces, ...]
    beside: tuple[Pieces, ...]
    pointed: tuple[Pieces, ...]
    more: tuple[Pieces, ...]
    asked: tuple[Pieces, ...]
    says: tuple[Pieces, ...]
    link: Pieces
    todo: Pieces
    no_text: Pieces
    macros: dict[str, Pieces] = msgspec.field(default_factory=dict)
