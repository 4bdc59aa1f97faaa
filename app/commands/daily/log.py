"""`hearth log`: what agents did, and what they were refused."""

from collections.abc import Mapping

import click

from app.commands.ask.door import open_door
from app.commands.terminal.columns import print_columns
from app.commands.terminal.tables import format_json
from app.commands.terminal.user_options import user_options
from app.settings import Settings

EVENTS: Mapping[str, str] = {
    "call": "did",
    "proposal": "proposed",
    "denial": "was refused",
    "decision": "was decided",
    "expiry": "expired",
    "stop": "was stopped",
    "start": "was started",
}
HEAD = ("AT", "WHO", "WHAT", "TOOL", "FROM", "OUTCOME")


@click.command(epilog="\b\nExample:\n  hearth log --limit 100")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many at most."
)
@user_options
def log(limit: int, user: str | None, json_: bool, settings: Settings) -> None:
    """Show what agents did and were refused, newest first.

    `hearth heartbeat runs` tells of the heartbeat, `hearth audit verify` checks this record.
    """
    with open_door(settings) as door:
        username = door.choose_user(user)
        found = door.ask("user_audit", username=username, limit=limit)
    if json_:
        click.echo(format_json(found))
        return
    if not found["rows"]:
        click.echo("No agent has done anything yet.", err=True)
        return
    print_columns(
        HEAD,
        (
            (
                row["at"],
                row["actor"],
                EVENTS.get(row["event"], row["event"]),
                row["tool"],
                row["origin"],
                row["outcome"],
            )
            for row in found["rows"]
        ),
    )
