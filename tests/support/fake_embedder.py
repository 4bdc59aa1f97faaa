"""An embedder whose vectors are known.

Each word is a direction of its own, and words that were said to mean the same share one.
"""

import asyncio
import hashlib
import math
import re
import struct
from collections.abc import Sequence

from app.core.embedder import EmbeddingFailed


class FakeEmbedder:
    """Gives vectors without a model; it can be told to fail, to wait, and to be another model."""

    def __init__(
        self, model: str | None = "fake", *, dimension: int = 96, alike: Sequence[str] = ()
    ) -> None:
        self.model = model
        self.reason = "There is no model."
        self.dimension: int | None = dimension
        self.characters = 200
        self.asked: list[str] = []
        self.woken = 0
        self.failing: str | None = None
        self.refused: str | None = None
        self.open = asyncio.Event()
        self.open.set()
        self.closed = False
        self._size = dimension
        self._alike = {word: group.split()[0] for group in alike for word in group.split()}

    async def wake(self, text: str) -> None:
        self.woken += 1

    async def query(self, text: str) -> bytes:
        if self.failing:
            raise EmbeddingFailed(self.failing)
        vector = self._vector(text)
        length = math.sqrt(sum(part * part for part in vector)) or 1
        return struct.pack(f"<{self._size}f", *(part / length for part in vector))

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        await self.open.wait()
        if self.failing:
            raise EmbeddingFailed(self.failing)
        if self.refused and any(self.refused in text for text in texts):
            raise EmbeddingFailed("This text is refused.")
        self.asked += texts
        self.dimension = self._size
        return [self._int8(text) for text in texts]

    async def close(self) -> None:
        self.closed = True

    def _int8(self, text: str) -> bytes:
        vector = self._vector(text)
        most = max(map(abs, vector), default=0) or 1
        return struct.pack(f"{self._size}b", *(round(part * 127 / most) for part in vector))

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self._size
        for word in re.findall(r"\w+", text.lower()):
            seed = hashlib.blake2b(f"{self.model} {self._alike.get(word, word)}".encode()).digest()
            for place in range(self._size):
                vector[place] += 1.0 if seed[place % 64] >> (place // 64) & 1 else -1.0
        return vector
