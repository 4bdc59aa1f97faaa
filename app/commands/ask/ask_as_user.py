"""Ask as a user who sits at this machine.

Through the running server, or in the database when there is none; an answer may stream.
"""

import contextlib
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.ask.door import connect_to_server, parse_object
from app.commands.ask.locate_data import data_directory
from app.commands.terminal.command_group import Refused
from app.commands.terminal.terminal_safe import on_one_line
from app.settings import Settings

if TYPE_CHECKING:
    from app.core.database.data_dir import Ownership

QUIET_SECONDS = 900
"""A server that has said nothing for so long is taken for gone."""
Line = dict[str, Any]


class ListenerLeft(Exception):
    """Ends work that shall not go on without whoever asked for it."""


class LocalClient:
    """One user's voice, or with no username that of whoever owns the data directory.

    Each ask finds out anew whether a server runs, so that one may start or end meanwhile.
    """

    def __init__(self, settings: Settings, username: str | None, *, goes_on: bool = True) -> None:
        """Whether work `goes_on` when nobody listens any more, as a turn of a conversation does."""
        self._settings = settings
        self._goes_on = goes_on
        self._username = username
        self._data = data_directory(settings)
        # One thread: the lock of the database allows no second operation of this process.
        self._here = ThreadPoolExecutor(1, thread_name_prefix="hearth")
        self._work: Future[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something is still being done in the database here, for which the next ask has
        to wait.
        """
        return self._work is not None and not self._work.done()

    def ask(self, name: str, /, **params: Any) -> Line:
        """Run the operation called `name` and give its record as JSON has it.

        `params` in wire spelling. Raises as `lines` does.
        """
        with contextlib.closing(self.lines(name, **params)) as lines:
            return next(lines)

    def lines(self, name: str, /, **params: Any) -> Generator[Line, None, None]:
        """Run an operation and give what it streams, or its one record.

        A turn that was begun goes on when nobody listens any more.

        Raises AppError or Refused with the operation's own sentence, and DataDirError when the
        owner of the database does not answer.
        """
        served = connect_to_server(self._data, seconds=QUIET_SECONDS)
        if served is None:
            from app.core.database.data_dir import InUse

            try:
                yield from self._lines_here(name, params)
            except InUse as busy:
                served = connect_to_server(self._data, seconds=QUIET_SECONDS, owner=busy.pid)
                if served is None:  # another command at work
                    raise
        if served is not None:
            with served:
                yield from served.lines(self._username, name, params)

    def models(self) -> list[Line]:
        """Return those who can answer, the default first."""
        found: list[Line] = self.ask("list_models")["models"]
        return sorted(found, key=lambda one: not one["default"])

    def require_model(self, name: str) -> None:
        """Raise Refused unless somebody of that name can answer."""
        names = [str(one["name"]) for one in self.models()]
        if name not in (*names, "default"):
            raise Refused(
                f"There is no model called {on_one_line(name, 80)}. Available: "
                f"{on_one_line(', '.join(names), 500)}."
            )

    def _lines_here(self, name: str, params: Line) -> Iterator[Line]:
        heard: queue.SimpleQueue[Line | Future[None]] = queue.SimpleQueue()
        left = threading.Event()

        def tell(line: Line) -> None:
            if left.is_set():
                raise ListenerLeft
            heard.put(line)

        self._work = work = self._here.submit(
            _answer_here, self._settings, self._data, self._username, name, params, tell
        )
        work.add_done_callback(heard.put)
        try:
            while isinstance(line := heard.get(), dict):
                yield line
            line.result()
        finally:
            if not self._goes_on:
                left.set()


def _answer_here(
    settings: Settings,
    data: Path,
    username: str | None,
    name: str,
    params: Line,
    tell: Callable[[Line], None],
) -> None:
    """Run an operation in the database, which this process owns until its turn has ended."""
    import asyncio

    from app.commands.ask import data_directory as place
    from app.core.database import data_dir

    place.existing_directory(settings)
    data_dir.prepare(data)
    with place.own_when_free(data) as ownership:
        place.migrate_database(data, ownership)
        asyncio.run(_tell_all(settings, data, ownership, username, name, params, tell))


async def _tell_all(
    settings: Settings,
    data: Path,
    ownership: "Ownership",
    username: str | None,
    name: str,
    params: Line,
    tell: Callable[[Line], None],
) -> None:
    from app.account import users
    from app.commands.ask.open_here import open_app
    from app.core.caller import OPERATOR
    from app.core.line_stream import Lines
    from app.core.schema import encode

    async with open_app(settings, data, ownership) as parts:
        result = await parts.call(
            OPERATOR if username is None else parts.quick(users.local_caller, username),
            name,
            params,
        )
        if isinstance(result, Lines):
            events = result.events
            try:
                async for event in events:
                    tell(parse_object(encode(event)))
            finally:
                # ends what nobody listens to before the database is closed
                if isinstance(events, AsyncGenerator):
                    await events.aclose()
        else:
            tell(parse_object(encode(result)))
