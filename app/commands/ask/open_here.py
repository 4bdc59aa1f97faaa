"""The database opened by a command itself, where no server runs."""

import asyncio
import contextlib
import dataclasses
import gc
import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

from app.account import users
from app.commands.ask.data_directory import (
    existing_directory,
    migrate_database,
    require_suitable_disk,
)
from app.commands.ask.door import LOOK_SECONDS, Answer, Declined, Hear, Write, encode_params
from app.core.app import App
from app.core.caller import OPERATOR, Caller
from app.core.database import data_dir
from app.core.download import Download
from app.core.schema import encode
from app.errors import AppError
from app.settings import Settings

TURN_SECONDS = 600


@contextlib.contextmanager
def open_here(settings: Settings, data: Path, *, anew: bool) -> Iterator["Here"]:
    """Own the database while the block runs, and make it where `anew` allows that.

    Raise InUse where another process has it.
    """
    if not anew:
        existing_directory(settings)
    require_suitable_disk(settings, data)
    data_dir.prepare(data)
    with data_dir.own_directory(data) as ownership:
        migrate_database(data, ownership)
        with asyncio.Runner() as runner:
            opened = contextlib.AsyncExitStack()
            try:
                parts = runner.run(opened.enter_async_context(open_app(settings, data, ownership)))
                yield Here(runner, parts)
            finally:
                runner.run(opened.aclose())


@contextlib.asynccontextmanager
async def open_app(
    settings: Settings, data: Path, ownership: data_dir.Ownership | None = None
) -> AsyncIterator[App]:
    """Return the program over the database in `data`, which this process must own, until the block
    and the turns that it began have ended.

    `ownership` learns whether the database could be written to until then.
    """
    _load_program()
    from app.main import build_parts, opened

    parts = build_parts(settings, data)
    try:
        async with opened(parts, TURN_SECONDS):
            yield parts
    finally:
        if ownership is not None and parts.store.health.state != "writable":
            ownership.in_order = False


def _load_program() -> None:
    """Load the whole program, which most commands beside a running server never do."""
    if "app.main" in sys.modules:
        return
    # Nothing of it is ever garbage: looking through it, now and as the process ends, would take a
    # quarter of an ordinary command's time.
    gc.disable()
    import app.main  # noqa: F401

    gc.freeze()
    gc.enable()


class Here:
    """The program over the database that this process owns."""

    url: str | None = None

    def __init__(self, runner: asyncio.Runner, parts: App) -> None:
        self._runner = runner
        self._parts = parts

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation; raise Declined."""
        encode_params(params)  # refuses what is no text
        return json.loads(encode(self._run(username, name, params)))

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation and write the bytes of the file."""
        found: Download = self._run(username, name, params)

        async def copy() -> None:
            async with contextlib.aclosing(found.parts) as parts:
                async for part in parts:
                    write(part)

        self._runner.run(copy())

    @contextlib.contextmanager
    def watch(self, hear: Hear) -> Iterator[None]:
        """Look again and again how far the newest long work is, while the block asks."""

        async def look() -> None:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                for work in self._parts.works.list()[-1:]:
                    hear(dataclasses.asdict(work))

        looking = self._runner.get_loop().create_task(look())
        try:
            yield
        finally:
            looking.cancel()

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
