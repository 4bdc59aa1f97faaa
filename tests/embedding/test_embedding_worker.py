"""The worker that embeds: asking it, killing it, leaving it."""

import asyncio
import dataclasses
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.core.embedder import EmbeddingFailed
from app.embedding import local_embedder, worker_process
from app.embedding.bert import Floats, ScratchBuffers
from app.embedding.known_models import ENGLISH
from app.embedding.local_embedder import LocalEmbedder
from app.embedding.message_frames import (
    LENGTH_BYTES,
    Answer,
    Ask,
    decode_answer,
    decode_ask,
    decode_length,
    encode_frame,
)
from app.embedding.query_cache import QueryCache
from app.embedding.text_models import Engine
from app.embedding.worker import Worker, as_floats
from app.main import create_app
from app.settings import Settings

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parent.parent.parent
LONG = ["The kettle is in the kitchen and the rake is in the shed. " * 15] * 40
PATIENCE_SECONDS = 20


@pytest.fixture
async def embedder(model_path: Path) -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(model_path.parent, only=ENGLISH.id)
    yield embedder
    await embedder.close()


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that is about to happen in another process."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


def lives(pid: int) -> bool:
    """Say whether there is such a process that has not ended."""
    if sys.platform == "linux":  # where nobody may have taken notice of its end yet
        stat = Path(f"/proc/{pid}/stat")
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def similarity(query: bytes, passage: bytes) -> float:
    left, right = np.frombuffer(query, "<f4"), np.frombuffer(passage, np.int8).astype(np.float32)
    return float(left @ right / np.linalg.norm(right))


async def test_a_query_finds_the_passage_that_means_the_same(embedder: LocalEmbedder) -> None:
    passages = await embedder.passages(
        ["The car would not start this morning.", "Boil the potatoes for twenty minutes.", ""]
    )
    query = await embedder.query("trouble with the engine of my vehicle")
    assert embedder.dimension == 384
    assert (len(query), [len(one) for one in passages]) == (384 * 4, [384] * 3)
    scores = [similarity(query, one) for one in passages]
    assert scores[0] == max(scores)
    assert scores[0] > scores[1] + 0.1
    assert (embedder.model, embedder.reason) == (ENGLISH.id, "")


async def test_nothing_is_started_before_something_is_asked(embedder: LocalEmbedder) -> None:
    assert await embedder.passages([]) == []
    assert embedder.worker_pid is None


async def test_waking_begins_the_start_that_the_query_waits_for(embedder: LocalEmbedder) -> None:
    await embedder.wake("rake")
    starting = embedder._starting
    assert starting is not None
    await embedder.query("rake")
    assert starting.result().pid == embedder.worker_pid
    await embedder.wake("another")
    assert (embedder._starting, embedder.worker_pid) == (None, starting.result().pid)


async def test_waking_starts_nothing_for_a_known_query_and_fails_with_no_word(
    embedder: LocalEmbedder, tmp_path: Path
) -> None:
    embedder._queries.put("rake", bytes(384 * 4))
    await embedder.wake("rake")
    assert embedder._starting is None
    without = LocalEmbedder(tmp_path)
    await without.wake("rake")
    await without.close()
    await without.wake("rake")
    assert without.worker_pid is None


async def test_a_worker_that_nobody_asks_after_all_leaves(model_path: Path) -> None:
    embedder = LocalEmbedder(model_path.parent, only=ENGLISH.id, idle_seconds=0.1)
    await embedder.wake("rake")
    await until(lambda: embedder.worker_pid is not None)
    pid = embedder.worker_pid
    assert pid is not None
    await until(lambda: not lives(pid))
    await embedder.close()


async def test_a_query_does_not_wait_behind_passages(embedder: LocalEmbedder) -> None:
    many = asyncio.create_task(embedder.passages(LONG))
    await embedder.query("where is the rake?")
    assert not many.done()
    many.cancel()


