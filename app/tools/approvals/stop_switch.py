"""The switch that stops every agent.

A row in the database, or a file called STOP in the data directory. It is read before each step
of an agent.
"""

from typing import Annotated

from app.core.app import App
from app.core.caller import Caller
from app.core.database.data_dir import STOP
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Line, Record
from app.errors import Unavailable
from app.tools.approvals import audit

STOPPED = "agents.stopped"
"""Published when agents are stopped by the command."""


class AgentsStopped(Unavailable):
    """Agents are stopped on this server."""


class State(Record):
    """Whether agents are stopped, since when and why.

    `byFile` when a file called STOP lies in the data directory.
    """

    stopped: bool
    since: str | None
    reason: str | None
    by_file: bool


def require_running(app: App) -> None:
    """Raise AgentsStopped while agents are stopped."""
    if is_stopped(app):
        raise AgentsStopped(
            "Agents are stopped on this server; `hearth agent start` lets them go on."
        )


def is_stopped(app: App) -> bool:
    """Return whether agents are stopped, by the row or by the file."""
    return _stop_file_exists(app) or app.glance(_read_row) is not None


@operation("COMMAND", category="agent")
def stop_agents(tx: Tx, me: Caller, *, reason: Annotated[str, Line(0, 200)] = "") -> Record:
    """Stop every agent: no model and no tool is called until they are started again."""
    tx.run(
        "INSERT INTO agent_stops (id, stopped_at, reason) VALUES (1, :now, :reason) "
        # Whoever stopped them first is kept as the reason.
        "ON CONFLICT (id) DO NOTHING",
        now=tx.now,
        reason=reason,
    )
    audit.add(tx, me, audit.Entry("stop", outcome="stopped"))
    tx.emit(STOPPED)
    return Record()


@operation("COMMAND", category="agent")
def start_agents(tx: Tx, me: Caller) -> Record:
    """Let agents go on."""
    tx.run("DELETE FROM agent_stops")
    audit.add(tx, me, audit.Entry("start", outcome="started"))
    return Record()


@operation("COMMAND", category="agent", effect="read")
async def agents_state(app: App, me: Caller) -> State:
    """Say whether agents are stopped."""
    found, by_file = app.glance(_read_row), _stop_file_exists(app)
    since, reason = found or (None, None)
    return State(by_file or found is not None, since, reason, by_file)


def _read_row(tx: Tx) -> tuple[str, str] | None:
    row = tx.one("SELECT stopped_at, reason FROM agent_stops")
    return None if row is None else (row[0], row[1])


def _stop_file_exists(app: App) -> bool:
    # Asked before each step and never remembered: a file needs no restart and no working API.
    return (app.store.path.parent / STOP).exists()
