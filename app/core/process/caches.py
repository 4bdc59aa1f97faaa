"""Bounded memories that never need to be told of a change.

One for what depends on its key alone, one for what holds until the next commit.
"""

from collections.abc import Hashable

MOST_BYTES = 8 << 20
# about what a key and its place in the dictionary take
ENTRY_BYTES = 200


class ByteCache:
    """What is a pure function of its key, such as the JSON of one revision of a note.

    Up to `most` bytes.

    Those that were not asked for lately go first.

    Two generations instead of a list of uses: what is asked for moves into the young one, and
    when that is full the old one is dropped.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._half = most // 2
        self._young: dict[Hashable, bytes] = {}
        self._old: dict[Hashable, bytes] = {}
        self._size = 0

    def get(self, key: Hashable) -> bytes | None:
        """Return the value, or None."""
        found = self._young.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self._keep(key, found)
        return found

    def put(self, key: Hashable, value: bytes) -> None:
        """Remember a value; one that is too large beside the others is not kept."""
        # else a few large values would drive out all others
        if len(value) < self._half // 4:
            self._keep(key, value)

    def _keep(self, key: Hashable, value: bytes) -> None:
        self._size += len(value) + ENTRY_BYTES
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, len(value) + ENTRY_BYTES
        self._young[key] = value


class CommitCache:
    """What was answered since the last commit.

    Until the next one the same question has the same answer, so nothing is ever stale here.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._commits = -1
        self._held: dict[Hashable, bytes] = {}
        self._size = 0

    def get(self, commits: int, key: Hashable) -> bytes | None:
        """Return what was answered at this count of commits, or None."""
        return self._held.get(key) if commits == self._commits else None

    def put(self, commits: int, key: Hashable, value: bytes) -> None:
        """Remember an answer that was made from the state at this count of commits."""
        # made before a commit that others have seen meanwhile
        if commits < self._commits:
            return
        self._size += len(value) + ENTRY_BYTES
        if commits != self._commits or self._size > self._most:
            self._held, self._size, self._commits = {}, len(value) + ENTRY_BYTES, commits
        self._held[key] = value
