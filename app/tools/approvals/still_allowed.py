"""Whether what an agent asked for may still be done, by the rights, tool and target of now."""

import sqlite3

import msgspec

from app.account import key_rows, oauth_grants, users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.hooks import Hooks
from app.errors import AppError, BaseRevisionChanged, GrantRevoked
from app.tools.approvals import change_preview, tool_gate
from app.tools.approvals.call_origin import unpack_origin


def current_asker(tx: Tx, row: sqlite3.Row, hooks: Hooks) -> Caller | None:
    """Return the caller that asked, with what is left of the rights it had then.

    None when its credential is gone.
    """
    # Whoever acts by a grant is made anew from it: it may be narrower now. What a runtime asks for
    # hangs on the grant under which it works, whatever credential it came with.
    of_runtime = unpack_origin(row["origin"]).kind == "runtime"
    look = hooks.callers.get("runtime" if of_runtime else row["credential_kind"])
    if look is not None:
        return look(tx, row)
    held = _current_scopes(tx, row, hooks)
    if held is None:
        return None
    # Never more than it had when it asked, and never more than it has now; * is everything.
    frozen = tuple(msgspec.json.decode(row["scopes"]))
    scopes = (
        frozen
        if "*" in held
        else held
        if "*" in frozen
        else tuple(scope for scope in frozen if scope in held)
    )
    return asker_with(tx, row, scopes)


def asker_with(tx: Tx, row: sqlite3.Row, scopes: tuple[str, ...]) -> Caller:
    """Return the caller that asked, with these scopes."""
    return users.caller_for(
        tx,
        row["user_id"],
        row["credential_kind"],
        scopes=scopes,
        credential=row["credential"],
        name=row["credential_name"],
    )


def _current_scopes(tx: Tx, row: sqlite3.Row, hooks: Hooks) -> tuple[str, ...] | None:
    """Return the scopes that the credential behind an escalation has now.

    None when it is gone or unknown.
    """
    kind, credential = row["credential_kind"], row["credential"]
    if (look := hooks.rights.get(kind)) is not None:
        return look(tx, row)
    if kind == "key" and credential is not None:
        return key_rows.live_scopes(tx, row["user_id"], credential)
    if kind == "oauth" and credential is not None:
        return oauth_grants.live_scopes(tx, row["user_id"], credential)
    # Neither has scopes of its own to lose; what they may is in the frozen ones.
    return ("*",) if kind in ("session", "heartbeat") else None


def reason_to_refuse(
    tx: Tx, asker: Caller, row: sqlite3.Row, call: tool_gate.Call | None
) -> AppError | None:
    """Return why what was shown is not what would be done now: rights, tool or target are
    others."""
    if call is None and row["kind"] in DONE_HERE:
        return GrantRevoked(
            "What allowed this is gone: the tool is switched off, or its scope is not held "
            "any more."
        )
    if call is not None:
        if not asker.may(call.tool.operation.scopes) or not asker.reaches(call.tool.name):
            return GrantRevoked("What allowed this is gone: its scope is not held any more.")
        if row["tool_sha256"] is not None and call.tool.sha256 != row["tool_sha256"]:
            return BaseRevisionChanged(
                "The tool is not the one that was asked for any more; let the agent ask again.",
                revision=None,
            )
    if row["target_kind"] is not None and row["base_revision"] is not None:
        present = change_preview.present_revision(tx, asker, row["target_kind"], row["target_id"])
        # Revisions of other kinds are their owners' to compare.
        known = row["target_kind"] in ("note", "todo")
        if known and present != row["base_revision"]:
            return BaseRevisionChanged(
                "What this would change has changed since; let the agent ask again.",
                revision=present,
            )
    return None


DONE_HERE = ("tool_call", "message_send", "calendar_write")
"""Kinds whose effect is ours.

Of the others, such as a tool of a runtime that may have any name, whoever asked only learns the
answer.
"""
