"""`hearth escalation`: what agents wait to be allowed, decided at this machine."""

from typing import Any

import click

from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands
from app.commands.terminal.terminal_safe import show_hidden, strip_controls
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import ask_about_user
from app.settings import Settings

id_argument = click.argument("id_", metavar="ID", type=click.IntRange(1))
note_option = click.option("--note", metavar="TEXT", help="Note to record, at most 500 characters.")


@click.group(cls=Commands)
def escalation() -> None:
    """Review actions that await approval."""


@escalation.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List actions that await approval, newest first."""
    found = ask_about_user(settings, user, "user_escalations")
    head = ("ID", "RISK", "FROM", "UNTIL", "WHAT")
    print_table(found, head, map(_table_row, found["escalations"]), json_=json_)


@escalation.command()
@id_argument
@user_option
@settings_option
def show(id_: int, user: str | None, settings: Settings) -> None:
    """Show exactly what an action would do."""
    found = ask_about_user(settings, user, "user_escalation", id=id_)["escalation"]
    lines = [
        f"{found['toolName']}, {found['status']}, risk {found['risk']}, from "
        f"{found['origin']['kind']}, until {found['expiresAt'][:16]}",
        found["summary"],
        found["reason"],
        *(["", found["preview"]["text"]] if found["preview"] else []),
    ]
    click.echo(show_hidden("\n".join(lines)))


@escalation.command(name="continue")
@id_argument
@user_option
@note_option
@click.option(
    "--remember",
    type=click.Choice(("once", "session", "tool")),
    default="once",
    show_default=True,
    help="How long the approval lasts.",
)
@settings_option
def continue_(
    id_: int, user: str | None, note: str | None, remember: str, settings: Settings
) -> None:
    """Approve an action exactly as shown."""
    _decide(
        id_,
        user,
        settings,
        decision="continue",
        remember=remember,
        **({"note": note} if note else {}),
    )


@escalation.command()
@id_argument
@user_option
@note_option
@settings_option
def stop(id_: int, user: str | None, note: str | None, settings: Settings) -> None:
    """Reject an action."""
    _decide(id_, user, settings, decision="stop", **({"note": note} if note else {}))


def _decide(id_: int, user: str | None, settings: Settings, **said: Any) -> None:
    found = ask_about_user(settings, user, "settle_escalation", id=id_, **said)["escalation"]
    failure = f": {found['failure']['message']}" if found["failure"] else "."
    click.echo(strip_controls(f"Escalation {id_} is {found['status']}{failure}"))


def _table_row(found: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(found["id"]),
        found["risk"],
        found["origin"]["kind"],
        found["expiresAt"][:16].replace("T", " "),
        show_hidden(found["summary"]),
    )
