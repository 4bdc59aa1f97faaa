"""How far a long work is, for whoever has asked for it and wants to know."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar

Tell = Callable[[float, float | None, str | None], Awaitable[None]]
"""Takes how much is done, of how much in all, and what is being done."""
_listener: ContextVar[Tell | None] = ContextVar("progress", default=None)


@contextlib.contextmanager
def told_to(tell: Tell) -> Iterator[None]:
    """Let what the block does tell how far it is."""
    token = _listener.set(tell)
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> Tell | None:
    """Return who wants to know how far the present work is, if anybody does."""
    return _listener.get()
