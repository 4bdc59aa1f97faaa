"""The commands that are made from operations, as `operations.json` has them."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Route(NamedTuple):
    """A route and the operation that answers it."""

    method: str
    path: str
    operation: str
    integers: list[str]
    downloads: bool


class Field(NamedTuple):
    """A field of an operation as a command takes it: an argument, or an option by its flag.

    `kind` is what may be named instead of its number, `or_name` the field that then takes the name,
    `piped` whether it may come on standard input.
    """

    name: str
    flag: str
    help: str
    type: str = "text"
    choices: Sequence[str] = ()
    many: bool = False
    nullable: bool = False
    default: Any = None
    piped: bool = False
    kind: str | None = None
    required: bool = False
    or_name: str = ""


class OperationCommand(NamedTuple):
    """How an operation is a command: what it takes, what it `sent` besides, and which `rows` and
    `columns` of its answer are shown.

    `filter` is the field that --all takes away, `zoned` whether it is told this machine's time
    zone, `asks` whether it asks before it acts, `changes` whether it wants something to change.
    """

    operation: str
    help: str
    example: str = ""
    arguments: Sequence[Field] = ()
    options: Sequence[Field] = ()
    reads: bool = False
    changes: bool = False
    filter: str | None = None
    zoned: bool = False
    sent: Mapping[str, Any] = {}
    rows: str = ""
    columns: Sequence[str] = ()
    asks: bool = False
    downloads: bool = False

    @property
    def fields(self) -> tuple[Field, ...]:
        """All that it takes, the arguments first."""
        return (*self.arguments, *self.options)


FILE = Path(__file__).with_name("operations.json")


@functools.cache
def read_index() -> Mapping[str, Any]:
    """Return what the file says: `nouns` with their verbs, `routes`, and `summaries`."""
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found


def verbs_of(noun: str) -> Sequence[str]:
    """Return the verbs of a noun; none where it has no operation."""
    return [*read_index()["nouns"].get(noun, {})]


def command_of(noun: str, verb: str) -> OperationCommand | None:
    """Return the command of a noun and a verb, if there is one."""
    row = read_index()["nouns"].get(noun, {}).get(verb)
    return None if row is None else _command_of_row(row)


def list_commands() -> Iterator[tuple[str, OperationCommand]]:
    """Yield every command with its noun and verb."""
    for noun, verbs in read_index()["nouns"].items():
        for verb, row in verbs.items():
            yield f"{noun} {verb}", _command_of_row(row)


def list_routes() -> list[Route]:
    """Return every route of the API."""
    return [Route(*row) for row in read_index()["routes"]]


def command_named(operation: str) -> tuple[str, OperationCommand] | None:
    """Return the noun and verb, and the command, of an operation; None where it has no command."""
    return next((one for one in list_commands() if one[1].operation == operation), None)


def row_of(told: Field | OperationCommand) -> dict[str, Any]:
    """Return what the file holds of a command or a field: all that is not as usual."""
    usual = told._field_defaults
    return {
        name: [row_of(one) for one in value] if name in ("arguments", "options") else value
        for name, value in told._asdict().items()
        if name not in usual or value != usual[name]
    }


def _command_of_row(row: Mapping[str, Any]) -> OperationCommand:
    takes = {name: [Field(**one) for one in row.get(name, ())] for name in ("arguments", "options")}
    return OperationCommand(**{**row, **takes})
