"""Undo a run: each thing that it changed becomes what it was, where nobody changed it since.

That is a run too, and can be undone.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from app.agent.heartbeat.act import before_images
from app.agent.heartbeat.records import action_rows, run_records, run_rows, schedule_rows
from app.agent.heartbeat.records.action_rows import Change, Entry
from app.agent.heartbeat.records.run_records import Run
from app.agent.heartbeat.records.run_rows import BegunRun, RunEnding
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record
from app.errors import AlreadyRunning, AppError, GrantRevoked, NothingToUndo
from app.tools.approvals import audit, escalation_rows

Reason = Literal["changed_since", "not_reversible"]


class Conflict(Record):
    """An action that was not taken back, and why."""

    action_id: int
    reason: Reason


class Undone(Record):
    """The run, the actions that were taken back, those that were not, and the run that did it,
    which can be taken back in turn.
    """

    run: Run
    undone: list[int]
    conflicts: list[Conflict]
    undo_run_id: int


class _Reversed(msgspec.Struct, frozen=True):
    """What taking back one action came to."""

    changes: Sequence[Change]
    reason: Reason | None = None


@operation("POST /heartbeat/runs/{id}/undo", scope="os.heartbeat:run")
def undo_heartbeat_run(tx: Tx, me: Caller, *, id: Id) -> Undone:
    """Take back what a run did, the last first, where nobody has changed it since.

    What it has said cannot be taken back.

    What it made goes to the trash, what it edited gets the text of before; what waits for a yes
    because of it waits no longer. `undoRunId` is the run of this, which can be taken back too.
    """
    row = run_rows.require(tx, me.user, id)
    if row["status"] == "running":
        raise AlreadyRunning("This run is still under way; wait until it ends.", runId=id)
    did = [action for action in action_rows.list_of_run(tx, me.user, id) if not row["dry_run"]]
    done = [
        one
        for one in did
        if one["status"] == "executed" and not action_rows.was_done_elsewhere(one)
    ]
    waiting = [action["id"] for action in did if action["status"] == "awaiting_approval"]
    if not done and not waiting:
        raise NothingToUndo("This run has no executed action to take back.", runId=id)
    # Taking back needs the rights of doing; sorted, so that the refusal is always the same.
    for scope in sorted(
        {
            before_images.WRITES[change.kind]
            for action in done
            for change in action_rows.changes_of(action)
        }
    ):
        me.require((scope,))
    policy = schedule_rows.heartbeat_of(tx, me.user).policy
    begun = run_rows.begin(tx, me, policy=policy, tier=policy, trigger="undo", undo_of=id)
    undone, conflicts = _undo_actions(tx, me, begun, done)
    if waiting:
        failure = GrantRevoked("The run that asked for this was taken back.")
        escalation_rows.supersede(
            tx,
            me,
            me.user,
            lambda origin, _: origin.kind == "heartbeat" and origin.run_id == id,
            failure=failure,
        )
        undone = [*reversed(waiting), *undone]
    if undone:
        run_rows.mark_undone(tx, id)
    run_rows.end(
        tx,
        begun,
        RunEnding(
            summary=f"Took back {len(undone)} of {len(done) + len(waiting)} actions of run {id}."
        ),
    )
    return Undone(
        run_records.run_record(run_rows.require(tx, me.user, id), me.user_id),
        undone,
        conflicts,
        begun.id,
    )


def _undo_actions(
    tx: Tx, me: Caller, begun: BegunRun, done: Sequence[Any]
) -> tuple[list[int], list[Conflict]]:
    undone: list[int] = []
    conflicts: list[Conflict] = []
    # The last first, since a later one may stand on what an earlier one made.
    for action in reversed(done):
        found = _undo_action(tx, me, action)
        if found.reason is not None:
            conflicts.append(Conflict(action["id"], found.reason))
            continue
        entry = Entry(
            action["type"],
            f"Take back: {action['title']}"[:200],
            {"actionId": action["id"]},
            _action_target(action),
        )
        action_rows.add(tx, me.user, begun.id, entry, status="executed", changes=found.changes)
        action_rows.settle(tx, action["id"], "undone", result=None)
        audit.add(
            tx,
            me,
            audit.Entry(
                "call", f"heartbeat.undo.{action['type']}", outcome="done", origin="heartbeat"
            ),
        )
        undone.append(action["id"])
    return undone, conflicts


def _undo_action(tx: Tx, me: Caller, action: Any) -> _Reversed:
    """Take back one action, all that it changed or nothing."""
    changes = action_rows.changes_of(action)
    if not changes:
        return _Reversed([], "not_reversible")
    for change in changes:
        # All are looked at before any is taken back.
        if not before_images.is_unchanged(
            before_images.take_image(tx, me.user, change.kind, change.id), change.after
        ):
            return _Reversed([], "changed_since")
    try:
        with tx.savepoint():
            return _Reversed([_reverse_change(tx, me, change) for change in reversed(changes)])
    except AppError:
        return _Reversed([], "not_reversible")


def _reverse_change(tx: Tx, me: Caller, change: Change) -> Change:
    before, after = change.before or {}, change.after or {}
    # An edit made a snapshot of the text before, which is what is put back.
    edited = after.get("seq", 0) > before.get("seq", 0)
    before_images.restore_image(
        tx, me, change.kind, change.id, change.before, seq=after["seq"] if edited else None
    )
    return Change(
        change.kind,
        change.id,
        change.after,
        before_images.take_image(tx, me.user, change.kind, change.id),
    )


def _action_target(action: Any) -> tuple[str, int] | None:
    return None if action["target_id"] is None else (action["target_kind"], action["target_id"])
