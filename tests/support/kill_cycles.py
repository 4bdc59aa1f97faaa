"""Kill the server at random moments and look what became of the writes it had answered.

`python -m tests.support.kill_cycles 1000`.

Each cycle forks a server from this process, which has loaded everything already, lets four
clients write over HTTP and kills it with SIGKILL. The next server must have every write that was
answered, and no bulk write by halves. Prints one JSON object; exits 1 when anything was lost.
"""

import asyncio
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import uvicorn

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx, utc_now
from app.main import build_parts, create_app
from app.migrations import migrate
from app.settings import Settings
from app.workspace.index import trigram_index, word_index
from tests.support import index_checks

CYCLES = 30
WRITERS = 4
FILES = 3
SHORTEST, LONGEST = 0.05, 0.2
SETTINGS = Settings(rate_limit=0, access_log=False)


class Writer(threading.Thread):
    """One client that writes until its server is gone.

    `notes` and `batches` are the writes that were answered.
    """

    def __init__(self, port: int, key: str, name: str) -> None:
        super().__init__()
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.label = name
        self.notes: list[str] = []
        self.batches: list[str] = []

    def run(self) -> None:
        number = 0
        try:
            while True:
                number += 1
                title = f"{self.label}.{number}"
                if number % 3:
                    self.post("/os/notes", 201, {"title": title, "content": "some words"})
                    self.notes.append(title)
                else:
                    files = [
                        {"path": f"bulk/{title}-{part}.md", "content": "more words"}
                        for part in range(FILES)
                    ]
                    self.post("/accumulate", 200, {"files": files})
                    self.batches.append(title)
        except (OSError, http.client.HTTPException):
            self.connection.close()

    def post(self, path: str, status: int, body: object) -> None:
        self.connection.request("POST", f"/api/v1{path}", json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != status:
            raise RuntimeError(f"{path}: {answer.status} {text[:200]!r}")


def serve(data: Path, listener: socket.socket) -> None:
    """Be the server until killed."""
    signal.set_wakeup_fd(-1)
    uvicorn.Server(
        uvicorn.Config(create_app(SETTINGS, data), ws="none", lifespan="on", log_config=None)
    ).run([listener])


def set_up(data: Path) -> str:
    """Make the database with one user and give their key."""

    async def run() -> str:
        parts = build_parts(SETTINGS, data)
        await parts.store.open()
        await parts.call(OPERATOR, "add_user", {"username": "alice"})
        await parts.call(OPERATOR, "init_user", {"username": "alice"})
        key = await parts.call(OPERATOR, "issue_key", {"username": "alice", "name": "test"})
        await parts.store.close()
        return str(key.secret)

    migrate(data / DATABASE)
    return asyncio.run(run())


def cycle(
    data: Path, listener: socket.socket, key: str, number: int, moment: float
) -> list[Writer]:
    """Let a server be written to and kill it `moment` seconds after its first answer.

    Give the clients.
    """
    child = os.fork()
    if child == 0:
        serve(data, listener)
        os._exit(1)
    writers = [
        Writer(listener.getsockname()[1], key, f"{number}.{place}") for place in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    give_up = time.monotonic() + 20
    while not any(writer.notes for writer in writers) and time.monotonic() < give_up:
        time.sleep(0.005)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for writer in writers:
        writer.join(30)
    return writers


def missing(data: Path, writers: list[Writer]) -> tuple[list[str], list[str]]:
    """Give the answered writes that are not there, and the bulk writes that are there by halves."""
    connection = sqlite3.connect(data / DATABASE)
    titles = [
        row[0] for row in connection.execute("SELECT title FROM notes WHERE trash_id IS NULL")
    ]
    connection.close()
    notes, batches = (
        Counter(titles),
        Counter(title.partition("-")[0] for title in titles if "-" in title),
    )
    lost = [title for writer in writers for title in writer.notes if notes[title] != 1]
    lost += [title for writer in writers for title in writer.batches if batches[title] != FILES]
    return lost, [title for title, count in batches.items() if count != FILES]


def troubles(data: Path) -> list[str]:
    """Give what SQLite, the counters and the search index say against the database."""
    asyncio.run(index_all(data))
    connection = sqlite3.connect(data / DATABASE)
    connection.row_factory = sqlite3.Row
    found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    found += [
        f"foreign key: {tuple(row)}" for row in connection.execute("PRAGMA foreign_key_check")
    ]
    live = connection.execute(
        "SELECT count(*), sum(size) FROM notes WHERE trash_id IS NULL"
    ).fetchone()
    counted = connection.execute("SELECT note_count, total_bytes FROM workspaces").fetchone()
    found += (
        []
        if tuple(live) == tuple(counted)
        else [f"{tuple(live)} notes and bytes, but counted {tuple(counted)}"]
    )
    word_index.index_waiting(Tx(connection, utc_now()), 1 << 30, 1 << 40)
    found += [
        f"search index: {trouble}"
        for trouble in index_checks.word_damage(Tx(connection, utc_now()))
    ]
    found += [
        f"the trigrams of note {note} are not those of its text"
        for note in index_checks.gram_damage(Tx(connection, utc_now()))
    ]
    connection.close()
    return found


async def index_all(data: Path) -> None:
    """Index the notes that wait for it, so that the index can be compared with them."""
    parts = build_parts(SETTINGS, data)
    await parts.store.open()
    while await parts.read(word_index.any_waiting):
        await parts.write(word_index.index_waiting)
    while await parts.read(trigram_index.count_due, None):
        await parts.write(trigram_index.do_idle_work)
    await parts.store.close()


def run(cycles: int, data: Path, seed: int) -> dict[str, object]:
    """Run the cycles and give the report."""
    chance = random.Random(seed)
    key = set_up(data)
    answered, lost, halves = 0, [], []
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        for number in range(cycles):
            writers = cycle(data, listener, key, number, chance.uniform(SHORTEST, LONGEST))
            answered += sum(len(writer.notes) + len(writer.batches) for writer in writers)
            gone, half = missing(data, writers)
            lost += gone
            halves += half
    return {
        "cycles": cycles,
        "answered": answered,
        "lost": lost,
        "halves": halves,
        "troubles": troubles(data),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        report = run(
            int(sys.argv[1]) if len(sys.argv) > 1 else CYCLES,
            Path(folder),
            seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0,
        )
    print(json.dumps(report))  # noqa: T201
    sys.exit(0 if not (report["lost"] or report["halves"] or report["troubles"]) else 1)
