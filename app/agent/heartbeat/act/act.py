"""Stage B, the acting: each proposal is checked and then done, asked for or left.

Only the rights of the run's caller decide.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.heartbeat.act import before_images, effects
from app.agent.heartbeat.records import action_rows, tiers
from app.agent.heartbeat.records.action_rows import Change, Entry, Status
from app.agent.heartbeat.records.proposals import ActionType, Proposal
from app.agent.heartbeat.records.run_rows import BegunRun
from app.agent.heartbeat.records.tiers import Way
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint
from app.errors import AppError
from app.tools.approvals import audit, change_preview, escalation_rows, policy, tool_gate
from app.tools.approvals.call_origin import Origin

REASON = "A heartbeat does this only with its owner's yes."
ENDED_AS: dict[escalation_rows.Ended, Status] = {"executed": "executed", "failed": "failed"}
"""What becomes of an action that waited; in any other case it was not done."""
TAINTED = "Words of others were in play when the agent proposed this."


class PreparedAction(msgspec.Struct, frozen=True):
    """A proposal that was looked at.

    What is to become of it, the call that waits for a yes, or why it cannot be.
    """

    proposal: Proposal
    way: Way
    call: tool_gate.Call | None = None
    refusal: AppError | None = None
    taint: frozenset[Taint] = frozenset()


class Outcome(msgspec.Struct, frozen=True):
    """What became of a proposal."""

    proposal: Proposal
    status: Status
    result: Mapping[str, Any] | None


async def prepare_action(
    app: App, me: Caller, proposal: Proposal, taint: frozenset[Taint]
) -> PreparedAction:
    """Check a proposal before it is acted on.

    What needs a yes is turned into the very call that will be made.
    """
    way = tiers.way_of_action(me, proposal.type, tainted=bool(taint) and proposal.by_model)
    if way != "ask":
        return PreparedAction(proposal, way)
    try:
        call = await tool_gate.plan_call(
            app,
            tiers.approved_caller(me, proposal.type),
            effects.tool_for_action(proposal.type, proposal.payload),
            _tool_parameters(proposal),
        )
    except AppError as refusal:
        return PreparedAction(proposal, way, refusal=refusal)
    return PreparedAction(proposal, way, call, taint=taint if proposal.by_model else frozenset())


def attempt_action(tx: Tx, me: Caller, begun: BegunRun, ready: PreparedAction) -> Outcome:
    """Act on a proposal, with its row and its line in the audit in the same transaction.

    A refusal is kept as a failed action.
    """
    proposal = ready.proposal
    entry = Entry(**{name: getattr(proposal, name) for name in Entry._fields})
    if ready.refusal is not None:
        return _note_refusal(tx, begun, entry, proposal, ready.refusal)
    try:
        with tx.savepoint():
            # A refusal undoes what the action did and leaves the row that says so.
            match ready.way:
                case "execute":
                    return _execute_action(tx, me, begun, entry, proposal)
                case "ask":
                    return _ask_owner(tx, begun, entry, ready)
                case "propose":
                    action_rows.add(tx, begun.user, begun.id, entry, status="proposed")
                    return Outcome(proposal, "proposed", None)
    except AppError as refusal:
        return _note_refusal(tx, begun, entry, proposal, refusal)


def settle_action(tx: Tx, found: escalation_rows.Settled) -> None:
    """Note on its action how an escalation ended."""
    action = (
        None
        if found.origin.action_id is None
        else action_rows.find(tx, found.user, found.origin.action_id)
    )
    if action is None or action["status"] != "awaiting_approval":
        return
    status = ENDED_AS.get(found.status, "undone")
    changes = None
    if status == "executed":
        changes = [
            change._replace(after=before_images.take_image(tx, found.user, change.kind, change.id))
            for change in action_rows.changes_of(action)
        ]
    action_rows.settle(
        tx, action["id"], status, result={"escalation": found.status}, changes=changes
    )


def _execute_action(
    tx: Tx, me: Caller, begun: BegunRun, entry: Entry, proposal: Proposal
) -> Outcome:
    me.require((tiers.RIGHTS[proposal.type],))
    done = effects.EFFECTS[proposal.type](tx, me, proposal.payload)
    target = done.target or entry.target
    action_rows.add(
        tx,
        begun.user,
        begun.id,
        entry._replace(target=target),
        status="executed",
        result=done.result,
        changes=done.changes,
    )
    add_to_audit(tx, me, proposal.type, proposal.payload, "done")
    return Outcome(proposal, "executed", done.result)


def _ask_owner(tx: Tx, begun: BegunRun, entry: Entry, ready: PreparedAction) -> Outcome:
    call = ready.call
    if call is None:
        raise ValueError("what is asked for has a call")
    # In the same transaction as the escalation: what is shown is what is frozen.
    seen = change_preview.preview_call(tx, call.me, call.tool, call.params)
    target = None if seen.target is None else (seen.target.kind, seen.target.id)
    action = action_rows.add(
        tx, begun.user, begun.id, entry._replace(target=target or entry.target), status="proposed"
    )
    escalation = escalation_rows.raise_(
        tx,
        call.me,
        kind="message_send" if entry.type == "message_send" else "tool_call",
        origin=Origin("heartbeat", run_id=begun.id, action_id=action, tier=begun.tier),
        tool=call.tool.name,
        arguments=call.params,
        summary=seen.summary,
        reason=TAINTED if ready.taint else REASON,
        preview=seen.preview,
        risk=policy.harm_level(call.tool.operation.risk_class, ready.taint),
        target=seen.target,
        taint=ready.taint,
        definition=call.tool,
    )
    before = []
    if target is not None:
        before = [Change(*target, before_images.take_image(tx, begun.user, *target), None)]
    action_rows.await_approval(tx, action, escalation, before)
    return Outcome(ready.proposal, "awaiting_approval", None)


def _note_refusal(
    tx: Tx, begun: BegunRun, entry: Entry, proposal: Proposal, refusal: AppError
) -> Outcome:
    result = {"error": refusal.code, "message": refusal.message}
    action_rows.add(tx, begun.user, begun.id, entry, status="failed", result=result)
    return Outcome(proposal, "failed", result)


def add_to_audit(
    tx: Tx, me: Caller, type_: ActionType, payload: Mapping[str, Any], outcome: str
) -> None:
    """Put an action that was done, or refused, into the audit."""
    sha = escalation_rows.arguments_digest(escalation_rows.canonical_json(payload))
    audit.add(tx, me, audit.Entry("call", f"heartbeat.{type_}", sha, outcome, "heartbeat"))


def _tool_parameters(proposal: Proposal) -> Mapping[str, Any]:
    """Return the tool's parameters for an action's payload."""
    if proposal.type == "todo_reschedule":
        return {name: value for name, value in proposal.payload.items() if name != "from"}
    return proposal.payload
