"""A second thread that does half of a piece of work.

It is for work that is waited for and that leaves the interpreter to others.
"""

import queue
import threading
from collections.abc import Callable

Work = Callable[[int, int], None]
"""Does what is to be done from one number to before another."""


class Partner:
    """The thread; it waits for the next piece of work until the process ends."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[Work, int, int]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def share(self, work: Work, size: int) -> None:
        """Have the numbers below `size` worked on by the caller and the partner.

        Return, or raise what either raised, when both are done.
        """
        half = size // 2
        self._asked.put((work, half, size))
        try:
            work(0, half)
        finally:
            # Waited for in any case: the partner must not write into arrays that are used again.
            failure = self._done.get()
        if failure is not None:
            raise failure

    def _work(self) -> None:
        while True:
            work, begin, end = self._asked.get()
            try:
                work(begin, end)
            except BaseException as error:
                self._done.put(error)
            else:
                self._done.put(None)
            del work  # it holds the arrays of a batch while the thread waits for the next
