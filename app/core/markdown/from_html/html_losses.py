"""What Markdown has no mark for: noted while HTML is read, so that the answer can say so."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Reading HTML is a pure function that is called from deep inside of edits, once for each part of a
# text: what it
# loses goes to whoever watches, and nobody on the way has to carry it.
_watching: ContextVar[list[str] | None] = ContextVar("lost in HTML", default=None)


@contextmanager
def gather_losses() -> Iterator[list[str]]:
    """Gather what is lost meanwhile, each kind once.

    Also on threads that asyncio starts from here.
    """
    found: list[str] = []
    token = _watching.set(found)
    try:
        yield found
    finally:
        _watching.reset(token)


def note_loss(what: str) -> None:
    """Note that something of this kind could not be kept, as a plural: "colours"."""
    found = _watching.get()
    if found is not None and what not in found:
        found.append(what)


def notice(found: Iterable[str]) -> str | None:
    """Return the sentence that says what was not kept; None for nothing."""
    kinds = list(found)
    if not kinds:
        return None
    return (
        "Markdown cannot hold everything that was sent. The text is there, but not: "
        f"{', '.join(kinds)}."
    )
