"""A briefing as five short HTML texts.

A sentence each, and lists whose entries carry their facts.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from msgspec import Struct

from app.agent.briefing import mail, summaries
from app.agent.briefing.briefing_facts import Facts, Group, Note, Notes, Todos
from app.agent.calendar import free_time
from app.agent.calendar.free_time import Event, Slot
from app.agent.priorities import quadrants
from app.agent.priorities.items import Item
from app.agent.priorities.mail_senders import Sender, sender_of
from app.core.markdown import html_fragments
from app.core.process.counted import counted
from app.core.text import relative_time

SHOWN = 20
SHOWN_SLOTS = 4


class Fragment(NamedTuple):
    """One of the five texts: its sentence, and the lists below as HTML."""

    lead: str
    lists: str = ""

    @property
    def html(self) -> str:
        """Both together."""
        return html_fragments.lead_paragraph(self.lead) + self.lists if self.lead else self.lists


class Material(Struct, frozen=True):
    """All that a briefing is made of, at one moment of the user's zone."""

    now: datetime
    facts: Facts
    emails: Sequence[tuple[Item, datetime | None]]
    events: Sequence[Event]

    @property
    def free(self) -> list[Slot]:
        """The rest of today's working hours."""
        return free_time.free_slots(self.events, self.now)

    @property
    def todays(self) -> list[Event]:
        """The events of today that are not over."""
        return [
            event for event in self.events if event.on(self.now.date()) and event.end >= self.now
        ]

    @property
    def clashes(self) -> list[tuple[Event, Event]]:
        """The overlaps that are still ahead."""
        return free_time.conflicting_pairs(event for event in self.events if event.end > self.now)

    @property
    def to_answer(self) -> list[Item]:
        """The e-mails that somebody said need a reply."""
        return [item for item, _ in self.emails if item.needs_reply]


def fragments_of(material: Material) -> dict[str, Fragment]:
    """Return the five texts by the names of the summaries."""
    return {
        "status": Fragment(_status_sentence(material)),
        "todo": _todo_fragment(material.facts.todos, material.now),
        "calendar": _calendar_fragment(material),
        "notes": _notes_fragment(material.facts.notes, material.now),
        "email": _email_fragment(material),
    }


def _status_sentence(material: Material) -> str:
    """Return in one sentence how things stand."""
    todos = material.facts.todos or Todos()
    counts = [
        _count_text(todos.overdue.total, "overdue todo"),
        _count_text(todos.today.total, "todo due today", "todos due today"),
        _count_text(len(material.to_answer), "e-mail to answer", "e-mails to answer"),
        _count_text(len(material.todays), "event today", "events today"),
        _count_text(len(material.clashes), "calendar conflict"),
    ]
    said = _join_list([count for count in counts if count])
    if not said:
        return (
            "Nothing presses."
            # Without the right to read todos nothing may be said of them.
            if material.facts.todos is None
            else "Nothing presses: no todo is due, no e-mail waits and no event is left today."
        )
    free = (
        f" The next free time is {slot_text(material.free[0])}."
        if material.events and material.free
        else ""
    )
    return f"You have {said}.{free}"


def _todo_fragment(todos: Todos | None, now: datetime) -> Fragment:
    if todos is None:
        return Fragment("This credential may not read todos.")
    counts = [
        _count_text(todos.overdue.total, "todo is overdue", "todos are overdue"),
        _count_text(todos.today.total, "is due today", "are due today"),
        _count_text(todos.soon.total, "comes in the next 3 days", "come in the next 3 days"),
    ]
    said = _join_list([count for count in counts if count])
    groups = (
        ("Overdue", todos.overdue),
        ("Today", todos.today),
        ("Next 3 days", todos.soon),
        ("Important, with more time", todos.later),
    )
    lists = "".join(_group_html(heading, group, now) for heading, group in groups)
    if not said:
        left = (
            f"; {_count_text(todos.still_open, 'todo is open', 'todos are open')}"
            if todos.still_open
            else ""
        )
        return Fragment(f"No todo is due in the next 3 days{left}.", lists)
    return Fragment(f"{said[0].upper()}{said[1:]}.", lists)


def _group_html(heading: str, group: Group, now: datetime) -> str:
    rows = (summaries.item_entry(item, _about_todo(item, now)) for item in group.items)
    return html_fragments.html_list(heading, rows) + _and_more(group.total - len(group.items))


def _about_todo(item: Item, now: datetime) -> str:
    day = item.moment.date() if item.moment else item.day
    parts = []
    if day is not None:
        late = (now.date() - day).days
        clock = f" at {item.moment:%H:%M}" if item.moment else ""
        late_today = item.moment is not None and item.moment < now
        if late > 0 or late_today:
            parts.append(
                f"overdue {late} day{'s' * (late > 1)}"
                if late > 0
                else f"overdue since {item.moment:%H:%M}"
            )
        else:
            parts.append(f"due {_day_name(day, now)}{clock}")
    if item.priority is not None:
        parts.append(f"priority {item.priority * 5:.0f}/5")
    return ", ".join(parts)


