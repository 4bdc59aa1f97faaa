"""A bounded memory for what is a pure function of its key, such as the JSON of one revision of a note: it never needs to be told of a change."""

from collections.abc import Hashable, Sequence

MOST_BYTES = 12 << 20
ENTRY_BYTES = 200


class Memory:
    """Bytes by key, up to some `most` bytes in all; those that were not asked for lately go first.

    Two generations instead of a list of uses: what is asked for moves into the young one, and when that is full the old one is dropped.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._half = most // 2
        self._young: dict[Hashable, bytes] = {}
        self._old: dict[Hashable, bytes] = {}
        self._size = 0

    def get(self, key: Hashable) -> bytes | None:
        """Give the value, or None."""
        found = self._young.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self._keep(key, found)
        return found

    def get_all(self, keys: Sequence[Hashable]) -> list[bytes | None]:
        """Give the values of many keys, None for each that is not there."""
        young = self._young
        found = [young.get(key) for key in keys]
        return [self.get(key) for key in keys] if None in found else found

    def put(self, key: Hashable, value: bytes) -> None:
        """Remember a value; one that is too large beside the others is not kept."""
        if len(value) < self._half // 4:
            self._keep(key, value)

    def _keep(self, key: Hashable, value: bytes) -> None:
        self._size += len(value) + ENTRY_BYTES
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, len(value) + ENTRY_BYTES
        self._young[key] = value
