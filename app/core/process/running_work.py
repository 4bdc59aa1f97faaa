"""The long work that goes on in this process: what, since when, and how far it is."""

import contextlib
import dataclasses
from collections.abc import Iterator


@dataclasses.dataclass
class Work:
    """A piece of long work, in steps that each have a name; `total` is None where nobody knows how
    much a step takes.
    """

    kind: str
    name: str
    since: str
    step: str = ""
    done: int = 0
    total: int | None = None

    def tell(self, step: str, done: int = 0, total: int | None = None) -> None:
        """Take down how far the work is."""
        self.step, self.done, self.total = step, done, total


class RunningWork:
    """All of it, in the order in which it began."""

    def __init__(self) -> None:
        self._running: list[Work] = []

    @contextlib.contextmanager
    def begin(self, kind: str, name: str, *, since: str) -> Iterator[Work]:
        """Let a piece of work be seen while the block runs."""
        work = Work(kind, name, since)
        self._running.append(work)
        try:
            yield work
        finally:
            self._running.remove(work)

    def list(self) -> list[Work]:
        """Return what runs."""
        return [*self._running]
