"""What a run may do: its tier is the rights of the caller that acts in it, and no other rule."""

import dataclasses
import sqlite3
from typing import Literal

from app.agent.heartbeat.records import schedule_rows
from app.agent.heartbeat.records.proposals import ActionType
from app.agent.heartbeat.records.schedule_rows import Tier
from app.core.caller import EVERYTHING, Caller
from app.core.database.tx import Tx
from app.tools.approvals import call_origin

READS = (
    "os.status:read",
    "os.notes:read",
    "os.snapshots:read",
    "os.todos:read",
    "os.memory:read",
    "os.network:read",
    "agent.chat:read",
)
SPEAK = "heartbeat:speak"
REMEMBER = "heartbeat:remember"
CREATE_NOTES = "heartbeat:create_notes"
"""Rights that no credential can be given: only a run's caller has them."""
NEEDS: dict[str, str] = {REMEMBER: "os.notes:write", CREATE_NOTES: "os.notes:write"}
"""The scope that whoever begins a run must hold for the run to have such a right.

A run never does what its beginner could not do.
"""
TIERS: dict[Tier, tuple[str, ...]] = {
    "MESSAGES": (*READS, SPEAK, REMEMBER),
    "ACTIONS": (*READS, SPEAK, REMEMBER, CREATE_NOTES, "os.todos:write"),
}
RIGHTS: dict[ActionType, str] = {
    "message_draft": SPEAK,
    "reminder": SPEAK,
    "memory_write": REMEMBER,
    "todo_create": "os.todos:write",
    "todo_update": "os.todos:write",
    "todo_reschedule": "os.todos:write",
    "note_create": CREATE_NOTES,
    "note_edit": "os.notes:write",
    "message_send": "agent.message:send",
}
"""The right that each type of action takes."""
ASKS: dict[Tier, tuple[str, ...]] = {
    "MESSAGES": (),
    "ACTIONS": ("os.notes:write", "os.todos:write", "agent.message:send"),
}
"""What a tier may ask its owner for.

A yes lends such a scope for that one action, if whoever began the run holds it.
"""
OWNERS = ("key", "session", "operator", "heartbeat")
"""Kinds of credentials that are the owner's own.

With any other one a run can be narrower than the policy, never wider.
"""

Way = Literal["execute", "ask", "propose"]


def run_caller(me: Caller, tier: Tier) -> Caller:
    """Return the caller that acts in a run which `me` begins."""
    held = tuple(
        right for right in TIERS[tier] if right == SPEAK or me.may((NEEDS.get(right, right),))
    )
    # A right to ask and not the scope itself: only a yes lends that.
    held += tuple(_asking_scope(scope) for scope in ASKS[tier] if me.may((scope,)))
    return _heartbeat_caller(me, held)


def way_of_action(me: Caller, type_: ActionType, *, tainted: bool = False) -> Way:
    """Return what becomes of an action in a run of that caller.

    Done, asked for, or left as a proposal.

    What others' words may have led a model to is never done without a yes, but for what is said
    to the owner alone.
    """
    right = RIGHTS[type_]
    # Words to the owner alone can do no harm, whoever inspired them.
    if me.may((right,)) and not (tainted and right != SPEAK):
        return "execute"
    return "ask" if me.may((_asking_scope(_scope_of_action(type_)),)) else "propose"


def possible_actions(me: Caller) -> tuple[ActionType, ...]:
    """Return the types of action that a run of that caller does, or asks for."""
    return tuple(type_ for type_ in RIGHTS if way_of_action(me, type_) != "propose")


def deputy_caller(me: Caller, type_: ActionType) -> Caller:
    """Return the caller that does what a run proposed and `me` wants done.

    The heartbeat, with no right that `me` lacks. Raises InsufficientScope.
    """
    right, scope = RIGHTS[type_], _scope_of_action(type_)
    held = tuple(one for one in READS if me.may((one,)))
    if right != SPEAK:
        me.require((scope,))
        held += (scope,)
    return _heartbeat_caller(me, (*held, right))


def approved_caller(me: Caller, type_: ActionType) -> Caller:
    """Return the caller that an action has once its owner has said yes.

    The run's, with the one right more.
    """
    return dataclasses.replace(
        me, scopes=(*(scope for scope in me.scopes if scope in READS), _scope_of_action(type_))
    )


def choose_tier(me: Caller, policy: Tier, asked: Tier | None) -> Tier:
    """Return the tier of a run that `me` begins and for which it may have asked for another one
    than the policy's.
    """
    if asked is None or me.kind in OWNERS:
        return asked or policy
    return "MESSAGES" if "MESSAGES" in (asked, policy) else "ACTIONS"


def current_scopes(tx: Tx, escalation: sqlite3.Row) -> tuple[str, ...] | None:
    """Return what an action that waits may still have of its rights.

    All, as long as the tier is the one that its run had, or was asked for with it.
    """
    run = tx.one(
        "SELECT tier, overridden FROM heartbeat_runs WHERE id = :id AND user_id = :user",
        id=call_origin.unpack_origin(escalation["origin"]).run_id,
        user=escalation["user_id"],
    )
    # A tier that was asked for with the run was no matter of the policy.
    if run is not None and (
        not run["overridden"]
        and schedule_rows.heartbeat_of(tx, escalation["user_id"]).policy != run["tier"]
    ):
        return None
    return EVERYTHING


def _heartbeat_caller(me: Caller, scopes: tuple[str, ...]) -> Caller:
    # Without the credential: what the heartbeat does must not count as done by it.
    return dataclasses.replace(
        me,
        kind="heartbeat",
        scopes=scopes,
        credential=None,
        name="Heartbeat",
        prefix=None,
        expires_at=None,
    )


def _asking_scope(scope: str) -> str:
    """Return the right to ask for a scope.

    Like the others of a run it is none that a credential can hold.
    """
    return f"heartbeat:ask {scope}"


def _scope_of_action(type_: ActionType) -> str:
    right = RIGHTS[type_]
    return NEEDS.get(right, right)
