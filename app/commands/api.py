"""`hearth routes` and `openapi`: the API as the catalogue has it."""

import re
from collections.abc import Iterator

import click

from app.commands.ask.locate_data import read_settings
from app.commands.terminal.tables import format_json, format_table, json_option

WIDTH = 118


@click.command()
@json_option
def routes(json_: bool) -> None:
    """List the API routes."""
    from app.catalog import CATALOG

    rows = [
        (method, path, " or ".join(found.scopes), found.summary)
        for method, path, found in CATALOG.routes()
    ]
    if json_:
        names = ("method", "path", "scope", "summary")
        click.echo(
            format_json(
                [
                    dict(zip(names, (row[0], row[1], row[2] or None, row[3]), strict=True))
                    for row in rows
                ]
            )
        )
    else:
        click.echo("\n".join(_table_lines(rows)))


@click.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from app.catalog import CATALOG
    from app.interfaces.openapi import openapi_document

    click.echo(format_json(openapi_document(CATALOG, read_settings().origin)))


def _table_lines(rows: list[tuple[str, str, str, str]]) -> Iterator[str]:
    """Return the table with each summary cut to what fits the screen.

    Of several scopes that suffice the first stands for all.
    """
    short = [(method, path, re.sub(" or .*", " or …", scope)) for method, path, scope, _ in rows]
    left = format_table(
        [("METHOD", "PATH", "SCOPE", "WHAT IT DOES"), *((*row, "") for row in short)]
    ).splitlines()
    room = WIDTH - left[0].index("WHAT")
    yield left[0]
    for line, row in zip(left[1:], rows, strict=True):
        yield line.ljust(WIDTH - room) + _cut_summary(row[3], room)


def _cut_summary(text: str, room: int) -> str:
    """Return the text if there is room, else its first clause, else as many of its words as fit."""
    if len(text) > room:
        text = re.split(r"[:;,.] ", text)[0]
    return text if len(text) <= room else text[:room].rpartition(" ")[0] + " …"
