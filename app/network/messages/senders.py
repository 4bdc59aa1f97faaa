"""Who messages are from and for.

Users of this server and their agents, with the names that they chose.
"""

import msgspec

from app.account import users
from app.agent.turn.conversation_rows import SenderType
from app.core.caller import AgentIdentity, Caller
from app.core.database.tx import Tx
from app.errors import NotFound
from app.network.contacts import people


class Person(msgspec.Struct, frozen=True):
    """A user of this server."""

    id: int
    user_id: str
    username: str
    name: str


class Sender(msgspec.Struct, frozen=True):
    """Who a message is from: a person, or a person's agent, and the label that stands above it."""

    person: Person
    type: SenderType
    label: str
    agent: AgentIdentity | None = None
    """The managed agent of that person who writes, if one does."""

    @property
    def row(self) -> int | None:
        """The user who has written it, and so has read it; none where a managed agent wrote."""
        return self.person.id if self.agent is None else None

    @property
    def agent_row(self) -> int | None:
        """The managed agent that has written it, if one has."""
        return None if self.agent is None else self.agent.id

    @property
    def shown(self) -> dict[str, str]:
        """The sender as events tell of it."""
        one: Person | AgentIdentity = self.agent or self.person
        name = one.handle if isinstance(one, AgentIdentity) else one.username
        return {"userId": one.user_id, "username": name, "senderType": self.type}


def require_person(tx: Tx, named: str, *, field: str = "to") -> Person:
    """Return the user of that id or username; raise NotFound."""
    return Person(*people.require_person(tx, named, field=field))


def is_managed_agent(tx: Tx, to: str) -> bool:
    """Return whether a recipient is a managed agent: its id, or its handle with or without _coo."""
    handle = to.strip().lower().removesuffix(users.AGENT_SUFFIX)
    # deleted ones do not count, so they read like nobody
    # two looks by an index each, where an OR would scan
    sql = (
        "SELECT 1 FROM managed_agents WHERE handle = :handle AND status <> 'deleted' UNION ALL "
        "SELECT 1 FROM managed_agents WHERE uuid = :handle AND status <> 'deleted' LIMIT 1"
    )
    return tx.one(sql, handle=handle) is not None


def require_person_of_row(tx: Tx, user: int) -> Person:
    """Return the user of that row; raise NotFound."""
    row = tx.one("SELECT id, uuid, username, name FROM users WHERE id = :user", user=user)
    if row is None:
        raise NotFound("This user is gone.")
    return Person(*row)


def sender_of(tx: Tx, me: Caller, *, agent: bool = False) -> Sender:
    """Return who a message of the caller is from: the person with a web session, else, or where
    `agent` writes by itself, their agent.
    """
    # A key may be in the hands of any program, so what is sent with one is never the person's word.
    person = require_person(tx, me.user_id)
    if me.agent is not None:
        return Sender(person, "agent", me.agent.name, me.agent)
    if me.kind == "session" and not agent:
        return Sender(person, "human", person.name)
    return Sender(person, "agent", agent_name(tx, person))


def agent_name(tx: Tx, owner: Person) -> str:
    """Return the name of a user's agent."""
    return users.settings_of(tx, owner.id).agent_name or f"{owner.name}'s agent"
