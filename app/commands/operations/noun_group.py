"""A noun's commands: those made from operations, beside those written by hand."""

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.commands.operations.command_index import (
    Field,
    OperationCommand,
    command_of,
    read_index,
    verbs_of,
)
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
        return [*own, *(verb for verb in verbs_of(str(self.name)) if verb not in own)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        found = self._by_hand.get_command(ctx, cmd_name) if self._by_hand else None
        if found is not None:
            return found
        for verb in (cmd_name, ALIASES.get(cmd_name, "")):
            if (made := command_of(str(self.name), verb)) is not None:
                return make_command(f"{self.name} {verb}", made)
        return None


def make_command(command: str, made: OperationCommand) -> click.Command:
    """Return the command of an operation."""
    found = click.Command(
        name=command.partition(" ")[2],
        params=[*_parameters(made)],
        callback=functools.partial(_run, command, made),
        help=made.help,
        epilog=f"\b\nExample:\n  {made.example}",
    )
    user_options(found)
    if made.filter:
        all_option(found)
    if made.asks:
        yes_option(found)
    if made.downloads:
        output_option(found)
    return found


def field_value(made: OperationCommand, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given by the names of the fields, without what was not."""
    given = {}
    for place, field in enumerate(made.fields):
        value = values[f"field_{place}"]
        if value is not None and value != ():
            given[field.name] = list(value) if isinstance(value, tuple) else value
    return given


def _run(command: str, made: OperationCommand, **values: Any) -> None:
    from app.commands.operations.run_operation import run_operation

    given = field_value(made, values)
    if made.filter and values.get("all_"):
        given[made.filter] = None
    run_operation(
        command,
        made,
        given,
        user=values["user"],
        settings=values["settings"],
        json_=values["json_"],
        yes=values.get("yes", False),
        output=values.get("output", "-"),
    )


def _parameters(made: OperationCommand) -> list[click.Parameter]:
    arguments: list[click.Parameter] = [
        click.Argument(
            [f"field_{place}"],
            type=_type_of(field),
            metavar=_metavar(field) if field.required else f"[{_metavar(field)}]",
            required=field.required,
            nargs=-1 if field.many else 1,
            shell_complete=_completer(field),
        )
        for place, field in enumerate(made.arguments)
    ]
    options = enumerate(made.options, len(arguments))
    return [*arguments, *(_option(place, field) for place, field in options)]


def _option(place: int, field: Field) -> click.Option:
    flag, is_switch = field.flag, field.type == "boolean"
    default = field.default
    is_told = not is_switch and default not in (None, "", [])
    shown = f" [default: {default}]" if is_told else ""
    return click.Option(
        [f"{flag}/--no-{flag[2:]}" if is_switch else flag, f"field_{place}"],
        type=None if is_switch else _type_of(field),
        is_flag=is_switch,
        default=None,
        metavar=None if is_switch or field.type == "choice" else _metavar(field),
        multiple=field.many,
        required=field.required,
        help=field.help.removesuffix(".") + f"{shown}.",
        shell_complete=_completer(field),
    )


def _completer(field: Field) -> "Completer | None":
    """Return what completes the names of things, where a field takes them."""
    kind = field.kind
    if kind is None or field.choices:
        return None

    def complete(ctx: click.Context, _: click.Parameter, typed: str) -> "list[CompletionItem]":
        from app.commands.operations.complete_name import complete_name

        return complete_name(ctx, kind, typed)

    return complete


def _type_of(field: Field) -> click.ParamType[Any]:
    if field.type == "choice":
        return _Words(field.choices, case_sensitive=False)
    # a thing may be named, whatever its number is
    return click.STRING if field.kind else TYPES[field.type]


class _Words(click.Choice[str]):
    """Some words, taken in any case and shown as they are."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return f"[{'|'.join(self.choices)}]"


def _metavar(field: Field) -> str:
    if 0 < len(field.choices) <= MOST_CHOICES:
        return "|".join(field.choices)
    name = field.flag[2:].replace("-", "_").upper()
    if field.kind and name in ("ID", "NOTE_ID", "CONVERSATION_ID", "USER_ID", "LINK_ID"):
        return field.kind.rpartition("-")[2].upper()
    return name if field.type not in ("json", "file") else field.type.upper()
