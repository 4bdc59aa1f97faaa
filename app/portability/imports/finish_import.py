"""What is done once everything of a source is there: addresses, files and series are linked."""

import sqlite3
from collections.abc import Mapping, Sequence

from app.core.database.tx import Tx
from app.portability.content import address_links, import_rows
from app.portability.content.import_rows import REFERENCES
from app.portability.imports import store_items
from app.portability.imports.store_items import Import
from app.workspace.notes import note_edits, note_rows
from app.workspace.todos import todo_rows


def settle(tx: Tx, what: Import, keys: Mapping[str, int]) -> None:
    """Put the true addresses into notes whose texts were stored before all was there that they
    refer to.
    """
    for key, note_id in keys.items():
        note = tx.one(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
            id=note_id,
            me=what.me.user,
        )
        if note is not None:
            text = address_links.resolved(
                note["content"],
                store_items.rows_for(tx, what, address_links.wanted(note["content"])),
            )
            if text != note["content"]:
                note_rows.settle(tx, note, note_rows.measured(text))
        import_rows.done(tx, what.me.user, what.source, key, REFERENCES)


def showing(tx: Tx, what: Import, after: int) -> list[sqlite3.Row]:
    """Give the numbers of some notes of the source that show attachments, above one number."""
    return tx.all(
        """SELECT n.id FROM imported_items i JOIN notes n ON n.id = i.row_id
           WHERE i.user_id = :me AND i.source = :source AND i.kind = 'note' AND n.id > :after
             AND n.owner_id = :me AND n.trash_id IS NULL
             AND instr(n.content, '/os/attachments/') > 0 ORDER BY n.id LIMIT 100""",
        me=what.me.user,
        source=what.source,
        after=after,
    )


def show_anew(tx: Tx, what: Import, note_ids: Sequence[int], moved: Mapping[int, int]) -> None:
    """Let notes show the files that have taken the place of others.

    What they showed before is kept in a snapshot.
    """
    for note_id in note_ids:
        note = tx.one(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
            id=note_id,
            me=what.me.user,
        )
        if note is not None:
            text = note_rows.measured(address_links.moved(note["content"], moved))
            note_edits.apply(
                tx,
                what.me,
                note,
                note_edits.Edit(None, text, None),
                label=store_items.BEFORE_IMPORT,
            )


def series(tx: Tx, what: Import, links: Mapping[str, str]) -> None:
    """Let completed todos know which todo goes on with their series, where both are there."""
    rows = import_rows.rows_of(tx, what.me.user, what.source, "todo", {*links, *links.values()})
    for key, following in links.items():
        todo = todo_rows.get(tx, what.me.user, rows.get(key, 0))
        if todo is not None and todo["next_id"] is None and following in rows:
            todo_rows.set_next(tx, todo, rows[following])
