"""`hearth model`: the language models that the agent may use."""

import sys
from collections.abc import Iterator
from typing import Any, get_args

import click

from app.commands.ask.ask_operation import ask, ask_anew, ask_showing
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Misused, Refused
from app.commands.terminal.tables import format_json, json_option
from app.settings import Provider, Settings

TEST_SECONDS = 900


@click.group(cls=Commands)
def model() -> None:
    """Manage language models for the agent.

    Without one the agent answers by rules. (`hearth models` is for search by meaning.)
    """


@model.command()
@click.argument("name")
@click.option(
    "--provider",
    type=click.Choice(get_args(Provider)),
    default="compatible",
    show_default=True,
    help="Provider that serves it.",
)
@click.option(
    "--url",
    default="",
    metavar="ADDRESS",
    help="Base URL, such as http://localhost:11434/v1; well-known providers need none.",
)
@click.option(
    "--model", "called", metavar="NAME", help="The provider's name for it [default: NAME]."
)
@click.option(
    "--key-from",
    default="",
    metavar="SOURCE",
    help="Source of the API key: env:VARIABLE, file:/PATH, or - to read and store it now.",
)
@click.option(
    "--tools",
    type=click.Choice(["auto", "all", "few", "none"]),
    default="auto",
    show_default=True,
    help="How to offer tools to it.",
)
@click.option(
    "--context",
    type=click.IntRange(1024, 10_000_000),
    metavar="TOKENS",
    help="Context size [default: detected by the test].",
)
@click.option("--thinking", is_flag=True, help="Let it reason before it answers.")
@click.option("--replace", is_flag=True, help="Replace an existing model of that name.")
@click.option("--no-test", is_flag=True, help="Add it without a test.")
@json_option
@settings_option
def add(
    name: str,
    called: str | None,
    key_from: str,
    no_test: bool,
    json_: bool,
    settings: Settings,
    **given: Any,
) -> None:
    """Add a model as NAME and test it. The first becomes the default."""
    secret = _read_secret() if key_from == "-" else None
    reference = {"keyFrom": "" if secret else key_from, "secret": secret}
    added = ask_anew(settings, "add_model", name=name, model=called, **reference, **given)["model"]
    if no_test:
        click.echo(format_json(added) if json_ else _added_message(added))
        return
    if not json_:
        click.echo(_added_message(added))
    _test_model(settings, added["name"], json_=json_)


@model.command(name="list")
@json_option
@settings_option
def list_(json_: bool, settings: Settings) -> None:
    """List models; * marks the default. Keys are never shown."""
    found = ask(settings, "configured_models")
    rules = ("*" if found["default"] == "offline" else "", "offline", "rules", "", "", "", "", "")
    head = ("", "NAME", "PROVIDER", "MODEL", "ADDRESS", "CONTEXT", "TOOLS", "KEY")
    print_table(found, head, [rules, *map(_table_row, found["models"])], json_=json_)


@model.command()
@click.argument("name")
@json_option
@settings_option
def test(name: str, json_: bool, settings: Settings) -> None:
    """Try a model out, and tell what it is trusted with."""
    _test_model(settings, name, json_=json_)


@model.command()
@click.argument("name")
@settings_option
def default(name: str, settings: Settings) -> None:
    """Set the default model; `offline` means rules only."""
    found = ask(settings, "set_default_model", name=name)
    click.echo(f"The default model is now {found['default']}.")


@model.command()
@click.argument("name")
@settings_option
def remove(name: str, settings: Settings) -> None:
    """Remove a model and its stored key."""
    found = ask(settings, "remove_model", name=name)
    click.echo(f"Removed {name}. The default model is {found['default']}.")


def _test_model(settings: Settings, name: str, *, json_: bool) -> None:
    found = ask_showing(settings, TEST_SECONDS, f"Trying {name}:", "test_model", name=name)
    click.echo(
        format_json(found) if json_ else "\n".join(_test_lines(found["model"], found["test"]))
    )
    if not found["test"]["ok"]:
        raise click.exceptions.Exit(1)


def _read_secret() -> str:
    """Return the key that is typed or piped in; it is not shown."""
    typed = (
        click.prompt("Key", hide_input=True, err=True)
        if sys.stdin.isatty()
        else sys.stdin.readline()
    )
    if not str(typed).strip():
        raise Misused("No key was given on standard input.")
    if len(str(typed)) > 4_000:
        raise Refused("The key is too long: at most 4,000 characters.")
    return str(typed).strip()


def _added_message(found: dict[str, Any]) -> str:
    by_default = " It is the default model." if found["default"] else ""
    where = (
        "on this machine"
        if found["local"]
        else "not on this machine, so what you write and what the agent reads is sent there"
    )
    return f"Added {found['name']}: {found['model']} at {found['url']}, {where}.{by_default}"


def _table_row(found: dict[str, Any]) -> tuple[str, ...]:
    context = f"{found['context']:,}" if found["context"] else "?"
    mark = "*" if found["default"] else ""
    return (
        mark,
        found["name"],
        found["provider"],
        found["model"],
        found["url"],
        context,
        found["tools"],
        found["key"] or "none",
    )


def _test_lines(configured: dict[str, Any], tested: dict[str, Any]) -> Iterator[str]:
    if tested["reachable"]:
        yield (
            f"Server: {tested['server'] or configured['provider']} at {configured['url']}, "
            f"{_models_text(tested['models'])}"
        )
        yield f"Context: {_context_text(tested)}"
        yield f"Tool calls: {_tools_text(tested)}. {tested['offers']}"
    for warning in tested["warnings"]:
        yield f"Warning: {warning}"
    if tested["error"]:
        yield f"Failed: {tested['error']}"
    else:
        yield f"{configured['name']} works."


def _models_text(names: list[str]) -> str:
    if not names:
        return "does not list its models"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"serves {', '.join(names[:5])}{more}"


def _context_text(tested: dict[str, Any]) -> str:
    if tested["context"] is None and tested["mostContext"] is None:
        return "unknown"
    now = "unknown" if tested["context"] is None else f"{tested['context']:,} tokens"
    most = tested["mostContext"]
    return f"{now} (the model supports {most:,})" if most and most != tested["context"] else now


def _tools_text(tested: dict[str, Any]) -> str:
    return {True: "work", False: "failed the test", None: "unknown"}[tested["tools"]]
