"""Bounded memories that never need to be told of a change.

One for bytes that depend on their key alone, one for what holds until the next commit, one for
what was made of texts, one for a function of what a turn asks, and one for a function of short
texts.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Concatenate, Generic, ParamSpec, TypeVar

MOST_BYTES = 8 << 20
# about what a key and its place in the dictionary take
ENTRY_BYTES = 200

LATEST = 64
"""What a function gave for so many arguments is kept."""
TEXTS = 256
"""What a function gave for so many texts is kept."""
SHORT = 1_000
"""Texts of more characters are not kept: they would take memory, and come once."""

_FORGET: list[Callable[[], None]] = []

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


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


class Kept(Generic[Value]):
    """What was made of some texts, forgetting what was not asked for longest.

    Safe to use from several threads.
    """

    def __init__(self, most: int, size: Callable[[str, Value], int]) -> None:
        self._most, self._size, self._held = most, size, 0
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> Value | None:
        """Return what was made of a text, if it is still there."""
        with self._lock:
            if text in self._values:
                self._values.move_to_end(text)
            return self._values.get(text)

    def put(self, text: str, value: Value) -> None:
        """Keep what was made of a text, unless it is larger than all that may be kept."""
        size = self._size(text, value)
        with self._lock:
            if text in self._values or size > self._most:
                return
            self._values[text] = value
            self._held += size
            while self._held > self._most:
                self._held -= self._size(*self._values.popitem(last=False))


def keep_latest(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Return a function that keeps what it returned for the latest arguments, until
    `forget_latest` is called.

    These must have a hash, and what is returned must not be changed.
    """
    kept = functools.lru_cache(maxsize=LATEST)(function)
    _FORGET.append(kept.cache_clear)
    typed: Callable[..., Value] = kept
    return functools.wraps(function)(typed)


def forget_latest() -> None:
    """Let go of all that `keep_latest` keeps: arguments may hold whole notes."""
    for forget in _FORGET:
        forget()


def keep_short(
    function: Callable[Concatenate[str, Arguments], Value],
) -> Callable[Concatenate[str, Arguments], Value]:
    """Return a function of a text that keeps what it returned for the latest short ones.

    What stands beside the text must have a hash, and what is returned must not be changed.
    """
    kept: Callable[..., Value] = functools.lru_cache(maxsize=TEXTS)(function)

    @functools.wraps(function)
    def kept_or_new(text: str, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        return (kept if len(text) <= SHORT else function)(text, *args, **kwargs)

    return kept_or_new
