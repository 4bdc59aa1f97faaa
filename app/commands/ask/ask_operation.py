"""Ask for an operation as the owner of the data directory.

Through the running server, or straight in the database when there is none.
"""

import contextlib
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.ask.data_directory import (
    PATIENCE_SECONDS,
    PAUSE_SECONDS,
    data_directory,
    existing_directory,
    migrate_database,
    require_suitable_disk,
)
from app.commands.terminal.command_group import Refused
from app.core.database import data_dir
from app.settings import Settings

if TYPE_CHECKING:
    from http.client import HTTPConnection

    from app.core.app import App

ANSWER_SECONDS = 30
TURN_SECONDS = 600


def ask(settings: Settings, name: str, /, **params: Any) -> dict[str, Any]:
    """Run the operation called `name` and give its record as JSON has it.

    `params` in wire spelling.

    Raises AppError or Refused with the operation's own sentence, and Refused when there is no
    database or its owner does not answer.
    """
    return _ask_server_or_here(settings, existing_directory(settings), name, params)


def ask_patiently(settings: Settings, seconds: int, name: str, /, **params: Any) -> dict[str, Any]:
    """Do what `ask` does, and wait so long for what a server that runs has to ask elsewhere."""
    return _ask_server_or_here(settings, existing_directory(settings), name, params, seconds)


def ask_anew(settings: Settings, name: str, /, **params: Any) -> dict[str, Any]:
    """Do what `ask` does, and make the database first where there is none."""
    return _ask_server_or_here(settings, data_directory(settings), name, params)


def _ask_server_or_here(
    settings: Settings, data: Path, name: str, params: dict[str, Any], seconds: int = ANSWER_SECONDS
) -> dict[str, Any]:
    owner: str | None = None
    until = 0.0
    while True:
        try:
            return _ask_once(settings, data, name, params, seconds)
        except data_dir.InUse as busy:
            now = time.monotonic()
            # a server that starts or ends, or other commands at work, each for a moment
            if busy.pid != owner:
                owner, until = busy.pid, now + PATIENCE_SECONDS
            elif now > until:
                raise Refused(
                    f"{busy} It does not answer commands. Try again in a moment, or stop it first."
                ) from None
        time.sleep(PAUSE_SECONDS)


def _ask_once(
    settings: Settings, data: Path, name: str, params: dict[str, Any], seconds: int
) -> dict[str, Any]:
    require_suitable_disk(settings, data)
    data_dir.prepare(data)
    try:
        with data_dir.own_directory(data) as ownership:
            migrate_database(data, ownership)
            import asyncio

            return asyncio.run(_ask_here(settings, data, name, params))
    except data_dir.InUse as busy:
        door = data_dir.read_announcement(data)
        if door is None or door.pid != busy.pid:  # what a server left behind that was killed
            raise
        try:
            return _ask_at(door, name, params, seconds)
        except ConnectionRefusedError:
            raise busy from None


def make_way(data: Path) -> None:
    """Let a server end that runs only until one is started that is to stay, as an agent's does."""
    try:
        with data_dir.visit_directory(data):
            return
    except data_dir.InUse as busy:
        door = data_dir.read_announcement(data)
        if door is None or door.pid != busy.pid:
            return
    with contextlib.suppress(Refused, ConnectionRefusedError):
        if not _ask_at(door, "step-aside", {}, ANSWER_SECONDS).get("ends"):
            return
    until = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(data_dir.InUse), data_dir.visit_directory(data):
            return
        time.sleep(PAUSE_SECONDS)


@contextlib.asynccontextmanager
async def open_app(settings: Settings, data: Path) -> AsyncIterator["App"]:
    """Return the program over the database in `data`, which this process must own, until the block
    and the turns that it began have ended.
    """
    _load_program()
    from app.agent.models.providers import Providers
    from app.main import build_parts

    parts = build_parts(settings, data)
    await parts.store.open()
    try:
        yield parts
    finally:
        await parts.tasks.close(TURN_SECONDS)
        await parts.part(Providers).close()
        await parts.embedder.close()
        await parts.store.close()


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


async def _ask_here(
    settings: Settings, data: Path, name: str, params: dict[str, Any]
) -> dict[str, Any]:
    from app.core.caller import OPERATOR
    from app.core.schema import encode

    async with open_app(settings, data) as parts:
        return parse_object(encode(await parts.call(OPERATOR, name, params)))


def _ask_at(
    door: data_dir.Announcement, name: str, params: dict[str, Any], seconds: int
) -> dict[str, Any]:
    import http.client

    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(control_request(door, name, params, seconds))
            response = connection.getresponse()
            answer = parse_object(response.read())
        except ConnectionRefusedError:
            raise  # nobody listens any more or not yet, so nothing was asked
        except TimeoutError:
            raise Refused(
                f"The server at {door.url} did not answer within {seconds} seconds. It may still "
                "be working on the request."
            ) from None
        except (OSError, http.client.HTTPException, ValueError):
            raise Refused(
                f"The server at {door.url} has just stopped, or belongs to another data "
                "directory. Try again."
            ) from None
    if response.status != http.HTTPStatus.OK:
        raise refusal_of(response.status, answer)
    return answer


@contextlib.contextmanager
def control_request(
    door: data_dir.Announcement, path: str, params: dict[str, Any], seconds: float
) -> Iterator["HTTPConnection"]:
    """Send a running server a command, and yield the connection on which it answers."""
    import http.client
    from urllib.parse import urlsplit

    where = urlsplit(door.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=seconds)
    # The server may listen on an address whose name it does not answer to; to `localhost` it
    # always does.
    headers = {
        "Authorization": f"Control {door.token}",
        "Content-Type": "application/json",
        "Host": "localhost",
    }
    with contextlib.closing(connection):
        connection.request("POST", f"/control/{path}", json.dumps(params), headers)
        yield connection


def refusal_of(status: int, answer: dict[str, Any]) -> Refused:
    """Return what a server refused a command with."""
    return Refused(str(answer.get("message", f"The server answered {status}.")))


def parse_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object that came over the wire; raise ValueError for anything else."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - it is what came over the wire that is wrong
    return found
