"""The access log: what stands in it, what never does, and how it is kept small."""

import asyncio
import gzip
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.core.database.data_dir import DATABASE
from app.interfaces.logs import access_log
from app.main import create_app
from app.settings import Settings
from tests.conftest import UNSYNCED, MovableClock, Served
from tests.support.asking import exchange, request

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(data: Path, clock: MovableClock, **chosen: Any) -> AsyncIterator[Served]:
    asgi = create_app(
        Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, **chosen), data, clock=clock
    )
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


def lines(file: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


async def test_each_request_is_one_line_that_says_who_did_what_and_how_it_went(
    data: Path, clock: MovableClock
) -> None:
    async with opened(data, clock) as served:
        alice = await served.person("alice")
        note = await alice.note()
        await alice.get(f"/os/notes/{note['id']}?unknown=1")
        await alice.delete("/os/notes/404")
        await alice.get("/os/notes/abc")
        await alice.put("/os/notes")
        async with served.client("wrong") as stranger:
            sent = await stranger.get("/identity")
        await alice.aclose()
    seen = [
        (line["method"], line["route"], line["status"], line["user"], line["credential"])
        for line in lines(data / "access.log")
    ]
    assert seen == [
        ("POST", "/init", 200, "alice", 1),
        ("POST", "/os/notes", 201, "alice", 1),
        ("GET", "/os/notes/{id}", 200, "alice", 1),
        ("GET", "/os/notes/{id}", 200, "alice", 1),
        ("DELETE", "/os/notes/{id}", 404, "alice", 1),
        ("GET", "/os/notes/{id}", 400, "alice", 1),
        ("PUT", None, 405, None, None),
        ("GET", "/identity", 401, None, None),
    ]
    last = lines(data / "access.log")[-1]
    assert (last["id"], last["bytes"], last["address"]) == (
        sent.headers["x-request-id"],
        len(sent.content),
        "127.0.0.1",
    )
    assert last["ms"] >= 0
    assert last["at"].endswith("Z")


async def test_a_client_that_left_is_told_apart(data: Path, clock: MovableClock) -> None:
    async with opened(data, clock) as served:
        alice = await served.person("alice")
        await exchange(
            served,
            request("POST", "/os/notes", [("authorization", alice.headers["authorization"])]),
            [{"type": "http.disconnect"}],
        )
        await alice.aclose()
    assert lines(data / "access.log")[-1]["status"] == 499


async def test_the_log_can_be_switched_off(data: Path, clock: MovableClock) -> None:
    async with opened(data, clock, access_log=False) as served:
        await (await served.person("alice")).aclose()
    assert not (data / "access.log").exists()


async def test_lines_are_written_while_the_server_runs(data: Path, clock: MovableClock) -> None:
    async with opened(data, clock) as served, served.client() as stranger:
        for _ in range(access_log.BATCH):
            await stranger.get("/identity")
        assert len(lines(data / "access.log")) == access_log.BATCH


SMALL = 128 << 10


def logs(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("access*")}


async def test_a_large_log_is_compressed_part_by_part_and_never_takes_more_than_its_room(
    data: Path, clock: MovableClock
) -> None:
    sizes, asked = [], []
    async with opened(data, clock, access_log_size=SMALL) as served, served.client() as stranger:
        for _ in range(150):
            asked += [
                (await stranger.get("/identity")).headers["x-request-id"]
                for _ in range(access_log.BATCH)
            ]
            old = served.asgi.front.log._old
            assert old is not None
            # Requests without a pause would leave the thread no time beside them.
            await asyncio.to_thread(old.close)
            sizes.append(sum(map(len, logs(data).values())))
    found = logs(data)
    names = [f"access.log.{number}.gz" for number in range(len(found) - 1, 0, -1)]
    assert set(found) == {*names, "access.log"}
    kept = [*(gzip.decompress(found[name]) for name in names), found["access.log"]]
    numbers = [msgspec.json.decode(line)["id"] for text in kept for line in text.splitlines()]
    assert max(sizes) <= SMALL
    assert SMALL < sum(map(len, kept)) < len(asked) * 250, (
        "compressed it holds more than its room, and the oldest is gone"
    )
    assert numbers == asked[-len(numbers) :]


async def test_what_an_earlier_run_left_uncompressed_is_compressed_by_the_next(
    data: Path, clock: MovableClock
) -> None:
    (data / "access.log.0").write_bytes(b"cut off\n")
    (data / "access.2.log").write_bytes(b"older\n")
    (data / "access.1.log").write_bytes(b"old\n")
    async with opened(data, clock) as served, served.client() as stranger:
        for _ in range(access_log.BATCH):
            await stranger.get("/identity")
    found = logs(data)
    assert set(found) == {"access.log", *(f"access.log.{number}.gz" for number in (1, 2, 3))}
    assert [gzip.decompress(found[f"access.log.{number}.gz"]) for number in (3, 2, 1)] == [
        b"older\n",
        b"old\n",
        b"cut off\n",
    ]


async def test_a_log_that_cannot_be_written_costs_no_answer(
    data: Path, clock: MovableClock
) -> None:
    (data / "access.log").mkdir()
    async with opened(data, clock) as served, served.client() as stranger:
        for _ in range(2 * access_log.BATCH):
            assert (await stranger.get("/identity")).status_code == 401


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder; its server must have ended, since reading an open database drops
    its locks.
    """
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


CANARY = "zanzibar4711"


async def test_no_secret_and_no_text_of_a_refused_request_is_left_anywhere(
    data: Path,
    clock: MovableClock,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    copy = tmp_path / "copy.db"
    async with opened(data, clock) as served:
        alice = await served.person("alice")
        keys = [
            str(alice.headers["authorization"]).removeprefix("Bearer "),
            (await alice.ok("POST", "/account/keys", status=201, json={"name": "two"}))["secret"],
        ]
        keys.append(
            (await alice.ok("POST", "/account/keys/2/rotate", json={"graceSeconds": 60}))["secret"]
        )
        async with served.client(
            f"hearth_sk_{CANARY}",
            **{"X-Other": CANARY, "Cookie": f"a={CANARY}", "User-Agent": CANARY},
        ) as stranger:
            await stranger.post(f"/os/notes?q={CANARY}", json={"title": CANARY})
        for method, path, more in (
            ("GET", f"/identity?token={CANARY}", {}),
            ("GET", f"/{CANARY}", {}),
            ("GET", f"/os/notes/{CANARY}", {}),
            ("POST", "/os/notes", {"content": CANARY.encode()}),
            ("POST", "/os/notes", {"json": {"title": CANARY}}),
            ("POST", f"/os/notes/{CANARY}/pin", {"json": {"pinned": CANARY}}),
            (CANARY.upper(), "/os", {}),
            ("GET", "/os", {"headers": {"Host": CANARY}}),
            ("POST", "/os/notes", {"json": {}, "headers": {"Origin": f"http://{CANARY}"}}),
            ("POST", "/os/notes", {"content": b"{}", "headers": {"Content-Encoding": CANARY}}),
            ("GET", f"http://127.0.0.1:8765/{CANARY}", {}),
        ):
            assert (await alice.request(method, path, **more)).status_code in (
                200,
                400,
                403,
                404,
                405,
                422,
            )
        await alice.aclose()
        visitor = sqlite3.connect(data / DATABASE)
        visitor.execute("VACUUM INTO ?", (str(copy),))
        visitor.close()
    said = [
        *capfd.readouterr(),
        *(record.getMessage() for record in caplog.records if not record.name.startswith("httpx")),
    ]
    places = {**contents(data), **contents(tmp_path), "said": "".join(said).encode()}
    assert set(places) == {DATABASE, "access.log", "copy.db", "said"}
    for place, text in places.items():
        found = [secret for secret in (CANARY, CANARY.upper(), *keys) if secret.encode() in text]
        assert found == [], place
