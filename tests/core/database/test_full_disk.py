"""A disk that is full, takes nothing, or fails.

What is answered stays true, what is refused leaves nothing, and reading goes on.

The tests on a real small disk need the right to mount one; those with a disk that is played do not.
"""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core.database import disk_reserve as room_module
from app.core.database.data_dir import DATABASE
from app.core.database.disk_reserve import DiskReserve
from app.core.database.store import open_store
from app.errors import StorageFull, Unavailable
from tests.conftest import Client, Served
from tests.core.database.test_store import make, mark, marks
from tests.power.tracing import Tracer
from tests.support.disks import await_reserve, can_mount, fill, read_only, small_disk
from tests.support.serving import Server, refused, serving

pytestmark = pytest.mark.anyio

SQLITE_FULL = sqlite3.SQLITE_FULL
LARGE = "x" * 200_000


def integrity(file: Path) -> Any:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]


if can_mount():

    def fill_by_notes(server: Server) -> tuple[list[str], Any]:
        """Write until the disk is full; give the titles that were taken and the refusal."""
        taken: list[str] = []
        for number in range(400):
            status, body = server.ask(
                "POST", "/os/notes", {"title": f"note {number}", "content": LARGE}
            )
            if status != 201:
                return taken, (status, body)
            taken.append(f"note {number}")
        raise AssertionError("the disk never was full")

    def test_a_full_disk_refuses_what_needs_room_answers_everything_else_and_goes_on_by_itself(
        tmp_path: Path,
    ) -> None:
        asked: list[int] = []
        done = threading.Event()

        def watch(server: Server) -> None:
            while not done.is_set():
                asked.append(server.ask("GET", "/os/status")[0])

        with small_disk(tmp_path / "disk", "120m") as disk, serving(disk / "data") as server:
            kept, gone = server.note("kept", "read me"), server.note("gone", LARGE)
            await_reserve(server.data)
            watcher = threading.Thread(target=watch, args=(server,))
            watcher.start()
            try:
                ballast = fill(disk)
                taken, (status, body) = fill_by_notes(server)
                assert (status, body["error"], body["success"]) == (507, "storage_full", False)
                assert server.health()["state"] == "full"
                assert server.ask("GET", f"/os/notes/{kept}")[1]["note"]["markdown"] == "read me"
                assert server.ask("POST", "/os/notes/search", {"query": "read"})[0] == 200
                assert server.ask("DELETE", f"/os/notes/{gone}")[0] == 200
                assert server.ask("DELETE", f"/os/trash/note/{gone}")[0] == 200
                assert (
                    server.ask("POST", "/os/notes", {"title": "still no room", "content": ""})[0]
                    == 507
                )
                ballast.unlink()
                assert (
                    server.ask("POST", "/os/notes", {"title": "after", "content": LARGE})[0] == 201
                )
                assert server.health() | {"checkedAt": None} == {
                    "writable": True,
                    "state": "writable",
                    "message": None,
                    "checkedAt": None,
                    "check": None,
                    "findings": 0,
                }
                await_reserve(server.data)
            finally:
                done.set()
                watcher.join(60)
            titles = {
                note["title"] for note in server.ask("GET", "/os/notes?limit=200")[1]["notes"]
            }
            assert titles == {"kept", "after", *taken}
            assert set(asked) == {200}
            server.process.terminate()
            server.process.wait(60)
            assert integrity(disk / "data" / DATABASE) == "ok"

    def test_a_server_starts_on_a_full_disk_and_lets_room_be_made(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "120m") as disk:
            with serving(disk / "data") as server:
                note, key = server.note("large", LARGE), server.key
                await_reserve(server.data)
                server.kill()
            ballast = fill(disk)
            with serving(disk / "data", key=key) as server:
                assert server.ask("GET", f"/os/notes/{note}")[1]["note"]["markdown"] == LARGE
                assert server.ask("DELETE", f"/os/notes/{note}")[0] == 200
                ballast.unlink()
                server.note("after")

    def test_a_place_where_nothing_can_be_written_is_served_read_only(tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", "60m") as disk:
            with serving(disk / "data") as server:
                note, key = server.note("kept"), server.key
            read_only(disk)
            before = {path.name: path.stat().st_mtime_ns for path in (disk / "data").iterdir()}
            assert "Read-only file system" in refused(disk / "data", "serve", "--port", "0")
            with serving(disk / "data", "--read-only", key=key) as server:
                assert server.ask("GET", f"/os/notes/{note}")[0] == 200
                status, body = server.ask("POST", "/os/notes", {"title": "no", "content": ""})
                assert (status, body["error"], body["database"]) == (
                    503,
                    "unavailable",
                    "read_only",
                )
                assert server.health()["state"] == "read_only"
            assert {
                path.name: path.stat().st_mtime_ns for path in (disk / "data").iterdir()
            } == before

    def test_a_journal_that_cannot_be_read_in_a_read_only_place_is_told_instead_of_left_out(
        tmp_path: Path,
    ) -> None:
        with small_disk(tmp_path / "disk", "60m") as disk:
            with serving(disk / "data") as server:
                server.note("in the journal")
                server.kill()
            read_only(disk)
            assert "Copy the directory" in refused(
                disk / "data", "serve", "--read-only", "--port", "0"
            )


def test_read_only_serving_changes_nothing_and_needs_a_database(tmp_path: Path) -> None:
    assert "There is no database" in refused(tmp_path, "serve", "--read-only", "--port", "0")
    with serving(tmp_path / "data") as server:
        note, key = server.note("kept"), server.key
    stamp = (tmp_path / "data" / DATABASE).stat().st_mtime_ns
    with serving(tmp_path / "data", "--read-only", key=key) as server:
        assert server.ask("GET", f"/os/notes/{note}")[0] == 200
        for method, path, body in (
            ("DELETE", f"/os/notes/{note}", None),
            ("POST", "/os/todos", {"title": "no"}),
            ("POST", "/chat", {"message": "hi"}),
        ):
            assert server.ask(method, path, body)[1]["database"] == "read_only"
        searched = server.ask("POST", "/os/notes/search", {"query": "kept"})[1]
        assert ([hit["id"] for hit in searched["results"]], searched["mode"]) == ([note], "words")
        told = server.ask("GET", "/os/search")[1]["meaning"]
        assert (told["state"] == "off") or "read-only" in told["reason"]
        assert "is in use" in refused(tmp_path / "data", "serve", "--port", "0")
    assert (tmp_path / "data" / DATABASE).stat().st_mtime_ns == stamp
    with serving(tmp_path / "data", key=key) as server:
        assert server.ask("DELETE", f"/os/notes/{note}")[0] == 200


class Disk:
    """A disk that is played: calls of the kinds in `failing` end with `code`."""

    def __init__(self) -> None:
        self.code = 0
        self.failing: tuple[str, ...] = ("write",)
        self.only = ""

    def __call__(self, kind: str, name: str) -> int:
        return self.code if kind in self.failing and name.endswith(self.only) else 0


@pytest.fixture
async def disk() -> AsyncIterator[Disk]:
    played = Disk()
    with Tracer(fails=played).in_place():
        yield played


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "marks.db"
    make(file)
    return file


async def test_what_makes_room_has_a_second_try_with_the_reserve(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(path) as store:
        await store.write(mark, "before")
        (path.parent / "reserve").write_bytes(b"x" * 1000)
        disk.code = SQLITE_FULL
        free = [0]
        monkeypatch.setattr(DiskReserve, "free", lambda _: free[0])

        def given(self: DiskReserve) -> bool:
            disk.code = 0
            return real(self)

        real = DiskReserve.release_reserve
        monkeypatch.setattr(DiskReserve, "release_reserve", given)
        with room_module.freeing():
            await store.write(lambda tx: tx.run("DELETE FROM marks"))
        assert (path.parent / "reserve").stat().st_size == 0
        with pytest.raises(StorageFull):
            await store.write(mark, "no room")
        free[0] = room_module.MARGIN_BYTES + 1000
        assert await store.write(mark, "after") == "after"
        assert store.quick(marks) == ["after"]


async def test_what_finds_no_room_even_with_the_reserve_is_refused(path: Path, disk: Disk) -> None:
    async with open_store(path) as store:
        await store.write(mark, "before")
        disk.code = SQLITE_FULL
        with pytest.raises(StorageFull), room_module.freeing():
            await asyncio.wait_for(store.write(mark, "still too much"), 10)
        disk.code = 0
        store.room.tight = False
        await store.write(mark, "after")
        assert store.quick(marks) == ["before", "after"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("write", sqlite3.SQLITE_IOERR_WRITE),
        ("sync", sqlite3.SQLITE_IOERR_FSYNC),
        ("write", sqlite3.SQLITE_CORRUPT),
    ],
)
async def test_a_disk_that_fails_ends_all_writing_and_nothing_answered_is_lost(
    path: Path, disk: Disk, kind: str, code: int
) -> None:
    async with open_store(path) as store:
        await store.write(mark, "answered")
        disk.failing, disk.code = (kind,), code
        with pytest.raises(Unavailable):
            await store.write(mark, "refused")
        disk.code = 0
        with pytest.raises(Unavailable):
            await store.write(mark, "too late")
        assert await store.read(marks) == ["answered"]
        assert store.health.report(full=False).writable is False
    async with open_store(path) as store:
        assert "answered" in store.quick(marks)
        assert await store.write(mark, "after a new start") == "after a new start"


async def test_a_checkpoint_that_fails_is_noticed_and_the_journal_kept(
    path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    """SQLite itself keeps quiet when its own checkpoint fails, and the pages of a sync that
    failed may never reach the disk.
    """
    async with open_store(path) as store:
        await store.write(mark, "answered")
        disk.failing, disk.only, disk.code = ("sync",), ".db", sqlite3.SQLITE_IOERR_FSYNC
    assert "stored, and nothing will be" in caplog.text
    journal = path.with_name(path.name + "-wal")
    assert journal.stat().st_size > 0
    disk.code = 0
    async with open_store(path) as store:
        assert store.quick(marks) == ["answered"]
    assert not journal.exists()


async def test_a_large_request_is_refused_before_it_is_read_when_it_would_fill_the_disk(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DiskReserve, "free", lambda _: 70 << 20)
    files = [{"path": "a.md", "content": "x" * (4 << 20)}]
    await alice.refused("POST", "/accumulate", 507, "storage_full", json={"files": files})
    await alice.ok(
        "POST", "/accumulate", json={"files": [{"path": "a.md", "content": "x" * 100_000}]}
    )
