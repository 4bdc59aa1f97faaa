"""`hearth agent add`, `list`, `show`, `edit` and the others about managed agents."""

from typing import Any

import click

from app.commands.agents.agent_fields import agent_options, fields_of
from app.commands.agents.local_agents import Agent, Owner
from app.commands.ask.ask_operation import ask as ask_operator
from app.commands.ask.locate_data import settings_option
from app.commands.chat.chat import ask_once
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Misused
from app.commands.terminal.key_text import COLUMNS, key_options, key_row, show_new_key
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import strip_controls
from app.commands.terminal.user_options import user_option, user_options
from app.settings import Settings

handle_argument = click.argument("handle", metavar="HANDLE")


@click.command()
@handle_argument
@agent_options
@user_option
@settings_option
def add(handle: str, user: str | None, settings: Settings, **given: Any) -> None:
    """Add an agent that works in your workspace.

    It sees the tools that --tools names, and reaches what --notes and --todos allow: without them,
    nothing.
    """
    owner = Owner(settings, user)
    given["name"] = given["name"] or handle
    fields = fields_of(owner, given, {})
    made = owner.client.ask("create_managed_agent", handle=handle, **fields)["agent"]
    click.echo(f"Added {made['handle']}. Talk with it: `hearth agent ask {made['handle']} TEXT`.")


