"""Which file of an export each folder and note becomes.

Names that every system takes, the same for the same workspace wherever it lies.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.portability.content import import_rows
from app.portability.content.file_names import UniqueNames
from app.portability.content.import_rows import Kind
from app.workspace.folders import folder_rows, folders

NOTES = "notes"
DEEP = "_deep"
LONGEST_FOLDER = 150
"""The characters of a folder's path from which those below it lie side by side in a folder of
their own: Windows takes 260 in all.
"""


class PlannedFolder(msgspec.Struct, frozen=True):
    """A folder with its place in the tree and its true names from the outermost in."""

    id: int
    place: str
    names: tuple[str, ...]
    icon: str | None
    created_at: str | None


class Plan:
    """The places of all folders and notes, and the lasting keys of what is exported."""

    def __init__(self, tx: Tx, me: Caller) -> None:
        self._tx, self._me = tx, me
        self._taken: dict[str, UniqueNames] = defaultdict(UniqueNames)
        self.folders: list[PlannedFolder] = []
        self.notes: dict[int, str] = {}
        self.renamed: list[tuple[int, str]] = []
        """The notes whose files are not called by their titles, with these."""
        self.files: dict[int, str] = {}
        self.keys: dict[tuple[Kind, int], str] = {}
        """Of what was imported, the keys it had; all else is called by its number."""
        self._plan_folders()
        self._plan_notes()

    def key(self, kind: Kind, row_id: int) -> str:
        """Return the lasting key of a row of the caller.

        The one it came here with, or one made of its number.
        """
        return self.keys.get((kind, row_id)) or native_key(self._me, row_id)

    def known_key(self, kind: Kind, row_id: int) -> str | None:
        """Return the key of a note or file that is exported; None for any other."""
        return (
            self.key(kind, row_id)
            if row_id in (self.notes if kind == "note" else self.files)
            else None
        )

    def place(self, kind: Kind, row_id: int) -> str | None:
        """Return the file of a note or attachment that is exported; None for any other."""
        return (self.notes if kind == "note" else self.files).get(row_id)

    def ordered(
        self, kind: Kind, table: str, where: str, columns: str = ""
    ) -> Iterator[sqlite3.Row]:
        """Yield the rows of the caller in the order of their keys, which is the same wherever
        they were imported; remember the keys.
        """
        rows = self._tx.run(
            f"""SELECT {table}.id, i.key {columns}
                FROM {table} {import_rows.key_join(kind, table)}
                WHERE {table}.owner_id = :me AND {where}
                  ORDER BY ifnull(i.key, :prefix || printf('%010d', {table}.id))""",
            me=self._me.user,
            prefix=key_prefix(self._me),
        )
        for row in rows:
            if row["key"] is not None:
                self.keys[kind, row["id"]] = row["key"]
            yield row

    def free_place(self, folder: str, name: str, ending: str = "") -> str:
        """Return a place in a folder of the tree that nothing else has."""
        return f"{folder}/{self._taken[folder].free(name, ending)}"

    def _plan_folders(self) -> None:
        rows = self._tx.all(
            f"SELECT {folder_rows.COLUMNS} FROM folders "
            "WHERE owner_id = :me AND trash_id IS NULL ORDER BY name_key, id",
            me=self._me.user,
        )
        below: dict[int | None, list[sqlite3.Row]] = defaultdict(list)
        for row in rows:
            below[row["parent_id"]].append(row)
        waiting: list[tuple[int | None, str, tuple[str, ...]]] = [(None, NOTES, ())]
        for (
            parent,
            place,
            names,
        ) in waiting:  # grows while it is walked: parents before what lies in them
            for row in below[parent]:
                # By name, so that the same workspace gives the same tree wherever it was imported.
                own = self._folder_place(place, row["name"])
                created = None if folders.is_general(row) else row["created_at"]
                self.folders.append(
                    PlannedFolder(row["id"], own, (*names, row["name"]), row["icon"], created)
                )
                waiting.append((row["id"], own, (*names, row["name"])))

    def _folder_place(self, parent: str, name: str) -> str:
        place = self.free_place(parent, name)
        if len(place) <= LONGEST_FOLDER:
            return place
        if DEEP not in self._taken:
            self._taken[DEEP] = UniqueNames()
            self._deep = self.free_place(NOTES, DEEP)
        return self.free_place(self._deep, name[:40])

    def _plan_notes(self) -> None:
        places: dict[int | None, str] = {folder.id: folder.place for folder in self.folders}
        places[None] = NOTES
        for row in self.ordered(
            "note", "notes", "notes.trash_id IS NULL", columns=", folder_id, title"
        ):
            self.notes[row["id"]] = place = self.free_place(
                places[row["folder_id"]], row["title"], ".md"
            )
            if place.rpartition("/")[2].removesuffix(".md") != row["title"]:
                self.renamed.append((row["id"], row["title"]))


def key_prefix(me: Caller) -> str:
    """Return what the keys of all begin with that was made in this account."""
    return me.user_id.replace("-", "")[:12] + "-"


def native_key(me: Caller, row_id: int) -> str:
    """Return the key of a row that was made in this account."""
    return f"{key_prefix(me)}{row_id:010d}"
