"""`hearth api`: any endpoint of the API, asked as it stands there."""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

import click

from app.commands.ask.door import open_door
from app.commands.ask.locate_data import settings_option
from app.commands.operations.command_index import Route, list_routes
from app.commands.terminal.command_group import Misused
from app.commands.terminal.standard_input import read_text
from app.commands.terminal.tables import format_json
from app.commands.terminal.user_options import user_option
from app.settings import Settings

BASE = "/api/v1"


@click.command(
    epilog="\b\nExamples:\n  hearth api /os/notes -f limit=5\n"
    '  hearth api POST /os/todos -f title="Order seeds" -f priority=3\n'
    "  hearth api GET /network/contacts | jq ."
)
@click.argument("request", nargs=-1, required=True, metavar="[METHOD] PATH")
@click.option(
    "-f",
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUE",
    help="A field; a value that is JSON is sent as that. Repeatable.",
)
@click.option(
    "--input",
    "source",
    metavar="FILE",
    help="A file with the fields as JSON; - for standard input.",
)
@user_option
@settings_option
def api(
    request: tuple[str, ...],
    fields: tuple[str, ...],
    source: str | None,
    user: str | None,
    settings: Settings,
) -> None:
    """Call an endpoint of the API and print its answer as JSON.

    `hearth routes` lists them all. Without METHOD it is GET, where the path has that.
    """
    *method, path = request
    if len(method) > 1:
        raise Misused("Say a method and a path, such as: hearth api GET /os/notes.")
    path, _, query = path.partition("?")
    given = _given_fields((*filter(None, unquote_plus(query).split("&")), *fields), source)
    route, in_path = _find_route(method[0].upper() if method else None, path)
    with open_door(settings) as door:
        username = door.choose_user(user)
        if route.downloads:
            door.download(username, route.operation, sys.stdout.buffer.write, **in_path, **given)
            return
        answer = door.ask_as(username, route.operation, **given, **in_path)
    click.echo(format_json(answer))


def _given_fields(fields: tuple[str, ...], source: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if source is not None:
        try:
            text = read_text() if source == "-" else Path(source).read_text("utf-8")
            given = dict(json.loads(text))
        except (OSError, ValueError, TypeError) as error:
            raise Misused(f"--input needs a file with a JSON object: {error}.") from None
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals:
            raise Misused(f"--field needs NAME=VALUE, not {field!r}.")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given


def _find_route(method: str | None, path: str) -> tuple[Route, dict[str, Any]]:
    """Return the route that is meant, and the fields in its path."""
    wanted = [unquote(part) for part in path.removeprefix(BASE).strip("/").split("/")]
    fits = [route for route in list_routes() if _fits(_parts(route), wanted)]
    # what is spelled out goes before what stands for anything
    fits.sort(key=lambda route: route.path.count("{"))
    methods = sorted({route.method for route in fits})
    asked = method or ("GET" if "GET" in methods else "".join(methods[:1]))
    for route in fits:
        if route.method == asked:
            pairs = zip(_parts(route), wanted, strict=True)
            given = {part[1:-1]: text for part, text in pairs if part.startswith("{")}
            return route, {name: _typed(route, name, text) for name, text in given.items()}
    if not fits:
        raise Misused(f"There is no endpoint {path}. `hearth routes` lists them all.")
    raise Misused(f"{path} has no {asked}, but {' and '.join(methods)}.")


def _parts(route: Route) -> list[str]:
    return route.path.strip("/").split("/")


def _typed(route: Route, name: str, text: str) -> Any:
    return int(text) if name in route.integers and text.isdecimal() else text


def _fits(route: list[str], wanted: list[str]) -> bool:
    return len(route) == len(wanted) and all(
        part.startswith("{") or part == text for part, text in zip(route, wanted, strict=True)
    )
