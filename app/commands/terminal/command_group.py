"""The group of commands: it keeps their order and turns failures into sentences and exit codes."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app.settings import SettingsError

INTERRUPTED = 130
HELP = {"-h", "--help"}
EXAMPLES = Path(__file__).with_name("examples.toml")
NUMBERS = {
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float": "a number",
}
"""What click calls a number, and people do."""


class Refused(click.ClickException):
    """What was asked for cannot be done; exit code 1."""

    exit_code = 1


class Misused(click.ClickException):
    """The command or a setting is wrong; exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """A group whose help lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; where there is none, name those that are like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # only for a word that was mistyped

            near = difflib.get_close_matches(args[0], self.list_commands(ctx))
            if not near:
                raise
            ctx.fail(f"{error.message.rstrip('.')}. Did you mean {' or '.join(near)}?")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it can be refused for ends as a sentence, all else is a bug and
        shows its traceback.
        """
        try:
            return super().invoke(ctx)
        except click.BadParameter as error:
            said = error.message
            for theirs, ours in NUMBERS.items():
                said = said.replace(theirs, ours)
            if said == error.message:
                raise
            raise click.BadParameter(said, error.ctx, error.param, error.param_hint) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo(err=True)  # what comes next begins a line
            raise SystemExit(INTERRUPTED) from None
        except SettingsError as error:
            raise Misused(f"The settings are not valid: {error}.") from None
        except _refusals() as error:
            raise _told(error) from None


def _add_example(command: click.Command | None, ctx: click.Context, args: list[str]) -> None:
    """Give the command that is asked about its example, where it has none of its own."""
    path = []
    for word in args:
        if word.startswith("-") or not isinstance(command, click.Group):
            break
        path.append(word)
        command = command.get_command(ctx, word)
    if command is not None and not command.epilog:
        import tomllib  # only for help

        found = tomllib.loads(EXAMPLES.read_text("utf-8"))
        if example := found.get(" ".join(path)):
            command.epilog = f"\b\nExample:\n  {example}"


def _refusals() -> tuple[type[Exception], ...]:
    """Return what a command can be refused for."""
    # loaded only once something failed: most commands need none of it, and it takes 40 ms
    import sqlite3

    from app.core.database.data_dir import DataDirError
    from app.errors import AppError
    from app.migrations import NewerFile

    return AppError, DataDirError, NewerFile, sqlite3.DatabaseError


def _told(error: Exception) -> Refused:
    import sqlite3

    if isinstance(error, sqlite3.DatabaseError):
        return Refused(f"Cannot use the database: {error}.")
    return Refused(getattr(error, "message", str(error)))


class LazyCommands(Commands):
    """A group that loads a command's module when the command is wanted.

    `places` says where each is, as `module:name`.
    """

    places: Mapping[str, str] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; where help is wanted, add an example to it."""
        if HELP & set(args):
            _add_example(self, ctx, args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return [name for names in self._sections().values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        from app.commands.operations.command_index import verbs_of
        from app.commands.operations.noun_group import NounGroup

        found = self.load_command(cmd_name)
        if not verbs_of(cmd_name) or not (found is None or isinstance(found, click.Group)):
            return found
        return NounGroup(cmd_name, found)

    def load_command(self, name: str) -> click.Command | None:
        """Return the command of that name that was written by hand, if there is one."""
        if name not in self.places:
            return None
        # Imported only when wanted: all commands together take much longer to load than to run.
        module, _, attribute = self.places[name].partition(":")
        found: click.Command = getattr(importlib.import_module(module), attribute)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without loading one of them."""
        from app.commands.operations.command_index import read_index

        said = read_index()["summaries"]
        for title, names in self._sections().items():
            with formatter.section(title):
                formatter.write_dl([(name, said.get(name, "")) for name in names], col_spacing=2)

    def _sections(self) -> dict[str, list[str]]:
        from app.commands.operations.command_index import read_index
        from app.commands.terminal.sections import SECTIONS

        known = dict.fromkeys((*self.places, *read_index()["nouns"]))
        found = {
            title: [name for name in names.split() if name in known]
            for title, names in SECTIONS.items()
        }
        listed = {name for names in found.values() for name in names}
        if others := [name for name in known if name not in listed]:
            found["Others"] = others
        return found
