"""The events that webhooks tell of, and what each says."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from app.core.markdown.shortened import shortened

EventType = Literal[
    "escalation.created",
    "escalation.decided",
    "escalation.expired",
    "message.received",
    "grant.revoked",
    "contact.requested",
    "contact.connected",
    "budget.warning",
    "webhook.test",
]
TEST: EventType = "webhook.test"
EVERY = "*"
LONGEST_TEXT = 2_000
"""Characters of one text: so that no event comes near 64 KiB."""


class About(NamedTuple):
    """What an event is, in a sentence, and the fields of its data."""

    description: str
    fields: tuple[str, ...]


_ESCALATION = (
    "escalationId",
    "kind",
    "toolName",
    "summary",
    "status",
    "decision",
    "expiresAt",
    "decidedAt",
)
EVENTS: Mapping[EventType, About] = {
    "escalation.created": About(
        "An action of an agent stopped and waits for your decision.", _ESCALATION
    ),
    "escalation.decided": About(
        "An action that waited was let go on or stopped, or what allowed it is gone.", _ESCALATION
    ),
    "escalation.expired": About("Nobody decided about an action in time.", _ESCALATION),
    "message.received": About(
        "Somebody wrote to you, to your agent, to a group of yours or by a share link.",
        ("messageId", "conversationId", "mode", "sender", "preview", "createdAt"),
    ),
    "grant.revoked": About(
        "What you or somebody granted has ended or allows less.",
        ("grantKind", "grantId", "by", "reason"),
    ),
    "contact.requested": About(
        "Somebody asks to become a contact, or for access to your agent.", ("requestId", "from")
    ),
    "contact.connected": About("You have a new contact.", ("userId", "username")),
    "budget.warning": About(
        "A cap is used up to the share at which it warns.", ("capId", "used", "limit")
    ),
    TEST: About("You have asked for a test of this webhook.", ()),
}


def event_data(type_: EventType, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an event: the fields of the contract, long texts cut."""
    return {name: _cut(told.get(name)) for name in EVENTS[type_].fields}


def _cut(value: Any) -> Any:
    return shortened(value, LONGEST_TEXT) if isinstance(value, str) else value
