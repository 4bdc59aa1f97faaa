"""The HTTP server around the application: uvicorn with this program's way of starting, announcing itself and ending."""

import contextlib
import logging
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from uvicorn.server import HANDLED_SIGNALS

GRACE_SECONDS = 10
KEEP_ALIVE_SECONDS = 30
INTERRUPTED = 130


class Server(uvicorn.Server):
    """Calls `ready` once the port is open; a signal ends it in order with exit code 0, a second Ctrl-C at once."""

    def __init__(self, app: Starlette, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(
            uvicorn.Config(
                app, http="httptools", ws="none", lifespan="on", log_config=None, access_log=False, proxy_headers=False, server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS, timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )  # fmt: skip
        self._ready = ready
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

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Answer signals while the block runs, and do not raise them again afterwards: ending in order is a success."""
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end, or end at once when asked again: what was answered is on the disk, so nothing of it can be lost."""
        if self.should_exit and sig == signal.SIGINT:
            os._exit(INTERRUPTED)
        self.should_exit = True


def log_to_stderr(level: str) -> None:
    """Send this program's log at `level`, and the warnings of its libraries, to stderr."""
    logging.basicConfig(level=max(logging.WARNING, logging.getLevelName(level.upper())), format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("hearth").setLevel(level.upper())
