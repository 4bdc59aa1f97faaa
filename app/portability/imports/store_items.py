"""Stores what an import carries, by the workspace's own writing functions.

What each thing comes to, in one transaction a batch.
"""

import sqlite3
from collections.abc import Sequence
from typing import Literal, NamedTuple

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.errors import AppError
from app.portability.content import address_links, import_rows
from app.portability.content.import_rows import REFERENCES, SNAPSHOTS
from app.portability.content.source_items import Folders, NotCarried
from app.portability.imports.known_rows import ImportContext, find_rows, known_row, with_addresses
from app.portability.imports.prepare import Ready, ReadyFolder, ReadyNote, ReadyTodo
from app.workspace.folders import create_folder, folder_rows
from app.workspace.notes import note_edits, note_rows
from app.workspace.todos import todo_rows

BEFORE_IMPORT = "auto: before import"
Outcome = Literal["created", "updated", "unchanged"]


class BatchResult(NamedTuple):
    """What came of a batch, item by item; None for one that was refused, which `lines` explains."""

    outcomes: list[tuple[Ready, Outcome | None]]
    made: int
    lines: list[NotCarried]


def store_batch(tx: Tx, context: ImportContext, batch: Sequence[Ready]) -> BatchResult:
    """Store a batch, each thing all or not at all."""
    places: dict[Folders, int | None] = {(): None}
    outcomes: list[tuple[Ready, Outcome | None]] = []
    lines: list[NotCarried] = []
    made = 0
    for ready in batch:
        try:
            with tx.savepoint():  # one bad item must not undo the 249 others
                more, outcome = _store_one(tx, context, ready, places, lines)
                made += more
            outcomes.append((ready, outcome))
        except AppError as error:
            places = {(): None}  # folders that the undone item made are gone again
            outcomes.append((ready, None))
            lines.append(NotCarried(_name_of(ready), error.message))
    return BatchResult(outcomes, made, lines)


def preview_batch(tx: Tx, context: ImportContext, batch: Sequence[Ready]) -> BatchResult:
    """Return what storing a batch would come to, and change nothing."""
    outcomes: list[tuple[Ready, Outcome | None]] = []
    lines: list[NotCarried] = []
    for ready in batch:
        if isinstance(ready, ReadyNote):
            outcomes.append((ready, _note_state(tx, context, ready).outcome))
        elif isinstance(ready, ReadyTodo):
            state = _todo_state(tx, context, ready)
            lines += _kept_lines(ready, state)
            outcomes.append((ready, state.outcome))
        else:
            outcomes.append(
                (ready, "unchanged" if _folder_exists(tx, context.me, ready.path) else "created")
            )
    return BatchResult(outcomes, 0, lines)


class _State(NamedTuple):
    """What is there already of a thing of the source, and what is to be done about it."""

    row: sqlite3.Row | None
    known: sqlite3.Row | None
    outcome: Outcome
    kept: bool = False


def _store_one(
    tx: Tx,
    context: ImportContext,
    ready: Ready,
    places: dict[Folders, int | None],
    lines: list[NotCarried],
) -> tuple[int, Outcome]:
    if isinstance(ready, ReadyTodo):
        return 0, _store_todo(tx, context, ready, lines)
    folder_id, made = _ensure_folder(tx, context, ready, places)
    return made, _store_note(tx, context, ready, folder_id) if isinstance(
        ready, ReadyNote
    ) else "created" if made else "unchanged"


def _ensure_folder(
    tx: Tx,
    context: ImportContext,
    ready: ReadyNote | ReadyFolder,
    places: dict[Folders, int | None],
) -> tuple[int | None, int]:
    """Return the folder of a thing and how many folders were made for it."""
    if ready.path in places:
        return places[ready.path], 0
    moment = ready.created if isinstance(ready, ReadyFolder) else None
    leaf, made = create_folder.ensure_path(
        tx.with_moment(moment) if moment else tx,
        context.me,
        context.me.user,
        None,
        list(ready.path),
    )
    places[ready.path] = leaf
    if (
        made
        and isinstance(ready, ReadyFolder)
        and ready.source.icon
        and len(ready.source.icon) <= 32
    ):
        row = folder_rows.require_live(tx, leaf)
        folder_rows.update(
            tx, row, name=row["name"], parent_id=row["parent_id"], icon=ready.source.icon
        )
    return leaf, len(made)


def _store_note(tx: Tx, context: ImportContext, ready: ReadyNote, folder_id: int | None) -> Outcome:
    state = _note_state(tx, context, ready)
    if state.outcome == "unchanged":
        return "unchanged"
    rows = find_rows(tx, context, ready.wants) if ready.wants else {}
    text = ready.text
    if rows:
        content = address_links.to_addresses(text.content, rows)
        text = note_rows.Text(content, len(content.encode()), text.words)
    # What the note refers to may come later in the source; `settle_addresses` sees to it then.
    rest = REFERENCES if len(rows) < len(ready.wants) else 0
    if state.row is None:
        note_id = _insert(tx, context, ready, folder_id, text)
        rest |= SNAPSHOTS if ready.source.snapshots else 0
    else:
        note_id = state.row["id"]
        _update(tx, context, state.row, ready, folder_id, text)
    # A note of this very account (found by its own key) needs no entry: its key is its number.
    if state.row is None or state.known is not None:
        import_rows.put(
            tx,
            context.me.user,
            context.source,
            "note",
            ready.source.key,
            row_id=note_id,
            digest=ready.digest,
            rest=rest,
        )
    return state.outcome


