"""The four quadrants of urgent and important, and the order of things in them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from msgspec import Struct

from app.agent.priorities.importance import IMPORTANT, score_importance
from app.agent.priorities.items import Item
from app.agent.priorities.urgency import URGENT, score_urgency

Quadrant = Literal[1, 2, 3, 4]


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
