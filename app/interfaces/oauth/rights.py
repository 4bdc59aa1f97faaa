"""Each scope in plain words, for the page on which a user gives it away."""

from collections.abc import Iterable

import msgspec

CHANGES, ACTS = "changes things", "acts in your name"


class Right(msgspec.Struct, frozen=True):
    """A scope in words; `mark` says at a glance that it is for more than reading."""

    scope: str
    words: str
    mark: str = ""


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
            Right("offline_access", "Stay connected until you end it, or 30 days go by unused"),
        ),
    ),
    Group(
        "Notes",
        (
            Right("os.notes:read", "Read and search all folders, notes and files"),
            Right("os.notes:write", "Write, move and delete folders, notes and files", CHANGES),
            Right("os.snapshots:read", "Read earlier versions of notes"),
            Right("os.snapshots:write", "Save versions and bring earlier ones back", CHANGES),
            Right("os.memory:read", "Search what your agent remembers, and your conversations"),
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
            Right("escalations:read", "Read the questions that your agent asks you"),
            Right("escalations:decide", "Answer the questions that your agent asks you", ACTS),
            Right("agents:read", "See the agents that you manage"),
            Right("agents:manage", "Make, change and delete agents", CHANGES),
        ),
    ),
    Group(
        "Tools",
        (
            Right("tools:run", "Use tools that reach the web and other services", ACTS),
            Right("tools:read", "See which services and tools are connected"),
            Right("tools:manage", "Connect and disconnect services and tools", CHANGES),
            Right("webhooks:manage", "Send events of your Hearth to other addresses", CHANGES),
            Right("runtime:connect", "Answer your messages as a program of your own", ACTS),
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
            Right("os.team:write", "Invite people to your team and change their roles", ACTS),
        ),
    ),
    Group(
        "This server",
        (
            Right("os.status:read", "See how full your workspace is"),
            Right("metering:read", "See what was used, and invoices"),
            Right("metering:manage", "Change the limits on use", CHANGES),
            Right("raw.memory:read", "Read raw memory, as it was encrypted"),
            Right("raw.memory:write", "Add to and delete raw memory, change its keys", CHANGES),
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
