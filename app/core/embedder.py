"""What turns texts into vectors, as the rest of the program sees it."""

from collections.abc import Sequence
from typing import Protocol


class EmbeddingFailed(Exception):
    """No vector came; the message is a sentence for people."""


class Embedder(Protocol):
    """A model that gives texts of like meaning vectors of like direction."""

    model: str | None
    reason: str
    dimension: int | None
    characters: int

    async def query(self, text: str) -> bytes:
        """Give the vector of what is searched for: float32, of length 1."""

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Give the vectors of texts: int8 each, the largest component 127."""

    async def close(self) -> None:
        """Let go of everything."""


class NoEmbedder:
    """What stands in where there is no model."""

    model: str | None = None
    dimension: int | None = None
    characters = 1000

    def __init__(self, reason: str = "No model is installed.") -> None:
        self.reason = reason

    async def query(self, text: str) -> bytes:
        """Refuse."""
        raise EmbeddingFailed(self.reason)

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Refuse."""
        raise EmbeddingFailed(self.reason)

    async def close(self) -> None:
        """Do nothing."""