def _insert(
    tx: Tx, context: ImportContext, ready: ReadyNote, folder_id: int | None, text: note_rows.Text
) -> int:
    created = ready.created or ready.updated or tx.now
    past = note_rows.ImportedState(
        created, ready.updated or created, ready.source.pinned, ready.source.version
    )
    return note_rows.insert(
        tx,
        owner=context.me.user,
        folder_id=folder_id,
        title=ready.title,
        text=text,
        tags=ready.tags,
        past=past,
    )


def _update(
    tx: Tx,
    context: ImportContext,
    note: sqlite3.Row,
    ready: ReadyNote,
    folder_id: int | None,
    text: note_rows.Text,
) -> None:
    note_edits.apply_edit(
        tx,
        context.me,
        note,
        note_edits.NoteEdit(ready.title, text, ready.tags),
        label=BEFORE_IMPORT,
    )
    if note["folder_id"] != folder_id:
        note_rows.move(tx, _reread_note(tx, note), owner=context.me.user, folder_id=folder_id)
    if bool(note["pinned"]) != ready.source.pinned:
        note_rows.set_pinned(tx, _reread_note(tx, note), pinned=ready.source.pinned)


def _reread_note(tx: Tx, note: sqlite3.Row) -> sqlite3.Row:
    return tx.require_row("SELECT * FROM notes WHERE id = :id", id=note["id"])


def _note_state(tx: Tx, context: ImportContext, ready: ReadyNote) -> _State:
    known, row_id = known_row(tx, context, "note", ready.source.key)
    row = (
        tx.one(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL",
            id=row_id,
            me=context.me.user,
        )
        if row_id
        else None
    )
    if row is None:
        return _State(None, known, "created")
    if known is not None:
        return _State(row, known, "unchanged" if known["digest"] == ready.digest else "updated")
    return _State(
        row, None, "unchanged" if _equals_own_note(tx, context, row, ready) else "updated"
    )


def _equals_own_note(tx: Tx, context: ImportContext, row: sqlite3.Row, ready: ReadyNote) -> bool:
    """Return whether a note of this account is as a tree that it was exported to has it."""
    place = (
        tuple(folder["name"] for folder in folder_rows.ancestors(tx, row["folder_id"]))
        if row["folder_id"]
        else ()
    )
    if (row["title"], row["tags"], bool(row["pinned"]), place) != (
        ready.title,
        ready.tags,
        ready.source.pinned,
        ready.path,
    ):
        return False
    text = with_addresses(tx, context, ready.text.content)
    return address_links.normalise_links(row["content"]) == address_links.normalise_links(text)


def _store_todo(
    tx: Tx, context: ImportContext, ready: ReadyTodo, lines: list[NotCarried]
) -> Outcome:
    state = _todo_state(tx, context, ready)
    lines += _kept_lines(ready, state)
    if state.outcome == "unchanged":
        return "unchanged"
    draft = _draft(tx, context, ready)
    if state.row is None:
        created = ready.created or ready.updated or tx.now
        todo_id = todo_rows.insert(
            tx.with_moment(created), context.me.user, draft, zone=context.zone
        )
    else:
        todo_id = state.row["id"]
        todo_rows.update(tx, state.row, draft, zone=context.zone)
    row = todo_rows.find_live(tx, context.me.user, todo_id)
    if row is not None and bool(row["completed"]) != ready.source.completed:
        todo_rows.set_completed(
            tx.with_moment(ready.completed_at or ready.updated or tx.now),
            row,
            completed=ready.source.completed,
        )
    if state.row is None:
        updated = ready.updated or ready.completed_at or created
        todo_rows.set_times(tx, context.me.user, todo_id, created_at=created, updated_at=updated)
    mark = tx.value("SELECT updated_at FROM todos WHERE id = :id", id=todo_id)
    if state.row is None or state.known is not None:
        import_rows.put(
            tx,
            context.me.user,
            context.source,
            "todo",
            ready.source.key,
            row_id=todo_id,
            digest=ready.digest,
            mark=mark,
        )
    return state.outcome


def _draft(tx: Tx, context: ImportContext, ready: ReadyTodo) -> todo_rows.Draft:
    description = ready.description and with_addresses(tx, context, ready.description)
    return copy_fields(
        todo_rows.Draft,
        ready,
        description=description,
        last_step=ready.step_count,
        wall=ready.source.wall,
    )


def _todo_state(tx: Tx, context: ImportContext, ready: ReadyTodo) -> _State:
    """Return what is to be done about a todo."""
    # Todos have no snapshots, so one that was changed here since it was imported is left alone;
    # `mark` is its updated_at of that time.
    known, row_id = known_row(tx, context, "todo", ready.source.key)
    row = todo_rows.find_live(tx, context.me.user, row_id) if row_id else None
    if row is None:
        return _State(None, known, "created")
    if known is not None:
        if known["digest"] == ready.digest:
            return _State(row, known, "unchanged")
        touched = known["mark"] != row["updated_at"]
        return _State(row, known, "unchanged" if touched else "updated", kept=touched)
    same = (
        todo_rows.draft_of(row)[:5] == _draft(tx, context, ready)[:5]
        and bool(row["completed"]) == ready.source.completed
    )
    return _State(row, None, "unchanged", kept=not same)


def _kept_lines(ready: ReadyTodo, state: _State) -> list[NotCarried]:
    reason = (
        "this todo was changed in Hearth too, so it was not overwritten; delete it here to import "
        "it again"
    )
    return [NotCarried(ready.title, reason)] if state.kept else []


def _folder_exists(tx: Tx, me: Caller, path: Folders) -> bool:
    at: int | None = None
    for name in path:
        found = folder_rows.find_child(tx, me.user, at, name)
        if found is None:
            return False
        at = found["id"]
    return True


def _name_of(ready: Ready) -> str:
    if isinstance(ready, ReadyFolder):
        return "/".join(ready.path)
    return "/".join([*ready.path, ready.title]) if isinstance(ready, ReadyNote) else ready.title
