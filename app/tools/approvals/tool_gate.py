"""The one door for what agents do.

Every call of a tool is decided here by the policy, noted in the audit, and done, refused or left
to its owner.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Plan, Taint
from app.errors import AppError, Forbidden, Invalid, Unprocessable
from app.tools.approvals import (
    audit,
    change_preview,
    escalation_rows,
    policy,
    precedents,
    stop_switch,
)
from app.tools.approvals.call_origin import Origin
from app.tools.registry import namespaces, registry, remote_tools
from app.tools.registry.registry import RegisteredTool
from app.workspace.folders import access

__all__ = ["Denied", "Done", "Origin", "Waiting", "use_tool"]
NO_TAINT = frozenset[Taint]()
KINDS: Mapping[str, escalation_rows.Kind] = {
    "send_message_to_human": "message_send",
    "contact_agent": "message_send",
}


class Denied(Forbidden):
    """The policy does not allow this call."""


class Done(msgspec.Struct, frozen=True):
    """What a tool gave: its record, and whose words that may hold."""

    result: Any
    taint: frozenset[Taint] = NO_TAINT


class Waiting(msgspec.Struct, frozen=True):
    """The call waits for the owner as this escalation; nothing was done."""

    escalation_id: int
    summary: str

    @property
    def result(self) -> dict[str, Any]:
        """What is told in place of the tool's record."""
        return {"status": "awaiting_approval", "escalationId": self.escalation_id}


class Call(msgspec.Struct, frozen=True):
    """A call that `me` may make.

    Its tool, its parameters as they are frozen, the checked arguments and, if it is one write,
    that write.
    """

    tool: RegisteredTool
    me: Caller
    params: Mapping[str, Any]
    arguments: Mapping[str, Any]
    plan: Plan | None

    @property
    def sha256(self) -> str:
        """The hash of its parameters."""
        return escalation_rows.arguments_digest(escalation_rows.canonical_json(self.params))


async def use_tool(
    app: App,
    me: Caller,
    tool: str,
    params: Mapping[str, Any],
    *,
    origin: Origin,
    taint: frozenset[Taint] = NO_TAINT,
) -> Done | Waiting:
    """Call a tool with the rights of `me`.

    Return what it gave, or the escalation that waits for the owner.

    `taint` names whose words are in play besides the user's own. Raises AgentsStopped,
    NoSuchTool, InsufficientScope, Denied, TooManyPending, and whatever the tool itself refuses
    with.
    """
    stop_switch.require_running(app)
    try:
        # A turn may take minutes; what was revoked meanwhile holds from this call on.
        me = app.renew_caller(me)
        call = await plan_call(app, me, tool, params)
        decision, precedent = _decide(app, call, origin, taint)
        if decision.verdict == "deny":
            raise Denied(decision.reason, reason="policy")
        if decision.verdict == "ask":
            if origin.kind == "mcp" and (known := await app.read(_answered, call, origin)):
                return known
            return await _ask_owner(app, call, origin, taint, decision.reason)
    except AppError as error:
        audit.add_later(
            app,
            me,
            audit.Entry("denial", tool, outcome=error.code, origin=origin.kind, taint=taint),
        )
        raise
    # The hash and not the arguments: the record holds no text of the user's.
    entry = audit.Entry("call", tool, call.sha256, "done", origin.kind, None, taint)
    try:
        result = await _run_audited(app, call, entry, precedent)
    except AppError as error:
        audit.add_later(app, me, entry._replace(outcome=error.code))
        raise
    marks = _taint_of(call.tool, result)
    return Done(result, frozenset({marks}) if marks else NO_TAINT)


def _taint_of(tool: RegisteredTool, result: Any) -> Taint | None:
    """Return whose words a result holds."""
    taint = tool.declared.taint
    return taint(result) if callable(taint) else taint


async def plan_call(app: App, me: Caller, name: str, params: Mapping[str, Any]) -> Call:
    """Return a call that is ready to be done.

    Its tool is on, its scope held, its parameters are right; raise what speaks against it.
    """
    tool = remote_tools.find(app, me, name)
    me = app.quick(access.hide_policy_notes, me)
    on = app.quick(namespaces.enabled_check, me)
    namespaces.require_enabled(on, tool.namespace, of_agent=me.agent is not None)
    arguments = registry.check_arguments(app, me, tool, params)
    if tool.declared.plan is None:
        return Call(tool, me, params, arguments, _write_of(tool, arguments))
    with tool.spelled():
        plan = await tool.declared.plan(app, me, **arguments)
    return Call(tool, me, plan.fields, arguments, plan)


async def perform_call(app: App, call: Call) -> Any:
    """Do a call that is not one write here, and return its record."""
    with call.tool.spelled():
        return await app.perform(call.tool.operation, call.me, dict(call.arguments))


