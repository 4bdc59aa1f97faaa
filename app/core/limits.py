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
        if not self.per_minute:
            return Verdict(0, 0, 0)
        now = self._clock()
        left = self._left(key, now)
        if left < 1:
            raise self._refusal(left, "Too many requests; wait a moment.")
        if len(self._buckets) > FORGET_ABOVE:
            self._forget_full(now)
        self._buckets[key] = (left - 1, now)
        return Verdict(self.per_minute, int(left - 1), int((self.per_minute - left + 1) / self._per_second) + 1)

    def check(self, key: object, message: str) -> None:
        """Raise RateLimited with `message` when `key` has no token left; spend nothing."""
        if key in self._buckets and (left := self._left(key, self._clock())) < 1:
            raise self._refusal(left, message)

    def _left(self, key: object, now: float) -> float:
        held = self._buckets.get(key)
        return self.per_minute if held is None else min(self.per_minute, held[0] + (now - held[1]) * self._per_second)

    def _refusal(self, left: float, message: str) -> RateLimited:
        return RateLimited(message, retryAfter=max(1, math.ceil((1 - left) / self._per_second)))

    def _forget_full(self, now: float) -> None:
        self._buckets = {key: held for key, held in self._buckets.items() if self._left(key, now) < self.per_minute}
