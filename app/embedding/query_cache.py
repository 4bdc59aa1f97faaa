"""The vectors of what was searched for lately."""

MOST = 256


class QueryCache:
    """Up to `most` vectors by their text; what was not asked for longest goes first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._held: dict[str, bytes] = {}

    def get(self, text: str) -> bytes | None:
        """Return the vector, or None."""
        found = self._held.pop(text, None)
        if found is not None:
            self._held[text] = found
        return found

    def put(self, text: str, vector: bytes) -> None:
        """Remember a vector."""
        self._held[text] = vector
        if len(self._held) > self._most:
            del self._held[next(iter(self._held))]
