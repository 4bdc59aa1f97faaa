"""The group of commands: it keeps their order and turns every expected failure into one sentence and an exit code."""

import sqlite3
from typing import Any

import click

from app.core.place import PlaceError
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
        """Give the names in their order."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it can be refused for ends as a sentence, all else is a bug and shows its traceback."""
        try:
            return super().invoke(ctx)
        except SettingsError as error:
            raise Misused(f"The settings cannot be used: {error}.") from None
        except (PlaceError, NewerFile) as error:
            raise Refused(str(error)) from None
        except AppError as error:
            raise Refused(error.message) from None
        except sqlite3.DatabaseError as error:
            raise Refused(f"The database cannot be used: {error}.") from None
