"""What the owner decides in a chat: what waits for a yes or no, and requests of contacts.

No tool decides and no model can: it is done for words that the owner typed, which rules have read,
with the rights of the owner's credential.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.turn.live_turn import ToolResult, Turn
from app.core.schema import encode
from app.errors import AppError, Forbidden
from app.tools.approvals import decide, escalation_rows
from app.tools.approvals.call_origin import Origin

SCOPES: Mapping[str, str] = {
    "decide_escalation": "escalations:decide",
    "answer_request": "net.contacts:manage",
}
"""The operations by which something is decided, and the right that each takes."""


def offered(turn: Turn) -> frozenset[str]:
    """Return the operations by which the caller of a turn may decide in it."""
    me = turn.me
    own = turn.origin.kind == "chat" and me.kind in decide.OWNERS and me.agent is None
    if not own or turn.interceptor is not None:
        return frozenset()
    return frozenset(name for name, scope in SCOPES.items() if me.may((scope,)))


async def settle(turn: Turn, operation: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Decide as the turn's caller; what was asked for in this very chat may only be taken back."""
    try:
        done = await turn.app.call(turn.me, operation, dict(arguments))
    except Forbidden:
        if arguments.get("decision") == "stop" and await _taken_back(turn, arguments["id"]):
            return ToolResult({"escalation": {"id": arguments["id"], "status": "superseded"}})
        # Where the owner decides instead, the answer says in its language.
        return ToolResult("", "failed")
    except AppError as error:
        return ToolResult(error.message, "failed")
    return ToolResult(msgspec.json.decode(encode(done)))


async def _taken_back(turn: Turn, escalation: int) -> bool:
    """Take back what this chat asked for with the same credential; return whether it has."""
    failure = Forbidden("It was taken back in the chat that asked for it.", reason="taken_back")

    def is_meant(origin: Origin, row: sqlite3.Row) -> bool:
        same = row["credential_kind"] == turn.me.kind and row["credential"] == turn.me.credential
        return bool(row["id"] == escalation and same and origin == turn.origin)

    ended: int = await turn.app.write(
        escalation_rows.supersede, turn.me, turn.me.user, is_meant, failure=failure
    )
    return ended > 0
