"""`hearth connect`: writes Hearth into the configuration of a desktop agent."""

import difflib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.mcp import config_text
from app.commands.mcp.clients import Client, clients
from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.terminal_safe import strip_controls
from app.commands.terminal.user_options import user_option
from app.commands.user import choose_username
from app.settings import Settings

NAME = "hearth"
READ_ONLY = " (read-only)"
NEW_KEY = "NEW"
"""Stands for the number of a key that is made once the change is agreed to."""
OPEN_WEBUI = """Open WebUI keeps its servers in its own database, so enter this there:

  Admin Settings → External Tools → + → Type: MCP (Streamable HTTP)
  URL   {url}
  Auth  Bearer, with the key that this prints once:
        hearth key create --label "Open WebUI"

Open WebUI in a container reaches Hearth at the host's name, which HEARTH_ALLOWED_HOSTS must
name."""


@click.command()
@click.argument("agent", required=False)
@click.option("--print", "print_", is_flag=True, help="Show the change and write nothing.")
@click.option("--remove", is_flag=True, help="Take Hearth out again and revoke the agent's key.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--read-only", is_flag=True, help="Let the agent read and search, not change.")
@user_option
@settings_option
def connect(
    agent: str | None,
    user: str | None,
    settings: Settings,
    *,
    print_: bool,
    remove: bool,
    yes: bool,
    read_only: bool,
) -> None:
    """Connect a desktop agent, such as claude-desktop or cursor.

    Without AGENT, list those that Hearth knows. Shows the change to the agent's configuration,
    asks, keeps a backup, and makes a key for the agent alone, which `hearth key revoke` ends.
    """
    known = clients()
    if agent is None:
        print_columns(("AGENT", "IS", "CONFIGURATION"), _overview(known))
    elif agent == "open-webui":
        click.echo(OPEN_WEBUI.format(url=f"{settings.origin}/mcp"))
    elif agent not in known:
        raise Misused(
            f"There is no agent called {strip_controls(agent)}; there is {_named(known)}."
        )
    elif remove:
        _remove(settings, known[agent], user, print_=print_, yes=yes)
    else:
        _connect(settings, known[agent], user, print_=print_, yes=yes, read_only=read_only)


def _connect(
    settings: Settings,
    client: Client,
    user: str | None,
    *,
    print_: bool,
    yes: bool,
    read_only: bool,
) -> None:
    username = choose_username(settings, user)
    label = client.title + (READ_ONLY if read_only else "")
    key = _key_called(settings, username, label)
    path = Path(os.path.realpath(client.path))
    before = _text(path)
    shown = _with_entry(client, before, settings, username, NEW_KEY if key is None else str(key))
    if shown == before:
        click.echo(f"{client.title} is connected already, with key {key}; nothing to change.")
        return
    click.echo(strip_controls(_difference(path, before, shown)))
    if key is None:
        rights = "read and search" if read_only else "use Hearth's tools"
        click.echo(
            f'A key called "{label}" will be made for {username}, with the right to {rights}.'
        )
    if print_:
        return
    if not yes and not _agreed():
        raise Refused("Nothing was changed.")
    if key is None:
        key = _made_key(settings, username, label, read_only=read_only)
    after = _with_entry(client, before, settings, username, str(key))
    backup = _write(path, before, after)
    kept = "" if backup is None else f" The file as it was is {backup}."
    click.echo(f"{client.title} is connected, with key {key}.{kept} {client.after}")


