"""The options that say what an agent is and may do, and the fields they come to."""

from pathlib import Path
from typing import Any

import click

from app.commands.agents.local_agents import Command, Owner
from app.commands.terminal.command_group import Misused

NOTES = ("none", "read", "write", "edit")
TODOS = ("none", "read", "create")
VISIBILITIES = ("private", "contacts", "anyone")
NO_LIMIT = "none"


class Limit(click.ParamType[int | str]):
    """A number of tokens, or `none`."""

    name = "tokens"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number, or `none`."""
        if value == NO_LIMIT:
            return value
        return click.IntRange(0).convert(value, param, ctx)


def agent_options(command: Command) -> Command:
    """Add the options that say what an agent is and may do."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--name", metavar="TEXT", help="Name to show [default: the handle]."),
    click.option("--description", metavar="TEXT", help="What it is for, in a line."),
    click.option("--persona", metavar="TEXT", help="What it is told about itself."),
    click.option(
        "--persona-file",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Read the persona from a file.",
    ),
    click.option("--model", metavar="NAME", help="Its own model; `default` for the usual one."),
    click.option(
        "--tools",
        metavar="NAMES",
        help="Namespaces of tools it sees, such as `notes,todos`; `none` for no tools.",
    ),
    click.option("--notes", type=click.Choice(NOTES), help="What it may do with notes."),
    click.option(
        "--folder",
        "folders",
        metavar="PATH",
        multiple=True,
        help="Only notes in this folder; repeatable [default: all notes].",
    ),
    click.option("--todos", type=click.Choice(TODOS), help="What it may do with todos."),
    click.option("--visible-to", type=click.Choice(VISIBILITIES), help="Who may write to it."),
    click.option("--monthly-tokens", type=Limit(), help="Tokens a month, or `none` for no limit."),
    click.option("--reply-tokens", type=Limit(), help="Tokens a reply, or `none` for no limit."),
)


def fields_of(owner: Owner, given: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the options come to.

    `before` are the permissions that the agent has, of which parts may stay.
    """
    fields = {
        "name": given["name"],
        "description": given["description"],
        "persona": _persona(given["persona"], given["persona_file"]),
        "namespaces": _namespaces(given["tools"]),
        "permissions": _permissions(owner, given, before),
        "visibility": given["visible_to"],
        "budget": _budget(given["monthly_tokens"], given["reply_tokens"]),
    }
    found = {name: value for name, value in fields.items() if value is not None}
    if given["model"] is not None:
        owner.client.require_model(given["model"])
        found["model"] = None if given["model"] == "default" else given["model"]
    return found


def _persona(text: str | None, file: Path | None) -> str | None:
    if file is None:
        return text
    if text is not None:
        raise Misused("Give either --persona or --persona-file.")
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise Misused(f"{file} cannot be read as UTF-8 text.") from None


def _namespaces(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [] if names == ["none"] else names


def _permissions(
    owner: Owner, given: dict[str, Any], before: dict[str, Any]
) -> dict[str, Any] | None:
    notes, todos, folders = given["notes"], given["todos"], given["folders"]
    if notes is None and todos is None and not folders:
        return None
    changed = dict(before)
    if notes is not None or folders:
        changed["notesAccess"] = _notes_access(owner, notes, folders, before)
    if todos is not None:
        changed["todoAccess"] = {"read": todos != "none", "create": todos == "create"}
    return changed


def _notes_access(
    owner: Owner, notes: str | None, folders: tuple[str, ...], before: dict[str, Any]
) -> dict[str, Any]:
    if notes == "none":
        return {"scope": "none"}
    held = before.get("notesAccess", {"scope": "none", "access": "read"})
    access = notes or held["access"]
    if folders:
        numbers = [owner.folder(path) for path in folders]
        return {"scope": "folders", "folderIds": numbers, "access": access}
    if held["scope"] == "folders":
        return {**held, "access": access}
    return {"scope": "all", "access": access}


def _budget(month: int | str | None, reply: int | str | None) -> dict[str, Any] | None:
    given = {"monthlyTokens": month, "perReplyTokens": reply}
    found = {
        name: None if value == NO_LIMIT else value
        for name, value in given.items()
        if value is not None
    }
    return found or None
