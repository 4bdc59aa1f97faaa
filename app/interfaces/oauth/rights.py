"""The scopes that a user may give away, by what they are about, and which words say each."""

import re
from collections.abc import Iterable

import msgspec

CHANGES, ACTS = "changes", "acts"
NOT_IN_NAMES = re.compile("[.:]")


class Right(msgspec.Struct, frozen=True):
    """A scope; `effect` says that it is for more than reading."""

    scope: str
    effect: str = ""

    @property
    def words(self) -> str:
        """The name of the sentence that says what it allows."""
        return f"consent.right.{NOT_IN_NAMES.sub('_', self.scope)}"

    @property
    def changes(self) -> bool:
        """Whether it changes what the user has."""
        return self.effect == CHANGES

    @property
    def acts(self) -> bool:
        """Whether others hear or see what is done with it."""
        return self.effect == ACTS


class Group(msgspec.Struct, frozen=True):
    """The rights about one thing."""

    name: str
    rights: tuple[Right, ...]

    @property
    def title(self) -> str:
        """The name of the words for that thing."""
        return f"consent.about.{self.name}"


GROUPS = (
    Group("you", (Right("openid"), Right("profile"), Right("email"), Right("offline_access"))),
    Group(
        "notes",
        (
            Right("os.notes:read"),
            Right("os.notes:write", CHANGES),
            Right("os.snapshots:read"),
            Right("os.snapshots:write", CHANGES),
            Right("os.memory:read"),
        ),
    ),
    Group("todos", (Right("os.todos:read"), Right("os.todos:write", CHANGES))),
    Group(
        "agent",
        (
            Right("agent.chat:run", CHANGES),
            Right("agent.chat:read"),
            Right("os.heartbeat:read"),
            Right("os.heartbeat:run", CHANGES),
            Right("escalations:read"),
            Right("escalations:decide", ACTS),
            Right("agents:read"),
            Right("agents:manage", CHANGES),
        ),
    ),
    Group(
        "tools",
        (
            Right("tools:run", ACTS),
            Right("tools:read"),
            Right("tools:manage", CHANGES),
            Right("webhooks:manage", CHANGES),
            Right("runtime:connect", ACTS),
        ),
    ),
    Group(
        "people",
        (
            Right("os.network:read"),
            Right("agent.message:send", ACTS),
            Right("net.contacts:manage", ACTS),
            Right("os.share:read"),
            Right("os.share:write", ACTS),
            Right("os.team:read"),
            Right("os.team:write", ACTS),
        ),
    ),
    Group(
        "server",
        (
            Right("os.status:read"),
            Right("metering:read"),
            Right("metering:manage", CHANGES),
            Right("raw.memory:read"),
            Right("raw.memory:write", CHANGES),
        ),
    ),
)


def groups_of(scopes: Iterable[str]) -> list[Group]:
    """Return the rights that `scopes` are, by what they are about."""
    wanted = set(scopes)
    found = [
        Group(group.name, tuple(right for right in group.rights if right.scope in wanted))
        for group in GROUPS
    ]
    return [group for group in found if group.rights]
