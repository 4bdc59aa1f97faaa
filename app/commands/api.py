"""`hearth routes` and `openapi`: the API as the catalogue has it."""

import re
from collections.abc import Iterator

import click

from app.commands.tables import as_json, table

WIDTH = 118


@click.command()
@click.option("--json", "json_", is_flag=True, help="As JSON.")
def routes(json_: bool) -> None:
    """List the API: method, path, scope and what it does."""
    from app.catalog import CATALOG

    rows = [(method, path, " or ".join(found.scopes), found.summary) for method, path, found in CATALOG.routes()]
    if json_:
        names = ("method", "path", "scope", "summary")
        click.echo(as_json([dict(zip(names, (row[0], row[1], row[2] or None, row[3]), strict=True)) for row in rows]))
    else:
        click.echo("\n".join(_lines(rows)))


@click.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from app.catalog import CATALOG
    from app.interfaces.openapi import document

    click.echo(as_json(document(CATALOG)))


def _lines(rows: list[tuple[str, str, str, str]]) -> Iterator[str]:
    """Give the table with its last column cut, so that a line fits the screen; an alternative to the first scope is only hinted at."""
    short = ((method, path, re.sub(" or .*", " or …", scope), summary) for method, path, scope, summary in rows)
    for line in table([("METHOD", "PATH", "SCOPE", "WHAT IT DOES"), *short]).splitlines():
        yield line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