def _calendar_fragment(material: Material) -> Fragment:
    if not material.events:
        return Fragment("No event was given.")
    todays, free = material.todays, material.free
    lead = f"{_count_text(len(todays), 'event today', 'events today') or 'No event is left today'}."
    if material.clashes:
        first, second = material.clashes[0]
        lead += f" “{_short_title(first.title)}” and “{_short_title(second.title)}” overlap"
        lead += (
            f", and {_count_text(len(material.clashes) - 1, 'other pair')}."
            if len(material.clashes) > 1
            else "."
        )
    if free:
        lead += f" Free: {', '.join(map(slot_text, free[:SHOWN_SLOTS]))}."
    coming = [
        event for event in material.events if event.start > material.now and event not in todays
    ]
    lists = "".join(
        html_fragments.html_list(
            heading,
            (
                summaries.item_entry(free_time.event_item(event), _about_event(event, material.now))
                for event in events[:SHOWN]
            ),
        )
        + _and_more(len(events) - SHOWN)
        for heading, events in (("Today", todays), ("Later", coming))
    )
    return Fragment(lead, lists)


def _about_event(event: Event, now: datetime) -> str:
    clash = ", overlaps another event" if event.conflict else ""
    day = "" if event.on(now.date()) else _day_name(event.start.date(), now)
    clock = "all day" if event.whole_day else slot_text(Slot(event.start, event.end))
    return f"{f'{day} ' if day else ''}{clock}{clash}"


def _notes_fragment(notes: Notes | None, now: datetime) -> Fragment:
    if notes is None:
        return Fragment("This credential may not read notes.")
    lists = "".join(
        html_fragments.html_list(
            heading, (summaries.item_entry(note.item, _about_note(note, now)) for note in group)
        )
        + _and_more(more)
        for heading, group, more in (
            ("Changed", notes.changed, notes.total - len(notes.changed)),
            ("Pinned", notes.pinned, 0),
        )
    )
    changed = _count_text(notes.total, "note has changed", "notes have changed")
    boxes = sum(note.open_boxes for note in (*notes.changed, *notes.pinned))
    ticked = f" {_count_text(boxes, 'box is', 'boxes are')} not ticked yet." if boxes else ""
    return Fragment(f"{changed}.{ticked}" if changed else f"No note has changed.{ticked}", lists)


def _about_note(note: Note, now: datetime) -> str:
    boxes = _count_text(note.open_boxes, "open box", "open boxes")
    return ", ".join(
        part
        for part in (
            f"changed {relative_time(note.changed, now)}",
            "pinned" if note.item.pinned else "",
            boxes,
        )
        if part
    )


def _email_fragment(material: Material) -> Fragment:
    if not material.emails:
        return Fragment("No e-mail was given.")
    sent = dict(material.emails)
    sold = [item for item in sent if sender_of(item) is Sender.SELLER]
    others = [
        one.item
        for one in quadrants.rank_items((item for item in sent if item not in sold), material.now)
    ]
    waiting, rest = (
        [item for item in others if item.needs_reply],
        [item for item in others if not item.needs_reply],
    )
    rest.sort(key=lambda item: item.level != "high")  # sorting keeps the order of rank inside
    lists = "".join(
        html_fragments.html_list(
            heading,
            (
                summaries.item_entry(item, _about_email(item, sent[item], material.now))
                for item in items[:SHOWN]
            ),
        )
        + _and_more(len(items) - SHOWN)
        for heading, items in (("To answer", waiting), ("Others", rest))
    )
    counts = [
        _count_text(len(waiting), "e-mail needs a reply", "e-mails need a reply"),
        _count_text(len(rest), "other"),
        _count_text(len(sold), "advertisement"),
    ]
    said = _join_list([count for count in counts if count])
    return Fragment(f"{said[0].upper()}{said[1:]}.", lists)


def _about_email(item: Item, sent: datetime | None, now: datetime) -> str:
    parts = (
        mail.sender_name(item.sender),
        relative_time(sent, now) if sent else "",
        "high priority" if item.level == "high" else "",
    )
    return ", ".join(part for part in parts if part)


def _day_name(day: date, now: datetime) -> str:
    days = (day - now.date()).days
    names = {0: "today", 1: "tomorrow"}
    return names.get(days) or (f"on {day:%A}" if 1 < days < 7 else day.isoformat())


def slot_text(slot: Slot) -> str:
    """Return from when to when a stretch of time is."""
    return f"{slot.start:%H:%M}–{slot.end:%H:%M}"


def _and_more(number: int) -> str:
    return html_fragments.lead_paragraph(f"and {number} more") if number > 0 else ""


def _short_title(title: str) -> str:
    return html_fragments.fit_line(title, 60)


def _count_text(number: int, one: str, several: str = "") -> str:
    """Return how many there are, or nothing for none."""
    return counted(number, one, several) if number else ""


def _join_list(parts: Iterable[str]) -> str:
    *most, last = [*parts] or [""]
    return f"{', '.join(most)} and {last}" if most else last
