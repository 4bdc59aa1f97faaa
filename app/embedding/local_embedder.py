"""The embedder that needs no network.

The models' files, and a worker that runs while it is needed.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from app.core.embedder import PASSAGE_CHARACTERS, EmbeddingFailed
from app.embedding.known_models import KnownModel, installed_models, joint_id
from app.embedding.message_frames import Kind
from app.embedding.model_file import WIDTH
from app.embedding.query_cache import QueryCache
from app.embedding.worker_process import WorkerEnded, WorkerProcess

IDLE_SECONDS = 300.0
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
FLOAT_BYTES = 4
CLOSED = "The server is ending."
NO_MODEL = "No model is installed, so only words are searched: `hearth models add` fetches one."


class LocalEmbedder:
    """Starts a worker at the first ask and ends it after some idle minutes.

    One that died is started again, later each time.
    """

    characters = PASSAGE_CHARACTERS

    def __init__(
        self, directory: Path, *, only: str | None = None, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        """Prepare it for the models in a directory: all that are there, or those of a joint id."""
        self._directory = directory
        self._only = only
        self._idle_seconds = idle_seconds
        self._queries = QueryCache()
        self._loaded: tuple[KnownModel, ...] = ()
        self._worker: WorkerProcess | None = None
        self._starting: asyncio.Task[WorkerProcess] | None = None
        self._spawned = asyncio.Event()
        """Whether the process that is being started is there, or failed to be."""
        self._leaving: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._failure = ""
        self._deaths = 0
        self._not_before = 0.0
        self._closed = False

    @property
    def model(self) -> str | None:
        """The models' joint id; None while no file is there."""
        return joint_id(self._installed)

    @property
    def dimension(self) -> int:
        """How many numbers a vector of all models together has."""
        return WIDTH * (len(self._installed) or 1)

    @property
    def reason(self) -> str:
        """Why there are no vectors; empty when all is well."""
        return self._failure if self._installed else NO_MODEL

    @property
    def _installed(self) -> tuple[KnownModel, ...]:
        return installed_models(self._directory, self._only)

    @property
    def worker_pid(self) -> int | None:
        """The number of the worker's process while there is one."""
        return None if self._worker is None or self._worker.ended else self._worker.pid

    async def wake(self, text: str) -> None:
        """Begin to start the worker, if the query will need one; return once its process runs."""
        if self._queries.get(text) is None and self.worker_pid is None and not self._closed:
            self._begin_start()
            await self._spawned.wait()

    async def query(self, text: str) -> bytes:
        """Return the vector of a search's text."""
        found = self._queries.get(text)
        if found is None or len(found) != FLOAT_BYTES * self.dimension:
            (found,) = await self._ask("query", [text])
            self._queries.put(text, found)
        return found

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of passages."""
        return await self._ask("passages", texts) if texts else []

    async def close(self) -> None:
        """End the worker; whoever still waits for it gets EmbeddingFailed."""
        self._closed = True
        self._stay()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        self._leave()
        if self._leaving:
            await asyncio.wait(self._leaving)

    async def _ask(self, kind: Kind, texts: Sequence[str]) -> list[bytes]:
        """Ask, and once more when the worker died of something.

        Most often that was not this text.
        """
        for _ in range(2):
            worker = await self._running()
            self._stay()
            try:
                vectors = await worker.ask(kind, texts)
            except WorkerEnded:
                if worker is self._worker:  # many may have waited for it, but it died once
                    self._worker = None
                    self._note_death("The embedding worker ended while it worked.")
                continue
            finally:
                self._rest_later()
            self._failure, self._deaths = "", 0
            return vectors
        raise EmbeddingFailed(self._failure)

    async def _running(self) -> WorkerProcess:
        self._stay()
        if self._closed:
            raise EmbeddingFailed(CLOSED)
        if self._loaded != self._installed:
            self._leave()  # one was added or removed
        if self._worker is not None and not self._worker.ended:
            return self._worker
        starting = self._begin_start()
        try:
            # whoever is cancelled, the others still wait for it
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            if starting.cancelled():  # by `close`, not by whoever asked
                raise EmbeddingFailed(CLOSED) from None
            raise

    def _begin_start(self) -> "asyncio.Task[WorkerProcess]":
        """Return the start that goes on, or a new one: all who ask meanwhile wait for the same."""
        if self._starting is None:
            self._spawned.clear()
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        return self._starting

    async def _start(self) -> WorkerProcess:
        self._loaded = self._installed
        if not self._loaded:
            raise EmbeddingFailed(NO_MODEL)
        if asyncio.get_running_loop().time() < self._not_before:
            raise EmbeddingFailed(self._failure)
        try:
            self._worker = await WorkerProcess.start(
                [self._directory / known.file for known in self._loaded], self._spawned.set
            )
        except EmbeddingFailed as error:
            self._note_death(str(error))
            raise
        except WorkerEnded:
            self._note_death("The embedding worker ended as soon as it was started.")
            raise EmbeddingFailed(self._failure) from None
        return self._worker

    def _started(self, task: "asyncio.Task[WorkerProcess]") -> None:
        self._starting = None
        self._spawned.set()
        if not task.cancelled():
            task.exception()  # whoever asked has got it, if they are still there
        self._rest_later()  # whoever asked may have left meanwhile

    def _note_death(self, why: str) -> None:
        """Remember it, and wait before the next start.

        Not after a first death, and longer after each further one.
        """
        self._failure = why
        # A model that kills its worker at once must not keep the machine busy with starts.
        if self._deaths:
            wait = min(FIRST_WAIT_SECONDS * 2 ** (self._deaths - 1), LONGEST_WAIT_SECONDS)
            self._not_before = asyncio.get_running_loop().time() + wait
        self._deaths += 1

    def _rest_later(self) -> None:
        self._stay()
        # A loaded model takes memory that nobody needs while nobody searches.
        if self._worker is not None and not self._worker.busy and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._leave)

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _leave(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            task = asyncio.create_task(worker.close())
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
