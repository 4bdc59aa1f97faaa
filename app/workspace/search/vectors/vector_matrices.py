"""The matrices of owners whose texts were searched by meaning, in step with the vectors stored."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from app.core.app import App
from app.core.database.tx import Tx
from app.core.process.background_tasks import shielded
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_table import VectorTable

if TYPE_CHECKING:
    from app.workspace.search.vectors.vector_matrix import Matrix

MOST_BYTES = 1 << 30
MOST_CHANGED = 20_000


class Matrices:
    """One matrix for each owner, read when it is first needed and brought up to date before each
    search.

    What has changed is only noted down, on the event loop and after its commit; whoever searches
    next takes the notes of it first and reads the table then, so what is read is never older
    than what was noted.
    """

    def __init__(self, table: VectorTable) -> None:
        self._table = table
        self._held: dict[int, Matrix] = {}
        self._model = 0
        self._changed: set[int] = set()
        self._stale: set[int] = set()
        self._busy: asyncio.Task[None] | None = None

    def note_changed(self, ids: Iterable[int]) -> None:
        """Note that the vectors of these notes, or who owns them, may be others now."""
        if self._held or self._busy:
            self._changed.update(ids)

    def forget(self, owner: int) -> None:
        """Note that many notes of an owner are others now."""
        self._stale.add(owner)

    async def matrices_of(self, app: App, model: Model, owners: Sequence[int]) -> "list[Matrix]":
        """Return the owners' matrices as the table has them now."""
        while self._is_behind(model, owners):
            if self._busy is None:
                self._busy = asyncio.create_task(self._catch_up(app, model, owners))
            # A reader's thread cannot be stopped, so what it changes must not be begun again when
            # its asker goes.
            await shielded(self._busy)
        for owner in owners:
            self._held[owner] = self._held.pop(owner)  # last used, last in order
        return [self._held[owner] for owner in owners]

    async def close(self) -> None:
        """Wait for what is being read."""
        if self._busy is not None:
            await asyncio.wait([self._busy])

    def _is_behind(self, model: Model, owners: Sequence[int]) -> bool:
        return bool(
            self._busy
            or self._changed
            or self._stale
            or model.id != self._model
            or not self._held.keys() >= set(owners)
        )

    async def _catch_up(self, app: App, model: Model, owners: Sequence[int]) -> None:
        # Taken before the table is read: what changes from now on is read by the next one.
        changed, self._changed = self._changed, set()
        stale, self._stale = self._stale, set()
        try:
            kept = self._held if model.id == self._model and len(changed) <= MOST_CHANGED else {}
            kept = {owner: matrix for owner, matrix in kept.items() if owner not in stale}
            missing = [owner for owner in owners if owner not in kept]
            self._held = kept | await app.read(
                _read_matrices, self._table, model, kept, changed, missing
            )
            self._model = model.id
            self._shrink(owners)
        except BaseException:
            self._changed |= changed
            self._stale |= stale
            raise
        finally:
            self._busy = None

    def _shrink(self, owners: Sequence[int]) -> None:
        """Let go of what was not used for longest once all is too much."""
        size = sum(matrix.size for matrix in self._held.values())
        for owner in [owner for owner in self._held if owner not in owners]:
            if size <= MOST_BYTES:
                break
            size -= self._held.pop(owner).size


def _read_matrices(
    tx: Tx,
    table: VectorTable,
    model: Model,
    held: "Mapping[int, Matrix]",
    changed: set[int],
    missing: Sequence[int],
) -> "dict[int, Matrix]":
    """Bring the held matrices up to date and return those that are missing."""
    # numpy is loaded here, in a reader's thread, when somebody first searches by meaning.
    from app.workspace.search.vectors.vector_matrix import Matrix

    rows = table.of_some(tx, model.id, list(changed)) if changed and held else []
    for owner, matrix in held.items():
        matrix.replace(changed, [(note_id, found) for note_id, of, found in rows if of == owner])
    loaded = {}
    for owner in missing:
        loaded[owner] = Matrix(model.dimension)
        loaded[owner].load(table.of_owner(tx, model.id, owner))
    return loaded
