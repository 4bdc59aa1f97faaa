"""What the program asks of whatever turns texts into vectors."""

from collections.abc import Sequence
from typing import Protocol

PASSAGE_CHARACTERS = 1_000


class EmbeddingFailed(Exception):
    """A text got no vector this time; the message is a sentence for people.

    Asking again later may help.
    """


class Embedder(Protocol):
    """Turns texts into vectors of one model.

    An ask may be cancelled at any time; asks do not wait for one another without need.
    """

    @property
    def model(self) -> str | None:
        """The id that is stored with each vector.

        None = there is no model, and only words can be searched.
        """

    @property
    def reason(self) -> str:
        """Why there is no model, or why the last ask failed, as a sentence.

        Empty when all is well.
        """

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None = not known before the first answer."""

    @property
    def characters(self) -> int:
        """How long a passage should be at most."""

    async def wake(self, text: str) -> None:
        """Begin what the query of a text will wait for, and return once that goes by itself."""

    async def query(self, text: str) -> bytes:
        """Return the vector of a search's text: little-endian float32, of length one.

        Raises EmbeddingFailed.
        """

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of passages.

        Int8, scaled so that the largest number of each is 127 or -127. Raises EmbeddingFailed.
        """

    async def close(self) -> None:
        """End what works for it; nothing may be asked afterwards."""


class NoEmbedder:
    """Stands where there shall be no vectors."""

    model = None
    dimension = None
    characters = PASSAGE_CHARACTERS

    def __init__(self, reason: str) -> None:
        self.reason = reason

    async def wake(self, text: str) -> None:
        """Do nothing."""

    async def query(self, text: str) -> bytes:
        """Fail."""
        raise EmbeddingFailed(self.reason)

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Fail."""
        raise EmbeddingFailed(self.reason)

    async def close(self) -> None:
        """Do nothing."""


NO_EMBEDDER = NoEmbedder("Nothing here makes vectors, so only words are searched.")
