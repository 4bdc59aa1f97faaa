"""The four quadrants of urgent and important, and the order of things in them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from msgspec import Struct

from app.agent.priorities.importance import IMPORTANT, score_importance
from app.agent.priorities.items import Item
from app.agent.priorities.urgency import URGENT, is_overdue, score_urgency

Quadrant = Literal[1, 2, 3, 4]
QUADRANTS: tuple[Quadrant, ...] = (1, 2, 3, 4)
TOP = 0.95


class Scored(Struct, frozen=True):
    """An item with its points, from 0 to 100 each, and why it has them."""

    item: Item
    urgency: int
    importance: int
    why: tuple[str, ...]

    @property
    def quadrant(self) -> Quadrant:
        """1 urgent and important, 2 important, 3 urgent, 4 neither."""
        if self.importance >= IMPORTANT:
            return 1 if self.urgency >= URGENT else 2
        return 3 if self.urgency >= URGENT else 4

    @property
    def weight(self) -> int:
        """Both together."""
        return self.urgency + self.importance

    @property
    def rank(self) -> tuple[int, int, str, str]:
        """What puts the weightiest first.

        Only equal things are equal in it, so the order in which they came decides nothing.
        """
        # repr holds every field, so only items that are the same in all are equal here.
        return -self.weight, -self.urgency, self.item.title, repr(self.item)


FIRST = 7
"""So many things at most are to be done first: more are none."""


def sort_into_quadrants(found: Iterable[Scored], now: datetime) -> dict[Quadrant, list[Scored]]:
    """Return the things of each quadrant, the weightiest first.

    What is overdue with the top priority comes before all; what the first has no room for leads
    the second.
    """
    ranked = sorted(found, key=lambda one: (not is_late_top(one, now), one.rank))
    rows: dict[Quadrant, list[Scored]] = {number: [] for number in QUADRANTS}
    for one in ranked:
        number = one.quadrant
        rows[2 if number == 1 and len(rows[1]) >= FIRST else number].append(one)
    # What had no room comes first there.
    rows[2].sort(key=lambda one: one.quadrant)
    return rows


def is_late_top(one: Scored, now: datetime) -> bool:
    """Return whether a thing is overdue and has the top priority."""
    return one.item.priority is not None and one.item.priority >= TOP and is_overdue(one.item, now)


def score_item(item: Item, now: datetime) -> Scored:
    """Weigh an item at a moment of the user's zone; the result depends on nothing else."""
    urgent, important = score_urgency(item, now), score_importance(item)
    return Scored(
        item, urgent.value, important.value, tuple(dict.fromkeys(urgent.why + important.why))
    )


def rank_items(items: Iterable[Item], now: datetime) -> list[Scored]:
    """Weigh items and put them in order, whatever the order in which they came."""
    found = [score_item(item, now) for item in items]
    return sorted(found, key=lambda one: one.rank)
