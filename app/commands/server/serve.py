"""`hearth serve`: own the data directory, open the port, and serve until told to end."""

import asyncio
import contextlib
import dataclasses
import gc
import os
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.ask.data_directory import (
    existing_directory,
    migrate_database,
    models_directory,
    own_when_free,
    require_suitable_disk,
)
from app.commands.ask.locate_data import data_directory, data_option, read_settings
from app.commands.server import first_start
from app.commands.server.first_start import FirstStart
from app.commands.server.make_way import make_way
from app.commands.server.sockets import is_loopback, listen, url_of
from app.commands.terminal.command_group import Misused, Refused
from app.core.caller import OPERATOR
from app.core.database import data_dir, disk_reserve
from app.core.database.sqlite_setup import Sealed, connect
from app.migrations import due_steps
from app.settings import Settings

if TYPE_CHECKING:
    pass

RESERVE_SECONDS = 2.0
# Python's 5 ms are long for answers that wait while the writer's or a reader's thread computes
SWITCH_SECONDS = 0.001
SAFE_WITH_OTHERS = (3, 51, 3)
OLD_SQLITE = (
    "Warning: this Python has SQLite {}. Before 3.51.3, two programs that write and checkpoint "
    "the same file at the same moment can damage it. Use a Python with a newer SQLite, and keep "
    "the backups."
)
REMOTE_REFUSED = (
    "Other machines can reach {host}. Hearth speaks plain HTTP, so anyone on the way could read "
    "your keys and notes. To listen there anyway, add --allow-remote."
)
REMOTE_WARNING = (
    "Warning: other machines can reach this port, over plain HTTP. Put a proxy with TLS in front, "
    "and list the host names in use in HEARTH_ALLOWED_HOSTS{named}."
)


