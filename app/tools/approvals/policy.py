"""What an agent's call may do, decided by a table outside of any model.

Allow, ask the owner, or deny.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from app.core.operation import Risk, Taint
from app.tools.approvals.call_origin import Column

Verdict = Literal["allow", "ask", "deny"]
STRICTER: Mapping[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}

TABLE: Mapping[Column, Mapping[Risk, Verdict]] = {
    "chat": {"R": "allow", "W": "allow", "O": "ask", "X": "ask"},
    "direct": {"R": "allow", "W": "allow", "O": "allow", "X": "allow"},
    "messages": {"R": "allow", "W": "deny", "O": "deny", "X": "deny"},
    "actions": {"R": "allow", "W": "allow", "O": "ask", "X": "ask"},
    "rpc": {"R": "allow", "W": "allow", "O": "deny", "X": "deny"},
    "guest": {"R": "allow", "W": "allow", "O": "deny", "X": "deny"},
    "managed_agent": {"R": "allow", "W": "allow", "O": "ask", "X": "deny"},
    "runtime": {"R": "allow", "W": "ask", "O": "ask", "X": "deny"},
}
"""By where the call comes from and what the tool can do.

Rights are narrower than this or not at all: a scope that is not held is refused first.
"""

EDITS = frozenset(
    {
        "edit_note",
        "move_note",
        "pin_note",
        "restore_snapshot",
        "trash_note",
        "delete_todo",
        "change_folder",
        "delete_folder",
    }
)
"""What changes a note or folder that is there, or puts something into the trash."""
EDITS_ASKED = frozenset[Column]({"actions", "rpc", "guest", "managed_agent"})
"""From where a change of a note that is there is asked for."""
DRAFTS = frozenset({"message_draft", "reminder"})
OWN: Mapping[Column, frozenset[str]] = {
    "messages": DRAFTS | {"memory_write"},
    "actions": DRAFTS | {"memory_write"},
}
"""What reaches nobody but the owner: an agent's own drafts; to a heartbeat its diary is one too."""
SPEAKS: Mapping[Column, Taint] = {"rpc": "agent", "guest": "guest"}
"""Whose words a turn of that kind consists of from the start.

Its grants are made for them, so they are no taint there.
"""
HEARTBEATS = frozenset[Column]({"messages", "actions"})
ASKS_NOBODY = frozenset[Column]({"messages"})
"""Where what would be asked for is denied instead: the heartbeat's plan keeps it as a proposal."""


WHAT: Mapping[Risk, str] = {
    "R": "reads",
    "W": "changes the workspace",
    "O": "reaches others or leaves the machine",
    "X": "cannot be taken back",
}
HOW: Mapping[Verdict, str] = {
    "allow": "is allowed",
    "ask": "waits for the owner's yes",
    "deny": "is not allowed",
}
WHO: Mapping[Column, str] = {
    "chat": "the agent in a chat",
    "direct": "a direct call",
    "messages": "a heartbeat of tier MESSAGES",
    "actions": "a heartbeat of tier ACTIONS",
    "rpc": "another's agent",
    "guest": "a guest",
    "managed_agent": "a managed agent",
    "runtime": "a runtime",
}


class Asked(msgspec.Struct, frozen=True):
    """One call as the policy sees it; `risk` None is a tool that there is not.

    `remote`: the tool is an MCP server's.
    """

    column: Column
    tool: str
    risk: Risk | None
    approval: bool = False
    taint: frozenset[Taint] = frozenset()
    precedent: bool = False
    remote: bool = False


class Decision(msgspec.Struct, frozen=True):
    """What is decided, and why, as a sentence for people."""

    verdict: Verdict
    reason: str


def decide(asked: Asked) -> Decision:
    """Return the strictest of what the rules say (deny before ask before allow).

    What a person has allowed for longer lifts an ask, but never of X.
    """
    found = max(_decisions_of_rules(asked), key=lambda each: STRICTER[each.verdict])
    if found.verdict == "ask" and asked.column in ASKS_NOBODY:
        return Decision("deny", found.reason)
    # X is left out twice, here and where precedents are made: one mistake must not open it.
    if found.verdict == "ask" and asked.precedent and asked.risk != "X":
        return Decision("allow", "The owner has allowed this for longer.")
    return found


def is_sticky(risk: Risk | None) -> bool:
    """Return whether a yes to such a tool may hold for longer than once."""
    return risk != "X"


def depends_on_precedent(asked: Asked) -> bool:
    """Return whether it matters what the owner has allowed for longer."""
    return decide(asked).verdict == "ask" and is_sticky(asked.risk)


def harm_level(risk: Risk, taint: frozenset[Taint]) -> Literal["low", "medium", "high"]:
    """Return how much harm a wrong yes could do: more when words of others are behind the call."""
    levels: tuple[Literal["low", "medium", "high"], ...] = ("low", "medium", "high", "high")
    # Four levels for three words: X with taint is no more than high.
    return levels[{"R": 0, "W": 0, "O": 1, "X": 2}[risk] + bool(taint)]


def _decisions_of_rules(asked: Asked) -> list[Decision]:
    """Return what each rule says that has something to say of the call."""
    if asked.risk is None:
        return [Decision("deny", f"There is no tool called {asked.tool[:80]}.")]
    # A draft that stays with the owner is allowed everywhere, so taint and edits are no matter
    # either.
    own = asked.risk == "W" and asked.tool in OWN.get(asked.column, DRAFTS)
    found = [
        Decision("allow", "An own draft is always allowed.")
        if own
        else _policy_cell(asked, asked.risk)
    ]
    if asked.approval:
        found.append(Decision("ask", "This tool asks each time."))
    if asked.remote and asked.column in HEARTBEATS:
        found.append(Decision("ask", "A heartbeat uses a tool of an MCP server only when asked."))
    if asked.tool in EDITS and asked.column in EDITS_ASKED:
        found.append(Decision("ask", "What is there is changed only when its owner agrees."))
    if (
        (words := asked.taint - {SPEAKS.get(asked.column)})
        and asked.risk in ("W", "O", "X")
        and not own
    ):
        found.append(
            Decision(
                "ask",
                f"Words of others are in play ({', '.join(sorted(words))}), so the owner is "
                "asked first.",
            )
        )
    return found


def _policy_cell(asked: Asked, risk: Risk) -> Decision:
    verdict = TABLE[asked.column][risk]
    return Decision(verdict, f"What {WHAT[risk]} {HOW[verdict]} for {WHO[asked.column]}.")
