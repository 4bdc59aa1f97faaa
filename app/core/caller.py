"""Who asks, by what way, and with which scopes."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Literal

from app.core.database.tx import Tx
from app.core.grant_scope import GrantScope
from app.core.schema import Record
from app.errors import Forbidden, GrantRevoked, InsufficientScope

Kind = Literal[
    "key", "oauth", "session", "device", "managed_agent", "guest", "peer", "heartbeat", "operator"
]
ActorKind = Literal["user", "key", "agent", "heartbeat", "peer", "guest", "managed_agent", "mcp"]

SCOPES: dict[str, str] = {
    "openid": "sign in with OAuth",
    "profile": "read the name",
    "email": "read the e-mail address",
    "offline_access": "refresh",
    "os.status:read": "read workspace status",
    "os.notes:read": "read folders and notes",
    "os.notes:write": "change folders and notes",
    "os.snapshots:read": "list and read snapshots",
    "os.snapshots:write": "create and restore snapshots",
    "os.todos:read": "list and read todos",
    "os.todos:write": "create, edit, complete, replan and delete todos",
    "os.memory:read": "search memory",
    "os.network:read": "read the network overview, contacts, requests, groups and guest "
    "conversations",
    "os.share:read": "list share links",
    "os.share:write": "create, change and revoke share links",
    "os.team:read": "read team membership and seats",
    "os.team:write": "invite to the team",
    "os.heartbeat:read": "read heartbeat status, policy, runs, instructions and schedule",
    "os.heartbeat:run": "run and undo the heartbeat; change its policy, instructions and schedule",
    "agent.chat:run": "chat and make briefings",
    "agent.chat:read": "read conversations and past briefings",
    "agent.message:send": "send agent messages",
    "net.contacts:manage": "manage requests, permissions, groups and folder shares",
    "tools:run": "call tools that leave the machine",
    "tools:read": "read integrations, MCP servers and namespaces",
    "tools:manage": "change integrations, MCP servers and namespaces",
    "agents:read": "read managed agents",
    "agents:manage": "change managed agents",
    "escalations:read": "read escalations",
    "escalations:decide": "decide escalations",
    "webhooks:manage": "manage webhooks",
    "metering:read": "read usage and invoices",
    "metering:manage": "change caps",
    "raw.memory:read": "read raw memory",
    "raw.memory:write": "upload, delete and enrol raw memory; change its keys",
    "runtime:connect": "connect a runtime",
    "account:manage": "change settings, keys and OAuth grants",
}
IMPLIED: dict[str, tuple[str, ...]] = {
    "agent.message:send": ("agent.chat:run", "agent.chat:read"),
    "tools:manage": ("tools:read",),
    "agents:manage": ("agents:read",),
    "escalations:decide": ("escalations:read",),
    "metering:manage": ("metering:read",),
}
EVERYTHING = ("*",)
NOBODY = 0
"""The row of no user: what is looked up as theirs is never there."""
WITHHELD: dict[Kind, frozenset[str]] = {
    "oauth": frozenset({"account:manage"}),
    "managed_agent": frozenset(
        {"metering:manage", "escalations:decide", "account:manage", "agents:manage"}
    ),
}
"""What no credential of a kind may do, whatever it was granted."""


class Actor(Record):
    """Who did something, as it stands on snapshots, trash and escalations."""

    kind: ActorKind
    id: str | None
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class AgentIdentity:
    """The managed agent as which a caller acts for its owner.

    `namespaces` are the only ones whose tools it sees. `before` are the agents whose turns have
    led to this one, the first first. `asked_by_other`: not its owner has asked it.
    """

    id: int
    user_id: str
    handle: str
    name: str
    namespaces: frozenset[str] = frozenset()
    before: tuple[int, ...] = ()
    asked_by_other: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Caller:
    """One asker: the user it acts for, the credential it came with and the rights of that
    credential.

    `user` is the row the SQL names; `user_id` the UUID the contract shows. `scopes` are as
    granted, `rights` what they come to. `device` is the device that this call says it comes
    from, `through` the program that acts for the user, where one stands between. A caller with a
    `reach` acts for its owner within a grant alone, and `renew` gives it as that grant is now,
    None when it is gone. `withheld` are notes of its own that it is not shown, wherever they
    lie. `owns` is the user whose whole workspace lies open to it: nobody's, for one that reaches
    but a part. `agent` is the managed agent that it is: `user` is then that agent's owner.
    """

    user: int
    user_id: str
    username: str
    kind: Kind
    scopes: tuple[str, ...] = EVERYTHING
    credential: int | None = None
    name: str | None = None
    prefix: str | None = None
    expires_at: str | None = None
    device: str | None = None
    through: Literal["mcp"] | None = None
    reach: GrantScope | None = None
    withheld: frozenset[int] = frozenset()
    agent: AgentIdentity | None = None
    renew: "Callable[[Tx], Caller | None] | None" = dataclasses.field(
        default=None, repr=False, compare=False
    )
    rights: frozenset[str] = dataclasses.field(init=False, repr=False)
    owns: int = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "owns", self.user if self.reach is None or self.reach.notes == "all" else NOBODY
        )
        # worked out once, since every request asks for it
        rights = implied_scopes(self.scopes)
        object.__setattr__(
            self, "rights", rights - WITHHELD[self.kind] if self.kind in WITHHELD else rights
        )

    @property
    def hidden(self) -> frozenset[int]:
        """Return the notes that the caller is not shown although they lie where it may read."""
        return self.withheld if self.reach is None else self.reach.hidden

    @property
    def credential_id(self) -> str:
        """Return the name under which the credential is counted: its kind and number.

        A managed agent without a key is counted under its own number.
        """
        if self.agent is not None and self.credential is None:
            return f"agent:{self.agent.id}"
        return self.kind if self.credential is None else f"{self.kind}:{self.credential}"

    @property
    def device_id(self) -> str | None:
        """Return the device that is at work.

        The one that the call names, else the credential; None for what comes from no device.
        """
        return self.device or (None if self.credential is None else self.credential_id)

    @property
    def bound_device(self) -> str | None:
        """Return the device that the caller's token belongs to; None for all other credentials.

        What a key says of itself in a header is no proof.
        """
        return self.device if self.kind == "device" else None

    def may(self, scopes: tuple[str, ...]) -> bool:
        """Return whether one of `scopes` is held; an empty tuple asks for nothing."""
        return not scopes or not self.rights.isdisjoint(scopes)

    def require(self, scopes: tuple[str, ...]) -> None:
        """Raise InsufficientScope, naming the scope, unless one of `scopes` is held."""
        if not self.may(scopes):
            raise InsufficientScope(
                f"This credential lacks the scope {' or '.join(scopes)}.", scope=scopes[0]
            )

    def reaches(self, operation: str) -> bool:
        """Return whether the grant behind the caller, if it is one's, includes the operation."""
        return self.reach is None or operation in self.reach.operations

    def require_reach(self, operation: str) -> None:
        """Raise Forbidden unless the grant behind the caller, if it is one's, includes the
        operation.
        """
        if not self.reaches(operation):
            raise Forbidden(
                f"The grant that this was asked by does not include {operation[:80]}.",
                reason="not_granted",
            )

    def renew_grant(self, tx: Tx) -> "Caller":
        """Return the caller as its grant is at this moment; raise GrantRevoked when that is
        gone."""
        if self.renew is None:
            return self
        now = self.renew(tx)
        if now is None:
            raise GrantRevoked("The grant that this was asked by is gone.")
        if (self.device, self.through) == (now.device, now.through):
            return now
        return dataclasses.replace(now, device=self.device, through=self.through)

    def with_grant_now(self, tx: Tx, operation: str) -> "Caller":
        """Return the caller as its grant is at this moment.

        Raise GrantRevoked or Forbidden unless it includes the operation still.
        """
        now = self.renew_grant(tx)
        now.require_reach(operation)
        return now

    @property
    def actor(self) -> Actor:
        """Return the caller as the actor of what it does."""
        if self.agent is not None:
            return Actor("managed_agent", str(self.agent.id), self.agent.name)
        if self.through is not None and self.kind in ("key", "oauth", "session"):
            number = None if self.credential is None else str(self.credential)
            return Actor(self.through, number, self.name or self.username)
        match self.kind:
            case "key":
                return Actor("key", str(self.credential), self.name or "")
            case "oauth":
                return Actor("key", self.credential_id, self.name or "")
            case "heartbeat" | "guest" | "peer":
                return Actor(
                    self.kind,
                    str(self.credential) if self.credential else None,
                    self.name or self.username,
                )
            case _:
                # sessions, devices and applications act as the user they belong to
                return Actor("user", self.user_id, self.username)


@functools.cache
def implied_scopes(scopes: tuple[str, ...]) -> frozenset[str]:
    """Return every scope that `scopes` come to: all for `*`, and those that another implies."""
    if "*" in scopes:
        return frozenset(SCOPES)
    return frozenset(scopes).union(*(IMPLIED.get(scope, ()) for scope in scopes))


OPERATOR = Caller(user=0, user_id="", username="", kind="operator")
"""Whoever may use the command line on the data directory: sets up users and keys, owns nothing."""
