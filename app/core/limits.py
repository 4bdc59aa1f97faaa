"""Rate limits: token buckets in memory, full at the start."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from app.errors import RateLimited

FORGET_ABOVE = 10_000


class Verdict(NamedTuple):
    """What is left of an allowance after one request."""

    limit: int
    remaining: int
    reset: int
    """Seconds until the bucket is full again."""


class RateLimit:
    """`per_minute` requests for each key, as a token bucket whose burst is one minute's allowance; 0 switches it off."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: dict[object, tuple[float, float]] = {}

    def take(self, key: object) -> Verdict:
        """Spend one token of `key`; raise RateLimited, with the seconds to wait, when there is none."""
        left = self._left(key)
        if left < 1 and self.per_minute:
            raise RateLimited("Too many requests; wait a moment.", retryAfter=max(1, math.ceil((1 - left) / self._per_second)))
        return self._spend(key, left)

    def check(self, key: object) -> None:
        """Raise RateLimited when `key` has no token left; spend nothing."""
        left = self._left(key)
        if left < 1 and self.per_minute:
            raise RateLimited("Too many failed attempts; wait a moment.", retryAfter=max(1, math.ceil((1 - left) / self._per_second)))

    def _left(self, key: object) -> float:
        tokens, since = self._buckets.get(key, (self.per_minute, 0.0))
        return min(self.per_minute, tokens + (self._clock() - since) * self._per_second) if since else tokens

    def _spend(self, key: object, left: float) -> Verdict:
        if not self.per_minute:
            return Verdict(0, 0, 0)
        if len(self._buckets) > FORGET_ABOVE:
            self._forget_full()
        self._buckets[key] = (left - 1, self._clock())
        return Verdict(self.per_minute, int(left - 1), math.ceil((self.per_minute - left + 1) / self._per_second))

    def _forget_full(self) -> None:
        now = self._clock()
        self._buckets = {
            key: (tokens, since) for key, (tokens, since) in self._buckets.items() if tokens + (now - since) * self._per_second < self.per_minute
        }
