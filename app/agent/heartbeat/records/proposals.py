"""What a run found and what it wants to do about it.

Facts, and the proposals that a brain makes of them.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import msgspec

from app.workspace.todos.todo_records import HIGHEST_PRIORITY

ActionType = Literal[
    "message_draft",
    "reminder",
    "message_send",
    "todo_create",
    "todo_update",
    "todo_reschedule",
    "note_create",
    "note_edit",
    "memory_write",
]
SPOKEN = frozenset({"message_draft", "reminder"})
"""What is said to the owner and changes nothing else."""
LONGEST_TEXT = 4_000
SNOOZE = timedelta(days=1)
SNOOZES = {
    "stale_pins": timedelta(days=7),
    "unpin": timedelta(days=7),
    "weekly_note": timedelta(days=8),
}
"""How long something is not said again while nothing has changed, where that is not a day."""


class Fact(msgspec.Struct, frozen=True):
    """Something that a line of the checklist is about.

    What it concerns, in which state that is, and the values to tell it with.
    """

    item: int
    rule: str
    target: tuple[str, int] | None
    state: str
    about: Mapping[str, Any]
    priority: int = 0

    @property
    def key(self) -> str:
        """The name under which it is told once.

        The same rule, target, state and priority is the same news.
        """
        return news_key(self.rule, self.target, self.state, self.priority)

    @property
    def told_by(self) -> list[str]:
        """The keys under which it was told already.

        A priority that was lowered since makes no news, one that was raised does.
        """
        return [
            news_key(self.rule, self.target, self.state, each)
            for each in range(self.priority, HIGHEST_PRIORITY + 1)
        ]


class Proposal(msgspec.Struct, frozen=True):
    """One thing that a run wants to do or say.

    `says` is its line in the message to the owner; `by_model` when no rule has made it.
    """

    type: ActionType
    title: str
    payload: Mapping[str, Any]
    says: str = ""
    item: int | None = None
    target: tuple[str, int] | None = None
    key: str | None = None
    by_model: bool = False


def news_key(rule: str, target: tuple[str, int] | None, state: str, priority: int = 0) -> str:
    """Return the key of a piece of news."""
    about = "" if target is None else f"{target[0]} {target[1]}"
    return (
        f"{rule} {about} "
        # Hashed, since a state may hold titles and times of any length.
        f"{hashlib.sha256(state.encode()).hexdigest()[:16]}{f' p{priority}' if priority else ''}"
    )


def rule_of(key: str) -> str:
    """Return the rule of a key."""
    return key.partition(" ")[0]
