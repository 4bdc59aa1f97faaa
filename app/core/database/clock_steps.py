"""Steps of the wall clock: what was stored while it was wrong gets a true date."""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from app.core.database.tx import Clock, Tx, stamp

# less is a clock that was set right; summer time does not move UTC
SMALLEST = timedelta(hours=1)
_BOOT = getattr(time, "CLOCK_BOOTTIME", None)


class ClockStep(NamedTuple):
    """What the clock would have said, and what it said instead."""

    was: datetime
    became: datetime


class ClockWatch:
    """Compares the wall clock with one that nobody sets, whenever something has been written."""

    def __init__(self, clock: Clock) -> None:
        self._last = (clock(), _monotonic_seconds())
        self._is_first = True

    def tend(self, tx: Tx) -> bool:
        """Keep a step of the clock since the last look, and at the first one a step back since the
        last change that is stored.

        Says that there is no more to do.
        """
        if self._is_first and (
            latest := tx.value("SELECT max(changed_at) FROM workspaces WHERE changed_at <= '9999'")
        ):
            self._keep(
                tx, datetime.fromisoformat(latest), max(self._last[0], tx.moment), back_only=True
            )
        # a step while the program did not run shows only as time that went back
        self._is_first = False
        steady = _monotonic_seconds()
        self._keep(tx, self._last[0] + timedelta(seconds=steady - self._last[1]), tx.moment)
        self._last = (tx.moment, steady)
        return False

    def _keep(self, tx: Tx, was: datetime, became: datetime, *, back_only: bool = False) -> None:
        if was - became > SMALLEST or (became - was > SMALLEST and not back_only):
            tx.insert("clock_steps", was=stamp(was), became=stamp(became))


def clock_steps(tx: Tx) -> list[ClockStep]:
    """Return the steps that were seen, in order."""
    return [
        ClockStep(datetime.fromisoformat(row[0]), datetime.fromisoformat(row[1]))
        for row in tx.all("SELECT was, became FROM clock_steps ORDER BY id")
    ]


def true_moment(steps: Sequence[ClockStep], moment: str, now: datetime) -> str | None:
    """Return when it truly was that the clock said a moment to come; None where no step tells.

    It was before the first step back from a later moment, by as much as that was later, or else
    after a step ahead to an earlier one.
    """
    said = datetime.fromisoformat(moment)
    back = [step for step in steps if step.became < step.was and said <= step.was + SMALLEST]
    ahead = [step for step in steps if step.became > step.was and said >= step.became - SMALLEST]
    nearest = [
        *sorted(ahead, key=lambda step: said - step.became),
        *sorted(back, key=lambda step: step.was - said),
    ]
    found = (said - abs(step.became - step.was) for step in nearest)
    return next((stamp(true) for true in found if true <= now), None)


def _monotonic_seconds() -> float:
    """Return seconds of a clock that nobody sets and, where the system has one, that goes on while
    the machine sleeps.
    """
    return time.monotonic() if _BOOT is None else time.clock_gettime(_BOOT)
