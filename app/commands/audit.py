"""`hearth audit`: what agents did and were refused, and whether that record is whole."""

from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.data_directory import data_option, read_settings
from app.commands.terminal.command_group import Commands, Refused
from app.commands.terminal.tables import as_json, table

json_option = click.option("--json", "json_", is_flag=True, help="As JSON.")


@click.group(cls=Commands)
def audit() -> None:
    """See what agents did and were refused."""


@audit.command()
@click.option(
    "--head",
    metavar="HASH",
    help="A hash that was shown earlier: the record must still go back to it.",
)
@json_option
@data_option
def verify(head: str | None, json_: bool, data: Path | None) -> None:
    """Check that no row of the record was changed, taken out or put in.

    Keep the hash that it shows somewhere else; with it a later check also finds a record that
    was made anew.
    """
    found = ask(read_settings(data=data), "verify_audit", **({"head": head} if head else {}))
    if json_:
        click.echo(as_json(found))
    elif found["intact"]:
        click.echo(
            f"The record is whole: {found['rows']} rows, the last with the hash {found['head']}."
        )
    if not found["intact"]:
        raise Refused(f"The record is not whole. {found['problem']}")


@audit.command(name="list")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many rows."
)
@click.option("--before", type=click.IntRange(1), help="Only rows before this one.")
@json_option
@data_option
def list_(limit: int, before: int | None, json_: bool, data: Path | None) -> None:
    """List the newest rows of the record, newest first."""
    found = ask(
        read_settings(data=data),
        "list_audit",
        limit=limit,
        **({"before": before} if before else {}),
    )
    if json_:
        click.echo(as_json(found))
    else:
        click.echo(
            table(
                [
                    ("ID", "AT", "USER", "BY", "FROM", "EVENT", "TOOL", "OUTCOME"),
                    *map(_row, found["rows"]),
                ]
            )
        )


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    at = row["at"][:19].replace("T", " ")
    return (
        str(row["id"]),
        at,
        str(row["user"]),
        row["actor"],
        row["origin"],
        row["event"],
        row["tool"],
        row["outcome"],
    )
