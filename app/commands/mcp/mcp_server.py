"""`hearth mcp-server`: the MCP servers whose tools the agent may use."""

import difflib
import json
import shlex
from typing import Any

import click

from app.commands.ask.ask_operation import ask, ask_patiently
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Commands, Misused, Refused
from app.commands.terminal.secret_source import read_secret
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import choose_username
from app.settings import Settings

PATIENCE = 120
RUNS = (
    "This runs a program on your machine, with all that you may do, whenever the agent uses it:\n"
)
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation.")


@click.group(cls=Commands)
def mcp_server() -> None:
    """Manage MCP servers, whose tools the agent may use.

    What a server's tools do needs your yes each time, until you trust the server.
    """


@mcp_server.command()
@click.argument("name")
@click.argument("target", metavar="ADDRESS | -- COMMAND [ARGUMENT]...", nargs=-1, required=True)
@click.option(
    "--header", "headers", metavar="NAME=VALUE", multiple=True, help="Header to send; repeatable."
)
@click.option(
    "--bearer-from",
    metavar="SOURCE",
    help="Source of a token to send: env:VARIABLE, file:/PATH, or - to read it now.",
)
@click.option("--client-id", help="What Hearth is registered as, where it cannot register itself.")
@click.option(
    "--client-secret-from",
    metavar="SOURCE",
    help="Source of that registration's secret, as of a token.",
)
@click.option(
    "--env",
    "variables",
    metavar="NAME=VALUE",
    multiple=True,
    help="Variable for the program; repeatable.",
)
@yes_option
@user_options
def add(
    name: str,
    target: tuple[str, ...],
    headers: tuple[str, ...],
    bearer_from: str | None,
    client_id: str | None,
    client_secret_from: str | None,
    variables: tuple[str, ...],
    yes: bool,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Add a server as NAME, at an address or as a program, and ask it for its tools."""
    given: dict[str, Any] = {"username": choose_username(settings, user), "name": name}
    if target[0].startswith(("https://", "http://")) and len(target) == 1:
        sent = _pairs(headers, "--header")
        if bearer_from is not None:
            sent["Authorization"] = f"Bearer {read_secret(bearer_from, '--bearer-from', 'token')}"
        config: dict[str, Any] = {"headers": sent}
        if client_id is not None:
            config["clientId"] = client_id
        if client_secret_from is not None:
            config["clientSecret"] = read_secret(
                client_secret_from, "--client-secret-from", "secret"
            )
        given |= {"serverUrl": target[0], "config": config}
    else:
        env = _pairs(variables, "--env")
        _confirm_program(target, env, yes=yes)
        given["config"] = {"command": target[0], "args": list(target[1:]), "env": env}
    found = ask_patiently(settings, PATIENCE, "set_up_mcp_server", **given)
    click.echo(format_json(found) if json_ else _told(found))


@mcp_server.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List servers. Secrets are never shown."""
    found = ask(settings, "user_mcp_servers", username=choose_username(settings, user))
    if json_:
        click.echo(format_json(found))
        return
    rows = [
        (
            row["name"],
            row["namespace"],
            row["status"],
            str(row["toolCount"]),
            row["serverUrl"],
            row["lastError"] or "",
        )
        for row in found["servers"]
    ]
    print_columns(("NAME", "NAMESPACE", "STATUS", "TOOLS", "ADDRESS", "TROUBLE"), rows)


@mcp_server.command()
@click.argument("name")
@user_options
def show(name: str, user: str | None, json_: bool, settings: Settings) -> None:
    """Show a server, its tools, and what has changed in them since you saw them."""
    found = ask(settings, "user_mcp_server", username=choose_username(settings, user), name=name)
    click.echo(format_json(found) if json_ else _shown(found))


@mcp_server.command()
@click.argument("name")
@user_options
def test(name: str, user: str | None, json_: bool, settings: Settings) -> None:
    """Connect to a server now and read its tools."""
    found = ask_patiently(
        settings, PATIENCE, "test_mcp_server", username=choose_username(settings, user), name=name
    )
    if found["server"]["status"] != "connected":
        raise Refused(_told(found))
    click.echo(format_json(found) if json_ else _told(found))


@mcp_server.command()
@click.argument("name")
@user_option
@settings_option
def login(name: str, user: str | None, settings: Settings) -> None:
    """Sign in to a server: print the address to visit. Hearth must be running."""
    begun = ask_patiently(
        settings, PATIENCE, "begin_mcp_login", username=choose_username(settings, user), name=name
    )
    click.echo("Visit this address in a browser on this machine, within ten minutes:", err=True)
    click.echo(strip_controls(begun["authorizeUrl"]))


@mcp_server.command()
@click.argument("name")
@click.option("--changes-only", is_flag=True, help="Accept changed tools, and nothing more.")
@click.option("--withdraw", is_flag=True, help="Stop trusting the server.")
@yes_option
@user_option
@settings_option
def trust(
    name: str, changes_only: bool, withdraw: bool, yes: bool, user: str | None, settings: Settings
) -> None:
    """Trust what a server says of its tools, and accept those that are new or changed.

    Tools that a trusted server calls read-only are asked for less often.
    """
    if changes_only and withdraw:
        raise Misused("Give either --changes-only or --withdraw.")
    owner = {"username": choose_username(settings, user), "name": name}
    if withdraw:
        ask(settings, "trust_mcp_server", **owner, trusted=False)
        click.echo(f"{name} is no longer trusted.")
        return
    found = ask(settings, "user_mcp_server", **owner)
    click.echo(_shown(found), err=True)
    question = "Accept these tools?" if changes_only else "Trust this server and its tools?"
    if not yes and not click.confirm(question, err=True):
        raise Refused("Nothing was changed.")
    trusted = None if changes_only else True
    ask(settings, "trust_mcp_server", **owner, trusted=trusted, digest=found["digest"])
    click.echo(f"Accepted the tools of {name}." if changes_only else f"{name} is trusted.")


@mcp_server.command()
@click.argument("name")
@user_option
@settings_option
def remove(name: str, user: str | None, settings: Settings) -> None:
    """Remove a server with its tools and its login."""
    ask(settings, "forget_mcp_server", username=choose_username(settings, user), name=name)
    click.echo(f"Removed {name}.")


def _confirm_program(target: tuple[str, ...], env: dict[str, str], *, yes: bool) -> None:
    """Show the whole command, and go on only after a yes."""
    command = " ".join(
        json.dumps(part) if not part.isprintable() else shlex.quote(part) for part in target
    )
    click.echo(f"{RUNS}  {strip_controls(command)}", err=True)
    if env:
        click.echo(f"with the variables {', '.join(env)}", err=True)
    if not yes and not click.confirm("Run it?", err=True):
        raise Refused("Nothing was added.")


def _pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    found = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Misused(f"{option} needs NAME=VALUE.")
        found[name] = value
    return found


def _told(found: dict[str, Any]) -> str:
    """Return in a line how it went with a server."""
    server = found["server"]
    name = server["name"]
    match server["status"]:
        case "connected":
            number = server["toolCount"]
            tools = f"{number} {'tool' if number == 1 else 'tools'}, {server['namespace']}__…"
            trouble = f"\n{server['lastError']}" if server["lastError"] else ""
            return f"{name} is connected: {tools}.{strip_controls(trouble)}"
        case "needs_reauth":
            return (
                f"{name} wants a login: `hearth mcp-server login {shlex.quote(name)}`, or set its "
                f"headers. {strip_controls(server['lastError'] or '')}"
            )
        case _:
            return f"{name} could not be used. {strip_controls(server['lastError'] or '')}"


def _shown(found: dict[str, Any]) -> str:
    trust = "trusted" if found["trusted"] else "not trusted"
    lines = [f"{_told(found)} It is {trust}.", f"Address: {found['server']['serverUrl']}"]
    for part, value in found["server"]["config"].items():
        lines.append(f"{part}: {json.dumps(value, ensure_ascii=False)}")
    lines += [
        f"  {tool['name']}  {on_one_line(tool['description'], 80)}" for tool in found["tools"]
    ]
    for change in found["changes"]:
        lines += ["", *_difference(change)]
    return "\n".join(map(strip_controls, lines))


def _difference(change: dict[str, Any]) -> list[str]:
    """Return what has changed in a tool, line by line; of a new one all of it."""
    before, now = change["before"], change["now"]
    if before is None:
        return [f"{change['name']} is new, and off:", *(f"+ {line}" for line in _lines(now))]
    found = difflib.unified_diff(_lines(before), _lines(now), lineterm="", n=1)
    marked = [line for line in found if not line.startswith(("---", "+++", "@@"))]
    return [f"{change['name']} has changed, and is off:", *marked]


def _lines(tool: dict[str, Any]) -> list[str]:
    says = f"it says that it {'only reads' if tool['reads'] else 'may change things'}"
    schema = json.dumps(tool["parameters"], indent=1, ensure_ascii=False, sort_keys=True)
    return [*tool["description"].splitlines(), says, *schema.splitlines()]
