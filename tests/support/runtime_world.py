"""Two people with runtimes, in a database in memory and without a server: quick enough for
thousands of steps.
"""

import dataclasses
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from app.account import contact_pairs
from app.core.caller import OPERATOR, Caller
from app.core.database.events import Events
from app.core.database.tx import Tx, stamp
from app.errors import AppError
from app.runtime.delegations import collaborations
from app.runtime.devices import endpoint_rows, route_rows, session_rows
from app.runtime.messages import dispatch
from app.runtime.realtime import event_rows
from app.tools.approvals import escalation_rows
from tests.support.serving import ROOT

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
SESSIONS = 2


@dataclasses.dataclass
class Person:
    """A user with one endpoint and its sessions."""

    me: Caller
    endpoint: str
    sessions: list[str]
    cursor: int = 0


class World:
    """A database, its clock, and the people in it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript((ROOT / "app" / "schema.sql").read_text("utf-8"))
        self.connection.execute("PRAGMA foreign_keys=ON")
        self.events = Events()
        collaborations.listen(self.events)
        self.now = NOON
        self.alice, self.bob = self.person(1, "alice"), self.person(2, "bob")
        self.run(lambda tx: contact_pairs.connect(tx, 1, 2))

    def close(self) -> None:
        self.connection.close()

    def person(self, number: int, name: str) -> Person:
        """Add a user whose default route is the first of their sessions."""
        me = Caller(user=number, user_id=f"uuid-{name}", username=name, kind="key", credential=1)

        def made(tx: Tx) -> Person:
            tx.run(
                "INSERT INTO users (id, uuid, username, name, created_at) "
                "VALUES (:id, :uuid, :name, :title, '')",
                id=number,
                uuid=me.user_id,
                name=name,
                title=name.capitalize(),
            )
            endpoint = endpoint_rows.upsert(
                tx,
                number,
                device_id=f"{name}-laptop",
                runtime="codex",
                bridge_version="1",
                adapter_version="1",
                capabilities=["listSessions", "bridge-instance:bridge_1"],
            )
            sessions = [self.session(tx, endpoint) for _ in range(SESSIONS)]
            route_rows.put(tx, number, endpoint.endpoint_id, sessions[0])
            return Person(me, endpoint.endpoint_id, sessions)

        return self.run(made)

    def session(self, tx: Tx, endpoint: endpoint_rows.Endpoint) -> str:
        values = {
            "label": "work",
            "workspace_boundary": "/home/ann",
            "state": "idle",
            "delivery_mode": "managed_stream",
            "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
            "allow_inbound": True,
            "allow_mid_turn_steer": False,
        }
        return session_rows.insert(
            tx, endpoint.user_id, endpoint.endpoint_id, values
        ).session_handle

    def run(self, function: Callable[..., Any], *args: Any, **fields: Any) -> Any:
        """Run a function as one transaction of this moment."""
        tx = Tx(self.connection, self.now, within=self.events.within)
        with tx.savepoint():
            return function(tx, *args, **fields)

    def refusal(self, function: Callable[..., Any], *args: Any, **fields: Any) -> str | None:
        """Run a function and give the code of its refusal; None where it succeeds."""
        try:
            self.run(function, *args, **fields)
        except AppError as error:
            return error.code
        return None

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def heartbeat(self) -> None:
        """Let both endpoints be heard of now."""
        for person in (self.alice, self.bob):
            self.run(endpoint_rows.note_seen, {person.endpoint: stamp(self.now)})

    def tend(self) -> None:
        """Do what the server's clock does."""
        self.run(dispatch._dispatch_due)
        self.run(collaborations._advance)
        self.run(expire_escalations)

    def stream(self, person: Person) -> list[event_rows.Event]:
        """Give what the stream of a person's endpoint sends now, past its cursor."""
        found: list[event_rows.Event] = self.run(
            event_rows.after, person.endpoint, person.cursor, 1000
        )
        if found:
            person.cursor = found[-1].id
            self.run(event_rows.note_sent, [event.id for event in found])
        return found

    def resend(self, person: Person) -> None:
        """Do what the stream does from time to time: send again what nobody acknowledged."""
        self.run(event_rows.renew_unacknowledged, person.endpoint, person.cursor)

    def state(self, person: Person, number: int, **values: Any) -> None:
        """Change a session."""
        before = self.run(session_rows.require, person.sessions[number])
        self.run(session_rows.change, before, values)


def expire_escalations(tx: Tx) -> None:
    for row in tx.all("SELECT * FROM escalations WHERE status = 'pending'"):
        if escalation_rows.is_due(tx, row):
            escalation_rows.expire(tx, OPERATOR, row)
