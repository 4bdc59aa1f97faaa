"""Run a server that people write to, and record what it asks of the disk.

`python -m tests.power.recording OUT REQUESTS DURABILITY SEED`.

It runs as a process of its own. OUT gets the database as it was before, and the events.
"""

import asyncio
import http.client
import json
import pickle
import random
import shutil
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn

from app.core.database import upkeep
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.settings import Settings
from tests.power.tracing import Tracer
from tests.support.kill_cycles import set_up

WRITERS = 4
FILES = 3
MARK = b"x-mark"
PAUSE_SECONDS = 0.08


class Client(threading.Thread):
    """One client that creates, changes, deletes and writes many at once.

    Each request bears a mark that says what it does.
    """

    def __init__(self, port: int, key: str, label: str, *, requests: int, seed: int) -> None:
        super().__init__()
        self.key = key
        self.label = label
        self.requests = requests
        self.chance = random.Random(seed)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.notes: dict[str, int] = {}
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            for number in range(self.requests):
                self._step(number)
                if self.chance.random() < 0.15:
                    time.sleep(
                        PAUSE_SECONDS
                    )  # so that the store does its idle work and folds the journal
        except BaseException as error:
            self.failure = error

    def _step(self, number: int) -> None:
        title, dice = f"{self.label}.{number}", self.chance.random()
        if dice < 0.25 and self.notes:
            changed = self.chance.choice(list(self.notes))
            body = {"content": f"change {number} " + "x" * self.chance.randrange(3000)}
            self._ask("PATCH", f"/os/notes/{self.notes[changed]}", body, f"edit:{changed}:{number}")
        elif dice < 0.35 and self.notes:
            gone = self.chance.choice(list(self.notes))
            self._ask("DELETE", f"/os/notes/{self.notes.pop(gone)}", None, f"gone:{gone}")
        elif dice < 0.6:
            files = [
                {
                    "path": f"bulk/{title}-{part}.md",
                    "content": "more words " * self.chance.randrange(200),
                }
                for part in range(FILES)
            ]
            self._ask("POST", "/accumulate", {"files": files}, f"bulk:{title}")
        else:
            made = self._ask(
                "POST",
                "/os/notes",
                {"title": title, "content": "some words " * self.chance.randrange(200)},
                f"note:{title}",
            )
            self.notes[title] = made["result"]["note"]["id"]

    def _ask(self, method: str, path: str, body: object, mark: str) -> Any:
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            MARK.decode(): mark,
        }
        self.connection.request(
            method, f"/api/v1{path}", None if body is None else json.dumps(body), headers
        )
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)


def marked(app: Callable[..., Awaitable[None]], tracer: Tracer) -> Callable[..., Awaitable[None]]:
    """Note when a request with a mark came, and when its answer is about to leave, which is as
    early as anybody can have heard of it.
    """

    async def front(scope: Any, receive: Any, send: Any) -> None:
        mark = dict(scope.get("headers", ())).get(MARK, b"").decode()

        async def noted(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                tracer.note("answered", mark)
            await send(message)

        if mark:
            tracer.note("asked", mark)
        await app(scope, receive, noted if mark else send)

    return front


async def serve(
    tracer: Tracer, data: Path, key: str, *, requests: int, durability: Any, seed: int
) -> None:
    """Serve until the clients have asked everything."""
    upkeep.CHECKPOINT_BYTES, upkeep.RESTART_BYTES = (  # type: ignore[attr-defined]
        64 << 10,
        256 << 10,
    )  # so that a short recording has many checkpoints of both kinds
    app = create_app(Settings(rate_limit=0, access_log=False, durability=durability), data)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        server = uvicorn.Server(
            uvicorn.Config(marked(app, tracer), ws="none", lifespan="on", log_config=None)
        )
        running = asyncio.ensure_future(server.serve([listener]))
        port = listener.getsockname()[1]
        clients = [
            Client(port, key, f"w{number}", requests=requests // WRITERS, seed=seed * 100 + number)
            for number in range(WRITERS)
        ]
        for client in clients:
            client.start()
        for client in clients:
            await asyncio.to_thread(client.join)
        server.should_exit = True
        await running
    if failed := [client.failure for client in clients if client.failure is not None]:
        raise failed[0]


def record(out: Path, *, requests: int, durability: str, seed: int) -> None:
    """Record a run of the server into `out`."""
    data = out / "data"
    data.mkdir(parents=True)
    key = set_up(data)
    shutil.copytree(data, out / "base")
    with Tracer().in_place() as tracer:
        asyncio.run(serve(tracer, data, key, requests=requests, durability=durability, seed=seed))
    events = [
        event
        for event in tracer.events
        if event.kind in ("asked", "answered") or event.name.startswith(DATABASE)
    ]
    (out / "events.pickle").write_bytes(pickle.dumps(events))


if __name__ == "__main__":
    record(
        Path(sys.argv[1]), requests=int(sys.argv[2]), durability=sys.argv[3], seed=int(sys.argv[4])
    )
