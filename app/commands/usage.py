"""`hearth usage` and `hearth cap`: what was used, and what may be."""

from typing import Any

import click

from app.commands.ask.locate_data import settings_option
from app.commands.terminal.columns import print_columns, print_table
from app.commands.terminal.command_group import Commands
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.user_options import user_option, user_options
from app.commands.user import ask_about_user
from app.core.process.counted import counted
from app.settings import Settings

SUBJECTS = ("account", "device", "credential", "agent", "heartbeat")


@click.command()
@user_option
@click.option("--month", metavar="YYYY-MM", help="Month to show [default: this month].")
@json_option
@settings_option
def usage(user: str | None, month: str | None, json_: bool, settings: Settings) -> None:
    """Show token and device usage for a month."""
    found = ask_about_user(settings, user, "user_usage", month=month)
    if json_:
        click.echo(format_json(found))
        return
    tokens = found["tokens"]
    click.echo(
        f"{found['month']}: {counted(tokens['total'], 'token')} ({tokens['prompt']} asked, "
        f"{tokens['completion']} answered, {tokens['reserved']} reserved)"
    )
    print_columns(("BY", "WHICH", "TOKENS"), _usage_rows(found))


@click.group(cls=Commands)
def cap() -> None:
    """Manage caps on tokens and devices."""


@cap.command(name="list")
@user_options
def list_(user: str | None, json_: bool, settings: Settings) -> None:
    """List caps and what is left of each."""
    found = ask_about_user(settings, user, "user_caps")
    head = ("ID", "CAP", "LIMIT", "USED", "RESERVED", "LEFT", "WARNS AT", "RESETS AT")
    print_table(found, head, map(_table_row, found["caps"]), json_=json_)


@cap.command(name="set")
@click.argument("subject", type=click.Choice(SUBJECTS))
@click.argument("metric", type=click.Choice(("tokens", "devices")))
@click.argument("period", type=click.Choice(("day", "month")))
@click.argument("limit", type=click.IntRange(0))
@click.option(
    "--id",
    "id_",
    metavar="TEXT",
    help="A single device, credential or agent [default: each of them].",
)
@click.option(
    "--warn",
    type=click.IntRange(1, 100),
    metavar="PERCENT",
    help="Percentage at which to warn [default: 80].",
)
@user_option
@settings_option
def set_(
    subject: str,
    metric: str,
    period: str,
    limit: int,
    id_: str | None,
    warn: int | None,
    user: str | None,
    settings: Settings,
) -> None:
    """Set a cap, or change its limit."""
    made = ask_about_user(
        settings,
        user,
        "set_cap",
        subject=subject,
        subjectId=id_,
        metric=metric,
        period=period,
        limit=limit,
        warnPercent=warn,
    )["cap"]
    click.echo(
        f"Cap {made['id']}: at most {made['limit']} {metric} a {period} for "
        f"{_subject_text(made)}, of which {made['used']} are used."
    )


@cap.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1))
@user_option
@settings_option
def remove(id_: int, user: str | None, settings: Settings) -> None:
    """Remove a cap."""
    ask_about_user(settings, user, "remove_cap", id=id_)
    click.echo(f"Removed cap {id_}.")


def _usage_rows(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    rows = [("feature", row["feature"], row["tokens"]) for row in found["byFeature"]]
    rows += [("credential", _credential_text(row), row["tokens"]) for row in found["byCredential"]]
    rows += [("device", row["name"] or row["deviceId"], row["tokens"]) for row in found["byDevice"]]
    rows += [("day", row["date"], row["tokens"]) for row in found["byDay"]]
    return [(by, which, str(number)) for by, which, number in rows]


def _credential_text(row: dict[str, Any]) -> str:
    number = "" if row["id"] is None else f" {row['id']}"
    return f"{row['kind']}{number}" + (f', "{row["name"]}"' if row["name"] else "")


def _table_row(found: dict[str, Any]) -> tuple[str, ...]:
    numbers = (str(found[name]) for name in ("limit", "used", "reserved", "remaining"))
    what = f"{found['metric']} a {found['period']}, {_subject_text(found)}"
    return (
        str(found["id"]),
        what,
        *numbers,
        f"{found['warnPercent']} %",
        found["resetsAt"][:16].replace("T", " "),
    )


def _subject_text(found: dict[str, Any]) -> str:
    if found["subject"] in ("account", "heartbeat"):
        return f"the {found['subject']}"
    return (
        f"the {found['subject']} {found['subjectId']}"
        if found["subjectId"]
        else f"each {found['subject']}"
    )
