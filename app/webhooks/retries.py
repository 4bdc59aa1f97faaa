"""When a delivery that failed is tried again."""

import email.utils
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

WAITS = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
"""The waits after each attempt that fails; after the last of them one more is made."""
MOST_TRIES = len(WAITS) + 1
SPREAD = 0.1
"""By so much of itself a wait is longer or shorter, so that not all come back at one moment."""
LONGEST_ASKED = timedelta(hours=24)
LONGEST_WAIT = LONGEST_ASKED * (1 + SPREAD)
ASKING = frozenset({429, 503})
"""The answers whose Retry-After counts."""
FAILING_TRIES, FAILING_TIME = 10, timedelta(days=5)
"""A webhook is given up after so many failures in a row, the first of them so long ago."""


def wait_after(tries: int, chance: float, asked: timedelta | None) -> timedelta | None:
    """Return how long to wait after so many failed attempts; None when there are no more.

    `chance`, from 0 to 1, spreads the waits; `asked` is what the receiver wants at least.
    """
    if tries >= MOST_TRIES:
        return None
    wait = WAITS[tries - 1] * (1 + SPREAD * (2 * chance - 1))
    return wait if asked is None else max(wait, min(asked, LONGEST_ASKED))


def asked_wait(status: int, headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return how long a receiver asks to be left alone: seconds, or until a date."""
    said = headers.get("retry-after", "").strip()
    if status not in ASKING or not said:
        return None
    if said.isascii() and said.isdecimal():
        # more digits than any wait that is heeded would need
        return timedelta(seconds=int(said)) if len(said) <= 9 else LONGEST_ASKED
    try:
        until = email.utils.parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(timedelta(), until.replace(tzinfo=until.tzinfo or UTC) - now)
