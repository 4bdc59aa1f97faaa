"""Whom a device can reach: the caller itself, other people, and those of the caller's team."""

import sqlite3
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from app.account import contact_pairs, team_rows
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.network.contacts import contact_requests, people
from app.network.grants import grant_rows
from app.network.grants.permission_object import Capabilities
from app.runtime.devices import route_rows

PairState = Literal[
    "request_pair", "awaiting_their_accept", "accept_incoming", "setup_bridge", "ready"
]
PERSON = Annotated[str, Meta(min_length=1, max_length=64)]
MESSAGES: dict[PairState, str] = {
    "request_pair": "You are not connected with {name} yet; send a contact request.",
    "awaiting_their_accept": "{name} has not answered your contact request yet.",
    "accept_incoming": "{name} asked to become a contact; accept the request.",
    "setup_bridge": "{name} is a contact, but no device of theirs can be reached now.",
    "ready": "{name} can be reached.",
}


class WhoAmI(Record):
    """`deviceId` is the device of the caller's token; null with any other credential."""

    principal_id: str
    user_id: str
    device_id: str | None
    username: str


class ResolvedPerson(Record):
    """Whether a device of theirs can be reached is told to contacts only."""

    principal_id: str
    handle: str
    name: str
    display_name: str
    has_reachable_runtime: bool


class PairStatus(Record):
    status: PairState
    message: str
    target_reachable: bool


class TeamName(Record):
    id: int
    name: str


class AgentCard(Record):
    """How the agent of a teammate is addressed."""

    address: str
    name: str
    description: str


class Described(Record):
    id: str
    description: str


class TeamAgent(Record):
    """A teammate's agent, what it lends the caller, and what it keeps to itself.

    `contact`: to be asked first. `away`: a contact of whom no device can be reached.
    """

    principal_id: str
    handle: str
    display_name: str
    team_role: str
    role: str
    connection_state: Literal["contact", "connection_pending", "connected"]
    availability: Literal["available", "away", "unknown"]
    agent_card: AgentCard
    accessible_resources: list[Described]
    authority_boundaries: list[Described]


class TeamAgents(Record):
    team: TeamName | None
    agents: list[TeamAgent]


@operation("GET /local-agent/whoami", scope="runtime:connect", quick=True)
def who_am_i(tx: Tx, me: Caller) -> WhoAmI:
    """Tell whose credential this is, and of which device."""
    return WhoAmI(me.user_id, me.user_id, me.bound_device, me.username)


@operation("GET /local-agent/resolve-person", scope="runtime:connect")
def resolve_person(tx: Tx, me: Caller, *, q: PERSON) -> ResolvedPerson:
    """Find a person by @handle, username or userId."""
    found = people.require_person(tx, q.strip().removeprefix("@"), field="q")
    return ResolvedPerson(
        found["uuid"],
        found["username"],
        found["name"],
        _display_name(found),
        _pair_state(tx, me, found["id"]) == "ready",
    )


@operation("GET /local-agent/pair-status", scope="runtime:connect")
def read_pair_status(tx: Tx, me: Caller, *, principal_id: PERSON) -> PairStatus:
    """Tell what is missing until work can be handed to a person's devices."""
    found = people.require_person(tx, principal_id, field="principalId")
    status = _pair_state(tx, me, found["id"])
    return PairStatus(status, MESSAGES[status].format(name=_display_name(found)), status == "ready")


@operation("GET /local-agent/team-agents", scope="runtime:connect")
def list_team_agents(tx: Tx, me: Caller) -> TeamAgents:
    """List the agents of the caller's team, with what each of them lends the caller."""
    team = team_rows.membership(tx, me.user)
    if team is None:
        return TeamAgents(None, [])
    others = [row for row in team_rows.members(tx, team["id"]) if row["id"] != me.user]
    return TeamAgents(
        TeamName(team["id"], team["name"]), [_team_agent(tx, me, row) for row in others]
    )


def _pair_state(tx: Tx, me: Caller, other: int) -> PairState:
    if other == me.user or contact_pairs.are_contacts(tx, me.user, other):
        return "ready" if route_rows.find_reachable(tx, other) is not None else "setup_bridge"
    if contact_requests.is_waiting(tx, other, me.user):
        return "accept_incoming"
    if contact_requests.is_waiting(tx, me.user, other):
        return "awaiting_their_accept"
    return "request_pair"


def _team_agent(tx: Tx, me: Caller, row: sqlite3.Row) -> TeamAgent:
    state = _pair_state(tx, me, row["id"])
    is_contact = state in ("setup_bridge", "ready")
    held = grant_rows.find_grant(tx, row["id"], me.user)
    name = _display_name(row)
    return TeamAgent(
        row["uuid"],
        row["username"],
        name,
        row["role"],
        row["role"],
        "connected"
        if is_contact
        else "contact"
        if state == "request_pair"
        else "connection_pending",
        "available" if state == "ready" else "away" if is_contact else "unknown",
        AgentCard(f"{row['username']}_coo", f"{name}’s agent", f"Acts for {name} on this server."),
        list(_lent(held.summary)),
        list(_kept(held.summary, asks=held.permissions.agent_access)),
    )


def _lent(summary: Capabilities) -> Iterator[Described]:
    if summary.notes != "none":
        yield Described("notes", f"Their notes, to {summary.notes}")
    if summary.calendar != "none":
        what = "when they are busy" if summary.calendar == "free_busy" else f"to {summary.calendar}"
        yield Described("calendar", f"Their calendar, {what}")
    if summary.email:
        yield Described("email", "Their mail, to read")
    if summary.todos:
        yield Described("todos", "Their todos")
    for tool in summary.tools:
        yield Described(f"tool:{tool}", f"The tool {tool}")


def _kept(summary: Capabilities, *, asks: bool) -> Iterator[Described]:
    if not asks:
        yield Described("agent", "You may not ask their agent")
    if summary.notes in ("none", "read"):
        words = "read their notes" if summary.notes == "none" else "change their notes"
        yield Described("notes", f"You may not {words}")
    if summary.calendar in ("none", "free_busy", "read"):
        words = "change" if summary.calendar == "read" else "read"
        yield Described("calendar", f"You may not {words} what is in their calendar")
    if not summary.email:
        yield Described("email", "You may not read their mail")
    if not summary.todos:
        yield Described("todos", "You may not see their todos")


def _display_name(row: sqlite3.Row) -> str:
    return str(row["name"] or row["username"])
