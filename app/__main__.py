"""The `hearth` command."""

import contextlib
import errno
import gc
import io
import os
import sys
from pathlib import Path

import click

from app.commands.ask.locate_data import CHECKOUT, in_checkout
from app.commands.terminal.command_group import LazyCommands
from app.commands.terminal.sections import NOUNS

COMMANDS = {
    "add": "app.commands.daily.add:add",
    "today": "app.commands.daily.today:today",
    "find": "app.commands.daily.find:find",
    "ask": "app.commands.daily.ask:ask",
    "edit": "app.commands.daily.edit:edit",
    "inbox": "app.commands.daily.inbox:inbox",
    "log": "app.commands.daily.log:log",
    "status": "app.commands.daily.status:status",
    "open": "app.commands.daily.open_browser:open_",
    "login": "app.commands.daily.open_browser:login",
    "service": "app.commands.service.service:service",
    "completion": "app.commands.terminal.completion:completion",
    "serve": "app.commands.server.serve:serve",
    "chat": "app.commands.chat.chat:chat",
    "init": "app.commands.setup:init",
    "user": "app.commands.user:user",
    "key": "app.commands.key:key",
    "app": "app.commands.app:app",
    "usage": "app.commands.usage:usage",
    "cap": "app.commands.usage:cap",
    "model": "app.commands.model:model",
    "mcp-server": "app.commands.mcp.mcp_server:mcp_server",
    "vault": "app.commands.vault.vault:vault",
    "search": "app.commands.search:search",
    "mcp": "app.commands.mcp.mcp:mcp",
    "connect": "app.commands.mcp.connect:connect",
    "models": "app.commands.models:models",
    "bridge": "app.commands.bridge.bridge:bridge",
    "device": "app.commands.bridge.device:device",
    "delegation": "app.commands.bridge.delegation:delegation",
    "escalation": "app.commands.escalation:escalation",
    "agent": "app.commands.agents.agent:agent",
    "webhook": "app.commands.webhooks.webhook:webhook",
    "audit": "app.commands.audit:audit",
    "explain": "app.commands.explain:explain",
    "backup": "app.commands.backup:backup",
    "restore": "app.commands.restore:restore",
    "doctor": "app.commands.doctor:doctor",
    "storage": "app.commands.storage:storage",
    "import": "app.commands.import_export:import_",
    "export": "app.commands.import_export:export",
    "api": "app.commands.operations.api:api",
    "routes": "app.commands.api:routes",
    "openapi": "app.commands.api:openapi",
    "settings": "app.commands.setup:settings_",
    "migrate": "app.commands.setup:migrate_",
    "help": "app.commands.help:help_",
}


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    if in_checkout():
        import tomllib

        number = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"][
            "version"
        ]
    else:
        from importlib.metadata import version

        number = version("hearth")
    click.echo(f"hearth {number}")
    ctx.exit()


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def hearth() -> None:
    """A local home for your notes, todos and agent.

    Start with `hearth serve`; then `hearth add "buy milk tomorrow"`. Options can also be set by
    HEARTH_… variables; `hearth settings` lists them, and `hearth help` lists the pages of the
    guide.
    """


hearth.places = COMMANDS


def summaries() -> dict[str, str]:
    """Return a line about every command, which is generated, so that the help loads none."""
    found = {name: hearth.load_command(name) for name in COMMANDS}
    said = {name: one.get_short_help_str(200) for name, one in found.items() if one is not None}
    return {**NOUNS, **said}


def _open_closed_streams() -> None:
    """Let what is written go nowhere where whoever started this has closed the output."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - till the end
            setattr(sys, name, nowhere)


def _forget_output() -> None:
    """Let what is still to be written go nowhere, so that the end of Python fails at nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command line and leave with its exit code: 0 done, 1 refused or failed, 2 wrong
    use.
    """
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # before any library imports numpy; see core/process/numpy_setup.py
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError):
                stream.reconfigure(
                    errors="replace"
                )  # a name that the terminal cannot show is no reason to fail
    try:
        hearth(prog_name="hearth")
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        # of what nobody has caught, only the standard output is without a name
        with contextlib.suppress(OSError):
            click.echo(f"Error: The output could not be written: {error.strerror}.", err=True)
        _forget_output()
        sys.exit(1)
    finally:
        # Python looks for garbage once more as it ends, a sixth of the time of a short command.
        gc.freeze()


if __name__ == "__main__":
    main()
