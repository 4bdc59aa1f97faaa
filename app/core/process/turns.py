"""Long work on a thread beside the event loop, resting now and then so that others get a turn."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SLICE_SECONDS = 0.002
PAUSE_SECONDS = 0.0002

_here = threading.local()


@contextmanager
def taking_turns() -> Iterator[None]:
    """Let the calling thread rest at each `give_turn` that comes long after the last.

    Without this another thread waits a millisecond whenever it needs the interpreter, which is
    several times for each request. To be used on no thread that others wait for.
    """
    _here.since = time.monotonic()
    try:
        yield
    finally:
        _here.since = None


def give_turn() -> None:
    """Rest for a moment if this thread takes turns and has worked for long enough."""
    since = getattr(_here, "since", None)
    if since is not None and time.monotonic() - since > SLICE_SECONDS:
        time.sleep(PAUSE_SECONDS)
        _here.since = time.monotonic()