@click.command()
@click.option(
    "--host", metavar="ADDRESS", help="Address to listen on [default: HEARTH_HOST, or 127.0.0.1]."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="NUMBER",
    help="Port to listen on; 0 picks a free one [default: HEARTH_PORT, or 8765].",
)
@data_option
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Allow listening on an address that other machines can reach.",
)
@click.option(
    "--allow-unsafe-place",
    is_flag=True,
    help="Allow a data directory on a network drive or in a synced folder.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Accept changes that another program made to the database.",
)
@click.option(
    "--new-database", is_flag=True, help="Create an empty database where the old one is missing."
)
@click.option(
    "--read-only",
    is_flag=True,
    help="Serve reads only and change no file, even on a read-only disk.",
)
@click.option(
    "--external-checkpoints",
    is_flag=True,
    help="Leave checkpoints to a replication program such as Litestream.",
)
@click.option(
    "--user", metavar="NAME", help="Username for the first start [default: your login name]."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser at the first start.")
def serve(
    host: str | None,
    port: int | None,
    data: Path | None,
    user: str | None,
    *,
    allow_remote: bool,
    allow_unsafe_place: bool,
    accept_changes: bool,
    new_database: bool,
    read_only: bool,
    external_checkpoints: bool,
    no_open: bool,
) -> None:
    """Start the server. Ctrl-C stops it.

    The first start creates the database, a user and an API key, shows the key once, and opens
    the browser where there is a display.
    """
    # before anything loads it: a second thread makes it many times slower on a busy machine
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    settings = read_settings(
        host=host,
        port=port,
        data=data,
        allow_unsafe_place=allow_unsafe_place or None,
        external_checkpoints=external_checkpoints or None,
    )
    if settings.external_checkpoints and sqlite3.sqlite_version_info < SAFE_WITH_OTHERS:
        click.echo(OLD_SQLITE.format(sqlite3.sqlite_version), err=True)
    if not is_loopback(settings.host):
        if not allow_remote:
            raise Misused(REMOTE_REFUSED.format(host=settings.host))
        named = f" (now: {', '.join(settings.allowed_hosts)})" if settings.allowed_hosts else ""
        click.echo(REMOTE_WARNING.format(named=named), err=True)
    first = FirstStart(
        first_start.username_for(user or settings.user or None),
        named=user is not None,
        opens=not no_open,
    )
    if read_only:
        _serve_read_only(settings, existing_directory(settings), first=first)
        return
    path = data_directory(settings)
    require_suitable_disk(settings, path)
    make_way(path)
    with _hold_port_and_data(path, settings) as (sockets, ownership):
        try:
            migrate_database(path, ownership, accept=accept_changes, anew=new_database)
        except data_dir.Damaged as error:
            _serve_damaged(settings, path, sockets=sockets, first=first, why=str(error))
        else:
            _serve_open(settings, path, sockets=sockets, first=first, ownership=ownership)


def serve_here(settings: Settings, path: Path) -> None:
    """Serve on a free port that this machine alone can reach.

    Until told to end, or until a server is started that is to stay.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in `serve`
    settings = dataclasses.replace(settings, host="127.0.0.1", port=0)
    require_suitable_disk(settings, path)
    with _hold_port_and_data(path, settings) as (sockets, ownership):
        migrate_database(path, ownership)
        _serve_open(
            settings,
            path,
            sockets=sockets,
            first=FirstStart(first_start.username_for(settings.user or None), opens=False),
            ownership=ownership,
            stands_in=True,
        )


@contextlib.contextmanager
def _hold_port_and_data(
    path: Path, settings: Settings
) -> Iterator[tuple[list[socket.socket], data_dir.Ownership]]:
    """Hold the port and the data directory.

    When one is refused, nothing has changed in the other.
    """
    try:
        sockets = listen(settings.host, settings.port)
    except Refused:
        if (path / data_dir.LOCK).exists():
            # when it is the same server that has both, the directory is the better reason
            with data_dir.visit_directory(path):
                pass
        raise
    with contextlib.ExitStack() as stack:
        for listener in sockets:
            stack.enter_context(listener)
        data_dir.prepare(path)
        # On a full disk the start itself needs the room that the last run held back.
        disk_reserve.DiskReserve(path).release_before_start()
        yield sockets, stack.enter_context(own_when_free(path))


def _serve_read_only(settings: Settings, path: Path, *, first: FirstStart) -> None:
    """Serve what is there, and leave every file as it is."""
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(listener) for listener in listen(settings.host, settings.port)
        ]
        stack.enter_context(data_dir.visit_directory(path))
        sealed = data_dir.read_only_mode(path)
        if due_steps(path / data_dir.DATABASE, sealed=sealed == "immutable"):
            raise Refused(
                f"The database in {path} was made by an older Hearth. Start once without "
                "--read-only to update it."
            )
        _serve_open(settings, path, sockets=sockets, first=first, sealed=sealed)


def _serve_damaged(
    settings: Settings, path: Path, *, sockets: list[socket.socket], first: FirstStart, why: str
) -> None:
    """Serve what can still be read of a damaged database, without a change to it.

    Refuse where nothing can.
    """
    try:
        if due_steps(path / data_dir.DATABASE):
            raise Refused(why)
        with contextlib.closing(
            connect(path / data_dir.DATABASE, writes=False, sealed="ro")
        ) as connection:
            connection.execute("SELECT count(*) FROM users").fetchone()
    # its words about a damaged file may be no text
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        raise Refused(why) from None
    click.echo(f"{why} Starting read-only.", err=True)
    _serve_open(settings, path, sockets=sockets, first=first, sealed="ro", damaged=True)


def _serve_open(
    settings: Settings,
    path: Path,
    *,
    sockets: list[socket.socket],
    first: FirstStart,
    ownership: data_dir.Ownership | None = None,
    sealed: Sealed = "",
    damaged: bool = False,
    stands_in: bool = False,
) -> None:
    # nothing of what is loaded now is ever garbage: looking through it would be a tenth of the
    # start
    gc.disable()
    # these load the whole program, so only once nothing refuses the start
    from app.commands.server.http_server import Server, log_to_stderr
    from app.core.app import App
    from app.interfaces.control import StandIn
    from app.main import create_app

    log_to_stderr(settings.log_level)
    sys.setswitchinterval(SWITCH_SECONDS)
    token, url = data_dir.fresh_token(), url_of(sockets[0])
    settings = dataclasses.replace(
        settings,
        models=models_directory(settings, path),
        access_log=settings.access_log and not sealed,
        port=sockets[0].getsockname()[1],  # any free one was asked for with 0
    )
    app = create_app(settings, path, control_token=token, sealed=sealed)
    parts: App = app.state.parts
    store = parts.store
    if damaged:
        store.health.state = "damaged"
    with contextlib.ExitStack() as announcement:

        async def ready() -> None:
            # All that was loaded for the start lives as long as the process: never look at it
            # again.
            gc.freeze()
            gc.enable()
            if ownership is not None:
                ownership.wait_until_written()
                # Filling the reserve right away would compete with the first requests.
                asyncio.get_running_loop().call_later(RESERVE_SECONDS, store.room.hold_reserve)
            made = await parts.call(OPERATOR, "begin_server", {"username": first.username})
            _announce_server(announcement, path, url=url, token=token)
            # whoever reads that it is there may read the key's file at once
            welcome = made.secret and await first_start.welcome(
                parts, path, url, made, opens=first.opens
            )
            click.echo(f"Hearth is at {url} (data in {path})")
            if welcome:
                click.echo(welcome)
            elif first.named:
                await first_start.warn_of_other_name(parts, first.username)

        server = Server(app, ready, most=settings.max_connections)
        if stands_in:
            app.state.parts.parts.append(StandIn(server.end))
        try:
            server.serve_on(sockets)
        finally:
            if ownership is not None and store.health.state != "writable":
                ownership.in_order = False


def _announce_server(
    announcement: contextlib.ExitStack, path: Path, *, url: str, token: str
) -> None:
    """Leave word for the command line; a disk that takes no file is no reason not to serve."""
    try:
        announcement.enter_context(
            data_dir.announce_server(path, pid=os.getpid(), url=url, token=token)
        )
    except data_dir.DataDirError as error:
        click.echo(f"{error} Commands will not find the running server.", err=True)
