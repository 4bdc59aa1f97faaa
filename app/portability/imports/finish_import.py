"""What is done once everything of a source is there: addresses, files and series are linked."""

import sqlite3
from collections.abc import Mapping, Sequence

from app.core.database.tx import Tx
from app.portability.content import address_links, import_rows
from app.portability.content.import_rows import REFERENCES
from app.portability.imports import store_items
from app.portability.imports.known_rows import ImportContext, with_addresses
from app.workspace.notes import note_edits, note_rows
from app.workspace.todos import todo_rows


def settle_addresses(tx: Tx, context: ImportContext, keys: Mapping[str, int]) -> None:
    """Put the true addresses into notes whose texts were stored before all was there that they
    refer to.
    """
    for key, note_id in keys.items():
        note = tx.one(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
            id=note_id,
            me=context.me.user,
        )
        if note is not None:
            text = with_addresses(tx, context, note["content"])
            if text != note["content"]:
                note_rows.replace_addresses(tx, note, note_rows.measure_text(text))
        # Done either way: what is still missing is not in the source at all.
        import_rows.note_done(tx, context.me.user, context.source, key, REFERENCES)


def notes_showing(tx: Tx, context: ImportContext, after: int) -> list[sqlite3.Row]:
    """Return the numbers of some notes of the source that show attachments, above one number."""
    return tx.all(
        """SELECT n.id FROM imported_items i JOIN notes n ON n.id = i.row_id
           WHERE i.user_id = :me AND i.source = :source AND i.kind = 'note' AND n.id > :after
             AND n.owner_id = :me AND n.trash_id IS NULL
             AND instr(n.content, '/os/attachments/') > 0 ORDER BY n.id LIMIT 100""",
        me=context.me.user,
        source=context.source,
        after=after,
    )


def replace_shown_files(
    tx: Tx, context: ImportContext, note_ids: Sequence[int], moved: Mapping[int, int]
) -> None:
    """Let notes show the files that have taken the place of others.

    What they showed before is kept in a snapshot.
    """
    for note_id in note_ids:
        note = tx.one(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
            id=note_id,
            me=context.me.user,
        )
        if note is not None:
            text = note_rows.measure_text(
                address_links.replace_file_addresses(note["content"], moved)
            )
            note_edits.apply_edit(
                tx,
                context.me,
                note,
                note_edits.NoteEdit(None, text, None),
                label=store_items.BEFORE_IMPORT,
            )


def link_series(tx: Tx, context: ImportContext, links: Mapping[str, str]) -> None:
    """Let completed todos know which todo goes on with their series, where both are there."""
    rows = import_rows.rows_of(
        tx, context.me.user, context.source, "todo", {*links, *links.values()}
    )
    for key, following in links.items():
        todo = todo_rows.find_live(tx, context.me.user, rows.get(key, 0))
        if todo is not None and todo["next_id"] is None and following in rows:
            todo_rows.set_next(tx, todo, rows[following])