def _remove(
    settings: Settings, client: Client, user: str | None, *, print_: bool, yes: bool
) -> None:
    path = Path(os.path.realpath(client.path))
    before = _text(path)
    cut = (
        config_text.without_entry_toml
        if client.format == "toml"
        else config_text.without_entry_json
    )
    try:
        after = cut(before, client.section, NAME)
    except config_text.Unreadable as error:
        raise Refused(
            f"{client.path} cannot be changed safely: {error}. Take "
            f'"{NAME}" out of "{client.section}" by hand.'
        ) from None
    if after == before:
        click.echo(f"{client.title} is not connected.")
        return
    username = choose_username(settings, user)
    labels = (client.title, client.title + READ_ONLY)
    keys = [key for label in labels if (key := _key_called(settings, username, label)) is not None]
    click.echo(strip_controls(_difference(path, before, after)))
    if print_:
        return
    if not yes and not _agreed():
        raise Refused("Nothing was changed.")
    backup = _write(path, before, after)
    for key in keys:
        ask(settings, "end_key", id=key)
    ended = f" Revoked key {' and '.join(map(str, keys))}." if keys else ""
    click.echo(f"{client.title} is no longer connected.{ended} The file as it was is {backup}.")


def _with_entry(client: Client, text: str, settings: Settings, username: str, key: str) -> str:
    """Return a configuration with Hearth in it; refuse one that cannot be understood."""
    entry = {**client.beside, **_command(settings, username, key)}
    put = config_text.with_entry_toml if client.format == "toml" else config_text.with_entry_json
    try:
        return put(text, client.section, NAME, entry)
    except config_text.Unreadable as error:
        raise Refused(
            f"{client.path} cannot be changed safely: {error}. Put this in by hand, under "
            f'"{client.section}": "{NAME}": {entry}'
        ) from None


def _command(settings: Settings, username: str, key: str) -> dict[str, Any]:
    """Return the command by which an agent starts its way to Hearth.

    With every path whole, since an agent starts it anywhere and without the shell's variables.
    """
    script = Path(sys.executable).parent / ("hearth.exe" if sys.platform == "win32" else "hearth")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "app"]
    where = ["--data", str(data_directory(settings)), "--user", username, "--key", key]
    return {"command": start[0], "args": [*start[1:], "mcp", *where]}


def _key_called(settings: Settings, username: str, label: str) -> int | None:
    """Return the number of the user's live key of that name."""
    keys = ask(settings, "user_keys", username=username)["keys"]
    live = [one["id"] for one in keys if one["name"] == label and not one["revokedAt"]]
    return int(live[0]) if live else None


def _made_key(settings: Settings, username: str, label: str, *, read_only: bool) -> int:
    """Make the agent's key; its secret is needed nowhere and forgotten."""
    from app.catalog import CATALOG

    allowed = ("R",) if read_only else ("R", "W", "O")
    scopes = {
        found.scopes[0]
        for found in CATALOG.operations.values()
        if found.tool and found.scopes and found.risk_class in allowed
    }
    made = ask(settings, "issue_key", username=username, name=label, scopes=sorted(scopes))
    return int(made["key"]["id"])


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {error}.") from None


def _write(path: Path, before: str, after: str) -> Path | None:
    """Put the new text in place of the old in one step, and return where the old one is kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if _text(path) != before:
            raise Refused(f"{path} was changed meanwhile; nothing was written. Try again.")
        backup = _backup(path) if path.exists() else None
        fresh = path.with_name(path.name + ".hearth-new")
        with fresh.open("w", encoding="utf-8", newline="") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, fresh)
        fresh.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from None
    return backup


def _backup(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.hearth-backup-{number}")).exists():
        number += 1
    shutil.copy2(path, kept)
    return kept


def _difference(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2
    )
    return "\n".join(lines)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise Refused("Writing needs your yes: run it in a terminal, or add --yes.")
    return click.confirm("Write this?", default=False)


def _overview(known: dict[str, Client]) -> list[tuple[str, str, str]]:
    rows = [(name, _state(client), str(client.path)) for name, client in known.items()]
    return [*rows, ("open-webui", "", "in its own database; this tells what to enter")]


def _state(client: Client) -> str:
    try:
        text = _text(client.path)
        found = (
            config_text.read_toml(text) if client.format == "toml" else config_text.read_json(text)
        )
    except (config_text.Unreadable, Refused):
        return "unreadable"
    if NAME in (found.get(client.section) or {}):
        return "connected"
    return "here" if client.path.parent.exists() and client.path.exists() else "not found"


def _named(known: dict[str, Client]) -> str:
    return ", ".join([*known, "open-webui"])
