"""What a briefing suggests to do.

Each from one fact, with an id that is the same whenever the same day suggests the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Literal, NamedTuple

from app.agent.briefing import mail
from app.agent.briefing.briefing_facts import Todos
from app.agent.briefing.briefing_html import Material, slot_text
from app.agent.calendar import free_time
from app.agent.calendar.free_time import Event
from app.agent.priorities import expiring_mail, quadrants
from app.agent.priorities.importance import IMPORTANT
from app.agent.priorities.mail_senders import Sender, sender_of
from app.agent.priorities.quadrants import Scored
from app.core import random_tokens
from app.core.markdown.html_fragments import fit_line
from app.core.schema import Record

Action = Literal[
    "create_todo",
    "complete_todo",
    "reschedule_todo",
    "reply_email",
    "review_note",
    "prepare_meeting",
    "other",
]
MOST = 10
LONG_ENOUGH = timedelta(minutes=60)
MOST_OF_A_KIND = 3
CLASH = 175  # of at most 200: before preparing either of the two


class Suggestion(Record):
    """One thing to do; `suggestionId` is a UUID."""

    title: str
    description: str
    action: Action
    suggestion_id: str


class Idea(NamedTuple):
    """A suggestion with what it is about, and how much it matters."""

    points: int
    action: Action
    about: str
    title: str
    description: str


def suggest(material: Material, user_id: str) -> list[Suggestion]:
    """Return at most ten suggestions, the weightiest first."""
    ideas = [
        idea
        for make in (_overdue, _due_today, _emails, _meetings, _clashes, _notes, _focus)
        for idea in make(material)
    ]
    best = sorted(dict.fromkeys(ideas), key=lambda idea: (-idea.points, idea.title, idea.about))[
        :MOST
    ]
    day = material.now.date().isoformat()
    return [
        Suggestion(
            idea.title,
            idea.description,
            idea.action,
            # The same suggestion twice a day has one id, so a client can note that it was
            # dismissed.
            random_tokens.uuid_of_name("\n".join((user_id, idea.action, idea.about, day))),
        )
        for idea in best
    ]


def _overdue(material: Material) -> Iterator[Idea]:
    """Suggest doing what is late and matters, and another day for the rest."""
    late = quadrants.rank_items((material.facts.todos or Todos()).overdue.items, material.now)
    for one in _of_quadrant(late, 1):
        yield Idea(
            one.weight,
            "complete_todo",
            one.item.id,
            f"Do “{_short_title(one)}” now",
            f"{_reason_text(one)}.",
        )
    rest = [one for one in late if one.quadrant != 1]
    if rest:
        names = ", ".join(f"“{_short_title(one)}”" for one in rest[:3])
        about = " ".join(sorted(one.item.id for one in rest))
        yield Idea(
            rest[0].weight,
            "reschedule_todo",
            about,
            f"Give {len(rest)} overdue todo{'s' * (len(rest) > 1)} a new day",
            f"Late and less important: {names}.",
        )


def _due_today(material: Material) -> Iterator[Idea]:
    due = quadrants.rank_items((material.facts.todos or Todos()).today.items, material.now)
    for one in _of_quadrant(due, 1):
        yield Idea(
            one.weight,
            "complete_todo",
            one.item.id,
            f"Finish “{_short_title(one)}” today",
            f"{_reason_text(one)}.",
        )


def _emails(material: Material) -> Iterator[Idea]:
    """Suggest answering what needs a reply, and a todo for what is pressing without one."""
    found = quadrants.rank_items(
        (item for item, _ in material.emails if sender_of(item) is not Sender.SELLER), material.now
    )
    # At most three of each kind, or mails would fill all ten places.
    for one in [one for one in found if one.item.needs_reply][:MOST_OF_A_KIND]:
        sender = mail.sender_name(one.item.sender)
        yield Idea(
            one.weight,
            "reply_email",
            _item_mark(one),
            f"Reply to {fit_line(sender, 60) or 'an e-mail'}",
            f"“{_short_title(one)}”: {_reason_text(one)}.",
        )
    todos = material.facts.todos or Todos()
    known = [item for group in todos.groups for item in group.items]
    has_todo = expiring_mail.todos_of_mail([*(one.item for one in found), *known], material.now)
    for one in [
        one
        for one in _of_quadrant(found, 1)
        if not one.item.needs_reply and one.item not in has_todo
    ]:
        yield Idea(
            one.weight,
            "create_todo",
            _item_mark(one),
            f"Make a todo of “{_short_title(one)}”",
            f"{_reason_text(one)}.",
        )


def _meetings(material: Material) -> Iterator[Idea]:
    coming = quadrants.rank_items(
        (free_time.event_item(event) for event in _events_ahead(material)), material.now
    )
    for one in [one for one in coming if one.importance >= IMPORTANT][:MOST_OF_A_KIND]:
        when = f"{one.item.moment:%H:%M}" if one.item.moment else "all day"
        day = "Today" if one.item.day == material.now.date() else "Tomorrow"
        yield Idea(
            one.weight - 10,
            "prepare_meeting",
            _item_mark(one),
            f"Prepare “{_short_title(one)}”",
            f"{day}, {when}.",
        )


def _clashes(material: Material) -> Iterator[Idea]:
    for first, second in material.clashes[:MOST_OF_A_KIND]:
        about = f"{first.title} {first.start.isoformat()} {second.title} {second.start.isoformat()}"
        names = f"“{fit_line(first.title, 60)}” and “{fit_line(second.title, 60)}”"
        yield Idea(
            CLASH,
            "other",
            about,
            "Resolve a calendar conflict",
            f"{names} overlap at {second.start:%H:%M} on {second.start.date()}: move or "
            "decline one.",
        )


def _notes(material: Material) -> Iterator[Idea]:
    notes = material.facts.notes
    if notes is None:
        return
    for note in sorted(
        (*notes.changed, *notes.pinned),
        key=lambda note: (-note.open_boxes, note.item.title, note.item.id),
    )[:MOST_OF_A_KIND]:
        if note.open_boxes:
            number = f"{note.open_boxes} box{'es' * (note.open_boxes > 1)}"
            yield Idea(
                60 + min(note.open_boxes, 20),
                "review_note",
                note.item.id,
                f"Review “{fit_line(note.item.title, 60)}”",
                f"{number} in it not ticked yet.",
            )


def _focus(material: Material) -> Iterator[Idea]:
    """Suggest using a free hour for what is important and not yet urgent."""
    todos = material.facts.todos or Todos()
    calm = [
        one
        for one in quadrants.rank_items((*todos.soon.items, *todos.later.items), material.now)
        if one.quadrant == 2
    ]
    slot = next((slot for slot in material.free if slot.end - slot.start >= LONG_ENOUGH), None)
    if calm and slot:
        yield Idea(
            calm[0].weight,
            "other",
            calm[0].item.id,
            f"Take an hour for “{_short_title(calm[0])}”",
            f"Important and not yet urgent; {slot_text(slot)} is free.",
        )


def _events_ahead(material: Material) -> list[Event]:
    last = material.now.date() + timedelta(days=1)
    return [
        event
        for event in material.events
        if event.start > material.now and event.start.date() <= last
    ]


def _of_quadrant(found: Sequence[Scored], quadrant: int) -> Iterable[Scored]:
    return [one for one in found if one.quadrant == quadrant][:MOST_OF_A_KIND]


def _item_mark(one: Scored) -> str:
    """Return what tells an item without an id from the others."""
    item = one.item
    return (
        item.id
        or f"{item.title} {item.sender} "
        f"{item.moment.isoformat() if item.moment else item.day or ''}"
    )


def _reason_text(one: Scored) -> str:
    reasons = ", ".join(one.why[:3]) or "important"
    return f"{reasons[0].upper()}{reasons[1:]}"


def _short_title(one: Scored) -> str:
    return fit_line(one.item.title, 60)