def _write_of(tool: RegisteredTool, arguments: Mapping[str, Any]) -> Plan | None:
    """Return the transaction of an operation that is one write."""
    found = tool.operation
    if found.waits or found.effect == "read":
        return None
    return Plan({}, lambda tx, me: found.function(tx, me, **arguments))


def _decide(
    app: App, call: Call, origin: Origin, taint: frozenset[Taint]
) -> tuple[policy.Decision, int | None]:
    """Return what the policy says, and the precedent that it goes by, if it needs one."""
    found = call.tool.operation
    # The tool is of class O, but a message to oneself is an own draft.
    if _reaches_only_owner(call):
        return policy.decide(policy.Asked(origin.column, "message_draft", "W")), None
    asked = policy.Asked(
        origin.column,
        call.tool.name,
        found.risk_class,
        call.tool.declared.approval,
        taint,
        remote=remote_tools.is_remote(call.tool),
    )
    # Most calls are allowed or denied whatever was permitted, and need no look at the table.
    if not policy.depends_on_precedent(asked):
        return policy.decide(asked), None
    precedent = app.quick(precedents.find, call.me, call.tool, origin, taint)
    return policy.decide(msgspec.structs.replace(asked, precedent=precedent is not None)), precedent


def _reaches_only_owner(call: Call) -> bool:
    """Return whether a call reaches nobody but the owner whose agent makes it."""
    to_nobody = call.arguments.get("to") is None and call.arguments.get("recipient_id") is None
    return (
        call.tool.name == "send_message_to_human"
        and to_nobody
        and (call.me.reach is None or call.me.agent is not None)
    )


async def _ask_owner(
    app: App, call: Call, origin: Origin, taint: frozenset[Taint], reason: str
) -> Waiting:
    """Leave the call to the owner. What they will see is made before, outside of the write."""
    seen = await app.read(change_preview.preview_call, call.me, call.tool, call.params)
    return await app.write(_raise_escalation, call, seen, origin=origin, taint=taint, reason=reason)


def _answered(tx: Tx, call: Call, origin: Origin) -> Done | Waiting | None:
    """Return what came of this very call when its owner was asked before, None where they were
    not.

    Whoever calls by a credential alone hears of a decision in no other way than by calling again.
    """
    row = escalation_rows.answered(tx, call.me, call.tool.name, call.sha256, origin)
    if row is None:
        return None
    match row["status"]:
        case "executed":
            return Done(msgspec.Raw(row["result"].encode()))
        case "continued":
            return Waiting(row["id"], row["summary"])
        case "failed":
            failure = msgspec.json.decode(row["failure"])
            raise Unprocessable(failure.pop("message"), escalationId=row["id"])
        case _:
            raise Denied(
                f"The owner has said no to this (escalation {row['id']}).",
                reason="stopped",
                escalationId=row["id"],
            )


def _raise_escalation(
    tx: Tx,
    call: Call,
    seen: change_preview.Seen,
    *,
    origin: Origin,
    taint: frozenset[Taint],
    reason: str,
) -> Waiting:
    kind, level = (
        KINDS.get(call.tool.name, "tool_call"),
        policy.harm_level(call.tool.operation.risk_class, taint),
    )
    id_ = escalation_rows.raise_(
        tx,
        call.me,
        kind=kind,
        origin=origin,
        tool=call.tool.name,
        arguments=call.params,
        summary=seen.summary,
        reason=reason,
        preview=seen.preview,
        risk=level,
        target=seen.target,
        taint=taint,
        definition=call.tool,
    )
    return Waiting(id_, seen.summary)


async def _run_audited(app: App, call: Call, entry: audit.Entry, precedent: int | None) -> Any:
    """Do the call: a write together with its row in the audit; a read with the row after it.

    What leaves the machine with the row before it.
    """
    if (plan := call.plan) is not None:
        try:
            with call.tool.spelled():
                return await app.write(_write_and_audit, call, plan, entry, precedent)
        except Invalid as error:
            # The write runs beside App.call, which would have done this.
            raise app.refusal_as_declared(call.tool.operation, error) from None
    if call.tool.operation.risk_class == "R":
        result = await perform_call(app, call)
        audit.add_later(app, call.me, entry)
        return result
    # Before it: should the server die now, the record says that it may have happened.
    await app.write(_add_audit_row, call, entry._replace(outcome="begun"), precedent)
    return await perform_call(app, call)


def _write_and_audit(
    tx: Tx, call: Call, plan: Plan, entry: audit.Entry, precedent: int | None
) -> Any:
    # Inside of the write, so that no revocation comes between the check and the change.
    me = call.me.with_grant_now(tx, call.tool.name)
    _add_audit_row(tx, call, entry, precedent)
    return plan.step(tx, me)


def _add_audit_row(tx: Tx, call: Call, entry: audit.Entry, precedent: int | None) -> None:
    audit.add(tx, call.me, entry)
    if precedent is not None:
        precedents.count_use(tx, precedent)
