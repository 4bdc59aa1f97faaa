"""Vectors for notes, made in the background: what has just been written first, then what is missing of the older ones."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from app.core.app import App
from app.core.embedder import Embedder, EmbeddingFailed
from app.core.tx import Tx
from app.workspace import note_rows, passages, vectors
from app.workspace.matrices import Matrices
from app.workspace.vectors import Model, Pending, Row

State = Literal["ready", "indexing", "paused", "off", "failing"]

NOTES = 16
TEXTS = 16
SCAN = 2_000
STEP = 500
MOST_RECENT = 10_000
TOP = 1 << 62
QUIET_SECONDS = 0.1
LOOK_SECONDS = 5.0
QUERY_SECONDS = 5.0
STEP_SECONDS = 0.05
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
OTHER_WRITES = 4
log = logging.getLogger("hearth")


class Work(NamedTuple):
    """A note with its passages, the vectors that it keeps because those passages are as they were, and the texts that need new ones."""

    note: Pending
    passages: list[passages.Passage]
    known: dict[bytes, bytes]
    texts: list[str]


class Meaning:
    """The task that gives every note its vectors, and what it knows: which model answers, and how far it is."""

    def __init__(
        self, app: App, *, former: Callable[[str], Embedder | None] = lambda _: None, on_battery: Callable[[], bool | None] = lambda: None
    ) -> None:
        """`former` gives what can still look for a query among the vectors of an earlier model, called by its name."""
        self._app = app
        self._former = former
        self._on_battery = on_battery
        self.matrices = Matrices()
        self.model: Model | None = None
        """The model whose vectors are being kept; None before any are."""
        self.answering: Model | None = None
        """The model whose vectors answer: the one before while this one's are not complete, if queries can still be put to that."""
        self._asked = app.embedder
        self._name: str | None = None
        self._recent: dict[int, None] = {}
        self._backlog: list[int] = []
        self._below = TOP
        self._careful = 0
        self._tidy = False
        self._paused = False
        self._failure: str | None = None
        self._waiting = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        app.events.on(note_rows.CHANGED, lambda event: self._hear(event["id"]))
        app.events.on(note_rows.MANY_CHANGED, lambda event: self._hear_of_many(event["owner"]))

    def start(self) -> None:
        """Begin; needs a running loop and an open store."""
        self._task = asyncio.create_task(self._run())

    async def query(self, text: str) -> bytes:
        """Give the vector of a query, for the matrices of the model that answers; raise EmbeddingFailed when there is none soon."""
        asked = self._asked
        try:
            return await asyncio.wait_for(asked.query(text), QUERY_SECONDS)
        except (TimeoutError, EmbeddingFailed) as error:
            if asked is not self._app.embedder and asked is self._asked:
                self.answering = self.model  # the earlier model cannot be asked after all
                await self._let_go_of_former()
            raise EmbeddingFailed(str(error) or "The model does not answer.") from None

    async def stop(self) -> None:
        """End, and wait for the end. Whatever was not stored yet is found again at the next start."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self._let_go_of_former()
        await self.matrices.close()

    @property
    def state(self) -> tuple[State, str | None]:
        """How it goes, and a sentence that says why where it does not."""
        if self._app.embedder.model is None:
            return "off", self._app.embedder.reason
        if self._task is None:
            return "paused", "The server does not run."
        if self._failure is not None:
            return "failing", self._failure
        if self._paused:
            return "paused", "The machine runs on battery."
        return ("ready" if self._waiting and not self._recent else "indexing"), None

    @property
    def is_behind(self) -> bool:
        """Whether more notes wait for their vectors than have just been written."""
        return self.answering is None or not self.answering.complete or len(self._recent) + len(self._backlog) > NOTES

    def _hear(self, note_id: int) -> None:
        self.matrices.change([note_id])
        if self._app.embedder.model is not None:
            self._recent.pop(note_id, None)
            self._recent[note_id] = None
            if len(self._recent) > MOST_RECENT:
                self._begin_again()
            self._wake.set()

    def _hear_of_many(self, owner: int) -> None:
        self.matrices.forget(owner)
        self._begin_again()
        self._wake.set()

    def _begin_again(self) -> None:
        """Look through all notes, newest first."""
        self._recent, self._backlog, self._below = {}, [], TOP

    async def _run(self) -> None:
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                await self._work()
                self._failure, wait = None, FIRST_WAIT_SECONDS
                continue
            except EmbeddingFailed as error:
                self._failure = str(error)
            except Exception:
                self._failure = "Something unexpected went wrong; see the log of the server."
                log.exception("giving notes their vectors failed")
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    async def _work(self) -> None:
        """Do the next thing that is to be done, or wait until there may be one."""
        if self._app.embedder.model is None:
            await self._wait(LOOK_SECONDS)
        elif await self._on_battery_now():
            await asyncio.sleep(LOOK_SECONDS)
        else:
            await self._follow_model()
            if ids := await self._next():
                began, commits = time.monotonic(), self._app.store.commits
                await self._index(ids)
                if self._app.store.commits - commits > OTHER_WRITES:
                    await asyncio.sleep(time.monotonic() - began)  # others write: leave them half of the time
            else:
                await self._finish()

    async def _on_battery_now(self) -> bool:
        self._paused = bool(await asyncio.to_thread(self._on_battery)) and self._behind()
        return self._paused

    def _behind(self) -> bool:
        return bool(self._recent or self._backlog or self._below)

    async def _wait(self, seconds: float | None) -> None:
        """Wait for a change, at most so long, and then for a moment more, in which others may come."""
        self._waiting = True
        try:
            self._wake.clear()
            if not self._recent:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), seconds)
            await asyncio.sleep(QUIET_SECONDS)
        finally:
            self._waiting = False

    async def _follow_model(self) -> None:
        """Know the model that there is now; with another one everything is to be looked through again."""
        name, dimension = self._app.embedder.model, self._app.embedder.dimension
        if name != self._name:
            self._name, self.model, self.answering, self._tidy = name, None, None, False
            await self._let_go_of_former()
            self._begin_again()
        if self.model is None and name is not None and dimension is not None:
            self.model = await self._known(name, dimension)
        if self.answering is None:
            await self._choose_answering()

    async def _choose_answering(self) -> None:
        """Let the last complete model answer where queries can still be put to it, else the one that is being made."""
        answering, asked = self.model, self._app.embedder
        complete = next((model for model in await self._app.read(vectors.models) if model.complete), None)
        if complete is not None and complete != self.model and (former := self._former(complete.name)) is not None:
            answering, asked = complete, former
        self.answering, self._asked = answering, asked

    async def _known(self, name: str, dimension: int) -> Model:
        for model in await self._app.read(vectors.models):
            if (model.name, model.dimension) == (name, dimension):
                return model
        return await self._app.write(vectors.ensure_model, name, dimension)

    async def _next(self) -> list[int]:
        """Give some notes that may be without vectors: those just written, else older ones."""
        if self._recent:
            return [self._recent.popitem()[0] for _ in range(min(NOTES, len(self._recent)))]
        while self._below and not self._backlog:
            self._backlog, self._below = await self._app.read(vectors.older, self._model_id, self._below, step=SCAN)
        some, self._backlog = self._backlog[:NOTES], self._backlog[NOTES:]
        return some

    @property
    def _model_id(self) -> int:
        return 0 if self.model is None else self.model.id

    async def _index(self, ids: Sequence[int]) -> None:
        """Give some notes their vectors, few at a time; what fails is put back."""
        left = list(ids)
        try:
            while left:
                some = left[:1] if self._careful else left
                done = await self._index_some(some)
                left = [id_ for id_ in left if id_ not in done]
                self._careful = max(0, self._careful - 1)
        except BaseException:
            self._recent = dict.fromkeys(reversed(left)) | self._recent
            raise

    async def _index_some(self, ids: Sequence[int]) -> set[int]:
        """Give vectors to the first of some notes that come to enough texts; give all that need nothing more."""
        characters = self._app.embedder.characters
        found = await self._app.read(_prepared, self._model_id, ids, characters)
        done = set(ids) - {work.note.note_id for work in found}
        batch: list[Work] = []
        for work in found:
            if batch and sum(len(one.texts) for one in (*batch, work)) > TEXTS:
                break
            batch.append(work)
        if batch and await self._embed(batch):
            done |= {work.note.note_id for work in batch}
        return done

    async def _embed(self, batch: Sequence[Work]) -> bool:
        """Make and store the vectors of a batch; say whether that could be done, now or ever."""
        try:
            fresh = await self._vectors([text for work in batch for text in work.texts])
        except EmbeddingFailed:
            if not self._careful:
                self._careful = len(batch) + NOTES
                if len(batch) > 1:
                    return False
            await self._vectors(["A text that can be embedded if any can."])
            log.warning("note %s cannot be embedded; it is found by its words alone", batch[0].note.note_id)
            return True
        await self._store(batch, fresh)
        return True

    async def _vectors(self, texts: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(texts), TEXTS):
            some = texts[start : start + TEXTS]
            found.update(zip(some, await self._app.embedder.passages(some), strict=True))
        return found

    async def _store(self, batch: Sequence[Work], fresh: dict[str, bytes]) -> None:
        if self.model is None:
            await self._follow_model()  # a model elsewhere tells its dimension with its first answer
        if self.model is None:
            raise EmbeddingFailed("The model does not say how long its vectors are.")
        rows = [_row(work, fresh, self.model.dimension) for work in batch]
        self.matrices.change(await self._app.write(vectors.store, self.model.id, rows))

    async def _finish(self) -> None:
        """Everything has vectors: note it, delete those of other models step by step, then wait for a change."""
        if self.model is not None and not self.model.complete:
            await self._app.write(vectors.complete, self.model.id)
            self.model = self.model._replace(complete=True)
            await self._let_go_of_former()
            self.answering, self._asked = self.model, self._app.embedder
        if self.model is not None and not self._tidy:
            self._tidy = not await self._app.read(vectors.any_of_others, self.model.id) or await self._forget_others(self.model.id)
        self._failure = None
        await self._wait(LOOK_SECONDS)

    async def _let_go_of_former(self) -> None:
        if self._asked is not self._app.embedder:
            former, self._asked = self._asked, self._app.embedder
            await former.close()

    async def _forget_others(self, model_id: int) -> bool:
        """Delete the vectors of other models step by step; say whether all are gone before something else is to be done."""
        last = -1
        while last and not self._recent:
            last = await self._app.write(vectors.forget_others, model_id, after=last, step=STEP)
            await asyncio.sleep(STEP_SECONDS)
        return last == 0


def _prepared(tx: Tx, model_id: int, ids: Sequence[int], characters: int) -> list[Work]:
    """Give those of some notes that need vectors, cut into passages."""
    found = vectors.pending(tx, model_id, ids, characters=passages.MOST * 2 * characters)
    return [_work(note, passages.cut(note.title, note.content, characters=characters)) for note in found]


def _work(note: Pending, cut: list[passages.Passage]) -> Work:
    known = {}
    if note.spans and note.vectors:
        spans = vectors.unpacked(note.spans)
        size = len(note.vectors) // len(spans)
        known = {span.digest: note.vectors[place * size : (place + 1) * size] for place, span in enumerate(spans)}
    return Work(note._replace(content="", vectors=None), cut, known, [one.text for one in cut if vectors.digest(one) not in known])


def _row(work: Work, fresh: dict[str, bytes], dimension: int) -> Row:
    found = [fresh[one.text] if one.text in fresh else work.known[vectors.digest(one)] for one in work.passages]
    if any(len(vector) != dimension for vector in found):
        raise EmbeddingFailed(f"The model gave a vector that is not {dimension} numbers long.")
    return Row(work.note.note_id, work.note.version, work.note.title, vectors.packed(work.passages), b"".join(found))
