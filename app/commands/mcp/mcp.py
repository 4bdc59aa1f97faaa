"""`hearth mcp`: MCP on standard input and output, by the server that runs or one of its own."""

import _thread
import os
import signal
import sys
import threading
import time
from pathlib import Path

import click

from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.mcp.relay import Line, Relay
from app.commands.server.serve import serve_here
from app.commands.terminal.user_options import user_option
from app.commands.user import choose_username
from app.core.database import data_dir
from app.errors import AppError
from app.settings import Settings

START_SECONDS = 30.0
RESTART_SECONDS = 15.0
"""So long a server that ended may take to come back before one is run here in its place."""
PAUSE_SECONDS = 0.1


@click.command()
@user_option
@click.option(
    "--key",
    metavar="ID",
    type=click.IntRange(1),
    help="Act with the rights of this key; `hearth key list` shows the IDs.",
)
@settings_option
def mcp(user: str | None, key: int | None, settings: Settings) -> None:
    """Serve MCP on standard input and output.

    For agents on this machine; `hearth connect` sets them up. Uses the running server, or runs
    one until the agent leaves.
    """
    relay = Relay(_claimed())
    username: str | None = None
    patience = 0.0
    while relay.is_open:
        door = _door(data_directory(settings), patience)
        if door is None:
            _serve_and_pass_on(settings, relay, username or user, key)
            patience = RESTART_SECONDS
            continue
        username = username or choose_username(settings, user)
        relay.pass_on(door, username, key)
        patience = RESTART_SECONDS
        time.sleep(PAUSE_SECONDS)


def _serve_and_pass_on(settings: Settings, relay: Relay, user: str | None, key: int | None) -> None:
    """Run a server until the agent has left; another that was faster is left alone."""
    path = data_directory(settings)
    refused: list[Exception] = []
    is_over = threading.Event()

    def pass_on() -> None:
        pid = str(os.getpid())
        while not is_over.wait(PAUSE_SECONDS):
            door = data_dir.read_announcement(path)
            if door is not None and door.pid == pid:
                try:
                    relay.pass_on(door, choose_username(settings, user), key)
                except (click.ClickException, AppError, data_dir.DataDirError) as error:
                    refused.append(error)
                break
        if not is_over.is_set() and (refused or not relay.is_open):
            _thread.interrupt_main(signal.SIGINT)

    passing = threading.Thread(target=pass_on, name="passing", daemon=True)
    passing.start()
    try:
        serve_here(settings, path)
    except data_dir.InUse:
        pass
    finally:
        is_over.set()
        passing.join(START_SECONDS)
    if refused:
        raise refused[0]


def _claimed() -> Line:
    """Take standard input and output for the wire, so that nothing else is written to it."""
    if sys.platform == "win32":
        import msvcrt

        for number in (0, 1):
            msvcrt.setmode(number, os.O_BINARY)
    hearing, saying = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return Line(os.fdopen(hearing, "rb", buffering=0), os.fdopen(saying, "wb", buffering=0))


def _door(path: Path, patience: float) -> data_dir.Announcement | None:
    """Return how the server is reached that owns the data directory, None where nobody owns it.

    One that starts or ends at this moment is waited for, and so many seconds one that comes back.
    """
    began = time.monotonic()
    until = began + START_SECONDS
    while True:
        try:
            with data_dir.visit_directory(path):
                if time.monotonic() >= began + patience:
                    return None
        except data_dir.InUse as busy:
            door = data_dir.read_announcement(path)
            if door is not None and door.pid == busy.pid:
                return door
            if time.monotonic() > until:
                raise
        time.sleep(PAUSE_SECONDS)
