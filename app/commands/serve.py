"""`hearth serve`: own the data directory, open the port, set up the first user, and serve until told to end."""

import contextlib
import dataclasses
import gc
import getpass
import os
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from app.commands.directory import data_option, directory, models_of, owned_soon, read_settings, upgraded
from app.commands.group import Misused, Refused
from app.commands.listening import is_loopback, listen, url_of
from app.core import place
from app.settings import Settings

SWITCH_SECONDS = 0.001  # Python's 5 ms are long for answers that wait while the writer's or a reader's thread computes
SAFE_WITH_OTHERS = (3, 51, 3)
OLD_SQLITE = (
    "This Python has SQLite {}. Before 3.51.3, two programs that write and checkpoint one file at the same instant can damage it; "
    "replicate with a Python that has a newer one, and keep the backups."
)
REMOTE_REFUSED = (
    "{host} can be reached from other machines. Hearth speaks plain HTTP, so whoever listens on the way could read your keys and notes. "
    "If you mean it, say so with --allow-remote."
)
REMOTE_WARNING = (
    "Other machines can reach this port, and whoever has a key can use it. This is plain HTTP: put a proxy with TLS in front. "
    "HEARTH_ALLOWED_HOSTS must name the host names that are used{named}."
)


@click.command()
@click.option("--host", metavar="ADDRESS", help="The address to listen on; else HEARTH_HOST, else 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="NUMBER", help="The port; else HEARTH_PORT, else 8765. 0 takes a free one.")
@data_option
@click.option("--allow-remote", is_flag=True, help="Allow an address that other machines can reach.")
@click.option("--external-checkpoints", is_flag=True, help="Leave checkpoints to a program that replicates the log, such as Litestream.")
@click.option("--user", metavar="NAME", help="What the very first start calls its user; else your name on this machine.")
def serve(host: str | None, port: int | None, data: Path | None, allow_remote: bool, external_checkpoints: bool, user: str | None) -> None:
    """Start the server; Ctrl-C ends it.

    The very first start makes the database, a user and an API key, and shows the key once.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before anything loads it: a second thread makes it many times slower on a busy machine
    settings = read_settings(host=host, port=port, data=data, external_checkpoints=external_checkpoints or None)
    if settings.external_checkpoints and sqlite3.sqlite_version_info < SAFE_WITH_OTHERS:
        click.echo(OLD_SQLITE.format(sqlite3.sqlite_version), err=True)
    if not is_loopback(settings.host):
        if not allow_remote:
            raise Misused(REMOTE_REFUSED.format(host=settings.host))
        named = f" (now: {', '.join(settings.allowed_hosts)})" if settings.allowed_hosts else ""
        click.echo(REMOTE_WARNING.format(named=named), err=True)
    path = directory(settings)
    with _held(path, settings) as sockets:
        upgraded(path / place.DATABASE)
        _serve(settings, path, sockets=sockets, username=username_for(user))


def username_for(given: str | None) -> str:
    """Give the name of the first user: as said, else the login name made to fit."""
    if given is not None:
        return given
    from app.account.users import fitted

    try:
        return fitted(getpass.getuser())
    except (OSError, KeyError, ImportError):  # a system that has no name for whoever runs this
        return fitted("")


def first_key_lines(username: str, secret: str) -> str:
    """Give what is said about the first key, the key itself left to the last line."""
    return f'The first API key, for the user "{username}". Keep it now: it is not shown again.\n\n{secret}'


@contextlib.contextmanager
def _held(path: Path, settings: Settings) -> Iterator[list[socket.socket]]:
    """Hold the port and the data directory; when one is refused, nothing has changed in the other."""
    try:
        sockets = listen(settings.host, settings.port)
    except Refused:
        if (path / place.LOCK).exists():
            with place.owned(path):  # when it is the same server that has both, the directory is the better reason
                pass
        raise
    with contextlib.ExitStack() as stack:
        for listener in sockets:
            stack.enter_context(listener)
        place.prepare(path)
        stack.enter_context(owned_soon(path))
        yield sockets


def _serve(settings: Settings, path: Path, *, sockets: list[socket.socket], username: str) -> None:
    gc.disable()  # nothing of what is loaded now is ever garbage: looking through it would be a tenth of the start
    from app.commands.server import Server, log_to_stderr  # these load the whole program, so only once nothing refuses the start
    from app.core.caller import OPERATOR
    from app.main import create_app

    log_to_stderr(settings.log_level)
    sys.setswitchinterval(SWITCH_SECONDS)
    token, url = place.fresh_token(), url_of(sockets[0])
    app = create_app(dataclasses.replace(settings, models=models_of(settings, path)), path, control_token=token)
    with contextlib.ExitStack() as announcement:

        async def ready() -> None:
            gc.freeze()
            gc.enable()
            first = await app.state.parts.call(OPERATOR, "begin_server", {"username": username})
            announcement.enter_context(place.announced(path, pid=os.getpid(), url=url, token=token))
            click.echo(f"Hearth is at {url} (data in {path})")
            if first.secret is not None:
                click.echo(f"\n{first_key_lines(first.username, first.secret)}\n")

        Server(app, ready).serve_on(sockets)
