"""What a person has allowed for longer than once.

The same tool from the same origin, for a session or for 30 days.
"""

import sqlite3
from datetime import timedelta

from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import Taint, operation
from app.core.schema import Id, Record
from app.errors import NotFound
from app.tools.approvals.call_origin import Origin
from app.tools.registry.registry import RegisteredTool

DAYS = 30
_OVER = """(
    ifnull(expires_at <= :now, FALSE)
    OR (session LIKE 'run %' AND NOT EXISTS (SELECT 1 FROM heartbeat_runs r
          WHERE r.id = CAST(substr(session, 5) AS INTEGER) AND r.status = 'running'))
    OR (origin LIKE 'mcp key %' AND NOT EXISTS (SELECT 1 FROM keys k
          WHERE k.id = CAST(substr(origin, 9) AS INTEGER) AND k.revoked_at IS NULL
            AND ifnull(k.expires_at > :now, TRUE)))
    OR (origin LIKE 'mcp oauth %' AND NOT EXISTS (SELECT 1 FROM oauth_grants g
          WHERE g.id = CAST(substr(origin, 11) AS INTEGER) AND g.revoked_at IS NULL
            AND ifnull(g.expires_at > :now, TRUE))))"""
"""Whether nothing can pass by a permission any more: its time, run or credential is over."""


class Precedent(Record):
    """One permission: `scope` is session or tool, `uses` how often it has let a call pass."""

    id: int
    tool_name: str
    origin: str
    scope: str
    created_at: str
    expires_at: str | None
    uses: int


class Precedents(Record):
    precedents: list[Precedent]


@operation("GET /escalations/precedents", scope="escalations:read")
def list_precedents(tx: Tx, me: Caller) -> Precedents:
    """List what the caller has allowed their agents for longer than once, newest first."""
    rows = tx.all(
        f"""SELECT id, tool, origin_kind, scope, created_at, expires_at, uses FROM precedents
            WHERE user_id = :me AND NOT {_OVER} ORDER BY id DESC""",
        me=me.user,
        now=tx.now,
    )
    return Precedents([Precedent(*row) for row in rows])


@operation("DELETE /escalations/precedents/{id}", scope="escalations:decide")
def delete_precedent(tx: Tx, me: Caller, *, id: Id) -> Record:
    """Take back what was allowed for longer: the next such call waits for a yes again."""
    if (
        tx.run(
            "DELETE FROM precedents WHERE id = :id AND user_id = :me", id=id, me=me.user
        ).rowcount
        == 0
    ):
        raise NotFound("There is no such precedent.")
    return Record()


def find(
    tx: Tx, me: Caller, tool: RegisteredTool, origin: Origin, taint: frozenset[Taint]
) -> int | None:
    """Return the precedent that lets a call pass.

    Made for the same tool as it still is, the same origin, and no fewer words of others in play.
    """
    rows = tx.all(
        """SELECT id, taint FROM precedents WHERE user_id = :me
          AND tool = :tool AND origin = :origin AND session IN ('', :session)
             AND tool_sha256 = :sha AND (expires_at IS NULL OR expires_at > :now) ORDER BY id""",
        me=me.user,
        tool=tool.name,
        origin=origin.key(me),
        # The session '' is that of a permission for the tool, which holds in every session.
        session=origin.session(me),
        sha=tool.sha256,
        now=tx.now,
    )
    # What was allowed with fewer words of others in play was allowed for less.
    return next((row["id"] for row in rows if taint <= set(row["taint"].split())), None)


def find_by_name(tx: Tx, me: Caller, tool: str, origin: Origin) -> int | None:
    """Return the precedent that lets a tool of another program pass, known by its name only."""
    found: int | None = tx.value(
        """SELECT id FROM precedents WHERE user_id = :me AND tool = :tool AND tool_sha256 IS NULL
             AND origin = :origin AND session IN ('', :session)
             AND (expires_at IS NULL OR expires_at > :now) ORDER BY id LIMIT 1""",
        me=me.user,
        tool=tool,
        origin=origin.key(me),
        session=origin.session(me),
        now=tx.now,
    )
    return found


def count_use(tx: Tx, precedent: int) -> None:
    """Count that it let a call pass."""
    tx.run("UPDATE precedents SET uses = uses + 1 WHERE id = :id", id=precedent)


def add(tx: Tx, asker: Caller, escalation: sqlite3.Row, origin: Origin, *, whole: bool) -> None:
    """Allow what an escalation asked for to its origin.

    `whole` for 30 days, else until its conversation, its run or its grant ends.
    """
    tx.run(
        """INSERT INTO precedents (user_id, conversation_id, tool,
          tool_sha256, origin, origin_kind, scope, session, taint, created_at, expires_at)
           VALUES (:me, (SELECT id FROM conversations
             WHERE id = :conversation), :tool, :sha, :origin, :kind, :scope, :session, :taint,
             :now,
               :expires)
           ON CONFLICT (user_id, tool, origin, scope, session, taint)
           DO UPDATE SET tool_sha256 = excluded.tool_sha256, created_at = excluded.created_at,
             expires_at = excluded.expires_at""",
        me=escalation["user_id"],
        # Read from its table: the conversation may be gone by now, and its key must not fail then.
        conversation=None if whole else origin.conversation_id,
        tool=escalation["tool"],
        sha=escalation["tool_sha256"],
        origin=origin.key(asker),
        kind=origin.kind,
        scope="tool" if whole else "session",
        session="" if whole else origin.session(asker),
        taint=escalation["taint"],
        now=tx.now,
        expires=stamp(tx.moment + timedelta(days=DAYS)) if whole else None,
    )


def forget(tx: Tx, user: int, origin: str) -> None:
    """Forget all that a user has allowed an origin, by its key: what stood behind it is gone."""
    tx.run(
        "DELETE FROM precedents WHERE user_id = :user AND origin = :origin",
        user=user,
        origin=origin,
    )


def any_over(tx: Tx) -> bool:
    """Return whether there are any by which nothing can pass any more."""
    return tx.one(f"SELECT 1 FROM precedents WHERE {_OVER}", now=tx.now) is not None


def delete_over(tx: Tx) -> None:
    """Forget those by which nothing can pass any more."""
    tx.run(f"DELETE FROM precedents WHERE {_OVER}", now=tx.now)
