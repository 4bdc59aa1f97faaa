"""Where an agent's call comes from.

A chat with the owner, a heartbeat, a peer, a guest, or a credential that calls by itself.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from app.core.caller import Caller
from app.core.schema import Record

Kind = Literal["chat", "heartbeat", "rpc", "guest", "managed_agent", "runtime", "mcp"]
Tier = Literal["MESSAGES", "ACTIONS"]
Column = Literal[
    "chat", "direct", "messages", "actions", "rpc", "guest", "managed_agent", "runtime"
]


class Shown(Record, omit_defaults=True):
    """An origin as the contract shows it."""

    kind: str
    conversation_id: int | UnsetType = UNSET
    run_id: int | UnsetType = UNSET
    action_id: int | UnsetType = UNSET
    share_token: str | UnsetType = UNSET
    agent_id: int | UnsetType = UNSET
    communication_session_id: str | UnsetType = UNSET


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a call comes from. A heartbeat names its tier, a call of another's agent the `peer`
    (that user's id).
    """

    kind: Kind
    conversation_id: int | None = None
    run_id: int | None = None
    action_id: int | None = None
    share_token: str | None = None
    agent_id: int | None = None
    communication_session_id: str | None = None
    tier: Tier | None = None
    peer: str | None = None

    @property
    def column(self) -> Column:
        """The column of the policy that holds for it.

        A heartbeat without a tier has the narrower one.
        """
        if self.kind == "heartbeat":
            return "actions" if self.tier == "ACTIONS" else "messages"
        return "direct" if self.kind == "mcp" else self.kind

    @property
    def shown(self) -> Shown:
        """The origin in the words of the contract."""
        fields = {name: getattr(self, name) for name in Shown.__struct_fields__}
        return Shown(**{name: value for name, value in fields.items() if value is not None})

    def key(self, me: Caller) -> str:
        """Name those whose calls are of the same origin.

        What a person allows one of them, the others of that kind are not allowed.
        """
        match self.kind:
            # Without the conversation or run: a yes for 30 days holds in all of them.
            case "chat" | "heartbeat":
                return self.kind
            case "rpc":
                return f"rpc {self.peer}"
            case "guest":
                return f"guest {self.share_token}"
            case "managed_agent":
                return f"managed_agent {self.agent_id}"
            case "runtime":
                return f"runtime {self.communication_session_id}"
            case _:
                # One key's permission is not another's, though both are the same owner's.
                return f"mcp {me.kind} {me.credential}"

    def session(self, me: Caller) -> str:
        """Name what ends when a permission for this session ends.

        The conversation, the run, or else the credential.
        """
        if self.conversation_id is not None:
            return f"conversation {self.conversation_id}"
        if self.run_id is not None:
            return f"run {self.run_id}"
        return (
            self.key(me) if self.kind not in ("chat", "heartbeat") else f"{me.kind} {me.credential}"
        )


def pack_origin(origin: Origin) -> str:
    """Return the origin as it is stored."""
    return msgspec.json.encode(origin).decode()


def unpack_origin(text: str) -> Origin:
    """Return the origin that was stored."""
    return msgspec.json.decode(text, type=Origin)
