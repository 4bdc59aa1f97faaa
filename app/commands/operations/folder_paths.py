"""Rows of an answer with the paths of folders, by which a person tells them apart."""

from collections.abc import Mapping
from typing import Any

from app.commands.ask.door import Answer, Door
from app.commands.operations.command_index import OperationCommand


def with_paths(door: Door, username: str, made: OperationCommand, answer: Answer) -> Answer:
    """Return an answer whose rows have a folder's path in place of its number or name."""
    rows = answer.get(made.rows) if made.rows else None
    if made.operation == "list_folders" and rows:
        paths = folder_paths(rows)
        return {**answer, made.rows: [{**row, "name": paths[row["id"]]} for row in rows]}
    if "folderId" not in made.columns or not any(row.get("folderId") for row in rows or ()):
        return answer
    paths = folder_paths(door.ask_as(username, "list_folders")["folders"])
    placed = [{**row, "folderId": paths.get(row["folderId"])} for row in rows or ()]
    return {**answer, made.rows: placed}


def folder_paths(folders: list[Mapping[str, Any]]) -> dict[int, str]:
    """Return the path of each folder, from the topmost that is among them."""
    known = {folder["id"]: folder for folder in folders}

    def path(folder: Mapping[str, Any]) -> str:
        above = known.get(folder["parentId"])
        return folder["name"] if above is None else f"{path(above)}/{folder['name']}"

    return {number: path(folder) for number, folder in known.items()}
