"""A noun's commands: those made from operations, beside those written by hand."""

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.commands.operations.command_index import entries_of, read_index
from app.commands.terminal.command_group import Commands
from app.commands.terminal.user_options import user_options

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
MOST_CHOICES = 4
ALIASES = {"done": "complete", "rm": "delete", "new": "add"}
"""Other names of verbs, which no list shows."""
TYPES: Mapping[str, click.ParamType[Any]] = {
    "text": click.STRING,
    "integer": click.INT,
    "number": click.FLOAT,
    "json": click.STRING,
    "file": click.Path(dir_okay=False, allow_dash=True),
}
all_option = click.option("--all", "all_", is_flag=True, help="List everything.")
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation.")
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    default="-",
    help="Where to write the file [default: standard output].",
)


class NounGroup(Commands):
    """The group of a noun; `by_hand` is the group whose commands come first, if there is one."""

    def __init__(self, noun: str, by_hand: click.Group | None = None) -> None:
        said = by_hand.help if by_hand else read_index()["summaries"].get(noun, "")
        super().__init__(name=noun, help=said)
        self._by_hand = by_hand

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        own = self._by_hand.list_commands(ctx) if self._by_hand else []
        return [*own, *(verb for verb in entries_of(str(self.name)) if verb not in own)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        found = self._by_hand.get_command(ctx, cmd_name) if self._by_hand else None
        if found is not None:
            return found
        entries = entries_of(str(self.name))
        verb = cmd_name if cmd_name in entries else ALIASES.get(cmd_name, "")
        return make_command(f"{self.name} {verb}", entries[verb]) if verb in entries else None


def make_command(command: str, entry: Mapping[str, Any]) -> click.Command:
    """Return the command of an operation."""
    found = click.Command(
        name=command.partition(" ")[2],
        params=[*_parameters(entry)],
        callback=functools.partial(_run, command, entry),
        help=entry["help"],
        epilog=f"\b\nExample:\n  {entry['example']}",
    )
    user_options(found)
    if entry["filter"]:
        all_option(found)
    if entry["asks"]:
        yes_option(found)
    if entry["downloads"]:
        output_option(found)
    return found


def field_value(entry: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given by the names of the fields, without what was not."""
    given = {}
    for place, field in enumerate((*entry["arguments"], *entry["options"])):
        value = values[f"field_{place}"]
        if value is not None and value != ():
            given[field["name"]] = list(value) if isinstance(value, tuple) else value
    return given


def _run(command: str, entry: Mapping[str, Any], **values: Any) -> None:
    from app.commands.operations.run_operation import run_operation

    given = field_value(entry, values)
    if values.get("all_"):
        given[entry["filter"]] = None
    run_operation(
        command,
        entry,
        given,
        user=values["user"],
        settings=values["settings"],
        json_=values["json_"],
        yes=values.get("yes", False),
        output=values.get("output", "-"),
    )


def _parameters(entry: Mapping[str, Any]) -> list[click.Parameter]:
    arguments = entry["arguments"]
    made: list[click.Parameter] = [
        click.Argument(
            [f"field_{place}"],
            type=_type_of(field),
            metavar=_metavar(field) if field["required"] else f"[{_metavar(field)}]",
            required=field["required"],
            nargs=-1 if field["many"] else 1,
            shell_complete=_completer(field),
        )
        for place, field in enumerate(arguments)
    ]
    made += [_option(place, field) for place, field in enumerate(entry["options"], len(arguments))]
    return made


def _option(place: int, field: Mapping[str, Any]) -> click.Option:
    flag, is_switch = field["flag"], field["type"] == "boolean"
    default = field["default"]
    is_told = not is_switch and default not in (None, "", [])
    shown = f" [default: {default}]" if is_told else ""
    return click.Option(
        [f"{flag}/--no-{flag[2:]}" if is_switch else flag, f"field_{place}"],
        type=None if is_switch else _type_of(field),
        is_flag=is_switch,
        default=None,
        metavar=None if is_switch or field["type"] == "choice" else _metavar(field),
        multiple=field["many"],
        required=field["required"],
        help=field["help"].removesuffix(".") + f"{shown}.",
        shell_complete=_completer(field),
    )


def _completer(field: Mapping[str, Any]) -> "Completer | None":
    """Return what completes the names of things, where a field takes them."""
    if not field["kind"] or field["choices"]:
        return None

    def complete(ctx: click.Context, _: click.Parameter, typed: str) -> "list[CompletionItem]":
        from app.commands.operations.complete_name import complete_name

        return complete_name(ctx, field["kind"], typed)

    return complete


def _type_of(field: Mapping[str, Any]) -> click.ParamType[Any]:
    if field["type"] == "choice":
        return _Words(field["choices"], case_sensitive=False)
    # a thing may be named, whatever its number is
    return click.STRING if field["kind"] else TYPES[field["type"]]


class _Words(click.Choice[str]):
    """Some words, taken in any case and shown as they are."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return f"[{'|'.join(self.choices)}]"


def _metavar(field: Mapping[str, Any]) -> str:
    if 0 < len(field["choices"]) <= MOST_CHOICES:
        return "|".join(field["choices"])
    name = str(field["flag"][2:]).replace("-", "_").upper()
    if field["kind"] and name in ("ID", "NOTE_ID", "CONVERSATION_ID", "USER_ID", "LINK_ID"):
        return str(field["kind"]).rpartition("-")[2].upper()
    return name if field["type"] not in ("json", "file") else field["type"].upper()
