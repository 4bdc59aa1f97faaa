"""The folders as a tree: all at the top, and below those that lead to where one is."""

from collections.abc import Iterable
from typing import Any, NamedTuple

MOST_AT_TOP = 300


class Branch(NamedTuple):
    """A folder in the tree; `notes` counts all below it, `kind` says what it is to the page."""

    id: int
    name: str
    notes: int
    depth: int
    is_here: bool
    is_open: bool
    has_more: bool
    owner: str
    role: str


class FolderTree:
    """All folders that somebody may read."""

    def __init__(self, folders: Iterable[Any]) -> None:
        self.by_id = {folder.id: folder for folder in folders}
        self.below: dict[int | None, list[Any]] = {}
        for folder in self.by_id.values():
            parent = folder.parent_id if folder.parent_id in self.by_id else None
            self.below.setdefault(parent, []).append(folder)
        self.notes = {id_: folder.file_count for id_, folder in self.by_id.items()}
        for folder in self._deepest_first():
            if folder.parent_id in self.notes:
                self.notes[folder.parent_id] += self.notes[folder.id]

    def branches(self, here: int | None) -> list[Branch]:
        """Return the rows of the tree, in order, when `here` is open."""
        on_way = set(self.way(here))
        rows: list[Branch] = []

        def add(parent: int | None, depth: int) -> None:
            for folder in self.below.get(parent, [])[:MOST_AT_TOP]:
                is_open = folder.id in on_way
                rows.append(
                    Branch(
                        folder.id,
                        folder.name,
                        self.notes[folder.id],
                        min(depth, 6),
                        folder.id == here,
                        is_open,
                        folder.id in self.below,
                        self.owner(folder.id) if depth == 0 else "",
                        self.role(folder.id),
                    )
                )
                if is_open:
                    add(folder.id, depth + 1)

        add(None, 0)
        return rows

    def way(self, folder_id: int | None) -> list[int]:
        """Return the folders from the top down to one, itself included."""
        found: list[int] = []
        while folder_id is not None and folder_id in self.by_id and folder_id not in found:
            found.append(folder_id)
            folder_id = self.by_id[folder_id].parent_id
        return found[::-1]

    def path(self, folder_id: int | None) -> str:
        """Return a folder's path; empty for the root."""
        return "/".join(self.by_id[id_].name for id_ in self.way(folder_id))

    def role(self, folder_id: int | None) -> str:
        """Return what the reader may do in a folder; their own are an owner's."""
        folder = self.by_id.get(folder_id) if folder_id is not None else None
        role = getattr(folder, "role", None)
        return role if isinstance(role, str) else "owner"

    def owner(self, folder_id: int) -> str:
        """Return whose folder it is; empty for one's own."""
        owner = getattr(self.by_id[folder_id], "owner", None)
        return getattr(owner, "username", "") or ""

    def places(self, without: int | None = None) -> list[tuple[int, str]]:
        """Return all folders that notes may be put in, by path; `without` one and all below it."""
        return sorted(
            (
                (id_, self.path(id_))
                for id_ in self.by_id
                if self.role(id_) in ("owner", "admin", "editor")
                and (without is None or without not in self.way(id_))
            ),
            key=lambda place: place[1].casefold(),
        )

    def _deepest_first(self) -> list[Any]:
        rows: list[Any] = []
        waiting = list(self.below.get(None, []))
        while waiting:
            folder = waiting.pop()
            rows.append(folder)
            waiting += self.below.get(folder.id, [])
        return rows[::-1]
