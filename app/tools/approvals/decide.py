"""The decision of a person: exactly what was frozen is done, once.

It is done with the rights that it had when it was asked for, and never with more.
"""

import asyncio
import dataclasses
import sqlite3
from typing import Annotated, Literal

import msgspec

from app.account import users
from app.core.app import App
from app.core.caller import Actor, Caller, Kind
from app.core.database.tx import Tx
from app.core.hooks import Hooks
from app.core.operation import Http, operation
from app.core.schema import Id, Text, encode
from app.errors import (
    AlreadyDecided,
    AppError,
    BaseRevisionChanged,
    EscalationExpired,
    Forbidden,
    GrantRevoked,
    Invalid,
)
from app.tools.approvals import (
    audit,
    call_origin,
    escalation_rows,
    escalations,
    policy,
    precedents,
    still_allowed,
    stop_switch,
    tool_gate,
    who_decides,
)
from app.tools.approvals.escalations import EscalationAnswer, EscalationList
from app.tools.registry import remote_tools
from app.tools.registry.registry import cut_result

Choice = Literal["continue", "stop"]
Remember = Literal["once", "session", "tool"]
Note = Annotated[str, Text(500)]
OWNERS: tuple[Kind, ...] = ("session", "key", "oauth", "operator")
"""Kinds of credentials by which an owner decides.

Agents, guests, devices and heartbeats never do.
"""


class OwnerDecision(msgspec.Struct, frozen=True):
    """What a person says to an escalation."""

    by: Actor
    choice: Choice
    note: str | None
    remember: Remember


class Outcome(msgspec.Struct, frozen=True):
    """What came of a decision in its transaction.

    The error to raise, if it was refused, and whether the action is still to be sent.
    """

    error: AppError | None = None
    asker: Caller | None = None


@operation(
    "POST /escalations/{id}/decision",
    scope="escalations:decide",
    also=("POST /net/escalations/{id}/decision",),
    http=Http(refuses={"remember": "the tool asks each time"}),
)
async def decide_escalation(
    app: App,
    me: Caller,
    *,
    id: Id,
    decision: Choice,
    note: Note | None = None,
    remember: Remember = "once",
) -> EscalationAnswer:
    """Let an action go on or stop it.

    What goes on is exactly what was shown, once; the credential that asked for it cannot decide.

    With `remember` the same tool from the same origin passes from now on: until its session
    ends, or as `tool` for 30 days.
    """
    if me.kind not in OWNERS:
        raise Forbidden("Only the owner decides, by a web session or a credential of their own.")
    return await _decide(app, me, me.user, id, OwnerDecision(me.actor, decision, note, remember))


@operation("COMMAND", effect="read")
def user_escalations(tx: Tx, me: Caller, *, username: str) -> EscalationList:
    """List what waits for a user's yes or no, newest first."""
    row = users.require_user(tx, username)
    owner = dataclasses.replace(me, user=row["id"])
    return escalations.list_escalations_of(tx, owner)


@operation("COMMAND", effect="read")
def user_escalation(tx: Tx, me: Caller, *, username: str, id: Id) -> EscalationAnswer:
    """Read one escalation of a user."""
    return EscalationAnswer(
        escalations.escalation_record(
            tx, escalation_rows.require_own(tx, users.require_user(tx, username)["id"], id)
        )
    )


@operation("COMMAND")
async def settle_escalation(
    app: App,
    me: Caller,
    *,
    username: str,
    id: Id,
    decision: Choice,
    note: Note | None = None,
    remember: Remember = "once",
) -> EscalationAnswer:
    """Decide for a user who sits at this machine."""
    row = await app.read(users.require_user, username)
    by = Actor("user", row["uuid"], row["username"])
    return await _decide(app, me, row["id"], id, OwnerDecision(by, decision, note, remember))


async def _decide(
    app: App, me: Caller, user: int, id_: int, said: OwnerDecision
) -> EscalationAnswer:
    """Decide in one transaction with the effect where that is one write here.

    Else send it after the decision has been written, once.
    """
    row = app.quick(escalation_rows.require_own, user, id_)
    call: tool_gate.Call | None = None
    # A plan may have to search, so it is made before the transaction, which checks everything
    # again.
    if said.choice == "continue" and row["status"] == "pending":
        stop_switch.require_running(app)
        call = await _prepare_call(app, row)
        if (
            said.remember != "once"
            and call is not None
            and not policy.is_sticky(call.tool.operation.risk_class)
        ):
            raise Invalid("This tool asks each time: remember can only be once.", field="remember")
    outcome = await app.write(_record_decision, me, user, id_, said, call, app.hooks)
    if outcome.error is not None:
        raise outcome.error
    if outcome.asker is not None and call is not None:
        # Whoever decided may leave now; what was let go on is still carried to its end.
        await asyncio.shield(
            app.tasks.start(
                _run_afterwards(app, row, msgspec.structs.replace(call, me=outcome.asker))
            )
        )
    return EscalationAnswer(
        app.quick(
            lambda tx: escalations.escalation_record(tx, escalation_rows.require_own(tx, user, id_))
        )
    )


async def _prepare_call(app: App, row: sqlite3.Row) -> tool_gate.Call | None:
    """Return the frozen call, ready to be done.

    None where there is no such tool or its asker is gone, which the decision finds out itself.
    """
    if row["kind"] not in still_allowed.DONE_HERE:
        return None
    asker = app.quick(still_allowed.current_asker, row, app.hooks)
    if asker is None or remote_tools.lookup(app, asker, row["tool"]) is None:
        return None
    try:
        return await tool_gate.plan_call(
            app, asker, row["tool"], msgspec.json.decode(row["arguments"])
        )
    except AppError as error:
        # A refusal is found again, and told, in the transaction; a fault of ours must not pass for
        # one.
        if error.status >= 500:
            raise
        return None


