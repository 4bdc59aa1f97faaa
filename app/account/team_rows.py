"""The rows of teams, their members and their invites: the only place that writes them."""

import sqlite3
from datetime import timedelta

from app.account import key_rows
from app.core.database.tx import Tx, stamp
from app.errors import NotFound

LIFE = timedelta(days=7)


def membership(tx: Tx, user: int) -> sqlite3.Row | None:
    """Return the team of a user with their role in it, None when they have none."""
    return tx.one(
        """SELECT t.id, t.name, t.created_at, m.role FROM team_members m
           JOIN teams t ON t.id = m.team_id WHERE m.user_id = :user""",
        user=user,
    )


def create_team(tx: Tx, user: int, name: str) -> None:
    """Make a team whose owner is the user."""
    team = tx.insert("teams", owner_id=user, name=name, created_at=tx.now)
    _insert_member(tx, team, user, "owner")


def members(tx: Tx, team: int) -> list[sqlite3.Row]:
    """Return the members, those first who joined first."""
    return tx.all(
        """SELECT u.id, u.uuid, u.username, u.name, m.role, m.joined_at,
          json_extract(u.settings, '$.email') AS email
           FROM team_members m JOIN users u ON u.id = m.user_id WHERE m.team_id = :team
             ORDER BY m.joined_at, u.id""",
        team=team,
    )


def require_member(tx: Tx, team: int, username: str) -> sqlite3.Row:
    """Return a member by name; raise NotFound."""
    name = username.strip().lower()
    row = next((row for row in members(tx, team) if row["username"] == name), None)
    if row is None:
        raise no_member(username)
    return row


def no_member(username: str) -> NotFound:
    """Return the refusal for a name that is nobody's in the team."""
    return NotFound(f"There is no member called {username[:64]}.", field="username")


def give_role(tx: Tx, team: int, user: int, role: str) -> None:
    """Give a member another role."""
    tx.update("team_members", {"team_id": team, "user_id": user}, role=role)


def remove_member(tx: Tx, team: int, user: int) -> None:
    """Take a member out of the team."""
    tx.run(
        "DELETE FROM team_members WHERE team_id = :team AND user_id = :user", team=team, user=user
    )


def pending_invites(tx: Tx, team: int) -> list[sqlite3.Row]:
    """Return the invites that wait, oldest first."""
    return tx.all(
        """SELECT id, email, role, created_at, expires_at FROM team_invites
           WHERE team_id = :team AND status = 'pending' AND expires_at > :now ORDER BY id""",
        team=team,
        now=tx.now,
    )


def add_invite(
    tx: Tx, team: int, token: str, *, email: str | None, role: str, by: int
) -> sqlite3.Row:
    """Make an invite and give its row; only a hash of the token is kept."""
    made = tx.insert(
        "team_invites",
        team_id=team,
        digest=key_rows.key_digest(token),
        email=email,
        role=role,
        status="pending",
        invited_by=by,
        created_at=tx.now,
        expires_at=stamp(tx.moment + LIFE),
    )
    return tx.require_row(
        "SELECT id, email, role, expires_at FROM team_invites WHERE id = :id", id=made
    )


def waiting_invite(tx: Tx, token: str) -> sqlite3.Row:
    """Return the invite that waits under this token; raise NotFound for any other."""
    row = tx.one(
        """SELECT i.id, i.team_id, i.email, i.role, i.expires_at, t.name
          FROM team_invites i JOIN teams t ON t.id = i.team_id
           WHERE i.digest = :digest AND i.status = 'pending' AND i.expires_at > :now""",
        digest=key_rows.key_digest(token),
        now=tx.now,
    )
    if row is None:
        raise NotFound(
            "There is no such invite; it may have been used, revoked or expired.", field="token"
        )
    return row


def revoke(tx: Tx, team: int, id_: int) -> None:
    """Revoke an invite of the team that waits; raise NotFound for any other."""
    revoked = tx.run(
        "UPDATE team_invites SET status = 'revoked' "
        "WHERE id = :id AND team_id = :team AND status = 'pending' "
        "AND expires_at > :now",
        id=id_,
        team=team,
        now=tx.now,
    )
    if revoked.rowcount == 0:
        raise NotFound(f"There is no open invite {id_}.", field="id")


def use_invite(tx: Tx, found: sqlite3.Row, user: int) -> None:
    """Make the user a member by an invite, which is used up."""
    tx.update("team_invites", {"id": found["id"]}, status="accepted")
    _insert_member(tx, found["team_id"], user, found["role"])


def _insert_member(tx: Tx, team: int, user: int, role: str) -> None:
    tx.insert("team_members", user_id=user, team_id=team, role=role, joined_at=tx.now)