@click.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List your agents, oldest first."""
    found = Owner(settings, user).agents()
    if not found["agents"] and not json_:
        click.echo("There are no agents. Add one with `hearth agent add`.")
        return
    head = ("HANDLE", "NAME", "STATUS", "VISIBLE TO", "TOOLS", "TOKENS")
    print_table(found, head, map(_table_row, found["agents"]), json_=json_)


@click.command()
@handle_argument
@user_options
def show(handle: str, user: str | None, json_: bool, settings: Settings) -> None:
    """Show what an agent is, may do and has used."""
    owner = Owner(settings, user, handle)
    agent = owner.agent(handle)
    if json_:
        click.echo(format_json(agent))
        return
    for label, value in _lines(owner, agent):
        click.echo(f"{label + ':':<12} {strip_controls(value)}")
    if agent["persona"]:
        click.echo(f"\n{strip_controls(agent['persona'])}")


@click.command()
@handle_argument
@agent_options
@user_option
@settings_option
def edit(handle: str, user: str | None, settings: Settings, **given: Any) -> None:
    """Change an agent; what you do not name stays."""
    owner = Owner(settings, user, handle)
    agent = owner.agent(handle)
    fields = fields_of(owner, given, agent["permissions"])
    if not fields:
        raise Misused("Name at least one thing to change; see `hearth agent edit --help`.")
    owner.change(agent, **fields)
    click.echo(f"Changed {agent['handle']}.")


@click.command()
@handle_argument
@user_option
@settings_option
def pause(handle: str, user: str | None, settings: Settings) -> None:
    """Pause an agent immediately, even in the middle of an answer."""
    owner = Owner(settings, user, handle)
    agent = owner.change(owner.agent(handle), status="paused")
    click.echo(f"Paused {agent['handle']}.")


@click.command()
@handle_argument
@user_option
@settings_option
def resume(handle: str, user: str | None, settings: Settings) -> None:
    """Resume a paused agent."""
    owner = Owner(settings, user, handle)
    agent = owner.change(owner.agent(handle), status="active")
    click.echo(f"Resumed {agent['handle']}.")


@click.command()
@handle_argument
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@user_option
@settings_option
def delete(handle: str, yes: bool, user: str | None, settings: Settings) -> None:
    """Delete an agent for good; its conversations stay readable."""
    owner = Owner(settings, user, handle)
    agent = owner.agent(handle)
    if not yes:
        click.confirm(f"Delete {agent['handle']} and its keys?", abort=True, err=True)
    owner.client.ask("delete_managed_agent", id=agent["id"])
    click.echo(f"Deleted {agent['handle']}. Nobody can take that handle for 30 days.")


@click.command()
@handle_argument
@click.argument("message", metavar="TEXT")
@click.option(
    "--conversation", metavar="ID", type=click.IntRange(1), help="Continue this conversation."
)
@json_option
@user_option
@settings_option
def ask(
    handle: str,
    message: str,
    conversation: int | None,
    json_: bool,
    user: str | None,
    settings: Settings,
) -> None:
    """Ask an agent of yours something and print its answer."""
    owner = Owner(settings, user, handle)
    params = {"id": owner.agent(handle)["id"], "message": message, "conversationId": conversation}
    ask_once(owner.client, "chat_with_agent", params, json_=json_)


@click.command()
@handle_argument
@click.option(
    "--every", metavar="MINUTES", type=click.IntRange(5, 1440), help="Minutes from wake to wake."
)
@click.option("--task", metavar="TEXT", help="What to do when it wakes.")
@click.option("--never", is_flag=True, help="Stop waking it.")
@user_option
@settings_option
def wake(
    handle: str,
    every: int | None,
    task: str | None,
    never: bool,
    user: str | None,
    settings: Settings,
) -> None:
    """Let an agent wake by the clock and do a task.

    What it says waits for you in your conversation with it. It wakes only within the hours of your
    heartbeat's schedule.
    """
    if never == (every is not None):
        raise Misused("Give either --every or --never.")
    owner = Owner(settings, user, handle)
    name = owner.agent(handle)["handle"]
    fields = {"username": owner.username, "handle": name, "everyMinutes": every, "task": task}
    found = ask_operator(owner.settings, "set_agent_wake", **fields)
    click.echo(f"{name} wakes {_wakes(found)}")


@click.group(cls=Commands)
def key() -> None:
    """Create, list and revoke the keys of an agent."""


@key.command()
@handle_argument
@key_options("agent.message:send")
@user_option
@settings_option
def create(
    handle: str,
    label: str,
    scopes: tuple[str, ...],
    expires: str,
    user: str | None,
    settings: Settings,
) -> None:
    """Create a key for a program that acts as the agent, and show it once.

    Only the key goes to standard output.
    """
    owner = Owner(settings, user, handle)
    agent = owner.agent(handle)
    made = owner.client.ask(
        "create_agent_key",
        id=agent["id"],
        name=label,
        scopes=list(scopes) or None,
        expiresIn=expires,
    )
    show_new_key(made, agent["handle"])


@key.command(name="list")
@handle_argument
@user_options
def list_keys(handle: str, user: str | None, json_: bool, settings: Settings) -> None:
    """List the keys of an agent, newest first."""
    owner = Owner(settings, user, handle)
    found = owner.client.ask("list_agent_keys", id=owner.agent(handle)["id"])
    print_table(found, COLUMNS, map(key_row, found["keys"]), json_=json_)


@key.command()
@handle_argument
@click.argument("id_", metavar="ID", type=click.IntRange(1))
@user_option
@settings_option
def revoke(handle: str, id_: int, user: str | None, settings: Settings) -> None:
    """Revoke a key of an agent immediately."""
    owner = Owner(settings, user, handle)
    owner.client.ask("revoke_agent_key", id=owner.agent(handle)["id"], keyId=id_)
    click.echo(f"Revoked key {id_}.")


COMMANDS = (add, list_, show, edit, pause, resume, delete, ask, wake, key)


def _table_row(agent: Agent) -> tuple[str, ...]:
    return (
        agent["handle"],
        agent["name"],
        agent["status"],
        agent["visibility"],
        " ".join(agent["namespaces"]) or "none",
        f"{agent['usage']['tokensThisMonth']:,}",
    )


def _lines(owner: Owner, agent: Agent) -> list[tuple[str, str]]:
    """Return what is shown of an agent, label and text."""
    notes, todos = agent["permissions"]["notesAccess"], agent["permissions"]["todoAccess"]
    where = f" in {len(notes['folderIds'])} folder(s)" if notes["scope"] == "folders" else ""
    budget, used = agent["budget"], agent["usage"]
    found = [
        ("Name", agent["name"]),
        ("About", agent["description"]),
        ("Status", agent["status"]),
        ("Visible to", agent["visibility"]),
        ("Model", agent["model"] or "default"),
        ("Tools", " ".join(agent["namespaces"]) or "none"),
        ("Notes", "none" if notes["scope"] == "none" else notes["access"] + where),
        ("Todos", "create" if todos["create"] else "read" if todos["read"] else "none"),
        ("This month", f"{used['tokensThisMonth']:,} tokens, {used['messagesThisMonth']} messages"),
        (
            "Limits",
            f"{_limit(budget['monthlyTokens'])} a month, "
            f"{_limit(budget['perReplyTokens'])} a reply",
        ),
        ("Wakes", _wakes(owner.wake(agent))),
    ]
    return [(label, text) for label, text in found if text]


def _limit(tokens: int | None) -> str:
    return "no limit" if tokens is None else f"{tokens:,} tokens"


def _wakes(setting: dict[str, Any]) -> str:
    if setting["everyMinutes"] is None:
        return "only when somebody writes to it"
    return f"every {setting['everyMinutes']} minutes: {setting['task']}"
