"""What a language model may do to an answer that the rules have made: say it in other words."""

from typing import Protocol

from app.core.schema import Record


class Piece(Record):
    """One text with the id by which it is known.

    The two words beside it stand only where the answer has them.
    """

    id: str
    title: str = ""
    text: str = ""
    urgency_level: str | None = None
    category: str | None = None


class Draft(Record):
    """What is to be rewritten, for which purpose, and in which language the user reads."""

    purpose: str
    locale: str
    pieces: list[Piece]


class Rewriting(Record):
    """What came back as JSON of the form `{"pieces": [Piece]}`, still to be checked, and the
    tokens that it took.
    """

    answer: bytes
    tokens: int


class Rewriter(Protocol):
    """A model behind whatever provider. It raises Unavailable when it cannot answer."""

    async def rewrite(self, draft: Draft) -> Rewriting:
        """Return the pieces in better words, in the order in which they matter."""
