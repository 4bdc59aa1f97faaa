"""Conversations with others, as they stand in the inbox and above a thread."""

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person
from app.interfaces.home.rendered import html_of

MOST = 50
MOST_BESIDE = 30
"""Conversations that stand beside a thread; the inbox has the others."""
AGENT_SUFFIX = "_coo"
PREVIEW = 140
SOON = 5 * 60
"""Seconds within which messages of one sender stand together."""
AGENT = "'s agent"
"""How the name of an agent ends that has none of its own."""
_ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)\]']", re.I)

Kind = Literal["person", "agent", "mine", "group"]


class Talk(NamedTuple):
    """A conversation: `agent` is with somebody's agent or a managed one, `mine` what one's own
    agent says to somebody.
    """

    id: int
    kind: Kind
    title: str
    username: str
    preview: str
    at: str
    unread: int


class Line(NamedTuple):
    """A message in a thread; `html` is safe already, else `pieces` are texts and addresses."""

    id: int
    mine: bool
    agent: bool
    who: str
    html: str
    pieces: list[tuple[str, str]]
    at: str
    day: str
    begins: bool
    is_new: bool


async def list_talks(person: Person, most: int = MOST, offset: int = 0) -> tuple[list[Talk], bool]:
    """Return conversations with others, newest first, and whether there are more."""
    found = await person.call("page_conversations", own=False, limit=most, offset=offset)
    talks = [talk_of(person, head, head.messages) for head in found.conversations]
    return talks, found.more


def talk_of(person: Person, head: Any, messages: Sequence[Any]) -> Talk:
    """Return a conversation as a row of the inbox."""
    last = messages[-1] if messages else None
    kind = kind_of(person, head)
    preview = "" if last is None else excerpt(last.content, PREVIEW)
    if last is not None and _is_mine(person, last):
        preview = person.words("people.you_wrote", text=preview)
    elif last is not None and kind in ("group", "mine"):
        preview = f"{_name_of(person, last)}: {preview}"
    return Talk(
        head.conversation_id,
        kind,
        _title_of(person, kind, head),
        "" if head.contact is None else head.contact.username,
        preview,
        head.updated_at,
        head.unread_count,
    )


def kind_of(person: Person, head: Any) -> Kind:
    """Return with whom a conversation is."""
    if head.type == "group":
        return "group"
    if head.type == "direct":
        return "agent" if head.owner_id else "person"
    return "mine" if head.owner_id == person.caller.user_id else "agent"


def recipient_of(person: Person, head: Any, messages: Iterable[Any]) -> str:
    """Return to whom a message is sent from a thread; empty where one only reads."""
    kind = kind_of(person, head)
    if kind == "group":
        return f"group:{head.conversation_id}"
    if kind == "agent" and (managed := managed_in(person, head, messages)):
        return managed
    if kind == "mine" or head.contact is None:
        return ""
    name: str = head.contact.username
    return name + AGENT_SUFFIX if kind == "agent" else name


def managed_in(person: Person, head: Any, messages: Iterable[Any]) -> str:
    """Return the id of the managed agent that speaks in a thread; empty for any other thread."""
    known = {None, person.caller.user_id, head.contact and head.contact.user_id}
    return next(
        (
            each.sender_id
            for each in messages
            if each.sender_type == "agent" and each.sender_id not in known
        ),
        "",
    )


def _title_of(person: Person, kind: Kind, head: Any) -> str:
    if kind == "mine":
        return person.words("people.with_my_agent", name=head.title)
    if kind == "agent" and head.contact is not None:
        return person.words("people.agent_of", name=head.title)
    return str(head.title)


def lines_of(
    person: Person, messages: Sequence[Any], *, owns: bool, unread: int = 0, before: Any = None
) -> list[Line]:
    """Return messages as a thread shows them; `before` is the message that stands above them.

    `owns`: the notes that an agent names in it are one's own.
    """
    others = [each.id for each in messages if not _is_mine(person, each)]
    first_new = others[-unread] if 0 < unread <= len(others) else None
    lines = []
    for above, each in itertools.pairwise([before, *messages]):
        day = person.dates.local(each.created_at).date()
        same_day = above is not None and person.dates.local(above.created_at).date() == day
        agent = each.sender_type == "agent"
        mine = _is_mine(person, each)
        lines.append(
            Line(
                each.id,
                mine,
                agent,
                _name_of(person, each),
                html_of(each.content, leads=owns) if agent else "",
                [] if agent else linked_pieces(each.content),
                person.dates.time(each.created_at),
                "" if same_day else person.dates.day(day),
                not (same_day and above is not None and _goes_on(person, above, each)),
                each.id == first_new,
            )
        )
    return lines


def linked_pieces(text: str) -> list[tuple[str, str]]:
    """Return a text in pieces, each with the address that it is, or with none."""
    pieces, at = [], 0
    for found in _ADDRESS.finditer(text):
        pieces += [(text[at : found.start()], ""), (found.group(), found.group())]
        at = found.end()
    return [piece for piece in (*pieces, (text[at:], "")) if piece[0]]


def _goes_on(person: Person, above: Any, each: Any) -> bool:
    """Return whether a message stands with the one above it, under one name and time."""
    if (above.sender_id, above.sender_label, above.role) != (
        each.sender_id,
        each.sender_label,
        each.role,
    ):
        return False
    between = person.dates.local(each.created_at) - person.dates.local(above.created_at)
    return between.total_seconds() < SOON


def _is_mine(person: Person, message: Any) -> bool:
    return bool(
        message.sender_id == person.caller.user_id
        and message.sender_type == "human"
        and message.role == "user"
    )


def _name_of(person: Person, message: Any) -> str:
    if _is_mine(person, message):
        return person.words("people.you")
    label = str(message.sender_label)
    owner = label.removesuffix(AGENT)
    return label if owner == label else person.words("people.agent_of", name=owner)
