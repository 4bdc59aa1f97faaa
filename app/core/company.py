"""Who is being served: one client, or several that would wait for one another."""

import time

ALONE_SECONDS = 1.0


class Company:
    """What is known of the connections by which requests come."""

    def __init__(self) -> None:
        self._last: object = None
        self._since = 0.0

    def heard(self, client: object) -> None:
        """Take note of a request that came by the connection of `client`."""
        if client != self._last:
            self._last, self._since = client, time.monotonic()

    @property
    def is_alone(self) -> bool:
        """Whether for a second all requests came by one connection.

        What takes a few milliseconds may be done at once then: nobody waits for it, and to wake a thread and be woken by it can cost one more.
        """
        return time.monotonic() - self._since > ALONE_SECONDS
