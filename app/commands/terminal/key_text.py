"""Keys at a terminal: the options of a new one, how its secret is shown, and a row of a list."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
LIVES = ("1h", "24h", "7d", "30d", "90d", "1y", "never")
COLUMNS = ("ID", "LABEL", "KEY", "SCOPES", "CREATED", "LAST USED", "EXPIRES")


def key_options(scopes: str) -> Callable[[F], F]:
    """Return a decorator with the options of a new key; `scopes` says which it has by default."""

    def add(command: F) -> F:
        for option in (
            click.option(
                "--expires",
                type=click.Choice(LIVES),
                default="never",
                show_default=True,
                help="When the key expires.",
            ),
            click.option(
                "--scope",
                "scopes",
                metavar="SCOPE",
                multiple=True,
                help=f"Scope to grant, such as os.notes:read; repeatable [default: {scopes}].",
            ),
            click.option(
                "--label",
                metavar="TEXT",
                default="command line",
                show_default=True,
                help="Label of the key.",
            ),
        ):
            command = option(command)
        return command

    return add


def show_new_key(made: Mapping[str, Any], owner: str) -> None:
    """Print a new key, its secret alone on standard output."""
    # To stderr, so that the output of the command is the key and can be put into a file.
    click.echo(
        f'Key {made["key"]["id"]}, "{made["key"]["name"]}", of {owner}. Keep it '
        "now: it is not shown again.",
        err=True,
    )
    click.echo(made["secret"])


def key_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a key as a row of COLUMNS."""
    ends = (
        f"revoked {found['revokedAt'][:10]}"
        if found["revokedAt"]
        else (found["expiresAt"] or "never")[:16]
    )
    used = (found["lastUsedAt"] or "never")[:16]
    return (
        str(found["id"]),
        found["name"],
        f"{found['prefix']}…{found['last4']}",
        " ".join(found["scopes"]),
        found["createdAt"][:10],
        used.replace("T", " "),
        ends.replace("T", " "),
    )
