"""What gets vectors, notes or texts of another kind.

Where these are stored, and which texts still wait for theirs.
"""

from collections.abc import Iterable

import msgspec

from app.core.app import App
from app.workspace.notes import note_rows
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.vector_matrices import Matrices
from app.workspace.search.vectors.vector_table import VectorTable

SCAN = 2_000
MOST_RECENT = 10_000
TOP = 1 << 62


class TextKind(msgspec.Struct, frozen=True):
    """A kind of text: its name, where its vectors are stored, and the events that tell of a
    changed one (`id`) and of many (`owner`).
    """

    name: str
    table: VectorTable
    changed: str
    many_changed: str


NOTES = TextKind("note", note_vectors.TABLE, note_rows.CHANGED, note_rows.MANY_CHANGED)


class TextQueue:
    """The texts of one kind: their matrices, those that were just written, and how far the older
    ones have been looked through.
    """

    def __init__(self, kind: TextKind) -> None:
        self.kind = kind
        self.table = kind.table
        self.matrices = Matrices(kind.table)
        self._recent: dict[int, None] = {}
        self._backlog: list[int] = []
        self._below = TOP
        self._begun = 0

    @property
    def has_recent(self) -> bool:
        """Whether something was just written."""
        return bool(self._recent)

    @property
    def is_behind(self) -> bool:
        """Whether something may wait for its vectors."""
        return bool(self._recent or self._backlog or self._below)

    @property
    def waiting(self) -> int:
        """How many are known to wait."""
        return len(self._recent) + len(self._backlog)

    def note_change(self, id_: int) -> None:
        """Note that a text was written.

        After very many of them everything is looked through instead.
        """
        self._recent.pop(id_, None)
        self._recent[id_] = None
        if len(self._recent) > MOST_RECENT:
            self.look_through_all()

    def look_through_all(self) -> None:
        """Look through all, newest first."""
        self._recent, self._backlog, self._below = {}, [], TOP
        self._begun += 1

    def put_back(self, ids: Iterable[int]) -> None:
        """Note that these are still to be done, before what was just written."""
        self._recent = dict.fromkeys(ids) | self._recent

    def take_recent(self, most: int) -> list[int]:
        """Take some of what was just written, the newest first."""
        return [self._recent.popitem()[0] for _ in range(min(most, len(self._recent)))]

    async def take_older(self, app: App, model_id: int, most: int) -> list[int]:
        """Take some of the older ones that may be without vectors.

        None once all have been looked through.
        """
        while self._below and not self._backlog:
            begun = self._begun
            found = await app.read(self.table.older, model_id, self._below, step=SCAN)
            if begun == self._begun:  # else what was found is older than what made it begin again
                self._backlog, self._below = found
        some, self._backlog = self._backlog[:most], self._backlog[most:]
        return some
