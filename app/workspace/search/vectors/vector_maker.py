"""Vectors for notes and for texts of other kinds, made in the background.

What was just written first, then what is missing of the older ones.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Literal

from app.core.app import App
from app.core.embedder import Embedder, EmbeddingFailed
from app.workspace.search.vectors import embedding_work, note_vectors
from app.workspace.search.vectors.embedding_work import PendingText
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_kinds import NOTES, TextKind, TextQueue
from app.workspace.search.vectors.vector_matrices import Matrices
from app.workspace.search.vectors.vector_table import VectorTable

State = Literal["ready", "indexing", "paused", "off", "failing"]

AT_ONCE = 16
TEXTS = 16
STEP = 500
QUIET_SECONDS = 0.1
LOOK_SECONDS = 5.0
QUERY_SECONDS = 5.0
STEP_SECONDS = 0.05
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
OTHER_WRITES = 4
HARMLESS = "A text that can be embedded if any can."
log = logging.getLogger("hearth")


class VectorMaker:
    """The task that gives every note, and every text of the `others`, its vectors, and what it
    knows: which model answers, and how far it is.
    """

    def __init__(
        self,
        app: App,
        *,
        others: Sequence[TextKind] = (),
        former: Callable[[str], Embedder | None] = lambda _: None,
        on_battery: Callable[[], bool | None] = lambda: None,
    ) -> None:
        """Prepare the task; `start` begins it.

        `former` returns what can still embed queries for an earlier model, by that model's name.
        """
        self._app = app
        self._former = former
        self._on_battery = on_battery
        self._queues = [TextQueue(kind) for kind in (NOTES, *others)]
        self.model: Model | None = None
        """The model whose vectors are being kept; None before any are."""
        self.answering: Model | None = None
        """The model whose vectors answer.

        The one before while this one's are not complete, if queries can still be put to that.
        """
        self._asked = app.embedder
        self._name: str | None = None
        self._careful = 0
        """How many texts are still to be embedded one by one, after a batch has failed."""
        self._tidy = False
        """Whether no other model has vectors any more."""
        self._paused = False
        self._failure: str | None = None
        self._done = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        for queue in self._queues:
            self._listen(queue)

    def start(self) -> None:
        """Begin; needs a running loop and an open store.

        What answered before the restart answers from the first search on, on battery too.
        """
        wanted = (self._app.embedder.model, self._app.embedder.dimension)
        for model in self._app.quick(note_vectors.list_models):
            if model.complete and (model.name, model.dimension) == wanted:
                self._name, self.model, self.answering = model.name, model, model
        self._task = asyncio.create_task(self._run())

    @property
    def matrices(self) -> Matrices:
        """The matrices of notes."""
        return self._queues[0].matrices

    def matrices_of(self, kind: TextKind) -> Matrices:
        """Return the matrices of another kind of text."""
        return next(queue.matrices for queue in self._queues if queue.kind is kind)

    async def wake(self, text: str) -> None:
        """Begin what the query of a text will wait for, and return once that goes by itself."""
        await self._asked.wake(text)

    async def query(self, text: str) -> bytes:
        """Return the vector of a query, for the matrices of the model that answers.

        Raise EmbeddingFailed when there is none soon.
        """
        asked = self._asked
        try:
            return await asyncio.wait_for(asked.query(text), QUERY_SECONDS)
        except (TimeoutError, EmbeddingFailed) as error:
            if asked is not self._app.embedder and asked is self._asked:
                self.answering = self.model  # the earlier model cannot be asked after all
                await self._delete_former()
            raise EmbeddingFailed(str(error) or "The model does not answer.") from None

    async def stop(self) -> None:
        """End, and wait for the end.

        Whatever was not stored yet is found again at the next start.
        """
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self._delete_former()
        for queue in self._queues:
            await queue.matrices.close()

    @property
    def state(self) -> tuple[State, str | None]:
        """How it goes, and a sentence that says why where it does not."""
        if self._app.embedder.model is None:
            return "off", self._app.embedder.reason
        if self._task is None:
            return "paused", self._app.store.health.message or "The server does not run."
        if self._failure is not None:
            return "failing", self._failure
        if self._paused:
            return "paused", "The machine runs on battery."
        return ("ready" if self._done and not self._wake.is_set() else "indexing"), None

    @property
    def is_behind(self) -> bool:
        """Whether more notes wait for their vectors than have just been written."""
        return (
            self.answering is None
            or not self.answering.complete
            or self._queues[0].waiting > AT_ONCE
        )

    @property
    def _any_recent(self) -> bool:
        return any(queue.has_recent for queue in self._queues)

    def _listen(self, queue: TextQueue) -> None:
        self._app.events.on(queue.kind.changed, lambda event: self._note_change(queue, event["id"]))
        self._app.events.on(
            queue.kind.many_changed, lambda event: self._note_many_changes(queue, event["owner"])
        )

    def _note_change(self, queue: TextQueue, id_: int) -> None:
        queue.matrices.note_changed([id_])
        if self._app.embedder.model is not None:
            queue.note_change(id_)
            self._wake.set()

    def _note_many_changes(self, queue: TextQueue, owner: int) -> None:
        queue.matrices.forget(owner)
        queue.look_through_all()
        self._wake.set()

    async def _run(self) -> None:
        if self.answering is not None:
            # A person who has just opened Hearth searches soon: the first answer by meaning comes
            # 150 ms earlier. Its process ends again when nobody asks for some minutes, and begins
            # when the server's own start is done.
            await asyncio.sleep(QUIET_SECONDS)
            await self.wake("")
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                await self._do_next()
                self._failure, wait = None, FIRST_WAIT_SECONDS
                continue
            except EmbeddingFailed as error:
                self._failure = str(error)
            except Exception:
                self._failure = "Something unexpected went wrong; see the log of the server."
                log.exception("giving notes their vectors failed")
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    async def _do_next(self) -> None:
        """Do the next thing that is to be done, or wait until there may be one."""
        if self._wake.is_set():
            self._wake.clear()
            self._done = False
        if self._app.embedder.model is None:
            await self._wait(LOOK_SECONDS)
        elif await self._on_battery_now():
            await asyncio.sleep(LOOK_SECONDS)
        else:
            await self._follow_model()
            queue, ids = await self._next_texts()
            if ids:
                self._done = False
                began, commits = time.monotonic(), self._app.store.commits
                await self._index(queue, ids)
                if self._app.store.commits - commits > OTHER_WRITES:
                    # Others write: leave them half of the time.
                    await asyncio.sleep(time.monotonic() - began)
            else:
                await self._finish_model()

    async def _on_battery_now(self) -> bool:
        self._paused = bool(await asyncio.to_thread(self._on_battery)) and any(
            queue.is_behind for queue in self._queues
        )
        return self._paused

    async def _wait(self, seconds: float | None) -> None:
        """Wait for a change since the work began, at most so long, and then for a moment more,
        in which others may come.
        """
        # not wait_for, which in Python 3.11 can swallow being cancelled while it is woken
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        await asyncio.sleep(QUIET_SECONDS)

    async def _follow_model(self) -> None:
        """Know the model that there is now.

        With another one everything is to be looked through again.
        """
        name, dimension = self._app.embedder.model, self._app.embedder.dimension
        if name != self._name:
            self._name, self.model, self.answering = name, None, None
            self._tidy = self._done = False
            await self._delete_former()
            for queue in self._queues:
                queue.look_through_all()
        if self.model is None and name is not None and dimension is not None:
            self.model = await self._ensure_model(name, dimension)
        if self.answering is None:
            await self._choose_answering()

    async def _choose_answering(self) -> None:
        """Let the last complete model answer where queries can still be put to it, else the one
        that is being made.
        """
        answering, asked = self.model, self._app.embedder
        complete = next(
            (model for model in await self._app.read(note_vectors.list_models) if model.complete),
            None,
        )
        if (
            complete is not None
            and complete != self.model
            and (former := self._former(complete.name)) is not None
        ):
            answering, asked = complete, former
        self.answering, self._asked = answering, asked

    async def _ensure_model(self, name: str, dimension: int) -> Model:
        for model in await self._app.read(note_vectors.list_models):
            if (model.name, model.dimension) == (name, dimension):
                return model
        return await self._app.write(note_vectors.ensure_model, name, dimension)

    async def _next_texts(self) -> tuple[TextQueue, list[int]]:
        """Return some texts of one kind that may be without vectors.

        Those just written, else older ones.
        """
        for queue in self._queues:
            if ids := queue.take_recent(AT_ONCE):
                return queue, ids
        for queue in self._queues:
            if ids := await queue.take_older(self._app, self._model_id, AT_ONCE):
                return queue, ids
        return self._queues[0], []

    @property
    def _model_id(self) -> int:
        return 0 if self.model is None else self.model.id

    async def _index(self, queue: TextQueue, ids: Sequence[int]) -> None:
        """Give some texts their vectors, few at a time; what fails is put back."""
        left = list(ids)
        try:
            while left:
                some = left[:1] if self._careful else left
                done = await self._index_some(queue, some)
                left = [id_ for id_ in left if id_ not in done]
                self._careful = max(0, self._careful - 1)
        except BaseException:
            queue.put_back(reversed(left))
            raise

    async def _index_some(self, queue: TextQueue, ids: Sequence[int]) -> set[int]:
        """Embed the first of some texts, up to enough passages; return all that are done."""
        characters = self._app.embedder.characters
        found = await self._app.read(
            embedding_work.prepare_texts, queue.table, self._model_id, ids, characters
        )
        done = set(ids) - {work.of.id for work in found}
        batch: list[PendingText] = []
        for work in found:
            if batch and sum(len(one.texts) for one in (*batch, work)) > TEXTS:
                break
            batch.append(work)
        if batch and await self._embed(queue, batch):
            done |= {work.of.id for work in batch}
        return done

    async def _embed(self, queue: TextQueue, batch: Sequence[PendingText]) -> bool:
        """Make and store the vectors of a batch; return False where it is to be tried in parts."""
        try:
            fresh = await self._make_vectors([text for work in batch for text in work.texts])
        except EmbeddingFailed:
            # Is it one of the texts, or the model? One by one for a while; then a harmless text is
            # tried, and only if the model takes that one is the text given up.
            if not self._careful:
                self._careful = len(batch) + AT_ONCE
                if len(batch) > 1:
                    return False
            await self._make_vectors([HARMLESS])
            log.warning(
                "%s %s cannot be embedded; it is found by its words alone",
                queue.kind.name,
                batch[0].of.id,
            )
            return True
        await self._store(queue, batch, fresh)
        return True

    async def _make_vectors(self, texts: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(texts), TEXTS):
            some = texts[start : start + TEXTS]
            found.update(zip(some, await self._app.embedder.passages(some), strict=True))
        return found

    async def _store(
        self, queue: TextQueue, batch: Sequence[PendingText], fresh: dict[str, bytes]
    ) -> None:
        if self.model is None:  # a model elsewhere tells its dimension with its first answer
            if not fresh:  # and notes without text ask it nothing
                await self._make_vectors([HARMLESS])
            await self._follow_model()
        if self.model is None:
            raise EmbeddingFailed("The model does not say how long its vectors are.")
        rows = [embedding_work.vector_row(work, fresh, self.model.dimension) for work in batch]
        queue.matrices.note_changed(await self._app.write(queue.table.store, self.model.id, rows))

    async def _finish_model(self) -> None:
        """Everything has vectors: note it, delete those of other models step by step, then wait
        for a change.
        """
        if self.model is not None and not self.model.complete:
            await self._app.write(note_vectors.mark_complete, self.model.id)
            self.model = self.model._replace(complete=True)
            await self._delete_former()
            self.answering, self._asked = self.model, self._app.embedder
        if self.model is not None and not self._tidy:
            self._tidy = all(
                [await self._forget_others(queue.table, self.model.id) for queue in self._queues]
            )
        self._failure, self._done = None, True
        await self._wait(LOOK_SECONDS)

    async def _delete_former(self) -> None:
        if self._asked is not self._app.embedder:
            former, self._asked = self._asked, self._app.embedder
            await former.close()

    async def _forget_others(self, table: VectorTable, model_id: int) -> bool:
        """Delete the vectors of other models step by step.

        Return whether all are gone; new texts come first.
        """
        last = -1 if await self._app.read(table.any_of_others, model_id) else 0
        while last and not self._any_recent:
            last = await self._app.write(table.forget_others, model_id, after=last, step=STEP)
            await asyncio.sleep(STEP_SECONDS)
        return last == 0
