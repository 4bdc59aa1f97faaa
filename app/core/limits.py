"""Rate limits: token buckets in memory, full at the start."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from app.settings import Settings

# a full bucket says nothing that a new one would not, so it need not be kept
FORGET_ABOVE = 10_000


class Verdict(NamedTuple):
    """What is left of an allowance after one request."""

    limit: int
    remaining: int
    reset: int
    """Seconds until the bucket is full again."""
    wait: int = 0
    """Seconds until the next request is let through; 0 when this one was."""


class RateLimit:
    """`per_minute` requests for each key, or so many in several `minutes`, as a token bucket
    whose burst is the whole allowance; 0 switches it off.
    """

    def __init__(
        self, per_minute: int, *, minutes: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_minute = per_minute
        self._per_second = per_minute / (60 * minutes)
        self._clock = clock
        self._buckets: dict[object, tuple[float, float]] = {}
        self._forget_above = FORGET_ABOVE

    def take_token(self, key: object) -> Verdict:
        """Spend one token of `key`; when there is none, `wait` says for how long."""
        if not self.per_minute:
            return Verdict(0, 0, 0)
        if len(self._buckets) > self._forget_above:
            self._forget_full()
        now = self._clock()
        left = self._tokens_left(key, now)
        if left < 1:
            # what is refused takes nothing, so that who keeps asking gets through in time too
            return Verdict(
                self.per_minute, 0, self._seconds_until_full(left), self._seconds_until_one(left)
            )
        self._buckets[key] = (left - 1, now)
        return Verdict(self.per_minute, int(left - 1), self._seconds_until_full(left - 1))

    def _tokens_left(self, key: object, now: float) -> float:
        # filled up by the time that has passed whenever it is looked at: no bucket has a timer
        tokens, since = self._buckets.get(key, (self.per_minute, now))
        return min(self.per_minute, tokens + (now - since) * self._per_second)

    def _seconds_until_one(self, left: float) -> int:
        return 0 if left >= 1 else max(1, math.ceil((1 - left) / self._per_second))

    def _seconds_until_full(self, left: float) -> int:
        return math.ceil((self.per_minute - left) / self._per_second)

    def _forget_full(self) -> None:
        now = self._clock()
        self._buckets = {
            key: bucket
            for key, bucket in self._buckets.items()
            if self._tokens_left(key, now) < self.per_minute
        }
        self._forget_above = max(
            FORGET_ABOVE, 2 * len(self._buckets)
        )  # else a crowd of which nobody is full would be looked through each time


class Rates:
    """What a user, a guest or an application may ask for beside all requests."""

    def __init__(self, settings: Settings) -> None:
        self.contact_requests = RateLimit(settings.contact_limit)
        self.groups = RateLimit(settings.group_limit)
        self.guests = RateLimit(settings.guest_limit)
        """Of a guest's session, and of an address that guests come from."""
        self.invites = RateLimit(settings.invite_limit)
        self.registrations = RateLimit(settings.oauth_registration_limit, minutes=5)
        """Of an address that applications register from."""
        self.devices = RateLimit(settings.device_limit)
        """Of an address that devices ask from to be let in."""
        self.enrolments = RateLimit(settings.device_limit)
        """The same for devices of raw memory, which have ten tries of their own."""
