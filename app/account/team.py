"""The team: who belongs together, how many seats there are, and invites as links.

Membership gives no access to anyone's data.
"""

import sqlite3
from typing import Annotated, Literal

from app.account import team_rows as rows
from app.account import users
from app.core import random_tokens
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id, Record
from app.errors import AlreadyMember, Forbidden, NotFound, RateLimited, SeatsFull

Role = Literal["owner", "admin", "member"]
GivenRole = Literal["member", "admin"]
LEADERS = ("owner", "admin")
LONGEST_TOKEN = 100


class Seat(Record):
    status: Literal["active", "none"]


class Team(Record):
    """A team; a seat is used by each member and each invite that waits."""

    id: int
    name: str
    seats_total: int
    seats_used: int
    seats_available: int
    created_at: str


class Member(Record):
    user_id: str
    username: str
    name: str
    role: Role
    joined_at: str


class Invite(Record):
    id: int
    email: str | None
    role: Role
    expires_at: str


class PendingInvite(Invite):
    created_at: str


class TeamView(Record):
    """A user's team; `role` and `team` are null for who has none.

    Invites are shown to owner and admins.
    """

    has_team: bool
    role: Role | None
    can_invite: bool
    seat: Seat
    team: Team | None
    members: list[Member]
    pending_invites: list[PendingInvite]


class Invited(Record):
    invite_url: str
    email_delivered: bool
    invite: Invite


class WaitingInvite(Record):
    """An invite as its link shows it."""

    team_name: str
    role: Role
    expires_at: str


class Joined(Record):
    team: Team
    role: Role


class MemberAnswer(Record):
    member: Member


@operation("GET /os/team", category="team", scope="os.team:read")
def read_team(tx: Tx, me: Caller) -> TeamView:
    """Read the caller's team, its members and its seats."""
    team = rows.membership(tx, me.user)
    if team is None:
        return TeamView(False, None, True, Seat("none"), None, [], [])
    leads = team["role"] in LEADERS
    invites = [
        PendingInvite(row["id"], row["email"], row["role"], row["expires_at"], row["created_at"])
        for row in rows.pending_invites(tx, team["id"])
    ]
    listed = [_member_record(row) for row in rows.members(tx, team["id"])]
    return TeamView(
        True,
        team["role"],
        leads,
        Seat("active"),
        _team_record(tx, team),
        listed,
        invites if leads else [],
    )


@operation("POST /os/team/invite", category="team", scope="os.team:write")
async def invite_to_team(
    app: App,
    me: Caller,
    *,
    email: Annotated[str, users.Email()] | None = None,
    role: GivenRole = "member",
) -> Invited:
    """Make an invite as a link; an address binds it. Whoever has no team gets one.

    Only owner and admins invite.
    """
    if wait := app.rates.invites.take_token(me.user).wait:
        raise RateLimited("Too many invites; wait a moment.", retryAfter=wait)
    token = random_tokens.new_secret("")
    made = await app.write(_insert_invite, me, token, email, role)
    return Invited(
        f"{app.settings.origin}/team/invites/{token}", email_delivered=False, invite=Invite(*made)
    )


@operation("DELETE /os/team/invites/{id}", category="team", scope="os.team:write")
def revoke_invite(tx: Tx, me: Caller, *, id: Id) -> Record:
    """Revoke an open invite."""
    team = rows.membership(tx, me.user)
    if team is None:
        raise NotFound(f"There is no open invite {id}.", field="id")
    _require_leader(team)
    rows.revoke(tx, team["id"], id)
    return Record()


@operation(
    "POST /os/team/invites/{token}/accept",
    category="team",
    scope="os.team:write",
    http=Http(guessable=True),
)
def accept_invite(tx: Tx, me: Caller, *, token: str) -> Joined:
    """Join a team by an invite, which is used up."""
    found = rows.waiting_invite(tx, token[:LONGEST_TOKEN])
    if (
        found["email"] is not None
        and (users.settings_of(tx, me.user).email or "").casefold() != found["email"].casefold()
    ):
        raise Forbidden(
            "This invite is for another address than that of your account's settings.",
            reason="invite_for_another_address",
        )
    if rows.membership(tx, me.user) is not None:
        raise AlreadyMember("You belong to a team already; leave it first.")
    seats = tx.settings.team_seats
    # invites that wait do not count: this one has its seat among them
    if len(rows.members(tx, found["team_id"])) >= seats:
        raise SeatsFull(f"All {seats} seats of the team are taken.", seatsTotal=seats)
    rows.use_invite(tx, found, me.user)
    team = _own_team(tx, me)
    return Joined(_team_record(tx, team), team["role"])


