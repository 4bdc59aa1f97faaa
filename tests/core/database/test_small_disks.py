"""Small disks: a reserve that suits them, and however full they are everything can be deleted,
after which writing goes on by itself.

The tests on a real small disk need the right to mount one.
"""

import contextlib
import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.core.database.data_dir import DATABASE
from app.core.database.disk_reserve import RESERVE, RESERVE_BYTES, DiskReserve, freeing
from app.core.database.sqlite_setup import checkpoint_log, connect, free_unwritten, read_pragmas
from app.core.database.store import open_store
from app.errors import StorageFull
from tests.core.database.test_store import make, mark, marks
from tests.support.disks import await_reserve, can_mount, fill, leave_room, small_disk
from tests.support.serving import Server, serving

MIB = 1 << 20
AT_ONCE = 4
TEXT = "leek and bean\n" + f"{'x' * 2000}\n" * 420
"""Few words: what fills the disk is the point, not how long it takes to be read."""


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def play(monkeypatch: pytest.MonkeyPatch, total: int, free: int) -> None:
    """Let every disk be of that size."""
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: Usage(total * MIB, (total - free) * MIB, free * MIB)
    )


def held(room: DiskReserve) -> int | None:
    """Give the megabytes of the reserve, None where there is none."""
    room.hold_reserve()
    if room.making is not None:
        room.making.join()
    with contextlib.suppress(OSError):
        return room._reserve.stat().st_size // MIB
    return None


@pytest.mark.parametrize(
    ("total", "free", "size"),
    [
        (60, 55, 7),
        (90, 85, 11),
        (160, 150, 20),
        (400, 380, 32),
        (100_000, 90_000, 32),
        (100_000, 20, 10),
        (60, 6, 3),
        (60, 1, None),
        (4, 4, None),
    ],
)
def test_the_reserve_is_a_part_of_a_small_disk_and_at_most_half_of_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int, free: int, size: int | None
) -> None:
    play(monkeypatch, total, free)
    assert held(DiskReserve(tmp_path)) == size
    assert size is None or (tmp_path / RESERVE).stat().st_mode & 0o777 == 0o600
    play(monkeypatch, total, free - (size or 0))
    assert held(DiskReserve(tmp_path)) == size, (
        "a start on a disk that is as full makes it no smaller"
    )


def test_the_reserve_of_a_large_disk_is_cut_down_on_a_small_one_and_grows_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, 100_000, 90_000)
    assert held(DiskReserve(tmp_path)) == RESERVE_BYTES // MIB
    play(monkeypatch, 90, 20)
    assert held(DiskReserve(tmp_path)) == 11
    play(monkeypatch, 100_000, 90_000)
    assert held(DiskReserve(tmp_path)) == RESERVE_BYTES // MIB


def test_a_reserve_that_was_given_back_is_not_used_up_by_starting_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, 90, 40)
    room = DiskReserve(tmp_path)
    assert held(room) == 11
    assert room.release_reserve()
    play(monkeypatch, 90, 11)
    for _ in range(3):
        room = DiskReserve(tmp_path)
        assert (held(room), room.tight) == (0, True)
        with pytest.raises(StorageFull):
            room.require()
        with freeing():
            room.require()
    play(monkeypatch, 90, 40)
    room.require()
    assert (room.tight, held(room)) == (False, 11)


def test_what_is_left_without_a_reserve_stays_for_deleting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, 90, 5)
    room = DiskReserve(tmp_path)
    room.require()
    play(monkeypatch, 90, 3)
    with pytest.raises(StorageFull):
        room.require()
    with freeing():
        room.require()


