"""What a note or todo is like at a moment.

So a change of it can be undone exactly when nobody has changed it since.
"""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import NotFound
from app.workspace.notes import delete_note, note_edits, note_rows
from app.workspace.todos import todo_rows, todos
from app.workspace.todos.todo_rows import Draft
from app.workspace.trash import restore

Image = Mapping[str, Any]
BEFORE_UNDO = "auto: before undo"
WRITES = {"todo": "os.todos:write", "note": "os.notes:write"}


def take_image(tx: Tx, user: int, kind: str, number: int) -> Image | None:
    """Return a thing of the user's as it is.

    Where it lies and what it holds; of a note its revision stands for that. None when it is not
    there.
    """
    if kind == "todo":
        row = tx.one(
            "SELECT * FROM todos WHERE id = :id AND owner_id = :user", id=number, user=user
        )
        if row is None:
            return None
        return {
            "live": row["trash_id"] is None,
            "completed": row["completed"],
            **todo_rows.draft_of(row)._asdict(),
        }
    row = tx.one(
        "SELECT trash_id, revision, title, tags, pinned, snapshot_seq FROM notes "
        "WHERE id = :id AND owner_id = :user",
        id=number,
        user=user,
    )
    if row is None:
        return None
    return {
        "live": row["trash_id"] is None,
        "revision": row["revision"],
        "title": row["title"],
        "tags": row["tags"],
        "pinned": row["pinned"],
        "seq": row["snapshot_seq"],
    }


def is_unchanged(one: Image | None, other: Image | None) -> bool:
    """Return whether a thing is as it was; how many snapshots a note has does not matter."""
    return _without_counts(one) == _without_counts(other)


def restore_image(
    tx: Tx, me: Caller, kind: str, number: int, image: Image | None, *, seq: int | None
) -> None:
    """Make a thing what it was. One that was not there goes to the trash.

    A note's text, where it was changed, comes from its snapshot `seq`.
    """
    me.require((WRITES[kind],))
    present = take_image(tx, me.user, kind, number)
    if image is None or not image["live"]:
        if present is not None and present["live"]:
            _trash(tx, me, kind, number)
        return
    # First out of the trash, since only live things can be changed.
    if present is not None and not present["live"]:
        restore.restore_from_trash(tx, me, kind="todo" if kind == "todo" else "note", id=number)
    if kind == "todo":
        _restore_todo(tx, me, number, image)
    elif present is not None and present["live"]:
        _restore_note(tx, me, number, image, seq)


def _restore_todo(tx: Tx, me: Caller, number: int, image: Image) -> None:
    zone = ZoneInfo(users.settings_of(tx, me.user).timezone)
    row = tx.require_row(
        "SELECT * FROM todos WHERE id = :id AND owner_id = :me", id=number, me=me.user
    )
    todo_rows.update(tx, row, Draft(**{name: image[name] for name in Draft._fields}), zone=zone)
    if row["completed"] != image["completed"]:
        todo_rows.set_completed(tx, row, completed=bool(image["completed"]))


def _restore_note(tx: Tx, me: Caller, number: int, image: Image, seq: int | None) -> None:
    note = tx.require_row(
        "SELECT * FROM notes WHERE id = :id AND owner_id = :me", id=number, me=me.user
    )
    # Pins are no part of a snapshot.
    if bool(note["pinned"]) != bool(image["pinned"]):
        note_rows.set_pinned(tx, note, pinned=bool(image["pinned"]))
    if seq is None:
        return
    held = tx.value(
        "SELECT content FROM snapshots WHERE note_id = :id AND seq = :seq", id=number, seq=seq
    )
    if held is None:
        raise NotFound("The snapshot from before is gone.")
    note_edits.apply_edit(
        tx,
        me,
        note,
        note_edits.NoteEdit(image["title"], note_rows.measure_text(held), image["tags"]),
        label=BEFORE_UNDO,
    )


def _trash(tx: Tx, me: Caller, kind: str, number: int) -> None:
    if kind == "todo":
        todos.delete_todo(tx, me, id=number)
    else:
        delete_note.delete_note(tx, me, id=number)


def _without_counts(image: Image | None) -> Mapping[str, Any] | None:
    return (
        None if image is None else {name: value for name, value in image.items() if name != "seq"}
    )
