"""Replication by another program, such as Litestream: what it asks of the database, held by ours.

It keeps a read transaction open so that nobody's checkpoint restarts the log, copies the log's new
pages, and checkpoints itself; it keeps two small tables of its own in the database. This stands in
for it with a connection of its own in a process of its own.
"""

import asyncio
import contextlib
import dataclasses
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.core.database.tx import Tx
from app.core.database.upkeep import CHECKPOINT_BYTES, IDLE_SECONDS
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served

pytestmark = pytest.mark.anyio

REPLICATOR = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("PRAGMA busy_timeout = 5000")
c.execute("PRAGMA wal_autocheckpoint = 0")
assert c.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
c.execute("CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
c.execute("CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER)")
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    word = line.strip()
    if word == "hold":
        reader.execute("BEGIN"); reader.execute("SELECT count(*) FROM _litestream_seq").fetchone()
        print("held", flush=True)
    elif word == "checkpoint":
        if reader.in_transaction:
            reader.execute("ROLLBACK")
        c.execute("INSERT INTO _litestream_seq (id, seq) VALUES (1, 1) "
                  "ON CONFLICT (id) DO UPDATE SET seq = seq + 1")
        print(*c.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone(), flush=True)
"""


class Replicator:
    """The other program."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", REPLICATOR, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, word: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def replicator(data: Path) -> Iterator[Replicator]:
    running = Replicator(data / DATABASE)
    yield running
    running.end()


@contextlib.asynccontextmanager
async def serving(settings: Settings, data: Path, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


def log_of(data: Path) -> Path:
    return data / (DATABASE + "-wal")


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def fill(tx: Tx) -> None:
    tx.run("CREATE TABLE IF NOT EXISTS heap (text TEXT) STRICT")
    tx.run("INSERT INTO heap VALUES (hex(zeroblob(:size)))", size=CHECKPOINT_BYTES)


async def rested() -> None:
    """Wait until the writer has been idle long enough to have checkpointed if it meant to."""
    await asyncio.sleep(4 * IDLE_SECONDS)


@pytest.mark.parametrize("external", [False, True])
async def test_the_log_is_left_to_the_other_program_when_it_is_told_so(
    data: Path, settings: Settings, clock: MovableClock, external: bool
) -> None:
    mine = dataclasses.replace(settings, external_checkpoints=external)
    empty = size(data / DATABASE)
    async with serving(mine, data, clock) as served:
        await served.parts.write(fill)
        await rested()
        assert size(log_of(data)) > CHECKPOINT_BYTES
    assert (size(log_of(data)) > CHECKPOINT_BYTES) == external
    if external:
        assert size(data / DATABASE) == empty


async def test_what_was_left_in_the_log_is_there_at_the_next_start(
    data: Path, settings: Settings, clock: MovableClock
) -> None:
    mine = dataclasses.replace(settings, external_checkpoints=True)
    async with serving(mine, data, clock) as served:
        await served.command("add_user", username="alice")
    assert size(log_of(data)) > 0
    async with serving(settings, data, clock) as served:
        assert served.parts.quick(lambda tx: tx.value("SELECT username FROM users")) == "alice"


async def test_both_work_on_one_file_and_nothing_is_lost(
    data: Path, settings: Settings, clock: MovableClock, replicator: Replicator
) -> None:
    mine = dataclasses.replace(settings, external_checkpoints=True)
    async with serving(mine, data, clock) as served:
        alice = await served.person("alice")
        for number in range(30):
            if number % 10 == 5:
                assert replicator.ask("hold") == "held"
            await alice.note(f"Note {number}")
            if number % 10 == 9:
                busy, written, folded = map(int, replicator.ask("checkpoint").split())
                assert (busy, written) == (0, folded)
        assert (await alice.ok("GET", "/os/status"))["contextCount"] == 30
        made = await served.parts.call(OPERATOR, "make_backup", {})
        assert made.rows > 30
        proof = await served.parts.call(OPERATOR, "prove_backup", {})
        assert (proof.trouble, proof.notes >= 20) == (None, True)
        await alice.aclose()
    with contextlib.closing(sqlite3.connect(data / DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (30,)


async def test_every_connection_waits_for_others_and_checkpoints_by_itself_never(
    served: Served, alice: Client
) -> None:
    def pragmas(tx: Tx) -> tuple[Any, ...]:
        return tuple(
            tx.value(f"PRAGMA {name}")
            for name in ("journal_mode", "busy_timeout", "wal_autocheckpoint")
        )

    assert await served.parts.write(pragmas) == ("wal", 5000, 0)
    assert await served.parts.read(pragmas) == ("wal", 5000, 0)
    assert served.parts.quick(pragmas) == ("wal", 5000, 0)
