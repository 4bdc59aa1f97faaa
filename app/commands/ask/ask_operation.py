"""Ask for an operation as the owner of the data directory.

Through the running server, or straight in the database when there is none.
"""

import contextlib
import json
import time
from collections.abc import AsyncIterator
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
            if (
                busy.pid != owner
            ):  # a server that starts or ends, or other commands at work, each for a moment
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


@contextlib.asynccontextmanager
async def open_app(settings: Settings, data: Path) -> AsyncIterator["App"]:
    """Return the program over the database in `data`, which this process must own, until the block
    and the turns that it began have ended.
    """
    from app.agent.models.providers import Providers
    from app.main import (
        build_parts,
    )  # the whole program, which most commands beside a running server never load

    parts = build_parts(settings, data)
    await parts.store.open()
    try:
        yield parts
    finally:
        await parts.tasks.close(TURN_SECONDS)
        await parts.part(Providers).close()
        await parts.embedder.close()
        await parts.store.close()


async def _ask_here(
    settings: Settings, data: Path, name: str, params: dict[str, Any]
) -> dict[str, Any]:
    from app.core.caller import OPERATOR
    from app.core.schema import encode

    async with open_app(settings, data) as parts:
        return _parse_object(encode(await parts.call(OPERATOR, name, params)))


def _ask_at(
    door: data_dir.Announcement, name: str, params: dict[str, Any], seconds: int
) -> dict[str, Any]:
    import http.client
    from urllib.parse import urlsplit

    where = urlsplit(door.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=seconds)
    # The server may listen on an address whose name it does not answer to; to `localhost` it always
    # does.
    headers = {
        "Authorization": f"Control {door.token}",
        "Content-Type": "application/json",
        "Host": "localhost",
    }
    with contextlib.closing(connection):
        try:
            connection.request("POST", f"/control/{name}", json.dumps(params), headers)
            response = connection.getresponse()
            answer = _parse_object(response.read())
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
        raise Refused(str(answer.get("message", f"The server answered {response.status}.")))
    return answer


def _parse_object(text: bytes) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - it is what came over the wire that is wrong
    return found
