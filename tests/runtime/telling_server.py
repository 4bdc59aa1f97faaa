"""A server that tells endpoints what it is asked to: `python -m tests.runtime.telling_server DATA`.

It says its port and a key; then of each line of its input, an endpoint and a number, the cursor
once that is committed.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from app.commands.server.http_server import Server
from app.commands.server.sockets import listen
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.main import create_app
from app.migrations import migrate
from app.runtime.realtime import event_rows
from app.settings import Settings

MOST_CONNECTIONS = 2_000


def main(data: Path) -> None:
    """Serve until a signal comes."""
    data.mkdir(parents=True, exist_ok=True)
    migrate(data / DATABASE)
    asgi = create_app(Settings(rate_limit=0, access_log=False), data)
    parts: App = asgi.state.parts
    sockets = listen("127.0.0.1", 0)
    held: list[Any] = []

    async def ready() -> None:
        if not (await parts.call(OPERATOR, "list_users", {})).users:
            await parts.call(OPERATOR, "add_user", {"username": "alice"})
        key = await parts.call(OPERATOR, "issue_key", {"username": "alice", "name": "trial"})
        say({"port": sockets[0].getsockname()[1], "key": key.secret})
        held.append(asyncio.create_task(tell_all(parts)))

    Server(asgi, ready, most=MOST_CONNECTIONS).serve_on(sockets)


async def tell_all(parts: App) -> None:
    """Tell what the lines of the input say, each when it comes."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()
    while line := await reader.readline():
        endpoint, number = line.decode().split()
        task = asyncio.create_task(tell(parts, endpoint, int(number)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def tell(parts: App, endpoint: str, number: int) -> None:
    """Tell an endpoint a number, with the moment at which that began."""
    data = {"number": number, "at": time.monotonic_ns()}

    def append(tx: Tx) -> str:
        return event_rows.append_event(
            tx, endpoint, "message.dispatch", data, delivery=f"del_{number}"
        )

    say({"number": number, "cursor": await parts.write(append)})


def say(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