def _record_decision(
    tx: Tx,
    me: Caller,
    user: int,
    id_: int,
    said: OwnerDecision,
    call: tool_gate.Call | None,
    hooks: Hooks,
) -> Outcome:
    row = escalation_rows.require_own(tx, user, id_)
    # Who may not decide learns nothing of the state, so this comes first.
    if (refusal := who_decides.reason_to_refuse(tx, me, row)) is not None:
        return Outcome(refusal)
    if row["status"] != "pending":
        return Outcome(_already_decided(row, said))
    if escalation_rows.is_due(tx, row):
        # The sweep runs each minute and may not have been here yet.
        escalation_rows.expire(tx, me, row)
        return Outcome(_expired_error())
    if said.choice == "stop":
        escalation_rows.decide(tx, row, decision="stop", by=said.by, note=said.note)
        audit.add(tx, me, escalation_rows.audit_entry(row, "decision", "stop"), user=user)
        escalation_rows.end(tx, row, "stopped")
        return Outcome()
    return _continue(tx, me, row, said, call, hooks)


def _continue(
    tx: Tx,
    me: Caller,
    row: sqlite3.Row,
    said: OwnerDecision,
    call: tool_gate.Call | None,
    hooks: Hooks,
) -> Outcome:
    asker = still_allowed.current_asker(tx, row, hooks)
    if asker is None:
        gone = (
            "What allowed this is gone: its key, link or grant was revoked, or it may do less now."
        )
        return _supersede(tx, me, row, GrantRevoked(gone))
    if error := still_allowed.reason_to_refuse(tx, asker, row, call):
        return _supersede(tx, me, row, error)
    escalation_rows.decide(tx, row, decision="continue", by=said.by, note=said.note)
    audit.add(
        tx,
        me,
        escalation_rows.audit_entry(row, "decision", f"continue, {said.remember}"),
        user=row["user_id"],
    )
    if said.remember != "once":
        precedents.add(
            tx, asker, row, call_origin.unpack_origin(row["origin"]), whole=said.remember == "tool"
        )
    # What waits on the world cannot run in a transaction: it is sent after this one.
    if call is not None and call.plan is None:
        return Outcome(asker=asker)
    _run_if_one_write(tx, row, asker, call)
    return Outcome()


def _supersede(tx: Tx, me: Caller, row: sqlite3.Row, error: AppError) -> Outcome:
    entry = escalation_rows.audit_entry(row, "decision", f"superseded: {error.code}")
    audit.add(tx, me, entry, user=row["user_id"])
    escalation_rows.end(tx, row, "superseded", failure=error)
    return Outcome(error)


def _run_if_one_write(tx: Tx, row: sqlite3.Row, asker: Caller, call: tool_gate.Call | None) -> None:
    """Do what is one write here, or nothing where the effect is another's to do.

    A refusal undoes it and is kept.
    """
    try:
        # The decision stays written when what it allowed is refused.
        with tx.savepoint():
            result = None if call is None or call.plan is None else call.plan.step(tx, asker)
    except AppError as failure:
        _record_outcome(tx, asker, row, failure)
        return
    _record_outcome(tx, asker, row, None if result is None else encode(cut_result(encode(result))))


async def _run_afterwards(app: App, row: sqlite3.Row, call: tool_gate.Call) -> None:
    """Do what is not one write here, after its decision was written.

    It may leave the machine, so it is never tried twice.
    """
    # Holds when neither branch below is reached: the task was cancelled in the middle.
    outcome: AppError | bytes = escalation_rows.UnknownOutcome(
        "This was broken off while it was under way; it is not known whether it was done."
    )
    try:
        outcome = encode(cut_result(encode(await tool_gate.perform_call(app, call))))
    except AppError as failure:
        outcome = failure
    finally:
        await app.write(_record_outcome, call.me, row, outcome)


def _record_outcome(
    tx: Tx, asker: Caller, row: sqlite3.Row, outcome: AppError | bytes | None
) -> None:
    """Note what came of an action.

    Its result, or its refusal, after which it is not tried again.
    """
    failure = outcome if isinstance(outcome, AppError) else None
    audit.add(
        tx,
        asker,
        escalation_rows.audit_entry(row, "call", failure.code if failure else "done"),
        user=row["user_id"],
    )
    result = None if isinstance(outcome, AppError) else outcome
    escalation_rows.end(
        tx, row, "failed" if failure else "executed", result=result, failure=failure
    )


def _already_decided(row: sqlite3.Row, said: OwnerDecision) -> AppError | None:
    """Return why one that is decided already cannot be decided so.

    None when it was decided just so.
    """
    if row["status"] == "expired":
        return _expired_error()
    if row["status"] == "superseded":
        # The same answer as the first time, from what was stored then.
        kept = msgspec.json.decode(row["failure"])
        kind = (
            BaseRevisionChanged if kept.pop("error") == BaseRevisionChanged.code else GrantRevoked
        )
        return kind(kept.pop("message"), **kept)
    if row["decision"] == said.choice:
        return None
    return AlreadyDecided(f"This was decided already: {row['decision']}.", decision=row["decision"])


def _expired_error() -> EscalationExpired:
    return EscalationExpired(
        "The time to decide is over, so this was stopped; the agent may ask again."
    )
