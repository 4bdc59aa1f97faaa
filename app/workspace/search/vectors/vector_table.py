"""What is asked of a table of vectors, whatever kind of text they are of."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from app.core.database.tx import Tx
from app.workspace.search.vectors.note_vectors import Pending, Row


class VectorTable(Protocol):
    """The statements on the vectors of one kind of text.

    Workspace/search/vectors/note_vectors.py has those of notes and says what each does.
    """

    def pending(
        self, tx: Tx, model_id: int, ids: Sequence[int], *, characters: int
    ) -> list[Pending]: ...
    def older(self, tx: Tx, model_id: int, below: int, *, step: int) -> tuple[list[int], int]: ...
    def store(self, tx: Tx, model_id: int, rows: Sequence[Row]) -> list[int]: ...
    def of_owner(self, tx: Tx, model_id: int, owner: int) -> Iterable[tuple[int, bytes]]: ...
    def of_some(
        self, tx: Tx, model_id: int, ids: Sequence[int]
    ) -> list[tuple[int, int, bytes]]: ...
    def any_of_others(self, tx: Tx, model_id: int) -> bool: ...
    def forget_others(self, tx: Tx, model_id: int, *, after: int, step: int) -> int: ...