async def test_a_query_that_was_asked_before_needs_no_worker(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await embedder.query("rake")
    monkeypatch.setattr(worker_process.WorkerProcess, "ask", None)
    assert await embedder.query("rake") == first


async def test_many_asks_at_once_share_one_worker_and_get_their_own_answers(
    embedder: LocalEmbedder,
) -> None:
    texts = [
        f"note number {number} is about {'cats' if number % 2 else 'taxes'}" for number in range(12)
    ]
    together = await asyncio.gather(*(embedder.passages([text]) for text in texts))
    one_by_one = await embedder.passages(texts)
    for (got,), expected in zip(together, one_by_one, strict=True):
        assert (
            np.abs(np.frombuffer(got, np.int8).astype(int) - np.frombuffer(expected, np.int8)).max()
            <= 1
        )


async def test_a_cancelled_ask_disturbs_no_other(embedder: LocalEmbedder) -> None:
    await embedder.query("warm")
    pid = embedder.worker_pid
    dropped = asyncio.create_task(embedder.passages(LONG[:4]))
    kept = asyncio.create_task(embedder.passages(["rake"]))
    await asyncio.sleep(0)
    dropped.cancel()
    assert similarity(await embedder.query("rake"), (await kept)[0]) > 0.99
    assert (dropped.cancelled(), embedder.worker_pid) == (True, pid)


async def test_whoever_leaves_while_the_worker_starts_takes_nobody_with_them(
    embedder: LocalEmbedder,
) -> None:
    first, second = (asyncio.create_task(embedder.query(text)) for text in ("left", "stayed"))
    await asyncio.sleep(0)
    first.cancel()
    assert len(await second) == 384 * 4


async def test_a_worker_that_is_killed_at_work_is_started_again_and_the_work_is_done(
    embedder: LocalEmbedder,
) -> None:
    await embedder.query("warm")
    pid = embedder.worker_pid
    assert pid is not None
    asked = [
        asyncio.create_task(embedder.passages(LONG[:2])),
        asyncio.create_task(embedder.passages(["rake"])),
    ]
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    assert [len(vectors) for vectors in await asyncio.gather(*asked)] == [2, 1]
    assert embedder.worker_pid not in (None, pid)
    assert embedder.reason == ""


async def test_a_worker_that_dies_again_and_again_fails_the_ask_and_is_left_alone_for_a_while(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(worker: worker_process.WorkerProcess, kind: str, texts: list[str]) -> list[bytes]:
        os.kill(worker.pid, signal.SIGKILL)
        await until(lambda: worker.ended)
        raise worker_process.WorkerEnded

    with monkeypatch.context() as patch:
        patch.setattr(worker_process.WorkerProcess, "ask", die)
        patch.setattr(local_embedder, "FIRST_WAIT_SECONDS", 1000.0)
        patch.setattr(local_embedder, "LONGEST_WAIT_SECONDS", 1000.0)
        with pytest.raises(EmbeddingFailed, match="ended while it worked"):
            await embedder.passages(["x"])
    with pytest.raises(EmbeddingFailed, match="ended while it worked"):
        await embedder.query("x")
    assert embedder.worker_pid is None
    assert "ended" in embedder.reason


async def test_an_idle_worker_leaves_and_comes_back_when_it_is_asked(model_path: Path) -> None:
    embedder = LocalEmbedder(model_path.parent, only=ENGLISH.id, idle_seconds=0)
    await embedder.query("one")
    await until(lambda: embedder.worker_pid is None)
    assert len(await embedder.query("two")) == 384 * 4
    await embedder.close()


async def test_closing_ends_the_worker_and_whoever_waits_for_it(model_path: Path) -> None:
    embedder = LocalEmbedder(model_path.parent, only=ENGLISH.id)
    await embedder.query("warm")
    pid = embedder.worker_pid
    assert pid is not None
    waiting = asyncio.create_task(embedder.passages(LONG))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(EmbeddingFailed, match="is ending"):
        await waiting
    assert not lives(pid)
    with pytest.raises(EmbeddingFailed, match="is ending"):
        await embedder.query("late")


async def test_closing_while_the_worker_starts_ends_it_too(model_path: Path) -> None:
    embedder = LocalEmbedder(model_path.parent, only=ENGLISH.id)
    waiting = asyncio.create_task(embedder.query("x"))
    await asyncio.sleep(0.05)
    await embedder.close()
    with pytest.raises(EmbeddingFailed, match="is ending"):
        await waiting
    assert embedder.worker_pid is None


async def test_without_a_model_the_reason_says_what_to_do_and_one_that_comes_is_used(
    tmp_path: Path, model_path: Path
) -> None:
    path = tmp_path / ENGLISH.file
    embedder = LocalEmbedder(tmp_path)
    assert [embedder.model] == [None]
    assert "hearth models add" in embedder.reason
    with pytest.raises(EmbeddingFailed, match="hearth models add"):
        await embedder.query("x")
    path.symlink_to(model_path)
    assert (embedder.model, embedder.reason) == (ENGLISH.id, "")
    assert len(await embedder.query("x")) == 384 * 4
    await embedder.close()


@pytest.fixture
def damaged(tmp_path: Path, model_path: Path) -> Path:
    path = tmp_path / ENGLISH.file
    path.write_bytes(model_path.read_bytes()[:-1])
    return path


async def test_a_damaged_model_fails_with_the_workers_own_words(damaged: Path) -> None:
    embedder = LocalEmbedder(damaged.parent)
    with pytest.raises(EmbeddingFailed, match=r"damaged\. `hearth models list` tells how"):
        await embedder.query("x")
    assert "damaged" in embedder.reason
    await embedder.close()


async def test_half_a_character_fails_alone(embedder: LocalEmbedder) -> None:
    with pytest.raises(EmbeddingFailed, match="half a character"):
        await embedder.passages(["fine", "\ud800"])
    assert len(await embedder.passages(["fine"])) == 1


def test_the_worker_gets_one_thread_and_none_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEARTH_EMBEDDINGS_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "proxy")
    given = worker_process._environment()
    assert given["OPENBLAS_NUM_THREADS"] == "1"
    assert given["HTTPS_PROXY"] == "proxy"
    assert not [name for name in given if name.startswith("HEARTH_")]


def test_a_server_that_starts_loads_neither_numpy_nor_an_http_client() -> None:
    code = (
        "import sys, app.main, app.__main__; print(sorted({'numpy', 'httpx2'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_a_worker_that_starts_loads_only_what_its_first_query_needs() -> None:
    code = """
import sys, app.embedding.worker
print("numpy" in sys.modules)  # not before the files are being compared with their digests
import app.embedding.text_models
print(sorted({"msgspec", "logging", "zipfile", "tempfile", "asyncio"} & set(sys.modules)))
print(sorted(name for name in sys.modules if name.endswith(("_wheel", "_sentences"))))
"""
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        == "False\n[]\n[]\n"
    )


@pytest.mark.parametrize(
    "message",
    [
        Ask(7, "passages", ["", "a", "\u4eac\u90fd " * 50]),
        Ask(8, "query", []),
        Answer(0),
        Answer(9, [b"", b"\0" * 1000]),
        Answer(2**31, failure="damaged"),
    ],
)
def test_a_message_comes_as_it_was_sent(message: Ask | Answer) -> None:
    frame = encode_frame(message)
    body = frame[LENGTH_BYTES:]
    assert decode_length(frame[:LENGTH_BYTES]) == len(body)
    decode = decode_ask if isinstance(message, Ask) else decode_answer
    assert decode(body) == message
    for spoilt in (body[:-1], body + b"\1", b""):
        with pytest.raises(ValueError):
            decode(spoilt)


async def test_the_server_holds_the_embedder_of_its_data_and_ends_its_worker(
    data: Path, settings: Settings, model_path: Path
) -> None:
    asgi = create_app(dataclasses.replace(settings, models=model_path.parent), data)
    async with asgi.router.lifespan_context(asgi):
        embedder = asgi.state.parts.embedder
        await embedder.query("rake")
        pid = embedder.worker_pid
        assert lives(pid)
    assert not lives(pid)


@pytest.fixture
def worker(model_path: Path) -> "subprocess.Popen[bytes]":
    """A worker that has said that it is ready."""
    command = [sys.executable, "-P", "-m", "app.embedding.worker", str(model_path)]
    started = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=worker_process._environment()
    )
    assert told(started) == Answer(0)
    return started


