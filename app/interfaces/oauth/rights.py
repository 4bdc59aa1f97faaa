"""Each scope in plain words, for the page on which a user gives it away."""

from collections.abc import Iterable

import msgspec

CHANGES, ACTS = "changes", "acts"


class Right(msgspec.Struct, frozen=True):
    """A scope in words; `effect` says that it is for more than reading."""

    scope: str
    words: str
    effect: str = ""

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

    title: str
    rights: tuple[Right, ...]


GROUPS = (
    Group(
        "You",
        (
            Right("openid", "Know that it is you who signs in"),
            Right("profile", "See your name and username"),
            Right("email", "See your e-mail address"),
            Right("offline_access", "Stay connected until you end it"),
        ),
    ),
    Group(
        "Notes",
        (
            Right("os.notes:read", "Read and search all notes, folders and files"),
            Right("os.notes:write", "Write, move and delete notes and folders", CHANGES),
            Right("os.snapshots:read", "Read earlier versions of notes"),
            Right("os.snapshots:write", "Save versions, bring back earlier ones", CHANGES),
            Right("os.memory:read", "Search conversations and what your agent remembers"),
        ),
    ),
    Group(
        "Todos",
        (
            Right("os.todos:read", "Read your todos"),
            Right("os.todos:write", "Add, change, complete and delete todos", CHANGES),
        ),
    ),
    Group(
        "Your agent",
        (
            Right("agent.chat:run", "Talk with your agent and make briefings", CHANGES),
            Right("agent.chat:read", "Read your conversations and past briefings"),
            Right("os.heartbeat:read", "See what the heartbeat did and when it runs"),
            Right("os.heartbeat:run", "Run the heartbeat, undo it, change its rules", CHANGES),
            Right("escalations:read", "Read the questions of your agent"),
            Right("escalations:decide", "Answer the questions of your agent", ACTS),
            Right("agents:read", "See the agents that you manage"),
            Right("agents:manage", "Make, change and delete agents", CHANGES),
        ),
    ),
    Group(
        "Tools",
        (
            Right("tools:run", "Use the web and other connected services", ACTS),
            Right("tools:read", "See which services and tools are connected"),
            Right("tools:manage", "Connect and disconnect services and tools", CHANGES),
            Right("webhooks:manage", "Send events to other addresses", CHANGES),
            Right("runtime:connect", "Answer guests and messages for your agent", ACTS),
        ),
    ),
    Group(
        "People",
        (
            Right("os.network:read", "See your contacts, requests, groups and guests"),
            Right("agent.message:send", "Send messages to people and their agents", ACTS),
            Right("net.contacts:manage", "Accept contacts and decide what they may see", ACTS),
            Right("os.share:read", "See your share links"),
            Right("os.share:write", "Make, change and end share links", ACTS),
            Right("os.team:read", "See your team"),
            Right("os.team:write", "Invite people to your team, change roles", ACTS),
        ),
    ),
    Group(
        "This server",
        (
            Right("os.status:read", "See how full your workspace is"),
            Right("metering:read", "See what was used, and invoices"),
            Right("metering:manage", "Change the limits on use", CHANGES),
            Right("raw.memory:read", "Read raw memory, still encrypted"),
            Right("raw.memory:write", "Add, delete and re-key raw memory", CHANGES),
        ),
    ),
)


def groups_of(scopes: Iterable[str]) -> list[Group]:
    """Return the rights that `scopes` are, by what they are about."""
    wanted = set(scopes)
    found = [
        Group(group.title, tuple(right for right in group.rights if right.scope in wanted))
        for group in GROUPS
    ]
    return [group for group in found if group.rights]
