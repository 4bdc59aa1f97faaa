"""The table of how people say their wishes, for those that no pattern takes."""

from app.agent.rules.languages.language_tables import Pieces, Table


class Wish(Table, frozen=True):
    """A wish in the `plain` words that the patterns know, and other ways in which it is `said`.

    Each line of `said` is one. What differs from time to time stands in braces: `{todo}`, `{note}`,
    `{thing}` for either, `{folder}`, `{person}`, `{day}`, `{by}` for a length of time, `{number}`
    and `{text}`. What `writes` is asked about before it is done.
    """

    plain: str
    said: str
    writes: bool = False


class Examples(Table, frozen=True):
    """`examples.toml`: the wishes, how questions to the notes are put, how it is asked whether a
    wish is meant, with `{plain}` for it, the words for `it`, and what `denies` that a thing is
    done.
    """

    means: str
    it: str
    wishes: tuple[Wish, ...]
    questions: str
    denies: Pieces = "(?!)"
