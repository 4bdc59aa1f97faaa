"""Imports managed agents, paused: what an archive lets others ask, its owner looks at first."""

from typing import Any

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import AppError
from app.managed_agents import agent_rows
from app.portability.content.source_items import NotCarried, SourceAgents
from app.portability.exports.export_agents import FIELDS
from app.workspace.folders import folder_rows

PAUSED = "this agent is paused; look at it, then `hearth agent resume` lets it go on"


async def store_agents(app: App, me: Caller, source: SourceAgents) -> list[NotCarried]:
    """Make the agents that the account does not have yet; tell what did not come along."""
    lines: list[NotCarried] = []
    for given in source.agents:
        handle = str(given.get("handle"))
        try:
            lines += await _store(app, me, handle, given)
        except AppError as error:
            lines.append(NotCarried(f"agent {handle}", error.message))
    return lines


async def _store(app: App, me: Caller, handle: str, given: dict[str, Any]) -> list[NotCarried]:
    there = app.quick(agent_rows.find_named, handle)
    if there is not None and there.user_id == me.user:
        return []
    # at first without anything that it may do, so that it is never at work before it is paused
    plain = {"handle": handle, "name": given.get("name")}
    made = await app.call(me, "create_managed_agent", plain)
    number = made.agent.id
    lines = [NotCarried(f"agent {handle}", PAUSED)]
    fields = {name: given[name] for name in FIELDS if name not in plain and name in given}
    missing = app.quick(_with_folder_ids, me.user, fields.get("permissions"))
    lines += [NotCarried(f"agent {handle}", f"there is no folder {path}") for path in missing]
    await app.call(me, "change_managed_agent", {"id": number, "status": "paused"})
    for name, value in fields.items():
        try:
            await app.call(me, "change_managed_agent", {"id": number, name: value})
        except AppError as error:
            lines.append(NotCarried(f"agent {handle}", error.message))
    wake = given.get("wake")
    if isinstance(wake, dict):
        await app.write(_set_wake, number, wake)
    return lines


def _with_folder_ids(tx: Tx, user: int, permissions: Any) -> list[str]:
    """Put the numbers of folders in the place of their names; return the paths of those that are
    not there.
    """
    notes = permissions.get("notesAccess") if isinstance(permissions, dict) else None
    named = notes.pop("folders", None) if isinstance(notes, dict) else None
    if not isinstance(notes, dict) or not isinstance(named, list):
        return []
    numbers: list[int] = []
    missing: list[str] = []
    for names in named:
        found: int | None = None
        path = [str(name) for name in names] if isinstance(names, list) else []
        for name in path:
            row = folder_rows.find_child(tx, user, found, name)
            found = None if row is None else row["id"]
            if found is None:
                break
        if found is None:
            missing.append("/".join(path))
        else:
            numbers.append(found)
    notes["folderIds"] = numbers
    return missing


def _set_wake(tx: Tx, agent: int, wake: dict[str, Any]) -> None:
    minutes, task = wake.get("everyMinutes"), wake.get("task")
    if isinstance(minutes, int) and 5 <= minutes <= 1440 and isinstance(task, str) and task.strip():
        agent_rows.set_wake(tx, agent, minutes, task[:4_000])
