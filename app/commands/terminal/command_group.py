"""The group of commands: it keeps their order and turns failures into sentences and exit codes."""

import importlib
import sqlite3
from collections.abc import Mapping
from typing import Any

import click

from app.core.database.data_dir import DataDirError
from app.errors import AppError
from app.migrations import NewerFile
from app.settings import SettingsError


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

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it can be refused for ends as a sentence, all else is a bug and
        shows its traceback.
        """
        try:
            return super().invoke(ctx)
        except SettingsError as error:
            raise Misused(f"The settings are not valid: {error}.") from None
        except (DataDirError, NewerFile) as error:
            raise Refused(str(error)) from None
        except AppError as error:
            raise Refused(error.message) from None
        except sqlite3.DatabaseError as error:
            raise Refused(f"Cannot use the database: {error}.") from None


class LazyCommands(Commands):
    """A group that loads a command's module when the command is wanted.

    `places` says where each is, as `module:name`, in the order of the help.
    """

    places: Mapping[str, str] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        if cmd_name not in self.places:
            return None
        # Imported only when wanted: all commands together take much longer to load than to run.
        module, _, name = self.places[cmd_name].partition(":")
        found: click.Command = getattr(importlib.import_module(module), name)
        return found
