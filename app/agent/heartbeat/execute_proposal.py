"""Doing what a run has only proposed.

Its owner says so, and it is done now, once, with rights that they hold themselves.
"""

import sqlite3

import msgspec

from app.agent.heartbeat.act import act, before_images, effects
from app.agent.heartbeat.act.effects import Effect
from app.agent.heartbeat.records import action_rows, run_rows, tiers
from app.agent.heartbeat.records.action_rows import Action, Change
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record, encode
from app.errors import AlreadyDecided, AlreadyRunning, AppError, NotFound, RateLimited
from app.tools.approvals import change_preview, stop_switch, tool_gate


class ActionAnswer(Record):
    action: Action


@operation("POST /heartbeat/actions/{id}/execute", scope="os.heartbeat:run")
async def execute_heartbeat_action(app: App, me: Caller, *, id: Id) -> ActionAnswer:
    """Do what a run of the heartbeat has proposed, once.

    The credential needs the scope of what is done. Undoing the run takes it back.

    What cannot be done any more has failed, and its `result` says why. What a dry run proposed
    is never done.
    """
    stop_switch.require_running(app)
    row = app.quick(_require_open, me, id)
    deputy = tiers.deputy_caller(me, row["type"])
    call: tool_gate.Call | AppError | None = None
    # Others are done by a tool, whose plan may have to search before the write.
    if row["type"] not in effects.EFFECTS:
        payload = msgspec.json.decode(row["payload"])
        try:
            call = await tool_gate.plan_call(
                app, deputy, effects.tool_for_action(row["type"], payload), payload
            )
        # Noted in the transaction, where the proposal is looked at again.
        except AppError as refusal:
            call = refusal
    return await app.write(_execute_open, me, deputy, id, call)


def _require_open(tx: Tx, me: Caller, id_: int) -> sqlite3.Row:
    """Return a proposal that can be done; raise NotFound, AlreadyRunning or AlreadyDecided."""
    row = action_rows.find(tx, me.user, id_)
    if row is None:
        raise NotFound("There is no such action of the heartbeat.", field="id")
    run = run_rows.require(tx, me.user, row["run_id"])
    if run["status"] == "running":
        raise AlreadyRunning(
            "The run of this action is under way; wait until it ends.", runId=run["id"]
        )
    if run["dry_run"]:
        raise AlreadyDecided(
            "This was only tried out, in a dry run; run the heartbeat without dryRun.",
            status=row["status"],
        )
    waits = (
        row["escalation_id"]
        if row["status"] == "awaiting_approval"
        else action_rows.same_escalation(tx, row)
    )
    if waits is not None and row["status"] in ("proposed", "awaiting_approval"):
        raise AlreadyDecided(
            f"This waits for your yes: decide escalation {waits}.",
            status=row["status"],
            escalationId=waits,
        )
    if row["status"] != "proposed":
        raise AlreadyDecided(
            f"Only what is proposed can be done; this is {row['status']}.", status=row["status"]
        )
    return row


def _execute_open(
    tx: Tx, me: Caller, deputy: Caller, id_: int, call: tool_gate.Call | AppError | None
) -> ActionAnswer:
    row = _require_open(tx, me, id_)
    # The row was read again above: somebody may have executed it in between.
    outcome = "done"
    try:
        with tx.savepoint():
            done = _do_action(tx, deputy, row, call)
            action_rows.settle(
                tx, id_, "executed", result=done.result, changes=done.changes, target=done.target
            )
    except AppError as refusal:
        # Later it may succeed, so it stays a proposal.
        if isinstance(refusal, RateLimited) or refusal.status >= 500:
            raise
        outcome = refusal.code
        action_rows.settle(
            tx, id_, "failed", result={"error": refusal.code, "message": refusal.message}
        )
    act.add_to_audit(tx, deputy, row["type"], msgspec.json.decode(row["payload"]), outcome)
    after = action_rows.find(tx, me.user, id_)
    return ActionAnswer(action_rows.action_record(after or row))


def _do_action(
    tx: Tx, deputy: Caller, row: sqlite3.Row, call: tool_gate.Call | AppError | None
) -> Effect:
    """Do the action; raise what refuses it."""
    if isinstance(call, AppError):
        raise call
    if call is None:
        return effects.EFFECTS[row["type"]](tx, deputy, msgspec.json.decode(row["payload"]))
    if call.plan is None:
        raise ValueError("what a run proposes is one write")
    seen = change_preview.preview_call(tx, deputy, call.tool, call.params).target
    target = None if seen is None else (seen.kind, seen.id)
    before = None if target is None else before_images.take_image(tx, deputy.user, *target)
    result = msgspec.json.decode(encode(call.plan.step(tx, deputy)))
    if target is None:
        return Effect(None, (), result)
    after = before_images.take_image(tx, deputy.user, *target)
    return Effect(target, [Change(*target, before, after)], {"id": target[1]})
