"""The database opened by a command itself, where no server runs."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.account import users
from app.commands.ask.ask_operation import open_app, parse_object
from app.commands.ask.data_directory import (
    existing_directory,
    migrate_database,
    own_when_free,
    require_suitable_disk,
)
from app.commands.ask.door import Answer, Declined, Write
from app.core.app import App
from app.core.caller import OPERATOR, Caller
from app.core.database import data_dir
from app.core.download import Download
from app.core.schema import encode
from app.errors import AppError
from app.settings import Settings


@contextlib.contextmanager
def open_here(settings: Settings, data: Path) -> Iterator["Here"]:
    """Own the database while the block runs; raise InUse where a server has it."""
    existing_directory(settings)
    require_suitable_disk(settings, data)
    data_dir.prepare(data)
    with own_when_free(data) as ownership:
        migrate_database(data, ownership)
        with asyncio.Runner() as runner:
            opened = contextlib.AsyncExitStack()
            parts = runner.run(opened.enter_async_context(open_app(settings, data)))
            try:
                yield Here(runner, parts)
            finally:
                runner.run(opened.aclose())


class Here:
    """The program over the database that this process owns."""

    def __init__(self, runner: asyncio.Runner, parts: App) -> None:
        self._runner = runner
        self._parts = parts

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation; raise Declined."""
        return parse_object(encode(self._run(username, name, params)))

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation and write the bytes of the file."""
        found: Download = self._run(username, name, params)

        async def copy() -> None:
            async with contextlib.aclosing(found.parts) as parts:
                async for part in parts:
                    write(part)

        self._runner.run(copy())

    def _run(self, username: str | None, name: str, params: Mapping[str, Any]) -> Any:
        async def call() -> Any:
            return await self._parts.call(self._caller(username), name, dict(params))

        try:
            return self._runner.run(call())
        except AppError as error:
            raise Declined(error.status, error.body) from None

    def _caller(self, username: str | None) -> Caller:
        if username is None:
            return OPERATOR
        return self._parts.quick(users.local_caller, username)
