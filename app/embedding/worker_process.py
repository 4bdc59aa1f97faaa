"""The server's end of a worker: starting it, asking it, and noticing its end."""

import asyncio
import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import app
from app.core.embedder import EmbeddingFailed
from app.embedding.message_frames import (
    LENGTH_BYTES,
    Ask,
    Kind,
    decode_answer,
    decode_length,
    encode_frame,
)

START_SECONDS = 60
END_SECONDS = 2
# A second thread of OpenBLAS makes it many times slower as soon as another process wants the second
# core.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
# glibc would give each thread its own, and 8 MB more would lie unused
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


class WorkerEnded(Exception):
    """The worker's process ended before it answered."""


class WorkerProcess:
    """One running worker. Asks may be made side by side and be cancelled.

    The answer of a cancelled one is dropped.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._input = cast(asyncio.StreamWriter, process.stdin)
        self._output = cast(asyncio.StreamReader, process.stdout)
        self._numbers = itertools.count(1)
        self._first: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self._pending: dict[int, asyncio.Future[list[bytes]]] = {0: self._first}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls, models: Sequence[Path], spawned: Callable[[], None] = lambda: None
    ) -> "WorkerProcess":
        """Return a worker that has loaded the models; `spawned` is told once its process runs.

        Raises EmbeddingFailed with its reason where it cannot, WorkerEnded where it gave none.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # the folder one stands in may hold an `app` of its own
                "-m",
                "app.embedding.worker",
                *map(str, models),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=_environment(),
                start_new_session=True,  # Ctrl-C at the terminal is meant for the server alone
            )
        except OSError as error:
            raise EmbeddingFailed(
                f"The embedding worker cannot be started: {error.strerror}."
            ) from None
        worker = cls(process)
        spawned()
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._first
        except TimeoutError:
            await worker.close()
            raise EmbeddingFailed(
                f"The embedding worker was not ready within {START_SECONDS} seconds."
            ) from None
        except BaseException:
            await worker.close()
            raise
        return worker

    @property
    def ended(self) -> bool:
        """Whether it can be asked no more."""
        return self._reading.done()

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited from it."""
        return bool(self._pending)

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    async def ask(self, kind: Kind, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text.

        Raises EmbeddingFailed where the model cannot, WorkerEnded where there is no answer.
        """
        number = next(self._numbers)
        try:
            message = encode_frame(Ask(number, kind, list(texts)))
        except UnicodeEncodeError:
            raise EmbeddingFailed("A text holds half a character, so it has no vector.") from None
        if self.ended:
            raise WorkerEnded
        answer: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            # all of it is taken at once, so a cancelled ask cannot leave half a message
            self._input.write(message)
            return await answer
        finally:
            self._pending.pop(number, None)

    async def close(self) -> None:
        """End the process and wait until it is gone."""
        self._input.close()  # which it takes as a sign to end
        try:
            async with asyncio.timeout(END_SECONDS):
                await asyncio.shield(self._reading)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._reading

    async def _read(self) -> None:
        """Hand out answers until the process ends; then nobody waits for it any more."""
        try:
            while True:
                prefix = await self._output.readexactly(LENGTH_BYTES)
                self._settle(await self._output.readexactly(decode_length(prefix)))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self._input.close()
            await self._process.wait()
        finally:
            for answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(WorkerEnded())

    def _settle(self, body: bytes) -> None:
        answer = decode_answer(body)
        waiting = self._pending.pop(answer.number, None)
        if waiting is None or waiting.done():
            return
        if answer.failure:
            waiting.set_exception(EmbeddingFailed(answer.failure))
        else:
            waiting.set_result(list(answer.vectors))


def _environment() -> dict[str, str]:
    """Return what a program needs to run, without Hearth's settings, some of which are secret."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}
    return {**kept, **ONE_THREAD, **ONE_ARENA, "PYTHONPATH": str(Path(app.__file__).parent.parent)}