@pytest.mark.anyio
async def test_a_write_whose_log_could_not_be_folded_is_refused_and_smaller_ones_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "marks.db"
    make(path)
    async with open_store(path) as store:
        play(monkeypatch, 90, 24)
        with pytest.raises(StorageFull):
            await store.write(mark, "x" * 10 * MIB)
        assert store.room.tight
        for number in range(12):
            await store.write(mark, f"{number % 10}" * MIB)
        play(monkeypatch, 90, 48)
        await store.write(mark, "x" * 10 * MIB)
        assert [len(said) // MIB for said in store.quick(marks)] == [*[1] * 12, 10]


@pytest.mark.anyio
async def test_the_log_is_folded_early_where_room_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "marks.db"
    make(path)
    largest = 0
    async with open_store(path) as store:
        play(monkeypatch, 90, 24)
        for number in range(30):
            await store.write(mark, f"{number % 10}" * MIB)
            largest = max(largest, path.with_name(path.name + "-wal").stat().st_size)
    assert MIB < largest < 6 * MIB


@pytest.mark.parametrize(("is_short", "least", "most"), [(False, 8, 9), (True, 0, 1)])
def test_deleting_a_large_text_needs_hardly_any_log_where_the_disk_is_full(
    tmp_path: Path, is_short: bool, least: int, most: int
) -> None:
    path = tmp_path / "texts.db"
    path.touch()
    with contextlib.closing(connect(path, writes=True)) as connection:
        connection.execute("CREATE TABLE texts (text TEXT)")
        connection.execute("INSERT INTO texts VALUES (?)", ("leek " * (8 * MIB // 5),))
        assert checkpoint_log(connection, "TRUNCATE")
        with free_unwritten(connection) if is_short else contextlib.nullcontext():
            connection.execute("DELETE FROM texts")
        log = path.with_name(path.name + "-wal").stat().st_size
        assert least <= log / MIB <= most
        assert read_pragmas(connection, "secure_delete") == [1]
        assert checkpoint_log(connection, "TRUNCATE")
        assert (b"leek" in path.read_bytes()) is is_short


if can_mount():

    def fill_by_notes(server: Server) -> list[int]:
        """Let some write at once until the disk is full; give the notes that were taken."""
        taken: list[int] = []
        refusals: list[tuple[int, Any]] = []

        def write(writer: int) -> None:
            number = 0
            while not refusals:
                status, body = server.ask(
                    "POST",
                    "/os/notes",
                    {"title": f"{time.monotonic_ns()} {writer} {number}", "content": TEXT},
                )
                if status == 201:
                    taken.append(body["result"]["note"]["id"])
                else:
                    refusals.append((status, body["error"]))
                number += 1

        writers = [threading.Thread(target=write, args=(number,)) for number in range(AT_ONCE)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(120)
        assert set(refusals) == {(507, "storage_full")}
        return taken

    def delete(server: Server, notes: list[int]) -> None:
        for note in notes:
            assert server.ask("DELETE", f"/os/notes/{note}")[0] == 200
            assert server.ask("DELETE", f"/os/trash/note/{note}")[0] == 200

    def await_room(server: Server) -> int:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            status, body = server.ask(
                "POST",
                "/os/notes",
                {"title": f"goes on {time.monotonic_ns()}", "content": "some words"},
            )
            if status == 201:
                return int(body["result"]["note"]["id"])
            time.sleep(0.1)
        raise AssertionError("nothing is written although everything was deleted")

    def test_a_large_note_on_a_full_small_disk_can_be_deleted_for_good(tmp_path: Path) -> None:
        text = " ".join(f"leek{number % 6_000} and bean" for number in range(600_000))[
            : 19 * MIB // 2
        ]
        with (
            small_disk(tmp_path / "disk", "60m") as disk,
            serving(disk / "data", environment={"HEARTH_EMBEDDINGS": "off"}) as server,
        ):
            large = server.note("large", text)
            for number in range(2):
                small = server.note(f"small {number}", "x")
                assert server.ask("DELETE", f"/os/notes/{small}")[0] == 200
            await_reserve(server.data)
            fill(disk)
            status, body = server.ask("DELETE", f"/os/notes/{large}")
            if status == 507:
                assert "permanent=true deletes a large note at once" in body["message"]
            else:
                assert server.ask("DELETE", f"/os/trash/note/{large}")[0] == 200
                large = server.note("again", "x")
            assert server.ask("DELETE", f"/os/notes/{large}?permanent=true")[0] == 200
            (disk / "ballast").unlink()
            await_room(server)
            assert server.ask("GET", f"/os/notes/{large}")[0] == 404
            assert {one["kind"] for one in server.ask("GET", "/os/trash")[1]["items"]} == {"note"}

    @pytest.mark.parametrize(("size", "room"), [("60m", None), ("400m", 40 * MIB)])
    def test_a_small_disk_that_is_full_lets_everything_be_deleted_again_and_again(
        tmp_path: Path, size: str, room: int | None
    ) -> None:
        with small_disk(tmp_path / "disk", size) as disk:
            data = disk / "data"
            with serving(data, environment={"HEARTH_EMBEDDINGS": "off"}) as server:
                key = server.key
                kept = [server.note("kept", "read me")]
                await_reserve(data)
                if room is not None:
                    leave_room(disk, room)
                taken = fill_by_notes(server)
                assert server.health()["state"] == "full"
                delete(server, taken)
                kept.append(await_room(server))
                taken = fill_by_notes(server)
                assert len(taken) > 5
                server.kill()
            with serving(data, key=key, environment={"HEARTH_EMBEDDINGS": "off"}) as server:
                assert server.health()["state"] == "full"
                assert (
                    server.ask("POST", "/os/notes", {"title": "no room", "content": TEXT})[0] == 507
                )
                there = {
                    note["id"] for note in server.ask("GET", "/os/notes?limit=200")[1]["notes"]
                }
                assert there == {*taken, *kept}
                delete(server, taken)
                kept.append(await_room(server))
                assert {
                    note["id"] for note in server.ask("GET", "/os/notes?limit=200")[1]["notes"]
                } == set(kept)
                server.process.terminate()
                server.process.wait(60)
            with contextlib.closing(sqlite3.connect(data / DATABASE)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
