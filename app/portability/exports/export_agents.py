"""Exports managed agents: what they are and may do, without keys."""

from typing import Any

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.schema import encode
from app.managed_agents import agent_rows, managed_agents
from app.managed_agents.agent_rows import Agent
from app.workspace.folders import folder_rows

FIELDS = (
    "handle",
    "name",
    "description",
    "persona",
    "model",
    "namespaces",
    "permissions",
    "visibility",
    "budget",
)


def agent_records(tx: Tx, me: Caller) -> list[dict[str, Any]]:
    """Return each agent of the caller by the names of the contract, and folders by their names."""
    return [_record(tx, agent) for agent in agent_rows.list_own(tx, me.user)[0]]


def _record(tx: Tx, agent: Agent) -> dict[str, Any]:
    whole = msgspec.json.decode(encode(managed_agents.view_of(tx, agent)))
    found = {name: whole[name] for name in FIELDS}
    notes = found["permissions"]["notesAccess"]
    # numbers of folders mean nothing elsewhere
    notes["folders"] = [names for one in notes.pop("folderIds") if (names := _names(tx, one))]
    if agent.wake_minutes is not None:
        found["wake"] = {"everyMinutes": agent.wake_minutes, "task": agent.wake_task}
    return found


def _names(tx: Tx, folder: int | None) -> list[str]:
    """Return the names of a folder and of those that it lies in, the outermost first."""
    names: list[str] = []
    while folder is not None:
        row = folder_rows.find_live(tx, folder)
        if row is None:
            return []
        names.insert(0, row["name"])
        folder = row["parent_id"]
    return names
