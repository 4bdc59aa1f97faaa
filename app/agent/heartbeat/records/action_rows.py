"""The table of actions: what runs did, proposed, or are waiting to do.

Each row holds all that is needed to undo it.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from app.agent.heartbeat.records.proposals import SPOKEN, ActionType
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.schema import Record, encode, json_column

Status = Literal["proposed", "awaiting_approval", "executed", "failed", "undone"]
_OBJECT = {"type": "object"}
_MAYBE_OBJECT = {"type": ["object", "null"]}
_NULL = msgspec.Raw(b"null")


class Target(Record):
    """What an action is about."""

    kind: str
    id: int


class Action(Record):
    """One thing that a run did, proposed or waits to do."""

    id: int
    run_id: int
    type: str
    mode: Literal["message", "action"]
    status: Status
    title: str
    payload: json_column(_OBJECT)  # type: ignore[valid-type]
    result: json_column(_MAYBE_OBJECT)  # type: ignore[valid-type]
    target: Target | None
    escalation_id: int | None
    created_at: str
    executed_at: str | None


class Change(NamedTuple):
    """One thing that an action changed, as it was before and after; None where it was not there."""

    kind: str
    id: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


class Entry(NamedTuple):
    """An action as it is added."""

    type: ActionType
    title: str
    payload: Mapping[str, Any]
    target: tuple[str, int] | None = None
    item: int | None = None
    key: str | None = None


def add(
    tx: Tx,
    user: int,
    run: int,
    entry: Entry,
    *,
    status: Status,
    result: Mapping[str, Any] | None = None,
    changes: Sequence[Change] = (),
) -> int:
    """Add an action and return its id."""
    kind, number = entry.target or (None, None)
    made = tx.insert(
        "heartbeat_actions",
        run_id=run,
        user_id=user,
        type=entry.type,
        status=status,
        title=entry.title,
        payload=_to_json(entry.payload),
        result=None if result is None else _to_json(result),
        target_kind=kind,
        target_id=number,
        changes=_to_json(changes),
        item=entry.item,
        content_key=entry.key,
        created_at=tx.now,
        executed_at=tx.now if status == "executed" else None,
    )
    if status == "executed":
        _settle_proposed(tx, made)
    return made


def await_approval(tx: Tx, action: int, escalation: int, changes: Sequence[Change]) -> None:
    """Note which escalation an action waits for, and what its target is like until then."""
    tx.update(
        "heartbeat_actions",
        {"id": action},
        status="awaiting_approval",
        escalation_id=escalation,
        changes=_to_json(changes),
    )


def settle(
    tx: Tx,
    action: int,
    status: Status,
    *,
    result: Mapping[str, Any] | None,
    changes: Sequence[Change] | None = None,
    target: tuple[str, int] | None = None,
) -> None:
    """Note what became of an action that waited, was done later, or was taken back.

    The same that was only proposed is done with it.
    """
    kind, number = target or (None, None)
    tx.run(
        """UPDATE heartbeat_actions
          SET status = :status, result = ifnull(:result, result), changes = ifnull(:changes,
          changes),
               target_kind = ifnull(:kind, target_kind), target_id = ifnull(:number, target_id),
               executed_at = CASE WHEN :status = 'executed' THEN :now ELSE executed_at END
                 WHERE id = :id""",
        status=status,
        result=None if result is None else _to_json(result),
        changes=None if changes is None else _to_json(changes),
        kind=kind,
        number=number,
        now=tx.now,
        id=action,
    )
    if status == "executed":
        _settle_proposed(tx, action)


def _settle_proposed(tx: Tx, action: int) -> None:
    """Note on each earlier proposal of what an action has just done that it is done, and where."""
    tx.run(
        # The same key and type is the same wish, whichever run had it.
        """UPDATE heartbeat_actions AS p
          SET status = 'executed', executed_at = :now, result = json_object('actionId', a.id,
          'runId', a.run_id)
           FROM heartbeat_actions AS a WHERE a.id = :id AND p.user_id = a.user_id
             AND p.content_key = a.content_key AND p.type = a.type
             AND p.id <> a.id AND p.status = 'proposed'""",
        id=action,
        now=tx.now,
    )


def find(tx: Tx, user: int, action: int) -> sqlite3.Row | None:
    """Return a user's action."""
    return tx.one(
        "SELECT * FROM heartbeat_actions WHERE id = :id AND user_id = :user", id=action, user=user
    )


def list_of_run(tx: Tx, user: int, run: int) -> list[sqlite3.Row]:
    """Return a run's actions in the order in which they came."""
    return tx.all(
        "SELECT * FROM heartbeat_actions WHERE run_id = :run AND user_id = :user ORDER BY id",
        run=run,
        user=user,
    )


def count_since(tx: Tx, user: int, since: str) -> int:
    """Count what real runs did and proposed since a moment."""
    return int(
        tx.value(
            """SELECT count(*) FROM heartbeat_actions a JOIN heartbeat_runs r ON r.id = a.run_id
               WHERE a.user_id = :user AND a.created_at >= :since AND r.dry_run = 0
                 AND r.undo_of IS NULL""",
            user=user,
            since=since,
        )
    )


def last_told_at(
    tx: Tx, user: int, keys: Sequence[str], since: str, *, able: Collection[ActionType] = ()
) -> str | None:
    """Return when news of one of these keys was last told or proposed, if that was later than
    `since`.

    A proposal of what a run is `able` to do itself, or to ask for, does not count: that a run
    could only propose it is no reason not to do it.
    """
    found: str | None = tx.value(
        """SELECT max(created_at) FROM heartbeat_actions
           WHERE user_id = :user AND content_key IN (SELECT value FROM json_each(:keys))
             AND created_at > :since
             AND NOT (status = 'proposed' AND type IN (SELECT value FROM json_each(:able)))""",
        user=user,
        keys=_to_json(keys),
        since=since,
        able=_to_json(list(able)),
    )
    return found


def same_escalation(tx: Tx, action: sqlite3.Row) -> int | None:
    """Return the escalation by which the same is asked for already; None where there is none."""
    found: int | None = tx.value(
        """SELECT escalation_id FROM heartbeat_actions WHERE user_id = :user
          AND content_key = :key AND type = :type AND status = 'awaiting_approval'
           ORDER BY id DESC LIMIT 1""",
        user=action["user_id"],
        key=action["content_key"],
        type=action["type"],
    )
    return found


def was_done_elsewhere(row: sqlite3.Row) -> bool:
    """Return whether an action was but a proposal, which another action has done."""
    return (
        row["status"] == "executed"
        and row["result"] is not None
        and "actionId" in msgspec.json.decode(row["result"])
    )


def changes_of(row: sqlite3.Row) -> list[Change]:
    """Return what an action changed."""
    return [Change(*part) for part in msgspec.json.decode(row["changes"])]


def action_record(row: sqlite3.Row) -> Action:
    """Return an action as it goes out."""
    target = None if row["target_id"] is None else Target(row["target_kind"], row["target_id"])
    result = _NULL if row["result"] is None else msgspec.Raw(row["result"])
    return copy_fields(
        Action,
        row,
        mode="message" if row["type"] in SPOKEN or row["type"] == "message_send" else "action",
        payload=msgspec.Raw(row["payload"]),
        result=result,
        target=target,
    )


def _to_json(value: object) -> str:
    return encode(value).decode()
