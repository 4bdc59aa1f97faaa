"""The connections that read: a few with threads of their own, and one on the loop's thread."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from app.core.database.file_state import FileState
from app.core.database.snapshot_read import read_on_connection
from app.core.database.sqlite_setup import CACHE_KB, connect
from app.core.database.sqlite_thread import Connection
from app.core.database.tx import Clock, Tx
from app.core.process import background_tasks
from app.errors import Unavailable

P = ParamSpec("P")
R = TypeVar("R")
READERS = 3
LOOP_CACHE_KB = 12_000
"""As much as searches among 10,000 notes use: with 4 MB each reads a dozen pages of the file, which
is a twentieth of its time."""
MOST_CACHE_KB = 8_000
"""What a reader keeps of a file of 160 MB or more: by words and meaning among 100,000 notes it then
reads 650 pages a search instead of 1,040."""


class Readers:
    """Runs reads: short ones on the loop's own connection, others on threads."""

    def __init__(self, file: FileState, *, clock: Clock, writer: Connection) -> None:
        self._file = file
        self._clock = clock
        self._writer = writer
        self._local: sqlite3.Connection | None = None
        self._connected: list[Connection] = []
        self._idle: list[Connection] = []
        self._opening: set[asyncio.Task[Connection]] = set()
        self._turns = asyncio.Semaphore(READERS)

    @property
    def is_open(self) -> bool:
        """Whether the store is open: the loop's own connection is there for exactly that time."""
        return self._local is not None

    def open(self) -> None:
        """Open the loop's own connection; the others come when they are first needed."""
        self._local = connect(
            self._file.path, writes=False, sealed=self._file.sealed, cache=LOOP_CACHE_KB
        )

    async def close(self) -> sqlite3.Connection:
        """Close all connections but the loop's own, and return that one.

        It takes no more reads; whoever closes the writer says when it can go.
        """
        local, self._local = self.require_open(), None
        await asyncio.gather(*self._opening, return_exceptions=True)
        for reader in self._connected:
            await reader.close()
        return local

    def require_open(self) -> sqlite3.Connection:
        """Return the loop's own connection; raise Unavailable where the store is not open."""
        if self._local is None:
            raise Unavailable("The database is closed; the server is starting or stopping.")
        return self._local

    async def read(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `function(tx, …)` on a reader's thread; see `Store.read`."""
        await self._turns.acquire()
        try:
            self.require_open()
            reader = self._idle.pop() if self._idle else await self._open_reader()
        except asyncio.CancelledError:
            # the reader that is being opened gives the turn back once it is there
            raise
        except BaseException:
            self._turns.release()
            raise
        moment, settings = self._clock(), self._file.settings
        work = reader.start(
            lambda connection: read_on_connection(
                connection, moment, settings, function, *args, **kwargs
            )
        )
        # not when the asker leaves: its read still uses the connection
        work.add_done_callback(lambda _: self._give_back(reader))
        try:
            return await background_tasks.shielded(work)
        except sqlite3.DatabaseError as error:
            self._file.require_sound(error)
            raise

    def quick(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run `function(tx, …)` on the loop's own connection; see `Store.quick`."""
        try:
            moment, settings = self._clock(), self._file.settings
            return read_on_connection(
                self.require_open(), moment, settings, function, *args, **kwargs
            )
        except sqlite3.DatabaseError as error:
            self._file.require_sound(error)
            raise

    def glance(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Do what `quick` does without a transaction; see `Store.glance`."""
        try:
            tx = Tx(self.require_open(), self._clock(), self._file.settings)
            return function(tx, *args, **kwargs)
        except sqlite3.DatabaseError as error:
            self._file.require_sound(error)
            raise

    async def _open_reader(self) -> Connection:
        """Open one more reader; if the asker leaves meanwhile, it is there for the next."""
        opening = asyncio.ensure_future(self._connect())
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._keep_opened)
            raise

    def _keep_opened(self, opening: "asyncio.Task[Connection]") -> None:
        if opening.cancelled() or opening.exception() is not None:
            self._turns.release()
        else:
            self._give_back(opening.result())

    async def _connect(self) -> Connection:
        file = self._file

        def connected() -> sqlite3.Connection:
            cache = min(MOST_CACHE_KB, file.path.stat().st_size // 20_000)
            return connect(file.path, writes=False, sealed=file.sealed, cache=max(CACHE_KB, cache))

        opening = Connection(connected, 64)
        reader = await file.watch.open_connection(opening, self._writer)
        if reader is not self._writer:
            self._connected.append(reader)
        return reader

    def _give_back(self, reader: Connection) -> None:
        self._idle.append(reader)
        self._turns.release()