def told(worker: "subprocess.Popen[bytes]") -> Answer:
    assert worker.stdout is not None
    return decode_answer(worker.stdout.read(decode_length(worker.stdout.read(LENGTH_BYTES))))


def test_a_worker_ends_at_once_when_its_input_does_whatever_it_is_doing(
    worker: "subprocess.Popen[bytes]",
) -> None:
    with worker:
        assert worker.stdin is not None
        worker.stdin.write(encode_frame(Ask(1, "passages", LONG * 10)))
        worker.stdin.close()
        assert worker.wait(PATIENCE_SECONDS) == 0


def test_ctrl_c_is_not_for_the_worker(worker: "subprocess.Popen[bytes]") -> None:
    with worker:
        assert worker.stdin is not None
        worker.send_signal(signal.SIGINT)
        worker.stdin.write(encode_frame(Ask(7, "query", ["still there?"])))
        worker.stdin.flush()
        assert told(worker).number == 7


def test_an_ask_without_texts_is_answered_too(worker: "subprocess.Popen[bytes]") -> None:
    with worker:
        assert worker.stdin is not None
        worker.stdin.write(encode_frame(Ask(1, "passages", [])))
        worker.stdin.flush()
        assert told(worker) == Answer(1)


class Broken(Engine):
    """A model that fails on everything."""

    def __init__(self) -> None:
        pass

    def queries(self, texts: Sequence[str], scratch: ScratchBuffers) -> Floats:
        raise FloatingPointError("nought divided by nought")


def test_an_ask_on_which_the_model_fails_is_answered_with_a_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = Broken()
    answer = Worker(broken, io.BytesIO())._answer(
        Ask(3, "query", ["text"]), lambda texts: as_floats(broken.queries(texts, ScratchBuffers()))
    )
    assert answer == Answer(3, failure="The model failed on this text.")
    assert "nought divided by nought" in caplog.text
    assert "text" not in caplog.records[0].getMessage().replace("1 texts", "")


SERVER = """
import asyncio, sys, pathlib
from app.embedding.local_embedder import LocalEmbedder

async def main():
    embedder = LocalEmbedder(pathlib.Path(sys.argv[1]))
    await embedder.query("warm")
    print(embedder.worker_pid, flush=True)
    await embedder.passages(["long text " * 100] * 1000)

asyncio.run(main())
"""


def test_a_server_that_is_killed_leaves_no_worker_behind(model_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(model_path.parent)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        assert lives(pid)
        server.kill()
    until_when = time.monotonic() + PATIENCE_SECONDS
    while lives(pid):
        assert time.monotonic() < until_when, "the worker is still there"
        time.sleep(0.01)


def test_only_so_many_queries_are_remembered_and_the_newest_stay() -> None:
    held = QueryCache(most=2)
    held.put("a", b"1")
    held.put("b", b"2")
    assert held.get("a") == b"1"
    held.put("c", b"3")
    assert [held.get(text) for text in "abc"] == [b"1", None, b"3"]