@operation("COMMAND", category="team", effect="read")
def look_at_invite(tx: Tx, me: Caller, *, token: str) -> WaitingInvite:
    """Say to which team an invite leads, to whoever has its link."""
    found = rows.waiting_invite(tx, token[:LONGEST_TOKEN])
    return WaitingInvite(found["name"], found["role"], found["expires_at"])


@operation("PATCH /os/team/members/{username}", category="team", scope="os.team:write")
def change_member(tx: Tx, me: Caller, *, username: str, role: GivenRole) -> MemberAnswer:
    """Give a member another role; the owner's stays."""
    team, found = _in_team(tx, me, username)
    _require_leader(team)
    _require_not_owner(found)
    rows.give_role(tx, team["id"], found["id"], role)
    return MemberAnswer(_member_record(rows.require_member(tx, team["id"], username)))


@operation("DELETE /os/team/members/{username}", category="team", scope="os.team:write")
def remove_member(tx: Tx, me: Caller, *, username: str) -> Record:
    """Take a member out of the team, or leave it oneself."""
    team, found = _in_team(tx, me, username)
    if found["id"] != me.user:
        _require_leader(team)
    _require_not_owner(found)
    rows.remove_member(tx, team["id"], found["id"])
    return Record()


def _insert_invite(
    tx: Tx, me: Caller, token: str, email: str | None, role: GivenRole
) -> tuple[int, str | None, Role, str]:
    team = rows.membership(tx, me.user)
    if team is None:
        rows.create_team(tx, me.user, f"{users.settings_of(tx, me.user).name}’s team")
        team = _own_team(tx, me)
    _require_leader(team)
    members, seats = rows.members(tx, team["id"]), tx.settings.team_seats
    if email is not None and any(
        (row["email"] or "").casefold() == email.casefold() for row in members
    ):
        raise AlreadyMember("A member of the team has this address already.", field="email")
    if len(members) + len(rows.pending_invites(tx, team["id"])) >= seats:
        raise SeatsFull(
            f"All {seats} seats of the team are taken by members or by invites that wait; "
            "revoke one first.",
            seatsTotal=seats,
        )
    made = rows.add_invite(tx, team["id"], token, email=email, role=role, by=me.user)
    return made["id"], made["email"], made["role"], made["expires_at"]


def _own_team(tx: Tx, me: Caller) -> sqlite3.Row:
    team = rows.membership(tx, me.user)
    if team is None:
        raise NotFound("You belong to no team.")
    return team


def _in_team(tx: Tx, me: Caller, username: str) -> tuple[sqlite3.Row, sqlite3.Row]:
    """Return the caller's team and its member of that name.

    Raise NotFound, without a word on users of no team or another.
    """
    team = rows.membership(tx, me.user)
    if team is None:
        raise rows.no_member(username)
    return team, rows.require_member(tx, team["id"], username)


def _require_leader(team: sqlite3.Row) -> None:
    if team["role"] not in LEADERS:
        raise Forbidden(
            "Only the owner and the admins of the team may do this.", reason="not_an_admin"
        )


def _require_not_owner(found: sqlite3.Row) -> None:
    if found["role"] == "owner":
        raise Forbidden(
            "The owner keeps the team; neither role nor seat can be taken.", reason="owner"
        )


def _team_record(tx: Tx, team: sqlite3.Row) -> Team:
    seats = tx.settings.team_seats
    used = len(rows.members(tx, team["id"])) + len(rows.pending_invites(tx, team["id"]))
    return Team(team["id"], team["name"], seats, used, max(0, seats - used), team["created_at"])


def _member_record(row: sqlite3.Row) -> Member:
    return Member(row["uuid"], row["username"], row["name"], row["role"], row["joined_at"])
