"""What links lead to, as one caller sees it.

Notes that the caller may read, the caller's own before those of others.
"""

import itertools
import sqlite3
from collections.abc import Iterable

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.text import fold_name
from app.workspace.folders import access
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import link_text, name_index
from app.workspace.index.link_text import Link, Target

SOURCE = "n.id, n.title, n.owner_id, n.folder_id, n.size"


class LinkResolver:
    """The notes that a caller may read, by title, path and number.

    What was looked up once is remembered.
    """

    def __init__(self, tx: Tx, me: Caller) -> None:
        self._tx, self._me = tx, me
        self.shared = access.shared_folders(tx, me)
        rows = (
            tx.all(
                f"SELECT DISTINCT owner_id FROM folders WHERE id IN ({IN_LIST})",
                ids=id_list(list(self.shared)),
            )
            if self.shared
            else []
        )
        # The caller's own first: of several notes of a title theirs is the one that is meant.
        self.owners = [me.owns, *(row[0] for row in rows)]
        self._known: dict[Target, sqlite3.Row | None] = {}
        self._paths: dict[int | None, str] = {None: ""}

    def find_note(self, link: Link) -> sqlite3.Row | None:
        """Return id and title of the note that a link leads to, by the first of its readings that
        leads anywhere; only where no title does, by an alias.
        """
        readings = link_text.link_readings(link)
        by_title = (self.find_target(target) for target in readings)
        by_alias = (self.find_target(target._replace(kind="alias")) for target in readings)
        every = by_title if link.kind == "note" else itertools.chain(by_title, by_alias)
        return next((found for found in every if found is not None), None)

    def find_target(self, target: Target) -> sqlite3.Row | None:
        """Return the note that one reading of a link leads to.

        Of several of a title the caller's own, then one with exactly that path, then the newest.

        A title that ends in `.md` is found without that where there is none of just that name.
        """
        if target not in self._known:
            find = {"note": self._note_numbered, "alias": self._note_aliased}
            self._known[target] = find.get(target.kind, self._note_titled)(target)
        return self._known[target]

    def lies_in(self, folder_id: int | None, path: str) -> bool:
        """Return whether a folder's path, without case, is this one or ends in it.

        Every folder lies in the empty one.
        """
        return (
            not path
            or self._folder_path(folder_id) == path
            or self._folder_path(folder_id).endswith(f"/{path}")
        )

    def may_read(self, note: sqlite3.Row) -> bool:
        """Return whether the caller may read a live note."""
        return note["owner_id"] == self._me.owns or note["folder_id"] in self.shared

    def may_write(self, note: sqlite3.Row) -> bool:
        """Return whether the caller may change a live note's text."""
        held = (
            note["owner_id"] == self._me.owns
            or self.shared.get(note["folder_id"], 0) >= access.RANKS["writer"]
        )
        return held and access.may_edit(self._me)

    def notes_linking(self, kind: str, names: Iterable[str], most: int) -> list[sqlite3.Row]:
        """Return the live notes the caller may read whose links may be read so, newest first, each
        with the `target` and `path` that a link names.
        """
        rows: list[sqlite3.Row] = []
        # Owner by owner, since the index begins with the owner; CROSS JOIN keeps the links first.
        for owner, name in itertools.product(self.owners, names):
            rows += self._tx.all(
                f"""SELECT {SOURCE}, l.target, l.path FROM note_links l
                    CROSS JOIN notes n ON n.id = l.note_id
                    WHERE l.owner_id = :owner AND l.kind = :kind AND l.target = :name
                      AND n.trash_id IS NULL
                        AND (n.owner_id = :me OR n.folder_id IN ({IN_LIST}))
                          ORDER BY l.note_id DESC LIMIT :most""",
                owner=owner,
                kind=kind,
                name=name,
                most=most,
                me=self._me.owns,
                ids=id_list(list(self.shared)),
            )
        return sorted(rows, key=lambda row: -row["id"])[:most]

    def _note_titled(self, target: Target) -> sqlite3.Row | None:
        for owner, title in itertools.product(
            self.owners, (target.name, target.name + link_text.ENDING)
        ):
            rows = [
                row
                for row in name_index.notes_titled(self._tx, owner, title)
                if owner == self._me.owns or row["folder_id"] in self.shared
            ]
            rows = [row for row in rows if self.lies_in(row["folder_id"], target.path)]
            if rows:
                return next(
                    (row for row in rows if self._folder_path(row["folder_id"]) == target.path),
                    rows[0],
                )
        return None

    def _note_aliased(self, target: Target) -> sqlite3.Row | None:
        """Return the one note of that alias, the caller's own first; None where there are more."""
        for owner in self.owners:
            rows = self._tx.all(
                """SELECT n.id, n.title, n.owner_id, n.folder_id FROM note_links l
                   CROSS JOIN notes n ON n.id = l.note_id
                   WHERE l.owner_id = :owner AND l.kind = 'alias' AND l.target = :name
                     AND n.trash_id IS NULL""",
                owner=owner,
                name=target.name,
            )
            rows = [
                row
                for row in rows
                if self.may_read(row) and self.lies_in(row["folder_id"], target.path)
            ]
            if rows:
                return rows[0] if len(rows) == 1 else None
        return None

    def _note_numbered(self, target: Target) -> sqlite3.Row | None:
        row = self._tx.one(
            "SELECT id, title, owner_id, folder_id FROM notes WHERE id = :id AND trash_id IS NULL",
            id=int(target.name),
        )
        return row if row is not None and self.may_read(row) else None

    def _folder_path(self, folder_id: int | None) -> str:
        if folder_id not in self._paths:
            self._paths[folder_id] = fold_name(
                access.readable_path(self._tx, self._me, folder_id or 0)
            )
        return self._paths[folder_id]


def link_names(title: str) -> set[str]:
    """Return the folded names by which a link may lead to a title."""
    return {fold_name(title), fold_name(link_text.without_md_ending(title))}


def distinct_notes(rows: Iterable[sqlite3.Row]) -> list[sqlite3.Row]:
    """Return rows of notes, each note once."""
    return list({row["id"]: row for row in rows}.values())
