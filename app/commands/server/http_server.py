"""The HTTP server around the application.

Uvicorn with this program's way of starting, announcing itself and ending.
"""

import contextlib
import functools
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.server import HANDLED_SIGNALS

from app.commands.server.sockets import BACKLOG
from app.core.database.events import Events
from app.interfaces.wire.http_connection import IDLE_SECONDS, Connection
from app.interfaces.wire.open_connections import OpenConnections

GRACE_SECONDS = 10
INTERRUPTED = 130
FILES_KEPT = 200
"""Descriptors that connections leave to the database, its readers, other processes and files."""
log = logging.getLogger("hearth")


class Server(uvicorn.Server):
    """Calls `ready` once the port is open.

    A signal ends it in order with exit code 0, a second Ctrl-C at once.
    """

    def __init__(self, app: Starlette, ready: Callable[[], Awaitable[None]], *, most: int) -> None:
        made: Any = functools.partial(Connection, crowd=OpenConnections(connection_limit(most)))
        super().__init__(
            uvicorn.Config(
                app,
                http=made,
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._ready = ready
        self._events: Events = app.state.parts.events
        self._failure: Exception | None = None

    def serve_on(self, sockets: list[socket.socket]) -> None:
        """Serve until a signal comes; raise what `ready` raised, after everything was closed."""
        self.run(sockets)
        if self._failure is not None:
            raise self._failure

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application and the port, then tell."""
        await super().startup(sockets)
        try:
            await self._ready()
        except Exception as error:
            self._failure = error
            self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: first tell those who answer without an end, then wait for all who answer."""
        self._events.publish("server.ending", {})
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Answer signals while the block runs, and do not raise them again afterwards.

        Ending in order is a success.
        """
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def end(self) -> None:
        """End in order, as a signal would have it."""
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end, or end at once when asked again.

        What was answered is on the disk, so nothing of it can be lost.
        """
        if self.should_exit and sig == signal.SIGINT:
            os._exit(INTERRUPTED)
        self.should_exit = True


def connection_limit(most: int) -> int:
    """Return how many connections there may be.

    So many, or what the process's limit of descriptors leaves, which is raised where it may be.
    """
    # as many as are waiting may be accepted before the first of them is turned away
    wanted = most + BACKLOG + FILES_KEPT
    given = raise_descriptor_limit(wanted)
    if given >= most + FILES_KEPT:
        return most
    room = max(given - FILES_KEPT, given // 2)
    log.warning(
        "This process may open only %d files and connections, so it accepts at most %d "
        "connections. Raise the limit with ulimit -n.",
        given,
        room,
    )
    return room


def raise_descriptor_limit(wanted: int) -> int:
    """Raise the process's limit of descriptors to what is wanted, as far as it may, and return
    what it is then.
    """
    if sys.platform == "win32":  # which has none for sockets
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < wanted:
        aim = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def log_to_stderr(level: str) -> None:
    """Send this program's log at `level`, and the warnings of its libraries, to stderr."""
    logging.basicConfig(
        level=max(logging.WARNING, logging.getLevelName(level.upper())),
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("hearth").setLevel(level.upper())
