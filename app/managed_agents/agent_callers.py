"""The callers that managed agents are, in a turn of theirs or by a key.

Each reaches what its owner permits it and nothing else, as that is at the moment.
"""

import dataclasses
import functools
import sqlite3

import msgspec

from app.account import key_rows
from app.core.caller import AgentIdentity, Caller
from app.core.database.tx import Tx
from app.core.grant_scope import GrantScope
from app.errors import Forbidden, NotFound
from app.managed_agents import agent_rows
from app.managed_agents.agent_rows import Agent
from app.network.grants import permission_object
from app.network.grants.permission_object import Permissions
from app.tools.approvals.call_origin import unpack_origin
from app.workspace.folders import access

SENDS = ("agent.message:send",)
TOOLS_THAT_SEND = frozenset({"contact_agent", "send_message_to_human"})
BY_KEY = frozenset({"send_message", "identity", "os_index", "list_tools", "call_tool"})
"""What an agent's key may ask for beside what its permissions come to."""
PAUSED = "This agent is paused by its owner."


def permitted_scopes(permissions: Permissions) -> tuple[str, ...]:
    """Return the scopes that an agent with these permissions can have."""
    return (*permission_object.reach_of(permissions).scopes, *SENDS)


def turn_caller(
    tx: Tx,
    agent: int,
    *,
    within: frozenset[str] | None = None,
    before: tuple[int, ...] = (),
    asked_by_other: bool = False,
) -> Caller | None:
    """Return the caller as which an agent does its turn; None unless it is active.

    `within` are the rights of the owner's credential that began the turn, `before` the agents
    whose turns led to this one.
    """
    found = agent_rows.find(tx, agent)
    if found is None or found.status != "active":
        return None
    again = functools.partial(
        turn_caller, agent=agent, within=within, before=before, asked_by_other=asked_by_other
    )
    made = _caller(tx, found, also=TOOLS_THAT_SEND, before=before, asked_by_other=asked_by_other)
    scopes = made.scopes if within is None else tuple(one for one in made.scopes if one in within)
    return dataclasses.replace(made, scopes=scopes, name=found.name, renew=again)


def seen_as(tx: Tx, me: Caller, handle: str) -> Caller:
    """Return the caller that an agent of one's own is in its turns.

    Raise NotFound for none of that handle, Forbidden for one that is paused.
    """
    found = agent_rows.find_named(tx, handle)
    if found is None or found.user_id != me.user:
        raise NotFound(agent_rows.NO_AGENT, field="caller")
    seen = turn_caller(tx, found.id)
    if seen is None:
        raise Forbidden(PAUSED, reason="agent_paused")
    return seen


def key_caller(tx: Tx, base: Caller) -> Caller:
    """Return the caller that an agent's key makes, from what the key's row alone says."""
    # that of a paused agent is known and reaches nothing: its renewal before each call refuses it
    return _key_caller_now(tx, base) or dataclasses.replace(base, renew=_renewed(base))


def caller_behind(tx: Tx, escalation: sqlite3.Row) -> Caller | None:
    """Return the agent that asked for what an escalation holds, with what is left of the rights it
    had then.

    None when it, or the key it came with, is gone.
    """
    origin, key = unpack_origin(escalation["origin"]), escalation["credential"]
    frozen = frozenset(msgspec.json.decode(escalation["scopes"]))
    found = None if origin.agent_id is None else turn_caller(tx, origin.agent_id, within=frozen)
    if found is None or found.user != escalation["user_id"]:
        return None
    if key is None:
        return found
    held = key_rows.live_scopes(tx, found.user, key)
    if held is None or key_rows.agent_of(tx, key) != origin.agent_id:
        return None
    return dataclasses.replace(found, credential=key, renew=None)


def _key_caller_now(tx: Tx, base: Caller) -> Caller | None:
    """Return the caller of a key as its agent is now; None unless that is active."""
    number = None if base.credential is None else key_rows.agent_of(tx, base.credential)
    found = None if number is None else agent_rows.find(tx, number)
    if found is None or found.status != "active":
        return None
    made = _caller(tx, found, also=TOOLS_THAT_SEND | BY_KEY)
    return dataclasses.replace(
        made,
        scopes=tuple(scope for scope in base.scopes if scope in made.scopes),
        credential=base.credential,
        name=base.name,
        prefix=base.prefix,
        expires_at=base.expires_at,
        renew=_renewed(base),
    )


def _renewed(base: Caller) -> permission_object.Renew:
    return functools.partial(_renew_key_caller, base=base)


def _renew_key_caller(tx: Tx, *, base: Caller) -> Caller:
    now = _key_caller_now(tx, base)
    if now is None:
        raise Forbidden(PAUSED, reason="agent_paused")
    return now


def _caller(
    tx: Tx,
    agent: Agent,
    *,
    also: frozenset[str],
    before: tuple[int, ...] = (),
    asked_by_other: bool = False,
) -> Caller:
    owner = tx.require_row("SELECT uuid, username FROM users WHERE id = :id", id=agent.user_id)
    reach: GrantScope = dataclasses.replace(
        permission_object.reach_of(agent.permissions),
        # the titles of policy notes end in the links' tokens, which are secrets
        hidden=access.policy_notes(tx, agent.user_id),
        also=also,
    )
    return Caller(
        user=agent.user_id,
        user_id=owner["uuid"],
        username=owner["username"],
        kind="managed_agent",
        scopes=permitted_scopes(agent.permissions),
        reach=reach,
        agent=AgentIdentity(
            agent.id,
            agent.uuid,
            agent.handle,
            agent.name,
            frozenset(agent.namespaces),
            before,
            asked_by_other,
        ),
    )
