"""How soon a thing wants the user: from its date, its words and what is known of it."""

from datetime import date, datetime, time
from typing import Literal

from app.agent.priorities import lexicon
from app.agent.priorities.items import Item, Points, add_points
from app.agent.priorities.lexicon import Sense, Senses
from app.agent.priorities.mail_senders import Sender, sender_of
from app.agent.quickadd import dates_in_text

Level = Literal["critical", "high", "medium", "low"]
URGENT = 50
WORD_POINTS = (
    (Sense.ALARM, 30, "urgent wording"),
    (Sense.NOW, 25, "a deadline"),
    (Sense.BLOCKED, 20, "somebody waits"),
    (Sense.SOON, 12, ""),
)
UNDATED_ALARM = 25  # what burns needs no date
LEVELS: tuple[tuple[int, Level], ...] = ((85, "critical"), (60, "high"), (35, "medium"))


def score_urgency(item: Item, now: datetime) -> Points:
    """Return how urgent an item is at a moment of the user's zone."""
    found = lexicon.find_senses(item.text)
    sender = sender_of(item)
    dates = _date_points(item, now, found)
    parts = [*dates, *_word_points(item, found, dated=sum(part for part, _ in dates) > 0)]
    if item.needs_reply:
        parts.append((20, "needs a reply"))
    elif asks_for_answer(item):
        parts.append((15, "asks something"))
    if item.level == "high" or (
        item.level == "" and Sense.HIGH in found and Sense.LOW not in found
    ):
        parts.append((30, "high priority"))
    if item.level == "low" or Sense.LOW in found:
        parts.append((-15, "low priority"))
    if item.conflict:
        parts.append((25, "overlaps another event"))
    if sender is Sender.SELLER:
        # Adverts shout and set deadlines; the points for that must be outweighed.
        parts.append((-80, "advertising"))
    return add_points(parts)


def urgency_level(value: int) -> Level:
    """Return the word of the contract for so many points of urgency."""
    return next((word for least, word in LEVELS if value >= least), "low")


def asks_for_answer(item: Item) -> bool:
    """Return whether an e-mail of which nobody said so wants an answer, by its words."""
    if (
        item.source != "email"
        or item.needs_reply is not None
        or sender_of(item) is not Sender.PERSON
    ):
        return False
    found = lexicon.find_senses(item.text)
    return (Sense.ASKED in found or item.title.rstrip().endswith("?")) and not found.keys() & {
        Sense.CALM
    }


def is_overdue(item: Item, now: datetime) -> bool:
    """Return whether a todo, or what says so of itself, was due before now."""
    if item.source == "calendar":
        return False
    if item.source == "todo" and (item.day or item.moment):
        return _is_past(item, now)
    return item.source in ("todo", "other") and Sense.OVERDUE in lexicon.find_senses(item.text)


def is_settled(item: Item) -> bool:
    """Return whether an item reports what is over and done, and wants nothing more."""
    found = lexicon.find_senses(item.text)
    return (
        Sense.SETTLED in found
        and not item.needs_reply
        and item.level != "high"
        and not found.keys() & {Sense.ASKED, Sense.ALARM, Sense.OVERDUE}
    )


def item_moment(item: Item, now: datetime) -> tuple[date, time | None] | None:
    """Return the day, and the time if known, of an item: as given, else as its words say."""
    if item.moment is not None:
        return item.moment.date(), item.moment.timetz().replace(tzinfo=None)
    if item.day is not None:
        return item.day, None
    # A todo without a date that says “was due on Monday”.
    if item.source == "todo" and (late := dates_in_text.deadline(item.text, now, late=True)):
        return late
    base = now
    if item.sent is not None and 0 < (now.date() - item.sent).days <= 3:
        # "Tomorrow" in yesterday's letter is today.
        base = datetime.combine(item.sent, time(), now.tzinfo)
    found = dates_in_text.deadline(item.text, base)
    # A date in what is over, as of a delivery, is no deadline.
    return None if found is None or is_settled(item) else found


def _date_points(item: Item, now: datetime, found: Senses) -> list[tuple[int, str]]:
    if item.source == "calendar":
        return [_event_points(item, now)]
    if is_overdue(item, now):
        day = item.day or (item.moment.date() if item.moment else None)
        days = max(1, (now.date() - day).days) if day else 1
        return [(90 + min(10, days), f"overdue {days} day{'s' * (days > 1)}")]
    known = item_moment(item, now)
    if known is None:
        return [(90, "overdue")] if Sense.OVERDUE in found and item.source == "email" else []
    day, clock = known
    days = (day - now.date()).days
    if days < 0:
        return [(90 + min(10, -days), f"overdue {-days} day{'s' * (days < -1)}")]
    if days == 0 and clock is not None:
        hours = (datetime.combine(day, clock, now.tzinfo) - now).total_seconds() / 3600
        # In the last hours before its time.
        return [(95 if hours <= 3 else 85, "due today")]
    steps = (
        (0, 85, "due today"),
        (1, 65, "due tomorrow"),
        (3, 50, f"due in {days} days"),
        (7, 35, f"due in {days} days"),
        (14, 20, ""),
    )
    return [next(((part, reason) for most, part, reason in steps if days <= most), (10, ""))]


def _event_points(item: Item, now: datetime) -> tuple[int, str]:
    known = item_moment(item, now)
    if known is None:
        return 10, ""
    day, clock = known
    begin = datetime.combine(day, clock, now.tzinfo) if clock else None
    over = item.end or begin
    if (over is not None and over < now) or (
        day < now.date() and (item.end is None or item.end.date() <= now.date())
    ):
        return 0, "over"
    days = (day - now.date()).days
    # Also what has begun, as it is not over.
    if begin is not None and (begin - now).total_seconds() <= 2 * 3600:
        return 90, "within two hours" if begin >= now else "going on"
    if days <= 0:
        return 60, "today"
    if days == 1:
        weighty = Sense.WEIGHT in lexicon.find_senses(item.text)
        return (55, "tomorrow, to be prepared today") if weighty else (40, "tomorrow")
    return (25, f"in {days} days") if days <= 3 else (10, "")


def _word_points(item: Item, found: Senses, *, dated: bool) -> list[tuple[int, str]]:
    parts = [
        (part, reason)
        for sense, part, reason in WORD_POINTS
        if sense in found and not is_settled(item)
    ][:1]
    if Sense.CALM in found:
        parts.append((-40, "no hurry"))
    elif (
        Sense.ALARM in found
        and Sense.GROWTH not in found
        and not dated
        and item.source != "note"
        and not is_settled(item)
    ):
        parts.append((UNDATED_ALARM, ""))
    if is_settled(item):
        parts.append((-30, "settled"))
    if (
        Sense.LIGHT in found
        and Sense.WEIGHT not in found
        and item.source != "calendar"
        and not item.needs_reply
    ):
        parts.append((-10, ""))
    return parts


def _is_past(item: Item, now: datetime) -> bool:
    return (
        item.moment < now
        if item.moment is not None
        else item.day is not None and item.day < now.date()
    )
