"""`hearth audit`: what agents did and were refused, and whether that record is whole."""

from typing import Any

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_table
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import format_json, json_option
from app.core.process.counted import counted
from app.settings import Settings


@click.group(cls=Commands)
def audit() -> None:
    """Show and verify the record of what agents did."""


@audit.command()
@click.option(
    "--head", metavar="HASH", help="A hash printed earlier that the record must still contain."
)
@json_option
@settings_option
def verify(head: str | None, json_: bool, settings: Settings) -> None:
    """Verify that no entry was changed, removed or inserted.

    Keep the printed hash elsewhere. Pass it to --head later to detect a replaced record too.
    """
    found = ask(settings, "verify_audit", **({"head": head} if head else {}))
    if json_:
        click.echo(format_json(found))
    elif found["intact"]:
        click.echo(
            f"The record is intact: {counted(found['rows'], 'entry', 'entries')}, "
            f"head {found['head']}."
        )
    if not found["intact"]:
        raise Refused(f"The record is not intact. {found['problem']}")


@audit.command(name="list")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="Maximum number of entries.",
)
@click.option("--before", type=click.IntRange(1), help="Only entries before this ID.")
@json_option
@settings_option
def list_(limit: int, before: int | None, json_: bool, settings: Settings) -> None:
    """List entries, newest first."""
    found = ask(settings, "list_audit", limit=limit, **({"before": before} if before else {}))
    head = ("ID", "AT", "USER", "BY", "FROM", "EVENT", "TOOL", "OUTCOME")
    print_table(found, head, map(_table_row, found["rows"]), json_=json_)


def _table_row(row: dict[str, Any]) -> tuple[str, ...]:
    names = ("actor", "origin", "event", "tool", "outcome")
    at = row["at"][:19].replace("T", " ")
    return (str(row["id"]), at, str(row["user"]), *(row[name] for name in names))
