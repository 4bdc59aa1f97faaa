"""How much depends on a thing: from its kind, its priority, its words and who sent it."""

from app.agent.priorities import lexicon
from app.agent.priorities.items import Item, Points, add_points
from app.agent.priorities.lexicon import Sense, Senses
from app.agent.priorities.mail_senders import Sender, sender_of
from app.agent.priorities.urgency import asks_for_answer, is_settled

IMPORTANT = 50
BASE = {"todo": 40, "calendar": 40, "other": 30, "note": 25, "email": 25}
BANDS = ((0.95, 92, 100), (0.7, 72, 91), (0.3, 0, 71), (0.01, 10, 30))
"""The least and the most that a thing with so much of the highest priority can be.

What the user said of it settles how important it is; its words only order things of one band, and
decide alone in the middle.
"""
PRIORITY_POINTS = ((0.95, 40), (0.7, 22), (0.55, 5), (0.3, 0), (0.01, -12))


def score_importance(item: Item) -> Points:
    """Return how important an item is."""
    found = lexicon.find_senses(item.text)
    parts = [
        (BASE[item.source], ""),
        *_priority_points(item),
        *_word_points(found, settled=is_settled(item)),
    ]
    if item.needs_reply:
        parts.append((25, ""))
    elif asks_for_answer(item):
        parts.append((15, ""))
    if item.level == "high":
        parts.append((28, "high priority"))
    elif Sense.HIGH in found and item.level == "" and Sense.LOW not in found:
        parts.append((20, "high priority"))
    if item.pinned:
        parts.append((30, "pinned"))
    if item.conflict:
        parts.append((10, ""))
    match sender_of(item):
        case Sender.SELLER:
            parts.append((-60, "advertising"))
        case Sender.MACHINE:
            parts.append((-5, ""))
    return _in_band(item, add_points(parts))


def _in_band(item: Item, points: Points) -> Points:
    """Return the points as the priority lets them be; mail has the priority of its sender."""
    if item.priority is None or item.source == "email":
        return points
    band = next((one for one in BANDS if item.priority >= one[0]), None)
    if band is None:
        return points
    _, least, most = band
    value = points.value * (most - least) // 100 + least if least else min(points.value, most)
    return Points(value, points.why)


def _priority_points(item: Item) -> list[tuple[int, str]]:
    if item.priority is None:
        return []
    part = next((part for least, part in PRIORITY_POINTS if item.priority >= least), -5)
    return [(part, "top priority" if part >= 22 else "low priority" if part < 0 else "")]


def _word_points(senses: Senses, *, settled: bool) -> list[tuple[int, str]]:
    # Two words of weight are hardly by chance; more than two say nothing new.
    weight, growth = len(senses.get(Sense.WEIGHT, ())), len(senses.get(Sense.GROWTH, ()))
    parts: list[tuple[int, str]] = []
    if weight:
        parts.append((45 if weight > 1 or growth else 35, "consequential"))
    elif growth:
        parts.append((30 if growth > 1 else 25, "builds up"))
    if Sense.ALARM in senses:
        parts.append((15, ""))
    if Sense.LIGHT in senses:
        parts.append((-17 if weight or growth else -35, "" if weight or growth else "trifling"))
    if settled:
        parts.append((-45, "settled"))
    if Sense.CALM in senses:
        parts.append((-10, ""))
    return parts
