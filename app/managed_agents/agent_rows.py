"""The table of managed agents: every statement that changes it."""

import sqlite3
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from app.account import users
from app.core import random_tokens
from app.core.database.tx import Tx, stamp
from app.core.schema import encode
from app.errors import HandleTaken, NotFound
from app.network.grants import permission_object
from app.network.grants.permission_object import Permissions

Status = Literal["active", "paused", "deleted"]
Visibility = Literal["private", "contacts", "anyone"]
CHANGED = "agents.changed"
"""Published with the `agent` that was paused, changed or deleted."""
NO_AGENT = "There is no such agent."


class Agent(msgspec.Struct, frozen=True):
    """A managed agent as it is stored; `user_id` is its owner's row."""

    id: int
    user_id: int
    uuid: str
    handle: str
    name: str
    description: str
    persona: str
    model: str | None
    namespaces: tuple[str, ...]
    permissions: Permissions
    visibility: Visibility
    reply_tokens: int | None
    status: Status
    created_at: str
    updated_at: str
    last_active_at: str | None
    wake_minutes: int | None
    wake_task: str | None
    next_wake_at: str | None


COLUMNS = ", ".join(Agent.__struct_fields__)


def insert(tx: Tx, user: int, *, handle: str, **fields: Any) -> int:
    """Add an agent and return its id; raise HandleTaken."""
    if not users.is_name_free(tx, handle):
        raise HandleTaken(
            f"{handle} is taken, or was until lately; choose another handle.", field="handle"
        )
    return tx.insert(
        "managed_agents",
        user_id=user,
        uuid=random_tokens.new_uuid(),
        handle=handle,
        status="active",
        created_at=tx.now,
        updated_at=tx.now,
        **_stored(fields),
    )


def update(tx: Tx, agent: int, **fields: Any) -> None:
    """Change some fields of an agent."""
    stored = _stored(fields)
    changes = "".join(f", {name} = :{name}" for name in stored)
    tx.run(
        f"UPDATE managed_agents SET updated_at = :now{changes} WHERE id = :agent",
        agent=agent,
        now=tx.now,
        **stored,
    )
    tx.emit(CHANGED, agent=agent)


def delete(tx: Tx, agent: int) -> None:
    """Mark an agent as deleted.

    Its row stays, since conversations name it, and its handle rests.
    """
    tx.update(
        "managed_agents",
        {"id": agent},
        status="deleted",
        deleted_at=tx.now,
        updated_at=tx.now,
        next_wake_at=None,
    )
    tx.emit(CHANGED, agent=agent)


def note_activity(tx: Tx, agent: int) -> None:
    """Note that an agent was at work now."""
    tx.update("managed_agents", {"id": agent}, last_active_at=tx.now)


def set_wake(tx: Tx, agent: int, minutes: int | None, task: str | None) -> None:
    """Let an agent wake by itself every so many minutes, or with None no more."""
    tx.update(
        "managed_agents",
        {"id": agent},
        wake_minutes=minutes,
        wake_task=task,
        next_wake_at=None if minutes is None else stamp(tx.moment + timedelta(minutes=minutes)),
        updated_at=tx.now,
    )


def claim_wake(tx: Tx, agent: int, next_at: datetime) -> bool:
    """Take a wake that is due and plan the next one; return whether there was one to take."""
    taken = tx.run(
        "UPDATE managed_agents SET next_wake_at = :next WHERE id = :id AND next_wake_at <= :now",
        next=stamp(next_at),
        id=agent,
        now=tx.now,
    )
    return taken.rowcount == 1


def list_due(tx: Tx) -> list[Agent]:
    """Return the active agents whose time to wake has come, with those that a clock which was put
    back may have planned too far ahead.
    """
    rows = tx.all(
        f"""SELECT {COLUMNS} FROM managed_agents
            WHERE next_wake_at IS NOT NULL AND status = 'active' AND (next_wake_at <= :now
              OR julianday(next_wake_at) - julianday(:now) > wake_minutes / 1440.0)
            ORDER BY next_wake_at, id LIMIT 50""",
        now=tx.now,
    )
    return [_agent_of_row(row) for row in rows]


def replan(tx: Tx, agent: int) -> None:
    """Let an agent that is planned too far ahead be due now."""
    tx.update("managed_agents", {"id": agent}, next_wake_at=tx.now)


def find(tx: Tx, agent: int) -> Agent | None:
    """Return an agent, deleted ones included."""
    row = tx.one(f"SELECT {COLUMNS} FROM managed_agents WHERE id = :id", id=agent)
    return None if row is None else _agent_of_row(row)


def find_named(tx: Tx, name: str) -> Agent | None:
    """Return the agent of that handle or id; None where there is none that is not deleted."""
    row = tx.one(
        f"""SELECT {COLUMNS} FROM managed_agents WHERE id IN (
              SELECT id FROM managed_agents WHERE handle = :name AND status <> 'deleted' UNION ALL
              SELECT id FROM managed_agents WHERE uuid = :name AND status <> 'deleted')""",
        name=name,
    )
    return None if row is None else _agent_of_row(row)


def require_own(tx: Tx, user: int, agent: int, *, deleted: bool = False) -> Agent:
    """Return an agent of a user's; raise NotFound, for a deleted one too unless asked for."""
    found = find(tx, agent)
    if found is None or found.user_id != user or (found.status == "deleted" and not deleted):
        raise NotFound(NO_AGENT, field="id")
    return found


def list_own(
    tx: Tx, user: int, *, status: str = "all", limit: int = -1, offset: int = 0
) -> tuple[list[Agent], int]:
    """Return a user's agents that are not deleted, oldest first, and how many there are."""
    wanted = ("active", "paused") if status == "all" else (status, status)
    where = "FROM managed_agents WHERE user_id = :user AND status IN (:one, :other)"
    given = {"user": user, "one": wanted[0], "other": wanted[1]}
    rows = tx.all(
        f"SELECT {COLUMNS} {where} ORDER BY id LIMIT :limit OFFSET :offset",
        limit=limit,
        offset=offset,
        **given,
    )
    return [_agent_of_row(row) for row in rows], int(tx.value(f"SELECT count(*) {where}", **given))


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    stored = dict(fields)
    if "namespaces" in stored:
        stored["namespaces"] = msgspec.json.encode(stored["namespaces"]).decode()
    if "permissions" in stored:
        whole = permission_object.normalise_permissions(stored["permissions"])
        stored["permissions"] = encode(whole).decode()
    return stored


def _agent_of_row(row: sqlite3.Row) -> Agent:
    fields = dict(row)
    fields["namespaces"] = tuple(msgspec.json.decode(row["namespaces"]))
    fields["permissions"] = msgspec.json.decode(row["permissions"], type=Permissions)
    return Agent(**fields)
